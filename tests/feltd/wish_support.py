"""A wish for a version as a table remembers it, signed by a floor's key."""

import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from feltd.door import Person
from feltd.door.wire.codec import to_json
from feltd.door.wishing import WishedVersion
from feltd.floor.signing import FloorKey

FLOOR = FloorKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
_PERSON = Person("Lea", "lea", "director", "10.20.0.9")


def signed_wish(version: str, key: FloorKey = FLOOR) -> dict[str, Any]:
    """What is kept of the wish for a version."""
    order = to_json({"person": _PERSON, "why": "wish 4", "version": WishedVersion(4, version)}).decode()
    journal, number, made, until = bytes(16), "ab" * 16, 7, 12.5
    signature = key.command(number, journal, made, until, order)
    return {
        "id": number, "journal": journal.hex(), "made": made, "until": until, "order": order, "signature": signature,
    }  # fmt: skip


def floor_file(wish: Any) -> str:
    """The file floor.json with this wish for a version in it."""
    return json.dumps({"made": 7, "wishes": {"version": wish}})

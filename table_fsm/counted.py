"""The part of a snapshot that names cards nobody was shown: what readers counted of each pack over rounds.

`UnseenCards` counts every card that a reader saw, face-down ones too. Whoever reads the counts of two snapshots knows
the cards of the round between them. So a host takes the counts out before it writes a snapshot where others may read.
"""

import json
from base64 import b64decode, b64encode
from typing import Any, Final, NamedTuple

BYTES_A_PACK: Final = 4096
"""The counts of a pack, as text, are never longer."""
_DECKS: Final = "decks"
_SEEN: Final = "seen"
_READ: Final = "read"
_JSON: Final = json.JSONEncoder(separators=(",", ":"))


class Parts(NamedTuple):
    """A snapshot in two parts. `shown`: without the counts; `counts`: those alone; `most`: how long they can be."""

    shown: str
    counts: str
    most: int


def apart(snapshot: str) -> Parts:
    """Take the counts out of what `Table.snapshot` returned; `Table.restore` takes `shown` alone, too."""
    standing = json.loads(snapshot)
    decks = standing.get(_DECKS, {})
    counts = {colour: _short(deck[_SEEN]) for colour, deck in decks.items()}
    for deck in decks.values():
        deck[_SEEN] = None
    return Parts(_JSON.encode(standing), _JSON.encode(counts), BYTES_A_PACK * max(1, len(counts)))


def together(shown: str, counts: str) -> str:
    """The snapshot of its two parts. Raises ValueError, KeyError or TypeError where they are not of one snapshot."""
    standing, counted = json.loads(shown), json.loads(counts)
    if counted.keys() != standing[_DECKS].keys():
        raise ValueError("counts of other packs")
    for colour, deck in standing[_DECKS].items():
        deck[_SEEN] = _long(counted[colour])
    return _JSON.encode(standing)


def _short(seen: dict[str, Any] | None) -> dict[str, Any] | None:
    """Counts with the list of up to a thousand small numbers as base64."""
    return None if seen is None else {**seen, _READ: b64encode(bytes(seen[_READ])).decode()}


def _long(seen: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if seen is None else {**seen, _READ: list(b64decode(seen[_READ], validate=True))}

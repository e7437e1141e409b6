"""An entry between `append` and the disk: sealed, and made a row."""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from feltd.record.entries import EntryKind, Row, Source
from feltd.record.sealing import RoundKey

JSON: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
"""Plain ASCII, so a body is the same bytes everywhere."""


class Draft(NamedTuple):
    """An entry as `append` leaves it: numbered, with its body, its secrets not yet sealed.

    `secret`: the fields taken out of the body, by name, to be sealed under `round_key`; None seals nothing.
    `generation`: of a snapshot, that of the short-lived key in use after it.
    """

    seq: int
    kind: EntryKind
    name: str
    t: float | None
    host: float
    wall: float
    round: int | None
    rulebook: bytes | None
    answers: int | None
    source: Source | None
    body: str
    round_key: RoundKey | None = None
    secret: Mapping[str, Any] | None = None
    publishes: int | None = None
    generation: int | None = None


def to_row(draft: Draft) -> Row:
    """Return the row of a draft."""
    key: int | None = draft.publishes
    sealed: bytes | None = None
    if draft.round_key is not None and draft.secret is not None:
        key, sealed = draft.round_key.key_id, draft.round_key.seal(draft.seq, draft.secret)
    source = draft.source
    return Row(
        draft.seq,
        draft.kind.value,
        draft.name,
        draft.t,
        draft.host,
        draft.wall,
        draft.round,
        draft.rulebook,
        draft.answers,
        source.device if source else None,
        source.boot_id if source else None,
        source.seq if source else None,
        draft.body,
        key,
        sealed,
    )

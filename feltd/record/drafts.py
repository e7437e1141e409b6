"""An entry between `append` and the disk: guarded, sealed, digested to a stored row."""

import json
from typing import Any, Final, NamedTuple

from feltd.record.entries import EntryKind, HostEntry, Row, Source
from feltd.record.sealing import RoundKey, card_names

JSON: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
"""Plain ASCII, so a body is the same bytes everywhere."""

_GUARDED_HOST: Final = frozenset({HostEntry.SNAPSHOT.value, HostEntry.NOTE.value})


class Draft(NamedTuple):
    """An entry as `append` leaves it: numbered, with its body, its cards not yet sealed.

    `secret`: the fields taken out of the body, by name, to be sealed under `round_key`. `shown`: cards this entry names
    that lie face up. `guards`: the keys of all rounds not over; nothing else may name what any of them hides.
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
    secret: dict[str, Any] | None = None
    shown: tuple[str, ...] = ()
    guards: tuple[RoundKey, ...] = ()
    publishes: int | None = None


def to_row(draft: Draft) -> Row:
    """Return the row of a draft.

    Drafts of one round must come in their order: each may hide cards, or show them.
    """
    key, sealed, body = draft.publishes, None, draft.body
    round_key = draft.round_key
    if round_key is not None:
        if draft.secret is not None:
            round_key.hidden |= card_names(draft.secret.values())
        round_key.hidden.difference_update(draft.shown)
    guard = next((open_key for open_key in draft.guards if open_key.names_hidden_card(body)), None)
    if guard is not None and _is_guarded(draft):
        if draft.secret is not None and round_key is not None:
            guard = round_key  # its own secret may outlast the round whose card it names
        key, sealed, body = guard.key_id, guard.seal_text(draft.seq, _whole(draft)), _emptied(draft)
    elif round_key is not None and draft.secret is not None:
        key, sealed = round_key.key_id, round_key.seal(draft.seq, draft.secret)
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
        body,
        key,
        sealed,
    )


def _is_guarded(draft: Draft) -> bool:
    return draft.kind is not EntryKind.HOST or draft.name in _GUARDED_HOST


def _whole(draft: Draft) -> str:
    """The body with the fields taken out of it put back."""
    if draft.secret is None:
        return draft.body
    return JSON.encode({**json.loads(draft.body), **draft.secret})


def _emptied(draft: Draft) -> str:
    """The clear part of a body that is sealed whole."""
    if draft.kind is EntryKind.HOST:
        return "{}"
    if draft.kind is EntryKind.EVENT:
        return JSON.encode({"t": draft.t, "ev": draft.name})
    return JSON.encode({"t": draft.t})

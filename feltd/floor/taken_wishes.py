"""Wishes as a table's record has them: what it took last of each kind, and what held there before.

The record settles what a lost answer leaves open, as it does for a person's decision. So a wish is given once, and
`back` brings what there was, whichever floord sent it and whatever has ended since.
"""

from collections.abc import Mapping
from typing import Any, Final

from feltd.door.wishing import BookPlay
from feltd.floor.open_rows import RowUnreadError, json_of, small, text, whole
from feltd.floor.wishes import WishKind
from feltd.record.notes import WISH_NOTE, WISH_SETTINGS_NOTE, WISH_VERSION_NOTE

Taken = dict[str, dict[str, Any]]
"""By kind of a wish (`WishKind`): its `number`, what it `said`, what held `before` it, or None, and
the `starts` (`keep_had`) that had it in force already, if they lie behind its approval, which the floor knows."""
STARTS_MOST: Final = 8
"""Of each kind: the last ones that had something else before them."""
KINDS: Final = {
    WISH_NOTE: WishKind.BOOK, WISH_SETTINGS_NOTE: WishKind.SETTINGS, WISH_VERSION_NOTE: WishKind.VERSION,
}  # fmt: skip


def keep_had(
    had: dict[str, Any], held: Mapping[WishKind, dict[str, Any] | None], wall: float, body: Mapping[str, Any]
) -> None:
    """Take a start. `held`: what held before it, by kind; `body`: its note. Raises RowUnreadError.

    A process may end between its memory and its record: then a start has in force what no note says. Many starts behind
    one another count once, at the last of them.
    """
    says = body.get("wishes")
    for kind, before in held.items():
        number = (whole(says, kind.value) or 0) if isinstance(says, dict) else None
        known = had.get(kind, [])
        others = known[:-1] if known and known[-1]["held"] == before else known
        if before is not None:
            had[kind] = [*others, {"wall": wall, "held": dict(before), "number": number}][-STARTS_MOST:]


def took(
    taken: Taken, body: dict[str, Any], now: Mapping[WishKind, dict[str, Any] | None], had: dict[str, Any]
) -> None:
    """Take the note of a wish. `now`: what holds, by kind; `had`: what held before the table's last starts.

    Raises RowUnreadError.
    """
    kind, wish = KINDS[str(body.get("what"))], whole(body, "wish")
    if wish is None:  # noted by a feltd that did not say
        return
    said = _said(kind, body)
    known = taken.get(kind)
    if known is not None and known["number"] == wish and known["said"] == said:
        return  # noted once more: before it held what held before the first note
    before, starts = now.get(kind), had.pop(kind, [])
    if before is None or not _is(kind, before, said):
        starts = []  # no start has had it in force already
    taken[kind] = {
        "number": wish, "said": said, "before": None if before is None else dict(before), "starts": starts,
    }  # fmt: skip


def _said(kind: WishKind, body: dict[str, Any]) -> dict[str, Any]:
    if kind is WishKind.VERSION:
        return {"version": text(body, "version") or ""}
    name = "settings" if kind is WishKind.SETTINGS else "options"
    written = body.get(name)
    if not isinstance(written, str):
        raise RowUnreadError(f"{name} of a wish are no text")
    found = small(json_of(written))
    if kind is WishKind.SETTINGS:
        return found
    return {"rulebook": text(body, "rulebook") or "", "digest": text(body, "digest") or "", "options": found}


def _is(kind: WishKind, holds: dict[str, Any], said: dict[str, Any]) -> bool:
    """Whether what holds is what a wish said. What a table is made of is no wish's."""
    if kind is not WishKind.BOOK:
        return holds == said
    return BookPlay(**holds).is_as(BookPlay(**said))

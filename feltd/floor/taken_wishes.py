"""Wishes as a table's record has them: what it took last of each kind, and what held there before.

The record settles what a lost answer leaves open, as it does for a person's decision. So a wish is given once, and
`back` brings what there was, whichever floord sent it and whatever has ended since.
"""

from collections.abc import Mapping
from typing import Any, Final

from feltd.door.wishing import BookPlay
from feltd.floor.open_rows import RowUnreadError, json_of, small, text, whole
from feltd.record.notes import WISH_NOTE, WISH_SETTINGS_NOTE, WISH_VERSION_NOTE

Taken = dict[str, dict[str, Any]]
"""By kind of a wish (`feltd.floor.wishes.WishKind`): its `number`, what it `said`, what held `before` it, or None."""
KINDS: Final = {WISH_NOTE: "book", WISH_SETTINGS_NOTE: "settings", WISH_VERSION_NOTE: "version"}


def keep_had(had: dict[str, Any], held: Mapping[str, dict[str, Any] | None], settings: dict[str, Any] | None) -> None:
    """Take a start. `held`: what held before it, by kind; `settings`: those that hold now.

    A process may end between its memory and its record: then a start has in force what no note says.
    """
    if held["settings"] is not None and held["settings"] != settings:
        had["settings"] = dict(held["settings"])
    if held["book"] is not None and had.get("book") in (None, held["book"]):
        had["book"] = dict(held["book"])  # what is played now says the opening behind this note


def took(taken: Taken, body: dict[str, Any], now: Mapping[str, dict[str, Any] | None], had: dict[str, Any]) -> None:
    """Take the note of a wish. `now`: what holds, by kind; `had`: what held before the table's last start.

    Raises RowUnreadError.
    """
    kind, wish = KINDS[str(body.get("what"))], whole(body, "wish")
    if wish is None:  # noted by a feltd that did not say
        return
    said = _said(kind, body)
    known = taken.get(kind)
    if known is not None and known["number"] == wish and known["said"] == said:
        return  # noted once more: before it held what held before the first note
    before = now.get(kind)
    if before is not None and kind in had and _is(kind, before, said):
        before = had[kind]  # the process ended between its memory and this note: the start had it in force already
    taken[kind] = {"number": wish, "said": said, "before": None if before is None else dict(before)}
    had.pop(kind, None)


def _said(kind: str, body: dict[str, Any]) -> dict[str, Any]:
    if kind == "version":
        return {"version": text(body, "version") or ""}
    name = "settings" if kind == "settings" else "options"
    written = body.get(name)
    if not isinstance(written, str):
        raise RowUnreadError(f"{name} of a wish are no text")
    found = small(json_of(written))
    if kind == "settings":
        return found
    return {"rulebook": text(body, "rulebook") or "", "digest": text(body, "digest") or "", "options": found}


def _is(kind: str, holds: dict[str, Any], said: dict[str, Any]) -> bool:
    """Whether what holds is what a wish said. What a table is made of is no wish's."""
    if kind != "book":
        return holds == said
    return BookPlay(**holds).is_as(BookPlay(**said))

"""Every setting of every row of a tournament book changes what becomes of a scene: none is there for nothing."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import pytest

from floor_fsm.law.law import Law
from tests.floor_fsm.drills import answers, played, rows
from tests.floor_fsm.scenes import SCENES, kept_in, recorded, scenes_of
from tests.floor_fsm.settings import changed
from tests.floor_fsm.support import laws

BY_A_PERSON: Final = "the director says who moves and where to as long as one of the two is theirs"
ONE_ENTRY: Final = "nobody enters again under this book"
NO_HAND_FOR_HAND: Final = "without hand for hand no two tables lose players in one hand: each hand has its own order"
BOTH_TAKE_PART: Final = "the tables post the blinds, or do not deal; the floor takes nobody out either way"
SHOWN_ELSEWHERE: Final[Mapping[tuple[str, str, str], str]] = {
    ("act-2001", "entries", "away_from_last_table"): ONE_ENTRY,
    ("tas-2018-c", "entries", "away_from_last_table"): ONE_ENTRY,
    ("tas-2018-c", "alternates", "before_re_entries"): ONE_ENTRY,
    **{
        (book, "balancing", name): BY_A_PERSON
        for book in ("act-2001", "act-2019-uth", "star-2025", "tas-2018-c")
        for name in ("mover", "to", "apart")
    },
    **{
        (book, "places", name): NO_HAND_FOR_HAND
        for book in ("act-2001", "tas-2018-c")
        for name in ("across", "across_clause")
    },
    **{
        (book, "draw", "apart_at_one_table"): "the book keeps nobody apart, so nobody is named as belonging together"
        for book in ("act-2001", "act-2019-uth", "tas-2018-c")
    },
    ("act-2019-uth", "places", "across"): NO_HAND_FOR_HAND,
    **{
        (book, "places", "across_clause"): "who share at two tables need no decision that it would be named for"
        for book in ("onyx", "star-2025")
    },
    ("act-2019-uth", "pool", "house"): "cents are the same both ways, and the text names no most for the commission",
    ("act-2019-uth", "penalties", "round_of"): "there is no penalty of whole rounds here",
    ("act-2019-uth", "sessions", "below_minimum_clause"): "the table carries it out: its rulebook has 16.15",
    ("act-2001", "no_shows", "stack"): BOTH_TAKE_PART,
    ("onyx", "no_shows", "stack"): BOTH_TAKE_PART,
    ("star-2025", "no_shows", "stack"): BOTH_TAKE_PART,
    ("onyx", "hand_for_hand", "hand_seconds"): "a hand costs nothing of the clock here",
    ("star-2025", "pool", "kept_percent"): "what the house gets is beside the fee: of the fees it keeps nothing",
    ("star-2025", "pool", "payouts_clause"): "the desk names it where more have entered than the table has columns for",
}
"""Settings of which no scene of their matter is another one, by book, matter and setting, and why."""


def all_of(law: Law, matter: str) -> list[list[str]]:
    """What becomes of the drill and of each scene of a matter."""
    return [played(law, matter), *(answers(law, scene) for scene in scenes_of(matter).values())]


@cache
def changes(book: str) -> dict[tuple[str, str, str], tuple[bool, ...]]:
    """Of each setting of a book, by book, matter and setting: whether each other value of it is seen."""
    law = laws()[book]
    found: dict[tuple[str, str, str], tuple[bool, ...]] = {}
    shipped: dict[str, Any] = {}
    for matter, name, _, other in changed(law):
        was = shipped.setdefault(matter, all_of(law, matter))
        known = found.get((book, matter, name), ())
        found[book, matter, name] = (*known, all_of(other, matter) != was)
    return found


@pytest.mark.parametrize("book", sorted(laws()))
def test_the_scenes_of_a_book_end_as_they_are_recorded(book: str) -> None:
    assert kept_in(book).read_text(encoding="utf-8") == recorded(laws()[book])


@pytest.mark.parametrize("book", sorted(laws()))
def test_each_setting_of_a_book_is_seen_in_a_scene(book: str) -> None:
    unseen = {key for key, seen in changes(book).items() if not all(seen)}
    assert unseen == {key for key in SHOWN_ELSEWHERE if key[0] == book}


def test_each_scene_belongs_to_a_matter_of_a_book_and_takes_a_step() -> None:
    matters = {matter.partition(".")[0] for law in laws().values() for matter in rows(law)}
    assert set(SCENES) <= matters
    for matter, scenes in SCENES.items():
        for name, scene in scenes.items():
            books = [law for law in laws().values() if matter in rows(law)]
            taken = any(line.endswith(": taken") for law in books for line in answers(law, scene))
            assert taken, f"{matter}, {name}: no step is taken under any book"

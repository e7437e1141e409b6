"""Scenes for the settings of a row: what a drill of its matter does not come to, each played from the opening on.

A scene is the same in every book. What differs between two values of a setting is what the setting says.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from floor_fsm.law.law import Law
from tests.floor_fsm.drills import (
    BOUGHT,
    CLOSED,
    COMMITTED,
    DRAWN,
    FULL,
    KEPT,
    SCHEDULE,
    Step,
    answers,
    enters,
    given,
    hands,
    opening,
    rows,
    seated,
)
from tests.floor_fsm.support import SECRETS, laws

Scene = Sequence[Step]
PAYS_ONE: Final = (CLOSED, {"ev": "payouts.set", "percent": ["100"]})
HAND_FOR_HAND: Final = ({"ev": "hand_for_hand.began", "why": "bubble"}, {"ev": "hand.released"})


def secret(number: int) -> str:
    """The secret of the draw of this number, from 0."""
    return SECRETS[number].hex()


def crowd(people: int) -> tuple[Step, ...]:
    """So many people enter a tournament of 21 tables."""
    return opening(21, 10), *(enters(number, f"p{number}") for number in range(1, people + 1))


def after_a_night() -> Scene:
    """Six players go on the next day."""
    bags = (_counted(entry, 30_000) for entry in range(1, 7))
    return *seated(), *hands("T1", "T2"), *bags, {"ev": "suspended"}, {"ev": "resumed"}


def opening_apart() -> tuple[Step, ...]:
    """Eight people, of whom three belong together, sit at two tables of eight seats."""
    people = (enters(number, person) for number, person in enumerate("abcdefgh", 1))
    given_seats = (
        {"ev": "seat.given", "entry": number, "table": f"T{1 + number % 2}", "seat": number} for number in range(1, 9)
    )
    together = {"ev": "associates", "persons": ["a", "b", "c"]}
    return opening(2, 8), COMMITTED, *people, together, *given_seats


def _out(entry: int, stack: int, put_in: int) -> dict[str, int]:
    return {"entry": entry, "stack": stack, "put_in": put_in}


def _over(table: str, *out: dict[str, int], **more: Any) -> Step:
    return {"ev": "hand.over", "table": table, "out": out, **more}


def _counted(entry: int, chips: int) -> Step:
    return {"ev": "stack.bagged", "entry": entry, "first": "Ann", "first_chips": chips, "second": "Bob",
            "second_chips": chips}  # fmt: skip


def _redrawn(occasion: str, *tables: str) -> Scene:
    step = {"ev": "redrawn", "occasion": occasion, "tables": tables, "secret": secret(1)}
    return *seated(), *hands("T1", "T2"), step


_BREAK: Final = {"ev": "table.breaks", "table": "T2"}
_ORDER: Final = {"ev": "breaking.order", "tables": ["T2", "T1"]}
BREAKABLE: Final = (
    opening(2, 8),
    COMMITTED,
    *given((1, "T1", 1), (2, "T1", 2), (3, "T2", 1), (4, "T2", 2))[1:],
    _ORDER,
)
"""Two tables of two players each, whose order of breaking is announced."""
_RACE: Final = (*FULL, {"ev": "race.ordered", "chip": 25, "new_chip": 100})


def _raced(odd: int, *, won: int, out: int, winner: int = 1) -> Scene:
    told = {"odd": [[1, odd], [2, odd]], "chips": [[winner, won]] if won else [], "last": [], "out": out}
    return *_RACE, {"ev": "race.told", "table": "T1", **told}


SCENES: Final[Mapping[str, Mapping[str, Scene]]] = {
    "entries": {
        "who enters again sits away from the last table": (
            *given((1, "T1", 1), (2, "T1", 2), (3, "T2", 1), (4, "T2", 2), (5, "T2", 3)),
            {"ev": "entry.out", "entry": 1}, enters(9, "a"),
            {"ev": "seat.given", "entry": 9, "table": "T1", "seat": 4},
        ),
        "a late seat away from the last table": (
            *seated(7), {"ev": "entry.out", "entry": 2}, {"ev": "entry.out", "entry": 4}, enters(9, "b"),
            {"ev": "seat.late", "entry": 9, "secret": secret(1)},
        ),
        "as many give chips up as the book lets them": (*FULL, {"ev": "entry.given_up", "entry": 1, "chips": 30_000},
                                                        {"ev": "entry.given_up", "entry": 2, "chips": 30_001}),
        "chips are given up once late entry is over": (*FULL, CLOSED, {"ev": "entry.given_up", "entry": 1}),
        "chips are given up where nobody enters again": (
            opening(re_entries=0), COMMITTED, enters(1, "a"),
            {"ev": "seat.given", "entry": 1, "table": "T1", "seat": 1}, {"ev": "entry.given_up", "entry": 1},
        ),
        "two hundred and one people": crowd(201),
        "one alone draws a seat, then two, then three": (
            opening(), COMMITTED, enters(1, "a"), DRAWN, enters(2, "b"), DRAWN,
        ),
        "two draw seats": (opening(), COMMITTED, enters(1, "a"), enters(2, "b"), DRAWN),
    },
    "chop": {
        "somebody of the deal is disqualified": (
            *FULL, CLOSED, {"ev": "payouts.set", "percent": ["60", "40"]},
            *({"ev": "entry.out", "entry": entry} for entry in (3, 4, 5, 6)),
            {"ev": "chop", "cents": [[1, 60_000], [2, 60_000]]},
            {"ev": "person.left", "entry": 1, "why": "harm", "chips": 90_000},
            {"ev": "entry.back", "entry": 1},
            {"ev": "person.left", "entry": 2, "why": "disqualified", "chips": 90_000},
            {"ev": "chop.taken_back"}, {"ev": "person.left", "entry": 2, "why": "disqualified", "chips": 90_000},
        ),
    },
    "suspension": {
        "stacks are counted while a hand of hand for hand is under way": (
            *FULL, *HAND_FOR_HAND, _counted(1, 30_000), {"ev": "hand.over", "table": "T1", "hand": 1},
            _counted(1, 30_000), {"ev": "hand.over", "table": "T2", "hand": 1},
            *(_counted(entry, 30_000) for entry in range(1, 7)), {"ev": "suspended"}, {"ev": "resumed"},
        ),
    },
    "cancelling": {
        "after a hand": (*FULL, *hands("T1"), {"ev": "tournament.cancelled"},
                         {"ev": "tournament.cancelled", "refund": False}),
        "after a level": (*FULL, {"ev": "level.began", "level": 1}, {"ev": "tournament.cancelled", "refund": False}),
    },
    "alternates": {
        "nobody has a seat for who comes": (*seated(4, tables=1), enters(5, "e")),
    },
    "rebuys": {
        "who has lost the last chips buys some": (
            opening(rebuy=BOUGHT, re_entries=0), COMMITTED, *(enters(n, p) for n, p in enumerate("abc", 1)), DRAWN,
            {"ev": "entry.out", "entry": 1}, {"ev": "rebuy", "entry": 1, "paid": 20_000, "stake": 0},
        ),
        "the same after a hand": (
            opening(rebuy=BOUGHT, re_entries=0), *given((1, "T1", 1), (2, "T1", 2), (3, "T1", 3))[1:],
            _over("T1", _out(1, 500, 500)), {"ev": "rebuy", "entry": 1, "paid": 20_000, "stake": 0},
        ),
        "the same in a game that the book has rebuys in": (
            opening(2, 8, rebuy=BOUGHT, re_entries=0, game="draw"),
            *given((1, "T1", 1), (2, "T1", 2), (3, "T1", 3))[1:],
            _over("T1", _out(1, 500, 500)), {"ev": "rebuy", "entry": 1, "paid": 20_000, "stake": 0},
        ),
        "entering again beside rebuys": (opening(rebuy=BOUGHT, game="draw"),),
        "an add-on": (opening(re_entries=0, add_on=BOUGHT, game="draw"), opening(re_entries=0, add_on=BOUGHT)),
    },
    "draw": {
        "two who belong together at one table": (
            opening(1, 9), COMMITTED, *(enters(number, person) for number, person in enumerate("abcdefgh", 1)),
            {"ev": "associates", "persons": ["b", "d", "h"]}, DRAWN,
        ),
        "and at the final table": (
            *opening_apart(), *({"ev": "entry.out", "entry": number} for number in (7, 8)),
            {"ev": "redrawn", "occasion": "final_table", "tables": ["T1"], "secret": secret(0)},
        ),
        "two who belong together": (
            opening(), COMMITTED, *(enters(number, person) for number, person in enumerate("abcdef", 1)),
            {"ev": "associates", "persons": ["a", "c"]}, DRAWN,
        ),
        "the same seats again before a hand": (
            *BREAKABLE, {**_BREAK, "secret": secret(0)},
            {"ev": "table.taken_back", "table": "T2", "players": "back"}, {**_BREAK, "secret": secret(1)},
        ),
        **{
            f"{people} people at tables of {seats}": (
                opening(seats=seats), COMMITTED, *(enters(number, f"p{number}") for number in range(1, people + 1)),
                {"ev": "seats.drawn", "secret": secret(0)},
            )
            for people, seats in ((5, 4), (9, 8), (7, 6))
        },
    },
    "balancing": {
        "a table three short": (
            opening(2, 6), *given((1, "T1", 1), (2, "T1", 2), (3, "T1", 3), (4, "T2", 1), (5, "T2", 2), (6, "T2", 3),
                                  (7, "T2", 4), (8, "T2", 5))[1:],
            {"ev": "hand.began", "table": "T1", "hand": 1, "big_blind": 3, "small_blind": 2},
        ),
    },
    "breaking": {
        "the tables break in the order that was announced": (
            *BREAKABLE, {"ev": "table.breaks", "table": "T1", "secret": secret(0)},
            {**_BREAK, "secret": secret(0)}, {"ev": "table.taken_back", "table": "T2", "players": "back"},
        ),
        "who moves between the button and the small blind": (
            opening(2, 6), *given((1, "T1", 1), (2, "T1", 2), (3, "T2", 1), (4, "T2", 4), (5, "T2", 6))[1:],
            {"ev": "hand.began", "table": "T2", "hand": 1, "big_blind": 4, "small_blind": 1},
            {"ev": "moved", "entry": 1, "table": "T2", "seat": 2},
            {"ev": "moved", "entry": 2, "table": "T2", "seat": 5},
        ),
    },
    "redraws": {
        "at the final table": (
            *_redrawn("final_table")[:-1], {"ev": "entry.out", "entry": 1}, {"ev": "entry.out", "entry": 2},
            _redrawn("final_table", "T1")[-1],
        ),
        "of the last nine": _redrawn("last_nine", "T1", "T2"),
        "over night": _redrawn("overnight", "T1", "T2"),
        **{
            f"after a night, at {occasion}": (*after_a_night(), _redrawn(occasion, "T1", "T2")[-1])
            for occasion in ("overnight", "last_nine")
        },
        "as the director has announced": _redrawn("director", "T1", "T2"),
    },
    "places": {
        "two of one table in one hand": (
            *FULL, *PAYS_ONE, _over("T1", _out(1, 900, 300), _out(2, 500, 500)),
        ),
        "the same in another order": (
            *FULL, *PAYS_ONE, _over("T1", _out(1, 500, 500), _out(2, 900, 300)),
        ),
        "two of two tables in hand for hand": (
            *FULL, *PAYS_ONE, *HAND_FOR_HAND, _over("T1", _out(1, 900, 900), hand=1),
            _over("T2", _out(5, 500, 500), hand=1),
        ),
    },
    "pool": {
        "nobody has said what each place gets": (*FULL, CLOSED),
        "more entries than the book's table has": (*crowd(200), CLOSED),
    },
    "races": {
        "half a new chip in odd ones": _raced(1, won=1, out=50),
        "less than half, rounded up": (*_RACE, {"ev": "race.told", "table": "T1", "odd": [[1, 1]], "chips": [[1, 1]],
                                                 "last": [], "out": 25}),
        "less than half, rounded down": (*_RACE, {"ev": "race.told", "table": "T1", "odd": [[1, 1]], "chips": [],
                                                   "last": [], "out": 25}),
        "one takes two": _raced(4, won=2, out=200),
    },
    "sessions": {
        "bags that hold more than was issued": (
            opening(), enters(1, "a"), enters(2, "b"), {"ev": "session.began", "session": "1"},
            {"ev": "seat.given", "entry": 1, "table": "T1", "seat": 1},
            {"ev": "seat.given", "entry": 2, "table": "T1", "seat": 2},
            _counted(1, 50_000), _counted(2, 20_000), {"ev": "session.ended"},
        ),
    },
    "clock": {"a level and a break": (*FULL, SCHEDULE, {"ev": "clock.runs"}, {"ev": "level.began", "level": 1})},
}  # fmt: skip
"""By matter and by what happens."""


def scenes_of(matter: str) -> Mapping[str, Scene]:
    """The scenes of a matter; of a game those of its sizes and of what is bought."""
    kind, _, which = matter.partition(".")
    return SCENES.get(kind, {}) if kind != "games" else _of_a_game(which)


def _of_a_game(game: str) -> Mapping[str, Scene]:
    def bought(**terms: Any) -> Mapping[str, Any]:
        return {"game": game, "re_entries": 0, **terms}

    return {
        f"{people} people": (opening(2, 5, game=game), COMMITTED,
                             *(enters(number, f"p{number}") for number in range(1, people + 1)), DRAWN)
        for people in (8, 9, 10)
    } | {
        "a stake below which somebody buys": (opening(**bought(rebuy={**BOUGHT, "below": 1_001})),
                                              opening(**bought(rebuy={**BOUGHT, "below": 501}))),
        "a level longer": (opening(**bought(rebuy={**BOUGHT, "until_level": 4})),),
        "a top-up": (opening(**bought(add_on=BOUGHT)),),
    }  # fmt: skip


_EVERYWHERE: Final = re.compile(
    r"(tournament\.open|draw\.committed|entry|seat\.given): taken"
    r"|  (Opened|Entered)\(|  Seated\(.*Why\.GIVEN.*come_from=None"
)
"""How a scene begins in every book: of two hundred who enter nobody reads each."""


def recorded(law: Law) -> str:
    """The scenes of a book as they are kept, to be read: without what each begins with."""
    parts = list[str]()
    for matter in rows(law):
        for name, scene in scenes_of(matter).items():
            told = [line for line in answers(law, scene) if not _EVERYWHERE.match(line)]
            parts.append("\n".join((f"# {matter}: {name}", *told)))
    return "\n\n".join(parts) + "\n"


def kept_in(law: str) -> Path:
    """The file that has the recorded scenes of a book."""
    return KEPT / f"{law}-scenes.txt"


if __name__ == "__main__":  # writes them anew: read each difference
    for one in laws().values():
        kept_in(one.id).write_text(recorded(one), encoding="utf-8")

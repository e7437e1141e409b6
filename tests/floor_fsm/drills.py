"""A drill for each matter that a tournament book rules on: a few steps, and what became of each, as lines of text.

The drill of a matter is the same in every book: what differs between two books, and between a book and the same book
without its row, is what the row says.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from floor_fsm.drawing import commitment_of
from floor_fsm.errors import EventSyntaxError, Refused
from floor_fsm.law.law import Law, sections
from floor_fsm.law.matters import Leaves
from floor_fsm.law.model import Book
from floor_fsm.lines import from_line
from floor_fsm.messages.draw import Committed, DrawTold
from floor_fsm.state.rebuys import table_amount
from floor_fsm.tournament import Tournament
from tests.floor_fsm.support import SECRETS, laws

Step = Mapping[str, Any]
DIRECTOR: Final = {"who": "lea", "why": "as announced"}
OTHER: Final = {"who": "max", "why": "the list was wrong"}
_PEOPLE: Final = "abcdefgh"
_SILENT_OUTPUTS: Final = (Committed, DrawTold)
"""They tell hashes."""


def opening(tables: int = 2, seats: int = 4, **terms: Any) -> Step:
    """A tournament is announced."""
    every = [{"table": f"T{number}", "seats": [*range(1, seats + 1)]} for number in range(1, tables + 1)]
    given = {"fee": 20_000, "house": 2_000, "stack": 30_000, "re_entries": None, "late_until": 7, **terms}
    return {"ev": "tournament.open", "name": "Tuesday", "tables": every, **given}


def enters(number: int, person: str, paid: int = 22_000) -> Step:
    """Somebody enters."""
    return {"ev": "entry", "entry": number, "person": person, "name": f"Mx {person}", "paid": paid}


COMMITTED: Final = {"ev": "draw.committed", "commitment": commitment_of(SECRETS[0])}
DRAWN: Final = {"ev": "seats.drawn", "secret": SECRETS[0].hex(), "short_tables": True}
CLOSED: Final = {"ev": "late.closed"}


def seated(players: int = 6, **terms: Any) -> tuple[Step, ...]:
    """So many players sit."""
    people = (enters(number, person) for number, person in enumerate(_PEOPLE[:players], 1))
    return opening(**terms), COMMITTED, *people, DRAWN


def hands(*tables: str) -> tuple[Step, ...]:
    """These tables tell a hand."""
    return tuple({"ev": "hand.began", "table": table, "hand": 1, "big_blind": 2, "small_blind": 1} for table in tables)


def given(*places: tuple[int, str, int]) -> tuple[Step, ...]:
    """These entries have these seats, as the director gives them."""
    first = (opening(), *(enters(entry, _PEOPLE[entry - 1]) for entry, _, _ in places))
    return *first, *({"ev": "seat.given", "entry": entry, "table": at, "seat": seat} for entry, at, seat in places)


FULL: Final = given((1, "T1", 1), (2, "T1", 2), (3, "T1", 3), (4, "T1", 4), (5, "T2", 1), (6, "T2", 2))
SCHEDULE: Final = {"ev": "schedule", "levels": [{"seconds": 1200, "blinds": [100, 200]}]}
BOUGHT: Final = {"price": 20_000, "chips": 30_000, "until_level": 3}


def _bag(entry: int, chips: int) -> Step:
    return {"ev": "stack.bagged", "entry": entry, "first": "Ann", "first_chips": chips, "second": "Bob",
            "second_chips": chips}  # fmt: skip


OCCASIONS: Final = ("final_table", "last_nine", "director", "overnight")


def _redrawn(occasion: str) -> Step:
    return {"ev": "redrawn", "occasion": occasion, "tables": ["T1", "T2"], "secret": SECRETS[1].hex()}


DRILLS: Final[Mapping[str, Sequence[Step]]] = {
    "entries": (
        *seated(re_entries=0), {"ev": "entry.out", "entry": 1}, enters(9, "a"), enters(9, "h", paid=1),
        enters(8, "g"), {"ev": "entry.handed_on", "entry": 8, "person": "h", "name": "Mx h"},
    ),
    "no_shows": (*seated(), {"ev": "entry.no_show", "entry": 1}, {"ev": "entry.never_came", "entry": 2, "chips": 9}),
    "alternates": (
        *seated(4, tables=1), enters(5, "e"), {"ev": "entry.out", "entry": 1}, enters(6, "a"),
        {"ev": "seat.late", "entry": 6, "secret": SECRETS[1].hex()},
    ),
    "substitutes": (
        *seated(), {"ev": "entry.substituted", "entry": 1, "person": "h", "name": "Mx h"},
        {"ev": "entry.substituted", "entry": 1, "person": "b", "name": "Mx b"},
    ),
    "rebuys": (
        opening(rebuy={**BOUGHT, "house": 1_000}), opening(rebuy=BOUGHT, add_on=BOUGHT), opening(rebuy=BOUGHT),
        opening(rebuy=BOUGHT, re_entries=0), opening(), COMMITTED, enters(1, "a"), enters(2, "b"), DRAWN,
        {"ev": "rebuy", "entry": 1, "paid": 1, "stake": 500}, {"ev": "rebuy.taken_back", "entry": 2},
    ),
    "cancelling": (opening(), enters(1, "a"), {"ev": "tournament.cancelled", "refund": False},
                   {"ev": "tournament.cancelled"}),
    "withdrawing": (opening(), enters(1, "a"), enters(2, "b"), {"ev": "entry.withdrawn", "entry": 1, "refund": True},
                    {"ev": "entry.withdrawn", "entry": 1, "mistaken": True}, {"ev": "entry.withdrawn", "entry": 2}),
    "draw": (
        *seated(), {"ev": "associates", "persons": ["a", "b"]},
        {"ev": "draw.objected"}, {"ev": "draw.annulled"}, {"ev": "draw.annulled", "by": OTHER},
        {**DRAWN, "secret": SECRETS[1].hex()}, enters(7, "g"), {**DRAWN, "secret": SECRETS[1].hex()},
    ),
    "balancing": (*FULL, *hands("T1", "T2"), {"ev": "balanced", "table": "T1", "to": "T2", "hand": 1},
                  {"ev": "balanced", "table": "T1", "to": "T2", "hand": 1}),
    "breaking": (
        *seated(), {"ev": "table.breaks", "table": "T2", "secret": SECRETS[1].hex()},
        {"ev": "table.taken_back", "table": "T1", "players": "stay"},
    ),
    "redraws": (*seated(), *hands("T1", "T2"), *map(_redrawn, OCCASIONS)),
    "hand_for_hand": (
        *FULL, SCHEDULE, {"ev": "clock.runs"}, {"ev": "hand_for_hand.began", "why": "bubble"}, {"ev": "hand.released"},
        {"ev": "all_in.held", "table": "T1", "hand": 1}, {"ev": "all_ins.turned"},
        {"ev": "hand.over", "table": "T2", "hand": 1}, {"ev": "all_ins.turned"},
        {"ev": "table.away", "table": "T1"}, {"ev": "table.excused", "table": "T1"}, {"ev": "hand_for_hand.ended"},
    ),
    "places": (
        *FULL, CLOSED, {"ev": "payouts.set", "percent": ["100"]},
        {"ev": "hand.over", "table": "T1", "out": [{"entry": 1, "stack": 500, "put_in": 500},
                                                     {"entry": 2, "stack": 700, "put_in": 600}]},
        {"ev": "hand.over", "table": "T2", "out": [{"entry": 5, "stack": 10**9, "put_in": 1}]},
        {"ev": "place.decided", "order": 1, "groups": [[1], [2]]},
    ),
    "pool": (
        opening(house=15_000), opening(house=12_000), opening(), enters(1, "a", 32_000), enters(1, "a", 35_000),
        {"ev": "payouts.set", "percent": ["60", "30"]}, {"ev": "payouts.set", "percent": ["30", "70"]}, CLOSED,
    ),
    "chop": (*FULL, CLOSED, {"ev": "payouts.set", "percent": ["60", "40"]}, {"ev": "chop", "cents": [[1, 5]]},
             {"ev": "chop.taken_back"}),
    "clock": (*FULL, {"ev": "schedule", "levels": [{"seconds": 1200, "blinds": [200, 100]}]}, SCHEDULE,
              {"ev": "action_clock", "on": True}, {"ev": "action_clock", "on": False}),
    "races": (*FULL, {"ev": "race.taken_back"}, {"ev": "race.ordered", "chip": 100, "new_chip": 25},
              {"ev": "race.ordered", "chip": 25, "new_chip": 100},
              {"ev": "race.told", "table": "T2", "odd": [[1, 2], [2, 2]], "chips": [[1, 1]], "last": [], "out": 0}),
    "counts": (*FULL, *({"ev": "chips.counted", "stage": "heat", "chips": 180_000} for _ in range(3))),
    "chips_back": (*FULL, {"ev": "chips.returned", "chips": [{"chip": 25, "issued": 9, "back": 8}] * 2},
                   {"ev": "chips.returned", "chips": [{"chip": 25, "issued": 9, "back": 8}]}),
    "penalties": (
        *FULL, {"ev": "penalty", "entry": 1, "penalty": "warning"}, {"ev": "penalty", "entry": 1, "penalty": "warning"},
        {"ev": "penalty", "entry": 1, "penalty": "rounds", "number": 5},
        {"ev": "penalty", "entry": 1, "penalty": "hands", "number": 9},
        {"ev": "penalty", "entry": 2, "penalty": "rounds", "number": 1},
        {"ev": "moved", "entry": 2, "table": "T2", "seat": 3},
    ),
    "sessions": (opening(), COMMITTED, enters(1, "a"), {"ev": "session.ended"}, {"ev": "session.began", "session": "1"},
                 {"ev": "session.began", "session": "1"}, DRAWN, {"ev": "session.ended"}),
    "suspension": (*FULL, {"ev": "suspended"}, *(_bag(entry, 30_000) for entry in range(1, 7)), {"ev": "suspended"},
                   {"ev": "moved", "entry": 1, "table": "T2", "seat": 3}, {"ev": "hand.over", "table": "T1"},
                   {"ev": "resumed"}),
    "chips": (opening(),),
    "stacks": (
        *FULL, {"ev": "person.left", "entry": 1, "why": "disqualified", "chips": 179_996},
        _bag(2, 179_996), _bag(2, 0), {"ev": "hand.over", "table": "T1", "out": [{"entry": 3, "stack": 179_997}]},
        {"ev": "hand.over", "table": "T1", "out": [{"entry": 3, "stack": 179_997}], "by": None},
        *({"ev": "entry.out", "entry": entry} for entry in (4, 5, 6)),
        {"ev": "hand.over", "table": "T1", "out": [{"entry": 1, "stack": 179_999}]},
        {"ev": "person.left", "entry": 2, "why": "disqualified", "chips": 179_999},
        {"ev": "person.left", "entry": 2, "why": "disqualified", "chips": 180_000},
    ),
}  # fmt: skip
"""By matter; of ways to leave and of games see `steps_of`."""


def steps_of(matter: str) -> Sequence[Step]:
    """The steps of a matter's drill."""
    kind, _, which = matter.partition(".")
    if kind == "games":
        return [opening(seats=11, game=which), opening(most=999, game=which), opening(game=which, rebuy=BOUGHT)]
    if kind == "leaving":
        left = {"ev": "person.left", "why": Leaves(which).value, "chips": 30_000}
        said: tuple[Step, ...] = (
            {},
            {"refund": True},
            {"prize": True},
            {"prize": False},
            {"refund": False, "prize": False},
        )
        return [*FULL, *({**left, "entry": entry, **one} for entry, one in enumerate(said, 1)), enters(9, "a")]
    return DRILLS[matter]


def played(law: Law, matter: str) -> list[str]:
    """What becomes of each step of a matter's drill under a book, in words."""
    lines = answers(law, steps_of(matter))
    if matter == "chips":
        lines.append(f"30000 chips are {table_amount(law, 30_000)} at a table")
    return lines


def answers(law: Law, steps: Sequence[Step]) -> list[str]:
    """What becomes of each of these steps under a book, in words."""
    tournament, lines = Tournament(law), list[str]()
    for second, step in enumerate(steps):
        lines += _answer(tournament, {"by": DIRECTOR, **step, "t": second})
    return lines


def _answer(tournament: Tournament, said: Mapping[str, Any]) -> Iterator[str]:
    try:
        outputs = tournament.apply(from_line(json.dumps(said))).outputs
    except Refused as refused:
        yield f"{said['ev']}: refused, {refused.reason}: {refused}"
        return
    except EventSyntaxError as fault:
        raise AssertionError(f"no event: {fault}") from None
    yield f"{said['ev']}: taken"
    yield from (f"  {one}" for one in outputs if not isinstance(one, _SILENT_OUTPUTS))


def rows(law: Law) -> dict[str, str]:
    """Each matter that a book rules on, with its clause."""
    return {matter: section.clause for matter, section in sections(law.book)}


def without(law: Law, matter: str) -> Law:
    """The same book, silent on a matter."""
    kind, _, which = matter.partition(".")
    book: Book = law.book
    if kind == "games":
        changed: dict[str, Any] = {kind: tuple(row for row in book.games if row.game != which)}
    elif kind == "leaving":
        changed = {kind: tuple(row for row in book.leaving if row.why.value != which)}
    else:
        changed = {kind: None}
    return Law(book.model_copy(update=changed), law.digest)


def recorded(law: Law) -> str:
    """The drills of a book as they are kept, to be read: `tests/floor_fsm/rows`."""
    parts = (f"# {matter} ({clause})\n" + "\n".join(played(law, matter)) for matter, clause in rows(law).items())
    return "\n\n".join(parts) + "\n"


KEPT: Final = Path(__file__).parent / "rows"


if __name__ == "__main__":  # writes them anew: read each difference
    for one in laws().values():
        (KEPT / f"{one.id}.txt").write_text(recorded(one), encoding="utf-8")

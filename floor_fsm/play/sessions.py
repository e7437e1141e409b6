"""Sessions of a tournament, who advances, and a tournament that is suspended over night.

UTH 5, 16.3 and 16.15; The Star 1 and 5 (Session); Onyx, Table Redraws 2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from floor_fsm.errors import Reason, Refused
from floor_fsm.law.matters import SuspensionRules
from floor_fsm.play.places import Groups


class Ties(StrEnum):
    """What becomes of players with the same points, as the tournament's conditions say (UTH 16.3(a)(iii)(E)c)."""

    SHARED = "shared"
    """Their prizes are put together and divided equally."""
    DRAWN = "drawn"
    """A draw of cards says who is placed higher."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session as the conditions announce it.

    `advance`: how many go on to the next; 0 in the last. `repechage`: whether those who do not may play a catch-up
    session. `ties`: for places and for the last that advances.
    """

    name: str
    entries: tuple[int, ...]
    advance: int
    ties: Ties
    repechage: bool
    clause: str


@dataclass(frozen=True, slots=True)
class SessionResult:
    """A session that is over. `groups`: the best first. `advance`: who goes on, `catch_up`: who may yet."""

    groups: Groups
    advance: tuple[int, ...]
    catch_up: tuple[int, ...]


def result(session: Session, points: Mapping[int, int], drawn: Sequence[int] = ()) -> SessionResult:
    """The result of a session by its points.

    `drawn`: those with equal points in the order of their cards, the best first. Refuses points of another set of
    entries, a draw of somebody who is level with nobody, and, as not decided, a draw that is missing: between all who
    are level where ties are drawn, and for the last who advances in any case, since nobody advances by half.
    """
    if set(points) != set(session.entries):
        odd = ", ".join(map(str, sorted(set(points) ^ set(session.entries))))
        raise Refused(Reason.UNKNOWN_ENTRY, f"points for exactly those who played; look at {odd}", session.clause)
    if len(set(drawn)) < len(drawn):
        raise Refused(Reason.NAMED_TWICE, "an entry is in the draw twice", session.clause)
    by_points: dict[int, list[int]] = {}
    for entry in sorted(points):
        by_points.setdefault(points[entry], []).append(entry)
    needed: set[int] = set()
    groups: list[tuple[int, ...]] = []
    order: list[int] = []
    for _, level in sorted(by_points.items(), reverse=True):
        cut = len(order) < session.advance < len(order) + len(level)
        draws = len(level) > 1 and (cut or session.ties is Ties.DRAWN)
        in_order = [entry for entry in drawn if entry in level] if draws else level
        if draws:
            needed |= set(level)
            if len(in_order) < len(level):
                raise Refused(
                    Reason.NOT_DECIDED,
                    f"entries {', '.join(map(str, level))} have the same points: a draw of cards decides",
                    session.clause,
                )
        groups += [(entry,) for entry in in_order] if session.ties is Ties.DRAWN else [tuple(level)]
        order += in_order
    strangers = sorted(set(drawn) - needed)
    if strangers:
        raise Refused(Reason.UNKNOWN_ENTRY, f"{', '.join(map(str, strangers))} need no draw", session.clause)
    through, rest = order[: session.advance], order[session.advance :]
    return SessionResult(tuple(groups), tuple(through), tuple(rest) if session.repechage else ())


def cannot_wager(stacks: Mapping[int, int], least: int) -> tuple[int, ...]:
    """The entries that cannot wager the table's minimum before a round: they are out (UTH 16.15)."""
    return tuple(sorted(entry for entry, chips in stacks.items() if chips < least))


@dataclass(frozen=True, slots=True)
class Count:
    """A stack as one person counted it."""

    by: str
    chips: int


@dataclass(frozen=True, slots=True)
class Bag:
    """A stack that is sealed over night. `table` and `seat`: where its player sat."""

    entry: int
    table: str
    seat: int
    chips: int
    by: tuple[str, str]


def bag(entry: int, table: str, seat: int, first: Count, second: Count, clause: str | None = None) -> Bag:
    """Seal a stack that two people have counted. Refuses one person twice, counts that differ, and an empty bag."""
    if first.by.strip().casefold() == second.by.strip().casefold():
        raise Refused(Reason.ONE_PERSON, f"{first.by} counted twice: another person counts the stack too", clause)
    if first.chips != second.chips:
        raise Refused(
            Reason.COUNTS_DIFFER,
            f"entry {entry}: {first.by} counted {first.chips}, {second.by} {second.chips}: count again",
            clause,
        )
    if first.chips < 1:
        raise Refused(Reason.DOES_NOT_ADD_UP, f"entry {entry}: {first.chips} chips: who has none is out", clause)
    return Bag(entry, table, seat, first.chips, (first.by, second.by))


@dataclass(frozen=True, slots=True)
class Night:
    """A suspended tournament: every stack in its bag."""

    bags: Mapping[int, Bag]
    rules: SuspensionRules

    @property
    def seats(self) -> Mapping[int, tuple[str, int]] | None:
        """The table and seat that each entry returns to; None where they draw anew."""
        if not self.rules.same_seat:
            return None
        return {entry: (one.table, one.seat) for entry, one in self.bags.items()}


def suspend(
    rules: SuspensionRules | None, playing: Mapping[int, tuple[str, int]], bags: Sequence[Bag], in_play: int
) -> Night:
    """Suspend the tournament over night.

    `playing`: table and seat of each entry that is in. `in_play`: chips as the ledger has them. Refuses a book
    that has no suspension, and what `require_bagged` refuses.
    """
    if rules is None:
        raise Refused(
            Reason.NOT_IN_THE_BOOK, "this book does not say how a tournament is suspended: the director decides"
        )
    return Night(require_bagged(rules.clause, playing, bags, in_play), rules)


def require_bagged(
    clause: str, playing: Mapping[int, tuple[str, int]], bags: Sequence[Bag], in_play: int | None
) -> Mapping[int, Bag]:
    """The bag of each entry that plays. `in_play`: chips as the ledger has them; None where the house has some.

    Refuses a bag of somebody else, twice or for another seat, one that is missing, and bags that are not the chips in
    play.
    """
    by_entry: dict[int, Bag] = {}
    for one in bags:
        if one.entry in by_entry:
            raise Refused(Reason.NAMED_TWICE, f"entry {one.entry} has two bags", clause)
        if playing.get(one.entry) != (one.table, one.seat):
            raise Refused(
                Reason.UNKNOWN_ENTRY, f"entry {one.entry} does not sit at {one.table}, seat {one.seat}", clause
            )
        by_entry[one.entry] = one
    missing = sorted(set(playing) - set(by_entry))
    if missing:
        raise Refused(Reason.WRONG_STATE, f"no bag yet of entries {', '.join(map(str, missing))}: count them", clause)
    bagged = sum(one.chips for one in bags)
    if in_play is not None and bagged != in_play:
        words = f"the bags have {bagged} chips, and {in_play} are in play: count again"
        raise Refused(Reason.DOES_NOT_ADD_UP, words, clause)
    return by_entry

"""Hand for hand: one hand is released to all tables, and the next one when all have finished.

The Star 7.19 and 7.30; Onyx, Hand for Hand 1, 3, 5 and 6.

Hands are numbered from 1 within one spell of hand for hand. A table that cannot be reached holds the release until the
director rules on it by name; what it tells later joins the hand of the same number.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

from floor_fsm.core.output import Output
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.matters import HandForHandRules, Pace, TurnedBy


class Why(StrEnum):
    """Why play goes hand for hand (The Star 7.19 and 5)."""

    BUBBLE = "bubble"
    FINAL_TABLE = "final_table"
    NEXT_PRIZE = "next_prize"


class At(StrEnum):
    """How far a table is with the hand that was released."""

    PLAYS = "plays"
    FROZEN = "frozen"
    """An all-in was called and nobody can act: the cards stay down."""
    TURNS = "turns"
    """The cards of its all-in may be turned."""
    DONE = "done"
    """It has told the end of the hand, or had none to play."""


@dataclass(frozen=True, slots=True)
class TableStand:
    """A table in hand for hand.

    `hand`: the last hand that was given to it, or that it has played alone. `owes`: earlier hands whose report is
    missing. `excused`: the director has ruled that this hand goes on without it. `said`: hands since the last one that
    it was given whose end a person has told for it: its own report of them may still come.
    """

    at: At = At.DONE
    hand: int = 0
    away: bool = False
    excused: bool = False
    owes: frozenset[int] = frozenset()
    said: frozenset[int] = frozenset()

    @property
    def untold(self) -> frozenset[int]:
        """Hands, in their order, that its next reports may be of, once it has no hand to finish."""
        return self.owes | self.said


@dataclass(frozen=True, slots=True)
class Release(Output):
    """This hand may begin at these tables; it costs the tournament's clock so many seconds of play."""

    kind: ClassVar[str] = "release"
    hand: int
    tables: tuple[str, ...]
    seconds: int


@dataclass(frozen=True, slots=True)
class Turn(Output):
    """The all-in hands at these tables may be turned up."""

    kind: ClassVar[str] = "turn"
    hand: int
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finished(Output):
    """The hand is over at every table. `missing`: tables that went without: their report may still come."""

    kind: ClassVar[str] = "hand_finished"
    hand: int
    missing: tuple[str, ...]


Told = tuple[Release | Turn | Finished, ...]


@dataclass(frozen=True, slots=True)
class HandForHand:
    """A spell of hand for hand. Each method returns the new state and what the tables are told."""

    rules: HandForHandRules
    why: Why
    tables: Mapping[str, TableStand]
    hand: int = 0

    @property
    def waits_for(self) -> tuple[str, ...]:
        """The tables that hold the next step, by name."""
        return tuple(
            name for name, table in sorted(self.tables.items()) if table.at is not At.DONE and not table.excused
        )

    def awaited(self, hand: int) -> tuple[str, ...]:
        """The tables that have not told the end of this hand, and were given it."""
        return tuple(
            name
            for name, one in sorted(self.tables.items())
            if hand in one.owes or (one.hand == hand and one.at is not At.DONE)
        )

    def release(self, short: Collection[str] = ()) -> tuple["HandForHand", Told]:
        """Release the next hand to all tables that can be reached.

        A table that has played on alone has had that hand and begins the one after it. `short`: tables without two
        players, which have no hand to play. Refuses while a table has not finished, by name.
        """
        if self.waits_for:
            raise Refused(
                Reason.TABLES_PLAY,
                f"hand {self.hand} is not over at {', '.join(self._said(name) for name in self.waits_for)}: "
                "wait, or rule on a table that is away",
                self.rules.clause,
            )
        hand = self.hand + 1
        due = [name for name, one in sorted(self.tables.items()) if not one.away and one.hand < hand]
        given = [name for name in due if name not in short]
        if not given:
            words = "no table with two players can be reached: nobody would hear it"
            raise Refused(Reason.WRONG_STATE, words, self.rules.clause)
        tables = {name: replace(one, excused=False) for name, one in self.tables.items()}
        tables |= {name: replace(self.tables[name], at=At.PLAYS, hand=hand, excused=False, said=frozenset())
                   for name in given}  # fmt: skip
        tables |= {name: replace(self.tables[name], hand=hand, excused=False) for name in due if name in short}
        seconds = self.rules.hand_seconds if self.rules.pace is Pace.CHARGED else 0
        return self._now(tables, hand), (Release(hand, tuple(given), seconds),)

    def froze(self, table: str, hand: int) -> tuple["HandForHand", Told]:
        """A table tells that an all-in was called and nobody can act: its cards stay down."""
        stand = self._playing(table, hand)
        if stand.at is not At.PLAYS:
            raise Refused(Reason.NAMED_TWICE, f"table {table} has told of its all-in already", self.rules.frozen_clause)
        return self._step({**self.tables, table: replace(stand, at=At.FROZEN)})

    def turn(self) -> tuple["HandForHand", Told]:
        """The director lets the all-in hands be turned. Refuses while a table plays, or where nobody waits for it."""
        frozen = [name for name, one in sorted(self.tables.items()) if one.at is At.FROZEN]
        if not frozen:
            raise Refused(Reason.WRONG_STATE, "no table waits with an all-in", self.rules.frozen_clause)
        playing = [name for name in self.waits_for if self.tables[name].at is At.PLAYS]
        if playing:
            raise Refused(
                Reason.TABLES_PLAY,
                f"{', '.join(self._said(name) for name in playing)}: the hand is not finished there, cards stay down",
                self.rules.frozen_clause,
            )
        return self._turned(self.tables, frozen)

    def over(self, table: str, hand: int, *, for_it: bool = False) -> tuple["HandForHand", Told]:
        """A table tells the end of a hand; `for_it`: a person does, in its place.

        The hand that it was given, one whose report is missing, one that a person has told for it, or, of a table that
        is away, the next one that it played alone. Refuses another hand, and the end of one whose cards must stay down.
        """
        stand = self._known(table)
        said = stand.said | {hand} if for_it else stand.said
        if hand in stand.owes:
            return self._now({**self.tables, table: replace(stand, owes=stand.owes - {hand}, said=said)}), ()
        if hand in stand.said and not for_it:
            return self._now({**self.tables, table: replace(stand, said=stand.said - {hand})}), ()
        if stand.away and stand.at is At.DONE and hand == stand.hand + 1:
            return self._now({**self.tables, table: replace(stand, hand=hand, said=said)}), ()
        stand = self._playing(table, hand)
        if stand.at is At.FROZEN:
            raise Refused(
                Reason.TABLES_PLAY,
                f"table {table} tells the end of hand {hand}, and its all-in was not to be turned yet: "
                "the director looks at it",
                self.rules.frozen_clause,
            )
        return self._step({**self.tables, table: replace(stand, at=At.DONE, said=said)})

    def away(self, table: str) -> "HandForHand":
        """A table cannot be reached. It holds the release until it is back or the director rules on it."""
        return self._now({**self.tables, table: replace(self._known(table), away=True)})

    def back(self, table: str) -> "HandForHand":
        """A table can be reached again. What it owes it tells by `over`; the next release is its next hand."""
        stand = self._known(table)
        if not stand.away:
            raise Refused(Reason.WRONG_STATE, f"table {table} was not away")
        return self._now({**self.tables, table: replace(stand, away=False)})

    def excuse(self, table: str) -> tuple["HandForHand", Told]:
        """The director rules that this hand goes on without a table that is away.

        Its report is awaited, and the hand's places are provisional until it comes. Refuses a table that is not away,
        or that holds nothing.
        """
        stand = self._known(table)
        if not stand.away:
            raise Refused(Reason.WRONG_STATE, f"table {table} is not away: wait for it", self.rules.clause)
        if stand.at is At.DONE:
            raise Refused(Reason.WRONG_STATE, f"table {table} has finished hand {stand.hand}: it holds nothing")
        freed = replace(stand, at=At.DONE, excused=True, owes=stand.owes | {stand.hand})
        return self._step({**self.tables, table: freed})

    def owing(self, table: str, hands: frozenset[int]) -> "HandForHand":
        """The same where a table owes the reports of these hands alone."""
        return self._now({**self.tables, table: replace(self._known(table), owes=hands)})

    def closed(self, table: str) -> tuple["HandForHand", Told]:
        """A table was broken between hands. Refuses one that plays, or whose report of a hand is missing."""
        stand = self._known(table)
        if stand.at is not At.DONE or stand.owes:
            raise Refused(Reason.TABLES_PLAY, f"table {table} has a hand to finish or to tell", self.rules.clause)
        return self._now({name: one for name, one in self.tables.items() if name != table}), ()

    def _step(self, tables: Mapping[str, TableStand]) -> tuple["HandForHand", Told]:
        """What follows once a table has moved on: all-ins are turned, or the hand is over everywhere."""
        new = self._now(tables)
        at = {tables[name].at for name in new.waits_for}
        if not at:
            missing = tuple(name for name, one in sorted(tables.items()) if self.hand in one.owes)
            return new, (Finished(self.hand, missing),)
        if at == {At.FROZEN} and self.rules.turned_by is TurnedBy.LAST_TABLE:
            return self._turned(tables, list(new.waits_for))
        return new, ()

    def _turned(self, tables: Mapping[str, TableStand], frozen: Collection[str]) -> tuple["HandForHand", Told]:
        turned = {name: replace(tables[name], at=At.TURNS) for name in frozen}
        return self._now({**tables, **turned}), (Turn(self.hand, tuple(frozen)),)

    def _playing(self, table: str, hand: int) -> TableStand:
        stand = self._known(table)
        if stand.at is At.DONE or hand != stand.hand:
            plays = "none" if stand.at is At.DONE else f"hand {stand.hand}"
            raise Refused(
                Reason.WRONG_HAND,
                f"table {table} tells of hand {hand}; it has {plays} to tell of: look which hand it plays",
                self.rules.clause,
            )
        return stand

    def _known(self, table: str) -> TableStand:
        if table not in self.tables:
            raise Refused(Reason.UNKNOWN_TABLE, f"table {table} is not in hand for hand")
        return self.tables[table]

    def _said(self, name: str) -> str:
        return f"table {name} (away)" if self.tables[name].away else f"table {name}"

    def _now(self, tables: Mapping[str, TableStand], hand: int | None = None) -> "HandForHand":
        return replace(self, tables=dict(tables), hand=self.hand if hand is None else hand)


def begin(rules: HandForHandRules | None, why: Why, tables: Collection[str]) -> HandForHand:
    """Begin hand for hand between hands of all these tables.

    Refuses where the book has none, and for fewer than two tables (The Star 7.19: "when multiple tables are in play").
    """
    if rules is None:
        raise Refused(Reason.NOT_IN_THE_BOOK, "this book has no hand for hand")
    if len(tables) < 2:
        raise Refused(Reason.WRONG_STATE, f"{len(tables)} table: hand for hand is between tables", rules.clause)
    return HandForHand(rules, why, {name: TableStand() for name in sorted(tables)})

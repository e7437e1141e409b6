"""What goes with a player from table to table: penalties, time banks, absence; and what becomes of who must leave.

The Star 6.9, 6.13 to 6.17, 7.12, 7.15.2, 7.17, 7.39 and 7.46(e) and (f); Onyx, Penalties 3 and 4; ACT 2001, 18.3; UTH
12.3 and 15.3; TAS 2018, C 20.12 and 20.19.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from floor_fsm.errors import Reason, Refused
from floor_fsm.law.matters import Leaves, LeavingRow, PenaltyRules, RoundOf, Said
from floor_fsm.law.model import NoShows
from table_fsm.structures.levels import level_numbered
from table_fsm.structures.structure import Structure


class Penalty(StrEnum):
    """A penalty short of disqualification."""

    WARNING = "warning"
    HANDS = "hands"
    """Away for so many hands; dealt in, blinds posted, the hand mucked (The Star 7.39)."""
    ROUNDS = "rounds"
    """Away for so many orbits (The Star) or rounds of the button (Onyx)."""


@dataclass(frozen=True, slots=True)
class Handover:
    """A player's last move: what was left of penalties at second `at`, as the old table has counted since.

    `order`: by which the new table takes over; `before`: by which the old one had. `imposed`: as `Conduct` has it.
    """

    order: int
    before: int
    at: float
    hands_left: int
    rounds_left: int
    imposed: int

    def left(self, *, in_rounds: bool) -> int:
        """What was left, in rounds of the button or in hands."""
        return self.rounds_left if in_rounds else self.hands_left


@dataclass(frozen=True, slots=True)
class Conduct:
    """What a player carries from table to table.

    `hands_left`, `rounds_left`: of penalties. `time_banks`: of an action clock. `absent`: whether they are away from
    their seat.

    `imposed`: all hands or rounds that were ever imposed for the tournament, less what was taken off. `orders`: how
    often there was something for a table to take over: a decision at a desk, or a move. `banks_order`, `absent_order`:
    the last of these that spoke of time banks, and of absence. `handed`: None where nothing was there to take over.
    """

    warnings: int = 0
    hands_left: int = 0
    rounds_left: int = 0
    time_banks: int | None = None
    """None where nobody has told them."""
    absent: bool = False
    imposed: int = 0
    orders: int = 0
    banks_order: int = 0
    absent_order: int = 0
    handed: Handover | None = None

    def left(self, *, in_rounds: bool) -> int:
        """What is left of penalties, in rounds of the button or in hands."""
        return self.rounds_left if in_rounds else self.hands_left

    @property
    def away(self) -> bool:
        """Whether a penalty keeps the player from the table."""
        return self.hands_left > 0 or self.rounds_left > 0

    def penalised(self, rules: PenaltyRules | None, penalty: Penalty, number: int, players: int) -> "Conduct":
        """The conduct with one more penalty, imposed at a table of so many `players`.

        Refuses a book without penalties, a kind or a number that it does not have, and a second warning where that is
        a round.
        """
        if rules is None:
            raise Refused(Reason.NOT_IN_THE_BOOK, "this book has no penalties short of leaving: the director decides")
        most = {Penalty.WARNING: 1, Penalty.HANDS: rules.most_hands, Penalty.ROUNDS: rules.most_rounds}[penalty]
        if number < 1 or (most is not None and number > most):
            raise Refused(
                Reason.NOT_ALLOWED,
                f"{number} of {penalty.value} in one penalty: at least 1, at most {most}",
                rules.clause,
            )
        if penalty is Penalty.WARNING:
            if self.warnings and not rules.second_warning:
                raise Refused(Reason.NOT_ALLOWED, "a repeated warning is a round away, or the end", rules.clause)
            return replace(self, warnings=self.warnings + 1)
        if penalty is Penalty.ROUNDS and rules.round_of is RoundOf.BUTTON:
            return self._more(number, in_rounds=True)
        hands = number if penalty is Penalty.HANDS else number * players
        return self._more(hands, in_rounds=False)

    def _more(self, number: int, *, in_rounds: bool) -> "Conduct":
        """So many more imposed, or taken off, by a person: the player's table takes it over."""
        now = self._with_left(max(0, self.left(in_rounds=in_rounds) + number), in_rounds=in_rounds)
        return replace(now, orders=self.orders + 1, imposed=self.imposed + number)

    def told(self, *, left: int, in_rounds: bool) -> "Conduct":
        """The conduct as a table tells the rest of a penalty. Refuses more than there was: a penalty only shrinks."""
        known = self.left(in_rounds=in_rounds)
        if not 0 <= left <= known:
            raise Refused(
                Reason.DOES_NOT_ADD_UP, f"{left} left of a penalty of which {known} were: impose another instead"
            )
        return self._with_left(left, in_rounds=in_rounds)

    def shortened(self, *, left: int, in_rounds: bool) -> "Conduct":
        """The conduct as a person says how much is left: what was taken off is taken off at the table too."""
        self.told(left=left, in_rounds=in_rounds)
        return self._more(left - self.left(in_rounds=in_rounds), in_rounds=in_rounds)

    def counted(self, *, left: int, imposed: int, in_rounds: bool, order: int | None = None) -> "Conduct":
        """The conduct as a table counts it, which had been told of so much `imposed`. What came since is added.

        The table is right, where it knows of a penalty that nobody told here: it was imposed there. `order`: the last
        that the table had. Where that was before the last move the player's old table speaks: the new one counts
        from what it was told, so what the old one has counted since is told to it as added, or taken off.
        """
        handed = self.handed
        if order is None or handed is None or order >= handed.order:
            return self._with_left(max(0, left + self.imposed - imposed), in_rounds=in_rounds)
        if order < handed.before:
            return self
        then = left + handed.imposed - imposed
        more = then - handed.left(in_rounds=in_rounds)
        if not more:
            return self
        known = replace(handed, rounds_left=then) if in_rounds else replace(handed, hands_left=then)
        return replace(self._more(more, in_rounds=in_rounds), handed=known)

    def _with_left(self, left: int, *, in_rounds: bool) -> "Conduct":
        return replace(self, rounds_left=left) if in_rounds else replace(self, hands_left=left)

    def with_time_banks(self, number: int) -> "Conduct":
        """The conduct with so many time banks as a table tells. Refuses less than none."""
        if number < 0:
            raise Refused(Reason.DOES_NOT_ADD_UP, f"{number} time banks: 0 or more")
        return replace(self, time_banks=number)

    def decided(self, *, banks: bool = False, absence: bool = False) -> "Conduct":
        """The conduct as a person at a desk has said it: the player's table takes it over."""
        order = self.orders + 1
        return replace(
            self,
            orders=order,
            banks_order=order if banks else self.banks_order,
            absent_order=order if absence else self.absent_order,
        )

    @property
    def is_anything(self) -> bool:
        """Whether there is something to take along."""
        return self.away or self.time_banks is not None or self.absent

    def seated(self, t: float) -> "Conduct":
        """The conduct at another seat since second `t`, whose table takes over all that there is, or was."""
        if not (self.is_anything or self.orders):
            return self
        now = self.decided(banks=self.time_banks is not None, absence=self.absent)
        before = 0 if self.handed is None else self.handed.order
        return replace(now, handed=Handover(now.orders, before, t, self.hands_left, self.rounds_left, self.imposed))


@dataclass(frozen=True, slots=True)
class Leaving:
    """What becomes of a player who leaves. `in_pool`: whether the entry fee stays in the pool."""

    refund: bool
    prize: bool
    barred: bool
    in_pool: bool
    clause: str


def leaving(
    rows: Sequence[LeavingRow], why: Leaves, *, refund: bool | None = None, prize: bool | None = None
) -> Leaving:
    """What becomes of a player who must leave for this.

    `refund`, `prize`: what the director says. Refuses a reason that the book does not have, a word where the text has
    spoken otherwise, and, as not decided, none where the director is to say.
    """
    row = next((one for one in rows if one.why is why), None)
    if row is None:
        raise Refused(Reason.NOT_IN_THE_BOOK, f"the book has no row for {why.value}")
    back = _said(row, "refund", row.refund, refund)
    paid = _said(row, "prize", row.prize, prize)
    return Leaving(back, paid, row.barred, not back, row.clause)


def _said(row: LeavingRow, name: str, text: Said, director: bool | None) -> bool:
    if text is Said.DIRECTOR:
        if director is None:
            raise Refused(
                Reason.NOT_DECIDED, f"{row.why.value}: the director says whether there is a {name}", row.clause
            )
        return director
    if director is not None and director is not (text is Said.YES):
        raise Refused(Reason.NOT_ALLOWED, f"{row.why.value}: {name}: {text.value}, says the book", row.clause)
    return text is Said.YES


def provisionally_out(rules: NoShows | None, level: int) -> None:
    """Allow the director to take out who has not come, while `level` is played. That nobody came is theirs to see.

    Refuses a book without such a row, and a level that is not over yet.
    """
    if rules is None or rules.until_level is None:
        raise Refused(Reason.NOT_IN_THE_BOOK, "this book takes nobody out for not coming: blinds are posted on")
    if level <= rules.until_level:
        raise Refused(Reason.WRONG_STATE, f"level {rules.until_level} is not over", rules.clause)


@dataclass(frozen=True, slots=True)
class Missed:
    """What a seat missed at one level: its big blinds (whole orbits), and all its hands."""

    level: int
    orbits: int
    hands: int


def stake_back(structure: Structure, stake: int, missed: Sequence[Missed]) -> int:
    """What comes back into play for one who arrives late after all: the stake less blinds and antes missed.

    The Star 7.12. 0 where they are more than the stake: such a player is out (ours). Refuses numbers below 0.
    """
    due = 0
    for one in missed:
        if min(one.orbits, one.hands, one.level - 1) < 0:
            raise Refused(
                Reason.DOES_NOT_ADD_UP, f"level {one.level}: {one.orbits} orbits of {one.hands} hands: 0 or more"
            )
        level = level_numbered(structure, one.level)
        antes = one.orbits if level.big_blind_ante else one.hands
        due += one.orbits * sum(level.blinds) + antes * (level.ante or 0)
    return max(0, stake - due)

"""Illegal actions, each tried at a copy of feltd's table: whether the book's text makes a ruling of it.

What is illegal is pokerkit's opinion, brought to the text as in `theirs`; which irregularity it is, and whether the
text has any, stands here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

from tests.second_opinion.hands import Action, Hand, Options, stay
from tests.second_opinion.ours import Ours
from tests.second_opinion.theirs import Barred, Theirs

SHARE: Final = 0.04
"""Of all turns, at which illegal actions are tried."""
_BARRED: Final = {
    Barred.NOT_REOPENED: "action_illegal",
    Barred.CAP: "raise_limit",
    Barred.NOBODY: None,  # no text is against it: what nobody calls goes back
}


@dataclass(frozen=True, slots=True)
class Probe:
    """Actions in order, the first or the last of them illegal, and the irregularity that the text makes of it."""

    what: str
    actions: tuple[tuple[int, Action], ...]
    """Seats and what they do."""
    irregularity: str | None
    """None where the text has nothing against it."""

    def outcome(self, ours: Ours) -> list[str]:
        """The irregularities that feltd ruled on, and what it refused, on a copy of its table."""
        copy = ours.fork()
        for seat, action in self.actions:
            copy.act(seat, action)
        return [
            one["ruling"]["irregularity"] if "ruling" in one else "refused" for one in copy.told if "alarm" not in one
        ]

    @property
    def expected(self) -> list[str]:
        """What feltd should rule on."""
        return [] if self.irregularity is None else [self.irregularity]


def due(hand: Hand, may: Options, theirs: Theirs, chance: Random) -> list[Probe]:
    """The illegal actions to be tried at this turn: mostly none."""
    if chance.random() >= SHARE:
        return []
    return [*_of_turn(hand, may, theirs), *_out_of_turn(hand, may, theirs)]


def _of_turn(hand: Hand, may: Options, theirs: Theirs) -> Iterator[Probe]:
    """What the player to act may not do."""
    seat = hand.seats[may.player]

    def probe(what: str, action: Action, irregularity: str | None) -> Probe:
        return Probe(what, ((seat, action),), irregularity)

    if may.owed or not may.check:
        yield probe("a check that is not open", Action("check"), "action_illegal")
    if 1 < may.owed < may.stack:
        yield probe("a call that is too small", Action("call", may.owed - 1), "bet_short")
    word = "raise" if may.bet_made else "bet"
    if may.raises is None:
        barred = theirs.barred(may)
        cents = may.owed + theirs.full_raise(may.owed)
        if barred is not None and cents < may.stack:
            yield probe(barred.value, Action(word, cents), _BARRED[barred])
        return
    least, most = may.raises
    if may.owed < least - 1 and least < may.stack:
        short = "bet_between" if may.bet_made else "bet_short"
        yield probe("a bet or raise that is too small", Action(word, least - 1), short)
    if most + 1 < may.stack:
        yield probe("a bet or raise that is too large", Action(word, most + 1), "bet_over_limit")
        yield probe("all in above the limit", Action("all_in", may.stack), "bet_over_limit")


def _out_of_turn(hand: Hand, may: Options, theirs: Theirs) -> Iterator[Probe]:
    """The next player acts first; it is ruled on when their turn comes, after the one whose turn it was."""
    after = theirs.next_player()
    first = stay(may)
    if after is None or first.word == "fold" or not may.check:
        return
    player, owed, stack = after
    early = Action("call", owed) if owed else Action("check")
    if owed < stack:
        both = (hand.seats[player], early), (hand.seats[may.player], first)
        yield Probe("an action out of turn", both, "action_out_of_turn")

"""The simulated players of a player-banked game: plausible, legal, and not good at it."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from devices.simulated.people.betting_round import BettingRound, least_bet, most_in
from devices.simulated.people.game import Wagering
from table_fsm.felt import PlayerAction

HIGH: Final = "TJQKA"
ORDER: Final = "23456789TJQKA"
STACKS: Final = (12, 30, 60, 100)
"""Chips that a player buys, in blinds or antes."""
_SHORT: Final = 10
"""A player with fewer blinds than this buys chips."""


@dataclass(frozen=True, slots=True)
class Act:
    """A player's action and what they put in with it, in cents; None where the key says no amount."""

    action: PlayerAction
    cents: int | None = None


FOLD: Final = Act(PlayerAction.FOLD)
CHECK: Final = Act(PlayerAction.CHECK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A player's turn.

    `owes`: cents. `may_check`: False where the book has the player bet or fold although nothing is owed. `last_street`:
    of the round.
    """

    owes: int
    cards: Sequence[str] = ()
    may_check: bool = True
    last_street: bool = False


@dataclass(slots=True)
class Pot:
    """The chips in the middle: by seat, in cents."""

    put_in: dict[int, int] = field(default_factory=dict)
    """What each player has put in this round."""
    blinds: dict[int, int] = field(default_factory=dict)
    """The part of it that was posted as blinds."""
    antes: dict[int, int] = field(default_factory=dict)
    """The part of it that was posted as antes."""
    for_all: int | None = None
    """The seat whose ante was posted for everybody: it matches no other bet."""

    @property
    def dead(self) -> int:
        """The ante that was posted for everybody, in cents; 0 without one."""
        return self.antes.get(self.for_all, 0) if self.for_all is not None else 0


class PokerPlayers:
    """Players of a player-banked game, their chips and habits. Amounts in cents."""

    def __init__(
        self, seats: Sequence[int], chance: random.Random, *, unit: int, wagering: Wagering | None = None
    ) -> None:
        """`unit`: the last blind, or the ante; it follows what is posted."""
        self._chance = chance
        self._wagering = wagering or Wagering()
        self.unit = unit
        self.stacks = {seat: unit * chance.choice(STACKS) for seat in seats}
        self.pot = Pot()
        self.round = self._new_round()
        self.live: set[int] = set()
        """Seats with a hand."""

    def _new_round(self) -> BettingRound:
        return BettingRound(self.unit, raise_is_call=self._wagering.raise_is_call)

    # -- rounds

    def new_hand(self, *, posts_stand: bool = False) -> None:
        """A new deal: unsettled bets go back, except posted ones that stand; the short buy chips."""
        before, self.pot, self.live = self.pot, Pot(), set()
        for seat, cents in before.put_in.items():
            self.stacks[seat] += cents
        self.new_betting_round()
        if posts_stand:
            for seat, cents in before.blinds.items():
                self.post(seat, cents)
            for seat, cents in before.antes.items():
                self.ante(seat, cents, for_all=seat == before.for_all)
        for seat, stack in self.stacks.items():
            if stack < self.unit * _SHORT:
                self.stacks[seat] = self.unit * self._chance.choice(STACKS)

    def new_betting_round(self) -> None:
        """Close the betting round."""
        self.round = self._new_round()

    def settled(self) -> None:
        """The pots are pushed: no bet is on the table."""
        self.pot = Pot()

    def win(self, seats: Sequence[int], cents: int) -> None:
        """Push a pot."""
        for seat in seats:
            self.stacks[seat] = self.stacks.get(seat, 0) + cents // len(seats)

    # -- before the cards

    def post(self, seat: int, cents: int) -> None:
        """Post a blind; the player still acts. If it was posted already, the first one was returned."""
        if seat in self.pot.blinds:
            self._pay(seat, -self.pot.blinds[seat])
            self.round.bets.pop(seat, None)
        self._pay(seat, cents)
        self.pot.blinds[seat] = cents
        self.unit = self.round.smallest = max(self.pot.blinds.values())
        self.round.post(seat, cents)

    def ante(self, seat: int, cents: int, *, for_all: bool) -> None:
        """Post an ante, each player's own or one `for_all`.

        If it was posted already, the first one was returned.
        """
        self._pay(seat, cents - self.pot.antes.get(seat, 0))
        self.pot.antes[seat] = cents
        if for_all:
            self.pot.for_all = seat
        elif not self.pot.blinds and cents:
            self.unit = self.round.smallest = cents

    # -- betting

    def decide(self, seat: int, turn: Turn) -> Act:
        """The action of the player in turn."""
        strong, lot = strength(turn.cards), self._chance.random()
        stack, owes = self.stacks.get(seat, 0), turn.owes
        if owes and owes >= stack:
            return Act(PlayerAction.ALL_IN, stack) if lot < 0.25 + strong and stack else FOLD
        if owes and lot < 0.3 - strong / 2:
            return FOLD
        if not owes and not turn.may_check:
            return self._bet_or_fold(seat, turn, lot)
        if lot > 0.88 - strong / 4 and self.round.may_raise(seat):
            raised = self._raise(seat, turn)
            if raised is not None:
                return raised
        return Act(PlayerAction.CALL, owes) if owes else CHECK

    def _bet_or_fold(self, seat: int, turn: Turn, lot: float) -> Act:
        """Nothing is owed and checking is not allowed.

        If a blind as high as the player's is there, call.
        """
        if self.round.level:
            return Act(PlayerAction.CALL, 0)
        bet = self._raise(seat, turn) if lot > 0.2 or len(self.live) < 2 else None
        return bet or FOLD

    def _raise(self, seat: int, turn: Turn) -> Act | None:
        """A bet or raise within the limit; None if none is allowed."""
        stack, owes = self.stacks.get(seat, 0), turn.owes
        bet = least_bet(self._wagering, unit=self.unit, last_street=turn.last_street)
        step = max(bet, self.round.least_raise(owes))
        least = owes + step
        most = most_in(self._wagering, owes=owes, pot=self.total, unit=self.unit, last_street=turn.last_street)
        wanted = owes + step * self._chance.choice((1, 1, 2))
        if self._chance.random() < 0.05:
            wanted = stack
        cents = wanted if most is None else min(wanted, most)
        if cents >= stack:
            return Act(PlayerAction.ALL_IN, stack)
        if cents < least:
            return None
        return Act(PlayerAction.RAISE if self.round.level else PlayerAction.BET, cents)

    @property
    def total(self) -> int:
        """All chips in the middle, in cents."""
        return sum(self.pot.put_in.values())

    def bet_unkeyed(self) -> None:
        """A betting round that nobody keys: every player with a hand puts in the same."""
        most = min((self.stacks.get(seat, 0) for seat in self.live), default=0)
        cents = min(most, self.unit * self._chance.choice((0, 1, 1, 2, 4)))
        for seat in self.live:
            self._pay(seat, cents)

    def folds_unkeyed(self) -> list[int]:
        """The seats that fold in a betting round that nobody keys; at least two stay."""
        staying = sorted(self.live)
        folding = [seat for seat in staying if self._chance.random() < 0.12]
        return folding[: max(0, len(staying) - 2)]

    def take(self, seat: int, done: Act) -> None:
        """Note that the player has acted so."""
        if done.action is PlayerAction.FOLD:
            self.live.discard(seat)
            return
        if done.cents:
            self._pay(seat, done.cents)
            self.round.put(seat, done.cents)
        self.round.acted.add(seat)

    def _pay(self, seat: int, cents: int) -> None:
        self.stacks[seat] = max(0, self.stacks.get(seat, 0) - cents)
        self.pot.put_in[seat] = self.pot.put_in.get(seat, 0) + cents

    def thinks(self) -> float:
        """Return how long this player thinks, as a number from 0 to 1."""
        return self._chance.random()

    # -- the draw

    def replaced(self, cards: Sequence[str], *, most: int) -> list[str]:
        """The cards of a hand that a player replaces: unpaired ones, and sometimes any."""
        if self._chance.random() < 0.06:
            return list(cards)[:most]
        ranks = Counter(card[0] for card in cards)
        single = [card for card in cards if ranks[card[0]] == 1]
        if len(single) == len(cards):
            single = sorted(cards, key=lambda card: HIGH.find(card[0]))[: self._chance.choice((0, 3, 3, 4))]
        elif self._chance.random() < 0.1:
            single = []
        return single[:most]

    def given_up(self, cards: Sequence[str], count: int) -> list[str]:
        """Choose the cards of a hand that a player gives up: the lowest, sometimes any."""
        ordered = sorted(cards, key=lambda card: ORDER.index(card[0]))
        if self._chance.random() < 0.1:
            self._chance.shuffle(ordered)
        return ordered[:count]

    # -- pots

    def pots(self) -> list[int]:
        """Main pot and side pots in cents, by levels of contribution; an uncalled bet is returned."""
        left = {seat: cents for seat, cents in self._matched().items() if cents}
        pots: list[int] = []
        owners: list[frozenset[int]] = []
        while left:
            level = min(left.values())
            contenders = frozenset(seat for seat in left if seat in self.live)
            amount = level * len(left)
            if len(left) == 1 and contenders:
                self.stacks[next(iter(left))] += amount  # uncalled
            elif owners and (not contenders or contenders == owners[-1]):
                pots[-1] += amount
            else:
                pots.append(amount)
                owners.append(contenders)
            left = {seat: cents - level for seat, cents in left.items() if cents > level}
        if self.pot.dead:
            pots = [(pots or [0])[0] + self.pot.dead, *pots[1:]]
        return pots

    def _matched(self) -> dict[int, int]:
        """What each put in that others match: everything except an ante for all."""
        payer = self.pot.for_all
        if payer is None:
            return self.pot.put_in
        return {**self.pot.put_in, payer: self.pot.put_in[payer] - self.pot.dead}


def strength(cards: Sequence[str]) -> float:
    """The hand's strength, 0 to about 0.6: pairs and high cards count."""
    if len(cards) < 2:
        return 0.1
    pair = 0.35 if cards[0][0] == cards[1][0] else 0.0
    return pair + 0.12 * sum(card[0] in HIGH for card in cards[:2])

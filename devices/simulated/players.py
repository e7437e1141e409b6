"""The simulated players: what they wager, bet, check and fold. Plausible, legal, and no good at the game."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

RAISES_MAX = 3
"""Raises in a betting round: the most that every limit game allows."""
HIGH = "TJQKA"


@dataclass(frozen=True, slots=True)
class PlayerAction:
    """What a player does: the action's name and what they put in with it, in cents."""

    action: str
    cents: int | None


@dataclass(slots=True)
class BettingRound:
    """The bets of one betting round, in cents, as the players see them."""

    smallest: int
    """The smallest bet, which is the smallest first raise too."""
    bets: dict[int, int] = field(default_factory=dict)
    level: int = 0
    last_raise: int = 0
    raises: int = 0
    acted: set[int] = field(default_factory=set)
    """Those who have acted since the last full bet or raise: they may not raise a short all-in."""

    def put(self, seat: int, cents: int) -> None:
        """Chips go in."""
        self.bets[seat] = self.bets.get(seat, 0) + cents
        raised_by = self.bets[seat] - self.level
        if raised_by > 0:
            self.level = self.bets[seat]
        if raised_by >= self.least_raise:
            self.raises += self.last_raise > 0
            self.last_raise = raised_by
            self.acted.clear()

    @property
    def least_raise(self) -> int:
        """By how much a raise must lift the level, in cents."""
        return max(self.smallest, self.last_raise)

    def may_raise(self, seat: int) -> bool:
        """Whether this player may raise by the rules of every limit."""
        return self.raises < RAISES_MAX and seat not in self.acted


class HoldemPlayers:
    """Players of a player-banked game, their chips and their habits. Amounts in cents."""

    def __init__(self, seats: Sequence[int], chance: random.Random, *, big_blind: int, stack_blinds: int = 100) -> None:
        self._chance = chance
        self._full = big_blind * stack_blinds
        self._smallest = big_blind
        self.stacks = dict.fromkeys(seats, self._full)
        self.put_in: dict[int, int] = {}
        """This round's contributions, by seat."""
        self.posted: dict[int, int] = {}
        """Of those, the blinds and antes."""
        self.round = BettingRound(big_blind)
        self.live: set[int] = set()
        """Seats with a hand."""

    def new_hand(self, *, posts_stand: bool = False) -> None:
        """A new deal: bets that were not settled go back, all but the posted ones where those stand; the short buy
        chips."""
        for seat, cents in self.put_in.items():
            self.stacks[seat] += cents
        posted = self.posted if posts_stand else {}
        self.put_in, self.posted, self.live = {}, {}, set()
        self.new_betting_round()
        for seat, cents in posted.items():
            self.post(seat, cents)
        for seat, stack in self.stacks.items():
            if stack < self._smallest * 10:
                self.stacks[seat] = self._full

    def new_betting_round(self) -> None:
        """A betting round is closed."""
        self.round = BettingRound(self._smallest)

    def post(self, seat: int, cents: int) -> None:
        """A blind or an ante. It is no bet of the player's own: they still act."""
        self._pay(seat, cents)
        self.posted[seat] = self.posted.get(seat, 0) + cents
        self.round.bets[seat] = self.round.bets.get(seat, 0) + cents
        self.round.level = max(self.round.level, self.round.bets[seat])
        self.round.last_raise = max(self.round.last_raise, cents)

    def decide(self, seat: int, owes: int, cards: Sequence[str]) -> PlayerAction:
        """What the player in turn does, facing so many cents, holding these cards."""
        strong, lot = _strength(cards), self._chance.random()
        stack = self.stacks.get(seat, 0)
        if owes >= stack:
            return PlayerAction("all_in", stack) if lot < 0.25 + strong and stack else PlayerAction("fold", None)
        if owes and lot < 0.3 - strong / 2:
            return PlayerAction("fold", None)
        if lot > 0.88 - strong / 4 and self.round.may_raise(seat):
            return self._raise(seat, owes, stack)
        return PlayerAction("call", owes) if owes else PlayerAction("check", None)

    def _raise(self, seat: int, owes: int, stack: int) -> PlayerAction:
        cents = owes + self.round.least_raise * self._chance.choice((1, 1, 2))
        if cents >= stack:
            return PlayerAction("all_in", stack)
        return PlayerAction("raise" if self.round.level else "bet", cents)

    def bet_unkeyed(self) -> None:
        """A betting round that nobody keys: everybody with a hand puts in the same."""
        most = min((self.stacks.get(seat, 0) for seat in self.live), default=0)
        cents = min(most, self._smallest * self._chance.choice((0, 1, 1, 2, 4)))
        for seat in self.live:
            self._pay(seat, cents)

    def take(self, seat: int, done: PlayerAction) -> None:
        """The player has acted so."""
        if done.action == "fold":
            self.live.discard(seat)
            return
        if done.cents:
            self._pay(seat, done.cents)
            self.round.put(seat, done.cents)
        self.round.acted.add(seat)

    def _pay(self, seat: int, cents: int) -> None:
        self.stacks[seat] = max(0, self.stacks.get(seat, 0) - cents)
        self.put_in[seat] = self.put_in.get(seat, 0) + cents

    def pots(self) -> list[int]:
        """Main pot and side pots in cents, by levels of contribution; a bet nobody called goes back to its owner."""
        left = {seat: cents for seat, cents in self.put_in.items() if cents}
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
        return pots

    def settled(self) -> None:
        """The pots are pushed: no bet lies on the table."""
        self.put_in, self.posted = {}, {}

    def win(self, seats: Sequence[int], cents: int) -> None:
        """A pot is pushed."""
        for seat in seats:
            self.stacks[seat] = self.stacks.get(seat, 0) + cents // len(seats)


def _strength(cards: Sequence[str]) -> float:
    """0 to about 0.6: a pair and high cards please."""
    if len(cards) < 2:
        return 0.1
    pair = 0.35 if cards[0][0] == cards[1][0] else 0.0
    return pair + 0.12 * sum(card[0] in HIGH for card in cards[:2])


@dataclass(frozen=True, slots=True)
class Wagers:
    """One seat's wagers before a deal, in cents; trips may be 0."""

    ante: int
    trips: int


class HousePlayers:
    """Players of Ultimate Texas Hold'em. Amounts in cents."""

    def __init__(self, seats: Sequence[int], chance: random.Random, *, table_min: int) -> None:
        self._seats = tuple(seats)
        self._chance = chance
        self._least = table_min
        self.wagers: dict[int, Wagers] = {}
        self.played: set[int] = set()
        self.folded: set[int] = set()

    def new_round(self) -> None:
        """Settled and collected."""
        self.wagers, self.played, self.folded = {}, set(), set()

    def place_wagers(self) -> dict[int, Wagers]:
        """Who wagers what; at least one does."""
        takers = [seat for seat in self._seats if self._chance.random() < 0.9] or [self._chance.choice(self._seats)]
        for seat in takers:
            trips = self._least * self._chance.choice((0, 0, 1, 2))
            self.wagers[seat] = Wagers(self._least * self._chance.choice((1, 1, 2, 4)), trips)
        return self.wagers

    def decide(self, seat: int, street: str | None, cards: Sequence[str], board: Sequence[str]) -> PlayerAction:
        """Fold, check, or a play wager (`play` with its cents) on this street."""
        ante = self.wagers[seat].ante if seat in self.wagers else self._least
        lot = self._chance.random()
        if street == "pre_flop":
            if lot < _strength(cards):
                return PlayerAction("play", ante * (4 if lot < 0.9 * _strength(cards) else 3))
            return PlayerAction("fold" if lot > 0.98 else "check", None)
        paired = len({card[0] for card in (*cards, *board)}) < len(cards) + len(board)
        if street == "flop":
            if paired and lot < 0.8:
                return PlayerAction("play", ante * 2)
            return PlayerAction("fold" if lot > 0.97 else "check", None)
        return PlayerAction("play", ante) if paired or lot < 0.3 else PlayerAction("fold", None)

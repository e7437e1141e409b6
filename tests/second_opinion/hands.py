"""Random hands: who sits where with how many chips, what is staked, the order of the pack, and what a player does."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from table_fsm.felt import RANKS, SUITS
from tests.second_opinion.games import Game, LeastBet, Opener

BLINDS: Final = (100, 200, 250, 500)
PACK: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand before its first action. Amounts in cents; players are numbered from 0 in the order of the deal."""

    game: Game = field(repr=False)
    seed: int
    seats: tuple[int, ...]
    """In the order of the deal."""
    marker: int
    """The seat of the button or the buck."""
    stacks: tuple[int, ...]
    blinds: tuple[int, ...]
    """As due, from the player who posts first on. Empty in a game on antes."""
    ante: int
    """Of each player, or of the big blind for all; 0 without."""
    table_min: int | None
    options: Mapping[str, Any]
    pack: tuple[str, ...] = field(repr=False)

    @property
    def poster_order(self) -> list[int]:
        """Players in the order in which they post: of two, the one with the button first, where the book says so."""
        order = list(range(len(self.seats)))
        return order[::-1] if len(order) == 2 and self.game.button_small_blind else order

    @property
    def big_blind(self) -> int | None:
        """The player who has the last blind; None in a game on antes."""
        return self.poster_order[len(self.blinds) - 1] if self.blinds else None

    @property
    def big_blind_ante(self) -> bool:
        """Whether the ante is the big blind's for all."""
        return self.game.big_blind_ante and bool(self.blinds)

    @property
    def ante_due(self) -> int:
        """The ante with regard to Onyx, Blinds 3: the small blind's amount at a small final table, none between two."""
        if self.game.book != "onyx-tournament" or not self.ante:
            return self.ante
        if len(self.seats) == 2:
            return 0
        return self.blinds[0] if self.options.get("final_table") and len(self.seats) <= 6 else self.ante

    @property
    def posts_short(self) -> bool:
        """Whether a player has not enough for their blind and ante."""
        due = dict.fromkeys(range(len(self.seats)), 0 if self.big_blind_ante else self.ante)
        for player, cents in zip(self.poster_order, self.blinds, strict=False):
            due[player] += cents
        return any(self.stacks[player] < cents for player, cents in due.items())

    @property
    def bet(self) -> int:
        """The last blind, or the ante where there is none."""
        return max(self.blinds) if self.blinds else self.ante

    def least_bet(self, street: int) -> int:
        """The least opening bet of a street; 1 where the text names none."""
        match self.game.least:
            case LeastBet.ANY:
                return 1
            case LeastBet.ANTE:
                return self.ante
            case LeastBet.BLIND:
                return self.bet if self.game.betting == ("manila",) else self.table_min or self.bet
            case LeastBet.DOUBLED_LAST:
                return self.bet * (2 if street + 1 == len(self.game.streets) else 1)

    def least_raise(self, street: int) -> int:
        """The least raise of a street before there has been any: on the first the last blind, else the least bet."""
        if street == 0 and self.blinds:
            return self.bet
        if self.options["betting"] == "structured":  # TAS C 5.2(d): as ACT I 3.2, twice the blind on the last street
            return self.bet * (2 if street + 1 == len(self.game.streets) else 1)
        return self.least_bet(street)

    def opener(self, street: int) -> Opener:
        """Who opens a street."""
        opener = self.game.streets[street].opener
        if opener is Opener.LOW_OR_HIGH_CARD:
            return Opener.LOW_CARD if self.options["opener"] == "low" else Opener.HIGH_CARD
        return opener


def draw_hand(game: Game, seed: int) -> Hand:
    """A hand of this book, always the same for the same seed."""
    chance = Random(f"{game.book} {seed}")
    count = chance.randint(*game.players)
    taken = sorted(chance.sample(range(1, game.seats + 1), count))
    first = chance.randrange(count)
    seats = tuple(taken[first:] + taken[:first])
    kind = chance.choice(game.stakes)
    big = chance.choice(BLINDS)
    betting = chance.choice(game.betting)
    blinds = _blinds(chance, game, big, count) if "blinds" in kind else ()
    ante = 0
    if "ante" in kind:
        ante = big if game.big_blind_ante or not blinds else chance.choice([big // 10, big // 4, big // 2])
    options: dict[str, Any] = {name: chance.choice(values) for name, values in game.options.items()}
    if game.book == "onyx-tournament":
        options["final_table"] = chance.random() < 0.3
    options["betting"] = betting
    least = _sign(chance, game, big, bool(blinds))
    if betting == "limit":
        options["table_max"] = big * chance.choice([1, 2])
    if least is not None:
        options["table_min"] = least
    if blinds:
        options["blinds"] = list(blinds)
    if ante and game.book != "tas-2018-stud5":
        options["ante"] = ante
    return Hand(
        game,
        seed,
        seats,
        seats[0] if game.buck else seats[-1],
        _stacks(chance, big, count, 0 if game.big_blind_ante else ante),
        blinds,
        ante,
        least,
        options,
        tuple(chance.sample(PACK, len(PACK))),
    )


def _blinds(chance: Random, game: Game, big: int, count: int) -> tuple[int, ...]:
    """One to three blinds; sometimes all of them are the same, as in ACT B 3.4."""
    number = min(chance.randint(*game.blinds), count)
    small = chance.choice([big // 2, big // 2, big // 2, big])
    return {1: (big,), 2: (small, big), 3: (big // 4, small, big)}[number]


def _sign(chance: Random, game: Game, big: int, blinds: bool) -> int | None:
    """The table minimum on the sign, where a book's hands are played with one."""
    if not game.least_by_sign:
        return None
    if game.least is LeastBet.ANTE or not blinds:
        return big
    return chance.choice([None, big, big // 2])


def _stacks(chance: Random, big: int, count: int, ante: int) -> tuple[int, ...]:
    """The stacks. Two players at least can pay the ante of each: else pokerkit gives chips back before the blinds."""
    stacks = [_stack(chance, big) for _ in range(count)]
    for player in range(2):
        stacks[player] = max(stacks[player], ante)
    return tuple(stacks)


def _stack(chance: Random, big: int) -> int:
    """A stack: mostly a few bets, so that hands go all in; some too short for their blind."""
    roll = chance.random()
    if roll < 0.12:
        return chance.randint(1, big)
    if roll < 0.2:
        return big * chance.randint(1, 3)
    if roll < 0.6:
        return chance.randint(big, 12 * big)
    return chance.randint(12 * big, 120 * big)


@dataclass(frozen=True, slots=True)
class Options:
    """What a player may do by the second opinion, in cents put in with the action.

    `owed`: the whole bet to meet. `raises`: the least and the most for a bet or raise; None where there may be none.
    `check`: whether a player who owes nothing may check.
    """

    player: int
    stack: int
    owed: int
    raises: tuple[int, int] | None
    check: bool
    bet_made: bool


@dataclass(frozen=True, slots=True)
class Action:
    """An action as the dealer keys it. `cents`: what is put in; None with a fold and a check."""

    word: str
    cents: int | None = None


class Players:
    """The players: each does one of the things that are open, by chance."""

    def __init__(self, hand: Hand) -> None:
        self.chance = Random(f"players {hand.game.book} {hand.seed}")
        self.folds = self.chance.choice([0.05, 0.15, 0.3])
        self.raises = self.chance.choice([0.15, 0.3, 0.5])

    def act(self, may: Options) -> Action:
        """What the player does."""
        roll = self.chance.random()
        if may.raises is not None and roll < self.raises:
            return self._raise(may, *may.raises)
        if roll > 1 - (self.folds if may.owed else self.folds / 5):
            return Action("fold")
        return stay(may)

    def _raise(self, may: Options, least: int, most: int) -> Action:
        cents = self.chance.choice([least, least, most, min(most, 2 * least), self.chance.randint(least, most)])
        return raise_to(may, cents)


def stay(may: Options) -> Action:
    """A check or call; all in where the chips are not enough, and a fold where nothing else is open."""
    if not may.owed:
        return Action("check") if may.check else Action("fold")
    if may.stack <= may.owed:
        return Action("all_in", may.stack)
    return Action("call", may.owed)


def raise_to(may: Options, cents: int) -> Action:
    """A bet or raise of so many cents put in."""
    if cents == may.stack:
        return Action("all_in", cents)
    return Action("raise" if may.bet_made else "bet", cents)

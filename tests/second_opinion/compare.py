"""One hand played by both sides, and where they differ."""

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, TypeAlias

from tests.second_opinion import probes
from tests.second_opinion.differences import Seen
from tests.second_opinion.games import Game
from tests.second_opinion.hands import Hand, Options, Players, draw_hand
from tests.second_opinion.ours import Ours
from tests.second_opinion.theirs import Theirs

MOST_STEPS: Final = 600
Pushed: TypeAlias = dict[tuple[int, int], dict[int, int]]
OursMaker: TypeAlias = Callable[[Hand], Ours]


@dataclass(frozen=True, slots=True)
class Difference:
    """A hand and the first place where the two sides differ in it."""

    hand: Hand
    what: str
    ours: Any
    theirs: Any
    events: tuple[str, ...]
    """What happened at the table before, as far as it is an action."""

    def __str__(self) -> str:
        told = f"{self.hand.game.book}, seed {self.hand.seed}: {self.what}: feltd {self.ours}, pokerkit {self.theirs}"
        return "\n    ".join([told, repr(self.hand), *self.events])


@dataclass(slots=True)
class Tally:
    """What was compared, over many hands of a book."""

    hands: int = 0
    actions: int = 0
    all_ins: int = 0
    side_pots: int = 0
    """Hands with more than one pot."""
    most_pots: int = 0
    short_posts: int = 0
    """Hands in which somebody had not enough for their blind or ante."""
    players: Counter[int] = field(default_factory=Counter)
    """Hands by the number of players."""
    showdowns: int = 0
    illegal: int = 0
    """Illegal actions that were tried."""
    seen: Seen = field(default_factory=Seen)
    differences: list[Difference] = field(default_factory=list)


class _Differs(Exception):  # noqa: N818 - it ends a hand, and is no error
    def __init__(self, what: str, ours: Any, theirs: Any) -> None:
        super().__init__(what)
        self.what, self.ours, self.theirs = what, ours, theirs


def play(game: Game, seeds: range, maker: OursMaker = Ours) -> Tally:
    """Play and compare the hands of these seeds. `maker`: feltd's side, which a test may alter."""
    tally = Tally()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # pokerkit warns of a fold with nothing to meet
        for seed in seeds:
            play_hand(draw_hand(game, seed), tally, maker)
    return tally


def play_hand(hand: Hand, tally: Tally, maker: OursMaker = Ours) -> None:
    """Play and compare one hand."""
    tally.hands += 1
    tally.players[len(hand.seats)] += 1
    tally.short_posts += hand.posts_short
    ours = maker(hand)
    try:
        _Hand(hand, tally, ours).run()
    except _Differs as found:
        tally.differences.append(Difference(hand, found.what, found.ours, found.theirs, tuple(_actions(ours))))
    except (ValueError, AssertionError, KeyError, IndexError, StopIteration) as fault:
        what = f"{type(fault).__name__}: {fault}"
        tally.differences.append(Difference(hand, "a side does not go on", what, what, tuple(_actions(ours))))


def _actions(ours: Ours) -> Iterator[str]:
    for event in ours.events:
        if event.ev in {"action", "betting.closed", "draw"}:
            yield " ".join(str(getattr(event, name, "")) for name in ("ev", "seat", "action", "cents"))


def _same(what: str, ours: Any, theirs: Any) -> None:
    if ours != theirs:
        raise _Differs(what, ours, theirs)


class _Hand:
    """One hand in progress."""

    def __init__(self, hand: Hand, tally: Tally, ours: Ours) -> None:
        self.hand = hand
        self.tally = tally
        self.ours = ours
        self.theirs = Theirs(hand, tally.seen)
        self.players = Players(hand)
        self._probe_chance = Random(f"probes {hand.game.book} {hand.seed}")

    def run(self) -> None:
        for _ in range(MOST_STEPS):
            asked = self.ours.deal_on()
            _same("a ruling on a legal hand", self.ours.told, [])
            self.theirs.catch_up(self.ours.dealt, self.ours.passed)
            may = self.theirs.options()
            if "act" in asked:
                self._compare_turn(asked, may)
                assert may is not None
                self._act(may)
            elif "close" in asked:
                _same("who is to act", None, None if may is None else self._seat(may))
                self.ours.close()
            else:
                _same("who is to act", None, None if may is None else self._seat(may))
                self._compare_end()
                return
        raise _Differs("the hand does not end", self.ours.prompt(), None)

    def _seat(self, may: Options) -> int:
        return self.hand.seats[may.player]

    def _act(self, may: Options) -> None:
        for probe in probes.due(self.hand, may, self.theirs, self._probe_chance):
            self.tally.illegal += 1
            _same(f"ruled on: {probe.what}", probe.outcome(self.ours), probe.expected)
        action = self.players.act(may)
        self.tally.actions += 1
        self.tally.all_ins += action.word == "all_in"
        self.ours.act(self._seat(may), action)
        _same("a ruling on a legal action", self.ours.told, [])
        self.theirs.act(action)

    def _compare_turn(self, asked: Mapping[str, Any], may: Options | None) -> None:
        _same("who is to act", asked["act"], None if may is None else self._seat(may))
        assert may is not None
        _same("who is to act by the view", self.ours.to_act(), self._seat(may))
        _same("the amount to call", asked["owes"], may.owed)
        _same("whether a check is open", asked.get("check", True), may.check or may.owed > 0)
        self._compare_chips()

    def _compare_chips(self) -> None:
        state, chips = self.theirs.state, self.ours.chips()
        _same("the players in order", tuple(chips), self.hand.seats)
        lent = state.lent or (None, 0)
        for player, (seat, one) in enumerate(chips.items()):
            much = lent[1] if player == lent[0] else 0
            paid = one.total + ((one.ante or 0) if self.hand.big_blind_ante else 0) if one.total is not None else None
            _same(f"chips in the round of seat {seat}", paid, -state.payoffs[player] - much)
            _same(f"chips in the pot since the last card of seat {seat}", one.street, state.bets[player] - much)
            _same(f"whether seat {seat} has folded", one.folded, not state.statuses[player])
            if not one.folded:
                _same(f"whether seat {seat} is all in", one.all_in, not state.stacks[player])

    def _compare_end(self) -> None:
        ours, seats = self.ours, self.hand.seats
        _same("whether the hand is over", True, not self.theirs.state.status)
        theirs = self.theirs.result()
        if theirs.pots:
            self.tally.showdowns += 1
            self.tally.side_pots += len(theirs.pots) > 1
            self.tally.most_pots = max(self.tally.most_pots, len(theirs.pots))
            told = [(pot.cents, set(pot.eligible)) for pot in ours.pots()]
            _same("the pots", told, [(cents, {seats[one] for one in who}) for cents, who in theirs.pots])
            if theirs.stacks is None:
                _same("the winners of the pots", _who(ours.pushed()), _who(self._by_seat(theirs.pushed)))
            else:
                _same("what the pots go to", _paid(ours.pushed()), self._by_seat(theirs.pushed))
        if theirs.stacks is not None:
            _same("the stacks after the hand", ours.stacks(), dict(zip(seats, theirs.stacks, strict=True)))

    def _by_seat(self, pushed: Pushed) -> Pushed:
        return {key: {self.hand.seats[player]: cents for player, cents in one.items()} for key, one in pushed.items()}


def _paid(pushed: Pushed) -> Pushed:
    """Without the winners of nothing: a pot below the unit goes to one of them whole."""
    paid = {key: {seat: cents for seat, cents in one.items() if cents} for key, one in pushed.items()}
    return {key: one for key, one in paid.items() if one}


def _who(pushed: Pushed) -> dict[tuple[int, int], set[int]]:
    return {key: set(one) for key, one in pushed.items()}

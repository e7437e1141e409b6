"""A dealer of any game at a real table: cards of a shuffled pack, players who have so many chips and no more."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from feltd.books.moments.croupier import Croupier, Prompt
from feltd.books.moments.layout import Deed
from feltd.books.moments.setting import Setting
from feltd.books.moments.stream import STEP, Stream
from table_fsm import outputs
from table_fsm.outputs import Output
from table_fsm.poker.pots import build_pots, uncalled
from tests.feltd.table_support import BOOKS
from tests.floor.tending_support import TableHere
from tests.floor.whole.dealer import Stand

_STEPS_MOST: Final = 600
_NEAR: Final = 30.0
"""Seconds before the end of a level in which a dealer waits for the next one."""


@dataclass(frozen=True)
class Playing:
    """Who plays a hand on, of the seats that were dealt in; others fold. `shoves`: they go all in where they may."""

    seats: frozenset[int] = frozenset()
    shoves: bool = False


Planner = Callable[[Mapping[int, int]], Playing]
"""Who plays a hand on, of the stacks of those who sit there, by seat."""


class TableStream(Stream):
    """What happens at a real table: its keeper gets each event, and its record has it."""

    def __init__(self, table: TableHere, setting: Setting) -> None:
        super().__init__(setting, table.bench.keeper.table, BOOKS)
        self.here = table

    def apply(self, deed: Deed) -> list[Output]:
        """See `Stream`: nothing may be ruled and nothing refused."""
        self.deeds.append(deed)
        before = len(self.here.bench.indicators.sent)
        self.here.bench.time.pass_(float(deed.get("after", STEP)) - STEP)
        self.here.play({name: value for name, value in deed.items() if name != "after"})
        told = self.here.bench.indicators.sent[before:]
        wrong = [one.to_dict() for one in told if isinstance(one.value, outputs.Ruling | outputs.Refusal)]
        assert not wrong, f"{self.here.name}: {wrong} upon {deed}, after {self.deeds[-8:]}"
        return told


class BookDealer(Croupier):
    """One table's dealer. `stacks`: chips by seat as they lie there, which the hand changes."""

    def __init__(self, table: TableHere, setting: Setting, chance: Random) -> None:
        super().__init__(TableStream(table, replace(setting, salt=f" {table.name} {chance.random()}")))
        self.table = table
        self.chance = chance
        self.stacks: dict[int, int] = {}
        self.put_in: dict[int, int] = {}
        self.posted: dict[int, int] = {}
        """What the blinds were, by seat."""
        self.forced: dict[tuple[str, int], int] = {}
        """Blinds and antes that were put in, by the action and seat."""
        self.plan = Playing()
        self.unit = 1
        """The smallest chip that is in play."""
        self.began = False
        self.check_packs()
        self._said = 0
        """Of what the table has said, how much was said before this hand."""

    def begin(self, planned: Planner, stacks: dict[int, int]) -> Stand:
        """Deal a hand, as far as the table lets it. Its dealer has counted all stacks before."""
        self.stacks, self.put_in, self.posted = stacks, dict.fromkeys(stacks, 0), {}
        self.forced = {}
        self.plan, self.began = planned(stacks), False
        self._said = len(self.table.bench.indicators.sent)
        for seat, cents in stacks.items():
            self.stream.do("stack", seat=seat, cents=cents)
        ends = self.stream.table._core.standing.tournament.changes_at
        if ends is not None and ends - self.stream.table._core.t < _NEAR:
            self.stream.do("tick", after=_NEAR)  # else the blinds may be those of the level before (The Star 7.20)
        return self.go_on()

    def go_on(self) -> Stand:
        """Follow the prompts until the hand is over, or the table waits."""
        self.stream.do("tick")  # as each second: a level may have begun while the hand was held
        for _ in range(_STEPS_MOST):
            prompt = self.stream.prompt or {}
            if next(iter(prompt), None) == "wait":
                assert prompt["wait"] in ("go", "players"), f"{self.table.name}: {prompt}"
                return Stand.HELD if self.began else Stand.NOT_BEGUN
            self.step()
            if self.stream.done[-1]["ev"] == "hand.end":
                return Stand.OVER
        raise AssertionError(f"{self.table.name}: the hand does not end: {self.stream.deeds[-12:]}")

    @property
    def waits_for_go(self) -> bool:
        """Whether the table waits for the release of a hand, or for the word that its all-in may be turned."""
        return (self.stream.prompt or {}).get("wait") == "go"

    def race(self, chip: int, new_chip: int, stacks: dict[int, int]) -> dict[int, int]:
        """Race these chips of all who sit here; return the stacks as they are then."""
        while next(iter(self.stream.prompt or {}), None) in ("check", "shuffle"):
            self.step()
        odd = {seat: cents % new_chip // chip for seat, cents in stacks.items() if cents % new_chip // chip}
        last = [seat for seat in odd if stacks[seat] < new_chip]
        said = len(self.table.bench.indicators.sent)
        self.stream.do(
            "race.start", chip=chip, new_chip=new_chip, odd={str(seat): count for seat, count in odd.items()}, last=last
        )
        while str((self.stream.prompt or {}).get("deal", "")).startswith("race:"):
            self.step()
        told = [one.value for one in self.table.bench.indicators.sent[said:] if isinstance(one.value, outputs.Race)]
        assert len(told) == 1, f"{self.table.name}: {told}, {self.stream.prompt}"
        after = {seat: cents - odd.get(seat, 0) * chip for seat, cents in stacks.items()}
        for seat, chips in told[0].winners.items():
            after[seat] += chips * new_chip
        rest = sum(odd.values()) * chip - told[0].removed
        if rest:  # where one takes all, what does not make a new chip stays with them
            [winner] = told[0].winners or [max(odd, key=lambda seat: odd[seat])]
            after[winner] += rest
        return after

    # -- deeds

    def step(self) -> Prompt:
        """See `Croupier`."""
        word = next(iter(self.stream.prompt or {}), None)
        self.began = self.began or word in ("deal", "post", "ante")
        if word == "collect":
            self._settle()
        return super().step()

    def collect(self, prompt: Prompt) -> None:
        """See `Croupier`; the chips are pushed before."""
        if next(iter(self.stream.prompt or {}), None) != "collect":
            self._settle()
        super().collect(prompt)

    def pay(self, prompt: Prompt) -> None:
        """Blinds or antes: what the table asks for, which is no more than there is."""
        action = next(iter(prompt))
        seat, cents = next(
            (int(seat), cents) for seat, cents in prompt[action].items()
        )  # the next may be of a new level
        # Where the level changes before the first card, the blinds of the new one are in place of the old.
        self.put_in[seat] -= self.forced.get((action, seat), 0)
        self.forced[action, seat] = cents
        self._pay(seat, action, cents)
        if action == "post":
            self.posted.pop(seat, None)
            self.posted[seat] = cents

    def act(self, prompt: Prompt) -> None:
        """Who plays on calls, and bets the least where nobody has; the others fold."""
        seat, owes = prompt.get("act") or self._anyone(), prompt.get("owes")
        rest, plays = self.stacks[seat] - self.put_in[seat], seat in self.plan.seats
        if plays and self.plan.shoves and rest > (owes or 0):
            self._pay(seat, "all_in", rest)
        elif owes and not plays:
            self.stream.do("action", seat=seat, action="fold", cents=None)
        elif owes:
            self._pay(seat, "all_in" if owes >= rest else "call", min(owes, rest))
        elif owes is None or prompt.get("check") is False or (plays and self._may_open(prompt)):
            least = self.least_bet()
            self._pay(seat, "all_in" if least >= rest else "bet", min(least, rest))
        else:
            self.stream.do("action", seat=seat, action="check", cents=None)

    def _pay(self, seat: int, action: str, cents: int) -> None:
        self.put_in[seat] += cents
        assert self.put_in[seat] <= self.stacks[seat], f"{self.table.name}: seat {seat} has no {cents} more"
        self.stream.do("action", seat=seat, action=action, cents=cents)

    def _settle(self) -> None:
        """The chips after the hand, by what the table says of who has won."""
        betting = self.stream.table._core.round.betting
        assert betting is not None
        totals = {seat: player.total or 0 for seat, player in betting.players.items()}
        assert sum(totals.values()) + betting.dead == sum(self.put_in.values()), (totals, betting.dead, self.put_in)
        told = [one.value for one in self.table.bench.indicators.sent[self._said :]]
        won = {one.pot: one for one in told if isinstance(one, outputs.Showdown)}
        for seat, cents in self.put_in.items():
            self.stacks[seat] -= cents
        back = uncalled(totals, betting.live)
        if back is not None:
            self.stacks[back.seat] += back.cents
        for pot in build_pots(totals, betting.live, betting.dead):
            self._push(won[pot.number], pot.cents)

    def _push(self, won: outputs.Showdown, cents: int) -> None:
        share = cents // len(won.winners) // self.unit * self.unit
        for seat in won.winners:
            self.stacks[seat] += share
        self.stacks[won.odd_to or won.winners[0]] += cents - share * len(won.winners)

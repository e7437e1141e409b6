"""A dealer who does what a real table's prompts ask, and players who follow a plan: who goes all in, who wins."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from random import Random
from typing import Any, Final

from tests.floor.tending_support import TableHere

BOARD: Final = ("7c", "2h", "9s", "4c", "Jh")
PAIRS: Final = (("As", "Ad"), ("Ks", "Kd"), ("Qs", "Qd"), ("Ts", "Td"))
"""Of who wins, then of who is beaten, from the best: the board makes none of them another hand."""
_STEPS_MOST: Final = 400


class Stand(Enum):
    """How far a hand is."""

    NOT_BEGUN = "not begun"
    """The table waits: for players, for a release, for somebody who comes."""
    HELD = "held"
    """The cards of an all-in stay down until the director says so."""
    OVER = "over"


@dataclass
class Plan:
    """Who plays a hand: seats. `winner` wins from `losers`; `all_in` of them go all in, the others call.

    None: all fold to one.
    """

    winner: int | None = None
    losers: tuple[int, ...] = ()
    all_in: tuple[int, ...] = ()

    @property
    def pairs(self) -> dict[int, tuple[str, str]]:
        """The cards of each who plays."""
        return dict(zip((self.winner, *self.losers), PAIRS, strict=False)) if self.winner is not None else {}


Planner = Callable[[Mapping[int, int]], Plan]
"""Who plays a hand, of the stacks of those who were dealt in, by seat."""


class Dealer:
    """One table's dealer. `stacks`: chips by seat as they lie there, which the hand changes."""

    def __init__(self, table: TableHere, chance: Random) -> None:
        self.table = table
        self.chance = chance
        self.stacks: dict[int, int] = {}
        self.plan: Plan | None = None
        self.planned: Planner = lambda _: Plan()
        self.put_in: dict[int, int] = {}
        self.posted: dict[int, int] = {}
        """What the table asked of the blinds, by seat."""
        self.dealt: dict[str, list[str]] = {}
        self.turned: set[str] = set()
        self.board: list[str] = []
        self.pack: list[str] = []
        self.began = False

    def begin(self, planned: Planner, stacks: dict[int, int]) -> Stand:
        """Deal a hand, as far as the table lets it. `planned`: who plays it, of those who were dealt in."""
        self.plan, self.planned, self.stacks, self.began = None, planned, stacks, False
        self.put_in, self.dealt, self.turned, self.posted = dict.fromkeys(stacks, 0), {}, set(), {}
        self.board = list(BOARD)
        used = {card for pair in PAIRS for card in pair} | set(BOARD)
        self.pack = [rank + suit for suit in "shdc" for rank in "23456789TJQKA" if rank + suit not in used]
        self.chance.shuffle(self.pack)
        return self.go_on()

    def go_on(self) -> Stand:
        """Follow the prompts until the hand is over, or the table waits."""
        for _ in range(_STEPS_MOST):
            prompt: dict[str, Any] = dict(self.table.bench.keeper.table.view()["prompt"] or {})
            word = next(iter(prompt), "collect")
            if word == "wait":
                return Stand.HELD if self.began else Stand.NOT_BEGUN
            if word == "collect" or (word == "turn" and self.turned.issuperset(prompt["turn"])):
                self.table.play({"ev": "hand.end"})
                self._settle()
                return Stand.OVER
            _DEEDS[word](self, prompt)
        told = [output.to_dict() for output in self.table.bench.indicators.sent[-6:]]
        hand = f"{self.plan}, {self.stacks}, {self.put_in}"
        raise AssertionError(f"{self.table.name}: the hand does not end; {hand}: {told}")

    @property
    def waits_for_go(self) -> bool:
        """Whether the table waits for the release of a hand, or for the word that its all-in may be turned."""
        return dict(self.table.bench.keeper.table.view()["prompt"] or {}).get("wait") == "go"

    # -- deeds

    def _shuffle(self, prompt: dict[str, Any]) -> None:
        deck = prompt["shuffle"] or "red"
        # The same few cards are told in each hand: after some thirty the table would take the others for lost.
        self._check({"check": deck})
        self.table.play({"ev": "shoe.shuffled", "deck": deck, "count": 52})

    def _check(self, prompt: dict[str, Any]) -> None:
        self.table.play({"ev": "shoe.deck_checked", "deck": prompt["check"] or "red", "count": 52})

    def _cut(self, _prompt: dict[str, Any]) -> None:
        self.table.play({"ev": "cut", "by": "dealer", "depth": 24, "exposed": 0})

    def _post(self, prompt: dict[str, Any]) -> None:
        self.began = True
        for seat, cents in prompt["post"].items():
            self.posted[int(seat)] = cents
            self._pay(int(seat), "post", cents)

    def _deal(self, prompt: dict[str, Any]) -> None:
        self.began = True
        zone, face = prompt["deal"], prompt.get("face") or "down"
        if zone.startswith("seat:"):
            self._place(zone, None, face)  # nobody reads a hole card: who plays is planned once all have theirs
        else:
            self._place(zone, self.board.pop(0) if zone.startswith("board") else self.pack.pop(), face)

    def _burn(self, _prompt: dict[str, Any]) -> None:
        self._place("burn", self.pack.pop(), "down")

    def _place(self, zone: str, card: str | None, face: str) -> None:
        self.dealt.setdefault(zone, []).append(card or "")
        lies = {"card": card, "deck": "red"}
        self.table.play(
            {"ev": "shoe.card", **lies, "face": "down"}, {"ev": "card.placed", "zone": zone, **lies, "face": face}
        )

    def _turn(self, prompt: dict[str, Any]) -> None:
        for zone in prompt["turn"]:
            if zone not in self.turned:
                self.turned.add(zone)
                assert self.plan is not None
                for card in self.plan.pairs[int(zone.removeprefix("seat:"))]:
                    self.table.play({"ev": "card.turned", "zone": zone, "card": card, "face": "up"})

    def _show(self, prompt: dict[str, Any]) -> None:
        zones = [f"seat:{seat}" for seat in prompt["show"] if f"seat:{seat}" not in self.turned]
        if zones:
            self._turn({"turn": zones})
        else:
            self.table.play({"ev": "hand.end"})

    def _close(self, _prompt: dict[str, Any]) -> None:
        self.table.play({"ev": "betting.closed"})

    def _act(self, prompt: dict[str, Any]) -> None:
        """Some go all in; who plays on calls, with all that there is where it is no more; the others fold."""
        seat, owes = prompt["act"], prompt.get("owes") or 0
        if self.plan is None:
            dealt = {int(zone.removeprefix("seat:")) for zone in self.dealt if zone.startswith("seat:")}
            self.plan = self.planned({one: chips for one, chips in self.stacks.items() if one in dealt})
        if seat in self.plan.all_in:
            self._pay(seat, "all_in", self.stacks[seat] - self.put_in[seat])
        elif seat in self.plan.pairs:
            rest = self.stacks[seat] - self.put_in[seat]
            if not owes:
                self.table.play({"ev": "action", "seat": seat, "action": "check", "cents": None})
            else:
                self._pay(seat, "all_in" if owes >= rest else "call", min(owes, rest))
        elif owes:
            self.table.play({"ev": "action", "seat": seat, "action": "fold", "cents": None})
        else:
            self.table.play({"ev": "action", "seat": seat, "action": "check", "cents": None})

    def _pay(self, seat: int, action: str, cents: int) -> None:
        self.put_in[seat] += cents
        self.table.play({"ev": "action", "seat": seat, "action": action, "cents": cents})

    def _settle(self) -> None:
        """The chips after the hand: what nobody matched goes back, the winner has the rest."""
        winner = None if self.plan is None else self.plan.winner
        if winner is None:
            winner = max(self.put_in, key=lambda seat: self.put_in[seat])  # the big blind, to whom all folded
        most = max((self.put_in[seat] for seat in self.put_in if seat != winner), default=0)
        self.put_in[winner] = min(self.put_in[winner], most)
        for seat, cents in self.put_in.items():
            self.stacks[seat] -= cents
        self.stacks[winner] += sum(self.put_in.values())


_DEEDS: Final[dict[str, Callable[[Dealer, dict[str, Any]], None]]] = {
    "check": Dealer._check,
    "shuffle": Dealer._shuffle,
    "cut": Dealer._cut,
    "post": Dealer._post,
    "deal": Dealer._deal,
    "burn": Dealer._burn,
    "turn": Dealer._turn,
    "show": Dealer._show,
    "close": Dealer._close,
    "act": Dealer._act,
}

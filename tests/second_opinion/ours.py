"""feltd's side of a hand: a `Table` that is driven by its prompts, and what it answered."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

from feltd.books.shipped import rulebook_sources, structure_sources, toml_texts
from table_fsm.events import BY_NAME, Event
from table_fsm.library import load_library
from table_fsm.outputs import Kind
from table_fsm.poker.pots import Pot, PotResult, build_pots, low_half, shares, uncalled
from table_fsm.rulebook import Rulebook
from table_fsm.table import Table
from table_fsm.view.chips import Chips
from tests.second_opinion.hands import Action, Hand

OWN_GAMES: Final = Path(__file__).parents[2] / "docs" / "own-games" / "rulebooks"
_STEP: Final = 0.5
"""Seconds from one event to the next."""
_LAST: Final = frozenset({"act", "close", "collect", "shuffle"})
"""Prompts that the dealer alone cannot answer, or that end the hand."""
_TOLD: Final = {Kind.RULING, Kind.ERROR, Kind.ALARM}


@cache
def books() -> dict[str, Rulebook]:
    """The shipped rulebooks and the games that are examples of books."""
    return load_library({**rulebook_sources(), **toml_texts(OWN_GAMES)}, structure_sources())


class Ours:
    """A hand at feltd's table. Seats are feltd's, amounts cents."""

    def __init__(self, hand: Hand) -> None:
        self.hand = hand
        self.table = Table(books())
        self.events: list[Event] = []
        self.told: list[dict[str, Any]] = []
        """Rulings, refusals and alarms: nothing, in a legal hand."""
        self.results: list[dict[str, Any]] = []
        """What was said of each pot at the showdown."""
        self.dealt: dict[str, list[str]] = {}
        """All cards that ever came to a zone, in order."""
        self.passed: dict[int, list[str]] = {}
        """Cards that each player has replaced or given up."""
        self.forced: dict[str, dict[int, int]] = {"ante": {}, "post": {}}
        """What the table asked for before the deal, in cents by seat."""
        self._pack = iter(hand.pack)
        self._chance = Random(f"ours {hand.game.book} {hand.seed}")
        self._left = len(hand.pack)
        self._open()

    def fork(self) -> "Ours":
        """Another table to which the same has happened."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.table = Table(books())
        other.events, other.told, other.results = [], [], []
        for event in self.events:
            other.send(event)
        return other

    # -- events

    def _open(self) -> None:
        hand = self.hand
        self._send("shoe.deck_checked", deck="blue", count=52)
        self._send(
            "table.open",
            rulebook=hand.game.book,
            seats=sorted(hand.seats),
            button=hand.marker,
            options=dict(hand.options),
        )
        for seat, cents in zip(hand.seats, hand.stacks, strict=True):
            self._send("stack", seat=seat, cents=cents)
        self._send("shoe.shuffled", deck="blue", count=52)

    def _send(self, ev: str, **fields: Any) -> None:
        self.send(BY_NAME[ev](t=_STEP * (len(self.events) + 1), **fields))

    def send(self, event: Event) -> None:
        """Let the table take an event."""
        self.events.append(event)
        for output in self.table.apply(event):
            said: dict[str, Any] = output.to_dict()
            if output.kind in _TOLD:
                self.told.append(said)
            elif output.kind is Kind.SHOWDOWN:
                self.results.append(said["showdown"])

    def act(self, seat: int, action: Action) -> None:
        """A player acts."""
        self._send("action", seat=seat, action=action.word, cents=action.cents)

    # -- what the table says

    def prompt(self) -> Mapping[str, Any]:
        """What the dealer should do next."""
        asked = self.table.prompt()
        return asked.to_json() if asked is not None else {}

    def to_act(self) -> int | None:
        """The seat whose turn it is, as the view has it."""
        seat: int | None = self.table.view()["to_act"]
        return seat

    def chips(self) -> Mapping[int, Chips]:
        """What each player has put in."""
        return self.table.chips()

    # -- the dealer

    def deal_on(self) -> Mapping[str, Any]:
        """Do what the table asks until it asks for an action, for the betting to be closed, or for the end.

        Returns that prompt. Raises ValueError for a prompt that no legal hand has.
        """
        while True:
            asked = self.prompt()
            if self.told or not asked.keys().isdisjoint(_LAST):
                return asked
            word = next(iter(asked), "")
            do = getattr(self, f"_do_{word}", None)
            if do is None:
                raise ValueError(f"feltd asks for {dict(asked)} in a legal hand")
            do(asked)

    def close(self) -> None:
        """Close the betting round."""
        self._send("betting.closed")

    def _do_cut(self, asked: Mapping[str, Any]) -> None:
        self._send("cut", by=asked.get("by", "dealer"), depth=20)

    def _do_ante(self, asked: Mapping[str, Any]) -> None:
        self._force("ante", asked["ante"])

    def _do_post(self, asked: Mapping[str, Any]) -> None:
        self._force("post", asked["post"])

    def _force(self, word: str, due: Mapping[str, int]) -> None:
        for seat, cents in due.items():
            self.forced[word][int(seat)] = cents
            self._send("action", seat=int(seat), action=word, cents=cents)

    def _do_deal(self, asked: Mapping[str, Any]) -> None:
        zone = asked["deal"]
        name = next(self._pack)
        self._left -= 1
        self.dealt.setdefault(zone, []).append(name)
        self._send("card.placed", zone=zone, card=name, face=asked["face"])

    def _do_burn(self, asked: Mapping[str, Any]) -> None:
        self._do_deal({"deal": "burn", "face": "down"})

    def _do_show(self, asked: Mapping[str, Any]) -> None:
        for seat in asked["show"]:
            player = self.hand.seats.index(seat)
            for name in self.dealt[f"seat:{seat}"]:
                if name not in self.passed.get(player, ()):
                    self._send("card.turned", zone=f"seat:{seat}", card=name)

    def _do_give_up(self, asked: Mapping[str, Any]) -> None:
        for seat in asked["give_up"]:
            self._pass(seat, asked["count"])

    def _do_draw(self, asked: Mapping[str, Any]) -> None:
        seat = asked["draw"]
        waiting = len(self.hand.seats) - len(self.passed)
        most = max(0, min(4, self._left - 4 * (waiting > 1)))
        count = self._chance.randint(0, most)
        self._send("draw", seat=seat, count=count)
        self._pass(seat, count)

    def _pass(self, seat: int, count: int) -> None:
        names = self.dealt[f"seat:{seat}"][:count]
        self.passed[self.hand.seats.index(seat)] = names
        for name in names:
            self._send("card.removed", zone=f"seat:{seat}", card=name)

    # -- the end

    def pots(self) -> list[Pot]:
        """The pots by what has been put in."""
        totals, live, dead = self._contributions()
        return build_pots(totals, live, dead)

    def _contributions(self) -> tuple[dict[int, int], list[int], int]:
        chips = self.chips()
        totals = {seat: one.total or 0 for seat, one in chips.items()}
        dead = sum(one.ante or 0 for one in chips.values()) if self.hand.big_blind_ante else 0
        return totals, [seat for seat, one in chips.items() if not one.folded], dead

    def stacks(self) -> dict[int, int]:
        """The stacks after the pots were pushed as feltd said."""
        totals, live, _dead = self._contributions()
        stacks = dict(zip(self.hand.seats, self.hand.stacks, strict=True))
        for seat, one in self.chips().items():
            stacks[seat] -= totals[seat] + ((one.ante or 0) if self.hand.big_blind_ante else 0)
        back = uncalled(totals, live)
        if back is not None:
            stacks[back.seat] += back.cents
        for shared in self.pushed().values():
            for seat, cents in shared.items():
                stacks[seat] += cents
        return stacks

    def pushed(self) -> dict[tuple[int, int], dict[int, int]]:
        """What each seat got as feltd said: by pot from 0, and by the kind of hand, 0 for the first, 1 for the low."""
        pots = {pot.number: pot.cents for pot in self.pots()}
        unit = self.hand.table_min
        if len(self.results) == 1 and self.results[0]["hand"] is None:
            return {(0, 0): {self.results[0]["winners"][0]: sum(pots.values())}}
        out: dict[tuple[int, int], dict[int, int]] = {}
        for said in self.results:
            cents, number = pots[said["pot"]], said["pot"] - 1
            if "low_winners" in said and self.hand.options.get("winner") != "low":
                low = low_half(cents, unit)
                out[number, 1] = _shares(said["low_winners"], said["low_odd_to"], low, unit)
                cents -= low
            out[number, 0] = _shares(said["winners"], said["odd_to"], cents, unit)
        return out


def _shares(winners: list[int], odd_to: int | None, cents: int, unit: int | None) -> dict[int, int]:
    return shares(PotResult(1, tuple(winners), None, odd_to), cents, unit or 1)

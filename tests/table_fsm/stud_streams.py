"""Stud by terse calls, and a dealer who does what the table prompts, card by card and bet by bet."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from table_fsm.felt import full_deck
from tests.table_fsm.streams import Answer, Play

STUD7 = "act-2001-stud7"
ANTE = 500
Decide = Callable[[int, int], str]
"""(seat, cents owed) → "action" or "action cents"."""


def stud7(seats: Sequence[int] = (1, 2, 3, 4), *, button: int | None = None, **options: Any) -> Play:
    """Seven Card Stud, ready for the first card: checked, open, shuffled, cut. The buck stands at the first seat."""
    play = Play(STUD7)
    size, joker = options.get("deck", 52), options.get("joker", False)
    play.send("shoe.deck_checked", deck="blue", count=size + joker)
    buck = button if button is not None else min(seats)
    options.setdefault("ante", ANTE)
    opened = play.send("table.open", rulebook=STUD7, seats=list(seats), button=buck, options=options)
    assert not opened.errors, opened.errors
    play.seats = sorted(seats)
    play.order = [s for s in play.seats if s >= buck] + [s for s in play.seats if s < buck]
    play.send("shoe.shuffled", deck="blue", count=size + joker)
    play.send("cut", by="dealer", depth=20)
    play.pack = _unseen(play)
    return play


def third(play: Play, *doors: str | None) -> Answer:
    """The initial deal, hole cards unread; `doors`: the open cards in dealing order, None for one that is not read."""
    down = [play.card(f"seat:{seat}", None) for seat in play.order * 2]
    return play.all([*down, street(play, play.order, *doors)])


def street(play: Play, seats: Sequence[int], *cards: str | None, face: str = "up") -> Answer:
    """One card to each of these seats; without `cards` any that has not been seen."""
    return play.all(play.card(f"seat:{seat}", cards[at] if cards else "next", face) for at, seat in enumerate(seats))


def _unseen(play: Play) -> Iterator[str]:
    """Cards in no order that nobody has seen in this round when they are asked for."""
    pack = sorted(full_deck())
    Random(0).shuffle(pack)
    return (card for card in pack if card not in play.core.round.tracker.where)


class Dealer:
    """Deals a whole round by the table's own prompts. `keypad`, `shoe`, `reads`: what the table has."""

    def __init__(self, play: Play, seed: int, *, keypad: bool = True, shoe: bool = True, reads: bool = True) -> None:
        self.play = play
        self.chance = Random(seed)
        self.keypad, self.shoe, self.reads = keypad, shoe, reads
        core = play.core
        self.pack = sorted(full_deck(core.deck_size - bool(core.options.joker), bool(core.options.joker)))
        self.chance.shuffle(self.pack)
        self.held: dict[str, list[str]] = {}
        self.answers: list[Answer] = []
        self.asked: list[dict[str, Any]] = []

    def _do(self, answer: Answer) -> None:
        self.answers.append(answer)

    def round(self, decide: Decide, most: int = 400) -> Answer:
        """To the end of the round, or `most` steps."""
        for _ in range(most):
            prompt = self.play.prompt
            assert prompt is not None, self.play.phase
            self.asked.append(prompt)
            shown = "show" in prompt and self.asked[-2] == prompt
            if "collect" in prompt or shown:  # with cards that no reader knows the dealer says who has won
                self._do(self.play.end())
                break
            self._follow(prompt, decide)
        return self.play.all(self.answers)

    def _follow(self, prompt: dict[str, Any], decide: Decide) -> None:
        if "ante" in prompt:
            for seat, cents in prompt["ante"].items():
                self._do(self.play.send("action", seat=int(seat), action="ante", cents=cents))
        elif "deal" in prompt:
            self._deal(prompt["deal"], prompt["face"])
        elif "act" in prompt or "open" in prompt:
            self._act(prompt, decide)
        elif "close" in prompt:
            self._do(self.play.close())
        elif "show" in prompt:
            for seat in prompt["show"]:
                self._table(seat)
        else:
            raise AssertionError(f"nobody taught this dealer {prompt}")

    def _deal(self, zone: str, face: str) -> None:
        card = self.pack.pop()
        self.held.setdefault(zone, []).append(card)
        if self.shoe:
            self._do(self.play.send("shoe.card", deck="blue"))
        read = card if self.reads and (face == "up" or self.chance.random() < 0.7) else None
        self._do(self.play.send("card.placed", zone=zone, card=read, face=face))

    def _act(self, prompt: dict[str, Any], decide: Decide) -> None:
        if not self.keypad:
            self._do(self.play.close())
            return
        seat = prompt.get("act")
        if seat is None:
            betting = self.play.core.round.betting
            assert betting is not None
            seat = self.chance.choice(betting.able)
        self._do(self.play.acts(f"{seat} {decide(seat, prompt.get('owes') or 0)}"))

    def _table(self, seat: int) -> None:
        zone = f"seat:{seat}"
        tracker = self.play.core.round.tracker
        for card in self.held[zone]:
            if card not in tracker.shown(zone) and tracker.ups(zone) < len(self.held[zone]):
                self._do(self.play.send("card.turned", zone=zone, card=card, face="up"))

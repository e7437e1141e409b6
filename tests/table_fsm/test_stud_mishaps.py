"""Rounds of stud in which anything goes wrong: the table rules, refuses or keeps quiet, and never fails itself."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_fsm.felt import full_deck
from table_fsm.outputs import Kind
from table_fsm.table import FAULT_OF_OURS
from tests.table_fsm.streams import Answer, Play

OVERRULED = (
    "play_on",
    "final_card_communal",
    "open_final_round",
    "next_cards_down",
    "reshuffle_into_stub",
    "fold_hand",
)


class Muddler:
    """A dealer who mostly does what the table prompts, and now and then something else."""

    def __init__(self, book: str, seed: int, players: int) -> None:
        self.chance = Random(seed)
        self.players = players
        self.play = Play(book)
        self.play.open(range(1, players + 1), button=1, ante=500)
        self._new_pack()

    def _new_pack(self) -> Answer:
        self.pack = sorted(full_deck())
        self.chance.shuffle(self.pack)
        return self.play.shuffle()

    def step(self) -> Answer:
        prompt = self.play.prompt or {}
        if self.chance.random() < 0.2:
            return self._muddle()
        if "deal" in prompt and self.pack:
            return self._deal(prompt["deal"], prompt.get("face", "down"))
        if "ante" in prompt:
            return self.play.all(
                self.play.send("action", seat=int(seat), action="ante", cents=cents)
                for seat, cents in prompt["ante"].items()
            )
        if prompt.get("act"):
            action = self.chance.choice(("call", "call", "check", "bet", "raise", "fold", "all_in"))
            cents = self.chance.choice((None, 500, 1000, prompt.get("owes") or 500))
            return self.play.send("action", seat=prompt["act"], action=action, cents=cents)
        if prompt.get("show"):
            return self.play.turn(f"seat:{self.chance.choice(prompt['show'])}")
        if "shuffle" in prompt:
            return self._new_pack()
        return self._short(prompt)

    def _short(self, prompt: dict[str, object]) -> Answer:
        if "wait" in prompt:
            return self._decide()
        if "close" in prompt:
            return self.play.close()
        if "collect" in prompt:
            return self.play.end()
        if "remove" in prompt:
            return self.play.fetch(str(prompt["remove"]))
        return self.play.send("stub.shuffled", count=20)

    def _deal(self, zone: str, face: str) -> Answer:
        chance = self.chance
        mouth = "up" if chance.random() < 0.03 else "down"
        shoe = [self.play.send("shoe.card", deck="blue", face=mouth)] if chance.random() < 0.95 else []
        at = zone if chance.random() < 0.95 else f"seat:{chance.randint(1, 9)}"
        card = self.pack.pop()
        lies = "up" if chance.random() < 0.03 else face
        placed = self.play.place(at, card if chance.random() < 0.8 else None, lies)
        return self.play.all([*shoe, placed])

    def _decide(self) -> Answer:
        chance = self.chance
        decision = chance.choice(("play_on", "resume", "overrule", "confirm"))
        return self.play.decide(decision, ruling=chance.randint(1, 4), outcome=chance.choice(OVERRULED))

    def _muddle(self) -> Answer:
        play, seat = self.play, self.chance.randint(1, self.players)
        zone = self.chance.choice(("muck", "burn", "board:1", f"seat:{seat}"))
        face = self.chance.choice(("up", "down"))
        muddles: list[Callable[[], Answer]] = [
            lambda: play.fetch(f"seat:{seat}"),
            lambda: play.place(zone, None, face),
            lambda: play.expose(self.chance.choice((f"seat:{seat}", "shoe")), self.chance.choice(("dealer", "player"))),
            lambda: play.send("card.turned", zone=f"seat:{seat}", face=face),
            lambda: play.look(seat),
            lambda: play.close(),
            lambda: play.acts(f"{seat} {self.chance.choice(('fold', 'check', 'call', 'bet'))}"),
            lambda: play.send("seat.out", seat=seat),
            lambda: play.send("seat.in", seat=seat),
            lambda: play.send("seat.away", seat=seat),
            lambda: play.send("shoe.card", deck="blue", face=face),
            self._decide,
        ]
        return self.chance.choice(muddles)()


@pytest.mark.parametrize("book", ["act-2001-stud7", "tas-2018-stud5"])
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), players=st.integers(2, 8))
def test_the_controller_never_fails_whatever_goes_wrong(book: str, seed: int, players: int) -> None:
    muddler = Muddler(book, seed, players)
    for _ in range(120):
        answer = muddler.step()
        assert [error for error in answer.errors if FAULT_OF_OURS in error] == []
        for ruling in answer.of(Kind.RULING):
            assert len(ruling["text"]) < 240

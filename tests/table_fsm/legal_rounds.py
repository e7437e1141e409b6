"""Rounds that follow every prompt: the dealer does what the table asks, the players do what they may.

What they do is left to chance, so that a book can be asked to have nothing to say about any legal round.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

from table_fsm.poker.betting.state import Betting
from tests.table_fsm.streams import Answer, Play

BLIND = 2500
MOST_STEPS = 400


class LegalRound:
    """One round, driven by the prompts. `told` is what the table ruled or refused: nothing, in a good round."""

    def __init__(self, chance: Random, play: Play, *, keypad: bool) -> None:
        self.chance = chance
        self.play = play
        self.keypad = keypad
        self.told: list[Any] = []
        self.drawn: dict[int, list[str]] = {}
        """What each player has discarded in a draw, by seat; those who replace a whole hand are not in it."""

    def run(self) -> list[Any]:
        """Play until the cards are to be collected. Gives what was told."""
        for _ in range(MOST_STEPS):
            prompt = self.play.prompt
            assert prompt is not None, self.play.phase
            if "collect" in prompt or "shuffle" in prompt:
                self.note(self.play.end())
                return self.told
            self.step(prompt)
            if self.told:
                return self.told
        raise AssertionError(f"the round does not end: {self.play.phase} {self.play.prompt}")

    def note(self, answer: Answer) -> None:
        self.told += answer.told
        self.told += [output.to_dict() for output in answer.outputs if "error" in output.to_dict()]

    def step(self, prompt: dict[str, Any]) -> None:
        """What the table asks for is done."""
        if "deal" in prompt:
            self.note(self.play.card(prompt["deal"], face=prompt["face"]))
        elif "act" in prompt:
            self.decide(prompt["act"])
        elif "close" in prompt:
            self.note(self.play.close())
        elif "show" in prompt:
            self.note(self.play.turn(*(f"seat:{seat}" for seat in prompt["show"])))
        elif "draw" in prompt:
            self.replace(prompt["draw"])
        elif "burn" in prompt:
            self.note(self.play.card(self.chance.choice(["burn", "muck"])))
        elif "cut" in prompt:
            self.note(self.play.send("cut", by="dealer", depth=2))
        elif "shuffle_stub" in prompt:
            self.shuffle_discards()
        else:
            raise AssertionError(f"no dealer knows what to do: {prompt}")

    def replace(self, seat: int) -> None:
        """A player says how many cards they replace, and passes them."""
        count = self.chance.randint(0, 5)
        self.note(self.play.send("draw", seat=seat, count=count))
        names = self.play.core.round.tracker.names(f"seat:{seat}")[:count]
        muck = self.chance.random() < 0.5
        for name in names:
            assert name is not None
            self.note(self.play.fetch(f"seat:{seat}", name))
            if muck:
                self.note(self.play.place("muck", name))
            if count < 5:
                self.drawn.setdefault(seat, []).append(name)

    def shuffle_discards(self) -> None:
        """No cards are left: the discards of all but the player who waits, and of those who replace five."""
        draw = self.play.core.round.draw
        assert draw is not None
        waits = draw.due()
        back = [name for seat in list(self.drawn) if seat != waits for name in self.drawn.pop(seat)]
        if not back:
            self.told.append("insufficient_cards: all others replace five, and nothing is left to shuffle")
            return
        self.play.pack = iter(back)
        self.note(self.play.send("stub.shuffled", count=len(back)))

    def decide(self, seat: int) -> None:
        """A player does something that is open to them; at a table without keypad the dealer closes the betting."""
        if not self.keypad:
            self.note(self.play.close())
            return
        betting = self.play.core.round.betting
        assert betting is not None
        self.note(self.play.acts(self.chance.choice(choices(betting, seat))))


def choices(betting: Betting, seat: int) -> Sequence[str]:
    """Everything that a player may do, amounts at both ends of what is allowed; calling and checking oftener."""
    owed = betting.owed(seat)
    assert owed is not None
    pot = sum(player.total or 0 for player in betting.players.values())
    assert betting.terms.limit is not None
    most = betting.terms.limit(owed, pot, BLIND, betting.last_street)
    assert most is not None
    least = owed + max(betting.step, BLIND)
    stay = f"{seat} call {owed}" if betting.owes(seat) and owed else f"{seat} check"
    open_to = [stay, stay, stay, f"{seat} fold"]
    barred = seat in betting.call_only or betting.raises >= 3
    if not barred and least <= most:
        word = "raise" if betting.bet_made else "bet"
        open_to += [f"{seat} {word} {least}", f"{seat} {word} {most}", f"{seat} all_in {least}"]
    if owed > 1:
        open_to.append(f"{seat} all_in {owed - 1}")
    return open_to

"""Five Card Stud by terse calls: a `Play` of `streams` with the shape of its deal.

play = stud()                       # seats 1 to 4, seat 1 gets the first card; antes of $5
play.first_cards()                  # one down and one up to each
play.acts("1 bet 500", …)
"""

from collections.abc import Sequence
from typing import Any

from tests.table_fsm.streams import Answer, Play

STUD5 = "tas-2018-stud5"

HOLES = ("4c", "9d", "Jh", "2s")
FIRST_UP = ("7h", "Kd", "Qc", "8s")
SECOND_UP = ("Ah", "3c", "5d", "8d")
THIRD_UP = ("2h", "3s", "5s", "Th")
"""Believable cards for seats 1 to 4: seat 2 opens the first round with its king, seat 4 the second with a pair."""


class StudPlay(Play):
    """Four seats, the button at seat 4."""

    def __init__(self) -> None:
        super().__init__(STUD5)

    def down(self, *cards: str, seats: Sequence[int] = (1, 2, 3, 4)) -> Answer:
        """A closed card to each of these seats."""
        return self.all(self.card(f"seat:{seat}", card) for seat, card in zip(seats, cards, strict=False))

    def up(self, *cards: str, seats: Sequence[int] = (1, 2, 3, 4)) -> Answer:
        """An open card to each of these seats."""
        return self.all(self.card(f"seat:{seat}", card, "up") for seat, card in zip(seats, cards, strict=False))

    def first_cards(self) -> Answer:
        """One down and one up to each: seat 2 shows the highest card."""
        return self.all([self.down(*HOLES), self.up(*FIRST_UP)])

    def all_call(self) -> Answer:
        """The first betting round: seat 2 bets the minimum, and everybody calls."""
        return self.acts("2 bet 500", "3 call 500", "4 call 500", "1 call 500")

    def boxed(self, card: str | None = None) -> Answer:
        """A card leaves the shoe face up."""
        return self.send("shoe.card", card=card, face="up", deck="blue")


def stud(**options: Any) -> StudPlay:
    """Ready for the first card: checked, open, shuffled, cut, antes laid."""
    play = StudPlay()
    play.open((1, 2, 3, 4), **{"table_min": 500, **options})
    play.shuffle()
    for seat in (1, 2, 3, 4):
        play.send("action", seat=seat, action="ante", cents=500)
    return play


def stud_dealt(**options: Any) -> StudPlay:
    """The first two cards dealt, the first betting round open."""
    play = stud(**options)
    play.first_cards()
    return play

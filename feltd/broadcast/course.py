"""The course of a round that is over: whose cards lay where as each street began, and what they were worth then."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from feltd.broadcast.equities import Own, equities
from table_fsm.felt import ROUND_RESULTS, SEAT_OF, Phase
from table_fsm.poker.hands.order import HandOrder
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.model import DealStep
from table_fsm.table import Table

_HOUSE: Final = "house"


@dataclass(frozen=True, slots=True)
class Street:
    """`board`: its cards as the street began. `equities`: by seat, a share of one; none where none is had."""

    board: tuple[str, ...]
    equities: Mapping[int, float]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """A player's cards, and whether they were folded. A card that nobody read is None."""

    seat: int
    cards: tuple[str | None, ...]
    folded: bool


@dataclass(frozen=True, slots=True)
class _Began:
    """A street as it began. `own`: of every seat that has cards; `seen`: all cards that have lain at a seat.

    `twice`: the board is run twice from here on, so that each pot has two winners' boards.
    """

    board: tuple[str, ...]
    own: Mapping[int, tuple[str | None, ...]]
    live: frozenset[int]
    seen: frozenset[str]
    twice: bool


class Course:
    """What is seen of one round, event by event."""

    def __init__(self, book: Rulebook) -> None:
        self.book = book
        streets = book.book.streets
        own = accumulate(_count(street.deal, "seats") - _count(street.deal, "discards") for street in streets)
        board = accumulate(_count(street.deal, "board") for street in streets)
        self._ends = list(zip(own, board, strict=True))
        """How many own cards and cards of the board there are once each street is dealt."""
        self._own: dict[int, tuple[str | None, ...]] = {}
        self._folded: set[int] = set()
        self._seen: set[str] = set()
        self._began: dict[int, _Began] = {}
        self._drew: dict[str, frozenset[int]] = {}
        """By street: who came to its draw."""
        self._order: HandOrder | None = None
        self.result: Phase | None = None
        """How the round ended; None before its end."""

    def see(self, table: Table) -> None:
        """Look at the table after an event."""
        view, zones = table.view(), table.cards_by_zone()
        self.result = view["phase"] if view["phase"] in ROUND_RESULTS else None
        counts = {own for own, _ in self._ends}
        for zone, seat in SEAT_OF.items():
            lying, known = tuple(zones.get(zone, ())), self._own.get(seat, ())
            if len(lying) in counts and len(lying) >= len(known) and (None not in lying or len(lying) > len(known)):
                self._own[seat] = lying
                self._seen.update(card for card in lying if card is not None)
        if not self._own:
            return
        self._order = table.order_of_hands()
        self._folded.update(place["seat"] for place in view["seats"] if place["seat"] in self._own and place["folded"])
        if view["phase"] == "draw":
            self._drew.setdefault(str(view["street"]), frozenset(self._own.keys() - self._folded))
        board = tuple(card for card in view["board"] if card is not None and card != "back")
        at = self._street(board, view["street"] if view["phase"] == "betting" else None)
        if at is not None:
            live = frozenset(self._own.keys() - self._folded)
            twice = view["board2"] is not None
            self._began[at] = _Began(board, dict(self._own), live, frozenset(self._seen), twice)

    def held(self) -> tuple[Held, ...]:
        """Everybody's cards at the end."""
        return tuple(Held(seat, cards, seat in self._folded) for seat, cards in sorted(self._own.items()))

    def told(self) -> tuple[Street, ...]:
        """Each street, with what the hands in it were worth."""
        streets = self.book.book.streets
        return tuple(
            Street(began.board, self._worth(at, began), streets[at].name) for at, began in sorted(self._began.items())
        )

    def _street(self, board: tuple[str, ...], betting: str | None) -> int | None:
        """The street that has just been dealt. `betting`: the one that is bet on.

        The cards of the first come to one after the other: it is looked at anew until somebody folds. A draw changes no
        count, so only the betting behind it tells.
        """
        lying = {len(cards) for seat, cards in self._own.items() if seat not in self._folded}
        for at, (street, (own, on_board)) in enumerate(zip(self.book.book.streets, self._ends, strict=True)):
            if lying == {own} and len(board) == on_board and (not street.draw or betting == street.name):
                again = at == 0 and not self._folded and len(self._began) <= 1
                if at not in self._began or again:
                    return at
        return None

    def _worth(self, at: int, began: _Began) -> Mapping[int, float]:
        if self._order is None or self.book.book.banked == _HOUSE:  # each plays against the dealer there
            return {}
        if began.twice:  # a board alone would give one player what two share
            return {}
        own, on_board = self._ends[-1]
        playing = self._known(at, began)
        if not playing:
            return {}
        live: dict[int, Own] = {}
        for seat in sorted(playing):
            cards = [card for card in began.own[seat] if card is not None]
            if len(cards) < len(began.own[seat]):
                return {}  # the others would be told to share what this hand may win
            kept = tuple(card for card in cards if card in self._own[seat])  # a player may change cards behind this
            live[seat] = Own(kept, own - len(kept))
        return equities(self._order, began.board, on_board - len(began.board), live, began.seen)

    def _known(self, at: int, began: _Began) -> frozenset[int]:
        """Who plays on a street, without those who folded before a draw that was to come: nobody knows what they would
        have drawn. None, where that leaves one of several."""
        draws = [street.name for street in self.book.book.streets[at + 1 :] if street.draw]
        known = began.live.intersection(*(self._drew.get(name, frozenset()) for name in draws))
        return known if len(known) > 1 or known == began.live else frozenset()


def _count(deal: Iterable[DealStep], to: str) -> int:
    """How many cards a deal has for one place."""
    return sum(step.cards for step in deal if step.to == to)

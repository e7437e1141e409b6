"""The course of a round that is over: whose cards lay where as each street began, and what they were worth then."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from feltd.broadcast.equities import Own, equities
from table_fsm.felt import ROUND_RESULTS, SEAT_OF, Phase
from table_fsm.poker.hands.order import HandOrder
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.model import DealStep
from table_fsm.table import Table
from table_fsm.view.shapes import CardSeen

_HOUSE: Final = "house"


@dataclass(frozen=True, slots=True)
class Street:
    """`board`: its cards as the street began. `equities`: by seat, a share of one; none where none is had.

    Where the board is run twice from here on, `board2` is the second one as it had this street, and each equity is the
    share of what its own board wins: half of each pot.
    """

    board: tuple[str, ...]
    equities: Mapping[int, float]
    name: str = ""
    board2: tuple[str, ...] = ()
    equities2: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Held:
    """A player's cards, and whether they were folded. A card that nobody read is None."""

    seat: int
    cards: tuple[str | None, ...]
    folded: bool


@dataclass(frozen=True, slots=True)
class _Began:
    """A street as it began. `own`: of every seat that has cards; `seen`: all cards that have lain at a seat or on the
    other board.

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
        self._second: dict[int, _Began] = {}
        """The streets of the second board."""
        self._shared: int | None = None
        """Cards that belong to both boards; None while the board is run once."""
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
        board = _open(view["board"])
        second = self._second_board(board, view["board2"])
        at = self._street(board, view["street"] if view["phase"] == "betting" else None)
        if at is not None:
            self._began[at] = self._as_it_is(board, second)
        for street, (_, on_board) in enumerate(self._ends):
            if self._shared is not None and len(second) == on_board > self._shared and street not in self._second:
                self._second[street] = self._as_it_is(second, board)

    def held(self) -> tuple[Held, ...]:
        """Everybody's cards at the end."""
        return tuple(Held(seat, cards, seat in self._folded) for seat, cards in sorted(self._own.items()))

    def told(self) -> tuple[Street, ...]:
        """Each street, with what the hands in it were worth."""
        streets = self.book.book.streets
        return tuple(self._as_told(streets[at].name, at, began) for at, began in sorted(self._began.items()))

    def _as_told(self, name: str, at: int, began: _Began) -> Street:
        if not began.twice:
            return Street(began.board, self._worth(at, began), name)
        second = self._second.get(at)
        if second is None:  # never dealt to its end: what the first board wins nobody knows
            return Street(began.board, {}, name)
        return Street(began.board, self._worth(at, began), name, second.board, self._worth(at, second))

    def _as_it_is(self, board: tuple[str, ...], other: tuple[str, ...]) -> _Began:
        live, seen = frozenset(self._own.keys() - self._folded), frozenset(self._seen | (set(other) - set(board)))
        return _Began(board, dict(self._own), live, seen, self._shared is not None)

    def _second_board(self, first: tuple[str, ...], seen: Sequence[CardSeen] | None) -> tuple[str, ...]:
        """The second board: the cards that were dealt before it was agreed, and its own. Empty while it is run once."""
        if seen is None:
            return ()
        self._shared = len(first) if self._shared is None else self._shared
        return first[: self._shared] + _open(seen)

    def _street(self, board: tuple[str, ...], betting: str | None) -> int | None:
        """The street that has just been dealt. `betting`: the one that is bet on.

        The cards of the first come to one after the other: it is looked at anew until somebody folds or a second board
        is agreed on. A draw changes no count, so only the betting behind it tells.
        """
        lying = {len(cards) for seat, cards in self._own.items() if seat not in self._folded}
        for at, (street, (own, on_board)) in enumerate(zip(self.book.book.streets, self._ends, strict=True)):
            if lying == {own} and len(board) == on_board and (not street.draw or betting == street.name):
                again = at == 0 and not self._folded and len(self._began) <= 1 and self._shared is None
                if at not in self._began or again:
                    return at
        return None

    def _worth(self, at: int, began: _Began) -> Mapping[int, float]:
        if self._order is None or self.book.book.banked == _HOUSE:  # each plays against the dealer there
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


def _open(cards: Iterable[CardSeen]) -> tuple[str, ...]:
    return tuple(card for card in cards if card is not None and card != "back")


def _count(deal: Iterable[DealStep], to: str) -> int:
    """How many cards a deal has for one place."""
    return sum(step.cards for step in deal if step.to == to)

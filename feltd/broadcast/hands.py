"""The hands that a table has let go for its broadcast: each card, folded or not, and what a hand was worth."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from random import Random
from typing import TYPE_CHECKING, Final

from feltd.page.history.replayed import each_event
from feltd.page.history.search import FoundRound
from feltd.record import EntryKind, HostEntry, Reveal, Span
from feltd.record.notes import BROADCAST_NOTE
from feltd.record.rows import JournalRows
from feltd.text.errors import FeltdError
from table_fsm.felt import SEAT_OF
from table_fsm.rulebook import Rulebook
from table_fsm.table import Table

if TYPE_CHECKING:
    from pokerkit import Card

BOARDS: Final = (0, 3, 4, 5)
"""Cards on the board as each street's betting begins."""
ALL_BOARDS: Final = 1000
"""Boards that may still come, up to which each is looked at: from a flop on."""
SAMPLES: Final = 600
"""Boards that are drawn where there are more: an equity is right within some four in a hundred then."""


@dataclass(frozen=True, slots=True)
class Street:
    """`board`: its cards as the street began. `equities`: by seat, a share of one; none where none is had."""

    board: tuple[str, ...]
    equities: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Held:
    """A player's cards, and whether they were folded. A card that nobody read is None."""

    seat: int
    cards: tuple[str | None, ...]
    folded: bool


@dataclass(frozen=True, slots=True)
class BroadcastHand:
    """A round that is over. `ended`: seconds since 1970."""

    round: int
    ended: float
    game: str
    held: tuple[Held, ...]
    streets: tuple[Street, ...]


@dataclass(slots=True)
class LetGo:
    """The hands of a record as the table lets them go. `most`: the newest that are kept."""

    rulebooks: Mapping[str, Rulebook]
    most: int = 20
    hands: dict[int, BroadcastHand] = field(default_factory=dict)
    problems: dict[int, str] = field(default_factory=dict)
    """By round: why one cannot be told."""
    _seen: int = 0

    def catch_up(self, record: JournalRows) -> bool:
        """Read what has been let go since the last call; whether there was anything. Raises JournalError."""
        last = record.last_entry()
        new = sorted(set(self._rounds(record, last)))
        self._seen = last
        for number in new:
            try:
                self.hands[number] = _hand(record, number, self.rulebooks)
            except FeltdError as fault:
                self.problems[number] = str(fault)
        for number in sorted(self.hands)[: -self.most]:
            del self.hands[number]
        return bool(new)

    def _rounds(self, record: JournalRows, last: int) -> Iterator[int]:
        """The newest rounds of which a note says that they were let go, beyond what was seen."""
        span = Span(after=self._seen, until=last, kind=EntryKind.HOST, name=HostEntry.NOTE)
        found: set[int] = set()
        for entry in record.entries(span, reveal=Reveal.NOTHING, newest_first=True):
            if entry.body.get("note") == BROADCAST_NOTE and isinstance(entry.body.get("round"), int):
                found.add(entry.body["round"])
                yield entry.body["round"]
            if len(found) >= self.most:
                return


def _hand(record: JournalRows, number: int, rulebooks: Mapping[str, Rulebook]) -> BroadcastHand:
    """One round played again with all its cards. Raises HistoryError, JournalError."""
    round_ = _found(record, number)
    game = ""
    holes: dict[int, tuple[str | None, ...]] = {}
    folded: dict[int, bool] = {}
    streets: dict[int, tuple[tuple[str, ...], frozenset[int]]] = {}
    selection = ""
    for _, _, _, table in each_event(record, round_, rulebooks):
        book = table.rulebook
        if book is None:
            continue
        game, selection = book.title, book.book.hands.selection
        count = sum(deal.cards for deal in book.book.streets[0].deal if deal.to != "board")
        for zone, seat in SEAT_OF.items():
            lying = tuple(table.cards_by_zone().get(zone, ()))
            if len(lying) == count and (seat not in holes or None in holes[seat]):
                holes[seat] = lying
        if holes:
            _street(table, holes, folded, streets)
    whole = {seat: cards for seat, cards in holes.items() if None not in cards}
    told = tuple(
        Street(board, _equities(board, [seat for seat in whole if seat in live], whole, selection))
        for board, live in streets.values()
    )
    held = tuple(Held(seat, cards, folded.get(seat, False)) for seat, cards in sorted(holes.items()))
    return BroadcastHand(number, round_.ended or 0.0, game, held, told)


def _street(
    table: Table,
    holes: Mapping[int, tuple[str | None, ...]],
    folded: dict[int, bool],
    streets: dict[int, tuple[tuple[str, ...], frozenset[int]]],
) -> None:
    """Note who has folded, and, where a street has just begun, its board and who is still in it."""
    view = table.view()
    for place in view["seats"]:
        if place["seat"] in holes:
            folded[place["seat"]] = folded.get(place["seat"], False) or place["folded"]
    board = tuple(card for card in view["board"] if card is not None and card != "back")
    if len(board) in BOARDS:
        live = frozenset(seat for seat in holes if not folded.get(seat, False))
        if len(board) not in streets or (not board and not any(folded.values())):
            streets[len(board)] = board, live


def _found(record: JournalRows, number: int) -> FoundRound:
    """Where a round lies in the record."""

    def host(name: HostEntry, until: int | None = None) -> Iterable[tuple[int, float]]:
        of = number if until is None else None
        span = Span(kind=EntryKind.HOST, name=name, round=of, until=until)
        found = record.entries(span, reveal=Reveal.NOTHING, newest_first=True)
        return ((entry.seq, entry.wall) for entry in found)

    began = next(iter(host(HostEntry.ROUND_BEGIN)), None)
    ended = next(iter(host(HostEntry.ROUND_END)), None)
    if began is None or ended is None:
        raise FeltdError(f"round {number} has no beginning or no end in this record")
    before = next(iter(host(HostEntry.SNAPSHOT, began[0])), (0, 0.0))
    return FoundRound(number, before[0], began[0], ended[0], began[1], ended[1], None, None, None, None, (), 0)


def _equities(
    board: Sequence[str], live: Sequence[int], holes: Mapping[int, tuple[str | None, ...]], selection: str
) -> dict[int, float]:
    """What each hand is worth: its share of the pot over the boards that may come. Folded cards come no more."""
    strength = _strength(selection)
    if strength is None or not live:
        return {}
    if len(live) == 1:
        return {live[0]: 1.0}
    from pokerkit import Card, Deck

    def cards(names: Iterable[str | None]) -> tuple["Card", ...]:
        return tuple(Card.parse("".join(filter(None, names))))

    own, lying = {seat: cards(names) for seat, names in holes.items()}, cards(board)
    gone = {card for names in own.values() for card in names} | set(lying)
    deck = [card for card in Deck.STANDARD if card not in gone]
    shares, boards = dict.fromkeys(live, 0.0), 0
    for coming in _boards(deck, max(BOARDS) - len(lying)):
        strengths = {seat: strength(own[seat], (*lying, *coming)) for seat in live}
        best = max(strengths.values())
        winners = [seat for seat in live if strengths[seat] == best]
        for seat in winners:
            shares[seat] += 1.0 / len(winners)
        boards += 1
    return {seat: share / boards for seat, share in shares.items()}


def _boards(deck: "Sequence[Card]", count: int) -> "Iterator[tuple[Card, ...]]":
    """The cards that may still come to the board: all of them, or a draw that is the same each time."""
    if comb(len(deck), count) <= ALL_BOARDS:
        yield from combinations(deck, count)
        return
    chance = Random(len(deck))  # noqa: S311 - no secret: the same hand has the same figures each time
    for _ in range(SAMPLES):
        yield tuple(chance.sample(deck, count))


def _strength(selection: str) -> "Callable[[Sequence[Card], Sequence[Card]], int] | None":
    """By own cards and a whole board how strong a hand is, by pokerkit's tables; None where it has no such game."""
    from pokerkit import OmahaHoldemHand, StandardHighHand

    def any_five(own: "Sequence[Card]", board: "Sequence[Card]") -> int:
        table = StandardHighHand.lookup
        return max(int(table.get_entry(five).index) for five in combinations((*own, *board), 5))

    def two_of_four(own: "Sequence[Card]", board: "Sequence[Card]") -> int:
        table = OmahaHoldemHand.lookup
        fives = (two + three for two in combinations(own, 2) for three in combinations(board, 3))
        return max(int(table.get_entry(five).index) for five in fives)

    return {"any_five": any_five, "two_of_four": two_of_four}.get(selection)

"""Chip races: odd small chips become chips of the next denomination, by the book's method.

A race is its start and the cards dealt into it, in order; the seat due a card and the result follow from those. Every
seat's pile is read on its own: its first cards are the race's, any further ones break ties. So a card that comes to
another seat than the due one changes nothing as long as each seat gets its number. Chips are numbers of chips, amounts
are cents (points in a tournament).

Readings that hold for all methods, where the sources are silent (ours): cards go clockwise from seat 1, the dealer's
immediate left, all of a seat's cards before the next seat's; an only holder of odd chips needs no card (Onyx Chip Races
3 says so of its own), nor does a race for no chip at all; the joker has no rank in a race: another card is dealt.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Self

from table_fsm.errors import Refused
from table_fsm.felt import CARDS_SAID, JOKER, RANKS, SEATS, SUITS, is_card_name


class RaceMethod(StrEnum):
    """A book's method of racing chips."""

    TAKES_ALL = "takes_all"
    """ACT 2001 4.8: one card each, the highest takes all odd chips, exchanges them and keeps the remainder (ours)."""
    HALF_UP = "half_up"
    """The Star 7.42: half a new chip or more is one; a card per odd chip; one new chip each; ties get more cards."""
    PLAYERS_FAVOUR = "players_favour"
    """Onyx Chip Races: any part of a new chip is one; a card per odd chip; one new chip each; suits break ties."""


@dataclass(frozen=True, slots=True)
class RaceResult:
    """The result of a race.

    `chips`: new chips by seat, with those of `kept_in`. `kept_in`: seats that were given one so as not to be raced out.
    `raced_out`: seats left with nothing. `removed`: cents of small chips that leave play. `remainder`: cents of small
    chips that stay with the winner.
    """

    chips: Mapping[int, int]
    kept_in: tuple[int, ...]
    raced_out: tuple[int, ...]
    removed: int
    remainder: int


@dataclass(frozen=True, slots=True)
class Race:
    """A race in progress.

    `odd`: seat and number of odd chips, clockwise. `cards`: as dealt, None unread.
    """

    method: RaceMethod
    chip: int
    new_chip: int
    odd: tuple[tuple[int, int], ...]
    last: tuple[int, ...]
    cards: tuple[tuple[int, str | None], ...] = ()

    @property
    def prize(self) -> int:
        """Number of new chips to win."""
        return _METHODS[self.method].prize(self._tally, self.new_chip)

    @property
    def due(self) -> int | None:
        """The seat that is due the next card; None if no card is due."""
        return next(iter(self.owed), None)

    @property
    def owed(self) -> dict[int, int]:
        """Number of cards each seat is still due, in dealing order; seats due none are left out."""
        return self._standing()[1]

    @property
    def undecided(self) -> str | None:
        """The reason why a person must decide although every card has been dealt; else None.

        It names no card.
        """
        return self._standing()[2]

    @property
    def result(self) -> RaceResult | None:
        """The result of the race; None while cards are due or a person must decide."""
        winners, owed, undecided = self._standing()
        if owed or undecided is not None:
            return None
        method = _METHODS[self.method]
        chips = dict.fromkeys(winners, self.prize if method.takes_all else 1)
        losers = tuple(seat for seat in self.last if seat not in chips)
        kept_in = () if method.takes_all else losers
        remainder = self._tally - self.prize * self.new_chip if method.takes_all else 0
        chips |= dict.fromkeys(kept_in, 1)
        return RaceResult(
            chips=MappingProxyType(dict(sorted(chips.items()))),
            kept_in=kept_in,
            raced_out=losers if method.takes_all else (),
            removed=self._tally - remainder,
            remainder=remainder,
        )

    def passed_over(self, seat: int, *, each_whole: bool) -> int | None:
        """The seat before this one that should have had a card first; None where this one is in order.

        `each_whole`: a seat gets all its cards before the next seat any. Else nothing says so, and one card each in
        turn is in order too.
        """
        if each_whole:
            return None if self.due in {None, seat} else self.due
        lying = [owner for owner, _ in self.cards]
        has = lying.count(seat)
        before = [owner for owner in self.owed if owner < seat and lying.count(owner) <= has]
        return next(iter(before), None)

    def deal(self, seat: int, card: str | None) -> Self:
        """Return the race with one more card, before `seat`.

        Raises Refused for a name that is no card's, and for a card that no seat is due.
        """
        if card is not None and not is_card_name(card):
            raise Refused(f"race: {card!r} is no card: {CARDS_SAID}")
        if card == JOKER:
            raise Refused(f"race: the joker has no rank in a race: deal seat {seat} another card")
        owed = self.owed
        if seat not in owed:
            wanted = f"seat {next(iter(owed))} is" if owed else "nobody is"
            raise Refused(f"race: seat {seat} is due no card: {wanted} due the next one")
        return replace(self, cards=(*self.cards, (seat, card)))

    def read(self, seat: int, card: str) -> Self:
        """Return the race with an unread card of `seat` named.

        Raises Refused if there is no unread card, or the name is no card's.
        """
        if not is_card_name(card) or card == JOKER:
            raise Refused(f"race: {card!r} has no rank in a race: rank {RANKS} and suit {SUITS}")
        if (seat, None) not in self.cards:
            raise Refused(f"race: seat {seat} has no unread card")
        place = self.cards.index((seat, None))
        return replace(self, cards=(*self.cards[:place], (seat, card), *self.cards[place + 1 :]))

    def take_back(self, seat: int) -> Self:
        """Return the race without the last card before `seat`.

        Raises Refused if it has none.
        """
        place = next((n for n in range(len(self.cards) - 1, -1, -1) if self.cards[n][0] == seat), None)
        if place is None:
            raise Refused(f"race: seat {seat} has no card to take back")
        return replace(self, cards=(*self.cards[:place], *self.cards[place + 1 :]))

    @property
    def _tally(self) -> int:
        return sum(count for _, count in self.odd) * self.chip

    def _pile(self, seat: int) -> list[str | None]:
        return [card for owner, card in self.cards if owner == seat]

    def _standing(self) -> tuple[list[int], dict[int, int], str | None]:
        """The seats sure of winning, the cards still due by seat, and why a person must decide."""
        racers = [seat for seat, _ in self.odd]
        method = _METHODS[self.method]
        seats_that_win = min(1, len(racers)) if method.takes_all else self.prize
        if not seats_that_win or len(racers) == 1:
            return racers[:seats_that_win], {}, None
        first = {seat: 1 if method.takes_all else count for seat, count in self.odd}
        piles = {seat: self._pile(seat) for seat in racers}
        owed = {seat: first[seat] - len(piles[seat]) for seat in racers if len(piles[seat]) < first[seat]}
        if owed:
            return [], owed, None
        winners: list[int] = []
        level = racers
        shown: dict[int, Sequence[str | None]] = {seat: piles[seat][: first[seat]] for seat in racers}
        tie = 0
        while True:
            unread = [seat for seat in level if None in shown[seat]]
            if unread:
                return winners, {}, f"seat {unread[0]} has a card that was not read"
            sure, level = _split(level, shown, seats_that_win - len(winners), method)
            winners += sure
            if not level:
                return winners, {}, None
            if method.suits:
                return winners, {}, f"seats {' and '.join(map(str, level))} show the same card"
            owed = {seat: 1 for seat in level if len(piles[seat]) <= first[seat] + tie}
            if owed:
                return winners, owed, None
            shown = {seat: piles[seat][first[seat] + tie :][:1] for seat in level}
            tie += 1


@dataclass(frozen=True, slots=True)
class _Method:
    """The rules of a method of racing.

    `prize`: new chips for a tally and a new chip, in cents. `suits`: suits break ties.
    """

    prize: Callable[[int, int], int]
    takes_all: bool
    suits: bool


_METHODS: Final[Mapping[RaceMethod, _Method]] = MappingProxyType(
    {
        RaceMethod.TAKES_ALL: _Method(lambda tally, new: tally // new, takes_all=True, suits=True),
        RaceMethod.HALF_UP: _Method(lambda tally, new: (2 * tally + new) // (2 * new), takes_all=False, suits=False),
        RaceMethod.PLAYERS_FAVOUR: _Method(lambda tally, new: -(-tally // new), takes_all=False, suits=True),
    }
)


def _split(
    seats: list[int], shown: Mapping[int, Sequence[str | None]], prize: int, method: _Method
) -> tuple[list[int], list[int]]:
    """The seats whose best card surely wins one of `prize`, and those equal for the last one.

    The second list is empty if all fit.
    """
    if len(seats) <= prize:
        return seats, []
    best = {seat: max(_value(card, method) for card in shown[seat] if card is not None) for seat in seats}
    ranked = sorted(best.values(), reverse=True)
    cut = ranked[prize - 1]
    if ranked[prize] != cut:
        return [seat for seat in seats if best[seat] >= cut], []
    return [seat for seat in seats if best[seat] > cut], [seat for seat in seats if best[seat] == cut]


def _value(card: str, method: _Method) -> tuple[int, int]:
    """The value of a card: rank, ace highest.

    Then, where suits count, spades, hearts, diamonds, clubs.
    """
    return RANKS.index(card[0]), -SUITS.index(card[1]) if method.suits else 0


def start_race(method: RaceMethod, chip: int, new_chip: int, odd: Mapping[int, int], last: Sequence[int] = ()) -> Race:
    """Start a race of chips worth `chip` for chips worth `new_chip` cents.

    `odd`: number of odd chips by seat; only chips that cannot be changed for a new chip are odd. `last`: the seats that
    have no other chips. Raises Refused, naming the field and the remedy.
    """
    if not 0 < chip < new_chip:
        raise Refused(f"race.start: chip {chip} and new_chip {new_chip}: the new chip must be worth more, both above 0")
    for seat, count in odd.items():
        if seat not in SEATS:
            raise Refused(f"race.start: odd: there is no seat {seat}: {SEATS[0]} to {SEATS[-1]}")
        if count < 0:
            raise Refused(f"race.start: odd: seat {seat} cannot have {count} chips: 0 or more")
        if count * chip >= new_chip:
            raise Refused(f"race.start: odd: seat {seat} has {count} chips of {chip}: change them for {new_chip} first")
    for seat in last:
        if not odd.get(seat):
            raise Refused(f"race.start: last: seat {seat} has no odd chips: name seats that have nothing else")
    racers = tuple((seat, odd[seat]) for seat in sorted(odd) if odd[seat])
    return Race(RaceMethod(method), chip, new_chip, racers, tuple(sorted(set(last))))

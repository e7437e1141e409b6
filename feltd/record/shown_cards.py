"""Which of a round's sealed entries name a card that the round showed.

A card is followed from the shoe to where it lies and away again. It was shown where an event names it face up in its
zone, or says that it was exposed there, and where the table took the dealer's word that the hand lies open. Then the
entries that told of it before, and later, tell nothing more.

An entry is opened because of a card that was shown **in its own place**: out of the shoe the cards come to rest in the
order in which they came out, and in a zone a card is told by its name. So a card that nobody saw stays sealed even
where another one of its name was shown elsewhere. What cannot be followed (a card that no reader named, two readings of
one card) stays sealed. A deck check in mid-round names what lies on the table, and is never opened.

A card may come a second time in a round, out of a stub that was shuffled. What hid it the first time stays sealed
however it is shown then: a name that comes to rest is looked for nowhere else any more; a lift that no reader named
leaves a zone of which nobody knows what lies in it; and what may have gone back into the stub is gone.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from table_fsm.events import (
    CardExposed,
    CardLeftTable,
    CardPlaced,
    CardRemoved,
    CardTurned,
    Event,
    HandShown,
    ShoeCard,
    StubShuffled,
)
from table_fsm.felt import BOARD_ZONES, SEAT_OF, SEAT_ZONE

_KEEPS_ITS_CARDS: Final = frozenset((*SEAT_OF, *BOARD_ZONES, "dealer"))
"""Zones whose cards stay while the undealt ones are shuffled. Those of all others may be returned to them."""


@dataclass(slots=True)
class _Card:
    """A card on its way through a round: the sealed entries that name it, and whether the round showed it."""

    name: str | None
    entries: list[int] = field(default_factory=list)
    shown: bool = False


class ShownCards:
    """The cards of one round, by where they are."""

    def __init__(self) -> None:
        self._from_shoe: deque[_Card] = deque()
        self._lying: dict[str, list[_Card]] = {}
        self._in_hand: list[_Card] = []
        """Taken from a zone, and not laid down again."""
        self._opened: set[int] = set()
        self._said_open: int | None = None
        """The seat whose hand lies open by the dealer's word of the last event, unless the table has refused it."""

    @property
    def opened(self) -> frozenset[int]:
        """The entries whose cards the round has shown so far."""
        self._open_hand()
        return frozenset(self._opened)

    def take(self, seq: int, event: Event) -> None:
        """Follow the event of entry `seq`."""
        self._open_hand()
        match event:
            case ShoeCard():
                card = _Card(event.card)
                self._from_shoe.append(card)
                self._told(card, seq, shown=event.face == "up")
            case CardPlaced():
                card = self._laid(event.card)
                self._forget_others(event.card)
                self._lying.setdefault(event.zone, []).append(card)
                self._told(card, seq, shown=event.face == "up")
            case CardTurned():
                self._told(self._found(event.zone, event.card), seq, shown=event.face == "up")
            case CardExposed():
                self._told(self._found(event.zone, event.card), seq, shown=True)
            case HandShown():
                self._said_open = event.seat
            case CardRemoved() | CardLeftTable():
                card = self._found(event.zone, event.card)
                self._told(card, seq, shown=False)
                self._taken_up(event.zone, card)
            case StubShuffled():
                self._in_hand.clear()  # what was taken up went back among the cards not dealt
                self._from_shoe.clear()
                for zone in self._lying.keys() - _KEEPS_ITS_CARDS:
                    del self._lying[zone]
            case _:
                pass

    def refused(self) -> None:
        """Take note that the table has refused the last event: it shows no hand."""
        self._said_open = None

    def _open_hand(self) -> None:
        if self._said_open is None:
            return
        for card in self._lying.get(SEAT_ZONE[self._said_open], ()):
            card.shown = True
            self._opened.update(card.entries)
            card.entries.clear()
        self._said_open = None

    def _told(self, card: _Card, seq: int, *, shown: bool) -> None:
        card.entries.append(seq)
        card.shown |= shown
        if card.shown:
            self._opened.update(card.entries)
            card.entries.clear()

    def _laid(self, name: str | None) -> _Card:
        """The card that comes to rest: the next out of the shoe, else one that was taken up, else one never seen."""
        if self._from_shoe:
            card = self._from_shoe.popleft()
            return card if card.name == name else _Card(name)
        for card in self._in_hand:
            if card.name == name and name is not None:
                self._in_hand.remove(card)
                return card
        return _Card(name)

    def _found(self, zone: str | None, name: str | None) -> _Card:
        """The card of this name in a zone; one that was shown before one that was not; else one never followed."""
        here = [card for card in self._lying.get(zone or "", ()) if card.name == name and name is not None]
        return min(here, key=lambda card: not card.shown, default=_Card(name))

    def _forget_others(self, name: str | None) -> None:
        """Follow no card of this name that lay elsewhere: it has come to rest now, or was another reading."""
        if name is None:
            return
        self._in_hand = [card for card in self._in_hand if card.name != name]
        for zone, cards in self._lying.items():
            self._lying[zone] = [card for card in cards if card.name != name]

    def _taken_up(self, zone: str | None, card: _Card) -> None:
        if card.name is None:
            self._lying.pop(zone or "", None)  # it may be any of them
            return
        lying = self._lying.get(zone or "", [])
        if any(one is card for one in lying):
            self._lying[zone or ""] = [one for one in lying if one is not card]
            self._in_hand.append(card)

"""What lies on the layout of a generated stream: every card by its true name, also where no reader names it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Deed: TypeAlias = Mapping[str, Any]
"""An event without its time: `ev` and its fields. `card` is the true name; the setting says who can read it."""


@dataclass(slots=True)
class Lying:
    """A card on the layout."""

    card: str
    up: bool


@dataclass(slots=True)
class Layout:
    """Where every card of the pack is: undealt, out of the shoe's mouth, on a zone, or in the dealer's hand."""

    stub: list[str] = field(default_factory=list)
    """The undealt cards; the last is dealt first."""
    zones: dict[str, list[Lying]] = field(default_factory=dict)
    in_hand: list[str] = field(default_factory=list)
    """Cards taken up from a zone that have not been put down."""

    def fresh(self, cards: Iterable[str]) -> None:
        """All cards are collected, and lie in the shoe in this order."""
        self.stub, self.zones, self.in_hand = list(cards), {}, []

    def draw(self) -> str | None:
        """Take the top card of the undealt ones; None if there is none."""
        return self.stub.pop() if self.stub else None

    def at(self, zone: str) -> list[Lying]:
        """The cards of a zone, in the order in which they came."""
        return self.zones.get(zone, [])

    def down(self, zone: str) -> list[str]:
        """Names of the cards of a zone that lie face down."""
        return [lying.card for lying in self.at(zone) if not lying.up]

    def names(self, zone: str) -> list[str]:
        """Names of all cards of a zone."""
        return [lying.card for lying in self.at(zone)]

    def seats(self) -> list[int]:
        """Seats with a card before them."""
        return sorted(int(zone[5:]) for zone, cards in self.zones.items() if zone.startswith("seat:") and cards)

    def note(self, deed: Deed) -> None:
        """Follow an event: a card came, left, or turned."""
        match deed["ev"]:
            case "card.placed":
                self._put(deed["zone"], deed.get("card") or "?", up=deed.get("face") == "up")
            case "card.removed":
                self._lift(deed["zone"], deed.get("card"))
            case "card.left_table" if deed.get("zone"):
                self._lift(deed["zone"], deed.get("card"))
                self.in_hand.clear()
            case "card.turned":
                for lying in self.at(deed["zone"]):
                    if lying.card == deed.get("card"):
                        lying.up = deed.get("face", "up") == "up"
            case "stub.shuffled":
                self.stub = sorted([*self.stub, *self.in_hand], key=lambda card: (card[1:], card[0]))
                self.in_hand = []
            case "hand.end":
                self.zones, self.in_hand = {}, []

    def _put(self, zone: str, card: str, *, up: bool) -> None:
        if card in self.in_hand:
            self.in_hand.remove(card)
        if card in self.stub:
            self.stub.remove(card)
        self.zones.setdefault(zone, []).append(Lying(card, up))

    def _lift(self, zone: str, card: str | None) -> None:
        cards = self.at(zone)
        found = next((lying for lying in cards if lying.card == card), cards[-1] if cards else None)
        if found is not None:
            cards.remove(found)
            self.in_hand.append(found.card)

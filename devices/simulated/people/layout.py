"""The cards on the simulated table, as the people at it know them."""

from dataclasses import dataclass, field

from devices.simulated.people.motions import Held


@dataclass(slots=True)
class Layout:
    """The cards on the table, in the dealer's hand and among the players' discards."""

    zones: dict[str, list[Held]] = field(default_factory=dict)
    in_hand: list[Held] = field(default_factory=list)
    """Taken back by a ruling, or out of the shoe and not yet placed."""
    discards: dict[int, list[Held]] = field(default_factory=dict)
    """By seat, the cards that its player has replaced."""
    marked: dict[str, str] = field(default_factory=dict)
    """By zone, the card that a mistake was made with: a ruling asks for it back."""

    def put(self, zone: str, held: Held) -> None:
        """Put a card into a zone."""
        self.zones.setdefault(zone, []).append(held)

    def take(self, zone: str, card: str) -> None:
        """Take a card out of a zone."""
        lying = self.zones.get(zone, [])
        self.zones[zone] = [held for held in lying if held.card != card]

    def names(self, zone: str) -> list[str]:
        """The names of the cards in a zone."""
        return [held.card for held in self.zones.get(zone, [])]

    def is_up(self, zone: str) -> bool:
        """Whether a card of the zone is face up."""
        return any(held.face == "up" for held in self.zones.get(zone, []))

    def free_on_board(self) -> str:
        """The next empty zone of the board."""
        return next((f"board:{n}" for n in range(1, 6) if not self.names(f"board:{n}")), "board:5")

    def discard(self, seat: int, held: Held) -> None:
        """Move a card that a player replaces to the discards."""
        self.take(f"seat:{seat}", held.card)
        self.discards.setdefault(seat, []).append(held)

    @property
    def empty(self) -> bool:
        """Whether no card is out."""
        return not self.in_hand and not any(self.zones.values())

    def clear(self) -> None:
        """Collect every card."""
        self.zones.clear()
        self.in_hand.clear()
        self.discards.clear()
        self.marked.clear()

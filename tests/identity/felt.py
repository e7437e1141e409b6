"""What the maker of a random stream knows of the table: from its own events, and from what the table has answered."""

from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from tests.identity.streams import Outputs

RANKS: Final = "23456789TJQKA"
SUITS: Final = "shdc"
SEATS: Final = tuple(range(1, 11))
BOARD: Final = tuple(f"board:{n}" for n in range(1, 6))
BOARD2: Final = tuple(f"board2:{n}" for n in range(1, 6))


def pack_of(size: int, *, joker: bool) -> list[str]:
    """The cards of a deck in the order of its box; a smaller one lacks the lowest ranks."""
    ranks = RANKS[(52 - size) // 4 :]
    return [rank + suit for suit in SUITS for rank in ranks] + (["Jo"] if joker else [])


@dataclass(slots=True)
class Card:
    """A card that lies somewhere. `up`: its face is seen."""

    name: str
    up: bool


@dataclass(frozen=True, slots=True)
class Habits:
    """How a table is equipped and how carefully it is dealt; they stay from its opening to its close."""

    shoe: bool
    keypad: bool
    reads_down: bool
    shoe_reads: bool
    two_packs: bool
    sorted_pack: bool
    mistakes: float
    wild: float
    slow: float
    folds: float
    bets: float


@dataclass(slots=True)
class Felt:
    """One table as its dealer sees it."""

    chance: Random
    habits: Habits
    book: str
    seats: list[int]
    options: dict[str, Any]
    t: float = 0.0
    prompt: dict[str, Any] | None = None
    phase: str = "closed"
    street: str | None = None
    button: int | None = None
    unit: int = 200
    """The big blind, the ante or the least wager, in cents."""
    deck: str = "blue"
    pack: list[str] = field(default_factory=list)
    zones: dict[str, list[Card]] = field(default_factory=dict)
    muck: list[str] = field(default_factory=list)
    shown: set[int] = field(default_factory=set)
    pot: int = 0
    commission_due: int = 0
    commission_said: bool = False
    ruling: int = 0
    """The last ruling's id."""
    faults: list[str] = field(default_factory=list)
    view: dict[str, Any] = field(default_factory=dict)
    """The table's view as it was last looked at: some events old."""

    def heard(self, outputs: Outputs, view: dict[str, Any] | None) -> None:
        """Take in what the table has answered."""
        for output in outputs:
            if "prompt" in output:
                self.prompt = output["prompt"]
            elif "phase" in output:
                self.phase, self.street = output["phase"], output.get("street")
            elif "ruling" in output:
                self.ruling = output["ruling"].get("id", self.ruling)
            elif "button" in output:
                self.button = output["button"].get("seat")
            elif "level" in output:
                self.unit = (output["level"].get("blinds") or [self.unit])[-1] or self.unit
            elif "commission" in output:
                due = output["commission"].get("due") or 0
                self.commission_due = due - (output["commission"].get("dropped") or 0)
                self.commission_said = True
        if view is not None:
            self.view = view
            self.prompt = view.get("prompt")
            seats = [seat["seat"] for seat in view.get("seats", ())]
            if seats:
                self.seats = seats

    # -- cards

    def shuffle(self) -> None:
        """All cards are in the pack again."""
        size, joker = self.options.get("deck") or 52, bool(self.options.get("joker"))
        self.pack = pack_of(size, joker=joker)
        if not self.habits.sorted_pack:
            self.chance.shuffle(self.pack)
        self.clear()

    def clear(self) -> None:
        """The layout is empty."""
        self.zones.clear()
        self.muck.clear()
        self.shown.clear()
        self.pot = 0

    def next_card(self) -> str:
        """The next card out of the shoe; when all are out, one that lies somewhere already."""
        if not self.pack:
            self.pack = pack_of(52, joker=False)
            self.chance.shuffle(self.pack)
        return self.pack.pop()

    def put(self, zone: str, name: str, *, up: bool) -> None:
        """A card comes to rest."""
        if zone == "muck":
            self.muck.append(name)
        elif zone == "shoe":
            self.pack.append(name)
        else:
            self.zones.setdefault(zone, []).append(Card(name, up))

    def take(self, zone: str) -> str:
        """The last card of a zone that holds one is taken away."""
        cards = self.zones[zone]
        name = cards.pop().name
        if not cards:
            del self.zones[zone]
        return name

    def holding(self, *, seats_only: bool = False) -> list[str]:
        """The zones with cards, by name."""
        return sorted(zone for zone in self.zones if not seats_only or zone.startswith("seat:"))

    def named(self, name: str, *, up: bool) -> dict[str, str]:
        """The field `card` of an event, where the table's reader can read it."""
        return {"card": name} if up or self.habits.reads_down else {}

    def one_seat(self) -> int:
        """Any seat, most often one with a player."""
        if self.seats and self.chance.random() < 0.9:
            return self.chance.choice(self.seats)
        return self.chance.choice(SEATS)

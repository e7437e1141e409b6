"""The shoe: it shuffles, counts, deals one card at a time, and locks its gate on command."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from pydantic import with_config

from devices.drivers.base import SETTINGS, Command, Driver, Reading
from devices.drivers.fields import Fields
from devices.drivers.places import ALL_SEATS, DeckNames, cut_by, serves_deck
from devices.limits import CARDS_MAX
from table_fsm.events import (
    CardExposed,
    Cut,
    DeckChanged,
    Event,
    ShoeCard,
    ShoeCleared,
    ShoeDeckChecked,
    ShoeFault,
    ShoeShuffled,
    StubShuffled,
)
from table_fsm.felt import EXPOSERS, FaultKind

_KINDS: Final = tuple(FaultKind)


@with_config(SETTINGS)
@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeSettings:
    """`decks`: the deck colours that it may name; if empty, any.

    `cut_sensor`: whether it senses the cut. `names`: whether the name of a card that leaves it face down is taken. At a
    table without readers at the seats it must not be: a hand that is thrown away there would keep its cards' names.
    """

    decks: DeckNames = ()
    cut_sensor: bool = False
    names: bool = True


class ShoeDriver(Driver[ShoeSettings]):
    """The shoe's driver. State: the faults that the shoe latches."""

    role: ClassVar[str] = "shoe"
    settings_type = ShoeSettings

    def __init__(self, name: str, settings: Mapping[str, Any]) -> None:
        super().__init__(name, settings)
        self._faults: set[tuple[str, str | None]] = set()

    def _events_read(self) -> Mapping[str, Reading]:
        readings: dict[str, Reading] = {
            "shuffled": self._shuffled,
            "card_out": self._card_out,
            "fault": lambda read, t: ShoeFault(t=t, kind=read.choice("kind", _KINDS), deck=self._deck(read)),
            "cleared": lambda read, t: ShoeCleared(t=t, kind=read.choice("kind", _KINDS), deck=self._deck(read)),
            "deck_checked": self._deck_checked,
            "deck_changed": lambda read, t: DeckChanged(t=t, deck=self._deck(read)),
            "stub_shuffled": stub_shuffled,
            "exposed": lambda read, t: CardExposed(
                t=t, zone="shoe", card=read.card("card"), by=read.choice("by", EXPOSERS)
            ),
        }
        if self.settings.cut_sensor:
            readings["cut"] = cut
        return readings

    def _deck(self, read: Fields) -> str | None:
        return serves_deck(read, self.settings.decks)

    def _shuffled(self, read: Fields, t: float) -> Event:
        return shuffled(read, t, self._deck(read))

    def _card_out(self, read: Fields, t: float) -> Event:
        card, face = read.card("card"), read.face("face")
        named = self.settings.names or face == "up"
        return ShoeCard(t=t, card=card if named else None, face=face, deck=self._deck(read))

    def _deck_checked(self, read: Fields, t: float) -> Event:
        return deck_checked(read, t, self._deck(read))

    def _compare(self, read: Fields, t: float) -> list[Event]:
        read.yes_no("locked")
        self._deck(read)
        read.optional("undealt", lambda key: read.integer(key, 0, CARDS_MAX))
        there = {self._fault_in_state(read, entry) for entry in read.array("faults", len(_KINDS) * 4)}
        new = sorted(there - self._faults, key=_order)
        gone = sorted(self._faults - there, key=_order)
        return [
            *(ShoeFault(t=t, kind=kind, deck=deck) for kind, deck in new),
            *(ShoeCleared(t=t, kind=kind, deck=deck) for kind, deck in gone),
        ]

    def _fault_in_state(self, read: Fields, entry: object) -> tuple[str, str | None]:
        fault = Fields(self.name, "state", entry)
        kind_and_deck = fault.choice("kind", _KINDS), self._deck(fault)
        fault.done()
        return kind_and_deck

    def observe(self, event: Event) -> None:
        if isinstance(event, ShoeFault):
            self._faults.add((event.kind, event.deck))
        elif isinstance(event, ShoeCleared):
            self._faults.discard((event.kind, event.deck))

    def commands(self, output: Mapping[str, Any]) -> list[Command]:
        return gate_command(self, output)


def gate_command(driver: Driver[Any], output: Mapping[str, Any]) -> list[Command]:
    """The command that an output gives to a gate; none if it gives none.

    Raises DeviceOutputError.
    """
    word = output.get("shoe")
    if word is None:
        return []
    if word not in ("lock", "unlock"):
        raise driver.bad_output("shoe", "it must be lock or unlock")
    return [("gate", {"locked": word == "lock"})]


def _order(fault: tuple[str, str | None]) -> tuple[str, str]:
    return fault[0], fault[1] or ""


def shuffled(read: Fields, t: float, deck: str | None) -> Event:
    """A complete shuffle; the count is None if nothing counted the cards."""
    count = read.optional("count", lambda key: read.integer(key, 0, CARDS_MAX))
    return ShoeShuffled(t=t, deck=deck, count=count)


def stub_shuffled(read: Fields, t: float) -> Event:
    """A shuffle of the undealt cards in a round."""
    return StubShuffled(t=t, count=read.optional("count", lambda key: read.integer(key, 0, CARDS_MAX)))


def deck_checked(read: Fields, t: float, deck: str | None) -> Event:
    """A full check of a deck, card by card."""
    return ShoeDeckChecked(
        t=t,
        deck=deck,
        count=read.integer("count", 0, CARDS_MAX),
        missing=read.cards("missing"),
        foreign=read.cards("foreign"),
        duplicate=read.cards("duplicate"),
    )


def cut(read: Fields, t: float) -> Event:
    """A cut: by whom (default: the dealer), how deep, and how many cards were exposed."""
    return Cut(
        t=t,
        by=cut_by(read, ALL_SEATS),
        depth=read.optional("depth", lambda key: read.integer(key, 0, CARDS_MAX)),
        exposed=read.optional("exposed", lambda key: read.integer(key, 0, CARDS_MAX)) or 0,
    )

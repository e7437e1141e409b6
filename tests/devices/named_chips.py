"""The host's end for an adapter of readers: what it knows of chips, and the names that it gives them."""

from collections.abc import Mapping
from typing import Any

from devices.adapters.chip_names import ChipNames
from devices.adapters.chip_numbers import Packs
from devices.drivers.reader import ReaderDriver
from feltd.table.links.chips_at_hand import TableChips
from table_fsm.events import Event


class NamedChips:
    """The ordinary driver of readers behind the host's list of packs. `packs`: None where none is enrolled."""

    def __init__(self, packs: Packs | None, *zones: str) -> None:
        self.at_hand = TableChips(lambda: packs)
        self.driver = ReaderDriver("reader", {"zones": zones, "look": False})
        self._names = ChipNames(lambda: packs)

    def state(self, state: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[Event]]:
        """The zones with names, and what has changed."""
        assert_numbers(card for cards in state["zones"].values() for card, _ in cards)
        self._names.renew("reader")
        named = self._names.named_state("reader", state)
        return named["zones"], self._observed(self.driver.state_events(named, 1.0))

    def event(self, body: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[Event]]:
        """An event with its card's name, and what it is for the table."""
        assert_numbers([body["card"]])
        named = self._names.named("reader", body)
        assert named is not None
        return named, self._observed(self.driver.events(named, 1.0))

    def _observed(self, events: list[Event]) -> list[Event]:
        for event in events:
            self.driver.observe(event)
        return events


def assert_numbers(cards: Any) -> None:
    """No adapter says which card a chip is."""
    assert all(isinstance(card, bytes) for card in cards)

"""What lies at a simulated table where no device sees it: a pack in the dealer's hand, and places without a reader.

The cards are there all the same, and hands do with them what they do at a whole table. The table hears of it only what
the dealer keys.
"""

from collections.abc import Mapping
from typing import Any, Final

from devices.simulated.things.models import DeviceModel, ReaderModel
from devices.simulated.things.orders import Carried
from devices.simulated.things.pack import FULL_PACK
from devices.simulated.things.shoe_model import ShoeModel
from table_fsm.felt import BOARD_ZONES, RACES, SEAT_OF, SEAT_ZONE, ZONES, Built

KEYED: Final = frozenset({"shuffled", "stub_shuffled", "deck_checked", "deck_changed"})
"""What the dealer says of a pack in the hand, by the keys of the group `cards`."""
_LAID: Final = ZONES - {"shoe", "muck"}
"""Where cards come to rest in a round. No simulated table has a reader in the discards."""


def seen_zones(built: Built) -> frozenset[str]:
    """The zones that a table which is built so has readers for."""
    if built is Built.BOARD_ONLY:
        return BOARD_ZONES
    return _LAID - set(SEAT_OF) - set(RACES) if built is Built.NO_SEAT_READERS else _LAID


def has_shoe(built: Built) -> bool:
    """Whether a table that is built so has a shoe."""
    return built not in {Built.NO_SHOE, Built.BOARD_ONLY}


class BareThings:
    """The cards that no device of a table sees."""

    def __init__(self, built: Built, decks: tuple[str, ...], seed: int, pack: tuple[str, ...] = FULL_PACK) -> None:
        self.pack = None if has_shoe(built) else ShoeModel(decks, seed, pack=pack)
        if self.pack is not None:
            self.pack.post("gate", {"locked": False})  # nothing holds back a pack in the hand
        self.cloth = ReaderModel(tuple(sorted(_LAID - seen_zones(built))))

    @property
    def hides_hands(self) -> bool:
        """Whether no device sees the cards before the players."""
        return SEAT_ZONE[1] in self.zones

    @property
    def zones(self) -> Mapping[str, list[list[str | None]]]:
        """The cards in these places: name and face."""
        zones: dict[str, list[list[str | None]]] = self.cloth.state()["zones"]
        return zones

    def thing(self, role: str | None, zone: str | None) -> DeviceModel | None:
        """What a hand touches that works there; None where a device of the table does."""
        if role == ShoeModel.role:
            return self.pack
        return self.cloth if role == ReaderModel.role and (zone is None or zone in self.zones) else None

    def carry_out(self, thing: DeviceModel, order: Mapping[str, Any]) -> Carried:
        """Do what a hand does; the bodies are those that the dealer keys. Raises OrderRefused."""
        done = thing.order(order)
        return Carried(tuple(body for body in done.bodies if body["ev"] in KEYED), done.reply)

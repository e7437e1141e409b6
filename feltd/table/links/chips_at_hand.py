"""What adapters, in their threads, may know of chips: whether one is a card in play. Never which."""

from devices.adapters.chip_numbers import PackFault, Packs, card_in
from devices.adapters.interface import AdapterFault
from feltd.table.links.links import PacksNow
from feltd.text.errors import FeltdError
from firmware_bridge.errors import FaultCode


class TableChips:
    """The chips of one table. `being_laid` is set in the loop; an adapter's thread reads it."""

    def __init__(self, packs: PacksNow) -> None:
        """`packs`: asked for each chip, so that what the page has changed holds at once."""
        self._packs = packs
        self.being_laid = False
        """Whether cards are laid for a pack."""

    def laid(self) -> bool:
        """Whether cards are laid for a pack just now."""
        return self.being_laid

    def stranger(self, number: bytes) -> PackFault | None:
        """Why a chip is no card in play.

        Raises AdapterFault where the list cannot be read: the reader would tell the card as unread, and nobody would
        hear why.
        """
        packs = self._now()
        card = None if packs is None else card_in(packs, number)
        return card if isinstance(card, PackFault) else None

    def has_near(self, number: bytes, bits: int) -> bool:
        """Whether another card in play is so near. Raises AdapterFault as `stranger` does."""
        packs = self._now()
        return packs is not None and packs.has_near(number, bits)

    def _now(self) -> Packs | None:
        """The list; None where no pack is enrolled, and while cards are laid."""
        if self.being_laid:
            return None
        try:
            return self._packs()
        except FeltdError as fault:
            raise AdapterFault(str(fault), FaultCode.ADAPTER_FAILED) from None

"""A reader over PC/SC that lets each chip prove itself: NTAG 424 DNA chips with keys of their own (docs/packs.md).

The key of the device is the secret that all keys of chips are made of. It lies at the host alone: the reader, its cable
and pcscd carry what nobody can use again. What proves a chip does not prove where it is.
"""

import secrets
from typing import ClassVar

from devices.adapters.chip_proof import BLOCK, NUMBER_BYTES, ChipLostError, UnprovenError, key_of, prove
from devices.adapters.interface import TableSide
from devices.adapters.pcsc import PcscReader
from devices.adapters.pcsc_service import Pcsc, number_by
from firmware_bridge.errors import FaultCode


class ProvingReader(PcscReader):
    """The adapter `pcsc-proving`. Its key has 16 bytes."""

    key_bytes: ClassVar[int] = BLOCK
    _failed: tuple[bytes, int] | None = None
    """The chip that failed last, and the reader's count of comings and goings then."""

    def run(self, table: TableSide) -> None:
        key = self.place.key
        why = "there is none" if key is None else self.weak_key(key)
        if why is not None:
            raise self._fault(f"the key that its chips' keys are made of: {why}", FaultCode.WRONG_KEY)
        super().run(table)

    def _number(self, service: Pcsc, reader: str, count: int) -> bytes | None:
        with service.chip(reader, alone=True) as asks:
            number = None if asks is None else number_by(asks)
            if asks is None or number is None or self.place.chips.stranger(number) is not None:
                return number
            if self._failed == (number, count):  # asked again and again, a chip would shut itself for ever
                raise self._unproven()
            try:
                if len(number) != NUMBER_BYTES:
                    raise UnprovenError
                prove(asks, key_of(self.place.key or b"", number), secrets.token_bytes)
            except ChipLostError:
                return None
            except UnprovenError:
                self._failed = number, count
                raise self._unproven() from None
            return number

    def _unproven(self) -> Exception:
        words = "there is a chip that does not prove itself, a copy or one without its own key"
        return self._fault(f"{words}: take it away and call the floor", FaultCode.MALFORMED)

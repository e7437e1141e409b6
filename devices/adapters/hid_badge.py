"""A badge reader that is a HID device; the kernel's hidraw hands out whole reports.

The maker defines the reports, so the configuration says where the card's number is in them. Nothing is authenticated: a
device with the same vendor, product and serial number may report any card.
"""

import os
import select
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field, with_config

from devices.adapters.badge_numbers import OncePerCard, number_as_name, reader_files, refused, unplugged
from devices.adapters.interface import Adapter, At, TableSide
from devices.drivers.base import SETTINGS

_REPORT_MAX: Final = 4096
_LOOK: Final = 0.5  # seconds


@with_config(SETTINGS)
@dataclass(frozen=True, slots=True, kw_only=True)
class HidSettings:
    """The place of the card's number in a report, and the number's form.

    `report`: the report's number, if the device numbers its reports in their first byte; others are skipped. `offset`:
    bytes before the number, after that first byte. `length`: bytes of the number; at most, if `length_offset` names a
    byte that holds the length. `form`: `hex` and `decimal` of the bytes in `order`, or `text` for digits and letters
    as read. `again_after`: seconds that a card must have been away before it is reported again. A number of zero bytes
    is no card.
    """

    report: Annotated[int, Field(ge=1, le=255)] | None = None
    offset: Annotated[int, Field(ge=0, le=255)] = 0
    length: Annotated[int, Field(ge=1, le=64)] = 8
    length_offset: Annotated[int, Field(ge=0, le=255)] | None = None
    form: Literal["hex", "decimal", "text"] = "hex"
    order: Literal["big", "little"] = "big"
    again_after: Annotated[float, Field(ge=0.0, le=60.0)] = 2.0


class HidBadge(Adapter[HidSettings]):
    """The adapter `hid-badge`."""

    role: ClassVar[str] = "badge"
    at: ClassVar[frozenset[At]] = frozenset({At.USB})
    settings_type = HidSettings

    def run(self, table: TableSide) -> None:
        files, serial = reader_files(self.place, "hidraw")
        file = files[0]
        try:
            descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise refused(self.place, file, error) from None
        try:
            table.up({}, serial=serial)
            self._serve(descriptor, table)
        finally:
            os.close(descriptor)

    def _serve(self, descriptor: int, table: TableSide) -> None:
        once = OncePerCard(self.settings.again_after)
        while True:
            table.orders()  # there are no orders; the call shows that the adapter works
            ready, _, _ = select.select([descriptor], [], [], _LOOK)
            if not ready:
                continue
            try:
                report = os.read(descriptor, _REPORT_MAX)
            except BlockingIOError:
                continue
            except OSError:
                raise unplugged(self.place) from None
            if not report:
                raise unplugged(self.place)
            number = card_number(report, self.settings)
            staff = None if number is None else once.name_of(number)
            if staff is not None:
                table.event({"ev": "badge", "staff": staff})


def card_number(report: bytes, settings: HidSettings) -> str | None:
    """The card's number in a report; None if it holds none or is another report.

    Empty if the report is cut short.
    """
    if settings.report is not None:
        if report[0] != settings.report:
            return None
        report = report[1:]
    length = settings.length
    if settings.length_offset is not None:
        reported = report[settings.length_offset] if settings.length_offset < len(report) else 0
        length = min(length, reported)
    number = report[settings.offset : settings.offset + length]
    if not any(number):
        return None
    if len(number) < length:
        return ""
    backwards = settings.order == "little" and settings.form != "text"
    return number_as_name(number[::-1] if backwards else number, settings.form)

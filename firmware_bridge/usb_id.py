"""Identifies a USB device by vendor, product and, if it has one, serial number."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UsbId:
    """The identity of a USB device.

    `vendor`, `product`: the 16-bit numbers of its descriptor. `serial`: None takes any.
    """

    vendor: int
    product: int
    serial: str | None = None

    def takes(self, other: "UsbId") -> bool:
        """Whether the present device `other` matches."""
        same = (self.vendor, self.product) == (other.vendor, other.product)
        return same and self.serial in (None, other.serial)

    def __str__(self) -> str:
        named = "" if self.serial is None else f" serial {self.serial}"
        return f"USB {self.vendor:04x}:{self.product:04x}{named}"

"""Why a pin cannot be had: each error names the chip or line and the remedy, and says how a link would report it."""

from collections.abc import Sequence

from devices.errors import DeviceError
from firmware_bridge.errors import FaultCode, LinkFault


class PinError(DeviceError):
    """Pins that cannot be used. `what` is wrong and the `remedy` (empty where `what` says it). `fault`: both, as a
    link's."""

    code = FaultCode.PORT_FAILED

    def __init__(self, what: str, remedy: str = "") -> None:
        text = f"{what}; {remedy}" if remedy else what
        super().__init__(text)
        self.what = what
        self.remedy = remedy
        self.fault = LinkFault(self.code, text)


class NoChipError(PinError):
    """No chip of that label, or no line of that number."""

    code = FaultCode.PORT_MISSING


class PinDeniedError(PinError):
    """The chip may not be used by this user."""

    code = FaultCode.PORT_DENIED


class PinBusyError(PinError):
    """Something else drives the line."""

    code = FaultCode.PORT_BUSY


class NoPinLibraryError(PinError):
    """The library of the factory is not installed, or does not know the board."""


def together(faults: Sequence[PinError]) -> PinError:
    """Faults of several lines as one, of the first's kind: everything that is wrong, and each remedy once. At least
    one."""
    said: dict[str, list[str]] = {}
    for fault in faults:
        said.setdefault(fault.remedy, []).append(fault.what)
    parts = ["; ".join([*whats, remedy] if remedy else whats) for remedy, whats in said.items()]
    return type(faults[0])("; ".join(parts))

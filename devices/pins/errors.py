"""Why a pin cannot be used: each error names the chip or line and the remedy."""

from collections.abc import Sequence

from devices.errors import DeviceError
from firmware_bridge.errors import FaultCode, LinkFault


class PinError(DeviceError):
    """Pins that cannot be used.

    `what`: what is wrong. `remedy`: empty if `what` includes it. `fault`: both, as the fault of a link.
    """

    code = FaultCode.PORT_FAILED

    def __init__(self, what: str, remedy: str = "") -> None:
        text = f"{what}; {remedy}" if remedy else what
        super().__init__(text)
        self.what = what
        self.remedy = remedy
        self.fault = LinkFault(self.code, text)


class NoChipError(PinError):
    """No chip with that label, or no line with that number."""

    code = FaultCode.PORT_MISSING


class PinDeniedError(PinError):
    """This user has no permission for the chip."""

    code = FaultCode.PORT_DENIED


class PinBusyError(PinError):
    """Another program drives the line."""

    code = FaultCode.PORT_BUSY


class NoPinLibraryError(PinError):
    """The library of the factory is not installed, or does not know the board."""


def together(faults: Sequence[PinError]) -> PinError:
    """Faults of several lines as one error of the first's class: every fault, each remedy once.

    Needs at least one.
    """
    by_remedy: dict[str, list[str]] = {}
    for fault in faults:
        by_remedy.setdefault(fault.remedy, []).append(fault.what)
    parts = ["; ".join([*whats, remedy] if remedy else whats) for remedy, whats in by_remedy.items()]
    return type(faults[0])("; ".join(parts))

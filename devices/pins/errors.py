"""Why a pin cannot be had: each error names the chip or line and the remedy, and says how a link would report it."""

from devices.errors import DeviceError
from firmware_bridge.errors import FaultCode, LinkFault


class PinError(DeviceError):
    """Pins that cannot be used. `fault`: the same, as a link's."""

    code = FaultCode.PORT_FAILED

    def __init__(self, text: str) -> None:
        super().__init__(text)
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

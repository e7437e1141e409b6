"""The errors of the simulated devices and of the simulated people."""

from devices.errors import DeviceError


class SimulatedDeviceError(DeviceError):
    """Base of every error of the simulation itself."""


class OrderRefused(SimulatedDeviceError):  # noqa: N818 - it is a device's answer: the gate is locked, the shoe is empty
    """A device cannot do what it is ordered to; nothing has changed."""


class ControlError(SimulatedDeviceError):
    """A simulated device's control socket is closed, or what came over it is not an order."""


class CroupierStuckError(SimulatedDeviceError):
    """For too long, the table prompts nothing that the dealer can do."""

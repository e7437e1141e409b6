"""The errors of the simulated devices and of those who work them."""

from devices.errors import DeviceError


class SimulatedDeviceError(DeviceError):
    """Anything that goes wrong in the simulation itself."""


class OrderRefused(SimulatedDeviceError):  # noqa: N818 - it is a device's answer: the gate is locked, the shoe is empty
    """A device cannot do what it is asked to; nothing has changed."""


class ControlError(SimulatedDeviceError):
    """The way to a simulated device's control socket is closed, or what came over it is no order."""


class CroupierStuckError(SimulatedDeviceError):
    """The table asks for nothing that the croupier can do, for too long."""

"""What can go wrong around the virtual machine."""


class MachineError(Exception):
    """Base of all below."""


class CannotBeHadError(MachineError):
    """A part of the machine (QEMU, the kernel, a tool) cannot be had here: what needs it is skipped with this text."""


class GuestFailedError(MachineError):
    """The machine ran, and what it was to do did not succeed. The text has the end of its console."""

"""The errors of devices: one tree; each message names the device, the place in what it said, and the remedy.

What a device sent is quoted only where it cannot be a card: a face-down card must never stand in an error or a log.
"""


class DeviceError(Exception):
    """Anything that a device driver refuses."""


class UnknownRoleError(DeviceError):
    """A role that no driver plays."""

    def __init__(self, role: str, known: tuple[str, ...]) -> None:
        super().__init__(
            f"no device has the role {role!r}: give one of {', '.join(known)} in the table's configuration"
        )
        self.role = role


class DeviceSettingsError(DeviceError):
    """Settings a driver cannot work with. `problems` lists every fault, each with the setting's name."""

    def __init__(self, device: str, problems: list[str]) -> None:
        super().__init__("\n".join(f"device {device}: {problem}" for problem in problems))
        self.device = device
        self.problems = problems


class DeviceMessageError(DeviceError):
    """A message that no honest device with this place at the table sends.

    `device` is the slot's name, `message` what kind of message it was (`state`, `status` or the event's name),
    `field` the key at fault (empty: the message as a whole), `problem` what is wrong with it and `remedy` what to do.
    """

    def __init__(self, device: str, message: str, field: str, problem: str, remedy: str) -> None:
        place = f"message {message}, field {field}" if field else f"message {message}"
        super().__init__(f"device {device}: {place}: {problem}; {remedy}")
        self.device = device
        self.message = message
        self.field = field
        self.problem = problem
        self.remedy = remedy


class DeviceOutputError(DeviceError):
    """An output of the table that a driver cannot turn into a command: the table's software is at fault."""

    def __init__(self, device: str, key: str, problem: str) -> None:
        super().__init__(
            f"device {device}: output {key}: {problem}; the table and its devices' drivers must be of one version"
        )
        self.device = device
        self.key = key

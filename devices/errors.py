"""The errors of devices: each message names the device, the place and the remedy.

A device's words are quoted only where they cannot be a card: a face-down card must not appear in an error or a log.
"""


class DeviceError(Exception):
    """Base of every error that a device driver raises."""


class UnknownRoleError(DeviceError):
    """No driver plays this role."""

    def __init__(self, role: str, known: tuple[str, ...]) -> None:
        super().__init__(
            f"no device has the role {role!r}: give one of {', '.join(known)} in the table's configuration"
        )
        self.role = role


class DeviceSettingsError(DeviceError):
    """A driver's settings have faults.

    `problems` lists all of them, each with the setting's name.
    """

    def __init__(self, device: str, problems: list[str]) -> None:
        super().__init__("\n".join(f"device {device}: {problem}" for problem in problems))
        self.device = device
        self.problems = problems


class DeviceMessageError(DeviceError):
    """A message that a sound device in this place cannot send.

    `device`: the slot's name. `message`: the kind of message (`state`, `status` or the event's name). `field`: the key
    at fault, empty for the message as a whole. `problem`: what is wrong. `remedy`: what to do.
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
    """A driver cannot turn an output into a command: a fault of the table's software."""

    def __init__(self, device: str, key: str, problem: str) -> None:
        super().__init__(
            f"device {device}: output {key}: {problem}; the table and its devices' drivers must be of one version"
        )
        self.device = device
        self.key = key

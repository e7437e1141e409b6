"""What a technician can test of a device: each driver says which of these its device has."""

from enum import StrEnum


class TrialKind(StrEnum):
    """What is tested: an indicator that feltd drives, or what the device says when somebody uses it."""

    LAMP = "lamp"
    DISPLAY = "display"
    BUZZER = "buzzer"
    CLOCK = "clock"
    LISTEN = "listen"

"""What stands behind a device's word."""

from enum import StrEnum


class Trust(StrEnum):
    """How far a device's messages prove who sent them."""

    SESSION = "session"
    """An encrypted session under the device's own key."""
    ADAPTER = "adapter"
    """Its adapter says that its own protocol proves who speaks."""
    PINS = "pins"
    """The controller's own pins: whoever reaches the wires may have said it."""
    NONE = "none"
    """Nothing: whoever is on the wire may have said it."""

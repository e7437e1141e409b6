"""The rule by which udev gives the service the ports and USB devices that a table's file names, and no other.

A keyboard, a card reader, a stick or a serial port that nobody named stays shut to it, whatever it says of itself, but
for one that says it is a named device.
"""

from collections.abc import Sequence
from typing import Final

from feltd.table.config.devices import DeviceConfig
from firmware_bridge.serial_port import is_stable
from firmware_bridge.usb_id import UsbId

_DEV: Final = "/dev/"
_PLAIN: Final = frozenset(" !#$%&'()+,-./:;<=>@^_`{}~")
"""Signs that stand for themselves in a value that udev compares; so do letters and digits of ASCII.

`*`, `?` and `[` are patterns to it, `|` parts two values, `"` ends one, and a backslash means the next sign.
"""


def device_rules(devices: Sequence[DeviceConfig], file: str, group: str) -> str:
    """Return the text of a rule file for udev. `file`: the table's, for whoever reads the rules."""
    lines = [f"# The ports and USB devices that {file} names, each for the group {group}. `feltd device rules` writes"]
    lines += ["# them anew at each start of the table: what is changed here does not stay."]
    lines += ['ACTION=="remove", GOTO="feltd_named_end"']
    for device in devices:
        if device.usb is not None:
            lines += ["", f"# {device.name}", _rule(device.usb.id(), group)]
        elif device.port is not None and is_stable(str(device.port)):
            lines += ["", f"# {device.name}", _port_rule(str(device.port), group)]
    return "\n".join([*lines, "", 'LABEL="feltd_named_end"', ""])


def _rule(wanted: UsbId, group: str) -> str:
    """The rule for whatever the kernel makes of one USB device: its own node, hidraw, keys.

    All that a rule asks of attributes, one parent must have: the USB device, not a hub on the way to it.
    """
    asked = [f'ATTRS{{idVendor}}=="{wanted.vendor:04x}"', f'ATTRS{{idProduct}}=="{wanted.product:04x}"']
    if wanted.serial is not None:
        asked.append(f'ATTRS{{serial}}=="{_compared(wanted.serial)}"')
    given = f'GROUP="{group}", MODE="0660"'
    return ", ".join(['SUBSYSTEM=="usb|hidraw|input"', 'SUBSYSTEMS=="usb"', *asked, given])


def _port_rule(port: str, group: str) -> str:
    """The rule for a serial port, by the name that stays: rules before it have made that link."""
    return f'SUBSYSTEM=="tty", SYMLINK=="{_compared(port.removeprefix(_DEV))}", GROUP="{group}", MODE="0660"'


def _compared(serial: str) -> str:
    """A serial number or a name as udev compares it, by bytes.

    A sign that means something to it, or is none of ASCII, is any.
    """
    return "".join(sign if _is_plain(sign) else "?" * len(sign.encode()) for sign in serial)


def _is_plain(sign: str) -> bool:
    return sign in _PLAIN or (sign.isascii() and sign.isalnum())

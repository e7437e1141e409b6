"""How a device is plugged in: serial lines, USB, and every fault between the keys that say so."""

from pathlib import Path
from typing import Any

import pytest

from feltd.table.check.check import check_file
from feltd.table.config.config import ConfigError, TableConfig, load_config, read_config
from firmware_bridge.serial_port import Duplex, LineSettings, ModemLine, Rs485
from firmware_bridge.usb_id import UsbId
from tests.feltd.example import EXAMPLE, uncommented

LEAST = """\
[table]
name = "Table 7"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
[journal]
path = "table.journal"
sealing_key_file = "journal.key"
"""
SHOE = '[[device]]\nname = "shoe"\nrole = "shoe"\n'
AT_PORT = SHOE + 'port = "/dev/serial/by-id/usb-shoe"\nkey_file = "shoe.key"\n'
READER = '[[device]]\nname = "{0}"\nrole = "reader"\nkey_file = "{0}.key"\nsettings.zones = ["{0}"]\n'


def read(text: str) -> TableConfig:
    return read_config(LEAST + text, "table.toml", Path("/etc/feltd"))


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        read(text)
    return [f"{problem.key}: {problem.text}" for problem in caught.value.problems]


def test_a_line_is_115200_8n1_unless_it_says_otherwise() -> None:
    [shoe] = read(AT_PORT).devices
    assert shoe.line.settings() == LineSettings()
    assert shoe.place == "/dev/serial/by-id/usb-shoe"
    assert shoe.wire_key == shoe.key_file


def test_a_line_with_everything() -> None:
    line = 'line = { baud = 57600, present = "dsr", rs485 = { duplex = "full", delay_after = 0.001 } }\n'
    [shoe] = read(AT_PORT + line).devices
    assert shoe.line.settings() == LineSettings(
        baud=57600, present=ModemLine.DSR, rs485=Rs485(duplex=Duplex.FULL, delay_after=0.001)
    )


def test_a_reader_on_usb() -> None:
    usb = 'usb = { vendor = 0x1209, product = 0xc0de, serial = "R1" }\n'
    [reader] = read(READER.format("muck") + usb).devices
    assert reader.usb is not None
    assert reader.usb.id() == UsbId(0x1209, 0xC0DE, "R1")
    assert reader.place == "USB 1209:c0de serial R1"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            SHOE + 'key_file = "k"\n',
            "device.port: is missing: give its serial port by a path that stays, e.g. /dev/serial/by-id/usb-…, or usb",
        ),
        (
            AT_PORT + "usb = { vendor = 1, product = 2 }\n",
            "device.usb: a device is at a port or on USB: leave one of the two out",
        ),
        (
            SHOE + 'usb = { vendor = 1, product = 2 }\nkey_file = "k"\nline.baud = 9600\n',
            "device.line: nobody reads it: only a serial port has a line",
        ),
        (
            SHOE + 'port = "/dev/serial/by-id/x"\n',
            "device.key_file: is missing: give the file with its key of 32 bytes, or credential:NAME",
        ),
        (
            AT_PORT + "adapter_settings.a = 1\n",
            "device.adapter_settings: nobody reads them: name the adapter they are for",
        ),
        (
            SHOE + 'port = "/dev/ttyAMA0"\nkey_file = "k"\n',
            'device.port: "/dev/ttyAMA0" may mean another device tomorrow; use its path in /dev/serial/by-id or '
            "/dev/serial/by-path (feltd's udev rule makes one for the board's own ports)",
        ),
        (
            AT_PORT + 'line = { flow = "rts_cts", rs485 = { duplex = "full" } }\n',
            "device.line.flow: RTS switches the sender of an RS-485 line: it cannot hold it back as well",
        ),
        (
            AT_PORT + 'line = { rts = false, rs485 = { duplex = "full" } }\n',
            "device.line.rts: RTS switches the sender of an RS-485 line: leave it out",
        ),
        (
            AT_PORT + 'line = { flow = "rts_cts", present = "cts" }\n',
            "device.line.present: CTS holds the sender back here: it cannot say as well that the device is there",
        ),
        (
            AT_PORT + 'line.rs485.duplex = "half"\n',
            "device.line.rs485.duplex: on one pair both ends would speak at once: a device of PROTOCOL.md needs two "
            "pairs (full)",
        ),
        (AT_PORT + "line.bits = 7\n", "device.line.bits: a device of PROTOCOL.md speaks in bytes of 8 bits"),
        (
            AT_PORT + "line.baud = 75\n",
            "device.line.baud: 75 is not allowed; allowed: a whole number, at least 300, at most 4000000",
        ),
        (
            AT_PORT + 'line.parity = "mark"\n',
            'device.line.parity: "mark" is not allowed; allowed: none, even, odd',
        ),
        (AT_PORT + "line.rs485.rts_on_send = true\n", "device.line.rs485.duplex: is missing: give full (two pairs) or "
         "half (one pair, by turns)"),
        (
            SHOE + 'usb = { vendor = 0x12090, product = 2 }\nkey_file = "k"\n',
            "device.usb.vendor: 73872 is not allowed; allowed: a whole number, at least 0, at most 65535",
        ),
        (
            READER.format("muck") + 'usb = { vendor = 1, product = 2, serial = "A" }\n'
            + READER.format("burn") + 'usb = { vendor = 1, product = 2, serial = "A" }\n',
            'device.usb: the same USB device as "muck": tell them apart by their serial numbers',
        ),
        (
            READER.format("muck") + 'usb = { vendor = 1, product = 2, serial = "A" }\n'
            + READER.format("burn") + "usb = { vendor = 1, product = 2 }\n",
            'device.usb: the same USB device as "muck": tell them apart by their serial numbers',
        ),
        ("[usb]\nallow = [{ vendor = 1 }]\n", "usb.allow.product: is missing: give the product's number, e.g. 0xc0de"),
    ],
)  # fmt: skip
def test_a_fault_is_told_by_its_key(text: str, told: str) -> None:
    assert problems(text) == [told]


def test_every_fault_of_a_device_is_told_at_once() -> None:
    bad = SHOE + 'port = "/dev/ttyUSB0"\nline = { bits = 9, rs485 = { duplex = "half" }, flow = "rts_cts" }\n'
    assert [problem.split(":")[0] for problem in problems(bad)] == [
        "device.key_file", "device.port", "device.line.bits", "device.line.flow",
        "device.line.rs485.duplex",
    ]  # fmt: skip


def test_the_example_shows_each_way_in_and_every_one_of_them_is_valid() -> None:
    config = read_config(uncommented(), "example", Path("/etc/feltd"))
    assert load_config(EXAMPLE).usb is None
    by_name = {device.name: device for device in config.devices}
    assert by_name["indicators"].line.rs485 is not None  # the [device.line] belongs to the device above it
    assert by_name["reader:muck"].usb is not None
    assert config.usb is not None
    assert config.usb.allow[0].id().serial == "4C530001"
    assert config.pins is not None


def test_a_port_by_a_name_of_ones_own_is_refused_where_hardware_is_behind_it(tmp_path: Path) -> None:
    own = tmp_path / "shoe"
    own.symlink_to("/dev/null")  # a character device that is no pseudo-terminal
    file = tmp_path / "table.toml"
    file.write_text(LEAST + SHOE + f'port = "{own}"\nkey_file = "shoe.key"\n')
    texts = [problem.text for problem in check_file(file).problems if problem.key == "device.port"]
    assert len(texts) == 1
    assert "may mean another device tomorrow" in texts[0]


def test_what_is_no_fault_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "table.toml"
    file.write_text(
        LEAST + AT_PORT.replace("/dev/serial/by-id/usb-shoe", "/dev/pts/7777")
        + READER.format("muck") + "usb = { vendor = 1, product = 2 }\n"
    )  # fmt: skip
    notes: Any = check_file(file).notes
    assert "shoe: /dev/pts/7777 is a pseudo-terminal: a simulated device, no hardware" in notes
    assert "muck: any USB 0001:0002 is taken; its serial number would tell one from another" in notes


def test_the_example_says_that_a_port_is_a_full_path() -> None:
    assert "a device's `port` is a full path" in EXAMPLE.read_text(encoding="utf-8").splitlines()[1]

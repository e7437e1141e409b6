"""udev's rules for what a table's file names: these ports, these devices, all nodes of them, and no other."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given as each
from hypothesis import strategies as st

from debian.layout import ROOT
from feltd.cli import cli
from feltd.table.config import device_rules as made
from feltd.table.config.config import load_config
from feltd.table.config.devices import DeviceConfig
from firmware_bridge.usb_id import UsbId
from tests.udev_rules import Node, given

SHIPPED = (ROOT / "systemd" / "60-feltd.rules").read_text(encoding="utf-8")
READER = UsbId(0x16C0, 0x27DB, "K7")
HUB = Node("1-1", "usb", {"idVendor": "1d6b", "idProduct": "0002", "serial": "K7"}, {"DEVTYPE": "usb_device"})
CONFIG = """
[table]
name = "Table 7"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
[[device]]
name = "badge:typing"
role = "badge"
adapter = "keyboard-badge"
usb = { vendor = 0x16c0, product = 0x27db, serial = "K7" }
[[device]]
name = "badge:hid"
role = "badge"
adapter = "hid-badge"
usb = { vendor = 0x1209, product = 0xbeef }
adapter_settings = { length = 4 }
[[device]]
name = "shoe"
role = "shoe"
port = "/dev/serial/by-id/shoe"
key_file = "shoe.key"
[journal]
path = "table.journal"
sealing_key_file = "credential:journal-key"
"""


def device_rules(devices: Sequence[DeviceConfig], file: str) -> str:
    return made.device_rules(devices, file, "feltd")


def at_usb(wanted: UsbId, **more: Any) -> DeviceConfig:
    usb = {"vendor": wanted.vendor, "product": wanted.product, "serial": wanted.serial}
    made = {"name": "badge", "role": "badge", "adapter": "keyboard-badge", "usb": usb, **more}
    return DeviceConfig.model_validate(made)


def nodes(who: UsbId, interfaces: str = ":030101:") -> list[tuple[Node, list[Node]]]:
    """What the kernel makes of a USB device, each with what is above it."""
    attributes = {"idVendor": f"{who.vendor:04x}", "idProduct": f"{who.product:04x}"}
    attributes |= {} if who.serial is None else {"serial": who.serial}
    device = Node("1-1.2", "usb", attributes, {"DEVTYPE": "usb_device", "ID_USB_INTERFACES": interfaces})
    above = [Node("1-1.2:1.0", "usb", {}, {"DEVTYPE": "usb_interface"}), device, HUB]
    hid = Node("0003:16C0:27DB.0001", "hid")
    keys = Node("input7", "input", {"name": "a keyboard"})
    return [
        (device, [HUB]),
        (Node("hidraw0", "hidraw"), [hid, *above]),
        (Node("event3", "input"), [keys, hid, *above]),
    ]


def groups(rules: str, who: UsbId, interfaces: str = ":030101:") -> set[str | None]:
    return {given(SHIPPED + rules, node, above).get("GROUP") for node, above in nodes(who, interfaces)}


def test_all_that_the_kernel_makes_of_a_named_reader_is_the_services() -> None:
    rules = device_rules([at_usb(READER)], "/etc/feltd/table.toml")
    for node, above in nodes(READER):
        found = given(SHIPPED + rules, node, above)
        assert (found["GROUP"], found["MODE"]) == ("feltd", "0660")


@pytest.mark.parametrize(
    "stranger",
    [UsbId(0x16C0, 0x27DB, "K8"), UsbId(0x16C0, 0x27DB), UsbId(0x16C0, 0x27DC, "K7"), UsbId(0x16C1, 0x27DB, "K7")],
)
@pytest.mark.parametrize("interfaces", [":030101:", ":ffff00:"])
def test_a_keyboard_or_a_reader_that_nobody_named_stays_shut(stranger: UsbId, interfaces: str) -> None:
    rules = device_rules([at_usb(READER)], "/etc/feltd/table.toml")
    assert "feltd" not in groups(rules, stranger, interfaces)
    assert "feltd" not in groups("", READER, interfaces), "without a table's rules nothing is open"


def test_a_reader_that_is_no_longer_named_is_taken_back() -> None:
    """udev leaves the group as it was where no rule speaks of it: the shipped rules do."""
    for node, above in nodes(READER):
        found = given(SHIPPED, node, above, action="change")
        assert node.subsystem == "input" or found["GROUP"] == "root"  # keys are Debian's rules' to give


def test_without_a_serial_number_any_of_its_kind_is_open() -> None:
    rules = device_rules([at_usb(UsbId(0x16C0, 0x27DB))], "/etc/feltd/table.toml")
    assert groups(rules, READER) == groups(rules, UsbId(0x16C0, 0x27DB)) == {"feltd"}
    assert "feltd" not in groups(rules, UsbId(0x16C0, 0x27DC))


@each(st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=40))
def test_any_serial_number_makes_a_rule_for_that_device(serial: str) -> None:
    rules = device_rules([at_usb(UsbId(1, 2, serial))], "table.toml")
    assert groups(rules, UsbId(1, 2, serial)) == {"feltd"}
    for other in (serial + "1", f"1{serial}", ""):
        assert "feltd" not in groups(rules, UsbId(1, 2, other))


def at_port(port: str) -> DeviceConfig:
    return DeviceConfig.model_validate({"name": "shoe", "role": "shoe", "port": port, "key_file": "shoe.key"})


@pytest.mark.parametrize("name", ["by-id/usb-FTDI_A9007XYZ-if00-port0", "by-path/board-ttyAMA0", "by-id/usb-a[b]*_c"])
def test_a_serial_port_is_the_services_by_the_name_that_stays_and_no_other_port_is(name: str) -> None:
    rules = device_rules([at_port(f"/dev/serial/{name}"), at_usb(READER)], "table.toml")
    found = given(SHIPPED + rules, Node("ttyUSB3", "tty", links=("serial/by-path/x", f"serial/{name}")))
    assert (found["GROUP"], found["MODE"]) == ("feltd", "0660")
    for links in ((), ("serial/by-id/another",), (f"serial/{name}0",), (f"x/serial/{name}",)):
        assert "GROUP" not in given(SHIPPED + rules, Node("ttyUSB3", "tty", links=links))


def test_a_pseudo_terminal_and_a_reader_of_pcscd_have_no_rule(tmp_path: Path) -> None:
    by_pcscd = DeviceConfig.model_validate(
        {"name": "reader", "role": "reader", "adapter": "pcsc", "pcsc": {"reader": "ACR122U"}}
    )
    devices = [at_port("/dev/pts/7"), at_port(str(tmp_path / "shoe")), by_pcscd]
    assert "GROUP" not in device_rules(devices, "table.toml")


# -- the command


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "table.toml"
    file.write_text(CONFIG)
    return file


def test_the_command_says_the_rules(config: Path) -> None:
    said = CliRunner().invoke(cli, ["device", "rules", "--config", str(config)])
    assert said.exit_code == 0
    assert said.stdout == device_rules(load_config(config).devices, str(config))
    assert said.stdout.count('GROUP="feltd"') == 3


def test_it_writes_them_where_it_is_told_and_says_whether_they_are_new(config: Path, tmp_path: Path) -> None:
    into = tmp_path / "rules.d" / "71-feltd-table.rules"
    for news in ("written", "as it was"):
        said = CliRunner().invoke(cli, ["device", "rules", "--config", str(config), "--into", str(into)])
        assert said.exit_code == 0
        assert news in said.stderr
        assert into.read_text() == device_rules(load_config(config).devices, str(config))
        assert into.stat().st_mode & 0o777 == 0o644
    assert [one.name for one in into.parent.iterdir()] == [into.name]


def test_a_file_with_faults_leaves_the_rules_as_they_are(config: Path, tmp_path: Path) -> None:
    into = tmp_path / "71-feltd-table.rules"
    into.write_text("# before")
    config.write_text(CONFIG.replace("0x27db", "0x127db"))
    said = CliRunner().invoke(cli, ["device", "rules", "--config", str(config), "--into", str(into)])
    assert said.exit_code != 0
    assert "device.usb.product" in said.output
    assert into.read_text() == "# before"


def _verifies() -> bool:
    """Whether this machine's udevadm judges rules (since version 254)."""
    if shutil.which("udevadm") is None:
        return False
    return subprocess.run(["udevadm", "verify", "--help"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not _verifies(), reason="needs udevadm verify")
def test_udev_finds_no_fault(tmp_path: Path) -> None:
    mine = tmp_path / "71-feltd-table.rules"
    mine.write_text(device_rules([at_usb(READER), at_usb(UsbId(1, 2, 'a"b|c*[?\\'), name="other")], "table.toml"))
    shipped = tmp_path / "60-feltd.rules"
    shipped.write_text(SHIPPED)
    command = ["udevadm", "verify", "--resolve-names=never", str(mine), str(shipped)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout + said.stderr

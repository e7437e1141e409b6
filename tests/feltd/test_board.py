"""What the board says of itself, read from files as the kernel of a Raspberry Pi and of a PC have them."""

from pathlib import Path

import pytest

from feltd.table.host import computer


def say(system: Path, file: str, text: str) -> None:
    path = system / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


def test_a_board_that_says_nothing_has_no_temperature_and_no_supply(tmp_path: Path) -> None:
    assert computer.processor_celsius(tmp_path) is None
    assert computer.under_voltage(tmp_path) is None


def test_the_processors_own_temperature_goes_before_others(tmp_path: Path) -> None:
    say(tmp_path, "class/thermal/thermal_zone0/type", "acpitz")
    say(tmp_path, "class/thermal/thermal_zone0/temp", "27800")
    assert computer.processor_celsius(tmp_path) == 27.8
    say(tmp_path, "class/thermal/thermal_zone1/type", "cpu-thermal")
    say(tmp_path, "class/thermal/thermal_zone1/temp", "61320")
    assert computer.processor_celsius(tmp_path) == 61.32


def test_a_zone_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    say(tmp_path, "class/thermal/thermal_zone0/type", "cpu-thermal")
    say(tmp_path, "class/thermal/thermal_zone0/temp", "hot")
    say(tmp_path, "class/thermal/thermal_zone1/type", "other")
    assert computer.processor_celsius(tmp_path) is None


@pytest.mark.parametrize(
    ("bits", "now", "before"), [("0", False, False), ("50005", True, True), ("0x50000", False, True)]
)
def test_an_older_kernel_says_the_supply_in_bits(tmp_path: Path, bits: str, now: bool, before: bool) -> None:
    say(tmp_path, "devices/platform/soc/soc:firmware/get_throttled", bits)
    assert computer.under_voltage(tmp_path) == computer.UnderVoltage(now, before)


@pytest.mark.parametrize(("alarm", "now"), [("0", False), ("1", True)])
def test_a_newer_kernel_says_it_as_an_alarm(tmp_path: Path, alarm: str, now: bool) -> None:
    say(tmp_path, "class/hwmon/hwmon0/name", "nvme")
    say(tmp_path, "class/hwmon/hwmon1/name", "rpi_volt")
    say(tmp_path, "class/hwmon/hwmon1/in0_lcrit_alarm", alarm)
    assert computer.under_voltage(tmp_path) == computer.UnderVoltage(now, None)


@pytest.mark.parametrize(
    "place",
    ["soc/soc:firmware", "soc@107c000000/soc@107c000000:firmware", "soc:firmware", "firmware"],
)
def test_the_firmwares_word_is_found_on_each_pi(tmp_path: Path, place: str) -> None:
    say(tmp_path, f"devices/platform/{place}/get_throttled", "50005")
    assert computer.throttled_bits(tmp_path) == 0x50005
    assert computer.under_voltage(tmp_path) == computer.UnderVoltage(now=True, before=True)


@pytest.mark.parametrize(
    ("bits", "alarm", "told"),
    [
        ("0", "1", computer.UnderVoltage(now=True, before=False)),
        ("50005", "0", computer.UnderVoltage(now=True, before=True)),
        ("0", "0", computer.UnderVoltage(now=False, before=False)),
        ("who knows", "1", computer.UnderVoltage(now=True, before=None)),
        ("50000", "who knows", computer.UnderVoltage(now=False, before=True)),
        ("who knows", "who knows", None),
    ],
)
def test_where_both_say_it_one_of_them_is_enough(
    tmp_path: Path, bits: str, alarm: str, told: computer.UnderVoltage | None
) -> None:
    say(tmp_path, "devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled", bits)
    say(tmp_path, "class/hwmon/hwmon3/name", "rpi_volt")
    say(tmp_path, "class/hwmon/hwmon3/in0_lcrit_alarm", alarm)
    assert computer.under_voltage(tmp_path) == told


def test_the_disk_and_all_files_of_the_journal_are_measured(tmp_path: Path) -> None:
    (tmp_path / "t.journal").write_bytes(b"x" * 100)
    (tmp_path / "t.journal-wal").write_bytes(b"x" * 23)
    (tmp_path / "other").write_bytes(b"x" * 1000)
    found = computer.disk(tmp_path / "t.journal")
    assert found is not None
    assert found.journal == 123
    assert 0 < found.free <= found.total


def test_a_disk_that_is_gone_is_none(tmp_path: Path) -> None:
    assert computer.disk(tmp_path / "nowhere" / "t.journal") is None


def test_the_board_was_started_some_time_ago() -> None:
    assert computer.seconds_since_start() > 0

"""rfid-poker's lines, the numbers in them, and the modem line that starts its board anew."""

import contextlib
import json
from pathlib import Path

import pytest
import serial
from hypothesis import given
from hypothesis import strategies as st

from devices.adapters import AdapterFault, Place, TextLine
from devices.adapters.chip_numbers import chip_number
from devices.adapters.rfid_poker_lines import (
    LONGEST,
    Boot,
    ChipSeen,
    NoiseError,
    Trouble,
    WrongMessageError,
    read_line,
)
from tests.devices.wired_client import BOARD, CHIPS, WiredClient, boot, card, error, said


def test_its_documented_messages_are_read() -> None:
    assert read_line(boot()) == Boot(device=BOARD, seq=1, firmware="2811b6f")
    assert read_line(card("04 0e 3b d2 28 6b 85", 2)) == ChipSeen(
        device=BOARD, seq=2, number=bytes.fromhex("040e3bd2286b85")
    )
    failed = error("Failed to initialize RFID reader on channel 3", 7)
    assert read_line(failed) == Trouble(device=BOARD, seq=7, channel=3)
    assert read_line(error("on channel 3", 7, code="low_memory")) == Trouble(device=BOARD, seq=7, channel=None)
    assert read_line("# RFID Reader Count: 5") is None


@pytest.mark.parametrize(
    ("text", "number"), [
        ("04 0e 3b d2 28 6b 85", "040e3bd2286b85"), ("DE:AD:BE:EF", "deadbeef"), ("01" * 9 + "02", "01" * 9 + "02"),

        ("04AABBCCDD11", None), ("04 0e d2 28 6b 85", None),
        ("00 00 00 00", None), ("ff" * 7, None), ("88040e3b", None),
        ("04 0e 3b d", None), ("04  0e 3b d2", None), ("", None), ("0x040e3b", None), (" 04 0e 3b d2", None),
    ],
)  # fmt: skip
def test_a_number_is_a_whole_one_or_none(text: str, number: str | None) -> None:
    assert chip_number(text) == (None if number is None else bytes.fromhex(number))


@pytest.mark.parametrize(
    "line", [
        "rst:0x1 (POWERON_RESET),boot:0x17 (SPI_FAST_FLASH_BOOT)", card(CHIPS[0], 2)[:-9], card(CHIPS[0], 2)[9:],
        card(CHIPS[0], 2)[:60] + card(CHIPS[1], 3), card("04 0e", 2), "[]", "null", "7", "[" * LONGEST,
        boot()[:-1] + ',"seq":9}', boot().replace("1,", "NaN,", 1), '{"type":',
    ],
)  # fmt: skip
def test_what_lost_something_on_the_way_is_noise(line: str) -> None:
    with pytest.raises(NoiseError):
        read_line(line)


@pytest.mark.parametrize(
    ("line", "told"), [
        ("{}", "its type"), (said("tag", 1, BOARD), "its type"), (said("boot", "1", BOARD), "boot: seq"),
        (said("boot", True, BOARD), "boot: seq"), (boot(0), "boot: seq"), (boot(2**40), "boot: seq"),
        (said("boot", 1, 7), "boot: device_id"), (boot(device=""), "boot: device_id"),
        (boot(fw_version=None), "boot: fw_version"),
        (boot(ts="12:00"), "boot: ts"), (card("4", 2, card_uid=["04"]), "card: card_uid"),
        ('{"type":["boot"]}', "its type"),
        (said("error", 2, BOARD, code="x", message=None), "error: message"), (error("x", code=""), "error: code"),
    ],
)  # fmt: skip
def test_a_whole_message_of_wrong_types_is_named_by_its_key(line: str, told: str) -> None:
    with pytest.raises(WrongMessageError, match=told):
        read_line(line)


@given(st.one_of(st.text(max_size=80), st.builds(json.dumps, st.dictionaries(
    st.sampled_from(["type", "ts", "device_id", "seq", "card_uid", "code", "message", "fw_version"]),
    st.one_of(st.sampled_from(["boot", "card", "error", "T+1", "04 0e 3b d2"]), st.integers(), st.none(), st.text()),
))))  # fmt: skip
def test_any_line_is_a_message_or_one_of_two_faults(line: str) -> None:
    with contextlib.suppress(NoiseError, WrongMessageError):
        read_line(line)


class FakePort:
    """A port with modem lines, of which one order is remembered."""

    def __init__(self, error: OSError | None = None) -> None:
        object.__setattr__(self, "did", [])
        object.__setattr__(self, "error", error)
        object.__setattr__(self, "port", "a-port")

    def __setattr__(self, name: str, value: object) -> None:
        if self.error is not None:  # type: ignore[attr-defined]
            raise self.error  # type: ignore[attr-defined]
        self.did.append((name, value))  # type: ignore[attr-defined]

    def reset_input_buffer(self) -> None:
        self.did.append("emptied")  # type: ignore[attr-defined]


def test_a_board_is_restarted_by_rts_without_dtr(tmp_path: Path) -> None:
    board = WiredClient(tmp_path / "reader")
    with TextLine(Place("reader", str(board.port))) as line:
        line.restart_board(0.0)  # a pseudo-terminal has no such lines
        port = line._opened.port
        object.__setattr__(line._opened, "port", fake := FakePort())
        line.restart_board(0.0)
        assert fake.did == [("dtr", False), ("rts", True), ("rts", False), "emptied"]  # type: ignore[attr-defined]
        for gone in (serial.SerialException("gone"), OSError(5, "gone")):
            object.__setattr__(line._opened, "port", FakePort(gone))
            with pytest.raises(AdapterFault, match="cannot be restarted"):
                line.restart_board(0.0)
        object.__setattr__(line._opened, "port", port)
    board.close()

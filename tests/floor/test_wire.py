"""The wire: what is written is read, what is not of it is refused, and a newer side's fields are passed over."""

import json
import struct
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltd.custody.errors import CustodyError, CustodyRefusedError, CustodyWireError
from feltd.custody.messages import (
    FROM_FLOOR,
    FROM_NEW_TABLE,
    FROM_TABLE,
    HEAD_MOST,
    MESSAGE_MOST,
    TEXT_MOST,
    VERSION,
    Beat,
    Certified,
    Enrol,
    Hello,
    Refused,
    Renew,
    Rows,
    Stand,
    Time,
    from_bytes,
    to_bytes,
)
from feltd.custody.rows import ROWS_MOST, UNPACKED_MOST, deflated, inflated, joined, packed, parted, unpacked

numbers = st.integers(0, 2**63 - 1)
chains = st.binary(min_size=32, max_size=32)
seconds = st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(codec="ascii", categories=("L", "N")), max_size=40)
several_rows = st.lists(st.binary(max_size=80), max_size=20).map(tuple)
from_table = st.one_of(
    st.builds(Hello, st.just(VERSION), st.binary(min_size=16, max_size=16), numbers, texts),
    st.builds(Rows, numbers, chains, chains, numbers, numbers, several_rows),
    st.builds(Beat, seconds, numbers, st.none() | seconds, st.none() | seconds),
    st.just(Renew()),
)
from_floor = st.one_of(
    st.builds(Stand, numbers, chains, st.booleans()),
    st.builds(Time, seconds, seconds, numbers, chains, st.booleans()),
    st.builds(Refused, texts, texts, texts, st.booleans()),
    st.builds(Certified, texts),
)


@given(from_table)
def test_what_a_table_says_is_what_the_floor_hears(message: Any) -> None:
    assert from_bytes(to_bytes(message), FROM_TABLE) == message


@given(st.builds(Enrol, st.just(VERSION), texts, texts))
def test_what_a_new_table_says_is_heard_of_a_new_table_alone(message: Enrol) -> None:
    assert from_bytes(to_bytes(message), FROM_NEW_TABLE) == message
    with pytest.raises(CustodyWireError):
        from_bytes(to_bytes(message), FROM_TABLE)


@given(from_floor)
def test_what_the_floor_says_is_what_a_table_hears(message: Any) -> None:
    assert from_bytes(to_bytes(message), FROM_FLOOR) == message


@given(st.binary(max_size=200) | st.binary(max_size=200).map(lambda data: b"\1" + zlib.compress(data)))
def test_bytes_of_others_are_refused_in_words_and_raise_nothing_else(data: bytes) -> None:
    with pytest.raises(CustodyError):
        from_bytes(data, FROM_TABLE)


def plain(head: object, rows: bytes = b"") -> bytes:
    """A message as somebody else might write it."""
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    return b"\0" + struct.pack(">I", len(text)) + text + rows


STAND = {"seq": 1, "chain": "00" * 32, "forked": False}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\2",
        b"\0\0",
        b"\0" + struct.pack(">I", 5) + b"{}",
        bytes(MESSAGE_MOST + 1),
        plain(b"{" + b" " * HEAD_MOST + b"}"),
        plain(b"[" * 5000),
        plain({"stand": STAND, "time": {}}),
        plain({"rows": STAND}),
        plain({"stand": []}),
        plain({"stand": STAND}, b"more"),
        plain({"stand": {"seq": 1}}),
        plain({"stand": STAND | {"seq": -1}}),
        plain({"stand": STAND | {"seq": 2**63}}),
        plain({"stand": STAND | {"seq": True}}),
        plain({"stand": STAND | {"seq": 1.0}}),
        plain({"stand": STAND | {"chain": "00"}}),
        plain({"stand": STAND | {"chain": "zz" * 32}}),
        plain({"stand": STAND | {"forked": 1}}),
        plain(b'{"stand":{"seq":NaN}}'),
        plain({"time": STAND | {"wall": "1", "floor": 1}}),
        plain({"time": STAND | {"wall": 10**400, "floor": 1}}),
        plain({"time": STAND | {"wall": True, "floor": 1}}),
        plain({"refused": {"what": "x" * (TEXT_MOST + 1), "place": "", "remedy": ""}}),
        plain({"refused": {"what": "\n", "place": "", "remedy": ""}}),
        b"\1" + zlib.compress(bytes(HEAD_MOST + UNPACKED_MOST + 1)),
        b"\1" + zlib.compress(plain({"stand": STAND})[1:])[:-2],
        b"\1" + zlib.compress(plain({"stand": STAND})[1:]) + b"more",
    ],
)
def test_what_is_not_of_the_wire_is_refused(data: bytes) -> None:
    with pytest.raises(CustodyWireError, match="Report it"):
        from_bytes(data, FROM_FLOOR)


def test_a_field_of_a_newer_floor_is_passed_over() -> None:
    assert from_bytes(plain({"stand": STAND | {"since": 7}}), FROM_FLOOR) == Stand(1, bytes(32))
    assert from_bytes(plain({"stand": {"seq": 1, "chain": "00" * 32}}), FROM_FLOOR) == Stand(1, bytes(32))


def test_another_version_is_told_whatever_else_it_says() -> None:
    with pytest.raises(CustodyRefusedError, match="version 9 of the wire, the floor version 1"):
        from_bytes(plain({"hello": {"version": 9, "nothing": "known"}}), FROM_TABLE)
    with pytest.raises(CustodyWireError):
        from_bytes(plain({"hello": {"version": "9"}}), FROM_TABLE)


@given(several_rows)
def test_rows_are_kept_as_they_are(rows: tuple[bytes, ...]) -> None:
    assert parted(joined(rows)) == unpacked(packed(rows)) == rows


@pytest.mark.parametrize("size", [0, 1, 1000, 8 * 1024, 8 * 1024 + 1, 100_000])
def test_what_is_small_is_deflated_as_well_as_what_is_large(size: int) -> None:
    data = bytes(number * number % 251 for number in range(size))
    assert inflated(deflated(data), size) == data
    assert len(deflated(data)) <= len(zlib.compress(data, 6)) * 1.01


@pytest.mark.parametrize("data", [b"\0\0", b"\0\0\0\2a", joined([b""] * (ROWS_MOST + 1))])
def test_rows_that_are_cut_or_too_many_are_refused(data: bytes) -> None:
    with pytest.raises(CustodyWireError):
        parted(data)

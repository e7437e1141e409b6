"""Every message goes there and back; what breaks PROTOCOL.md is refused, and nothing else happens."""

from typing import Any

import cbor2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.errors import MessageError
from firmware_bridge.messages import (
    Close,
    Command,
    Event,
    Hello,
    Post,
    Refusal,
    Result,
    State,
    Status,
    from_device,
    from_host,
)
from firmware_bridge.reject import Reject, RejectCode
from tests.firmware_bridge.make_vectors import MESSAGES

BOOT = b"8 bytes."
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.binary(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc:_1", min_size=1, max_size=8), inner, max_size=3)
    ),
    max_leaves=10,
)
bodies = st.dictionaries(st.text("abc:_1", min_size=1, max_size=8), plain, max_size=4)


def depth(value: object) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


@settings(deadline=None)
@given(bodies.filter(lambda body: depth(body) <= 7))
def test_opaque_maps_go_there_and_back(body: dict[str, Any]) -> None:
    for message in (Event(BOOT, 1, body), State(1, body), Status(body), Result(1, body)):
        assert from_device(message.to_bytes()) == message
    for order in (Command(1, "name", body), Post("name", body)):
        assert from_host(order.to_bytes()) == order


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_do_more_than_be_refused(data: bytes) -> None:
    for parse in (from_device, from_host, Reject.from_bytes):
        try:
            parse(data)
        except MessageError:
            continue


def refused(value: object, what: str) -> None:
    data = value if isinstance(value, bytes) else cbor2.dumps(value)
    with pytest.raises(MessageError, match=what):
        from_device(data)


HELLO = {0: 1, 1: "shoe", 2: "S-1", 3: "", 4: 1, 5: 1, 6: BOOT, 7: True, 8: 1}


def test_an_empty_firmware_and_unknown_keys_are_allowed() -> None:
    assert from_device(cbor2.dumps({**HELLO, 99: ["later"]})) == Hello("shoe", "S-1", "", 1, 1, BOOT, True, 1)


@pytest.mark.parametrize(
    ("key", "value", "what"),
    [
        (1, "", "role"),
        (1, "x" * 17, "role"),
        (1, "sho\u00e9", "role"),
        (1, 5, "role"),
        (2, "x" * 33, "serial"),
        (2, "a\nb", "serial"),
        (2, None, "serial"),
        (3, "x" * 33, "firmware"),
        (4, 0, "lowest"),
        (4, True, "lowest"),
        (5, 256, "highest"),
        (5, 0, "highest"),
        (6, b"short", "boot id"),
        (6, "8 bytes.", "boot id"),
        (7, 1, "persistent"),
        (8, 0, "commands"),
        (8, 17, "commands"),
        (8, 1.0, "commands"),
    ],
)
def test_each_value_of_a_hello_is_bounded(key: int, value: object, what: str) -> None:
    refused({**HELLO, key: value}, what)


@pytest.mark.parametrize("key", [1, 2, 3, 4, 5, 6, 7, 8])
def test_nothing_may_be_missing_from_a_hello(key: int) -> None:
    refused({k: v for k, v in HELLO.items() if k != key}, "is no|neither")


def nested(levels: int) -> dict[str, Any]:
    body: dict[str, Any] = {}
    for _ in range(levels - 1):
        body = {"a": body}
    return body


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ({0: 3, 1: BOOT, 2: 0, 3: {}}, "sequence"),
        ({0: 3, 1: BOOT, 2: 2**32, 3: {}}, "sequence"),
        ({0: 3, 1: BOOT, 2: 1, 3: []}, "event is no map"),
        ({0: 3, 1: BOOT, 2: 1, 3: {1: 2}}, "key"),
        ({0: 3, 1: BOOT, 2: 1, 3: {"": 2}}, "key"),
        ({0: 3, 1: BOOT, 2: 1, 3: {"x" * 33: 2}}, "key"),
        ({0: 3, 1: BOOT, 2: 1, 3: {"\u00e9" * 17: 2}}, "key"),
        ({0: 3, 1: BOOT, 2: 1, 3: {"a": {"b": {2: 1}}}}, "key"),
        ({0: 3, 1: BOOT, 2: 1, 3: {"a": 2**63}}, "64 bits"),
        ({0: 3, 1: BOOT, 2: 1, 3: {"a": [float("nan")]}}, "finite"),
        ({0: 3, 1: BOOT, 2: 1, 3: {"a": float("inf")}}, "finite"),
        ({0: 3, 1: BOOT, 2: 1, 3: {"a": cbor2.undefined}}, "plain values"),
        ({0: 3, 1: BOOT, 2: 1, 3: {"a": cbor2.CBORSimpleValue(99)}}, "plain values"),
        ({0: 3, 1: BOOT, 2: 1, 3: nested(8)}, "nest|CBOR"),
        ({0: 6, 1: 0, 2: {}}, "id"),
        ({0: 6, 1: 1}, "code"),
        ({0: 6, 1: 1, 3: "busy"}, "text"),
        ({0: 6, 1: 1, 3: "busy", 4: "x" * 129}, "text"),
        ({0: 13, 1: 0, 2: ""}, "reason"),
        ({0: 9, 1: -1}, "number"),
        ({0: 99}, "kind"),
        ({0: True}, "kind"),
        ({0: "3"}, "kind"),
        ({0: [3]}, "kind"),
        ({}, "kind"),
        ({0: 4, 1: BOOT, 2: 1}, "kind"),
        ([0, 3], "no CBOR map"),
        ({"0": 3}, "no integer"),
        (b"", "CBOR"),
        (cbor2.dumps({0: 9, 1: 1}) + b"\0", "1 bytes follow"),
        (bytes.fromhex("bf00090101ff"), "indefinite"),
        (bytes.fromhex("a3000901010101"), "CBOR"),
        (bytes.fromhex("a2000901c24101"), "CBOR"),
        (bytes.fromhex("a20009019b7fffffffffffffff"), "CBOR"),
        (bytes.fromhex("a20009017b7fffffffffffffff"), "CBOR"),
        (bytes.fromhex("bb7fffffffffffffff"), "CBOR"),
        (b"\x81" * 2000, "CBOR"),
        (bytes.fromhex("a2000901c5821b7fffffffffffffff03"), "CBOR"),
    ],
)
def test_what_breaks_the_protocol_is_refused(value: object, what: str) -> None:
    refused(value, what)


@pytest.mark.parametrize(
    "tag", [0, 1, 2, 3, 4, 5, 25, 28, 29, 30, 35, 36, 37, 100, 256, 258, 260, 261, 1004, 55799, 9999]
)
def test_no_tag_is_ever_interpreted(tag: int) -> None:
    refused(cbor2.dumps({0: 10, 1: {"a": 0}})[:-1] + cbor2.dumps(cbor2.CBORTag(tag, 1)), "CBOR")


@pytest.mark.parametrize("point", [[], [BOOT], [BOOT, 1, 2], [b"", 1], [BOOT, 0], "x", {}, 0, False], ids=repr)
def test_a_welcome_needs_a_resume_point_or_null(point: object) -> None:
    with pytest.raises(MessageError):
        from_host(cbor2.dumps({0: 2, 1: 32, 2: point}))
    with pytest.raises(MessageError, match="resume point is missing"):
        from_host(cbor2.dumps({0: 2, 1: 32}))
    with pytest.raises(MessageError, match="window"):
        from_host(cbor2.dumps({0: 2, 1: 257, 2: None}))


@pytest.mark.parametrize("name", ["hello", "event", "result", "status", "state", "pong"])
def test_a_host_does_not_send_what_devices_send(name: str) -> None:
    with pytest.raises(MessageError, match="none that a host sends"):
        from_host(MESSAGES[name].to_bytes())


def test_what_is_too_long_or_cannot_travel_is_refused_before_it_is_sent() -> None:
    with pytest.raises(MessageError, match="at most 2027"):
        Event(BOOT, 1, {"a": "x" * 2027}).to_bytes()
    with pytest.raises(MessageError, match="holds a object"):
        Post("lamp", {"a": object()}).to_bytes()
    with pytest.raises(MessageError, match="command's name"):
        Command(1, "", {}).to_bytes()
    with pytest.raises(MessageError, match="nests deeper"):
        Status(nested(8)).to_bytes()
    with pytest.raises(MessageError, match="nests deeper"):
        Status({"a": [[[[[[[]]]]]]]}).to_bytes()
    assert from_device(Status(nested(7)).to_bytes()) == Status(nested(7))
    assert from_device(Status({"a": (1, 2)}).to_bytes()) == Status({"a": [1, 2]})
    with pytest.raises(MessageError, match="cannot be said"):
        Hello(object(), "", "", 1, 1, BOOT, True, 1).to_bytes()  # type: ignore[arg-type]


@pytest.mark.parametrize("body", [{"a": "\ud800"}, {"\ud800": 1}, {"a": ["\ud800"]}], ids=ascii)
def test_text_that_is_no_unicode_is_refused_before_it_is_sent(body: dict[str, Any]) -> None:
    with pytest.raises(MessageError, match="cannot be said in CBOR"):
        Event(BOOT, 1, body).to_bytes()


def test_text_for_people_is_cleaned_and_cut() -> None:
    refusal = from_device(Refusal(1, "busy", "bell \a and escape \x1b[31m").to_bytes())
    assert isinstance(refusal, Refusal)
    assert refusal.text == "bell ? and escape ?[31m"
    close = from_device(Close(1, "\u00e9" * 100).to_bytes())
    assert close == Close(1, "\u00e9" * 64)


def test_a_reject_is_bounded() -> None:
    reject = Reject(RejectCode.NO_SESSION, "x" * 16, "y" * 32, 255, 255)
    assert Reject.from_bytes(reject.to_bytes()) == reject
    with pytest.raises(MessageError, match="at most 128"):
        Reject.from_bytes(b"\0" * 129)
    assert Reject.from_bytes_or_none(cbor2.dumps({1: 4, 2: "a", 3: "b", 4: 1, 5: 1})) is None

"""`vectors.json` is what the code does, what a hand-written Noise does, and what COBS and CBOR are said to be."""

import json
import struct
import zlib
from typing import Any

import cbor2
import pytest
from cobs import cobs
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from firmware_bridge.errors import MessageError
from firmware_bridge.framing import FrameDecoder, FrameType
from firmware_bridge.language import DeviceVersion2, HostVersion2
from firmware_bridge.messages import Event, from_device, from_host
from firmware_bridge.reject import Reject
from firmware_bridge.session import Channel
from firmware_bridge.store import PendingEvent
from tests.firmware_bridge import make_vectors
from tests.firmware_bridge.noise_by_hand import Handshake, nonce


class Of:
    """A session of the vectors."""

    def __init__(self, session: dict[str, Any]) -> None:
        self.session = session
        self.version: int = session["version"]

    def __call__(self, name: str) -> bytes:
        return bytes.fromhex(self.session[name])


VECTORS: dict[str, Any] = json.loads(make_vectors.PATH.read_text())
SECOND: dict[str, Any] = VECTORS["version_2"]
SESSIONS = [VECTORS["session"], SECOND["session"]]


@pytest.fixture(params=SESSIONS, ids=["1", "2"])
def of(request: pytest.FixtureRequest) -> Of:
    """The bytes of a value of a session, in each version."""
    return Of(request.param)


def test_the_file_is_what_the_script_writes() -> None:
    assert make_vectors.PATH.read_text() == make_vectors.render()


def cobs_by_hand(data: bytes) -> bytes:
    """From the paper: each zero becomes the distance to the next; 254 bytes without one are a group of their own."""
    out, group = bytearray(), bytearray()
    rest = len(data)
    for value in data:
        rest -= 1
        if value:
            group.append(value)
        if not value or (len(group) == 254 and rest):
            out += bytes((len(group) + 1,)) + group
            group.clear()
    return bytes(out + bytes((len(group) + 1,)) + group)


@pytest.mark.parametrize("vector", VECTORS["cobs"], ids=range(len(VECTORS["cobs"])))
def test_cobs(vector: dict[str, str]) -> None:
    decoded, encoded = bytes.fromhex(vector["decoded"]), bytes.fromhex(vector["encoded"])
    assert 0 not in encoded
    assert cobs.decode(encoded) == decoded
    assert cobs_by_hand(decoded) == encoded


@pytest.mark.parametrize("vector", VECTORS["frames"], ids=range(len(VECTORS["frames"])))
def test_frames(vector: dict[str, Any]) -> None:
    wire, body = bytes.fromhex(vector["wire"]), bytes.fromhex(vector["body"])
    assert (wire[0], wire[-1]) == (0, 0)
    assert 0 not in wire[1:-1]
    raw = bytes((vector["type"],)) + body
    assert cobs.decode(wire[1:-1]) == raw + struct.pack("<I", zlib.crc32(raw))
    [frame] = FrameDecoder().feed(wire)
    assert (frame.type, frame.body) == (FrameType(vector["type"]), body)


@pytest.mark.parametrize("name", VECTORS["messages"])
def test_messages_parse_to_what_they_were_made_of(name: str) -> None:
    data, expected = bytes.fromhex(VECTORS["messages"][name]), make_vectors.MESSAGES[name]
    assert cbor2.loads(data)[0] == expected.kind
    sender = (
        from_host if name.split(",")[0] in ("welcome", "ack", "command", "post", "ping", "state_read") else from_device
    )
    assert sender(data) == expected


@pytest.mark.parametrize("name", VECTORS["no_frames"])
def test_what_is_no_frame_is_dropped_and_counted(name: str) -> None:
    decoder = FrameDecoder()
    assert decoder.feed(bytes.fromhex(VECTORS["no_frames"][name])) == []
    assert decoder.counts.bad_frames == 1


@pytest.mark.parametrize("name", VECTORS["allowed"])
def test_what_is_allowed_from_a_host_is_taken(name: str) -> None:
    data = bytes.fromhex(VECTORS["allowed"][name])
    assert from_host(data).kind == cbor2.loads(data)[0]


@pytest.mark.parametrize("name", VECTORS["malformed"])
def test_what_is_malformed_from_a_host_is_refused(name: str) -> None:
    with pytest.raises(MessageError):
        from_host(bytes.fromhex(VECTORS["malformed"][name]))


@pytest.mark.parametrize("name", SECOND["messages"])
def test_a_message_of_version_2_is_what_the_code_says_and_reads(name: str) -> None:
    data = bytes.fromhex(SECOND["messages"][name])
    host, device = HostVersion2(make_vectors.HELLO_2), DeviceVersion2(make_vectors.BOOT)
    if name.split(",")[0] not in make_vectors.OF_DEVICE_2:
        assert host.encode(device.decode(data)) == data
        return
    if name == "event":
        host.decode(bytes.fromhex(SECOND["messages"]["next"]))
    message = host.decode(data)
    if isinstance(message, Event):
        assert message.body == {"card": "As", "face": "down"}
        assert device.event(PendingEvent(message.boot_id, 1, message.to_bytes()))[1:] == [data]
    else:
        assert device.encode(message) == data


@pytest.mark.parametrize("name", SECOND["allowed"])
def test_what_version_2_allows_from_a_host_is_taken(name: str) -> None:
    data = bytes.fromhex(SECOND["allowed"][name])
    assert DeviceVersion2(make_vectors.BOOT).decode(data).kind == data[0]


@pytest.mark.parametrize("name", SECOND["malformed"])
def test_what_version_2_does_not_allow_from_a_host_is_refused(name: str) -> None:
    with pytest.raises(MessageError):
        DeviceVersion2(make_vectors.BOOT).decode(bytes.fromhex(SECOND["malformed"][name]))


def test_handshake_agrees_with_one_written_by_hand(of: Of) -> None:
    host = Handshake(of("key"), of("prologue"), of("host_ephemeral_private"))
    device = Handshake(of("key"), of("prologue"), of("device_ephemeral_private"))
    assert of("prologue") == b"feltd-wire\0" + bytes((of.version,)) + b"shoe"
    first = host.write_first()
    assert first == of("noise_message_1")
    assert device.read_first(first) == b""
    second = device.write_second(of("hello"))
    assert second == of("noise_message_2")
    assert host.read_second(second) == of("hello")
    assert host.hash == device.hash == of("handshake_hash")
    assert host.split() == device.split() == (of("key_host_to_device"), of("key_device_to_host"))


def test_handshake_frames_hold_version_and_echo(of: Of) -> None:
    [request] = FrameDecoder().feed(of("request_wire"))
    assert request.body == bytes((of.version,)) + of("noise_message_1")
    [answer] = FrameDecoder().feed(of("answer_wire"))
    assert answer.body == of("noise_message_1")[:4] + of("noise_message_2")
    [reject] = FrameDecoder().feed(of("reject_wire"))
    assert reject.body[:4] == of("noise_message_1")[:4]
    said = Reject.from_bytes(reject.body[4:])
    assert (said.serial, said.version_max) == ("S-0001", of.version)


def test_transport_messages_open_with_the_primitive_and_with_the_channel(of: Of) -> None:
    keys = {"host": of("key_host_to_device"), "device": of("key_device_to_host")}
    receivers = {
        "host": Channel(bytes(32), keys["host"]),
        "device": Channel(bytes(32), keys["device"]),
    }
    senders = {"host": Channel(keys["host"], bytes(32)), "device": Channel(keys["device"], bytes(32))}
    sent = {"host": 0, "device": 0}
    for vector in of.session["transport"]:
        who, body, message = vector["from"], bytes.fromhex(vector["body"]), bytes.fromhex(vector["message"])
        assert ChaCha20Poly1305(keys[who]).decrypt(nonce(sent[who]), body, None) == message
        assert receivers[who].decrypt(body) == message
        assert senders[who].encrypt(message) == body
        [frame] = FrameDecoder().feed(bytes.fromhex(vector["wire"]))
        assert frame.body == body
        sent[who] += 1
    assert min(sent.values()) >= 3

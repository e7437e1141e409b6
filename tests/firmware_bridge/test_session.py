"""The handshake and the channel: who can talk to whom, and what a changed, repeated or reflected message does."""

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.errors import SessionError
from firmware_bridge.facts import LinkSpec
from firmware_bridge.session import Channel, HostHandshake, answer_handshake, prologue
from tests.firmware_bridge.noise_by_hand import Handshake, nonce
from tests.firmware_bridge.support import KEY

OTHER = bytes(reversed(KEY))


def shake() -> tuple[Channel, Channel]:
    host = HostHandshake(KEY, "shoe", 1)
    answered = answer_handshake(KEY, "shoe", host.request, b"hello")
    channel, hello = host.read_answer(answered.body[4:])
    assert hello == b"hello"
    assert answered.body[:4] == host.echo
    return channel, answered.channel


def test_both_ways_in_order() -> None:
    host, device = shake()
    for n in range(20):
        assert device.decrypt(host.encrypt(b"to the device %d" % n)) == b"to the device %d" % n
        assert host.decrypt(device.encrypt(b"to the host %d" % n)) == b"to the host %d" % n


def test_two_sessions_share_no_key() -> None:
    host, _ = shake()
    _, device = shake()
    with pytest.raises(SessionError):
        device.decrypt(host.encrypt(b"x"))


def test_our_host_and_a_device_written_by_hand_understand_each_other() -> None:
    host = HostHandshake(KEY, "shoe", 1)
    device = Handshake(KEY, prologue("shoe", 1), bytes(range(100, 132)))
    assert device.read_first(host.request[1:]) == b""
    channel, hello = host.read_answer(device.write_second(b"by hand"))
    assert hello == b"by hand"
    to_device, to_host = device.split()
    assert ChaCha20Poly1305(to_device).decrypt(nonce(0), channel.encrypt(b"first"), None) == b"first"
    assert ChaCha20Poly1305(to_device).decrypt(nonce(1), channel.encrypt(b"second"), None) == b"second"
    assert channel.decrypt(ChaCha20Poly1305(to_host).encrypt(nonce(0), b"back", None)) == b"back"


@pytest.mark.parametrize(
    ("key", "role", "version"),
    [(OTHER, "shoe", 1), (KEY, "reader", 1), (KEY, "shoe", 2)],
    ids=["key", "role", "version"],
)
def test_another_key_role_or_version_gives_no_session(key: bytes, role: str, version: int) -> None:
    request = HostHandshake(key, role, version).request
    with pytest.raises(SessionError):
        answer_handshake(KEY, "shoe", b"\x01" + request[1:], b"hello")


def test_a_version_changed_on_the_wire_gives_no_session() -> None:
    request = HostHandshake(KEY, "shoe", 2).request
    with pytest.raises(SessionError):
        answer_handshake(KEY, "shoe", b"\x01" + request[1:], b"hello")


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 255))
def test_any_changed_byte_of_the_handshake_gives_no_session(at: int, change: int) -> None:
    host = HostHandshake(KEY, "shoe", 1)
    request = bytearray(host.request)
    request[1 + at % 48] ^= change
    with pytest.raises(SessionError):
        answer_handshake(KEY, "shoe", bytes(request), b"hello")
    answer = bytearray(answer_handshake(KEY, "shoe", host.request, b"hello").body[4:])
    answer[at % len(answer)] ^= change
    with pytest.raises(SessionError):
        host.read_answer(bytes(answer))


@pytest.mark.parametrize("answer", [b"", b"\0" * 31, b"\0" * 32, b"\0" * 48, b"\0" * 100])
def test_hostile_answers_give_no_session(answer: bytes) -> None:
    with pytest.raises(SessionError):
        HostHandshake(KEY, "shoe", 1).read_answer(answer)


def test_a_request_with_a_payload_is_refused() -> None:
    hand = Handshake(KEY, prologue("shoe", 1), bytes(range(32)))
    hand._mix_psk()
    message = hand._write_ephemeral() + hand._encrypt(b"payload")
    with pytest.raises(SessionError):
        answer_handshake(KEY, "shoe", b"\x01" + message, b"hello")


def test_an_answer_to_an_earlier_request_is_refused() -> None:
    earlier, later = HostHandshake(KEY, "shoe", 1), HostHandshake(KEY, "shoe", 1)
    answered = answer_handshake(KEY, "shoe", earlier.request, b"hello")
    with pytest.raises(SessionError):
        later.read_answer(answered.body[4:])


def test_repeated_reflected_lost_and_changed_messages_do_not_authenticate() -> None:
    host, device = shake()
    body = host.encrypt(b"one")
    assert device.decrypt(body) == b"one"
    with pytest.raises(SessionError):  # repeated
        device.decrypt(body)
    host, device = shake()
    with pytest.raises(SessionError):  # reflected
        host.decrypt(host.encrypt(b"x"))
    host, device = shake()
    host.encrypt(b"lost")
    with pytest.raises(SessionError):
        device.decrypt(host.encrypt(b"after it"))
    host, device = shake()
    body = host.encrypt(b"x")
    with pytest.raises(SessionError):  # changed
        device.decrypt(body[:-1] + bytes((body[-1] ^ 1,)))
    for short in (b"", b"\0" * 15):
        with pytest.raises(SessionError):
            device.decrypt(short)


@pytest.mark.parametrize("role", ["", "x" * 17, "schuh\u00e4", "two\nlines"])
def test_a_role_that_cannot_be_is_refused(role: str) -> None:
    with pytest.raises(ValueError, match="role"):
        prologue(role, 1)


def test_a_key_of_another_length_is_refused_and_never_shown() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        HostHandshake(b"short", "shoe", 1)
    with pytest.raises(ValueError, match="slot shoe: a key has 32 bytes") as caught:
        LinkSpec("shoe", "shoe", b"secret")
    assert "secret" not in str(caught.value)
    assert "key" not in repr(LinkSpec("shoe", "shoe", KEY))

"""What the handshake and the channel refuse, at which limits, and that no refusal shows a secret."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.errors import MessageError, NoiseError, SessionError
from firmware_bridge.noise import LONGEST, NONCE_END, Initiator, Response, nonce_bytes, respond
from firmware_bridge.session import Channel, HostHandshake, answer_handshake
from tests.firmware_bridge.noise_by_hand import Handshake
from tests.firmware_bridge.support import KEY

START = b"some prologue"
HOST, DEVICE = bytes(range(64, 96)), bytes(range(128, 160))
HELLO = b"a hello"
HOST_KEY, DEVICE_KEY = X25519PrivateKey.from_private_bytes(HOST), X25519PrivateKey.from_private_bytes(DEVICE)
FIRST = Initiator(KEY, START, HOST_KEY).message
LONGEST_PAYLOAD = LONGEST - 48


def initiator() -> Initiator:
    return Initiator(KEY, START, HOST_KEY)


def response(message: bytes = FIRST, payload: bytes = HELLO) -> Response:
    return respond(KEY, START, DEVICE_KEY, message, payload)


SECOND = response().message


# -- the handshake -------------------------------------------------------------------------------------------------


def test_the_same_chance_gives_the_same_handshake() -> None:
    assert initiator().message == FIRST
    assert response() == response()
    assert initiator().read(SECOND).payload == HELLO
    assert Initiator(KEY, START, DEVICE_KEY).message != FIRST


def test_an_answer_is_read_once() -> None:
    host = initiator()
    host.read(SECOND)
    with pytest.raises(NoiseError, match="has been read: begin another handshake"):
        host.read(SECOND)


def test_a_refused_answer_ends_the_handshake() -> None:
    host = initiator()
    with pytest.raises(NoiseError, match="does not authenticate"):
        host.read(SECOND[:-1] + bytes((SECOND[-1] ^ 1,)))
    with pytest.raises(NoiseError, match="has been read: begin another handshake"):
        host.read(SECOND)


def damage(message: bytes) -> st.SearchStrategy[bytes]:
    """The message with bytes changed, cut off, put before it or behind it, and bytes that are none of it."""
    some, at, other = st.binary(min_size=1, max_size=64), st.integers(0, len(message) - 1), st.integers(1, 255)
    changed = st.builds(lambda n, by: message[:n] + bytes((message[n] ^ by,)) + message[n + 1 :], at, other)
    return st.one_of(
        changed,
        st.builds(lambda n: message[:n], at),
        st.builds(lambda n: message[n + 1 :], at),
        st.builds(lambda more: message + more, some),
        st.builds(lambda more: more + message, some),
        st.binary(max_size=256),
    ).filter(lambda made: made != message)


@settings(deadline=None)
@given(damage(FIRST))
def test_a_damaged_request_is_refused(message: bytes) -> None:
    with pytest.raises(NoiseError):
        response(message)


@settings(deadline=None)
@given(damage(SECOND))
def test_a_damaged_answer_is_refused(message: bytes) -> None:
    host = initiator()
    with pytest.raises(NoiseError):
        host.read(message)


@pytest.mark.parametrize("size", [0, 31, 32, 47])
def test_a_handshake_message_that_is_cut_short_is_called_so(size: int) -> None:
    with pytest.raises(NoiseError, match=f"has {size} bytes, 48 to 65535 are possible: it was cut"):
        response(FIRST[:size])
    with pytest.raises(NoiseError, match=f"has {size} bytes, 48 to 65535 are possible: it was cut"):
        initiator().read(SECOND[:size])


def test_messages_in_the_wrong_place_are_refused() -> None:
    with pytest.raises(NoiseError):  # reflected
        initiator().read(FIRST)
    with pytest.raises(NoiseError):  # an answer for a request
        response(SECOND)
    with pytest.raises(NoiseError):  # the answer to another request
        initiator().read(response(Initiator(KEY, START, DEVICE_KEY).message).message)


def test_a_handshake_message_is_as_long_as_noise_allows_and_no_longer() -> None:
    full = b"x" * LONGEST_PAYLOAD
    host = Initiator(KEY, START, HOST_KEY, full)
    assert len(host.message) == LONGEST
    answer = response(host.message, full)
    assert answer.established.payload == full
    assert len(answer.message) == LONGEST
    assert host.read(answer.message).payload == full
    with pytest.raises(NoiseError, match="65488 bytes, at most 65487"):
        Initiator(KEY, START, HOST_KEY, full + b"x")
    with pytest.raises(NoiseError, match="65488 bytes, at most 65487"):
        response(payload=full + b"x")


def test_an_authentic_handshake_message_that_is_too_long_is_refused() -> None:
    host, device = Handshake(KEY, START, HOST), Handshake(KEY, START, DEVICE)
    host._mix_psk()
    too_long = host._write_ephemeral() + host._encrypt(b"x" * (LONGEST_PAYLOAD + 1))
    with pytest.raises(NoiseError, match="65536 bytes, 48 to 65535 are possible"):
        response(too_long)
    device.read_first(FIRST)
    with pytest.raises(NoiseError, match="65536 bytes, 48 to 65535 are possible"):
        initiator().read(device.write_second(b"x" * (LONGEST_PAYLOAD + 1)))


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_key_of_another_length_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="has 32 bytes, this one has"):
        Initiator(bytes(size), START, HOST_KEY)
    with pytest.raises(ValueError, match="has 32 bytes, this one has"):
        respond(bytes(size), START, DEVICE_KEY, FIRST, b"")


# -- the channel ---------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=40))
def test_only_the_next_message_is_taken_and_only_whole(tries: list[tuple[int, bool]]) -> None:
    """Lost, repeated, swapped and changed messages: what is refused does not move the receiver on (section 5.1)."""
    sender, receiver = Channel(KEY, HOST), Channel(HOST, KEY)
    bodies = [sender.encrypt(b"message %d" % n) for n in range(10)]
    following = 0
    for number, whole in tries:
        body = bodies[number] if whole else bodies[number][:-1]
        if whole and number == following:
            assert receiver.decrypt(body) == b"message %d" % number
            following += 1
        else:
            with pytest.raises(SessionError, match="does not authenticate"):
                receiver.decrypt(body)


@settings(deadline=None)
@given(st.data(), st.binary(max_size=200))
def test_a_damaged_message_is_refused(data: st.DataObject, message: bytes) -> None:
    body = Channel(KEY, HOST).encrypt(message)
    with pytest.raises(SessionError, match="does not authenticate"):
        Channel(HOST, KEY).decrypt(data.draw(damage(body)))


def test_a_nonce_is_four_zeros_and_the_number_little_endian() -> None:
    assert nonce_bytes(0) == bytes(12)
    assert nonce_bytes(0x0102030405060708) == bytes.fromhex("000000000807060504030201")


def test_the_last_nonce_is_for_no_message() -> None:
    channel, cipher = Channel(KEY, KEY), ChaCha20Poly1305(KEY)
    channel._sent = channel._received = NONCE_END - 1
    last = channel.encrypt(b"the last")
    assert last == cipher.encrypt(bytes(4) + b"\xfe" + b"\xff" * 7, b"the last", None)
    assert channel.decrypt(last) == b"the last"
    for _ in range(2):
        with pytest.raises(SessionError, match="begin another session"):
            channel.encrypt(b"x")
        with pytest.raises(SessionError, match="begin another session"):
            channel.decrypt(cipher.encrypt(bytes(4) + b"\xff" * 8, b"x", None))


def test_a_message_is_as_long_as_noise_allows_and_no_longer() -> None:
    channel = Channel(KEY, KEY)
    with pytest.raises(MessageError, match=r"65520 bytes, .* at most 65519"):
        channel.encrypt(b"x" * 65520)
    body = channel.encrypt(b"x" * 65519)  # the refusal took no nonce
    assert len(body) == LONGEST
    with pytest.raises(SessionError, match=r"65536 bytes, .* at most 65535"):
        channel.decrypt(ChaCha20Poly1305(KEY).encrypt(nonce_bytes(0), b"x" * 65520, None))
    assert channel.decrypt(body) == b"x" * 65519


# -- what shows ----------------------------------------------------------------------------------------------------


def wrong_key() -> None:
    answer_handshake(DEVICE, "shoe", HostHandshake(KEY, "shoe", 1).request, HELLO)


def wrong_answer() -> None:
    HostHandshake(KEY, "shoe", 1).read_answer(SECOND)


def zero_secret() -> None:
    device = Handshake(KEY, START, DEVICE)
    device.read_first(FIRST)
    device._mix_hash(bytes(32))
    device._mix_key(bytes(32))
    device._mix_key(bytes(32))
    initiator().read(bytes(32) + device._encrypt(HELLO))


def bad_frame() -> None:
    Channel(KEY, HOST).decrypt(ChaCha20Poly1305(DEVICE).encrypt(nonce_bytes(0), HELLO, None))


def short_key() -> None:
    Initiator(KEY[:31], START, HOST_KEY)


def long_message() -> None:
    Channel(KEY, HOST).encrypt(HELLO * 10_000)


def long_payload() -> None:
    response(payload=HELLO * 10_000)


def assert_shows_nothing(text: str) -> None:
    keys = response().established
    for secret in (KEY, HOST, DEVICE, keys.send_key, keys.receive_key, keys.handshake_hash, HELLO):
        for shown in (repr(secret)[2:-1], secret.hex(), repr(secret[:8])[2:-1], secret[:8].hex()):
            assert shown not in text


@pytest.mark.parametrize(
    "refused",
    [wrong_key, wrong_answer, zero_secret, bad_frame, short_key, long_message, long_payload],
)
def test_no_refusal_shows_a_secret(refused: Callable[[], None]) -> None:
    with pytest.raises((NoiseError, SessionError, MessageError, ValueError)) as caught:
        refused()
    error: BaseException | None = caught.value
    while error is not None:
        assert_shows_nothing(f"{error} {error!r} {error.args!r}")
        error = error.__cause__ or error.__context__


def test_nothing_that_holds_a_secret_shows_it() -> None:
    host, answer = initiator(), response()
    assert_shows_nothing(repr([host, host.read(SECOND), replace(answer, message=b""), Channel(KEY, HOST)]))
    assert_shows_nothing(repr([HostHandshake(KEY, "shoe", 1), Channel.of(answer.established)]))

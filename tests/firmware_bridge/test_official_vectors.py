"""The handshake and the channel against vectors that others wrote (`official/README.md` says who, and the licences)."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from firmware_bridge import noise, session
from firmware_bridge.errors import NoiseError, SessionError
from firmware_bridge.noise import Initiator, hkdf, respond, shared_secret
from firmware_bridge.session import Channel, HostHandshake, answer_handshake, prologue
from tests.firmware_bridge.noise_by_hand import Handshake
from tests.firmware_bridge.support import KEY

Entry = dict[str, Any]


def load(name: str) -> list[Entry]:
    """The entries of a file."""
    entries: list[Entry] = json.loads((Path(__file__).parent / "official" / f"{name}.json").read_text())
    return entries


def of(entry: Entry, name: str) -> bytes:
    """A value of an entry that may lack it."""
    return bytes.fromhex(entry.get(name, ""))


def not_as_said(entries: list[Entry], as_said: Callable[[Entry], bool]) -> list[int]:
    """Wycheproof's numbers of the entries where our answer is another."""
    return [entry["tcId"] for entry in entries if not as_said(entry)]


X25519, CIPHER, HKDF = load("wycheproof_x25519"), load("wycheproof_chacha20_poly1305"), load("wycheproof_hkdf_sha256")
ZERO = [entry for entry in X25519 if not any(of(entry, "shared"))]
SMALL_ORDER = sorted({str(entry["public"]) for entry in ZERO})


def test_the_files_are_whole() -> None:
    """An empty file would pass everything below."""
    assert (len(X25519), len(CIPHER), len(HKDF)) == (518, 316, 31)
    assert (len(ZERO), len(SMALL_ORDER)) == (31, 14)
    flags = Counter(flag for entry in X25519 for flag in entry["flags"])
    assert (flags["LowOrderPublic"], flags["ZeroSharedSecret"], flags["NonCanonicalPublic"]) == (31, 31, 19)
    assert Counter(entry["result"] for entry in CIPHER) == {"valid": 256, "invalid": 60}


# -- Noise ---------------------------------------------------------------------------------------------------------


def shake(entry: Entry, key: str, own_prologue: str, ephemerals: tuple[str, str], payloads: list[bytes]) -> list[bytes]:
    """Play an entry's handshake, both ends; return the two messages and the keys from initiator and responder."""
    psk, start = bytes.fromhex(key), of(entry, own_prologue)
    host_key, device_key = (X25519PrivateKey.from_private_bytes(of(entry, name)) for name in ephemerals)
    host = Initiator(psk, start, host_key, payloads[0])
    response = respond(psk, start, device_key, host.message, payloads[1])
    device, answer = response.established, host.read(response.message)
    assert device.payload == payloads[0]
    assert answer.payload == payloads[1]
    assert (answer.send_key, answer.receive_key) == (device.receive_key, device.send_key)
    assert answer.handshake_hash == device.handshake_hash
    assert entry.get("handshake_hash") in (None, device.handshake_hash.hex())
    return [host.message, response.message, answer.send_key, answer.receive_key]


def go_through(keys: list[bytes], messages: list[tuple[bytes, bytes]]) -> None:
    """Send transport messages (payload, ciphertext) in turns, the initiator first, through two channels."""
    first, second = Channel(keys[0], keys[1]), Channel(keys[1], keys[0])
    for number, (payload, ciphertext) in enumerate(messages):
        sender, receiver = (first, second) if number % 2 == 0 else (second, first)
        assert sender.encrypt(payload) == ciphertext
        assert receiver.decrypt(ciphertext) == payload


def test_cacophony() -> None:
    [entry] = load("noise_cacophony")
    assert entry["protocol_name"].encode() == noise.NAME
    assert (entry["init_prologue"], entry["init_psks"]) == (entry["resp_prologue"], entry["resp_psks"])
    messages = [(of(message, "payload"), of(message, "ciphertext")) for message in entry["messages"]]
    payloads = [payload for payload, _ in messages]
    *said, to_device, to_host = shake(
        entry, entry["init_psks"][0], "init_prologue", ("init_ephemeral", "resp_ephemeral"), payloads
    )
    assert said == [ciphertext for _, ciphertext in messages[:2]]
    assert len(messages) == 6
    go_through([to_device, to_host], messages[2:])


@pytest.mark.parametrize("entry", load("noise_flynn"), ids=["bare", "payloads", "prologue", "prologue and payloads"])
def test_flynn(entry: Entry) -> None:
    assert entry["handshake"].encode() == noise.NAME
    messages = [(of(entry, f"msg_{n}_payload"), of(entry, f"msg_{n}_ciphertext")) for n in range(4)]
    payloads = [payload for payload, _ in messages]
    *said, to_device, to_host = shake(
        entry, entry["preshared_key"], "prologue", ("gen_init_ephemeral", "gen_resp_ephemeral"), payloads
    )
    assert said == [ciphertext for _, ciphertext in messages[:2]]
    go_through([to_device, to_host], messages[2:])


# -- X25519 --------------------------------------------------------------------------------------------------------


def secret_or_none(entry: Entry) -> bytes | None:
    """The shared secret; None where it is refused for its zeros."""
    try:
        return shared_secret(X25519PrivateKey.from_private_bytes(of(entry, "private")), of(entry, "public"))
    except NoiseError as error:
        return None if "a secret of zeros" in str(error) else b""


def test_a_shared_secret_is_wycheproofs_and_refused_where_it_is_zero() -> None:
    """Points on the twist, at the edges, written too large: all are taken as the curve has them. The zeros are not."""
    assert not_as_said(ZERO, lambda entry: secret_or_none(entry) is None) == []
    others = [entry for entry in X25519 if entry not in ZERO]
    assert not_as_said(others, lambda entry: secret_or_none(entry) == of(entry, "shared")) == []


class ZeroSecret(Handshake):
    """An end that has the key, sends a point of small order, and counts on a secret of zeros."""

    def __init__(self, point: bytes) -> None:
        self.point = point
        super().__init__(KEY, prologue("shoe", 1), bytes(range(32)))

    @property
    def public(self) -> bytes:
        return self.point

    def _mix_shared(self) -> None:
        self._mix_key(bytes(32))


@pytest.mark.parametrize("point", SMALL_ORDER)
def test_a_point_of_small_order_in_a_request_gives_no_session(point: str) -> None:
    request = b"\x01" + ZeroSecret(bytes.fromhex(point)).write_first()
    with pytest.raises(SessionError, match="does not authenticate") as caught:
        answer_handshake(KEY, "shoe", request, b"hello")
    assert "a secret of zeros" in str(caught.value.__cause__)  # all else is authentic


@pytest.mark.parametrize("point", SMALL_ORDER)
def test_a_point_of_small_order_in_an_answer_gives_no_session(point: str) -> None:
    host, device = HostHandshake(KEY, "shoe", 1), ZeroSecret(bytes.fromhex(point))
    device.read_first(host.request[1:])
    with pytest.raises(SessionError, match="does not authenticate") as caught:
        host.read_answer(device.write_second(b"hello"))
    assert "a secret of zeros" in str(caught.value.__cause__)


# -- HKDF and the cipher -------------------------------------------------------------------------------------------


def test_hkdf() -> None:
    """Noise's is RFC 5869's with the chaining key for salt and no info; two outputs are the head of three."""

    def as_said(entry: Entry) -> bool:
        made = hkdf(of(entry, "salt"), of(entry, "ikm"), 3)
        assert hkdf(of(entry, "salt"), of(entry, "ikm"), 2) == made[:2]
        return entry["result"] == "valid" and b"".join(made)[: entry["size"]] == of(entry, "okm")

    assert not_as_said(HKDF, as_said) == []


def test_the_cipher_of_a_handshake(monkeypatch: pytest.MonkeyPatch) -> None:
    """The associated data is the hash there; the nonce is Wycheproof's instead of the first."""

    def state(entry: Entry) -> noise._SymmetricState:
        made = noise._SymmetricState(KEY, b"")
        made._key, made.hash = of(entry, "key"), of(entry, "aad")
        return made

    def as_said(entry: Entry) -> bool:
        monkeypatch.setattr(noise, "_FIRST", of(entry, "iv"))
        sender, receiver, sealed = state(entry), state(entry), of(entry, "ct") + of(entry, "tag")
        if entry["result"] == "valid":
            same = sender.seal(of(entry, "msg")) == sealed and receiver.open(sealed) == of(entry, "msg")
            return same and sender.hash == receiver.hash != of(entry, "aad")
        try:
            receiver.open(sealed)
        except NoiseError:
            return receiver.hash == of(entry, "aad")
        return False

    assert not_as_said(CIPHER, as_said) == []


def test_the_cipher_of_a_channel(monkeypatch: pytest.MonkeyPatch) -> None:
    """A channel has no associated data; the nonce is Wycheproof's instead of the message's number."""

    def as_said(entry: Entry) -> bool:
        monkeypatch.setattr(session, "nonce_bytes", lambda _number: of(entry, "iv"))
        channel, sealed = Channel(of(entry, "key"), of(entry, "key")), of(entry, "ct") + of(entry, "tag")
        with pytest.raises(SessionError, match="does not authenticate"):
            channel.decrypt(sealed[:-1] + bytes((sealed[-1] ^ 1,)))
        return channel.encrypt(of(entry, "msg")) == sealed and channel.decrypt(sealed) == of(entry, "msg")

    bare = [entry for entry in CIPHER if not entry["aad"]]
    assert Counter(entry["result"] for entry in bare) == {"valid": 45}
    assert not_as_said(bare, as_said) == []

"""Security keys (WebAuthn): a second factor that signs what the page asks, for the page's own address alone.

`webauthn` checks what a key answers. It is loaded by the first question: a page that nobody asks so has no use for it.
"""

import json
import secrets
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from feltd.text.errors import FeltdError

MOST: Final = 8
"""Keys of one account."""
NAME_MOST: Final = 64
ANSWER_WITHIN: Final = 120.0
"""Seconds from a question to its answer."""
ASKED_MOST: Final = 1024
"""Questions that wait for an answer: the oldest is forgotten."""
ASKED_OF_ONE: Final = 4
"""The same of one session, or of one person who signs in from one address."""
REMEMBERED: Final = 16
"""Counters that each key has told of late."""
_BYTES: Final = 32


class SecurityKeyError(FeltdError):
    """A key that cannot be taken, or that there is not."""


@dataclass(frozen=True, slots=True)
class SecurityKey:
    """A person's security key. `id`, `public_key` (COSE): base64url, as they are sent."""

    id: str
    name: str
    public_key: str
    count: int
    """The highest counter that it has told; 0 from one that does not count."""
    made: float
    """Seconds since 1970."""
    copied: bool = False
    """It has told a counter that it had told before, or a lower one: there are two of it, and neither counts."""


@dataclass(frozen=True, slots=True)
class KeysPlace:
    """Where security keys work: `origin`, as browsers show it, e.g. `https://table7.casino.example`."""

    origin: str

    @property
    def host(self) -> str:
        """The host name that keys are bound to."""
        return urlsplit(self.origin).hostname or ""

    def is_at(self, netloc: str) -> bool:
        """Whether a request with this Host is for the place."""
        scheme, own = urlsplit(self.origin)[:2]
        port = {"https": ":443", "http": ":80"}[scheme]
        return netloc.lower().removesuffix(port) == own.lower().removesuffix(port)


@dataclass(frozen=True, slots=True)
class Signed:
    """What a key has answered, as the browser hands it over, each base64url."""

    id: str
    client_data: str
    authenticator_data: str
    signature: str


@dataclass(frozen=True, slots=True)
class Made:
    """A key that the browser has had made, each base64url."""

    id: str
    client_data: str
    attestation: str


@dataclass(frozen=True, slots=True)
class Question:
    """A challenge that was handed out. `counts`: how far each of the account's keys had counted then."""

    challenge: bytes = field(repr=False)
    until: float
    counts: Mapping[str, int]


class Questions:
    """Challenges that wait for their answer: each counts once, for whom it was made, and not for long."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock`: monotonic seconds."""
        self._clock = clock
        self._waiting: dict[tuple[str, bytes], Question] = {}

    def ask(self, whose: str, keys: Iterable[SecurityKey] = ()) -> bytes:
        """Return a new challenge. `whose`: what it is for and of whom; `keys`: those that may answer."""
        challenge = secrets.token_bytes(_BYTES)
        theirs = [one for one in self._waiting if one[0] == whose]
        for one in theirs[: max(0, len(theirs) - ASKED_OF_ONE + 1)]:
            del self._waiting[one]
        if len(self._waiting) >= ASKED_MOST:
            del self._waiting[next(iter(self._waiting))]
        counts = {key.id: key.count for key in keys}
        self._waiting[whose, challenge] = Question(challenge, self._clock() + ANSWER_WITHIN, counts)
        return challenge

    def take(self, whose: str, client_data: str) -> Question | None:
        """Return the question that this answers, which counts no more; None where it was not asked, or too long ago."""
        challenge = _challenge_in(client_data)
        question = None if challenge is None else self._waiting.pop((whose, challenge), None)
        return None if question is None or self._clock() > question.until else question


class Counters:
    """Tells a sound key from one that there are two of, by the counters that they tell.

    Answers of a sound key may come out of order, where two browsers ask it at the same time: each counter is higher
    than where the key stood when it was asked, and none comes twice. In memory: after a restart no question is open.
    """

    def __init__(self) -> None:
        self._told: dict[str, deque[int]] = {}

    def is_sound(self, key: str, asked_at: int, count: int) -> bool:
        """Whether a key that had counted to `asked_at` when it was asked may tell `count`; it is remembered."""
        if count == 0 and asked_at == 0:
            return True  # it does not count
        told = self._told.setdefault(key, deque(maxlen=REMEMBERED))
        if count <= asked_at or count in told:
            return False
        told.append(count)
        return True


def questions_for(place: KeysPlace, challenge: bytes, keys: Iterable[SecurityKey]) -> dict[str, Any]:
    """What a browser is told to have one of these keys sign."""
    return {
        "challenge": as_text(challenge),
        "rp_id": place.host,
        "origin": place.origin,
        "ids": [key.id for key in keys if not key.copied],
        "seconds": ANSWER_WITHIN,
    }


def count_told(place: KeysPlace, key: SecurityKey, challenge: bytes, signed: Signed) -> int | None:
    """Return the counter that a key has told with its signature; None where the signature is not its own.

    It must be of this challenge, for this place, and somebody must have touched the key.
    """
    from webauthn import verify_authentication_response
    from webauthn.helpers.structs import AuthenticationCredential, AuthenticatorAssertionResponse

    try:
        response = AuthenticatorAssertionResponse(
            as_bytes(signed.client_data), as_bytes(signed.authenticator_data), as_bytes(signed.signature)
        )
        told = verify_authentication_response(
            credential=AuthenticationCredential(id=key.id, raw_id=as_bytes(key.id), response=response),
            expected_challenge=challenge,
            expected_rp_id=place.host,
            expected_origin=place.origin,
            credential_public_key=as_bytes(key.public_key),
            credential_current_sign_count=0,  # `Counters` judges it: this library knows of no order
        )
    except _unsound():
        return None
    return told.new_sign_count


def key_made(place: KeysPlace, challenge: bytes, made: Made, name: str, now: float) -> SecurityKey:
    """Return a key that the browser has had made for this challenge and place. `now`: seconds since 1970.

    Raises SecurityKeyError.
    """
    from webauthn import verify_registration_response
    from webauthn.helpers.structs import AuthenticatorAttestationResponse, RegistrationCredential

    try:
        response = AuthenticatorAttestationResponse(as_bytes(made.client_data), as_bytes(made.attestation))
        told = verify_registration_response(
            credential=RegistrationCredential(id=made.id, raw_id=as_bytes(made.id), response=response),
            expected_challenge=challenge,
            expected_rp_id=place.host,
            expected_origin=place.origin,
        )
    except _unsound():
        raise SecurityKeyError("what the browser sent is no security key for this page: begin again") from None
    public = as_text(told.credential_public_key)
    return SecurityKey(as_text(told.credential_id), name, public, told.sign_count, now)


def algorithms() -> list[int]:
    """The signatures that a key may make, by their COSE numbers, the best first."""
    from webauthn.registration.generate_registration_options import default_supported_pub_key_algs

    return [int(algorithm) for algorithm in default_supported_pub_key_algs]


def as_text(raw: bytes) -> str:
    """Bytes in base64url without padding."""
    return urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def as_bytes(text: str) -> bytes:
    """The bytes of a text in base64url. Raises ValueError."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _challenge_in(client_data: str) -> bytes | None:
    try:
        said = json.loads(as_bytes(client_data))
        return as_bytes(said["challenge"])
    except (ValueError, TypeError, LookupError, RecursionError):
        return None


def _unsound() -> tuple[type[Exception], ...]:
    """What `webauthn`, and what it reads CBOR and keys with, raise for bytes that a stranger has made up."""
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from webauthn.helpers.exceptions import WebAuthnException

    ours = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError, struct.error)
    return (WebAuthnException, InvalidSignature, UnsupportedAlgorithm, *ours)

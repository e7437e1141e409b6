"""Letting tables in: a code that a person makes becomes, once, the certificate of a key that the table has made.

A code is in no log and no database: its digest is. A table that is here gets its next certificate without anybody.
"""

import base64
import binascii
import hashlib
import logging
from collections.abc import Callable
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from feltd.custody.certificates import as_der
from feltd.custody.errors import (
    CertificateWrongError,
    CustodyError,
    CustodyRefusedError,
    FloorAwayError,
    NotYetSaidError,
)
from feltd.custody.messages import Certified, Enrol
from feltd.custody.shown_codes import is_shown_code, shown_code_of
from feltd.floor.admission import Shown
from feltd.floor.alarming import tell
from feltd.floor.engine import NO_JOURNAL, Alarm, AlarmKind, Engine, Given, Redeemed, table_is_shut
from feltd.floor.issuing import Issuer
from feltd.text.typed_codes import FLOOR_LENGTH, bare, random_letters

NO_TABLE: Final = "(no table)"
"""In place of a table's name in an alarm about a code that is none."""
GOOD_FOR: Final = 600.0
"""Seconds for which a code is good, where a person says nothing else."""
WRONG_A_MINUTE: Final = 10
"""Wrong codes after which floord looks at no code for the rest of a minute: a code has fifty bits."""
SHOWN_A_MINUTE: Final = 120
"""Questions of tables that show a code and wait: beyond them floord looks at none for the rest of a minute."""
_SAID: Final = {
    Redeemed.UNKNOWN: "this code is none of the floor's",
    Redeemed.LATE: "this code's time is over",
    Redeemed.USED: "this code has been used already, for another key",
}
_log = logging.getLogger("feltd.floor")


def new_code() -> str:
    """A new code: ten letters and digits with a dash between."""
    code = random_letters(FLOOR_LENGTH)
    return f"{code[:5]}-{code[5:]}"


def digest_of(code: str) -> bytes:
    """What the floor keeps of a code, however it is typed."""
    return hashlib.sha256(bare(code).encode()).digest()


class Registrar:
    """Gives certificates out. Belongs to one loop."""

    def __init__(self, engine: Engine, issuer: Issuer, clock: Callable[[], float]) -> None:
        """`clock`: seconds since 1970."""
        self._engine = engine
        self._issuer = issuer
        self._clock = clock
        self._wrong: list[float] = []
        self._shown: list[float] = []

    async def enrol(self, asked: Enrol) -> Certified:
        """The certificate for a good code. Raises CustodyRefusedError, FloorAwayError."""
        now = self._clock()
        key = _key_of(asked.request)
        if is_shown_code(asked.code) and bare(asked.code) == bare(shown_code_of(key)):
            return await self._by_display(asked.code, key, now)
        self._wrong = [at for at in self._wrong if 0.0 <= now - at < 60.0]
        if len(self._wrong) >= WRONG_A_MINUTE:
            raise CustodyRefusedError(
                f"{WRONG_A_MINUTE} wrong codes came within a minute: no code is looked at now",
                "enrolment",
                "Try again in a minute; find out who types codes that are none",
            )
        # A table's display shows its code to everybody: with another key than its own it is none.
        shown = is_shown_code(asked.code)
        verdict, table = (
            (Redeemed.UNKNOWN, "") if shown else await self._engine.redeem(digest_of(asked.code), _digest(key), now)
        )
        if verdict is Redeemed.GOOD:
            return await self._given(table, key, "enrolled by a code")
        if verdict is Redeemed.SHUT:
            raise table_is_shut(table)
        self._wrong.append(now)
        words = _SAID[verdict]
        about = f" (table {table})" if table else ""
        told = f"somebody wanted to enrol a table: {words}{about}. If it was nobody of yours, find out who"
        await tell(self._engine, Alarm(table or NO_TABLE, NO_JOURNAL, AlarmKind.CODE, 0, told))
        raise CustodyRefusedError(
            words, "enrolment", "Type it again; or make a new one on the floor's server: `feltd floor enrol-code`"
        )

    async def _by_display(self, code: str, key: ec.EllipticCurvePublicKey, now: float) -> Certified:
        """The certificate for the key whose own code a person has said here. Raises as `enrol`.

        A table asks again and again until somebody has: that is no alarm.
        """
        self._shown = [at for at in self._shown if 0.0 <= now - at < 60.0]
        if len(self._shown) >= SHOWN_A_MINUTE:
            raise FloorAwayError("too many tables that show a code ask at once", "enrolment", "It asks again by itself")
        self._shown.append(now)
        verdict, table = await self._engine.redeem(digest_of(code), _digest(key), now)
        if verdict is Redeemed.GOOD:
            return await self._given(table, key, "enrolled by the code on its display")
        if verdict is Redeemed.SHUT:
            raise table_is_shut(table)
        raise NotYetSaidError(
            "nobody has said yet which table shows this code",
            "enrolment",
            "On the floor's server: `feltd floor enrol-code --shown CODE TABLE`",
        )

    async def renew(self, shown: Shown) -> Certified:
        """A new certificate for the key of the one that is shown.

        Raises CertificateWrongError where another key was enrolled meanwhile, CustodyRefusedError, FloorAwayError.
        """
        key = x509.load_der_x509_certificate(shown.certificate).public_key()
        if not isinstance(key, ec.EllipticCurvePublicKey):
            raise _no_request("its key is of another kind")
        last = await self._engine.last_certificate(shown.table)
        if (replaced := shown.replaced(last)) is not None:
            raise replaced
        return await self._given(shown.table, key, "renewed", "" if last is None else last.serial)

    async def _given(
        self, table: str, key: ec.EllipticCurvePublicKey, how: str, behind: str | None = None
    ) -> Certified:
        made = self._issuer.sign(table, key, self._clock())
        ends = made.not_valid_after_utc
        given = Given(table, f"{made.serial_number:x}", _digest(key), ends.timestamp(), how)
        # before it goes: none is out that the floor does not know of
        if not await self._engine.add_certificate(given, behind):
            raise FloorAwayError(
                "this table was given another certificate at the same moment",
                f"table {table}",
                "It asks again by itself",
            )
        _log.info("table %s has a certificate until %s, %s", table, f"{ends:%Y-%m-%d}", how)
        return Certified(base64.b64encode(made.public_bytes(Encoding.DER)).decode())


def _key_of(request: str) -> ec.EllipticCurvePublicKey:
    """The key of a signing request, which its owner has signed. Raises CustodyRefusedError."""
    try:
        read = x509.load_der_x509_csr(as_der(request))
        signed = read.is_signature_valid
    except (ValueError, binascii.Error, InvalidSignature, CertificateWrongError):
        raise _no_request("it is none, or is cut") from None
    key = read.public_key()
    if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
        raise _no_request("its key is of another kind")
    if not signed:
        raise _no_request("it is not signed with its key")
    return key


def _digest(key: ec.EllipticCurvePublicKey) -> bytes:
    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()


def _no_request(why: str) -> CustodyError:
    return CustodyRefusedError(f"no request for a certificate: {why}", "enrolment", "Run `feltd uplink enrol` again")

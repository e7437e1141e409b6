"""Which certificates the floor lets in now: those in time, of a table that is not shut, by the table's newest key.

A key is over once the table was enrolled with another one. That holds for keys of certificates that were made by hand
too: the floor never saw those made, so the day on which a certificate was made says which one came after the other.
"""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from feltd.custody.certificates import key_and_begin, name_of, require_valid
from feltd.custody.errors import CertificateWrongError, CustodyError
from feltd.floor.alarming import tell
from feltd.floor.engine import NO_JOURNAL, Alarm, AlarmKind, Engine, Given, table_is_shut
from feltd.floor.issuing import begin_of

SETTLES: Final = 60.0
"""Seconds after an enrolment in which a call with the old key is no alarm: the uplink is not yet started anew."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A certificate that is shown (DER), whose it is, its key (SHA-256), and its first second (since 1970)."""

    table: str
    certificate: bytes
    key: bytes
    begin: float

    @classmethod
    def of(cls, certificate: bytes) -> "Shown":
        """What a certificate says. Raises CertificateWrongError."""
        return cls(name_of(certificate), certificate, *key_and_begin(certificate))

    def replaced(self, last: Given | None) -> CertificateWrongError | None:
        """The fault of a key that another was enrolled after; None for the table's own. `last`: its last certificate.

        A floor that was put back to a backup knows older certificates alone: what was made later than those is let in.
        """
        if last is None or last.key == self.key or self.begin > begin_of(last.ends):
            return None
        return CertificateWrongError(
            "another key was enrolled for this table since this certificate was made",
            f"table {self.table}",
            "Find out who has the old key; if this is the table, enrol it anew: `feltd floor enrol-code`",
        )


class Admission:
    """Who is let in, and goes on. Belongs to one loop."""

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        """`clock`: seconds since 1970."""
        self._engine = engine
        self._clock = clock
        self._shut: frozenset[str] = frozenset()
        self._last: dict[str, Given] = {}

    async def require_good(self, shown: Shown) -> None:
        """Raises CustodyError where the certificate is not good or its table is shut, which is alarmed."""
        last: Given | None = None
        try:
            require_valid(shown.certificate, shown.table, self._clock())
            last = await self._engine.last_certificate(shown.table)
            if (replaced := shown.replaced(last)) is not None:
                raise replaced
        except CertificateWrongError as fault:
            if not self._settles(last):
                words = f"{fault.what}. {fault.remedy}"
                await tell(self._engine, Alarm(shown.table, NO_JOURNAL, AlarmKind.CERTIFICATE, 0, words))
            raise
        if shown.table in self._shut or shown.table in await self._engine.shut_tables():
            words = "it is shut, and has called. If it is not stolen, open it: `feltd floor open`"
            await tell(self._engine, Alarm(shown.table, NO_JOURNAL, AlarmKind.SHUT, 0, words))
            raise table_is_shut(shown.table)

    def _settles(self, last: Given | None) -> bool:
        """Whether the table was given its last certificate just now."""
        return last is not None and 0.0 <= self._clock() - begin_of(last.ends, made=True) < SETTLES

    async def look(self, tables: Collection[str]) -> None:
        """Ask which tables are shut, and which keys are these tables' now. Raises FloorAwayError."""
        self._shut = await self._engine.shut_tables()
        self._last = {given.table: given for given in await self._engine.last_certificates(sorted(tables))}

    def fault(self, shown: Shown) -> CustodyError | None:
        """Why who showed this is let go, as it was at the last look; None where it may go on."""
        if shown.table in self._shut:
            return table_is_shut(shown.table)
        return shown.replaced(self._last.get(shown.table))

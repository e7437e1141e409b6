"""What the floor asks of the place where it keeps journals. Each call is whole or has not happened."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from feltd.custody.errors import CustodyRefusedError, FloorAwayError
from feltd.custody.messages import Result, Stand
from feltd.floor.alarm_kinds import NO_JOURNAL as NO_JOURNAL
from feltd.floor.alarm_kinds import Alarm as Alarm
from feltd.floor.alarm_kinds import AlarmKind as AlarmKind
from feltd.floor.alone import Alone
from feltd.floor.arriving import Arrivals
from feltd.floor.elsewhere import Floords
from feltd.floor.facts import Facts
from feltd.floor.groups import Groups
from feltd.floor.searched import Searched
from feltd.floor.standing import StandingAlarms
from feltd.floor.streams import Streams
from feltd.floor.wishes import Wishes
from feltd.record.signed_heads import SignedHead

FORKS_MOST: Final = 8
"""Of one journal, so many batches that differ are kept; further ones are counted."""
BATCHES_BYTES: Final = 4 * 1024 * 1024
"""Bytes of rows that are read at once, and one batch more: what was taken in before there was a bound may be large."""
JOURNALS_MOST: Final = 256
"""Of one table."""


class Verdict(StrEnum):
    """What became of a batch."""

    ADDED = "added"
    NOT_NEXT = "not next"
    """It begins elsewhere than behind the head: a gap, or what is there already."""
    DIFFERENT = "different"
    """It begins behind the head, and says that another history lies before it."""
    FORKED = "forked"
    """There are two of this journal since before: nothing is added."""
    FOREIGN = "foreign"
    """The journal is another table's."""
    UNKNOWN = "unknown"
    """The floor has no such journal: it was put back to a backup from before it."""
    SHUT = "shut"
    """A person has shut the table."""


class Redeemed(StrEnum):
    """What became of a code that was shown."""

    GOOD = "good"
    UNKNOWN = "unknown"
    LATE = "late"
    USED = "used"
    """For another key."""
    SHUT = "shut"
    """Its table is shut."""


@dataclass(frozen=True, slots=True)
class Given:
    """A certificate that was given to a table.

    `serial`: hexadecimal; `key`: SHA-256 of its public key; `ends`: seconds since 1970; `how`: for people.
    """

    table: str
    serial: str
    key: bytes
    ends: float
    how: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of a journal from number `first` on. `before`, `chain`: before the first and behind the last."""

    table: str
    journal: bytes
    first: int
    before: bytes
    chain: bytes
    rows: tuple[bytes, ...]

    @property
    def last(self) -> int:
        """The number of the last row; `first` - 1 where there is none."""
        return self.first + len(self.rows) - 1

    def behind(self, seq: int) -> Iterator[tuple[int, bytes]]:
        """The rows behind entry `seq`, each with its number."""
        known = max(0, seq + 1 - self.first)
        return enumerate(self.rows[known:], self.first + known)


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of a batch, and where the floor stands now."""

    verdict: Verdict
    stand: Stand


@dataclass(frozen=True, slots=True)
class Seen:
    """A table's sign of life.

    `head`: its journal's last entry; `offset`: seconds by which the floor's clock is ahead, give or take `within`.
    """

    table: str
    journal: bytes
    head: int
    offset: float | None
    within: float | None


@dataclass(frozen=True, slots=True)
class Signed:
    """What the floor has of a journal's signed heads.

    `first_key`: the key that is pinned; `at`: bytes of their file; `seq`: the last entry that is signed, 0 for none;
    `key`: what signs the next head; `wall_ms`: when the table signed the last one, milliseconds since 1970, 0 for none.
    """

    first_key: bytes
    at: int
    seq: int
    key: bytes
    wall_ms: int = 0


@dataclass(frozen=True, slots=True)
class Ordered:
    """A person's decision for a table, and what became of it.

    `head`: the floor's last entry of the journal before it was sent; `until`: the floor's clock; `order`: who and what,
    JSON that the table reads; `entry`: its last entry in the journal, 0 where it has none.
    """

    id: str
    table: str
    journal: bytes
    head: int
    until: float
    order: str
    result: Result = Result.NOT_KNOWN
    entry: int = 0
    words: str = ""


@dataclass(frozen=True, slots=True)
class JournalStatus:
    """A journal on the floor.

    `told`: the last entry that its table spoke of; `seen`: when it did, seconds since 1970, None for never; `forks`:
    batches kept that differ.
    """

    table: str
    journal: bytes
    stand: Stand
    told: int | None
    seen: float | None
    offset: float | None
    within: float | None
    forks: int
    signed: Signed | None = None

    @property
    def lag(self) -> int | None:
        """Entries that the table has and the floor has not; None where the table has said nothing."""
        return None if self.told is None else max(0, self.told - self.stand.seq)


def table_is_shut(table: str) -> CustodyRefusedError:
    """The refusal of a table that a person has shut."""
    return CustodyRefusedError(
        "this table is shut: nothing is taken from it, and it gets no certificate",
        f"table {table}",
        "If it is not stolen, open it on the floor's server: `feltd floor open`",
    )


def too_many_journals(table: str) -> CustodyRefusedError:
    """The refusal of a journal beyond `JOURNALS_MOST`."""
    return CustodyRefusedError(
        f"the floor has {JOURNALS_MOST} journals of this table already",
        f"table {table}",
        "Find out why it begins so many; a table has one journal for years",
    )


def no_such_journal(table: str, journal: bytes) -> FloorAwayError:
    """What ends a connection over a journal that the floor has no longer."""
    return FloorAwayError(
        "the floor has no such journal any more: it was put back to a backup",
        f"table {table}, journal {journal.hex()}",
        "The table calls again by itself, and brings the journal from its beginning",
    )


class Passed(Protocol):
    """Commands that one floord passes on to another (`feltd.floor.passing`). Every call raises FloorAwayError."""

    async def add(self, ordered: Ordered, message: bytes) -> None:
        """Keep a command for the floord that has its table. `message`: as it is to be sent."""

    async def open(self) -> list[tuple[Ordered, bytes]]:
        """Those of which nobody knows yet what became of them, each with its message, oldest first."""

    async def told(self, ordered: Ordered) -> Ordered:
        """A command with what is known of it now."""


class Engine(Protocol):
    """Where journals are kept. Every call raises FloorAwayError where it cannot be known whether it happened."""

    @property
    def trouble(self) -> str | None:
        """Why the last call failed, or what the database could not read of its disk, with the remedy; None for well."""

    async def open_journal(self, table: str, journal: bytes, edition: int) -> Appended:
        """The floor's head of a journal, which is entered as this table's if it is new. ADDED, FORKED or FOREIGN.

        Raises CustodyRefusedError for a table that is shut, and for more journals than a table may have.
        """

    async def append_many(self, batches: Sequence[Batch]) -> list[Appended]:
        """Add each batch that begins behind the head; all that is added is on the disk, or none of it is."""

    async def chain_at(self, journal: bytes, seq: int) -> bytes:
        """The chain behind entry `seq`, which the floor has."""

    async def keep_fork(self, batch: Batch, alarm: Alarm) -> Stand:
        """Keep a batch that differs beside what the floor has, alarm, and add nothing to the journal from now on."""

    async def raise_alarm(self, alarm: Alarm) -> None:
        """Keep an alarm; the same one again counts."""

    async def note_seen(self, seen: Seen) -> Stand:
        """Keep a table's last sign of life; return the floor's head of its journal.

        Raises FloorAwayError for a journal that the floor has no longer.
        """

    async def signed(self, journal: bytes) -> Signed | None:
        """What the floor has of a journal's signed heads; None where no key is pinned."""

    async def pin(self, journal: bytes, signed: Signed) -> bool:
        """Pin a journal's first key, where none is; whether it is pinned to this one now."""

    async def add_heads(self, journal: bytes, heads: Sequence[SignedHead], before: Signed, after: Signed) -> bool:
        """Keep heads that are checked, and where they end; False where the floor stands elsewhere than `before`."""

    async def heads_of(self, journal: bytes, after: int, most: int) -> list[SignedHead]:
        """The heads from number `after` + 1 on, in order."""

    async def add_order(self, ordered: Ordered) -> None:
        """Keep a command before it is sent."""

    async def settle_order(self, ordered: Ordered) -> None:
        """Keep what became of a command that was not known; what is settled stays."""

    async def open_orders(self) -> list[Ordered]:
        """The commands of which nobody knows yet what became of them, oldest first."""

    async def pits(self) -> dict[bytes, str]:
        """What is kept of the pit, by journal. All of it can be made anew."""

    async def keep_pits(self, folds: Sequence[tuple[bytes, int, str]]) -> None:
        """Keep the pit's line of journals: each with the last entry that is in it."""

    async def add_access(self, page: str, text: str) -> None:
        """Keep what happened at a pit page, for good."""

    async def set_shut(self, table: str, *, shut: bool, who: str, why: str) -> bool:
        """Shut a table or open it; False where it was so already."""

    async def shut_tables(self) -> frozenset[str]:
        """The tables that are shut."""

    async def add_code(self, digest: bytes, table: str, until: float, who: str) -> None:
        """Keep a code's digest. `until`: seconds since 1970; `who` made it."""

    async def redeem(self, digest: bytes, key: bytes, now: float) -> tuple[Redeemed, str]:
        """Use a code up for a key (SHA-256); its table, which is empty for one that is none.

        The same key may use it again until its end: the answer may have been lost.
        """

    async def add_certificate(self, given: Given, behind: str | None = None) -> bool:
        """Keep that a table was given a certificate, for good; False where its last one is another than `behind`.

        `behind`: a serial, empty for none; None: whatever the last one is.
        """

    async def certificates(self) -> list[Given]:
        """The last certificate that each table was given, by table."""

    async def last_certificate(self, table: str) -> Given | None:
        """The last certificate that a table was given; None for none."""

    async def last_certificates(self, tables: Sequence[str]) -> list[Given]:
        """The last certificate of each of these tables that was given one."""

    async def batches(self, journal: bytes, after: int, most: int) -> list[Batch]:
        """The batches that end behind entry `after`, in order: `most` of them, or as few as have `BATCHES_BYTES`."""

    async def batches_of_many(self, behind: Sequence[tuple[bytes, int]], most: int) -> list[list[Batch]]:
        """The same of many journals, each with the entry behind which it is asked for."""

    async def clock(self) -> float:
        """The database's clock: seconds since 1970."""

    async def status(self) -> list[JournalStatus]:
        """Every journal, by table and by when it came."""

    async def alarms(self) -> list[Alarm]:
        """Every alarm, oldest first."""

    @property
    def tournaments(self) -> Streams:
        """The tournaments that are kept beside the journals."""

    @property
    def waiting(self) -> Streams:
        """The waiting lists of cash games. Their players are those of `tournaments`."""

    @property
    def alone(self) -> Alone:
        """What one floord of this database does at a time."""

    @property
    def floords(self) -> Floords:
        """Which floords there are on this database, and their tables."""

    @property
    def groups(self) -> Groups:
        """Which tables each person sees at the pit."""

    @property
    def facts(self) -> Facts:
        """What the tables' records say openly, folded from their rows."""

    @property
    def searched(self) -> Searched:
        """Where rulings and counts over all tables are found."""

    @property
    def standing(self) -> StandingAlarms:
        """Custody's alarms as people answer them, and proofs of all that is kept."""

    @property
    def wishes(self) -> Wishes:
        """What the floor wishes of its tables."""

    @property
    def passed(self) -> Passed:
        """What floords pass on to each other."""

    @property
    def arrivals(self) -> Arrivals:
        """What came first to the floor, over all tables."""

"""What a check of a journal finds, and what it may be held against: facts, without the checking (`verify`)."""

from dataclasses import dataclass
from enum import StrEnum

from feltd.record.clock_back import FoundClock
from feltd.record.database import Head
from feltd.record.jumps import FoundJump
from feltd.record.receipts import Receipt
from feltd.record.signed_heads import Heads
from feltd.text.errors import JournalExportInvalid


class FaultKind(StrEnum):
    """A fault of an entry, or of the end of the chain."""

    CHANGED = "changed"
    MISSING = "missing"
    REORDERED = "reordered"
    CUT_OFF = "cut off"
    APPENDED = "appended"
    HEAD = "head"
    ANCHOR = "anchor"
    KEY = "key"
    UNREADABLE = "unreadable"
    REWRITTEN = "rewritten"
    """Not as a signed head has it."""
    STRUCTURE = "structure"
    """A table, an index or a trigger is not as feltd makes it."""
    LOG = "log"
    """SQLite's log is damaged, and entries in it are lost."""
    SIGNATURE = "signature"
    """A signed head, or the file of them, is not what it must be."""
    RECEIPT = "receipt"
    """A receipt of the floor is not what it must be, or the entries before it are not those that the floor had."""


@dataclass(frozen=True, slots=True)
class ChainFault:
    """One finding: at which entry, of what kind, in words."""

    kind: FaultKind
    seq: int
    text: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """The chain's value at an entry, to be kept where the journal's own machine cannot reach."""

    journal_id: bytes
    seq: int
    chain: bytes

    def __str__(self) -> str:
        return f"feltd-anchor 1 {self.journal_id.hex()} {self.seq} {self.chain.hex()}"

    @classmethod
    def parse(cls, line: str) -> "Anchor":
        """Parse the text that `str` wrote.

        Raises JournalExportInvalid.
        """
        words = line.split()
        try:
            if len(words) != 5 or words[:2] != ["feltd-anchor", "1"]:
                raise ValueError
            anchor = cls(bytes.fromhex(words[2]), int(words[3]), bytes.fromhex(words[4]))
            if len(anchor.journal_id) != 16 or len(anchor.chain) != 32 or anchor.seq < 0:
                raise ValueError
        except ValueError:
            raise JournalExportInvalid(
                "not an anchor",
                line[:80],
                "An anchor reads `feltd-anchor 1 JOURNAL SEQ CHAIN`, as `feltd journal` prints it",
            ) from None
        return anchor


@dataclass(frozen=True, slots=True)
class Receipts:
    """The floor's receipts in a record: how many hold, and the last of them."""

    count: int = 0
    last: Receipt | None = None


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome.

    `entries`: how many were looked at. `head`: None if it is lost. `unlisted`: faults beyond those in `faults`.

    `jumps`: events of devices that the record lacks; it is sound all the same, for nobody need have changed it.
    `clocks`: where the wall clock was set back; the same.
    `signed`: the signed heads beside the record; None where there are none.
    `receipts`: of the floor, those that hold.
    `made_named`: whether a start has told when and in which edition the file was made; else the file alone says so.
    `authenticated`: whether a master key vouched for the head (None: none was given, or nothing is written yet).
    """

    entries: int
    head: Head | None
    faults: tuple[ChainFault, ...]
    unlisted: int
    authenticated: bool | None
    jumps: tuple[FoundJump, ...] = ()
    signed: Heads | None = None
    clocks: tuple[FoundClock, ...] = ()
    receipts: Receipts = Receipts()
    made_named: bool = False

    @property
    def sound(self) -> bool:
        """Whether nothing was found."""
        return not self.faults


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What was kept where the journal's own machine cannot reach.

    `first_key`: what signed the first head, as it was printed then. `witness`: the heads that a witness holds.
    `floor_keys`: the public keys by which the floor signs its receipts.
    """

    anchors: tuple[Anchor, ...] = ()
    first_key: bytes | None = None
    witness: Heads | None = None
    floor_keys: tuple[bytes, ...] = ()

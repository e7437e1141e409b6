"""The PINs of badges: what a badge's holder knows and a copy of the card does not.

`staff.pins` beside the record, mode 0600: `{"pins": {BADGE: 64 hexadecimal digits}}`, each an HMAC-SHA256 of badge and
PIN under a key made of the record's sealing key. A PIN has few digits, so a slow hash would keep nobody who has that
key from finding it; who has the file alone finds nothing. The page neither knows a PIN nor sets one.
"""

import hmac
import json
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Final

from devices.limits import NAME, PIN, PIN_LEAST, PIN_MAX
from feltd.door.decisions import STAFF_MOST
from feltd.record.sealing import derive, key_beside
from feltd.table.journal import Journal
from feltd.table.keeper.staff import BadgeRefusedError, StaffError
from feltd.text.atomic_file import replace_atomically
from table_fsm.felt import Decision, Need

HOW_TO_SET: Final = "feltd user pin BADGE"
PINS_NOTE: Final = "badge.pins"
"""PINs were `set` or `removed`, by badge; `marks` of those that were set (0.11.0, `BadgePins.marks`)."""
WRONG_FREE: Final = 3
"""Wrong PINs of a badge in a row before the next one waits."""
FIRST_WAIT: Final = 60.0
"""Seconds; each further wrong PIN doubles them, up to `LONGEST_WAIT`: some thirty guesses a day."""
LONGEST_WAIT: Final = 3600.0
PINS_MOST: Final = 2 * STAFF_MOST
BADGES: Final = "badges"
"""What the staff is told about."""
READ_AGAIN: Final = "the PINs of badges can be read again"
_INFO: Final = b"feltd badge pins 1"
_MARKS: Final = b"feltd marks of badge pins 1"
_MARK_BYTES: Final = 8
_MOST_BYTES: Final = 1 << 20
_UP, _DOWN = "0123456789" * 2, "9876543210" * 2


OF_WEIGHT: Final = frozenset(decision for decision in Decision if Need.REASON in decision.needs)
"""Decisions that need a reason: each changes what the round comes to, or keeps an alarm from people."""
WEIGHTY: Final = ", ".join(decision.value for decision in Decision if decision in OF_WEIGHT)


class PinsWanted(Enum):
    """Where a badge that has no PIN does not sign: `[table] badge_pins`. A badge that has one counts with it alone."""

    EACH = True
    """It signs nothing. It witnesses at a reader alone that takes no PIN."""
    OF_WEIGHT = None
    """It signs nothing of `OF_WEIGHT`."""
    WHERE_GIVEN = False
    """It signs, and so does a copy of its number."""


class PinError(StaffError):
    """A PIN that cannot be set; the message says why, without it."""


class PinsUnreadError(StaffError):
    """The system did not give the file, which may pass: the file itself may be whole."""


def pins_file_of(journal: Path) -> Path:
    """The file beside a journal with the PINs of badges."""
    return journal.with_name("staff.pins")


def require_good(badge: str, pin: str) -> None:
    """Raise PinError for a PIN that has another form, is guessed at once, or stands on the card."""
    if PIN.fullmatch(pin) is None:
        raise PinError(f"a PIN has {PIN_LEAST} to {PIN_MAX} digits")
    if len(set(pin)) < 3 or pin in _UP or pin in _DOWN:
        raise PinError("digits that are guessed at once: take others")
    if pin in badge:
        raise PinError("it is a part of the badge's number, which a copied card has: take others")


def read_pins(file: Path) -> Mapping[str, str]:
    """What is kept of each badge's PIN; nothing where there is no file. Raises StaffError."""
    try:
        with file.open("rb") as opened:
            text = opened.read(_MOST_BYTES + 1)
        pins = json.loads(text)["pins"]
        return {badge: bytes.fromhex(kept).hex() for badge, kept in pins.items()}
    except FileNotFoundError:
        return {}
    except OSError as fault:
        raise PinsUnreadError(f"{file}: cannot be read: {fault.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise StaffError(f"{file}: no list of PINs; move it away, and set them anew: {HOW_TO_SET}") from None


def put_pin(file: Path, sealing_key: bytes, badge: str, pin: str | None) -> None:
    """Give a badge this PIN, or take its own away. Raises PinError, StaffError; the file then stays as it was."""
    pins = dict(read_pins(file))
    if NAME.fullmatch(badge) is None:
        raise PinError("no reader reports such a badge: it is a name of letters, digits, '.', '_' and '-'")
    if pin is None:
        if pins.pop(badge, None) is None:
            raise PinError(f"{badge}: has no PIN")
    else:
        require_good(badge, pin)
        pins[badge] = _kept(key_beside(sealing_key, _INFO), badge, pin)
    if len(pins) > PINS_MOST:
        raise PinError(f"more than {PINS_MOST} badges have a PIN: take some away")
    try:
        replace_atomically(file, json.dumps({"pins": pins}, indent=1).encode() + b"\n", file.parent.stat())
    except OSError as fault:
        raise StaffError(f"{file}: cannot be written: {fault.strerror}") from None


class BadgePins:
    """The PINs of one table's badges, as the file has them now. Belongs to the loop."""

    def __init__(
        self,
        file: Path,
        sealing_key: bytes,
        now: Callable[[], float],
        *,
        wanted: PinsWanted = PinsWanted.OF_WEIGHT,
    ) -> None:
        """`now`: table seconds."""
        self._file = file
        self._key = key_beside(sealing_key, _INFO)
        self._marking = key_beside(sealing_key, _MARKS)
        self._now = now
        self._wanted = wanted
        self._mark: tuple[int, ...] | None = None
        self._pins: Mapping[str, str] = {}
        self._fault: StaffError | None = None
        self._again = True
        self._told: str | None = None
        self._wrong: dict[str, tuple[int, float]] = {}
        self.look()

    def look(self) -> Mapping[str, list[str]] | None:
        """Take the file up where it has been replaced; by what was done, the badges; None where nothing was.

        A file that the system did not give is asked for again at the next look.
        """
        mark = self._mark_now()
        if mark == self._mark and not self._again:
            return None
        self._mark, before = mark, self._pins
        try:
            self._pins, self._fault, self._again = read_pins(self._file), None, False
        except StaffError as fault:
            self._fault, self._again = fault, isinstance(fault, PinsUnreadError)
            return None
        now = self._pins
        changed = {
            "set": sorted(badge for badge in now if before.get(badge) != now[badge]),
            "removed": sorted(before.keys() - now.keys()),
        }
        for badge in (badge for badges in changed.values() for badge in badges):
            self._wrong.pop(badge, None)
        return {what: badges for what, badges in changed.items() if badges} or None

    def beat(self, journal: Journal, tell: Callable[[str], None]) -> None:
        """Take up what a command has changed, and put it on record. Call it once a second.

        `tell`: is told once that the PINs cannot be read, and that they can again.
        """
        if journal.health.accepting and (changed := self.look()) is not None:
            marks = self.marks or {}
            journal.append_note(
                PINS_NOTE, {**changed, "marks": {badge: marks[badge] for badge in changed.get("set", ())}}
            )
        fault = None if self._fault is None else str(self._fault)
        if fault == self._told:
            return
        self._told = fault
        tell(READ_AGAIN if fault is None else f"no badge can sign, because nobody can tell which have a PIN: {fault}")

    @property
    def marks(self) -> Mapping[str, str] | None:
        """By badge that has a PIN a mark of it for the record, which is another for another PIN; None for no list.

        It is made with a key of the record's own, so who reads the record cannot try PIN after PIN.
        """
        if self._fault is not None:
            return None
        return {
            badge: derive(self._marking, f"{badge}\0{kept}".encode())[:_MARK_BYTES].hex()
            for badge, kept in sorted(self._pins.items())
        }

    @property
    def readable(self) -> bool:
        """Whether anybody can tell which badge has a PIN."""
        return self._fault is None

    def asks(self, badge: str, *, signs: bool, decision: str | None = None, keypad: bool = True) -> bool:
        """Whether this badge counts with a PIN alone. Raises StaffError where nobody can tell.

        `signs`: its role decides or witnesses; `decision`: what it signs, None where it is shown to a reader;
        `keypad`: that reader takes a PIN.
        """
        if self._fault is not None:
            raise self._fault
        if badge in self._pins:
            return True
        # a table whose readers take no PIN would have no witness, and a pack that wants one would stop it for good
        witnesses_there = decision is None and not keypad
        return signs and not witnesses_there and self._wants(decision)

    def nobody_signs(self, decision: str, may_decide: Callable[[str], bool]) -> str | None:
        """Why no badge can sign this, since none that may has a PIN, and what to do; None where one can.

        `may_decide`: whether a badge's holder may. The PIN of another badge, of a witness say, signs nothing.
        """
        if self._fault is not None or not self._wants(decision) or any(map(may_decide, self._pins)):
            return None
        return (
            "a badge signs this with its PIN alone, and none that may decide has one: decide at the page; "
            f"{HOW_TO_SET} sets one"
        )

    def nobody_has_one(self, may_decide: Callable[[str], bool]) -> str | None:
        """What no badge signs here, because none that may decide has a PIN; None where one has, or none is wanted."""
        if self._fault is not None or self._wanted is PinsWanted.WHERE_GIVEN or any(map(may_decide, self._pins)):
            return None
        if self._wanted is PinsWanted.EACH:
            return f"no badge decides, because none that may has a PIN: decide at the page, or set one: {HOW_TO_SET}"
        return (
            f"no badge signs {WEIGHTY}, because none that may decide has a PIN: decide at the page, or set one: "
            f"{HOW_TO_SET}"
        )

    def require_keyed(self, badge: str, decision: str) -> None:
        """Raise BadgeRefusedError where a badge that was shown without a PIN does not sign this decision.

        Raises StaffError where nobody can tell.
        """
        if self.asks(badge, signs=True, decision=decision):
            raise BadgeRefusedError(f"a badge signs this with its PIN alone: {HOW_TO_SET} sets one")

    def check(self, badge: str, pin: str | None, *, signs: bool, decision: str | None = None) -> None:
        """Raise BadgeRefusedError where the badge needs a PIN, and this is not it; a wrong one is counted.

        Raises StaffError where nobody can tell. `signs`, `decision`: as `asks` has them.
        """
        if not self.asks(badge, signs=signs, decision=decision):
            return
        kept = self._pins.get(badge)
        if kept is None:
            raise BadgeRefusedError(f"this badge has no PIN, and this table wants one: {HOW_TO_SET}")
        if pin is None:
            raise BadgeRefusedError("its PIN is not keyed with it")
        times, until = self._wrong.get(badge, (0, 0.0))
        wait = until - self._now()
        if wait > 0:
            raise BadgeRefusedError(f"too many wrong PINs: the next one is looked at in {int(wait) + 1} seconds")
        if not hmac.compare_digest(kept, _kept(self._key, badge, pin)):
            self._count_wrong(badge, times + 1)
            raise BadgeRefusedError("its PIN is wrong")
        self._wrong.pop(badge, None)

    def _wants(self, decision: str | None) -> bool:
        """Whether a badge that signs needs a PIN here."""
        return self._wanted is PinsWanted.EACH or (self._wanted is PinsWanted.OF_WEIGHT and decision in OF_WEIGHT)

    def _count_wrong(self, badge: str, times: int) -> None:
        wait = 0.0 if times < WRONG_FREE else min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(times - WRONG_FREE, 10))
        self._wrong[badge] = times, self._now() + wait

    def _mark_now(self) -> tuple[int, ...] | None:
        try:
            state = self._file.stat()
        except OSError:
            return None
        return state.st_ino, state.st_mtime_ns, state.st_size


def _kept(key: bytes, badge: str, pin: str) -> str:
    return derive(key, f"{badge}\0{pin}".encode()).hex()

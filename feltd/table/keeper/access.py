"""Entries of sign-ins and exports, from the page's word: checked, numbered, within a budget that the table keeps.

The page may lie and may flood, so what it says is bounded here again: each text, the facts in a message, and the
entries in a minute. What goes beyond is counted, and an entry of the table's own tells how much it was.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from feltd.door import AccessFact, CommandRefused, ExportFact, Person, PlayStopped
from feltd.door.access import (
    EXPORTS_A_MINUTE,
    EXPORTS_AT_ONCE,
    FACTS_MOST,
    FAILURES_A_MINUTE,
    FAILURES_AT_ONCE,
    NAMES_MOST,
    SCOPE_MOST,
    SESSIONS_A_MINUTE,
    SESSIONS_AT_ONCE,
    TEXT_MOST,
)
from feltd.record.access import AccessKind, WordOf
from feltd.table.journal import Journal, JournalState

PAGES_MOST: Final = 8
"""Pages whose last number is remembered: one, and those before it."""
LARGEST: Final = 2**53
_NEEDED: Final[Mapping[AccessKind, tuple[str, ...]]] = {
    AccessKind.PAGE_STARTS: (),
    AccessKind.SIGNED_IN: ("who", "role", "address"),
    AccessKind.READ_ONLY: ("who", "role"),
    AccessKind.SESSION_OVER: ("who", "role", "how"),
    AccessKind.SIGN_IN_FAILED: ("address",),
    AccessKind.ACCOUNT_CHANGED: ("who", "role", "change"),
    AccessKind.LEFT_OUT: ("left_out",),
}
"""What a page may tell, and what a fact of it cannot be without. An export is asked for, not told."""


@dataclass(slots=True)
class _Budget:
    """Entries that may still be written: `left` at `at`, and so many more in each minute."""

    at_once: int
    a_minute: float
    left: float
    at: float

    @classmethod
    def full(cls, at_once: int, a_minute: float, now: float) -> "_Budget":
        return cls(at_once, a_minute, at_once, now)

    def take(self, now: float) -> bool:
        """Take one, if there is one."""
        self.left = min(self.at_once, self.left + max(0.0, now - self.at) * self.a_minute / 60.0)
        self.at = now
        if self.left < 1.0:
            return False
        self.left -= 1.0
        return True


class AccessEntries:
    """Writes the entries of one table. Belongs to the loop; nothing here waits."""

    def __init__(self, journal: Journal, clock: Callable[[], float], wall: Callable[[], float]) -> None:
        """`clock`: seconds that never go back; `wall`: seconds since 1970."""
        self._journal = journal
        self._clock = clock
        self._wall = wall
        now = clock()
        self._sessions = _Budget.full(SESSIONS_AT_ONCE, SESSIONS_A_MINUTE, now)
        self._failures = _Budget.full(FAILURES_AT_ONCE, FAILURES_A_MINUTE, now)
        self._exports = _Budget.full(EXPORTS_AT_ONCE, EXPORTS_A_MINUTE, now)
        self._telling = _Budget.full(1, 1.0, now)
        self._left_out: Counter[str] = Counter()
        self._left_out_since = 0.0
        self._numbers: dict[str, int] = {}
        """The last number of each page."""
        self.last = 0
        """The last entry that a page's word has made."""

    def tell(self, page: str, facts: tuple[AccessFact, ...]) -> None:
        """Write the facts that are new. Raises CommandRefused, and then writes none; PlayStopped."""
        _check(page, facts)
        self._require_record()
        new = [fact for fact in facts if fact.n > self._numbers.get(page, 0)]
        with self._journal.together():
            for fact in new:
                self._take(page, fact)
        if new:
            self._numbers.pop(page, None)
            self._numbers[page] = new[-1].n
            if len(self._numbers) > PAGES_MOST:
                del self._numbers[next(iter(self._numbers))]

    def export(self, person: Person, export: ExportFact) -> int:
        """Write that a person is handed a part of the record; return the entry. Raises CommandRefused, PlayStopped."""
        for text in (person.account, person.role, person.address):
            _check_text(text)
        for number in (export.round, export.first, export.last):
            _check_number(number or 0)
        self._require_record()
        if not self._exports.take(self._clock()):
            self._leave_out({AccessKind.EXPORTED: 1})
            raise CommandRefused(f"more than {EXPORTS_A_MINUTE:.0f} exports a minute are not put on record")
        body = {
            "what": AccessKind.EXPORTED, "by": WordOf.PAGE, "at": export.at, "who": person.account, "role": person.role,
            "from": person.address, "of": export.of, "round": export.round, "first": export.first, "last": export.last,
            "cards": export.cards, "since": export.since, "until": export.until,
        }  # fmt: skip
        return self._journal.append_access(_said(body))

    def beat(self) -> None:
        """Tell what was left out, at most once a minute; call each second."""
        if self._left_out and self._takes() and self._telling.take(self._clock()):
            self._tell_left_out()

    def close(self) -> None:
        """Tell what was left out, if the record takes it. No call may follow."""
        if self._left_out and self._takes():
            self._tell_left_out()

    def _take(self, page: str, fact: AccessFact) -> None:
        failed = fact.what is AccessKind.SIGN_IN_FAILED
        if (self._failures if failed else self._sessions).take(self._clock()):
            body = asdict(fact)
            body["from"] = body.pop("address")
            body["scope"] = list(fact.scope)
            body["times"] = fact.times if failed or fact.times > 1 else None
            self.last = self._journal.append_access(_said({"what": fact.what, "by": WordOf.PAGE, "page": page, **body}))
        elif fact.what is AccessKind.LEFT_OUT:
            self._leave_out(fact.left_out)
        else:
            self._leave_out({fact.what: fact.times + fact.turned_away})

    def _leave_out(self, counts: Mapping[str, int]) -> None:
        if not self._left_out:
            self._left_out_since = self._wall()
        for what, count in counts.items():
            self._left_out[what] = min(LARGEST, self._left_out[what] + count)

    def _tell_left_out(self) -> None:
        body = {
            "what": AccessKind.LEFT_OUT, "by": WordOf.TABLE, "at": self._wall(), "since": self._left_out_since,
            "left_out": {str(what): count for what, count in sorted(self._left_out.items())},
        }  # fmt: skip
        self._journal.append_access(body)
        self._left_out.clear()

    def _takes(self) -> bool:
        health = self._journal.health
        return health.accepting and health.state is JournalState.RUNNING

    def _require_record(self) -> None:
        if not self._takes():
            raise PlayStopped("the record cannot be kept now")


def _said(body: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that say something."""
    always = ("at", "times", "cards")
    return {name: value for name, value in body.items() if value is not None and (value or name in always)}


def _check(page: str, facts: Iterable[AccessFact]) -> None:
    """Raises CommandRefused where a page says what no page of ours does."""
    facts = tuple(facts)
    if len(facts) > FACTS_MOST:
        raise CommandRefused(f"more than {FACTS_MOST} facts in one message")
    if len(page) != 8 or not page.isalnum():
        raise CommandRefused("the mark of a page has eight letters and digits")
    last = 0
    for fact in facts:
        if fact.n <= last:
            raise CommandRefused("the numbers of facts must rise")
        last = fact.n
        _check_fact(fact)


def _check_fact(fact: AccessFact) -> None:
    needed = _NEEDED.get(fact.what)
    if needed is None:
        raise CommandRefused(f"{fact.what} is no fact that a page tells")
    missing = [name for name in needed if not getattr(fact, name)]
    if missing:
        raise CommandRefused(f"{fact.what} lacks {', '.join(missing)}")
    if len(fact.scope) > SCOPE_MOST:
        raise CommandRefused(f"more than {SCOPE_MOST} rights in one scope")
    for text in (fact.who, fact.role, fact.address, fact.token, fact.token_role, *fact.scope, *fact.names):
        _check_text(text)
    for number in (fact.n, fact.times, fact.unknown, fact.turned_away, *fact.names.values(), *fact.left_out.values()):
        _check_number(number)
    if len(fact.names) > NAMES_MOST:
        raise CommandRefused(f"more than {NAMES_MOST} names in one fact")
    if not fact.left_out.keys() <= set(AccessKind):
        raise CommandRefused("left_out counts what nobody here knows")


def _check_text(text: str | None) -> None:
    if text is not None and (len(text) > TEXT_MOST or not text.isprintable()):
        raise CommandRefused(f"a text is longer than {TEXT_MOST} characters or cannot be printed")


def _check_number(number: int) -> None:
    if not 0 <= number <= LARGEST:
        raise CommandRefused("a count is below 0 or beyond reason")

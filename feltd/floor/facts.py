"""What tables' records say openly, row by row: rounds, rulings, alarms, decisions, and who came in.

Facts are folded from the rows that the floor keeps anyway, and can be made anew from them. Nothing sealed comes into
them: a field that was sealed when its row was written is null here, also after its round.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Final, Protocol

from feltd.door.wire.codec import from_json, parse
from feltd.door.wire.errors import WireError
from feltd.floor.open_rows import RowUnreadError, body_of, read_rows
from feltd.record.entries import EntryKind, HostEntry, Row
from feltd.record.notes import BY_HAND_NOTE, SETTLED_NOTE

OWN: Final = "(floor)"
"""In a table's place, of the floor's own record. No facts are made of it, and no certificate has such a name."""
ROUNDS_MOST: Final = 200
"""Rounds in one answer to a search."""
_RESULTS: Final = frozenset({"complete", "misdeal", "void"})
_LARGEST: Final = 2**31 - 1
_DEPTH: Final = 8


def _text(value: object) -> str | None:
    """A text that every database takes: half a character, and the one that ends texts in C, are replaced."""
    return value.encode(errors="replace").decode().replace("\0", "?") if isinstance(value, str) else None


def _number(value: object) -> int | None:
    return value if type(value) is int and abs(value) <= _LARGEST else None


def _minutes(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and 0 <= value < _LARGEST else None


def _truth(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _texts(value: object) -> list[str]:
    return [text for text in map(_text, value) if text is not None] if isinstance(value, list) else []


def _plain(value: object, depth: int = 0) -> Any:
    """A value of JSON as every database takes it."""
    if isinstance(value, dict) and depth < _DEPTH:
        return {_text(str(name)): _plain(one, depth + 1) for name, one in value.items()}
    if isinstance(value, list) and depth < _DEPTH:
        return [_plain(one, depth + 1) for one in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, bool) else _number(value) if isinstance(value, int) else _text(value)


Take = Callable[[object], Any]
_RULING: Final[Mapping[str, Take]] = {
    "id": _number, "supersedes": _number, "rulebook": _text, "rule": _text, "irregularity": _text, "outcome": _text,
    "also": _texts, "seat": _number, "authority": _text, "pending": _truth, "text": _text,
}  # fmt: skip
_ALARM: Final[Mapping[str, Take]] = {
    "kind": _text, "deck": _text, "device": _text, "seat": _number, "state": _text
}  # fmt: skip
_DECISION: Final[Mapping[str, Take]] = {
    "decision": _text, "staff": _text, "ruling": _number, "outcome": _text, "seat": _number, "alarm": _text,
    "device": _text, "minutes": _minutes, "reason": _text,
}  # fmt: skip
_PERSON: Final[Mapping[str, Take]] = dict.fromkeys(("who", "role", "from", "command"), _text)


def _picked(of: Mapping[str, Take], value: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of what a table says, each of its own type or null: a view reads them as such."""
    return {name: take(value.get(name)) for name, take in of.items()}


class FactKind(StrEnum):
    """What a fact is of. The database holds these words."""

    ROUND_BEGIN = "round.begin"
    ROUND_END = "round.end"
    RULING = "ruling"
    ALARM = "alarm"
    DECISION = "decision"
    REFUSED = "refused"
    """The table did not take the decision of entry `of`."""
    SETTLED = "settled"
    ACCESS = "access"
    CUSTODY = "custody"
    """What has become of an alarm of custody (`feltd.floor.standing`): told outside, and no fact of a record."""
    LEFT_OUT = "left_out"
    """What was not told outside (`feltd.floor.left_out`), and no fact of a record."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact. `seq`: the entry that says it; `wall`: when, seconds since 1970, by the table's clock."""

    seq: int
    kind: FactKind
    round: int | None
    wall: float
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """A fact of a table, as whoever follows all tables gets it. `number`: its place among all."""

    number: int
    table: str
    journal: bytes
    fact: Fact


@dataclass(frozen=True, slots=True)
class Behind:
    """A journal with rows that no fact was made of yet. `seq`, `state`: up to where, and what to go on from."""

    journal: bytes
    head: int
    seq: int
    state: str


@dataclass(frozen=True, slots=True)
class Made:
    """The facts of a journal's rows up to entry `after`, and what to go on from behind it."""

    behind: Behind
    after: int
    state: str
    facts: Sequence[Fact]

    @property
    def rest(self) -> Behind:
        """What is left of the journal."""
        return Behind(self.behind.journal, self.behind.head, self.after, self.state)


@dataclass(frozen=True, slots=True)
class RoundsWanted:
    """The conditions of a search over all tables' rounds; None does not limit.

    Times: wall seconds since 1970, both ends included. `kind`: an irregularity that was ruled on in the round.
    `before`: the list goes on with rounds that began before then. `tables`: of these alone.
    """

    table: str | None = None
    tables: tuple[str, ...] | None = None
    since: float | None = None
    until: float | None = None
    book: str | None = None
    dealer: str | None = None
    kind: str | None = None
    result: str | None = None
    before: float | None = None
    most: int = 50


@dataclass(frozen=True, slots=True)
class RoundFound:
    """A round. `ended` and `result` are None while it goes on; `rulings`: how many there were in it."""

    table: str
    journal: bytes
    number: int
    first: int
    last: int | None
    began: float
    ended: float | None
    book: str | None
    dealer: str | None
    result: str | None
    rulings: int


class Facts(Protocol):
    """Where facts are kept. Raises FloorAwayError as the engine does."""

    async def behind(self) -> list[Behind]:
        """The journals that have rows of which no facts were made yet."""

    async def keep(self, made: Sequence[Made]) -> list[bool]:
        """Keep facts that were made of parts of journals; of each False where another program has done so already."""

    async def news(self, after: int, most: int) -> list[Told]:
        """The facts from number `after` + 1 on, in order."""

    async def last(self) -> int:
        """The number of the last fact; 0 for none."""

    async def taken(self, follower: str) -> int | None:
        """The number of the last fact that a follower has taken; None where it has taken none yet."""

    async def keep_taken(self, follower: str, number: int) -> None:
        """Keep how far a follower is."""

    async def rounds(self, wanted: RoundsWanted) -> list[RoundFound]:
        """The rounds that a search finds, those that began last first."""


@dataclass(slots=True)
class Reading:
    """What a journal's rows up to now leave for those that come. `decision`: the last event, if it was one."""

    book: str | None = None
    dealer: str | None = None
    phase: str | None = None
    round: int | None = None
    person: dict[str, Any] | None = None
    decision: int | None = None

    def take(self, seq: int, data: bytes) -> Fact | None:
        """The fact of row `seq`; None where it says none, or cannot be read."""
        return self.take_row(seq, *read_rows((data,)))

    def take_row(self, seq: int, row: Row | None) -> Fact | None:
        """The same of a row that `read_rows` has read."""
        if row is None:
            return None
        try:
            return self._take(seq, row)
        except RowUnreadError:
            return None

    def _take(self, seq: int, row: Row) -> Fact | None:
        if row.kind == EntryKind.EVENT:
            self.decision = None
        found = _TAKERS.get((row.kind, row.name))
        told = None if found is None else found(self, row)
        if row.name != HostEntry.NOTE:
            self.person = None
        return None if told is None else Fact(seq, told[0], row.round, row.wall, told[1])

    def to_text(self) -> str:
        """As text, to go on from."""
        return json.dumps({one.name: getattr(self, one.name) for one in fields(self)})

    @classmethod
    def from_text(cls, text: str) -> "Reading":
        """The reading of `to_text`; of an empty text, and of what is none, that before the first row."""
        try:
            kept: Reading = from_json(cls, parse(text.encode())) if text else cls()
        except WireError:  # of an older floord, which took what a table had written by force
            return cls()
        return kept


_Said = tuple[FactKind, dict[str, Any]] | None


def _open(now: Reading, row: Row) -> _Said:
    now.book = _text(body_of(row).get("rulebook"))
    return None


def _badge(now: Reading, row: Row) -> _Said:
    body = body_of(row)
    if body.get("role") == "dealer":
        now.dealer = _text(body.get("staff"))
    return None


def _phase(now: Reading, row: Row) -> _Said:
    now.phase = _text(body_of(row).get("phase"))
    return None


def _ruling(now: Reading, row: Row) -> _Said:
    value = body_of(row).get("ruling")
    return (FactKind.RULING, _picked(_RULING, value)) if isinstance(value, dict) else None


def _alarm(now: Reading, row: Row) -> _Said:
    value = body_of(row).get("alarm")
    return (FactKind.ALARM, _picked(_ALARM, value)) if isinstance(value, dict) else None


def _decides(now: Reading, row: Row) -> _Said:
    body = body_of(row)
    now.decision = row.seq
    return FactKind.DECISION, _picked(_DECISION, body) | _picked(_PERSON, now.person or {})


def _error(now: Reading, row: Row) -> _Said:
    if now.decision is None or row.answers != now.decision:
        return None
    of, now.decision = now.decision, None
    return FactKind.REFUSED, {"of": of}


def _note(now: Reading, row: Row) -> _Said:
    body = body_of(row)
    now.person = _picked(_PERSON, body) if body.get("note") == BY_HAND_NOTE else None
    if body.get("note") == SETTLED_NOTE and isinstance(body.get("rulings"), list):
        return FactKind.SETTLED, {"rulings": [n for n in map(_number, body["rulings"]) if n is not None]}
    return None


def _begins(now: Reading, row: Row) -> _Said:
    now.round, now.phase = row.round, None
    return FactKind.ROUND_BEGIN, {"book": now.book, "dealer": now.dealer}


def _ends(now: Reading, row: Row) -> _Said:
    """The first end is the round's: a card that comes to it later has a key of its own, and an end for that."""
    if now.round is None or now.round != row.round:
        return None
    now.round = None
    return FactKind.ROUND_END, {"result": now.phase if now.phase in _RESULTS else None}


def _access(now: Reading, row: Row) -> _Said:
    return FactKind.ACCESS, _plain(body_of(row))


_TAKERS: Final[Mapping[tuple[str, str], Callable[[Reading, Row], _Said]]] = {
    (EntryKind.EVENT, "table.open"): _open,
    (EntryKind.EVENT, "badge"): _badge,
    (EntryKind.EVENT, "supervisor"): _decides,
    (EntryKind.OUTPUT, "phase"): _phase,
    (EntryKind.OUTPUT, "ruling"): _ruling,
    (EntryKind.OUTPUT, "alarm"): _alarm,
    (EntryKind.OUTPUT, "error"): _error,
    (EntryKind.HOST, HostEntry.NOTE): _note,
    (EntryKind.HOST, HostEntry.ROUND_BEGIN): _begins,
    (EntryKind.HOST, HostEntry.ROUND_END): _ends,
    (EntryKind.HOST, HostEntry.ACCESS): _access,
}


@dataclass(slots=True)
class MemoryFacts:
    """Facts in memory. `heads`: the last entry of each journal, and its table."""

    heads: Callable[[], Mapping[bytes, tuple[str, int]]]
    derived: dict[bytes, tuple[int, str]] = field(default_factory=dict)
    kept: list[Told] = field(default_factory=list)
    followers: dict[str, int] = field(default_factory=dict)

    async def behind(self) -> list[Behind]:
        """See `Facts`."""
        found = []
        for journal, (table, head) in self.heads().items():
            seq, state = self.derived.get(journal, (0, ""))
            if head > seq and table != OWN:
                found.append(Behind(journal, head, seq, state))
        return found

    async def keep(self, made: Sequence[Made]) -> list[bool]:
        """See `Facts`."""
        return [self._keep(one) for one in made]

    def _keep(self, made: Made) -> bool:
        journal = made.behind.journal
        if self.derived.get(journal, (0, ""))[0] != made.behind.seq:
            return False
        table = self.heads()[journal][0]
        self.derived[journal] = made.after, made.state
        self.kept += [Told(len(self.kept) + n, table, journal, fact) for n, fact in enumerate(made.facts, 1)]
        return True

    async def news(self, after: int, most: int) -> list[Told]:
        """See `Facts`."""
        return self.kept[after : after + most]

    async def last(self) -> int:
        """See `Facts`."""
        return len(self.kept)

    async def taken(self, follower: str) -> int | None:
        """See `Facts`."""
        return self.followers.get(follower)

    async def keep_taken(self, follower: str, number: int) -> None:
        """See `Facts`."""
        self.followers[follower] = number

    async def rounds(self, wanted: RoundsWanted) -> list[RoundFound]:
        """See `Facts`."""
        found = [one for one in self._rounds() if _fits(one, wanted) and self._has(one, wanted.kind)]
        return sorted(found, key=lambda one: (-one.began, one.journal, -one.number))[: wanted.most]

    def _rounds(self) -> list[RoundFound]:
        made = []
        for told in self.kept:
            if told.fact.kind is FactKind.ROUND_BEGIN and told.fact.round is not None:
                ends = [one for one in self._of(told.journal, told.fact.round) if one.kind is FactKind.ROUND_END]
                end, begin = (ends[0] if ends else None), told.fact
                rulings = [one for one in self._of(told.journal, told.fact.round) if one.kind is FactKind.RULING]
                made.append(
                    RoundFound(
                        told.table, told.journal, told.fact.round, begin.seq, None if end is None else end.seq,
                        begin.wall, None if end is None else end.wall, begin.body["book"], begin.body["dealer"],
                        None if end is None else end.body["result"], len(rulings),
                    )
                )  # fmt: skip
        return made

    def _of(self, journal: bytes, number: int) -> list[Fact]:
        return [told.fact for told in self.kept if told.journal == journal and told.fact.round == number]

    def _has(self, found: RoundFound, kind: str | None) -> bool:
        ruled = [one for one in self._of(found.journal, found.number) if one.kind is FactKind.RULING]
        return kind is None or any(one.body["irregularity"] == kind for one in ruled)


def _fits(found: RoundFound, wanted: RoundsWanted) -> bool:
    return (
        wanted.table in (None, found.table)
        and (wanted.tables is None or found.table in wanted.tables)
        and (wanted.since is None or (found.ended or found.began) >= wanted.since)
        and (wanted.until is None or found.began <= wanted.until)
        and wanted.book in (None, found.book)
        and wanted.dealer in (None, found.dealer)
        and wanted.result in (None, found.result)
        and (wanted.before is None or found.began < wanted.before)
    )

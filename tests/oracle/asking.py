"""The questions themselves, and the judge of the answers."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import Final

from feltd.page.access.roles import Role
from tests.oracle.browsing import ask
from tests.oracle.readable import everything, record_file
from tests.oracle.worlds import Worlds
from tests.oracle.writable import Field, Request, requests

ROLES: Final[tuple[Role | None, ...]] = (None, *Role)
EXCERPT: Final = 90
SIGNS_OUT: Final = ("delete", "/api/v1/session")
"""After it the role signs in again."""
_CHANCE: Final = re.compile(r"([0-9A-Za-z_\-]{16,}|\b[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}\b)")
"""Where chance may stand: nonces, keys, tokens, what is sealed; half of a code."""
_VALUE: Final = re.compile(r"[^\s{}\[\],:\"<>=]+")


@dataclass(frozen=True)
class Leak:
    """A value that hangs on a hidden card: who reads it, where, and the two texts."""

    role: Role | None
    address: str
    one: str
    other: str

    def __str__(self) -> str:
        return f"{self.role or 'nobody'} at {self.address}: …{self.one}… or …{self.other}…"


@dataclass
class Findings:
    """What was asked, compared and found."""

    questions: int = 0
    values: int = 0
    leaks: list[Leak] = field(default_factory=list)
    taken: set[Field] = field(default_factory=set)
    """Fields into which a text was got: the answer was no refusal, or the record has grown by it."""
    offered: set[Field] = field(default_factory=set)
    """Fields into which one was to be got."""
    failures: int = 0
    """Answers that say that the page failed."""

    def __str__(self) -> str:
        found = "\n".join(f"  {leak}" for leak in self.leaks[:20]) or "  no value hangs on a hidden card"
        return f"{self.questions} questions, {self.values} values compared, {len(self.leaks)} leaks\n{found}"


class Judge:
    """Compares answers of one table, its twin and one with other hidden cards."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings

    def compare(self, role: Role | None, address: str, texts: Sequence[str]) -> None:
        """What differs between the twins is chance, and only its length is compared. All else must be the same."""
        one, twin, other = texts
        self.findings.values += len(_VALUE.findall(one))
        if one == twin == other:
            return
        parts = [_CHANCE.split(text) for text in texts]
        if len({len(split) for split in parts}) != 1:
            self._found(role, address, one, other)
            return
        for mine, twins, others in zip(*parts, strict=True):
            chance = mine != twins
            if chance and not (_CHANCE.fullmatch(mine) and _CHANCE.fullmatch(twins)):
                raise AssertionError(f"{address}: {mine[:200]!r} or {twins[:200]!r}: differs by itself")
            if (len(mine), len(twins)) != (len(others), len(others)) or (not chance and mine != others):
                self._found(role, address, mine, others)
                return

    def _found(self, role: Role | None, address: str, one: str, other: str) -> None:
        at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
        begin = max(0, at - EXCERPT // 2)
        self.findings.leaks.append(Leak(role, address, one[begin : at + EXCERPT], other[begin : at + EXCERPT]))


async def write(tables: Worlds, request: Request, text: str, role: Role, findings: Findings) -> bool:
    """Put a text that names cards to each of the tables, and compare their answers. Returns whether it has changed
    anything: the answer was no refusal, or the record has grown by it."""
    texts = []
    changed = False
    for world in tables.each:
        entries = world.page.bench.journal.health.appended
        answer = await ask(world.page.app, request.method, request.address, world.headers(role), request.saying(text))
        await world.settled()
        findings.questions += 1
        texts.append(str(answer))
        findings.offered.update(request.texts)
        findings.failures += answer.status == 500
        if answer.taken or world.page.bench.journal.health.appended > entries:
            findings.taken.update(request.texts)
            changed = True
    Judge(findings).compare(role, f"{request.method.upper()} {request.address}", texts)
    return changed


async def read(
    tables: Worlds, findings: Findings, roles: tuple[Role | None, ...] = ROLES, *, every_query: bool = True
) -> None:
    """Read everything at each of the tables, and compare. `every_query`: as `addresses`."""
    judge = Judge(findings)
    each = [[said async for said in everything(world, roles, every_query=every_query)] for world in tables.each]
    for one, twin, other in zip(*each, strict=True):
        findings.questions += 3
        findings.failures += sum(said.text.startswith("500") for said in (one, twin, other))
        judge.compare(one.role, one.address, [one.text, twin.text, other.text])
    judge.compare(None, "the file of the record", [record_file(world) for world in tables.each])


def texts_about(hidden: Sequence[str], others: Sequence[str]) -> Iterator[str]:
    """Texts that name cards hidden at one table and not at the other, as people write, short and as long as may be."""
    for card in dict.fromkeys([*hidden, *others]):
        yield f"query {card}"
    everything = " ".join(dict.fromkeys([*hidden, *others]))
    yield (f"he says he held {everything} " * 12)[:500].rstrip()


async def ask_everything(
    make: Callable[[], Worlds], texts: Sequence[str], findings: Findings, turns: int = len(Role)
) -> None:
    """Write everything that can be written, one of the texts after the other, and read in between.

    `turns`: how many roles send each body, in rotation. A field that took no text from them is tried by all. After each
    operation that has changed anything an observer reads, without the choices of an address; before the first and after
    the last, and where the round has ended, everybody.
    """
    tables = make()
    await read(tables, findings)
    about, senders = cycle(texts), cycle(Role)
    asked = list(requests(tables.each[0].spec))
    unread = False
    for number, request in enumerate(asked):
        for role in islice(senders, turns):
            unread |= await write(tables, request, next(about), role, findings)
            tables, is_new = await _go_on(tables, request, role, findings, make)
            unread &= not is_new
        if unread and (number + 1 == len(asked) or asked[number + 1].operation != request.operation):
            await read(tables, findings, (Role.OBSERVER,), every_query=False)
            unread = False
    for request in asked:
        for role in Role:
            if not findings.taken.issuperset(request.texts):
                await write(tables, request, next(about), role, findings)
                tables, _ = await _go_on(tables, request, role, findings, make)
    await read(tables, findings)


async def _go_on(
    tables: Worlds, request: Request, role: Role, findings: Findings, make: Callable[[], Worlds]
) -> tuple[Worlds, bool]:
    """The tables to go on with, and whether they are other ones. Where nothing is secret any more all is read first."""
    if tables.in_play:
        if (request.method, request.address) == SIGNS_OUT:
            tables.sign_in(role)
        return tables, False
    await read(tables, findings)
    return make(), True

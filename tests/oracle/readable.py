"""Everything that can be read at the page, and the record as who copies its file has it."""

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.routing import Mount, Route

from feltd.door import Answer
from feltd.page.access.roles import Role
from feltd.page.api.guard import BY_ITSELF_HEADER
from feltd.record import JournalReader, Span
from feltd.record.unseal_keys import PrivateKey
from tests.oracle.browsing import ask
from tests.oracle.queries import queries
from tests.oracle.worlds import World

WITH_CHOICES: Final = frozenset({Role.OBSERVER, Role.SURVEILLANCE})
"""Who asks with the choices of an address too: who sees what all see, and who sees the cards of past rounds."""
STREAMS: Final = frozenset({"/api/v1/stream", "/api/v1/events"})
"""They do not end: what they say is read from the hub and the feed behind them."""
ALWAYS_THE_SAME: Final = frozenset(
    {"/api/v1/vocabulary", "/rules", "/rules/rules.css", "/rules/{name}", "/static/{name}"}
)
"""Rulebooks, words and files: nothing of the table is in them."""
FILL: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("/api/v1/rounds", "number"): ("1", "2"),
    ("/history/round", "number"): ("1", "2"),
    ("/api/v1/decisions", "number"): ("1",),
    ("/api/v1/trends", "name"): ("rounds", "rulings"),
    ("/language/", "code"): ("de", "en"),
    ("/look/", "name"): ("light", "dark"),
}
_LATEST_ONLY: Final = re.compile(r"^id: ", re.MULTILINE)


@dataclass(frozen=True)
class Said:
    """One answer: to whom, to what, and all of it as text: status, headers, body."""

    role: Role | None
    address: str
    text: str


def addresses(world: World, *, every_query: bool = True) -> Iterator[str]:
    """Every address that can be read, from the API's description and the page's own routes.

    Not `every_query`: of the questions at an address only the one without a choice.
    """
    seen = frozenset(world.page.bench.keeper.tally.rulings)
    for path, operations in world.spec["paths"].items():
        if "get" in operations and (address := f"/api/v1{path}") not in STREAMS | ALWAYS_THE_SAME:
            asked = list(queries(f"GET {path}", operations["get"], world.spec, seen))
            for filled in _filled(address):
                yield from (filled + query for query in (asked if every_query else asked[:1]))
    for route in world.page.app.routes:
        if isinstance(route, Route) and "GET" in (route.methods or ()):
            if route.path not in STREAMS | ALWAYS_THE_SAME:
                yield from _filled(route.path)
        elif not isinstance(route, Mount | Route):
            raise AssertionError(f"a route of a kind that is not read: {route}")


def _filled(path: str) -> Iterator[str]:
    names = re.findall(r"\{(\w+)\}", path)
    if not names:
        yield path
        return
    [name] = names
    values = next((values for (begin, known), values in FILL.items() if path.startswith(begin) and known == name), None)
    if values is None:
        raise AssertionError(f"{path}: what is {name}? Teach the program")
    for value in values:
        yield path.replace(f"{{{name}}}", value)


async def everything(world: World, roles: tuple[Role | None, ...], *, every_query: bool = True) -> AsyncIterator[Said]:
    """Reads all of it, as each of these roles; None is somebody who is not signed in.

    `every_query`: as `addresses`, for who asks so (`WITH_CHOICES`).
    """
    for role in roles:
        headers = {**world.headers(role), BY_ITSELF_HEADER: "1"}
        for address in addresses(world, every_query=every_query and role in WITH_CHOICES):
            yield Said(role, address, str(await ask(world.page.app, "get", address, headers)))
    yield Said(Role.OBSERVER, "/api/v1/stream", await _first(world))
    answers: list[Answer] = []
    while some := await world.page.feed.since(answers[-1].seq if answers else 0):
        answers += some
    told = [json.dumps([one.seq, one.kind, one.round, one.output]) for one in answers]
    yield Said(Role.OBSERVER, "/api/v1/events", "\n".join(told))


async def _first(world: World) -> str:
    stream = world.page.hub.admit()
    try:
        async for text in stream:
            if _LATEST_ONLY.search(text):
                return text
    finally:
        await stream.aclose()
    return ""


def record_file(world: World, unseal: PrivateKey | None = None) -> str:
    """The record as it lies on the disk: its rows, what opens without a key or by `unseal`, and its files' sizes."""
    path = world.page.bench.journal.path
    with JournalReader.open(path, unseal=unseal) as reader:
        rows = [json.dumps(row, default=_hex) for row in reader.rows(Span())]
        rows += [json.dumps(entry.to_dict()) for entry in reader.entries()]
    sizes = [f"{file.name} {file.stat().st_size}" for file in sorted(path.parent.glob(f"{path.name}*"))]
    return "\n".join([*rows, *sizes])


def _hex(value: Any) -> str:
    assert isinstance(value, bytes)
    return value.hex()

"""The servers that one database is on: a primary, standbys behind it, and who was primary before a promotion.

PostgreSQL numbers the histories that its servers write (timelines): a promotion begins the next one. Whoever was
primary before may come back and still take what it is given: nothing is written to a server whose history is older than
one that was seen.
"""

import asyncio
import json
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit
from weakref import WeakKeyDictionary

import asyncpg

from feltd.custody.errors import CustodyError, FloorAwayError
from feltd.text.atomic_file import replace_atomically

FAULTS: Final = (
    OSError,
    TimeoutError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)
"""What asyncpg raises where a database cannot be had."""
WITHIN: Final = 10.0
"""Seconds for a server to answer."""
OTHERS_WITHIN: Final = 2.0
"""Seconds that a primary which has answered waits for the other servers' word: one of them may be newer."""
LOOK_EVERY: Final = 2.0
"""Seconds between two looks at all servers."""
MANY: Final = 3
"""Servers of which one may be away, and all goes on as it did."""
_ASK: Final = """
    SELECT (SELECT system_identifier FROM pg_control_system())::text AS system, pg_is_in_recovery() AS standby,
        CASE WHEN pg_is_in_recovery() THEN (SELECT timeline_id FROM pg_control_checkpoint())
            ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END AS timeline,
        current_setting('synchronous_standby_names') AS waits_for
"""
_SESSION: Final = {"jit": "off"}
"""Of each connection. What floord asks takes milliseconds, and compiling it (PostgreSQL's `jit`) tens of them: the look
for standbys, on a connection of its own every two seconds, 47 ms in place of 17 on a machine with much else to do."""
_STANDBYS: Final = "SELECT name, connected, synchronous, behind FROM floor.standbys()"
_log = logging.getLogger("feltd.floor")


@dataclass(frozen=True, slots=True)
class History:
    """A history that a server writes: of which cluster (PostgreSQL's system identifier), and its timeline."""

    system: str
    timeline: int


@dataclass(frozen=True, slots=True)
class Standby:
    """A server behind the primary. `behind`: bytes that its disk has not yet, None while it is away."""

    name: str
    connected: bool
    synchronous: bool
    behind: int | None


@dataclass(frozen=True, slots=True)
class Found:
    """What one server says of itself. `waits_for`: PostgreSQL's synchronous_standby_names, empty for none."""

    place: str
    history: History
    standby: bool
    waits_for: str
    standbys: tuple[Standby, ...] = ()


@dataclass(frozen=True, slots=True)
class Promoted:
    """A promotion on record. `at`: seconds since 1970."""

    timeline: int
    server: str
    who: str
    why: str
    at: float


class Memory:
    """The newest history that was seen. `file`: where it outlives this process; None keeps it in the process alone."""

    def __init__(self, file: Path | None = None) -> None:
        """Raises CustodyError where the file cannot be read."""
        self._file = file
        self.newest = None if file is None else _read(file)

    def take(self, history: History) -> bool:
        """Whether this history may be written on; a newer one is kept. Raises CustodyError where it cannot be."""
        known = self.newest
        if known is None or known.system != history.system or known.timeline < history.timeline:
            self.newest = history
            if self._file is not None:
                _write(self._file, history)
            return True
        return known.timeline == history.timeline


class Servers:
    """Connects to the one server that may be written to. Belongs to one loop."""

    def __init__(self, address: str, memory: Memory | None = None) -> None:
        """`address`: `postgresql://…`, of one server or of several (`db1,db2`)."""
        self._addresses = tuple(each_server(address))
        self._memory = memory or Memory()
        self._given: WeakKeyDictionary[Any, History] = WeakKeyDictionary()
        self.found: tuple[Found, ...] = ()
        """As they were found last."""
        self.away: tuple[str, ...] = ()

    async def connect(self, _address: str | None = None, **settings: Any) -> Any:
        """A connection to the primary (asyncpg's), for a pool, which has no address of its own, or for one work.

        Raises FloorAwayError where none can be had, with the reason of each server; the one server's own fault (FAULTS)
        where the address names no other.
        """
        settings.setdefault("timeout", WITHIN)
        asking = [asyncio.ensure_future(self._ask(one, settings)) for one in self._addresses]
        try:
            await self._answers(asking)
            return self._chosen(asking)
        finally:
            for one in asking:
                one.cancel()
            for answer in await asyncio.gather(*asking, return_exceptions=True):
                if isinstance(answer, tuple) and answer[1] not in self._given:
                    answer[1].terminate()

    async def look(self) -> None:
        """Ask every server; connections to one whose history is not the newest any more end."""
        answers = await asyncio.gather(*(self._seen(one) for one in self._addresses), return_exceptions=True)
        found = [one for one in answers if isinstance(one, Found)]
        newest = self._memory.newest
        for one in found:
            if not one.standby and (newest is None or one.history.system == newest.system):
                self._memory.take(one.history)
        newest = self._memory.newest
        for connection, history in tuple(self._given.items()):
            if newest is not None and history.system == newest.system and history.timeline < newest.timeline:
                _log.error(
                    "a newer promotion is on record (timeline %d): %d is left", newest.timeline, history.timeline
                )
                connection.terminate()
        self.found = tuple(found)
        self.away = tuple(
            f"{_place(address)}: {_words(answer)}"
            for address, answer in zip(self._addresses, answers, strict=True)
            if isinstance(answer, BaseException)
        )

    async def watch(self) -> None:
        """Look until cancelled."""
        while True:
            try:
                await self.look()
            except CustodyError as fault:  # of the file that remembers
                _log.error("%s", fault)
            await asyncio.sleep(LOOK_EVERY)

    @property
    def newest(self) -> History | None:
        """The history that is written to."""
        return self._memory.newest

    @property
    def trouble(self) -> tuple[str, ...]:
        """What is wrong with what stands behind the primary, in words with the remedy.

        Of three servers one that is away costs nothing yet, and nobody would see it before the second is.
        """
        told = tuple(trouble_of(self.found, self._memory.newest, several=len(self._addresses) > 1))
        if len(self._addresses) < MANY or all(one.standby for one in self.found):
            return told
        return *told, *(
            f"server: {words}. The others go on: see that it runs, and that its disk has room" for words in self.away
        )

    async def _answers(self, asking: Sequence["asyncio.Future[tuple[Found, Any]]"]) -> None:
        """Wait for all of them, or for a short time once one may be written to."""
        waiting = set(asking)
        within = None
        while waiting:
            done, waiting = await asyncio.wait(waiting, timeout=within, return_when=asyncio.FIRST_COMPLETED)
            if not done:
                return
            if any(_may_be_written(one) for one in done):
                within = OTHERS_WITHIN

    def _chosen(self, asked: Sequence["asyncio.Future[tuple[Found, Any]]"]) -> Any:
        primaries = sorted(
            (one.result() for one in asked if one.done() and _may_be_written(one)),
            key=lambda answer: answer[0].history.timeline,
        )
        if len(asked) == 1 and asked[0].done() and (fault := asked[0].exception()) is not None:
            raise fault
        said = [f"{_place(address)} {_answer(one)}" for address, one in zip(self._addresses, asked, strict=True)]
        if len({found.history.system for found, _ in primaries}) > 1:
            said = ["they are primaries of different databases: name those of one alone"]
        elif primaries:
            found, connection = primaries[-1]
            if self._memory.take(found.history):
                self._given[connection] = found.history
                return connection
            said = [f"{found.place} was primary before a promotion, and is not written to any more"]
        raise FloorAwayError(
            f"no server of the database can be written to: {'; '.join(said)}",
            ",".join(map(_place, self._addresses)),
            "See that the primary runs; where it is gone, promote the standby: `feltd floor promote`",
        )

    async def _ask(self, address: str, settings: dict[str, Any]) -> tuple[Found, Any]:
        async with asyncio.timeout(WITHIN):  # a server that is frozen takes the connection and says nothing
            connection = await asyncpg.connect(address, server_settings=_SESSION, **settings)
            try:
                return await _found(connection, address), connection
            except BaseException:
                connection.terminate()
                raise

    async def _seen(self, address: str) -> Found:
        async with asyncio.timeout(WITHIN):
            found, connection = await self._ask(address, {"timeout": WITHIN})
            try:
                return Found(found.place, found.history, found.standby, found.waits_for, await standbys_of(connection))
            finally:
                connection.terminate()


def each_server(address: str) -> Iterator[str]:
    """The address of each server in one that names several, as PostgreSQL's own programs read it."""
    parts = urlsplit(address)
    query = [(key, value) for key, value in parse_qsl(parts.query) if key != "target_session_attrs"]
    user, at, hosts = parts.netloc.rpartition("@")
    asked = dict(query)
    if hosts.count(","):
        for host in hosts.split(","):
            yield _address(parts, f"{user}{at}{host}", query)
        return
    names, ports = asked.get("host", "").split(","), asked.get("port", "").split(",")
    for number, name in enumerate(names):
        one = dict(asked)
        if name:
            one["host"] = name
        if ports != [""]:
            one["port"] = ports[number if len(ports) > 1 else 0]
        yield _address(parts, parts.netloc, list(one.items()))


def _address(parts: SplitResult, netloc: str, query: Sequence[tuple[str, str]]) -> str:
    asked = urlencode(query, safe="/")  # urlunsplit would leave the slashes of an empty host out
    return f"{parts.scheme}://{netloc}{parts.path}{'?' if asked else ''}{asked}"


async def standbys_of(connection: Any) -> tuple[Standby, ...]:
    """What stands behind a server; none where the database knows nothing of standbys yet."""
    # an older edition names no standbys, and lets no role look for any: both are none
    with suppress(asyncpg.UndefinedFunctionError, asyncpg.InvalidSchemaNameError, asyncpg.InsufficientPrivilegeError):
        return tuple(Standby(**dict(row)) for row in await connection.fetch(_STANDBYS))
    return ()


async def history_of(connection: Any) -> tuple[History, bool]:
    """The history of a server, and whether it is a standby."""
    row = await connection.fetchrow(_ASK)
    return History(row["system"], row["timeline"]), bool(row["standby"])


async def _found(connection: Any, address: str) -> Found:
    row = await connection.fetchrow(_ASK)
    return Found(_place(address), History(row["system"], row["timeline"]), row["standby"], row["waits_for"])


def _may_be_written(asked: "asyncio.Future[tuple[Found, Any]]") -> bool:
    return not asked.cancelled() and asked.exception() is None and not asked.result()[0].standby


def _answer(asked: "asyncio.Future[tuple[Found, Any]]") -> str:
    if not asked.done() or asked.cancelled():
        return "does not answer"
    fault = asked.exception()
    return "is a standby" if fault is None else _words(fault)


def _words(fault: BaseException) -> str:
    return str(fault).partition("\n")[0] or type(fault).__name__


def _place(address: str) -> str:
    """The server, for people: without a user and a password."""
    parts = urlsplit(address)
    asked = dict(parse_qsl(parts.query))
    host = parts.netloc.rpartition("@")[2] or asked.get("host", "this machine")
    return f"{host}:{asked['port']}" if "port" in asked else host


def trouble_of(found: tuple[Found, ...], newest: History | None, *, several: bool) -> Iterator[str]:
    """What is wrong with servers that were found. `several`: there is to be more than one."""
    for one in found:
        if one.standby or newest is None or one.history.system != newest.system:
            continue
        if one.history.timeline < newest.timeline:
            yield (
                f"old primary: {one.place} was primary before a promotion and still runs as one; nothing is written to "
                "it. Stop it, keep its data as evidence, and make it a standby: `feltd floor standby`"
            )
            continue
        there = [standby for standby in one.standbys if standby.connected]
        if one.waits_for and not any(standby.synchronous for standby in there):
            yield (
                "standby: none is connected, and nothing is acknowledged until one is. See that it runs; or let one "
                "disk be enough: `feltd floor synchronous --off`"
            )
        elif (several or one.standbys) and not there:
            yield (
                "standby: none is connected, so what is acknowledged is on one disk alone. See that it runs, or make a "
                "new one: `feltd floor standby`"
            )


def _read(file: Path) -> History | None:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return History(str(content["system"]), int(content["timeline"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise CustodyError(
            f"cannot be read: {fault}", str(file), "It says which promotion was seen last: see which, then delete it"
        ) from None


def _write(file: Path, history: History) -> None:
    content = json.dumps({"system": history.system, "timeline": history.timeline}).encode()
    try:
        replace_atomically(file, content, os.stat(file.parent))
    except OSError as fault:
        raise CustodyError(
            f"cannot be written: {fault.strerror}", str(file), "Let floord write there (`promotions` in floor.toml)"
        ) from None

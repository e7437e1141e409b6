"""A person makes the standby the primary: once, on record, and not while the primary still answers."""

import asyncio
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import asyncpg

from feltd.custody.errors import CustodyError, FloorAwayError
from feltd.floor.numbering import begin_epoch
from feltd.floor.postgres import place_of
from feltd.floor.servers import FAULTS, History, history_of, standbys_of

PROMOTED_WITHIN: Final = 120
"""Seconds for PostgreSQL to end what it has received and to begin as primary."""
ANSWERS_WITHIN: Final = 3.0
_WITHIN: Final = 10.0
_PORT: Final = 5432


@dataclass(frozen=True, slots=True)
class Promotion:
    """A server (its host) that was made the primary. `late`: it was so before, and is put on record now."""

    server: str
    history: History
    late: bool


async def promote(address: str, who: str, why: str, *, although_it_answers: bool = False) -> Promotion:
    """Make the standby at `address` the primary, as the database's owner, and put it on record with who and why.

    Raises CustodyError where the old primary still answers, where the server is the primary on record already, and
    where PostgreSQL does not do it; FloorAwayError where the server cannot be reached.
    """
    place = place_of(address)
    server = urlsplit(address).netloc.rpartition("@")[2] or socket.gethostname()
    try:
        connection = await asyncpg.connect(address, timeout=_WITHIN)
        try:
            _, standby = await history_of(connection)
            if standby:
                if not although_it_answers:
                    await _require_silence(connection, place)
                await _make_primary(connection, place)
            history, _ = await history_of(connection)
            await _put_on_record(connection, server, history, who, why)
            await begin_epoch(connection)  # what the old primary numbered and had not handed over was told outside
            return Promotion(server, history, late=not standby)
        finally:
            await connection.close(timeout=_WITHIN)
    except (*FAULTS, ValueError) as fault:
        raise FloorAwayError(
            f"the database does not do what it is asked: {fault}",
            place,
            "Give the standby's own address as its owner (sudo -u postgres); a promotion is put on record by the same "
            "command once more",
        ) from None


async def wait_for(address: str, standby: str | None) -> None:
    """Have the primary acknowledge only what `standby` has on its disk too; None: what its own disk has.

    Raises CustodyError where that standby is not connected (everything would wait for it), FloorAwayError.
    """
    place = place_of(address)
    try:
        connection = await asyncpg.connect(address, timeout=_WITHIN)
        try:
            there = [one.name for one in await standbys_of(connection) if one.connected]
            if standby is not None and standby not in there:
                raise CustodyError(
                    f'no standby "{standby}" is connected; there are: {", ".join(there) or "none"}',
                    place,
                    "Start it, or make it anew: `feltd floor standby`. Nothing was changed",
                )
            await _set_waits_for(connection, standby)
        finally:
            await connection.close(timeout=_WITHIN)
    except (*FAULTS, ValueError) as fault:
        raise FloorAwayError(
            f"the database does not do what it is asked: {fault}", place, "Give its owner's address; see that it runs"
        ) from None


async def _set_waits_for(connection: Any, standby: str | None) -> None:
    # the role of a server does not say which one that is: names are PostgreSQL's identifiers, quoted as such
    named = "" if standby is None else '"{}"'.format(standby.replace('"', '""'))
    await connection.execute("ALTER SYSTEM SET synchronous_standby_names = '{}'".format(named.replace("'", "''")))
    await connection.execute("SELECT pg_reload_conf()")


async def _require_silence(connection: Any, place: str) -> None:
    """Raises CustodyError where the primary answers."""
    receives = await connection.fetchval("SELECT count(*) FROM pg_stat_wal_receiver WHERE status = 'streaming'")
    told = await connection.fetchval("SELECT current_setting('primary_conninfo')")
    words = dict(words_of(told))
    host, port = words.get("host", ""), int(words.get("port", _PORT))
    if receives or await asyncio.to_thread(_answers, host, port):
        raise CustodyError(
            f"the primary ({host or 'this machine'}:{port}) still answers",
            place,
            "Stop it first, and it hands over all that it has. Where it cannot be stopped and tables cannot wait: "
            "--although-it-answers",
        )


def _answers(host: str, port: int) -> bool:
    """Whether something takes connections there: a server that starts, or refuses this role, is not gone."""
    try:
        if host.startswith("/"):
            with socket.socket(socket.AF_UNIX) as asked:
                asked.settimeout(ANSWERS_WITHIN)
                asked.connect(str(Path(host) / f".s.PGSQL.{port}"))
        else:
            socket.create_connection((host, port), ANSWERS_WITHIN).close()
    except OSError:
        return False
    return True


async def _make_primary(connection: Any, place: str) -> None:
    await _set_waits_for(connection, None)  # what was copied from the primary waits for the server that this one is
    if not await connection.fetchval("SELECT pg_promote(true, $1)", PROMOTED_WITHIN):
        raise CustodyError(
            f"PostgreSQL has not promoted it within {PROMOTED_WITHIN} seconds", place, "See its log, then try again"
        )


async def _put_on_record(connection: Any, server: str, history: History, who: str, why: str) -> None:
    if await connection.fetchval("SELECT count(*) FROM floor.promotions() WHERE timeline = $1", history.timeline):
        raise CustodyError("is the primary, and that is on record", server, "See `feltd floor status`")
    if history.timeline == 1:
        raise CustodyError("is a primary that was never a standby", server, "Give the standby's address")
    await connection.execute("SELECT floor.add_promotion($1, $2, $3, $4)", history.timeline, server, who, why)


def words_of(told: str) -> list[tuple[str, str]]:
    """The words of PostgreSQL's `key=value` text, as its programs write it: quoted where they have spaces."""
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(told):
        key, equals, _ = told[at:].partition("=")
        if not equals:
            break
        at += len(key) + 1
        value, quoted = "", told[at : at + 1] == "'"
        at += quoted
        while at < len(told) and (told[at] != "'" if quoted else not told[at].isspace()):
            at += told[at] == "\\"
            value += told[at : at + 1]
            at += 1
        at += quoted
        found.append((key.strip(), value))
    return found

"""The floor's process, `floord`: tables' uplinks on one side, the database on the other. Its state is there."""

import asyncio
import gc
import logging
import os
import ssl
import time
from asyncio.sslproto import SSLProtocol
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from feltd.books.own_tournaments import TournamentBooks, tournament_books_to_run
from feltd.books.shipped import waiting_sources
from feltd.custody.certificates import context_of_floor
from feltd.custody.errors import CustodyError, FloorAwayError
from feltd.custody.settings import FloorSettings, floor_settings
from feltd.door.serving.guest import uid_of
from feltd.door.serving.listener import listening
from feltd.floor.commanding import Desk
from feltd.floor.database_clock import DatabaseClock
from feltd.floor.deriving import Deriving
from feltd.floor.directing import Directing
from feltd.floor.doubts import Doubts
from feltd.floor.draws import draws_in, warn_where_unsealed
from feltd.floor.elsewhere import Elsewhere, floord_name
from feltd.floor.enrolment import Registrar
from feltd.floor.forgetting import Forgetting
from feltd.floor.groups import Sights
from feltd.floor.issuing import Issuer
from feltd.floor.outside import Outside
from feltd.floor.own_record import OwnRecord
from feltd.floor.own_trouble import NoDatabase, OwnTrouble
from feltd.floor.pit_book import PitBook
from feltd.floor.pit_socket import Pit, PitReception
from feltd.floor.postgres import PostgresEngine
from feltd.floor.proving import Nightly
from feltd.floor.receipt_key import load_receipt_key
from feltd.floor.refusals_kept import RefusalsKept
from feltd.floor.rolling import Rolling
from feltd.floor.servers import Memory
from feltd.floor.serving import receiving
from feltd.floor.signing import FloorKey
from feltd.floor.tending import Tending
from feltd.floor.unsealed_draws import UnsealedDraws
from feltd.floor.waiting import Waiting
from feltd.launcher.process import asked_to_stop, set_up_process
from feltd.record.receipts import ReceiptKey
from feltd.table.host.health import ServiceManager

DATABASE_AGAIN: Final = 10.0
"""Seconds between two attempts at a database that cannot be used at a start."""
TLS_BUFFER: Final = 8 * 1024
"""Bytes that asyncio reads a connection's TLS into: several batches of a table that plays. Each connection holds them
for as long as it lasts: its own 256 KiB, for each of a thousand tables, are half the memory that the unit lets floord
have. A long batch of a table that was away is read in more pieces, which costs a tenth of a millisecond for 64 KiB."""
GARBAGE: Final = (20_000, 20, 20)
"""Objects, and rounds, after which Python looks for rings that nothing leads to (`gc.set_threshold`). By its own 700 it
looked over what a thousand tables have under way again and again, for a tenth of floord's processor."""
_log = logging.getLogger("feltd.floor")


def run_floor(file: Path) -> None:
    """Keep tables' journals until SIGTERM or SIGINT.

    `file`: floor.toml. Raises SettingsError, CustodyError where the address cannot be used, and where the database
    cannot and no pit page could say so.
    """
    settings = floor_settings(file)
    SSLProtocol.max_size = TLS_BUFFER
    gc.set_threshold(*GARBAGE)
    gc.freeze()  # what is loaded stays
    set_up_process()
    asyncio.run(_run(settings))


async def _run(settings: FloorSettings) -> None:
    stop, manager = asked_to_stop(), ServiceManager()
    books = tournament_books_to_run(settings.tournament_books)
    receipts = None if settings.receipts is None else load_receipt_key(settings.receipts)
    way_in = _WayIn(context_of_floor(settings.own, settings.issuer), _issuer(settings), receipts)
    while (engine := await _opened(settings, stop, manager)) is not None:
        try:
            await _at_work(settings, engine, books, way_in, stop, manager)
            return
        except BaseExceptionGroup as failures:
            raise _named(failures, settings) from failures
        except FloorAwayError as fault:
            # The database went as what it has was read: a start waits for it as for one that was away from the first.
            if settings.socket is None or type(fault) is not FloorAwayError:
                raise
            _log.error("%s", fault)
        finally:
            await engine.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), DATABASE_AGAIN)


@dataclass(frozen=True, slots=True)
class _WayIn:
    """What tables are let in by. `issuer`: who signs their certificates, `receipts`: what receipts are signed by."""

    context: ssl.SSLContext
    issuer: Issuer | None
    receipts: ReceiptKey | None


async def _at_work(
    settings: FloorSettings,
    engine: PostgresEngine,
    books: TournamentBooks,
    way_in: _WayIn,
    stop: asyncio.Event,
    manager: ServiceManager,
) -> None:
    """Take up what the database has, and serve until told to stop. Raises FloorAwayError where it goes meanwhile."""
    outside = Outside(settings, engine)
    draws = draws_in(settings.draws, os.environ)
    warn_where_unsealed(draws, settings.seal_draws_to)
    unsealed = UnsealedDraws(draws, settings.seal_draws_to, settings.sealed_draws)
    own = OwnTrouble(engine, settings.disk, draws=lambda: unsealed.trouble, books=books.fault)
    nightly = Nightly(engine, settings.prove_at)
    key = None if settings.signing_key is None else FloorKey.load(settings.signing_key)
    clock, sights = DatabaseClock(engine), Sights(engine.groups)
    await sights.load()
    desk, book = (
        Desk(engine, key=key, others=settings.signing_keys),
        PitBook(
            engine,
            own=lambda: (
                *own.look(), *engine.servers.trouble, *outside.trouble, *nightly.trouble, *clock.trouble,
                *sights.trouble,
            ),
        ),
    )  # fmt: skip
    registrar = None if way_in.issuer is None else Registrar(engine, way_in.issuer, time.time)
    directing = Directing(
        engine.tournaments,
        books.texts,
        draws=draws,
        refusals=RefusalsKept(OwnRecord(engine)),
    )
    waiting = Waiting(
        engine.waiting,
        waiting_sources(),
        refusals=RefusalsKept(OwnRecord(engine), of="waiting"),
        line_of=book.line,
    )
    forgetting = Forgetting(directing, engine.tournaments.players, waiting)
    facts = Deriving(engine, outside.told)
    await desk.load()
    await book.load()
    await directing.look()
    await waiting.look()
    elsewhere = Elsewhere(engine.floords, book, floord_name(settings.port))
    tending, rolling = Tending(directing, desk, book), Rolling(engine, desk, book)
    async with (
        _beside(facts.run(), "facts"),
        _beside(nightly.run(), "proof"),
        _beside(unsealed.run(), "secrets of draws"),
        _beside(engine.servers.watch(), "servers"),
        _beside(sights.run(), "groups"),
        _beside(clock.run(), "the database's clock"),
        _beside(directing.watch(), "tournaments"),
        _beside(tending.run(), "tables of tournaments"),
        _beside(Doubts(directing, engine).run(), "what was not taken of tables' hands"),
        _beside(rolling.run(), "wishes"),
        _beside(elsewhere.run(), "other floords"),
        _beside(desk.run(lambda: elsewhere.has_others), "decisions of other floords"),
        _beside(waiting.watch(), "waiting lists"),
        _beside(forgetting.run(settings.names_days, settings.waiting_hours), "names of players"),
        outside.told_of(book),
        _pit(settings, Pit(desk, book, engine, directing, tending, sights, rolling, waiting), book),
        receiving(
            engine,
            settings.host,
            settings.port,
            way_in.context,
            desk,
            book,
            registrar,
            receipts=way_in.receipts,
            facts=facts,
        ) as server,
    ):
        places = ", ".join(f"{place.getsockname()[0]}:{place.getsockname()[1]}" for place in server.sockets)
        _log.info("floord listens at %s", places)
        manager.ready(f"listening at {places}")
        await stop.wait()
        manager.stopping()


async def _opened(settings: FloorSettings, stop: asyncio.Event, manager: ServiceManager) -> PostgresEngine | None:
    """The database; None where floord was told to stop before it could be used.

    Raises CustodyError where it cannot be used and the file names no socket. With one, the pit page says why, and the
    database is asked again.
    """
    told, memory = "", Memory(settings.promotions)
    while True:
        try:
            return await PostgresEngine.open(settings.database, memory)
        except CustodyError as fault:
            if settings.socket is None:
                raise
            away = NoDatabase(fault, time.time)
        words = str(away.fault)
        if words != told:
            told = words
            _log.error("%s", words)
            manager.ready(words)
        book = PitBook(away, own=away.own)
        async with _pit(settings, Pit(Desk(away), book, away), book):
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), DATABASE_AGAIN)
        if stop.is_set():
            return None


def _issuer(settings: FloorSettings) -> Issuer | None:
    """Who signs tables' certificates, where the file names it. Raises CertificateWrongError."""
    if settings.issuer is None or settings.issuer_key is None:
        return None
    return Issuer.load(settings.issuer, settings.issuer_key)


@asynccontextmanager
async def _pit(settings: FloorSettings, pit: Pit, book: PitBook) -> AsyncIterator[None]:
    """Fold the pit, and serve its page and directors' desks where the file names a socket. Raises DoorError."""
    async with _beside(book.run(), "pit"):
        if settings.socket is None:
            yield
            return
        async with listening(settings.socket, uid_of(settings.pit), PitReception(pit, book)):
            yield


@asynccontextmanager
async def _beside(work: Coroutine[Any, Any, None], name: str) -> AsyncIterator[None]:
    """Have some work done for as long as the block lasts."""
    running = asyncio.get_running_loop().create_task(work, name=name)
    try:
        yield
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def _named(failures: BaseExceptionGroup[BaseException], settings: FloorSettings) -> BaseException:
    first: BaseException = failures
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    if isinstance(first, OSError):
        place = f"{settings.host}:{settings.port}"
        return CustodyError(
            f"cannot be listened at: {first.strerror or first}", place, "Choose another `host` or `port` in [floor]"
        )
    return first

"""A whole table without hardware: device processes on pseudo-terminals, the daemon, and a dealer who errs now and then.

The daemon cannot tell these devices from real ones. Several rulebooks take turns: after some rounds the table closes
and opens again under the next.
"""

import asyncio
import fcntl
import logging
import os
import secrets
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from devices.simulated.errors import SimulatedDeviceError
from devices.simulated.things.equipment import lay_out, running
from feltd.books.shipped import rulebook_sources, structure_sources
from feltd.launcher.running import serving
from feltd.simulated.dealing import play
from feltd.simulated.errors import SimulationError, UnknownBookError
from feltd.simulated.games import DECKS
from feltd.simulated.plan import Plan, game_of, opening_options, playable
from feltd.simulated.setting_up import PLAYER, enrol, let_in, others, write_config
from feltd.simulated.staff import acknowledge
from feltd.simulated.takeover import Takeover
from feltd.simulated.terminal import say, tell_rulings
from feltd.simulated.tour import Tour
from feltd.table.config.config import load_config
from feltd.table.host.logs import set_up_logging
from feltd.text.as_owner import require_own
from table_fsm.felt import Built
from table_fsm.library import load_library


def simulate(  # noqa: PLR0913 - one for each option of the command
    *,
    books: tuple[str, ...],
    seed: int | None,
    mistakes: float,
    rounds: int | None,
    pace: float,
    host: str,
    port: int,
    folder: Path | None,
    tour: bool = False,
    built: Built = Built.FULL,
    chips: bool = False,
    faces: bool = True,
    any_book: bool = False,
) -> None:
    """Play until the rounds are over, or until SIGINT or SIGTERM. Raises FeltdError.

    `any_book`: books that a table which is built so cannot judge are left out.
    """
    set_up_logging()
    logging.getLogger("feltd.table").setLevel(logging.WARNING)  # rulings are printed as they come
    logging.getLogger("feltd.devices").setLevel(logging.WARNING)
    known = load_library(rulebook_sources(), structure_sources())
    for book in books:
        if book not in known:
            raise UnknownBookError(f'no rulebook "{book}": feltd rules lists those there are')
    plan = Plan(
        tuple(known[book] for book in books), secrets.randbelow(10**6) if seed is None else seed, mistakes, rounds,
        pace, tour, built, chips, faces,
    )  # fmt: skip
    plan = playable(plan, any_book=any_book)
    os.umask(0o077)  # what devices keep until it is acknowledged is for nobody else's eyes
    with ExitStack() as stack:
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="feltd-")))
        stack.enter_context(_alone_in(folder))
        asyncio.run(_until_told(plan, folder.resolve(), host, port))


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Nobody else plays in this folder: a second table would take over the first one's devices."""
    require_own(folder, "choose another folder, or run it as that user")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "in-use").open("w") as mark:
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
    except BlockingIOError:
        raise SimulationError(
            f"{folder}: another simulated table plays here; end it, or choose another folder"
        ) from None
    except OSError as failure:
        raise SimulationError(f"{folder}: {failure.strerror}; choose another folder") from None


async def _until_told(plan: Plan, folder: Path, host: str, port: int) -> None:
    """The simulation, ended early by a signal."""
    task = asyncio.create_task(_simulate(plan, folder, host, port))
    signalled = False

    def stop() -> None:
        nonlocal signalled
        signalled = True
        logging.disable(logging.WARNING)  # the same signal ends the devices: that they go is no news now
        task.cancel()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    try:
        await task
    except asyncio.CancelledError:
        if not signalled:
            raise
    except SimulatedDeviceError as failure:
        if not signalled:
            raise SimulationError(str(failure)) from failure


async def _simulate(plan: Plan, folder: Path, host: str, port: int) -> None:
    from feltd.simulated.routes import add_simulated

    game = game_of(plan, plan.books[0], plan.rounds)
    equipment = lay_out(folder, replace(game, decks=DECKS), plan.built, chips=plan.chips, faces=plan.faces)
    options = opening_options(plan, plan.books[0])
    config = load_config(write_config(equipment, game, options, host, port or 8080))
    if plan.chips:
        enrol(config, DECKS)
    password = let_in(config.accounts_file)
    started = time.monotonic()
    place = Takeover(equipment, DECKS)
    async with AsyncExitStack() as stack:
        with _interrupt_held():
            await stack.enter_async_context(running(equipment))
        stack.push_async_callback(place.close)
        running_table = await stack.enter_async_context(
            serving(config, port=port, extend=lambda page: add_simulated(page, place))
        )
        daemon = running_table.table
        daemon.on_outputs(place.hear)
        if plan.tour:
            place.tour = Tour(
                plan.pace, lambda: daemon.keeper.table.view(), place.befall, lambda: acknowledge(equipment)
            )
            daemon.on_outputs(place.tour.hear)
        say(f"{config.table.name} is open: {running_table.address}   (seed {plan.seed}, Ctrl-C ends it)")
        say(f"to decide, sign in as {PLAYER} (or {', '.join(others())}) with {password}")
        if place.tour is not None:
            say(f"see five mistakes and how feltd rules on each: {running_table.address}simulated")
        daemon.on_outputs(tell_rulings(started))
        await play(plan, equipment, daemon, place)
        say(f"{daemon.keeper.table.round_number} rounds dealt, {sum(daemon.keeper.tally.rulings.values())} rulings")


@contextmanager
def _interrupt_held() -> Iterator[None]:
    """Processes started meanwhile never see Ctrl-C, which a terminal sends to all: this one ends them, in its order."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

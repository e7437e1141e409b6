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
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from devices.simulated.errors import ControlError, CroupierStuckError, OrderRefused, SimulatedDeviceError
from devices.simulated.people.dealer import Dealer
from devices.simulated.people.game import Game
from devices.simulated.people.staff_cards import STAFF_CARDS
from devices.simulated.things.control import Control
from devices.simulated.things.equipment import Equipment, lay_out, running
from feltd.books.shipped import rulebook_sources, structure_sources
from feltd.launcher.running import serving
from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from feltd.simulated.games import DECKS, game_for, options_for
from feltd.simulated.takeover import Takeover
from feltd.simulated.tour import STOPS, Tour
from feltd.table.config.config import load_config
from feltd.table.daemon.daemon import Daemon
from feltd.table.host.logs import set_up_logging
from feltd.table.keeper.keeper import RESTING
from feltd.text.as_owner import require_own
from feltd.text.errors import FeltdError
from feltd.text.words import words_of
from table_fsm.events import Event, TableOpen
from table_fsm.felt import Built, StaffRole
from table_fsm.library import load_library
from table_fsm.outputs import Output, Refusal, Ruling
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.irregularities import Irregularity, Outcome
from table_fsm.table import Table
from table_fsm.view.shapes import TableView

ROUNDS_IN_TURN: Final = 4
"""Rounds under one rulebook before the next has its turn."""
SEATS: Final = (1, 2, 3, 5, 7, 8)
PLAYER: Final = "director"
"""The account of a simulated table for whoever wants to do everything that is the floor's."""
_OPEN_WITHIN: Final = 30.0
_POLL: Final = 0.02
_MASTER_KEY_BYTES: Final = 32


class SimulationError(FeltdError):
    """The simulated table cannot be set up, or its dealer is at a loss."""


class UnknownBookError(SimulationError):
    """A rulebook that is not there was asked for."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The options of a simulation.

    `pace`: how many times faster than a dealer's hands; 0: as fast as it goes. `tour`: begin with the tour.
    """

    books: tuple[Rulebook, ...]
    seed: int
    mistakes: float
    rounds: int | None
    pace: float
    tour: bool = False
    built: Built = Built.FULL


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
        pace, tour, built,
    )  # fmt: skip
    plan = _playable(plan, any_book=any_book)
    os.umask(0o077)  # what devices keep until it is acknowledged is for nobody else's eyes
    with ExitStack() as stack:
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="feltd-")))
        stack.enter_context(_alone_in(folder))
        asyncio.run(_until_told(plan, folder.resolve(), host, port))


def _playable(plan: Plan, *, any_book: bool) -> Plan:
    """The plan with the books that a table which is built so can judge.

    `any_book`: nobody has asked for these books, so that others may be left out. Raises SimulationError.
    """
    why_not = {book.id: reason for book in plan.books if (reason := _refusal(plan, book)) is not None}
    left = tuple(book for book in plan.books if book.id not in why_not)
    if left and (any_book or not why_not):
        return replace(plan, books=left)
    book, reason = next(iter(why_not.items()))
    raise SimulationError(f"{book}: {reason}; or choose another book with --book")


def _refusal(plan: Plan, book: Rulebook) -> str | None:
    """Why the table does not open under this book, as it is built; None where it does."""
    game, options = game_of(plan, book, 1), _options(plan, book)
    opening = TableOpen(t=0.0, rulebook=book.id, seats=list(game.seats), options=options, button=game.button)
    refused = (output.value for output in Table({book.id: book}).apply(opening) if isinstance(output.value, Refusal))
    return next((refusal.reason for refusal in refused), None)


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
    equipment = lay_out(folder, replace(game, decks=DECKS), plan.built)
    options = _options(plan, plan.books[0])
    config = load_config(write_config(equipment, game, options, host, port or 8080))
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
            place.tour = Tour(plan.pace, lambda: daemon.keeper.table.view(), place.befall)
            daemon.on_outputs(place.tour.hear)
        _say(f"{config.table.name} is open: {running_table.address}   (seed {plan.seed}, Ctrl-C ends it)")
        _say(f"to decide, sign in as {PLAYER} (or {', '.join(others())}) with {password}")
        if place.tour is not None:
            _say(f"see five mistakes and how feltd rules on each: {running_table.address}simulated")
        daemon.on_outputs(_tell_rulings(started))
        await _play(plan, equipment, daemon, place)
        _say(f"{daemon.keeper.table.round_number} rounds dealt, {sum(daemon.keeper.tally.rulings.values())} rulings")


@contextmanager
def _interrupt_held() -> Iterator[None]:
    """Processes started meanwhile never see Ctrl-C, which a terminal sends to all: this one ends them, in its order."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def game_of(plan: Plan, rulebook: Rulebook, rounds: int | None) -> Game:
    """The game of one rulebook at this table."""
    options = _options(plan, rulebook)
    return game_for(rulebook, SEATS, options, seed=plan.seed, mistake_rate=plan.mistakes, rounds=rounds)


def _options(plan: Plan, rulebook: Rulebook) -> dict[str, Any]:
    """The options to open the table with under this rulebook."""
    return options_for(rulebook, {} if plan.built is Built.FULL else {"built": plan.built.value})


def let_in(file: Path) -> str:
    """Make an account of each role for the simulated table; return their common password.

    Each start makes a new password.
    """
    accounts, password = AccountBook(file), secrets.token_urlsafe(9)
    for name in (PLAYER, *others()):
        if accounts.get(name) is None:
            accounts.add(name, Role(name), password)
        else:
            accounts.change(name, password=password)
    return password


def others() -> list[str]:
    """The accounts beside the first, each named after its role: to see what each of them sees."""
    return sorted(role.value for role in Role if role.value != PLAYER)


def write_config(equipment: Equipment, game: Game, options: Mapping[str, Any], host: str, port: int) -> Path:
    """The table's file, as a person would write it: `feltd check` and `feltd run` take it too."""
    folder = equipment.folder
    sealing = folder / "journal.key"
    if not sealing.exists():
        sealing.touch(mode=0o600)
        sealing.write_text(secrets.token_bytes(_MASTER_KEY_BYTES).hex() + "\n", encoding="ascii")
    lines = ["[table]", 'name = "Simulated table"', f'rulebook = "{game.rulebook}"', f"seats = {list(game.seats)}"]
    lines += [f"button = {game.button}"] if game.button is not None else []
    lines += ["[table.options]", *(f"{name} = {_toml(value)}" for name, value in options.items())]
    for device in equipment.devices:
        lines += ["[[device]]", f'name = "{device.name}"', f'role = "{device.role}"', f'port = "{device.port_link}"']
        lines += [f'key_file = "{device.key_file}"']
        settings = equipment.settings(device.name)
        zones = settings.get("zones")
        lines += [f"settings.zones = {_toml(list(zones))}"] if zones else []
        lines += ["settings.names = false"] if settings.get("names") is False else []
        if device.role == "badge":
            cards = ", ".join(f'"{card}" = "{role.value}"' for role, card in STAFF_CARDS.items())
            lines += [f"settings.staff = {{ {cards} }}"]
    lines += ["[page]", f'host = "{host}"', f"port = {port}", "open_on_loopback = true"]
    lines += ["[floor]", 'may = ["acknowledge", "confirm", "overrule", "play_on"]']
    lines += ["[journal]", f'path = "{folder / "table.journal"}"', f'sealing_key_file = "{sealing}"']
    file = folder / "table.toml"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def _toml(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).replace("'", '"')


async def _play(plan: Plan, equipment: Equipment, daemon: Daemon, place: Takeover) -> None:
    """One rulebook after the other, each for some rounds."""
    feed = OutputFeed(daemon)
    await _devices_up(daemon)
    await tidy(equipment, daemon)
    if place.tour is not None:
        await _guide(plan, place.tour, equipment, daemon, feed, place)
        place.tour = None
        await tidy(equipment, daemon)
    left, turn = plan.rounds, 0
    while left is None or left > 0:
        book = plan.books[turn % len(plan.books)]
        alone = len(plan.books) == 1
        rounds = left if alone else ROUNDS_IN_TURN if left is None else min(left, ROUNDS_IN_TURN)
        game = replace(game_of(plan, book, rounds), seed=plan.seed + turn)
        await _open(equipment, daemon, game, _options(plan, book))
        try:
            await _deal(plan, game, equipment, daemon, feed, place)
        except (OrderRefused, ControlError) as fault:
            raise SimulationError(f"the simulated dealer cannot go on: {fault}") from fault
        left = None if left is None else left - (rounds or left)
        turn += 1
        await tidy(equipment, daemon)


async def _guide(
    plan: Plan, tour: Tour, equipment: Equipment, daemon: Daemon, feed: "OutputFeed", place: Takeover
) -> None:
    """A round for each stop of the tour, under the first rulebook; it ends early where somebody sits down to deal."""
    book = plan.books[0]
    for number, stop in enumerate(STOPS, 1):
        kinds = () if stop.mistake is None else (stop.mistake,)
        game = replace(game_of(replace(plan, mistakes=1.0), book, 1), kinds=kinds, seed=plan.seed + number)
        if number == 1:
            await _open(equipment, daemon, game, _options(plan, book))
        feed.start_again()
        tour.begin(number)
        try:
            if await place.deal(Dealer(game, equipment, feed, pace=1 / plan.pace, sleep=tour.rest)):
                return
        except (OrderRefused, ControlError) as fault:
            raise SimulationError(f"the simulated dealer cannot go on: {fault}") from fault
        await tidy(equipment, daemon)
        await _acknowledge(equipment)


async def _acknowledge(equipment: Equipment) -> None:
    """Have the supervisor acknowledge the alarms whose cause has ended."""
    card = STAFF_CARDS[StaffRole.SUPERVISOR]
    async with _hands(equipment) as hand:
        await hand("badge", do="badge", staff=card, role=StaffRole.SUPERVISOR.value)
        await hand("keys", do="press", body={"ev": "decision", "decision": "acknowledge", "staff": card})


async def _deal(
    plan: Plan, game: Game, equipment: Equipment, daemon: Daemon, feed: "OutputFeed", place: Takeover
) -> None:
    """The rounds of one rulebook: by a dealer, and after each visit to the dealer's place by another one."""
    visits = 0
    while game.rounds is None or game.rounds > 0:
        feed.start_again()
        dealer = Dealer(game, equipment, feed, pace=1 / plan.pace if plan.pace else 0.0)
        try:
            visited = await place.deal(dealer)
            visits += visited
            if not visited:
                return
        except CroupierStuckError:
            if not visits:
                raise
            visits -= 1  # whoever was there left the table in a state that no dealer leaves: the round is ended
        if game.rounds is not None:
            game = replace(game, rounds=game.rounds - dealer.croupier.rounds)
        await tidy(equipment, daemon)
        await _seat_again(equipment, daemon, game)


async def _seat_again(equipment: Equipment, daemon: Daemon, game: Game) -> None:
    """Everybody takes the seat the game has for them."""
    there = {seat["seat"]: seat["state"] for seat in daemon.keeper.table.view()["seats"]}
    async with _hands(equipment) as hand:
        for seat in {*game.seats, *there}:
            if seat not in game.seats:
                await hand("keys", do="press", body={"ev": "seat_out", "seat": seat})
            elif there.get(seat) == "away":
                await hand("keys", do="press", body={"ev": "seat_back", "seat": seat})
            elif there.get(seat, "leaving") == "leaving":
                await hand("keys", do="press", body={"ev": "seat_in", "seat": seat})


async def _devices_up(daemon: Daemon) -> None:
    await _until(lambda: daemon.bridge.complete, "not every simulated device has come up")


async def _open(equipment: Equipment, daemon: Daemon, game: Game, options: dict[str, Any]) -> None:
    """Have new packs brought in and checked, and the table opened for this game; wait until it is."""
    async with _hands(equipment) as hand:
        for deck in game.decks:
            await hand("shoe", do="change_deck", deck=deck)
            await hand("badge", do="badge", staff=game.staff, role=game.staff_role)
            await hand("shoe", do="check", deck=deck)
    opening = TableOpen(t=0.0, rulebook=game.rulebook, seats=list(game.seats), options=options, button=game.button)
    daemon.open_with(opening)
    await _until(
        lambda: (book := daemon.keeper.table.rulebook) is not None and book.id == game.rulebook,
        f"the table does not open under {game.rulebook}",
    )


async def _until(true: Callable[[], bool], problem: str) -> None:
    end = time.monotonic() + _OPEN_WITHIN
    while not true():
        if time.monotonic() > end:
            raise SimulationError(f"{problem} within {_OPEN_WITHIN:g} s: see what feltd said on standard error")
        await asyncio.sleep(_POLL)


async def tidy(equipment: Equipment, daemon: Daemon) -> None:
    """End an unfinished round as a supervisor and collect every card, before a new dealer."""
    async with _hands(equipment) as hand:
        view = daemon.keeper.table.view()
        if view["open"] and (view["phase"] not in RESTING or view["pending"] or view["faults"] or not _box_safe(view)):
            await hand("shoe", do="clear")
            await hand("dropbox", do="box", present=True, locked=True)
            card = STAFF_CARDS[StaffRole.SUPERVISOR]
            await hand("badge", do="badge", staff=card, role=StaffRole.SUPERVISOR.value)
            for decision in ("acknowledge", "misdeal", "resume"):
                body = {"ev": "decision", "decision": decision, "staff": card, "reason": "a new dealer comes"}
                await hand("keys", do="press", body=body)
        equipment.bare.carry_out(equipment.bare.cloth, {"do": "collect"})
        for device in equipment.devices:
            if device.role == "reader":
                await hand(device.name, do="collect")


def _box_safe(view: TableView) -> bool:
    box = view["dropbox"]
    return box is None or (box["present"] and box["locked"])


@asynccontextmanager
async def _hands(equipment: Equipment) -> AsyncIterator[Callable[..., Coroutine[Any, Any, None]]]:
    controls = {device.name: Control(device.control, name=device.name) for device in equipment.devices}

    async def hand(name: str, **order: Any) -> None:
        with suppress(OrderRefused):
            if (thing := equipment.bare.thing(name, None)) is not None:
                for body in equipment.bare.carry_out(thing, order).bodies:
                    await hand("keys", do="press", body=body)
                return
            await controls[name].answer(order)
            await controls[name].order("settle", seconds=5.0)

    try:
        yield hand
    finally:
        for control in controls.values():
            await control.close()


class OutputFeed:
    """Collects the table's outputs for a dealer in the same process."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._said: list[dict[str, Any]] = []
        daemon.on_outputs(self._hear)

    def _hear(self, _event: Event, outputs: Sequence[Output]) -> None:
        self._said += [output.to_dict() for output in outputs]

    def start_again(self) -> None:
        """Replace the collected outputs by the table's present state, for a new dealer."""
        self._said = state_as_outputs(self._daemon.keeper.table.view())

    async def outputs(self) -> Sequence[dict[str, Any]]:
        """Return the outputs since the last call."""
        outputs, self._said = self._said, []
        return outputs


def state_as_outputs(view: TableView) -> list[dict[str, Any]]:
    """Turn a table's public state into outputs: phase, button, pending rulings, prompt."""
    outputs: list[dict[str, Any]] = [{"phase": view["phase"], "street": view["street"]}]
    outputs += [{"button": {"seat": view["button"]}}] if view["button"] is not None else []
    outputs += [{"ruling": {**ruling, "pending": True, "supersedes": None}} for ruling in view["pending"]]
    return [*outputs, {"prompt": view["prompt"]}] if view["prompt"] is not None else outputs


def _tell_rulings(started: float) -> Callable[[Event, Sequence[Output]], None]:
    """One line on the terminal for each ruling."""

    def tell(_event: Event, outputs: Sequence[Output]) -> None:
        for output in outputs:
            if isinstance(output.value, Ruling):
                _say(f"{time.monotonic() - started:7.1f} s  {ruling_line(output.value)}")

    return tell


def ruling_line(ruling: Ruling) -> str:
    """`#7  19.4  A hole card was exposed, seat 3: replace the card with the first burn card`."""
    seat = "" if ruling.seat is None else f", seat {ruling.seat}"
    waits = " (a person must decide)" if ruling.pending else ""
    outcome = words_of(Outcome, ruling.outcome)
    irregularity = words_of(Irregularity, ruling.irregularity)
    return f"#{ruling.id:<4d} {ruling.rule:<12} {irregularity}{seat}: {outcome}{waits}"


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()

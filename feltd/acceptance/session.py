"""One acceptance of one table, from the lock to the report: beside the feltd that plays it."""

import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import Any, Final

from devices.pins.errors import PinError
from devices.pins.factories import open_chip
from devices.pins.lines import LineChip
from feltd.acceptance.alone import alone
from feltd.acceptance.guided import INDENT, LEGEND, WIDTH, GuidedHands
from feltd.acceptance.keyboard import Keyboard
from feltd.acceptance.plan import whole_run
from feltd.acceptance.recorded import JournalRecord
from feltd.acceptance.report import (
    Facts,
    config_hash,
    devices_of,
    keep,
    line_of,
    place_of,
    report,
    summary,
    verdict,
)
from feltd.acceptance.run import PATIENCE, Hands, Place, Result, StepFailedError, StepResult, StopRunError, carry_out
from feltd.acceptance.technician import Ask, SignedIn, TechnicianError, page_of
from feltd.acceptance.wires import WiredHands, WireError, check_spare, read_wires
from feltd.table.config.config import TableConfig
from feltd.text.errors import FeltdError

GUIDED: Final = "guided: a person did what was asked, and saw and heard"
WIRED: Final = "by loop-back wires: lines of the board did what hands would"
_ENDS: Final = (signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of an acceptance.

    `account`: name and password. `limit`: seconds a person has for each request. `keyboard`: None where nobody works
    one. `report`: its file; None keeps it beside the record.
    """

    config_file: Path
    config: TableConfig
    account: tuple[str, str] | None
    keyboard: Keyboard | None
    limit: float
    report: Path | None = None


def accept(
    wanted: Wanted,
    environment: Mapping[str, str],
    say: Callable[[str], None],
    *,
    lock: Path,
    chip: LineChip | None = None,
    ask: Ask | None = None,
) -> bool:
    """Try the whole table, keep the report and print it.

    Returns whether the run reached its end and nothing failed. `chip`, `ask`: in place of the board's own. Raises
    FeltdError if the table cannot be tried.
    """
    config, began = wanted.config, time.time()
    kept = wanted.report or place_of(config, began)
    with alone(config.table.name, lock), ExitStack() as stack:
        record = JournalRecord(config.journal.path)
        stack.callback(record.close)
        page = ask or page_of(config)
        _runs(page)
        hands = _hands(wanted, environment, say, stack, chip)
        technician = None if wanted.account is None else SignedIn(page, *wanted.account)
        first = record.last()
        patience = wanted.limit if wanted.keyboard is not None else PATIENCE
        place = Place(hands, record, technician, patience)
        say(f"Acceptance of {config.table.name}: {len(list(whole_run(config)))} steps.")
        if wanted.keyboard is not None:
            say(LEGEND)
        devices, findings = _devices(technician), _waits(technician)
        for finding in findings:
            say(f"Found at the beginning: {finding}")
        try:
            with _signals(_ENDS, _end):
                results, stopped = carry_out(whole_run(config), place, lambda result: _tell(say, result, wanted))
        finally:
            # the report is written whatever comes
            stack.enter_context(_signals((signal.SIGINT, *_ENDS), signal.SIG_IGN))
            devices = _devices(technician) or devices
            left_undone = _left_undone(technician)
        facts = Facts(
            table=config.table.name,
            config_file=wanted.config_file.resolve(),
            config_hash=config_hash(wanted.config_file),
            mode=WIRED if wanted.keyboard is None else GUIDED,
            technician=f"{technician.name} (signed in at the table)" if technician else "nobody was signed in",
            began=began,
            ended=time.time(),
            journal=record.journal_id,
            first_entry=first,
            last_entry=record.last(),
            devices=devices_of(config, devices),
            found=findings,
            stopped=stopped,
            left_undone=left_undone,
        )
        text = report(facts, results)
        _keep_and_print(text, kept, say)
        say(f"{summary(results)}: {verdict(results, stopped)}")
    return stopped is None and all(result.outcome is not StepResult.FAILED for result in results)


def _keep_and_print(text: str, kept: Path, say: Callable[[str], None]) -> None:
    try:
        keep(text, kept)
    finally:
        say("")
        say(text)
    say(f"Kept as {kept}: print it, and have it signed.")


def _hands(
    wanted: Wanted, environment: Mapping[str, str], say: Callable[[str], None], stack: ExitStack, chip: LineChip | None
) -> Hands:
    if wanted.keyboard is not None:
        return GuidedHands(stack.enter_context(wanted.keyboard), say, wanted.limit)
    pins = wanted.config.pins
    if pins is None:
        raise FeltdError("this table has nothing on pins: wires cannot work it; use --guided")
    wires = read_wires(environment, pins)
    if chip is None:
        if pins.factory == "mock":
            raise FeltdError("[pins] factory is mock: no line of this board is read or driven, so no wire can work it")
        try:
            chip = open_chip(pins.factory, pins.chip)
        except PinError as fault:
            raise WireError(str(fault)) from None
        stack.callback(chip.close)
    check_spare(chip, wires)
    hands = WiredHands(chip, wires)
    stack.callback(hands.close)
    try:
        hands.put_in_order(pins)
    except StepFailedError as fault:
        raise WireError(str(fault)) from None
    return hands


def _runs(page: Ask) -> None:
    """Raises TechnicianError where nobody plays this table."""
    try:
        page("GET", "/api/v1/session", {}, None)
    except OSError as fault:
        raise TechnicianError(
            f"feltd does not answer at its page ({fault}): the table must run while it is tried "
            "(systemctl start felt-table felt-page)"
        ) from None


def _devices(technician: SignedIn | None) -> Mapping[str, Any] | None:
    if technician is None:
        return None
    with suppress(StepFailedError):
        return technician.devices()
    return None


def _waits(technician: SignedIn | None) -> list[str]:
    if technician is None:
        return []
    with suppress(StepFailedError):
        return technician.waits()
    return []


def _left_undone(technician: SignedIn | None) -> list[str]:
    """What must still be put in order, and sign out."""
    if technician is None:
        return ["see at the page what this run has raised, and have it decided"]
    waits = _waits(technician)
    left = technician.leave()
    return waits if left is None else [left, *waits]


def _tell(say: Callable[[str], None], result: Result, wanted: Wanted) -> None:
    if wanted.keyboard is None:
        say(line_of(result))
    else:
        say(fill(line_of(result), WIDTH, initial_indent=INDENT, subsequent_indent=f"{INDENT}{INDENT}"))


def _end(number: int, _frame: object) -> None:
    """Who is told to end, or loses the terminal, still reports."""
    for one in _ENDS:
        signal.signal(one, signal.SIG_IGN)
    raise StopRunError(f"by {signal.Signals(number).name}")


@contextmanager
def _signals(
    numbers: Iterable[signal.Signals], handler: Callable[[int, object], None] | signal.Handlers
) -> Iterator[None]:
    """What these signals do for as long as the block runs."""
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, handled in before.items():
            signal.signal(number, handled)

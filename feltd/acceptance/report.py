"""The acceptance report: text of 78 columns, for paper, to be signed; kept as a file beside the record."""

import hashlib
import platform
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

from feltd.acceptance.run import Result, StepResult
from feltd.table.config.config import TableConfig
from feltd.text.as_owner import as_owner_of
from feltd.text.atomic_file import write_new
from feltd.text.errors import FeltdError
from feltd.text.version import version_of_feltd

WIDTH: Final = 78
FOLDER: Final = "acceptance"
_RULE: Final = "-" * WIDTH
_NAME: Final = re.compile(r"[^A-Za-z0-9]+")
_OS_RELEASE: Final = Path("/etc/os-release")


class ReportError(FeltdError):
    """The report cannot be kept as a file."""


@dataclass(frozen=True, slots=True)
class Device:
    """One device of the table as the run found it; None for a value that is not known."""

    name: str
    place: str
    up: bool | None = None
    serial: str | None = None
    firmware: str | None = None
    trust: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything in the report but the results.

    `began`, `ended`: seconds since 1970. `mode`: how it was done. `found`: what was out of order at the table before
    it began. `stopped`: why it stopped before its end. `left_undone`: what a person must still put in order.
    """

    table: str
    config_file: Path
    config_hash: str
    mode: str
    technician: str
    began: float
    ended: float
    journal: str
    first_entry: int
    last_entry: int
    devices: Sequence[Device]
    found: Sequence[str] = ()
    stopped: str | None = None
    left_undone: Sequence[str] = ()


def config_hash(file: Path) -> str:
    """SHA-256 of the table's file, in hexadecimal digits. Raises OSError."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def devices_of(config: TableConfig, answer: Mapping[str, Any] | None) -> list[Device]:
    """Return every device of the configuration, then those that only the API names.

    `answer`: the answer of the table's API about devices; None if nobody asked.
    """
    by_name = {} if answer is None else {device["name"]: device for device in answer["devices"]}
    places = {device.name: device.place for device in config.devices}
    names = [*places, *(name for name in by_name if name not in places)]
    return [_device(name, places.get(name), by_name.get(name)) for name in names]


def _device(name: str, place: str | None, reported: Mapping[str, Any] | None) -> Device:
    if reported is None:
        return Device(name, place or "")
    identity = reported["identity"] or {}
    return Device(
        name,
        place or str(reported["port"]),
        bool(reported["link"]["up"]),
        identity.get("serial") or None,
        identity.get("says_firmware") or None,
        str(reported["trust"]),
    )


def line_of(result: Result) -> str:
    """Return one result as a line for the screen."""
    took = "" if result.seconds is None else f"  {result.seconds:.2f} s"
    return f"{result.outcome.value:8}  {result.step}{took}{f': {result.why}' if result.why else ''}"


def summary(results: Sequence[Result]) -> str:
    """Count the results by outcome, in words."""
    counts = {outcome: sum(result.outcome is outcome for result in results) for outcome in StepResult}
    return f"{len(results)} steps: " + ", ".join(f"{count} {outcome.value}" for outcome, count in counts.items())


def verdict(results: Sequence[Result], stopped: str | None) -> str:
    """Return the report's verdict in words.

    The people who sign the report say whether the table is accepted.
    """
    failed = sum(result.outcome is StepResult.FAILED for result in results)
    left_out = sum(result.outcome is StepResult.LEFT_OUT for result in results)
    if stopped is not None:
        return f"STOPPED BEFORE ITS END ({stopped}): this is no whole acceptance"
    if failed:
        return f"{failed} of {len(results)} steps FAILED"
    if left_out:
        return f"nothing failed; {left_out} of {len(results)} steps were left out, each with its reason"
    return "every step passed"


def report(facts: Facts, results: Sequence[Result]) -> str:
    """The whole report."""
    lines = [
        "ACCEPTANCE REPORT".ljust(WIDTH - len(facts.table)) + facts.table,
        _RULE,
        *_pair("Begun", _moment(facts.began)),
        *_pair("Ended", _moment(facts.ended)),
        *_pair("Technician", facts.technician),
        *_pair("How", facts.mode),
        *_pair("Table's file", str(facts.config_file)),
        f"  SHA-256  {facts.config_hash}",
        *_pair("Record", f"journal {facts.journal}, entries {facts.first_entry} to {facts.last_entry}"),
        *_pair("feltd", version_of_feltd()),
        *_pair("Host", f"{platform.node()}, {platform.machine()}, Linux {platform.release()}, {_system()}"),
        "",
        "DEVICES (serial number and firmware by their own word)",
        _RULE,
        *(line for device in facts.devices for line in _device_lines(device)),
        *_found(facts.found),
        "",
        "STEPS",
        _RULE,
        *(line for number, result in enumerate(results, start=1) for line in _result_lines(number, result)),
        "",
        _RULE,
        summary(results),
        *wrap(f"RESULT: {verdict(results, facts.stopped)}", WIDTH),
    ]
    for task in facts.left_undone:
        lines += wrap(f"STILL TO DO: {task}", WIDTH)
    lines += [
        "",
        "Accepted (yes / no): ______    Remarks: ______________________________________",
        "",
        "Technician:  ___________________________   Date: ____________",
        "",
        "Supervisor:  ___________________________   Date: ____________",
    ]
    return "\n".join(lines) + "\n"


def keep(text: str, file: Path) -> None:
    """Write the report and sync it to the disk; where root does it, as the user whose folder it is in.

    Raises ReportError, PlaceError.
    """
    with as_owner_of(file):
        _write(text, file)


def _write(text: str, file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o750)
        write_new(file, text.encode(), 0o640)
    except FileExistsError:
        raise ReportError(f"{file}: is there already; reports are never written over: name another file") from None
    except OSError as fault:
        raise ReportError(f"{file}: the report cannot be kept: {fault.strerror}; print it from the screen") from None


def place_of(config: TableConfig, began: float) -> Path:
    """Return the default file of a report: in a folder beside the record."""
    name = _NAME.sub("-", config.table.name).strip("-") or "table"
    return config.journal.path.parent / FOLDER / f"{name}-{time.strftime('%Y%m%d-%H%M%S', time.localtime(began))}.txt"


def _found(findings: Sequence[str]) -> list[str]:
    """What the run found before its first step."""
    if not findings:
        return []
    return ["", "FOUND AT THE BEGINNING", _RULE, *(line for finding in findings for line in wrap(finding, WIDTH))]


def _pair(name: str, text: str) -> list[str]:
    first, *more = wrap(text, WIDTH - 16) or [""]
    return [f"{name:<15} {first}", *(f"{'':16}{line}" for line in more)]


def _device_lines(device: Device) -> list[str]:
    state = {None: "not asked: nobody was signed in", True: "up", False: "NOT THERE"}[device.up]
    details = [state]
    if device.trust == "pins":
        details += [f"{device.serial} by {device.firmware}"] if device.serial else []
    elif device.up is not None:
        details += [f"serial number {device.serial or 'none named'}", f"firmware {device.firmware or 'none named'}"]
    if device.trust not in (None, "pins"):
        details.append("not authenticated" if device.trust == "none" else f"trust: {device.trust}")
    lines = wrap(f"{device.place}; {', '.join(details)}", WIDTH - 18)
    return [f"{device.name if number == 0 else '':<17} {line}" for number, line in enumerate(lines)]


def _result_lines(number: int, result: Result) -> list[str]:
    took = "" if result.seconds is None else f"{result.seconds:.2f} s"
    tries = "" if result.tries == 1 else f", at the {_ordinal(result.tries)} try"
    at = time.strftime("%H:%M:%S", time.localtime(result.at))
    first, *more = wrap(result.step, 42)
    lines = [f"{number:>3} {at} {result.outcome.value:8} {first:<43} {took:>8}".rstrip()]
    lines += [f"{'':22}{line}" for line in more]
    why = f"{result.why}{tries}".removeprefix(", ")
    return [*lines, *(f"{'':22}{line}" for line in wrap(why, WIDTH - 22))]


def _ordinal(number: int) -> str:
    return {2: "2nd", 3: "3rd"}.get(number, f"{number}th")


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S %Z", time.localtime(seconds))


def _system() -> str:
    try:
        for line in _OS_RELEASE.read_text(encoding="utf-8").splitlines():
            if line.startswith("PRETTY_NAME="):
                return line.partition("=")[2].strip('"')
    except OSError:
        pass
    return "unknown system"

"""All faults that would stop a table's start, reported at once without starting it.

They are faults of the file, of the rulebook and its options, ports, permissions, key files, the journal and its folder,
the page's address. Nothing is changed, and no serial port is opened: opening one can reset the board behind it.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol

from devices.pins.chips import DEVICES as CHIPS
from devices.pins.chips import Ask, ask_kernel
from devices.udev import Plugged
from feltd.books.own import book_sources, structure_sources_of
from feltd.books.shipped import ShippedFilesError
from feltd.installed.upgrade import Upgrade
from feltd.table.check.badges import badge_notes
from feltd.table.check.devices import device_lacks, device_notes, key_lacks, plugged_now, shared_keys, usb_notes
from feltd.table.check.listening import listening_faults
from feltd.table.check.packs import packs_faults, packs_notes
from feltd.table.check.page_socket import open_here_note, page_socket_faults, page_socket_note
from feltd.table.check.pins import pin_notes, pin_problems
from feltd.table.check.ports import May, port_holder, process_words, user_name
from feltd.table.check.record import (
    gathering_note,
    gone_record_notes,
    keypads_said,
    missing_record_faults,
    record_faults,
    record_notes,
    unsealing_note,
)
from feltd.table.check.running_table import at_work, listens, pages_of, upgrade_at
from feltd.table.check.second_factor import second_factor_notes
from feltd.table.check.short_keys import short_keys_faults
from feltd.table.check.webhook import webhook_faults
from feltd.table.config.built import dealer_says_open, lacking
from feltd.table.config.config import (
    ConfigError,
    Play,
    SoundSections,
    read_config,
    read_text,
    sound_sections,
    staff_file_of,
)
from feltd.table.config.key_files import KeyFile, KeyFileError
from feltd.table.config.pins import pin_roles
from feltd.table.keeper.badge_pins import PinsWanted, pins_file_of
from feltd.table.links.usb_watch import watch_of
from feltd.table.packs.pack_file import packs_file_of
from feltd.text.as_owner import as_owner_of
from table_fsm.errors import RulebookError
from table_fsm.events import Event, TableOpen
from table_fsm.felt import Blind
from table_fsm.outputs import Output, Refusal
from toml_text.faults import Places, Problem
from toml_text.lines import KeyPath, locate
from toml_text.syntax import TomlSyntaxError, read_toml
from toml_text.words import did_you_mean

_LEAST_SPACE: Final = 64 * 1024 * 1024  # bytes: about a week of one table's journal
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


class Book(Protocol):
    """The parts of a rulebook that are used: its id, what it rules as, and the roles of devices it needs."""

    @property
    def id(self) -> str: ...
    @property
    def needs(self) -> tuple[str, ...]: ...
    def rules_as(self, digest: str, /) -> bool: ...


class OpenedTable(Protocol):
    """The calls to a table: its answer to `table.open`."""

    def apply(self, event: Event) -> list[Output]: ...


LoadBooks = Callable[[Mapping[str, str], Mapping[str, str]], Mapping[str, Book]]
"""The texts of rulebooks and of blind structures, by file → the books by id."""
MakeTable = Callable[[Mapping[str, Any]], OpenedTable]


@dataclass(frozen=True, slots=True)
class Rules:
    """The functions that load rulebooks and make a table: those of `table_fsm`, or a test's own."""

    load: LoadBooks
    table: MakeTable


def _may(place: Path, mode: int) -> bool:
    """Whether the user as whom this is done may: where root asks, that is the owner of the record's folder."""
    return os.access(place, mode, effective_ids=True)


@dataclass(frozen=True, slots=True)
class Machine:
    """The calls to the machine on which the check runs."""

    may: May = _may
    holder_of: Callable[[Path], str | None] = port_holder
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    plugged: Callable[[], Sequence[Plugged]] = plugged_now
    chips: Path = CHIPS
    """The folder of the GPIO chips' devices."""
    ask_chip: Ask = ask_kernel
    at_work: Callable[[Path], int | None] = at_work
    """The process that runs a table's file already."""
    pages_of: Callable[[Path], Sequence[int]] = pages_of
    """The processes that serve the page of a table's file already."""
    upgrade_at: Callable[[int], Upgrade | None] = upgrade_at
    """What a table's process was told of an upgrade."""


@dataclass(frozen=True, slots=True)
class Findings:
    """`problems` keep the table from starting; `notes` are worth knowing."""

    problems: list[Problem]
    notes: list[str]


def check_file(file: Path, rules: Rules | None = None, machine: Machine | None = None) -> Findings:
    """Check a table's file and this machine; where root does it, as the user in whose folder the record is.

    A section with a fault of its own is not checked against the machine; all others are. Ports and lines that the table
    itself holds, where it runs already, are no problem. Raises ConfigFileError where the file cannot be read at all.
    """
    text = read_text(file)
    problems: list[Problem] = []
    try:
        read_config(text, str(file), file.parent)
    except ConfigError as faults:
        problems = faults.problems
    try:
        document = read_toml(text)
    except TomlSyntaxError:
        return Findings(problems, [])
    sound, machine, rules = sound_sections(document, file.parent), machine or Machine(), rules or own_rules()
    places = Places(str(file), locate(text))
    with nullcontext() if sound.journal is None else as_owner_of(sound.journal.path):
        lacking, notes = _on_this_machine(file, sound, rules, machine)
    problems += [fault if isinstance(fault, Problem) else places.problem(*fault) for fault in lacking]
    ordered = sorted(problems, key=lambda problem: (problem.file != str(file), problem.line or 0))
    return Findings(ordered, notes)


def _on_this_machine(
    file: Path, sound: SoundSections, rules: Rules, machine: Machine
) -> "tuple[list[Fault | Problem], list[str]]":
    """What a start would lack, and the notes."""
    itself = machine.at_work(file)
    if itself is not None:
        machine = _beside(itself, machine)
    lacking = [
        *rule_faults(sound, rules),
        *_devices(sound, machine),
        *_pins(sound, machine, beside=itself is not None),
        *_journal(sound, rules, machine),
        *_page(sound, machine.pages_of(file)),
        *(webhook_faults(sound.page.webhook) if sound.page is not None and sound.page.webhook is not None else ()),
    ]
    return lacking, [*([] if itself is None else _of_itself(itself, machine)), *_notes(sound, machine)]


def _of_itself(itself: int, machine: Machine) -> Iterator[str]:
    yield f"the table runs ({process_words(itself)}): what it holds itself is no problem"
    if (upgrade := machine.upgrade_at(itself)) is not None:
        yield upgrade.said_of("the table")


def _beside(itself: int, machine: Machine) -> Machine:
    """The machine, seen from a table that runs: its own ports are free to it."""

    def holder_of(port: Path) -> str | None:
        holder = machine.holder_of(port)
        return None if holder == process_words(itself) else holder

    return replace(machine, holder_of=holder_of)


def own_rules() -> Rules:
    """The rules of `table_fsm`, loaded when they are first asked for."""
    from table_fsm.library import load_library
    from table_fsm.table import Table

    return Rules(load_library, Table)


Fault = tuple[KeyPath, str]


def rule_faults(sound: SoundSections, rules: Rules) -> Iterator[Fault | Problem]:
    """What the rules say against a table: its rulebook, the devices that this needs, its options.

    A fault of a rulebook itself is a Problem. Nothing of the machine is looked at but the rulebooks' folder.
    """
    play = sound.table
    if play is None:
        return
    try:
        books = rules.load(book_sources(play.rulebooks), structure_sources_of(play.rulebooks))
    except ShippedFilesError as fault:
        yield ("table", "rulebooks"), str(fault)
        return
    except RulebookError as faults:
        yield from (Problem("", None, "", text) for text in faults.problems)
        return
    if play.rulebook not in books:
        known = sorted(books)
        yield (
            ("table", "rulebook"),
            f'no rulebook "{play.rulebook}"{did_you_mean(play.rulebook, known)} (there are: {", ".join(known)})',
        )
        return
    yield from _needed_devices(sound, books[play.rulebook], play)
    yield from _options(play, books, rules.table)


def _needed_devices(sound: SoundSections, book: Book, play: Play) -> Iterator[Fault]:
    """Devices that the book or an option needs and that are missing.

    Faulty ones are reported already.
    """
    there = [device.get("role") for device in sound.all_devices] + pin_roles(sound.all_pins)
    for role in lacking(book.needs, there, play.options.get("built")):
        words = f"{book.id} starts no round without a {role}: no [[device]] has that role, and nothing of [pins]"
        yield ("table", "rulebook"), words
    if play.options.get("actions_keyed") is True and "keys" not in there:
        words = "true, and there are no keys: each betting round would be ruled on; add a device with the role keys"
        yield ("table", "options", "actions_keyed"), words
    if dealer_says_open(play.options) and "keys" not in there:
        words = "false, and there are no keys: nobody could say that a hand lies open; add a device with the role keys"
        yield ("table", "options", "faces"), words


def _options(play: Play, books: Mapping[str, Any], make_table: MakeTable) -> Iterator[Fault]:
    """Faults of each option by itself, so that every refused one is named; then of all together."""
    refused = False
    for name, value in play.options.items():
        reason = _refusal(make_table(books), replace(play.opening(), options={name: value}))
        if reason is not None and name in reason:
            refused = True
            yield ("table", "options", name), reason
    if refused:
        return
    reason = _refusal(make_table(books), play.opening())
    if reason is not None:
        yield ("table",), f"the rulebook refuses to open this table: {reason}"


def _refusal(table: OpenedTable, opening: TableOpen) -> str | None:
    return next((out.value.reason for out in table.apply(opening) if isinstance(out.value, Refusal)), None)


def _devices(sound: SoundSections, machine: Machine) -> Iterator[Fault]:
    for number, device in sound.devices.items():
        yield from ((("device", number, key), text) for key, text in device_lacks(device, machine))
    shared = shared_keys(sound.devices, machine.environment)
    yield from ((("device", number, "key_file"), text) for number, text in shared)


def _pins(sound: SoundSections, machine: Machine, *, beside: bool) -> Iterator[Fault]:
    if sound.pins is not None:
        yield from pin_problems(sound.pins, machine.chips, machine.ask_chip, lgpio_is_ours=beside)


def _journal(sound: SoundSections, rules: Rules, machine: Machine) -> Iterator[Fault]:
    if sound.journal is None:
        return
    journal, place = sound.journal.path, ("journal", "path")
    folder = journal.parent
    if not folder.is_dir():
        yield place, f"the folder {folder} does not exist; make it: mkdir -p {folder}"
    elif journal.is_dir():
        yield place, f"{journal} is a folder; give a file"
    elif not machine.may(folder, os.W_OK | os.X_OK):
        yield place, f"{user_name()} may not write in {folder}, or it is mounted read-only"
    elif journal.exists() and not machine.may(journal, os.R_OK | os.W_OK):
        yield place, f"{user_name()} may not write {journal}"
    elif (free := shutil.disk_usage(folder).free) < _LEAST_SPACE:
        yield place, f"only {free // 2**20} MiB are free in {folder}; play stops when it is full"
    elif not journal.exists() or journal.stat().st_size == 0:  # a start makes it
        yield from ((place, text) for text in missing_record_faults(journal))
    else:
        key = _key_at_hand(sound.journal.sealing_key_file)
        yield from ((place, text) for text in record_faults(journal, lambda: _texts(sound, rules), key))
        yield from ((place, text) for text in short_keys_faults(journal, machine.may))
    key = _key_at_hand(sound.journal.sealing_key_file)
    yield from ((place, text) for text in packs_faults(packs_file_of(journal), key, machine.may))
    yield from (
        (("journal", "sealing_key_file"), text)
        for text in key_lacks(sound.journal.sealing_key_file, machine.environment)
    )


def _key_at_hand(file: KeyFile) -> bytes | None:
    """The key, or None where it cannot be read, which is a fault of its own."""
    try:
        return file.read()
    except KeyFileError:
        return None


def _texts(sound: SoundSections, rules: Rules) -> Iterable[Book] | None:
    """The table's rulebooks; None where these have faults, or their folder is not known."""
    if sound.table is None:
        return None
    try:
        return rules.load(book_sources(sound.table.rulebooks), structure_sources_of(sound.table.rulebooks)).values()
    except (ShippedFilesError, RulebookError):
        return None


def _page(sound: SoundSections, its_own: Sequence[int]) -> Iterator[Fault]:
    if sound.page is None or any(listens(page, sound.page.port) for page in its_own):
        return
    if sound.page.socket is not None:
        yield from page_socket_faults(sound.page)
        return
    yield from listening_faults("page", sound.page.host, sound.page.port)


def _faces_notes(sound: SoundSections) -> Iterator[str]:
    if sound.table is not None and dealer_says_open(sound.table.options):
        yield f"[table.options] faces = false: {Blind.FACES.words} (docs/build.md); keys send hand_shown with the seat"


def _notes(sound: SoundSections, machine: Machine) -> Iterator[str]:
    yield from _faces_notes(sound)
    if sound.pins is not None:
        yield from pin_notes(sound.pins)
    for device in sound.devices.values():
        yield from device_notes(device)
    if sound.journal is not None and machine.may(sound.journal.path.parent, os.R_OK | os.X_OK):
        yield from gone_record_notes(sound.journal.path)
    if sound.journal is not None and machine.may(sound.journal.path, os.R_OK):
        yield from record_notes(sound.journal.path)
    if sound.journal is not None:
        if sound.journal.gather_seconds:
            yield gathering_note(sound.journal.gather_seconds)
        yield from badge_notes(
            list(sound.devices.values()),
            staff_file_of(sound.journal.path),
            pins_file_of(sound.journal.path),
            machine.may,
            wanted=PinsWanted(None if sound.table is None else sound.table.badge_pins),
            said=keypads_said(sound.journal.path) if machine.may(sound.journal.path, os.R_OK) else {},
        )
        key, packs = _key_at_hand(sound.journal.sealing_key_file), packs_file_of(sound.journal.path)
        yield from packs_notes(list(sound.devices.values()), packs, key, machine.may)
    if sound.record is not None:
        yield unsealing_note(sound.record.sealed_to)
    if sound.usb is not None:
        yield from usb_notes(watch_of(list(sound.devices.values()), sound.usb), machine.plugged())
    if sound.page is not None and sound.page.socket is not None:
        yield page_socket_note(sound.page)
    elif sound.page is not None and sound.page.host not in _LOOPBACK:
        yield f"[page]: reachable from other machines at {sound.page.host}:{sound.page.port}"
    if sound.page is not None:
        yield from open_here_note("page", sound.page)
        yield from second_factor_notes("page", sound.page)
    keys = [device.key_file for device in sound.devices.values() if device.key_file is not None]
    keys += [sound.journal.sealing_key_file] if sound.journal else []
    handed = [str(key) for key in keys if key.credential is not None]
    if handed and "CREDENTIALS_DIRECTORY" not in machine.environment:
        yield f"handed over only at the start, so not looked at: {', '.join(handed)}"
    if os.geteuid() == 0:
        yield "checked as root, who may do everything: check as the user who runs feltd (sudo -u feltd feltd check …)"

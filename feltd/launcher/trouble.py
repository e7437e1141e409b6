"""Why a table cannot start, in words, and what of its file is usable all the same."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from feltd.door import Away
from feltd.door.serving.listener import DoorError
from feltd.table.config.config import (
    ConfigError,
    ConfigFileError,
    Door,
    Page,
    SoundSections,
    page_folder_of,
    sound_sections,
)
from feltd.table.config.key_files import KeyFileError
from feltd.table.keeper.edition import RecoveryError
from feltd.text.errors import FeltdError, JournalError

_UNNAMED: Final = "This table"


@dataclass(frozen=True, slots=True)
class Known:
    """The usable part of a table's file.

    `name`: the table's. `folder`: of the page's own files, None if it is not known; `socket`: of the door, likewise.
    `devices`: the whole configuration, if nothing about the devices is at fault.
    """

    name: str
    page: Page
    folder: Path | None
    door: Door
    socket: Path | None
    devices: SoundSections | None


def trouble_of(fault: FeltdError, file: Path) -> Away:
    """Describe a start that failed, for everybody and for the person at the board."""
    details = tuple(str(fault).splitlines())
    if isinstance(fault, ConfigError):
        lines = sorted({problem.line for problem in fault.problems if problem.line is not None})
        where = f" ({'line' if len(lines) == 1 else 'lines'} {', '.join(map(str, lines))})" if lines else ""
        count = "a fault" if len(details) == 1 else f"{len(details)} faults"
        return _stopped(f"the table's file {file} has {count}{where}", details, may_pass=False)
    if isinstance(fault, ConfigFileError):
        return _stopped("the table's file cannot be read", details)
    if isinstance(fault, RecoveryError):
        return _stopped(f"the round in progress cannot go on: {fault.what}", details)
    if isinstance(fault, JournalError):
        return _stopped(f"the record of the table cannot be opened: {' '.join(fault.what.split())}", details)
    if isinstance(fault, KeyFileError):
        return _stopped("a key cannot be read", details)
    if isinstance(fault, DoorError):
        return _stopped("the table's door to its page cannot be opened", details)
    return _stopped("something that the table needs cannot be used", details)


def _stopped(words: str, details: tuple[str, ...], *, may_pass: bool = True) -> Away:
    return Away(words, out_of_order=True, details=details, may_pass=may_pass)


def known_of(file: Path, fault: FeltdError) -> Known:
    """Return the part of the table's file that is usable in spite of the fault."""
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return Known(_UNNAMED, Page(), None, Door(), None, None)
    sound = sound_sections(document, file.parent)
    page, door = sound.page or Page(), sound.door or Door()
    journal = sound.journal.path if sound.journal else None
    folder = page.accounts.parent if page.accounts else page.folder
    faulty = {problem.key.partition(".")[0] for problem in fault.problems} if isinstance(fault, ConfigError) else set()
    return Known(
        name=sound.table.name if sound.table else _UNNAMED,
        page=page,
        folder=folder or (page_folder_of(page, journal) if journal else None),
        door=door,
        socket=door.socket or (journal.with_name(f"{journal.name}.door") if journal else None),
        devices=None if faulty & {"", "device", "pins"} else sound,
    )

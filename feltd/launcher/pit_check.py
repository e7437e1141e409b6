"""All faults that would stop the pit page's start, and which second factors work at it: `feltd check pit.toml`."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from feltd.custody.settings import PitSettings, SettingsError, pit_settings
from feltd.launcher.page_check import certificate_faults, own_note
from feltd.page.access.accounts import AccountBook, AccountError
from feltd.page.addresses import is_loopback
from feltd.table.check.check import Fault, Findings
from feltd.table.check.listening import listening_faults
from feltd.table.check.page_socket import open_here_note
from feltd.table.check.ports import user_name
from feltd.table.check.running_table import listens, pages_of
from feltd.table.check.second_factor import second_factor_notes
from feltd.table.config.config import read_text
from feltd.text.as_owner import as_owner_of
from toml_text.faults import Places
from toml_text.lines import locate


def check_pit(file: Path) -> Findings:
    """Check a pit page's file and this machine; where root does it, as the user whose folder the page has.

    A file with a fault of its own is not held against the machine. Nothing is changed, no certificate made, and floord
    not called. A port that this pit page itself holds is no problem. Raises ConfigFileError where the file cannot
    be read at all.
    """
    text = read_text(file)
    try:
        settings = pit_settings(file)
    except SettingsError as faults:
        return Findings(list(faults.problems), [])
    notes: list[str] = []
    places = Places(str(file), locate(text))
    with as_owner_of(settings.folder):
        lacking = [
            *_listening(file, settings),
            *certificate_faults("pit", settings.certificate, settings.certificate_key, notes),
            *_folder(settings.folder),
            *_floor(settings.floor, notes),
            *_accounts(settings, notes),
        ]
    if not is_loopback(settings.host):
        if settings.certificate is None:
            with as_owner_of(settings.folder):
                notes.append(own_note("pit", settings.folder))
        notes.append(f"[pit]: reachable from other machines at {settings.host}:{settings.port}")
    notes += open_here_note("pit", settings)
    problems = [places.problem(*fault) for fault in lacking]
    return Findings(problems, [*notes, *second_factor_notes("pit", settings)])


def _listening(file: Path, settings: PitSettings) -> Iterator[Fault]:
    if not any(listens(page, settings.port) for page in pages_of(file)):
        yield from listening_faults("pit", settings.host, settings.port)


def _folder(folder: Path) -> Iterator[Fault]:
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not there.is_dir():
        yield ("pit", "folder"), f"{there} is no folder: give another one"
    elif not os.access(there, os.W_OK | os.X_OK, effective_ids=True):
        words = f"{user_name()} may not write in {there}: run this as the page's user, or give it the folder"
        yield ("pit", "folder"), words


def _floor(socket: Path, notes: list[str]) -> Iterator[Fault]:
    try:
        kind = socket.stat().st_mode
    except PermissionError:
        notes.append(f"[pit] floor: {user_name()} may not look at {socket}; the unit reaches it by its group")
        return
    except OSError:
        notes.append(f"[pit] floor: nothing is at {socket} yet; the page waits for floord ([floor] socket, floor.toml)")
        return
    if not stat.S_ISSOCK(kind):
        yield ("pit", "floor"), f"{socket} is no socket: give the one that [floor] socket in floor.toml names"


def _accounts(settings: PitSettings, notes: list[str]) -> Iterator[Fault]:
    try:
        accounts = list(AccountBook(settings.accounts_file))
    except AccountError as fault:
        yield ("pit", "folder"), str(fault)
        return
    if not accounts:
        notes.append("[pit]: nobody can sign in yet: feltd user add NAME --role supervisor --config pit.toml")
    without = [one.name for one in accounts if one.role in settings.second_factor and not one.factors]
    if without:
        notes.append(f"[pit] second_factor: {', '.join(sorted(without))} only look now: they have none that counts")

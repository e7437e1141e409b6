"""A backup of the floor's database, its return into an empty one, and the proof that what came back is whole.

PostgreSQL's own programs do the work (`pg_dump`, `pg_restore`), as the database's owner. A backup is one moment of the
database: tables bring what came later by themselves. It is a folder with the dump and a page of what must be in it.
"""

import hashlib
import json
import os
import shutil
import subprocess
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from feltd.custody.errors import CustodyError, FloorAwayError
from feltd.floor.numbering import begin_epoch
from feltd.floor.postgres import EDITION, PostgresEngine, place_of, prepare
from feltd.floor.proving import prove_all
from feltd.floor.servers import FAULTS, history_of
from feltd.text.atomic_file import write_new

DEBIANS: Final = Path("/usr/lib/postgresql")
"""Where Debian has the programs of each version: VERSION/bin."""
DUMP: Final = "floor.dump"
PAGE: Final = "backup.json"
ROLES: Final = ("floor_custody", "floor_reader", "floor_exports")
"""They belong to the server and are in no dump of a database."""
NIGHT: Final = "floor-%Y-%m-%dT%H%M%SZ"
_PIECE: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Came:
    """What came back. `faults`: of the proof, in words; `short`: journals that end before the backup's page says.

    `older`: the schema's edition that the backup has, where this program has brought it to its own; else None.
    """

    journals: int
    entries: int
    faults: tuple[str, ...]
    short: tuple[str, ...]
    older: int | None = None

    @property
    def whole(self) -> bool:
        """Whether all of the backup came back."""
        return not self.faults and not self.short


async def back_up(address: str, into: Path, keep: int | None = None) -> int:
    """Write a backup of a database into a folder that is not there yet; return how many journals it has.

    `keep`: of how many nights backups are kept there, which its page tells; None: until somebody removes it. Raises
    CustodyError, FloorAwayError.
    """
    heads = await _heads(address)  # first: what comes while it is dumped may be in it or not
    _make_folder(into)
    dump = into / DUMP
    _run("pg_dump", address, "--format=custom", f"--file={dump}")
    page = {"format": 1, "at": int(time.time()), "edition": EDITION, "sha256": _digest(dump), "heads": heads}
    page |= {} if keep is None else {"keep": keep}
    write_new(into / PAGE, json.dumps(page, indent=1).encode())
    return len(heads)


async def put_back(folder: Path, address: str) -> Came:
    """Put a backup into an empty database, and prove all that came back.

    One of an older edition is brought to this program's (`prepare`). What is numbered from now on has other numbers
    than what was told outside since the backup.

    Raises CustodyError where the backup is not as it was written or the database has a floor already, FloorAwayError.
    """
    page = _page(folder)
    if _digest(folder / DUMP) != page["sha256"]:
        raise CustodyError("is not as it was written", str(folder / DUMP), "Take another backup: this one is damaged")
    await _make_ready(address)
    _run("pg_restore", address, "--exit-on-error", "--no-owner", "--single-transaction", str(folder / DUMP))
    older = page["edition"] if page["edition"] < EDITION else None
    if older is not None:
        await prepare(address)
    await _begin_epoch(address)
    return replace(await _proved(address, page["heads"]), older=older)


async def back_up_tonight(address: str, folder: Path, keep: int, now: float) -> tuple[Path, int, int]:
    """Write a backup into a folder of its own in `folder`, and remove the oldest there beyond `keep`.

    `now`: seconds since 1970; the new folder is named by it. Returns the new folder, how many journals it has, and how
    many older backups were removed: only once the new one is whole. Raises CustodyError, FloorAwayError.
    """
    into = folder / time.strftime(NIGHT, time.gmtime(now))
    journals = await back_up(address, into, keep)
    return into, journals, _remove_older(folder, into, keep)


async def is_standby(address: str) -> bool:
    """Whether the server follows another one. Raises FloorAwayError."""
    try:
        connection = await asyncpg.connect(address, timeout=10)
        try:
            return (await history_of(connection))[1]
        finally:
            await connection.close()
    except (*FAULTS, ValueError) as fault:
        raise FloorAwayError(
            f"the database does not do what it is asked: {fault}",
            place_of(address),
            "Give its owner's address; see that it runs",
        ) from None


def _remove_older(folder: Path, newest: Path, keep: int) -> int:
    """Remove backups beyond `keep`, and what is left of those that were broken off; how many were whole."""
    nights = sorted(one for one in folder.iterdir() if _is_night(one))
    whole = [one for one in nights if (one / PAGE).is_file()]
    for old in (*whole[:-keep], *(one for one in nights if one not in whole)):
        try:
            shutil.rmtree(old)
        except OSError as fault:
            raise CustodyError(
                f"cannot be removed: {fault.strerror}", str(old), f"Remove it; {newest} is whole"
            ) from None
    return len(whole[:-keep])


def _is_night(folder: Path) -> bool:
    """Whether a folder is one that `back_up_tonight` makes."""
    try:
        time.strptime(folder.name, NIGHT)
    except ValueError:
        return False
    return folder.is_dir() and not folder.is_symlink()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700)
    except OSError as fault:
        raise CustodyError(
            f"cannot be made: {fault.strerror}", str(folder), "Name a folder that is not there yet, with room beside it"
        ) from None


async def _proved(address: str, heads: dict[str, int]) -> Came:
    engine = await PostgresEngine.open(address)
    try:
        proof, found = await prove_all(engine)
        there = {status.journal.hex(): status.stand.seq for status in await engine.status()}
    finally:
        await engine.close()
    faults = tuple(f"table {alarm.table}, journal {alarm.journal.hex()}: {alarm.text}" for alarm in found)
    short = tuple(
        f"journal {journal}: ends at entry {there.get(journal, 0)}, the backup had it up to entry {seq}"
        for journal, seq in heads.items()
        if there.get(journal, 0) < seq
    )
    return Came(proof.journals, proof.entries, faults, short)


async def _begin_epoch(address: str) -> None:
    try:
        connection = await asyncpg.connect(address, timeout=10)
        try:
            await begin_epoch(connection)
        finally:
            await connection.close()
    except FAULTS as fault:
        raise FloorAwayError(
            f"the database does not do what it is asked: {fault}",
            place_of(address),
            "Drop it (dropdb), make a new one, and put the backup into that",
        ) from None


async def _heads(address: str) -> dict[str, int]:
    engine = await PostgresEngine.open(address)
    try:
        return {status.journal.hex(): status.stand.seq for status in await engine.status()}
    finally:
        await engine.close()


async def _make_ready(address: str) -> None:
    """Raises CustodyError where the database has a floor already, FloorAwayError where it cannot be asked."""
    place = place_of(address)
    try:
        connection = await asyncpg.connect(address, timeout=10)
        try:
            if await connection.fetchval("SELECT count(*) FROM pg_namespace WHERE nspname IN ('floor', 'exports')"):
                raise CustodyError(
                    "there is a floor in this database", place, "Nothing is written over: make a new one (createdb)"
                )
            for role in ROLES:
                known = await connection.fetchval("SELECT count(*) FROM pg_roles WHERE rolname = $1", role)
                if not known:
                    await connection.execute(f"CREATE ROLE {role} NOLOGIN")
        finally:
            await connection.close()
    except (OSError, TimeoutError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as fault:
        raise FloorAwayError(
            f"the database does not do what it is asked: {fault}", place, "Give its owner's address; see that it runs"
        ) from None


def _page(folder: Path) -> dict[str, Any]:
    try:
        page = json.loads((folder / PAGE).read_text(encoding="utf-8"))
        if page["format"] != 1 or not isinstance(page["sha256"], str):
            raise ValueError
        page["edition"] = int(page["edition"])
        page["heads"] = {str(journal): int(seq) for journal, seq in page["heads"].items()}
    except OSError as fault:
        raise CustodyError(
            f"cannot be read: {fault.strerror}", str(folder / PAGE), "Name the folder that `feltd floor backup` made"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise CustodyError("no page of a backup", str(folder / PAGE), "Take another backup") from None
    return dict(page)


def _digest(file: Path) -> str:
    digest = hashlib.sha256()
    try:
        with file.open("rb") as reader:
            while piece := reader.read(_PIECE):
                digest.update(piece)
    except OSError as fault:
        raise CustodyError(f"cannot be read: {fault.strerror}", str(file), "Take another backup") from None
    return digest.hexdigest()


def _run(name: str, address: str, *words: str) -> None:
    """Run one of PostgreSQL's programs on a database. A password stands in its environment: others see arguments."""
    bare, secret = without_password(address)
    environment = {**os.environ, **({} if secret is None else {"PGPASSWORD": secret})}
    command = [str(program(name)), f"--dbname={bare}", "--no-password", *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)  # noqa: S603 - no shell, and nobody else's words
    if done.returncode != 0:
        said = " ".join(done.stderr.split())[-500:]
        raise CustodyError(f"{name} did not do it: {said}", place_of(address), "See that there is room, and who may it")


def program(name: str) -> Path:
    """PostgreSQL's program of this name, the newest one here. Raises CustodyError."""
    newest = sorted(DEBIANS.glob(f"*/bin/{name}"), key=lambda file: int(file.parts[-3]))
    if newest:
        return newest[-1]
    found = shutil.which(name)
    if found is None:
        raise CustodyError("is not on this machine", name, "apt install postgresql-client")
    return Path(found)


def without_password(address: str) -> tuple[str, str | None]:
    """An address without its password, and the password."""
    parts = urlsplit(address)
    if parts.password is None:
        return address, None
    user, _, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}@{host}")), parts.password

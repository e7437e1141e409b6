"""A standby made from the primary by PostgreSQL's own program, in an empty folder: it follows from then on."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import asyncpg

from feltd.custody.errors import CustodyError, FloorAwayError
from feltd.floor.backup import program, without_password
from feltd.floor.postgres import place_of
from feltd.floor.servers import FAULTS

_NAME: Final = re.compile(r"[a-z0-9_]{1,40}")
_WITHIN: Final = 10.0


async def make_standby(primary: str, name: str, folder: Path) -> None:
    """Copy the primary into `folder`, an empty one, so that a server started there follows it under `name`.

    `primary`: an address of a role that may replicate. The slot of that name on the primary keeps what the standby has
    not yet. Raises CustodyError, FloorAwayError.
    """
    if not _NAME.fullmatch(name):
        raise CustodyError(f'"{name}" is no name of a standby', "--name", "Write a to z, 0 to 9 and _, at most 40")
    owner = _owner_of_empty(folder)
    _copy(primary, name, folder, owner, slot=await _has_slot(primary, name))


def _copy(primary: str, name: str, folder: Path, owner: dict[str, Any], *, slot: bool) -> None:
    with_slot = [] if slot else ["--create-slot"]
    bare, secret = without_password(_named(primary, name))
    environment = {**os.environ, **({} if secret is None else {"PGPASSWORD": secret})}
    if owner:
        environment["HOME"] = "/"  # PostgreSQL's programs would look for certificates in root's
    words = ["--wal-method=stream", "--checkpoint=fast", "--write-recovery-conf", f"--slot={name}", "--no-password"]
    command = [str(program("pg_basebackup")), f"--dbname={bare}", f"--pgdata={folder}", *words, *with_slot]
    done = subprocess.run(  # noqa: S603 - no shell; where root runs it, as the folder's owner
        command, env=environment, capture_output=True, text=True, errors="replace", check=False, cwd="/", **owner
    )
    if done.returncode != 0:
        said = " ".join(done.stderr.split())[-500:]
        raise CustodyError(
            f"pg_basebackup did not do it: {said}",
            place_of(primary),
            "See that the role may replicate (pg_hba.conf) and that there is room",
        )


def _owner_of_empty(folder: Path) -> dict[str, Any]:
    """How a program becomes the folder's owner. Raises CustodyError where the folder is not there, or not empty."""
    try:
        found = next(folder.iterdir(), None)
        of = folder.stat()
    except OSError as fault:
        raise CustodyError(
            f"cannot be looked into: {fault.strerror}", str(folder), "Make it, empty, as the database's user"
        ) from None
    if found is not None:
        raise CustodyError(
            f"is not empty ({found.name})",
            str(folder),
            "Stop its server and put what is there aside: of an old primary it is evidence",
        )
    return {} if os.geteuid() else {"user": of.st_uid, "group": of.st_gid, "extra_groups": []}


async def _has_slot(primary: str, name: str) -> bool:
    """Whether the primary has the slot since an earlier standby of this name."""
    try:
        connection = await asyncpg.connect(primary, timeout=_WITHIN)
        try:
            ask = "SELECT count(*) FROM pg_replication_slots WHERE slot_name = $1"
            return bool(await connection.fetchval(ask, name))
        finally:
            await connection.close(timeout=_WITHIN)
    except (*FAULTS, ValueError) as fault:
        raise FloorAwayError(
            f"the primary does not do what it is asked: {fault}",
            place_of(primary),
            "Give a role that may sign in and replicate; see that the server runs",
        ) from None


def _named(address: str, name: str) -> str:
    """With the name under which the standby shows itself, which commits can wait for."""
    parts = urlsplit(address)
    query = [pair for pair in parse_qsl(parts.query) if pair[0] != "application_name"]
    return urlunsplit(parts._replace(query=urlencode([*query, ("application_name", name)], safe="/")))

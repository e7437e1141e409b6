"""The table's socket: who may come in, and whom they are passed on to."""

import asyncio
import contextlib
import errno
import logging
import os
import socket
import stat
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from feltd.door.answers import NewAnswers
from feltd.door.obeying import ObeyingTable
from feltd.door.place import address_of
from feltd.door.serving.allowance import Allowance
from feltd.door.serving.budget import CommandBudget
from feltd.door.serving.guest import guest_of, uid_of, user_name
from feltd.door.serving.records import RecordReaders
from feltd.door.serving.refused import DoorRefusals
from feltd.door.serving.requests import OBEYING
from feltd.door.serving.visit import Reception, Served, Visit
from feltd.door.table_door import TableDoor
from feltd.door.wire.messages import VERSION, Hello, Purpose, Refused, Welcome, line_of
from feltd.text.errors import FeltdError

ACCEPT_EVERY: Final = 0.01
"""Seconds between two connections: who knocks without end costs the table next to nothing."""
VISITS_MOST: Final = 4
"""Connections of pages at once: one, and those that a restart has left behind."""
FLOOR_COMMANDS_A_SECOND: Final = 2.0
FLOOR_COMMANDS_AT_ONCE: Final = 8
"""Of the floor: its people's hands, and no part of what the page's have."""
BACKLOG: Final = 16
MODE: Final = 0o660

_log = logging.getLogger("feltd.door")


class DoorError(FeltdError):
    """The socket cannot be served where the configuration wants it."""


class Receiving(Reception, Protocol):
    """Receives who comes in at a socket."""

    of_table: bool
    """It is a table's door, where each user has places of their own (`places`)."""

    @property
    def served(self) -> Served | None:
        """What a page may ask here; None where no page is served."""

    def close(self) -> None:
        """Let everybody go."""


class OpenDoor:
    """Receives pages, and passes on to them what happens at the table."""

    of_table = True

    def __init__(
        self,
        door: TableDoor,
        name: str,
        journal: bytes,
        readers: RecordReaders,
        obeying: ObeyingTable | None = None,
        refused: DoorRefusals | None = None,
    ) -> None:
        """`name`: the table's; `journal`: the identity of its record; `obeying`: None where no floor may come.

        `refused`: counts what nobody looks at.
        """
        refused = refused or DoorRefusals()
        self._name = name
        self._journal = journal.hex()
        self._readers = readers
        self._visits: set[Visit] = set()
        self._latest = 0
        self.served = Served(door, Allowance(), refused=refused, budget=CommandBudget(time.monotonic))
        self.obeying: Served | None = None
        if obeying is not None:
            allowance = Allowance(a_second=FLOOR_COMMANDS_A_SECOND, at_once=FLOOR_COMMANDS_AT_ONCE)
            self.obeying = Served(obeying, allowance, {}, OBEYING, refused=refused)
        self._obeys = 0
        door.on_changed(self._changed)
        door.on_answers(self._answered)

    def receive(self, hello: Hello) -> Welcome | Refused:
        """Welcome a page or an uplink of this version, or say that all places are taken."""
        if hello.purpose is Purpose.TABLE and len(self._visits) >= VISITS_MOST:
            return Refused("other pages are connected already: end them")
        if hello.purpose is Purpose.COMMANDS and self._obeys >= VISITS_MOST:
            return Refused("other uplinks are connected already: end them")
        return Welcome(VERSION, self._name, self._journal)

    def hand_over(self, connection: socket.socket, *, stored: bool) -> bool:
        """Give a connection to the record's reader."""
        return self._readers.hand_over(connection, stored=stored)

    def joined(self, visit: Visit) -> None:
        """A page follows the table from now on, or an uplink brings commands."""
        if visit.purpose is Purpose.COMMANDS:
            self._obeys += 1
            return
        self._visits.add(visit)
        if visit.outbox is not None:
            visit.outbox.answered(NewAnswers((), missed_until=self._latest))

    def left(self, visit: Visit) -> None:
        """A page has gone, or an uplink."""
        if visit.purpose is Purpose.COMMANDS:
            self._obeys -= 1
        self._visits.discard(visit)

    def close(self) -> None:
        """Let every page go."""
        for visit in tuple(self._visits):
            visit.close()

    def _changed(self) -> None:
        for visit in tuple(self._visits):
            if visit.outbox is None or visit.outbox.out_of_patience:
                visit.drop("it reads nothing any more")
            else:
                visit.outbox.changed()

    def _answered(self, new: NewAnswers) -> None:
        self._latest = new.answers[-1].seq if new.answers else new.missed_until or self._latest
        for visit in self._visits:
            if visit.outbox is not None:
                visit.outbox.answered(new)


class ShutDoor:
    """Tells everybody who comes why there is no table."""

    of_table = True
    served: Served | None = None
    obeying: Served | None = None

    def __init__(self, why: Refused) -> None:
        self._why = why

    def receive(self, hello: Hello) -> Welcome | Refused:
        """Refuse, and say why there is no table."""
        return self._why

    def hand_over(self, connection: socket.socket, *, stored: bool) -> bool:
        """Give nothing: no process reads the record."""
        return False

    def joined(self, visit: Visit) -> None:
        """Do nothing: nobody is let in."""

    def left(self, visit: Visit) -> None:
        """Do nothing: nobody is let in."""

    def close(self) -> None:
        """Do nothing: nobody is let in."""


class PlacesOf:
    """Lets one user come for a closed list of purposes, and for nothing else."""

    of_table = True

    def __init__(self, door: Receiving, purposes: frozenset[Purpose], user: str) -> None:
        """`user`: for the log."""
        self._door = door
        self._purposes = purposes
        self._user = user
        self._said: set[Purpose] = set()
        self.served = door.served if Purpose.TABLE in purposes else None
        self.obeying = door.obeying if Purpose.COMMANDS in purposes else None

    def receive(self, hello: Hello) -> Welcome | Refused:
        """Ask the door for a purpose that this user may have, and refuse any other."""
        if hello.purpose in self._purposes:
            return self._door.receive(hello)
        if hello.purpose not in self._said:
            self._said.add(hello.purpose)
            _log.warning("user %s is not let in for %s", self._user, hello.purpose.value)
        return Refused(_NO_PLACE[hello.purpose])

    def hand_over(self, connection: socket.socket, *, stored: bool) -> bool:
        """Give a connection to the record's reader."""
        return self._door.hand_over(connection, stored=stored)

    def joined(self, visit: Visit) -> None:
        """Tell the door."""
        self._door.joined(visit)

    def left(self, visit: Visit) -> None:
        """Tell the door."""
        self._door.left(visit)

    def close(self) -> None:
        """Do nothing: the door, which several share, is closed by its owner."""


_NO_PLACE: Final[Mapping[Purpose, str]] = {
    Purpose.TABLE: "this user may read the record and nothing else: run the page as the page's user",
    Purpose.RECORD: "this user may not read the record",
    Purpose.COMMANDS: "this user does not speak for the floor: name the uplink's user in [door] uplink and run the "
    "uplink as that user; where page and uplink are one user, name the floor's key too ([floor] keys)",
    Purpose.PIT: "this is a table's socket, no floor's: run `feltd page` here",
}


def places(uid: int, own: int, reader: int | None, *, signed: bool) -> dict[int, frozenset[Purpose]]:
    """For what each user may come: a closed list. Nobody says of themselves that they are the floor.

    `uid`: the page's; `own`: the table's, who has the record and every key beside it; `reader`: the uplink's, None
    where the file names none; `signed`: the table obeys nothing that the floor's key has not signed.
    """
    uplink = own if reader is None else reader
    may = {uid: frozenset({Purpose.TABLE, Purpose.RECORD})}
    if reader is not None or uplink == uid:
        may[uplink] = may.get(uplink, frozenset()) | {Purpose.RECORD, Purpose.COMMANDS}
    if uid != own and not signed:
        may[uid] -= {Purpose.COMMANDS}
    return may


@asynccontextmanager
async def listening(
    place: Path,
    uid: int,
    reception: Receiving,
    reader: int | None = None,
    *,
    signed: bool = False,
) -> AsyncIterator[None]:
    """Serve the socket at `place` to processes of the user `uid`, as long as the block lasts. Raises DoorError.

    `reader`: the uplink's user, who may read the record and bring what the floor wants. That user, and this process's
    own, who can read the file, may have entries as they are stored. `signed`: as of `places`.
    """
    listener = _bound(place)
    users: dict[int, Receiving] = {uid: reception}
    if reception.of_table:
        may = places(uid, uid_of(None), reader, signed=signed)
        users = {user: PlacesOf(reception, purposes, user_name(user)) for user, purposes in may.items()}
    stored = frozenset({uid_of(None), reader})
    task = asyncio.get_running_loop().create_task(_accept(listener, uid, users, stored), name="door")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        reception.close()
        listener.close()
        _unlink(place)


async def _accept(
    listener: socket.socket, uid: int, users: Mapping[int, Receiving], stored: frozenset[int | None]
) -> None:
    loop = asyncio.get_running_loop()
    strangers: set[int] = set()
    while True:
        try:
            connection, _ = await loop.sock_accept(listener)
            guest = guest_of(connection)
        except OSError as fault:  # out of descriptors: those who knock wait
            _log.error("nobody can come in at the door: %s", fault.strerror)
            await asyncio.sleep(1)
            continue
        reception = users.get(guest.uid)
        if reception is not None:
            visit = partial(Visit, reception, reception.served, stored=guest.uid in stored)
            await loop.connect_accepted_socket(visit, connection)
        else:
            if guest.uid not in strangers:
                strangers.add(guest.uid)
                _log.warning("%s is not let in: the page is to run as %s", guest, user_name(uid))
            with contextlib.suppress(OSError), connection:
                why = f"user {user_name(guest.uid)} is not let in: run the page as {user_name(uid)}"
                connection.send(line_of(Refused(f"{why}, or name the other user in [door]")))
        await asyncio.sleep(ACCEPT_EVERY)


def _bound(place: Path) -> socket.socket:
    """A listening socket in place of what an earlier process has left. Raises DoorError."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.setblocking(False)
    try:
        with address_of(place) as address:
            _clear(place, address)
            listener.bind(address)
        os.chmod(place, MODE)
        listener.listen(BACKLOG)
    except OSError as fault:
        listener.close()
        raise DoorError(f"[door] socket: {place} cannot be listened at: {fault.strerror or fault}") from None
    except DoorError:
        listener.close()
        raise
    return listener


def _unlink(place: Path) -> None:
    with contextlib.suppress(OSError):
        place.unlink()


def _clear(place: Path, address: str) -> None:
    try:
        if not stat.S_ISSOCK(place.lstat().st_mode):
            raise DoorError(f"[door] socket: {place} is there already and no socket: choose another place")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knock:
        if knock.connect_ex(address) != errno.ECONNREFUSED:
            raise DoorError(f"[door] socket: another table listens at {place}: end it, or choose another place")
    place.unlink()

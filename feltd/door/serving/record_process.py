"""The process that reads the record for the page (`python -m feltd.door.serving.record_process JOURNAL DESCRIPTOR`).

The table sends it connections over the socket DESCRIPTOR, and ends it by closing that. Each connection is served by a
thread, one question after the other, so a page that does not read holds up nobody but itself.

Entries as they are stored have the sealed bodies of the open round. They go to the uplink's user alone, and the wrapped
keys of rounds too: the page needs neither.
"""

import contextlib
import os
import socket
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from feltd.door.wire import calls
from feltd.door.wire.calls import OF_RECORD, ExportLines, values_of
from feltd.door.wire.codec import to_json
from feltd.door.wire.errors import WireError
from feltd.door.wire.lines import Lines
from feltd.door.wire.messages import (
    FROM_PAGE,
    MOST_TO_TABLE,
    VERSION,
    Ask,
    Message,
    Refused,
    Reply,
    Welcome,
    line_of,
    message_of,
)
from feltd.door.wire.refusals import fault_of
from feltd.record import Entry, HostEntry
from feltd.record.rows import JournalRows
from feltd.text.errors import FeltdError
from feltd.text.processor import NICEST, comes_last

STORED_TOO: Final = b"stored"
"""Comes with a connection that may have entries as they are stored."""
READERS_MOST: Final = 16
"""Connections at once."""
PAGES_MOST: Final = 12
"""Of these for who has no entries as they are stored: a page that holds all of its places leaves the uplink its own."""
IDLE_MOST: Final = 600.0
"""Seconds in which a reader must ask again, or take what it has asked for."""
ENTRIES_MOST: Final = 500
HEADS_MOST: Final = 500
CHUNK_BYTES: Final = 512 * 1024
"""A reply has no more than this and one entry, or one line of an export."""
_READ: Final = 64 * 1024
_FOR_THE_UPLINK: Final = (
    "entries as they are stored are for the uplink's user alone: "
    "name that user in [door] uplink, and run the uplink as that user"
)


class Reading:
    """The questions of one connection."""

    def __init__(self, connection: socket.socket, record: JournalRows, *, stored: bool) -> None:
        self._connection = connection
        self._record = record
        self._stored = stored
        self._export: Iterator[str] = iter(())

    def serve(self) -> None:
        """Answer until the other end goes. Raises OSError, WireError for a line that is no question."""
        lines = Lines(MOST_TO_TABLE)
        while data := self._connection.recv(_READ):
            for line in lines.feed(data):
                self._connection.sendall(self._answered(message_of(line, FROM_PAGE, strict=True)))

    def _answered(self, ask: Ask) -> bytes:
        try:
            call = OF_RECORD.get(ask.call)
            if call is None:
                raise FeltdError(f'the record\'s reader knows no "{ask.call}": the page is newer, restart the table')
            asked = values_of(ask.what, call)
            if call is calls.ENTRIES:
                return self._entries(ask.id, asked)
            return line_of(Reply(ask.id, self._value(call, asked)))
        except FeltdError as refusal:
            return line_of(fault_of(ask.id, refusal))

    def _value(self, call: calls.Call[Any, Any], asked: Any) -> Any:
        if call is calls.LAST_ENTRY:
            return self._record.last_entry()
        if call is calls.SPAN_BETWEEN:
            return self._record.span_between(asked.since, asked.until)
        if call is calls.STORED:
            if not self._stored:
                raise FeltdError(_FOR_THE_UPLINK)
            return self._record.stored(max(0, asked.after), max(0, min(asked.most, ENTRIES_MOST)), CHUNK_BYTES)
        if call is calls.HEADS:
            return self._record.heads(max(0, asked.at), max(0, min(asked.most, HEADS_MOST)))
        if call is calls.EXPORT:
            self._export = self._record.export(asked.first, asked.last)
        elif call is calls.EXPORT_ROUND:
            self._export = self._record.export_round(asked.number)
        return self._more_lines()

    def _entries(self, number: int, asked: calls.SomeEntries) -> bytes:
        """The reply, each entry written once: there are many of them."""
        found: Iterator[Entry] = self._record.entries(asked.span, reveal=asked.reveal, newest_first=asked.newest_first)
        written: list[bytes] = []
        size = 0
        for entry in islice(found, max(1, min(asked.most, ENTRIES_MOST))):
            written.append(to_json(entry if self._stored else _without_wrapped_key(entry)))
            size += len(written[-1])
            if size > CHUNK_BYTES:
                break
        more = next(found, None) is not None
        start = b'{"reply":{"id":%d,"value":{"entries":[' % number
        return start + b",".join(written) + b'],"more":%s}}}\n' % (b"true" if more else b"false")

    def _more_lines(self) -> ExportLines:
        lines: list[str] = []
        size = 0
        for line in self._export:
            lines.append(line)
            size += len(line)
            if size > CHUNK_BYTES:
                return ExportLines(tuple(lines), over=False)
        return ExportLines(tuple(lines), over=True)


def _without_wrapped_key(entry: Entry) -> Entry:
    if entry.name != HostEntry.ROUND_KEY or not isinstance(entry.body, dict):
        return entry
    return replace(entry, body={name: value for name, value in entry.body.items() if name != "wrapped"})


def serve_one(connection: socket.socket, journal: Path, *, stored: bool = False) -> None:
    """Welcome one connection and answer it until it ends; whatever it sends, nothing is raised.

    `stored`: it may have entries as they are stored.
    """
    with connection, contextlib.suppress(OSError):
        connection.settimeout(IDLE_MOST)
        try:
            record = JournalRows(journal)
        except FeltdError as fault:
            connection.sendall(line_of(fault_of(0, fault)))
            return
        with record:
            connection.sendall(line_of(Welcome(VERSION, record.name, record.journal_id.hex())))
            try:
                Reading(connection, record, stored=stored).serve()
            except WireError as fault:
                connection.sendall(line_of(Refused(str(fault))))


def serve(way: socket.socket, journal: Path) -> None:
    """Serve every connection that comes over `way`, until its other end is closed."""
    all_places, pages = threading.Semaphore(READERS_MOST), threading.Semaphore(PAGES_MOST)

    def served(connection: socket.socket, *, stored: bool) -> None:
        try:
            serve_one(connection, journal, stored=stored)
        finally:
            release(stored=stored)

    def release(*, stored: bool) -> None:
        all_places.release()
        if not stored:
            pages.release()

    def has_place(*, stored: bool) -> bool:
        if not stored and not pages.acquire(blocking=False):
            return False
        if all_places.acquire(blocking=False):
            return True
        if not stored:
            pages.release()
        return False

    while True:
        data, descriptors, _, _ = socket.recv_fds(way, 16, 1)
        if not data:
            return
        stored = data == STORED_TOO
        for descriptor in descriptors:
            connection = socket.socket(fileno=descriptor)
            if has_place(stored=stored):
                kwargs = {"stored": stored}
                threading.Thread(target=served, args=(connection,), kwargs=kwargs, daemon=True).start()
            else:
                _turn_away(connection, Refused("too many read the record already: come again"))


def _turn_away(connection: socket.socket, message: Message) -> None:
    with connection, contextlib.suppress(OSError):
        connection.setblocking(False)
        connection.sendall(line_of(message))


def _yield_to_the_table() -> None:
    """Take the processor's and the memory's last place, as far as this process may."""
    comes_last(0, NICEST)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("800", encoding="ascii")


if __name__ == "__main__":
    _yield_to_the_table()
    serve(socket.socket(fileno=int(sys.argv[2])), Path(sys.argv[1]))
    os._exit(0)  # threads may still wait for pages that are gone

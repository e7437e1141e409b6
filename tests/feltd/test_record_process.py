"""What the record's reader answers to a page, asked over its own sockets; it runs in a thread of this process."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from feltd.door.asking.record import SocketRecord
from feltd.door.commands import TableAwayError
from feltd.door.serving import record_process
from feltd.door.serving.records import RecordReaders
from feltd.door.wire.messages import Ask, Fault, Refused, Welcome, line_of, message_of
from feltd.door.wire.refusals import error_of
from feltd.record import JournalReader, Span
from feltd.record.export import export, export_round
from feltd.table.journal import Journal
from feltd.text.errors import JournalError, JournalMissing
from table_fsm.events import Tick

ROUNDS = 3
TICKS = 40
TO_PAGE = frozenset({Welcome, Fault, Refused})


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "table.journal"
    written = Journal.open(path, os.urandom(32))
    for number in range(1, ROUNDS + 1):
        written.begin_round(number)
        for tick in range(TICKS):
            event = Tick(t=100.0 * number + tick)
            written.append_event(event, source=None, round_number=number, rulebook_digest="ab" * 32)
        written.end_round(number)
    written.close()
    return path


@pytest.fixture
def reader(journal: Path) -> Iterator[Callable[[], socket.socket]]:
    """A function that gives the page's end of a connection that the reader has been handed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    serving = threading.Thread(target=record_process.serve, args=(theirs, journal))
    serving.start()
    with ExitStack() as opened:

        def connect(what: bytes = b"record") -> socket.socket:
            page, table = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
            opened.enter_context(page)
            with table:
                socket.send_fds(ours, [what], [table.fileno()])
            return page

        yield connect
    ours.close()
    serving.join()
    theirs.close()


@pytest.fixture
def record(reader: Callable[[], socket.socket], tmp_path: Path) -> Iterator[SocketRecord]:
    """The page's own client, at a door that passes its connection on."""
    place = tmp_path / "door"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.bind(str(place))
        door.listen()

        def pass_on() -> None:
            visitor, _ = door.accept()
            visitor.recv(4096)  # the greeting: the table has read it before it hands the connection over
            handed = reader()
            threads = [threading.Thread(target=_copied, args=ends) for ends in ((visitor, handed), (handed, visitor))]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            visitor.close()

        passing = threading.Thread(target=pass_on)
        passing.start()
        with SocketRecord(place) as client:
            yield client
        passing.join()


def _copied(source: socket.socket, to: socket.socket) -> None:
    while data := source.recv(65536):
        to.sendall(data)
    to.shutdown(socket.SHUT_WR)


def told(connection: socket.socket) -> Welcome | Fault | Refused:
    connection.settimeout(600)
    data = b""
    while not data.endswith(b"\n"):
        more = connection.recv(65536)
        assert more, "it ended in the middle of a line"
        data += more
    message: Welcome | Fault | Refused = message_of(data.rstrip(b"\n"), TO_PAGE)
    return message


@pytest.mark.parametrize("chunk", [record_process.CHUNK_BYTES, 1000])
def test_the_page_reads_what_a_reader_of_the_file_reads(
    record: SocketRecord, journal: Path, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_process, "CHUNK_BYTES", chunk)
    with JournalReader.open(journal) as file:
        whole = list(file.entries())
        assert record.last_entry() == whole[-1].seq
        assert list(record.entries()) == whole
        assert list(record.entries(newest_first=True)) == whole[::-1]
        assert list(record.entries(Span(round=2))) == [entry for entry in whole if entry.round == 2]
        assert list(record.entries(Span(after=whole[-1].seq))) == []
        assert list(record.export(3, 9)) == list(export(file, 3, 9))
        assert list(record.export_round(2)) == list(export_round(file, 2))
        assert record.span_between(None, None) == (1, whole[-1].seq)
        assert record.span_between(whole[-1].wall + 1, None) is None


def test_a_question_that_cannot_be_answered_leaves_the_connection_as_it_was(record: SocketRecord) -> None:
    with pytest.raises(JournalMissing, match="no round 9"):
        list(record.export_round(9))
    with pytest.raises(JournalError):
        list(record.export(5, 4))
    assert record.last_entry() > ROUNDS * TICKS


def test_a_question_of_a_newer_page_is_refused_in_words(reader: Callable[[], socket.socket]) -> None:
    page = reader()
    assert isinstance(told(page), Welcome)
    page.sendall(line_of(Ask(1, "every_card", {})))
    answer = told(page)
    assert isinstance(answer, Fault)
    assert 'knows no "every_card": the page is newer' in str(error_of(answer))


def test_a_line_that_is_no_question_ends_the_connection_in_words(reader: Callable[[], socket.socket]) -> None:
    page = reader()
    assert isinstance(told(page), Welcome)
    page.sendall(b"GET / HTTP/1.1\r\n\r\n")
    assert isinstance(told(page), Refused)
    assert page.recv(1) == b""
    assert isinstance(told(reader()), Welcome), "the next page is served"


def test_a_record_that_is_not_there_is_told(tmp_path: Path) -> None:
    page, table = socket.socketpair()
    with page:
        record_process.serve_one(table, tmp_path / "none.journal")
        answer = told(page)
    assert isinstance(answer, Fault)
    assert "none.journal" in str(error_of(answer))


def test_more_connections_than_there_are_places_are_sent_away(reader: Callable[[], socket.socket]) -> None:
    pages = [reader() for _ in range(record_process.PAGES_MOST)]
    assert all(isinstance(told(page), Welcome) for page in pages)
    answer = told(reader())
    assert isinstance(answer, Refused)
    assert "too many read the record" in answer.why


def test_a_page_that_holds_all_of_its_places_leaves_the_uplink_its_own(reader: Callable[..., socket.socket]) -> None:
    pages = [reader() for _ in range(record_process.PAGES_MOST)]
    assert all(isinstance(told(page), Welcome) for page in pages)
    assert isinstance(told(reader()), Refused)
    left = record_process.READERS_MOST - record_process.PAGES_MOST
    uplinks = [reader(record_process.STORED_TOO) for _ in range(left)]
    assert all(isinstance(told(uplink), Welcome) for uplink in uplinks)
    assert isinstance(told(reader(record_process.STORED_TOO)), Refused)
    pages[0].close()
    while not isinstance(told(reader(record_process.STORED_TOO)), Welcome):
        pass
    answer = told(reader())
    assert isinstance(answer, Refused), "all places are taken, and a page's own is free"


def test_a_page_that_has_gone_harms_nobody(reader: Callable[[], socket.socket]) -> None:
    reader().close()
    assert isinstance(told(reader()), Welcome)


def test_a_record_that_cannot_be_reached_is_told_as_away(tmp_path: Path) -> None:
    with pytest.raises(TableAwayError, match="cannot be reached"):
        SocketRecord(tmp_path / "nobody")


def test_the_reader_stays_in_the_tables_session_and_takes_no_key_of_its_terminal(tmp_path: Path) -> None:
    """Linux shares the processors among sessions first: in one of its own the reader would yield to nobody."""
    readers = RecordReaders(tmp_path / "table.journal")
    readers.start()
    try:
        assert readers._process is not None
        pid = readers._process.pid
        assert os.getsid(pid) == os.getsid(0)
        assert os.getpgid(pid) == pid
    finally:
        readers.close()

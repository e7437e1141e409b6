"""A table whose folder belongs to another user, beside files that are root's alone; and that user, racing root."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner, Result

from feltd.acceptance.report import keep
from feltd.cli import cli
from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from feltd.record.reading_note import ReadingNote, write_note
from feltd.table.journal import Journal
from table_fsm.events import CardExposed, CardPlaced

ROOT, NOBODY = 0, 65534
"""The users: root, and the one to whom the table's folder belongs."""
SECRET = b"for root alone: 4711"
_KEY = bytes(range(32))
_CONFIG = """
[table]
name = "Table 7"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
[[device]]
name = "shoe"
role = "shoe"
port = "/dev/serial/by-id/shoe"
key_file = "{state}/keys/shoe.key"
[page]
accounts = "{state}/page/accounts.json"
[journal]
path = "{state}/table.journal"
sealing_key_file = "{place}/journal.key"
"""


@dataclass(frozen=True, slots=True)
class Board:
    """The files of a board: `state` belongs to the table's user, `private` and `secret` are root's alone."""

    place: Path
    owner: int

    @property
    def config(self) -> Path:
        return self.place / "table.toml"

    @property
    def state(self) -> Path:
        return self.place / "state"

    @property
    def journal(self) -> Path:
        return self.state / "table.journal"

    @property
    def key(self) -> Path:
        return self.state / "keys" / "shoe.key"

    @property
    def accounts(self) -> Path:
        return self.state / "page" / "accounts.json"

    @property
    def packs(self) -> Path:
        return self.state / "packs.sealed"

    @property
    def note(self) -> Path:
        return self.place / "note.json"

    @property
    def secret(self) -> Path:
        return self.place / "secret"

    @property
    def private(self) -> Path:
        return self.place / "private"

    def give(self) -> None:
        """The state and all in it belong to its user."""
        for path in (self.state, *self.state.rglob("*")):
            os.chown(path, self.owner, self.owner, follow_symlinks=False)

    def require_safe(self) -> None:
        """Nothing of root's was given away, written over, copied out or added to."""
        state = self.secret.stat()
        assert (state.st_uid, state.st_mode & 0o777, self.secret.read_bytes()) == (ROOT, 0o600, SECRET)
        assert [file.name for file in self.private.iterdir()] == ["own"]
        assert (self.private.stat().st_uid, (self.private / "own").stat().st_uid) == (ROOT, ROOT)
        for path in self.state.rglob("*"):
            if path.is_file() and not path.is_symlink() and not path.samefile(self.secret):
                assert SECRET not in path.read_bytes(), f"{path} has what is root's alone"


def make_board(place: Path, owner: int) -> Board:
    """A table with a round that is over, an account and a device's key."""
    place.mkdir(mode=0o755)
    place.chmod(0o755)
    board = Board(place, owner)
    for folder in (board.state, board.state / "keys", board.state / "page"):
        folder.mkdir()
        folder.chmod(0o755)
    board.private.mkdir(mode=0o700)
    (board.private / "own").write_bytes(b"root's")
    board.secret.write_bytes(SECRET)
    board.secret.chmod(0o600)
    (place / "journal.key").write_bytes(_KEY)
    (place / "journal.key").chmod(0o600)
    board.config.write_text(_CONFIG.format(state=board.state, place=place))
    board.key.write_bytes(bytes(range(40, 72)))
    AccountBook(board.accounts).add("anna", Role.OBSERVER, "a horse, and a staple")
    write_note(board.note, ReadingNote.now(_record(board.journal), (1,), "A. Berg", "dispute", "key"))
    board.give()
    return board


def _record(path: Path) -> bytes:
    journal = Journal.open(path, _KEY)
    journal.begin_round(1)
    for event in (CardPlaced(t=1.0, zone="seat:1", card="As"), CardExposed(t=2.0, zone="seat:1", card="As")):
        journal.append_event(event, source=None, round_number=1, rulebook_digest="ab" * 32)
    journal.end_round(1)
    journal.append_note("feltd stops")
    identity = journal.reader.journal_id
    journal.close()
    return identity


def _ask(*words: str | Path) -> Result:
    result = CliRunner().invoke(cli, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit | OSError):
        raise result.exception
    return result


def _enrol(board: Board) -> Result:
    board.packs.unlink(missing_ok=True)
    laid = "".join(f"04{place:02x}0102030405\n" for place in range(52))
    words = ["deck", "enrol", "red-1", "--back", "red", "--config", str(board.config)]
    return CliRunner().invoke(cli, words, input=laid)


def _pin(board: Board) -> Result:
    words = ["user", "pin", "S1042", "--pin-stdin", "--config", str(board.config)]
    return CliRunner().invoke(cli, words, input="70951\n")


COMMANDS: dict[str, Callable[[Board], Result]] = {
    "user": lambda board: _ask("user", "shut", "anna", "--config", board.config),
    "user pin": lambda board: _pin(board),
    "device key": lambda board: _ask("device", "key", "shoe", "--config", board.config),
    "deck enrol": lambda board: _enrol(board),
    "deck list": lambda board: _ask("deck", "list", "--config", board.config),
    "record enter": lambda board: _ask("record", "enter", board.note, board.config),
    "journal keep": lambda board: _ask("journal", "keep", board.config),
    "journal show": lambda board: _ask("journal", "show", board.journal),
    "journal verify": lambda board: _ask("journal", "verify", board.journal),
    "journal export": lambda board: _ask("journal", "export", board.journal, "--round", "1"),
    "journal replay": lambda board: _ask("journal", "replay", board.journal, "--events"),
    "check": lambda board: _ask("check", board.config),
    "journal set-aside": lambda board: _ask("journal", "set-aside", board.config, "--who", "A. Berg", "--why", "case"),
}
"""Each command that works in the folder of a table, as root types it."""


def keep_report(board: Board) -> None:
    """As `feltd accept` does at its end."""
    keep("report\n", board.state / "acceptance" / f"report-{os.urandom(4).hex()}.txt")


@contextmanager
def racing(turn: Callable[[], None]) -> Iterator[None]:
    """The table's user in a process of its own, taking turn after turn as quickly as it can while the block lasts.

    The block begins once a whole turn has succeeded.
    """
    begun, tell = os.pipe()
    racer = os.fork()
    if racer == 0:
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            turn()
            os.write(tell, b".")
            while True:
                with suppress(OSError):  # root's own work came between: the next turn begins anew
                    turn()
        finally:
            os._exit(1)
    os.close(tell)
    try:
        assert os.read(begun, 1) == b".", "the racer has not begun"
        yield
        assert os.waitpid(racer, os.WNOHANG) == (0, 0), "the racer has ended before its time"
    finally:
        with suppress(ProcessLookupError):
            os.kill(racer, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(racer, 0)
        os.close(begun)

"""Root at work in folders of the service's user, who lays links: nothing of root's is given away or copied out."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from feltd.cli import cli
from feltd.table.keeper.wished_version import wished_version
from feltd.text.errors import FeltdError
from tests.feltd.others_folders_support import (
    COMMANDS,
    NOBODY,
    ROOT,
    Board,
    keep_report,
    make_board,
    racing,
)
from tests.feltd.wish_support import FLOOR, floor_file, signed_wish

pytestmark = pytest.mark.skipif(os.geteuid() != ROOT, reason="only root can be made to give away what is root's")
TURNS = 10
"""How often a command is asked while somebody races it."""


@pytest.fixture(scope="module")
def room() -> Iterator[Path]:
    """A folder that other users can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="feltd-") as folder:
        Path(folder).chmod(0o755)
        _load_all(Path(folder))
        yield Path(folder)


def _load_all(room: Path) -> None:
    """Each command once in root's own folder: what it imports is then there for a user who cannot read root's home."""
    own = make_board(room / "own", ROOT)
    for name, command in COMMANDS.items():
        assert (name, command(own).exit_code) == (name, 1 if name == "check" else 0)


@pytest.fixture
def board(room: Path, request: pytest.FixtureRequest) -> Board:
    return make_board(room / f"board-{abs(hash(request.node.nodeid))}", NOBODY)


@pytest.mark.parametrize("name", COMMANDS)
def test_it_is_done_as_the_folders_owner_and_what_it_makes_is_the_owners(board: Board, name: str) -> None:
    answer = COMMANDS[name](board)
    assert answer.exit_code == (1 if name == "check" else 0), answer.output
    assert {path.stat().st_uid for path in board.state.rglob("*")} == {NOBODY}
    assert (os.geteuid(), os.getegid()) == (0, 0)
    board.require_safe()


def test_a_report_of_root_is_the_folders_owners(board: Board) -> None:
    keep_report(board)
    assert {path.stat().st_uid for path in (board.state / "acceptance").rglob("*")} == {NOBODY}


def test_what_the_floor_wishes_is_read_as_the_tables_user(board: Board) -> None:
    place = board.state / "floor.json"
    place.write_text(floor_file(signed_wish("0.9.0")))
    board.config.write_text(f'{board.config.read_text()}[floor]\nkeys = ["{FLOOR.public.hex()}"]\n')
    board.give()
    assert wished_version(board.config) == "0.9.0"
    place.unlink()
    place.symlink_to(board.secret)
    with pytest.raises(FeltdError):
        wished_version(board.config)
    place.unlink()
    os.mkfifo(place)
    assert wished_version(board.config) is None, "a pipe would keep root waiting"


def _key_is_a_link(board: Board) -> None:
    board.key.unlink()
    board.key.symlink_to(board.secret)


def _lock_is_a_link(board: Board) -> None:
    (board.state / "table.journal.lock").unlink()
    (board.state / "table.journal.lock").symlink_to(board.secret)


def _page_is_a_link(board: Board) -> None:
    (board.state / "page").rename(board.state / "aside")
    (board.state / "page").symlink_to(board.private)
    (board.private / "accounts.json").write_bytes((board.state / "aside/accounts.json").read_bytes())
    (board.private / "accounts.json").rename(board.private / "own")


def _packs_is_a_link(board: Board) -> None:
    board.packs.symlink_to(board.secret)


def _pins_is_a_link(board: Board) -> None:
    (board.state / "staff.pins").symlink_to(board.secret)


def _keys_is_a_link(board: Board) -> None:
    (board.state / "keys").rename(board.state / "aside")
    (board.state / "keys").symlink_to(board.private)


def _anchors_is_a_link(board: Board) -> None:
    (board.state / "exports").mkdir()
    (board.state / "exports" / ".anchors.new").symlink_to(board.secret)


def _exports_is_a_link(board: Board) -> None:
    (board.state / "exports").symlink_to(board.private)


def _log_is_a_hard_link(board: Board) -> None:
    """A machine may allow it (fs.protected_hardlinks = 0), and an older link may be there."""
    os.link(board.secret, board.state / "table.journal-wal")


def _record_is_a_link(board: Board) -> None:
    board.journal.unlink()
    board.journal.symlink_to(board.secret)


LAID: dict[str, tuple[str, Callable[[Board], None]]] = {
    "the key is a link to a file of root's": ("device key", _key_is_a_link),
    "the packs are a link to a file of root's": ("deck list", _packs_is_a_link),
    "the PINs are a link to a file of root's": ("user pin", _pins_is_a_link),
    "the keys' folder is a link to a folder of root's": ("device key", _keys_is_a_link),
    "the accounts' folder is a link to a folder of root's": ("user", _page_is_a_link),
    "the lock is a link to a file of root's": ("record enter", _lock_is_a_link),
    "the anchors to come are a link to a file of root's": ("journal keep", _anchors_is_a_link),
    "the exports are a link to a folder of root's": ("journal keep", _exports_is_a_link),
    "the log is a file of root's, read": ("journal show", _log_is_a_hard_link),
    "the log is a file of root's, verified": ("journal verify", _log_is_a_hard_link),
    "the log is a file of root's, exported": ("journal export", _log_is_a_hard_link),
    "the log is a file of root's, replayed": ("journal replay", _log_is_a_hard_link),
    "the log is a file of root's, checked": ("check", _log_is_a_hard_link),
    "the record is a link to a file of root's": ("journal show", _record_is_a_link),
}


@pytest.mark.parametrize("laid", LAID)
def test_what_was_laid_before_leads_to_nothing_of_roots(board: Board, laid: str) -> None:
    name, lay = LAID[laid]
    lay(board)
    answer = COMMANDS[name](board)
    assert answer.exit_code != 0, answer.output
    board.require_safe()
    assert (os.geteuid(), os.getegid()) == (0, 0)


def test_a_report_goes_into_no_folder_of_roots(board: Board) -> None:
    (board.state / "acceptance").symlink_to(board.private)
    with pytest.raises(FeltdError, match="is a link"):
        keep_report(board)
    board.require_safe()


def test_a_private_key_is_made_in_no_folder_of_others(board: Board) -> None:
    made = CliRunner().invoke(cli, ["record", "key", str(board.state / "surveillance.key")])
    assert made.exit_code == 2
    assert "is in a folder of nobody, and this runs as root" in made.stderr
    assert not (board.state / "surveillance.key").exists()


@pytest.mark.parametrize("command", ["table", "page", "run"])
def test_root_starts_no_service_in_its_users_folder(board: Board, command: str) -> None:
    started = CliRunner().invoke(cli, [command, str(board.config)])
    assert started.exit_code == 2
    assert "start it as that user, or by its unit" in started.stderr


def _swaps(real: Path, kinds: list[Callable[[Path], None]]) -> Callable[[], None]:
    """A turn of the racer: each kind of thing at the path, then the real one again, each by one rename."""
    aside, other = real.with_name(f"{real.name}~"), real.with_name(f"{real.name}~~")

    def turn() -> None:
        other.unlink(missing_ok=True)
        if aside.exists():
            real.unlink() if real.is_symlink() else shutil.rmtree(real, ignore_errors=True)
            aside.rename(real)
        for lay in kinds:
            lay(other)
            if real.is_dir() and not real.is_symlink():
                os.rename(real, aside)
                os.rename(other, real)
                os.unlink(real)
                os.rename(aside, real)
            else:
                os.rename(other, real)

    return turn


def _link_to(target: Path) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


def _file(content: bytes) -> Callable[[Path], None]:
    def lay(path: Path) -> None:
        path.write_bytes(content)

    return lay


@pytest.mark.parametrize("name", ["user", "device key", "record enter", "journal keep", "journal verify", "check"])
def test_a_racer_who_swaps_the_folder_gets_nothing_of_roots(board: Board, name: str) -> None:
    swapped = {"user": "page", "device key": "keys", "journal keep": "exports"}.get(name, "")
    (board.state / "exports").mkdir()
    board.give()
    if swapped:
        turn = _swaps(board.state / swapped, [_link_to(board.private)])
    else:
        turn = _swaps(board.state / "table.journal-wal", [_link_to(board.secret), _file(b"")])
    with racing(turn):
        for _ in range(TURNS):
            COMMANDS[name](board)
    board.require_safe()


def test_a_racer_who_swaps_a_key_gets_no_file_of_roots(board: Board) -> None:
    """Links to a file of root's, and files: in the key's place, and in that of the one beside it."""
    beside = _swaps(board.state / "keys" / "shoe.key.old", [_link_to(board.secret), _file(b"x")])
    itself = _swaps(board.key, [_link_to(board.secret), _file(bytes(range(32)))])

    def turn() -> None:
        itself()
        beside()
        (board.state / "keys" / "shoe.key.old").unlink(missing_ok=True)

    with racing(turn):
        for _ in range(TURNS * 4):
            COMMANDS["device key"](board)
    board.require_safe()


def test_a_racer_who_swaps_what_root_writes_beside_gets_none_of_it(board: Board) -> None:
    """The file to come is found by its name's beginning, and a link is laid in its place before it is given away."""
    page = board.state / "page"

    def turn() -> None:
        for name in os.listdir(page):
            if name.startswith(".accounts"):
                os.unlink(page / name)
                os.symlink(board.secret, page / name)

    with racing(turn):
        for _ in range(TURNS * 4):
            COMMANDS["user"](board)
    board.require_safe()


def test_a_racer_who_lays_a_reports_folder_gets_none_of_roots(board: Board) -> None:
    folder = board.state / "acceptance"

    def turn() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        os.symlink(board.private, folder)
        os.unlink(folder)
        os.mkdir(folder)
        os.rmdir(folder)

    with racing(turn):
        for _ in range(TURNS * 4):
            with suppress(FeltdError):  # he bars the way
                keep_report(board)
    board.require_safe()

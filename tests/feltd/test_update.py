"""Updates of a board with two systems: what may be installed, what is tried, and what is kept."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from feltd.update.board import board_at
from feltd.update.boot_block import SIZE, BootBlock, read, write
from feltd.update.bundles import Bundle, parts_of, refused_by_rauc, require_allowed
from feltd.update.errors import UpdateError
from feltd.update.fetching import address_in, fetch, fetch_list
from feltd.update.health import OUT_OF_ORDER, PATIENCE_SECONDS, STEADY_SECONDS, units_of, unwell, wait_until_steady

SAID = """\
Id=felt-table.service
ActiveState=active
StatusText=Table 9: ready, door at /run/feltd-door/table
NRestarts=0

Id=felt-page.service
ActiveState=active
StatusText=page at http://[::]:8080
NRestarts=0
"""

# -- the boot loader's block


def test_an_update_is_tried_once_and_kept_where_it_is_called_good() -> None:
    new = BootBlock("A")
    assert new.starts_next() == "A"
    installed = new.called_bad("B").to_try("B")
    assert (installed.starts_next(), installed.proven) == ("B", "A")
    after_grub = BootBlock(installed.proven)  # it takes the trial out before it starts it
    assert after_grub.starts_next() == "A"
    assert after_grub.called_good("B") == BootBlock("B")


def test_a_system_that_is_about_to_be_written_is_not_tried() -> None:
    assert BootBlock("A", "B").called_bad("B") == BootBlock("A")


def test_the_proven_system_is_never_given_up() -> None:
    with pytest.raises(UpdateError, match="system A is the proven one"):
        BootBlock("A", "B").called_bad("A")
    assert BootBlock("A", "B").to_try("A") == BootBlock("A")


@pytest.mark.parametrize(("proven", "trial", "good"), [("A", None, "A"), ("B", None, "B"), ("A", "B", "AB")])
def test_a_start_may_take_the_proven_one_and_the_one_to_be_tried(proven: str, trial: str | None, good: str) -> None:
    assert [system for system in "AB" if BootBlock(proven, trial).is_good(system)] == list(good)


def test_no_other_system_is_known() -> None:
    for change in (BootBlock("A").to_try, BootBlock("A").called_good, BootBlock("A").called_bad):
        with pytest.raises(UpdateError, match='there is no system "C"'):
            change("C")


def test_the_block_is_written_in_its_place_within_one_sector(tmp_path: Path) -> None:
    file = tmp_path / "grubenv"
    file.write_bytes(BootBlock("A").to_bytes())
    before, inode = file.read_bytes(), file.stat().st_ino
    write(file, BootBlock("B", "A"))
    after = file.read_bytes()
    assert (len(after), file.stat().st_ino) == (SIZE, inode)
    assert before[512:] == after[512:], "a power cut between two sectors would leave half of it"
    assert read(file) == BootBlock("B", "A")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"x" * SIZE,
        b"\xff" * SIZE,
        BootBlock("A").to_bytes()[:-1],
        b"# GRUB Environment Block\nPROVEN=C\n".ljust(SIZE, b"#"),
        b"# GRUB Environment Block\nPROVEN=A\nTRIAL=C\n".ljust(SIZE, b"#"),
    ],
)
def test_a_block_that_is_none_is_named_and_not_written_over(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "grubenv"
    file.write_bytes(content)
    for use in (lambda: read(file), lambda: write(file, BootBlock("A"))):
        with pytest.raises(UpdateError, match="grubenv: the boot loader's block cannot be read: it "):
            use()
    assert file.read_bytes() == content


def test_a_block_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UpdateError, match="No such file"):
        read(tmp_path / "grubenv")


# -- what may be installed


def test_rauc_and_the_manifest_say_the_same_of_a_bundle() -> None:
    told = {"compatible": "feltd-amd64", "version": "0.9.0", "images": []}
    text = "[update]\ncompatible=feltd-amd64\nversion=0.9.0\n[image.rootfs]\nfilename=root.ext4\n"
    assert Bundle.from_rauc(json.dumps(told)) == Bundle.from_manifest(text) == Bundle("feltd-amd64", "0.9.0")


@pytest.mark.parametrize("said", ["", "[]", "null", '{"compatible": "feltd-amd64", "version": null}', '{"version": 1}'])
def test_a_bundle_that_does_not_say_what_it_is_is_refused(said: str) -> None:
    with pytest.raises(UpdateError, match="does not say for which board"):
        Bundle.from_rauc(said)


@pytest.mark.parametrize("text", ["", "version=1\n", "[update]\nversion=0.9.0\n", "[update\n"])
def test_a_manifest_that_does_not_say_what_it_is_is_refused(text: str) -> None:
    with pytest.raises(UpdateError, match="does not say for which board"):
        Bundle.from_manifest(text)


@pytest.mark.parametrize("version", ["0.8.0", "0.8.1", "0.10.0", "1.0.0"])
def test_what_runs_and_what_is_newer_may_be_installed(version: str) -> None:
    require_allowed(Bundle("feltd-amd64", version), "feltd-amd64", "0.8.0")


@pytest.mark.parametrize(
    ("bundle", "words"),
    [
        (Bundle("feltd-arm64", "0.9.0"), 'it is for "feltd-arm64", and this board is "feltd-amd64"'),
        (Bundle("feltd-amd64", "0.7.9"), "it has 0.7.9, older than 0.8.0, which runs"),
        (Bundle("feltd-arm64", "0.7.9"), 'it is for "feltd-arm64"'),
        (Bundle("feltd-amd64", "0.9"), '"0.9" is no version'),
        (Bundle("feltd-amd64", "9.9.9rc1"), '"9.9.9rc1" is no version'),
        (Bundle("feltd-amd64", ""), '"" is no version'),
    ],
)
def test_another_boards_update_and_an_older_one_are_refused(bundle: Bundle, words: str) -> None:
    with pytest.raises(UpdateError) as refused:
        require_allowed(bundle, "feltd-amd64", "0.8.0")
    assert words in str(refused.value)


def test_versions_are_compared_by_their_numbers() -> None:
    assert parts_of("0.10.0") > parts_of("0.9.9")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("Invalid bundle format: Signature size (1080) exceeds bundle size", "it is torn or damaged"),
        ("Invalid bundle format: Signature size is 0", "it is torn or damaged"),
        ("LastError: Failed: write: Input/output error", "it is torn or damaged"),
        ("Verifying…\nsignature verification failed: Verify error: self-signed", "its signature is not by a key"),
        ("failed to load CA file '/etc/feltd/update.pem'", "this board has no certificate"),
        ("No such file: /x.raucb", "it is not there"),
        ("Compatible mismatch: Expected 'a' but bundle manifest has 'b'", "it is for another board"),
        ("a\nno such thing ever\n", "RAUC refuses it, and says: no such thing ever"),
        ("", "RAUC refuses it, and says: nothing"),
    ],
)
def test_what_rauc_says_is_told_in_words(said: str, words: str) -> None:
    assert refused_by_rauc(said).startswith(words)


# -- the board


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The root of a board whose system B runs and is on trial."""
    for name, text in (
        ("usr/share/feltd-image/system", "compatible=feltd-amd64\nversion=0.8.0\n"),
        ("proc/cmdline", "root=PARTLABEL=root-b rauc.slot=B feltd.trial ro panic=10\n"),
    ):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text, encoding="ascii")
    return tmp_path


def test_a_board_says_what_it_is(root: Path) -> None:
    board = board_at(root)
    assert (board.compatible, board.version, board.running, board.other) == ("feltd-amd64", "0.8.0", "B", "A")
    assert board.on_trial
    (root / "proc/cmdline").write_text("rauc.slot=A feltd.trials", encoding="ascii")
    assert not board_at(root).on_trial


def test_a_board_that_is_none_of_an_image_is_told_what_to_do(root: Path) -> None:
    (root / "proc/cmdline").write_text("root=/dev/mmcblk0p2", encoding="ascii")
    with pytest.raises(UpdateError, match="does not say which system runs"):
        board_at(root)
    (root / "usr/share/feltd-image/system").write_text("version=0.8.0\n", encoding="ascii")
    (root / "proc/cmdline").write_text("rauc.slot=A", encoding="ascii")
    with pytest.raises(UpdateError, match="no lines compatible"):
        board_at(root)
    (root / "usr/share/feltd-image/system").unlink()
    with pytest.raises(UpdateError, match="was not made from feltd's image"):
        board_at(root)


# -- whether it came up


class Told:
    """What `systemctl show` prints in turn, a look every two seconds of a clock that nobody waits for."""

    def __init__(self, *said: tuple[float, str]) -> None:
        """`said`: until which second what is told; the last one stays."""
        self.now = 0.0
        self._said = said

    def look(self) -> str:
        return next((words for until, words in self._said if self.now < until), self._said[-1][1])

    def wait(self) -> float:
        """The second at which it was called good. Raises UpdateError."""
        wait_until_steady(self.look, lambda: self.now, self._sleep)
        return self.now

    def _sleep(self, seconds: float) -> None:
        self.now += seconds


def test_what_the_service_manager_shows_is_read() -> None:
    table, page = units_of(SAID)
    assert (table.name, table.active, table.restarts) == ("felt-table.service", True, 0)
    assert page.status == "page at http://[::]:8080"
    assert [unit.active for unit in units_of("")] == [False]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("", "felt-table.service does not run"),
        (SAID.replace("ActiveState=active", "ActiveState=activating", 1), "felt-table.service does not run"),
        (SAID[: SAID.index("\n\n")], "felt-page.service does not run"),
        (SAID.replace("Table 9: ready", f"{OUT_OF_ORDER}: its file"), f"felt-table.service: {OUT_OF_ORDER}: its file"),
    ],
)
def test_a_table_that_has_not_come_up_says_why(said: str, why: str) -> None:
    found = unwell({unit.name: unit for unit in units_of(said)})
    assert found is not None
    assert found.startswith(why)


def test_a_system_is_good_once_its_table_has_run_for_a_minute() -> None:
    assert Told((0.0, SAID)).wait() == STEADY_SECONDS
    assert Told((100.0, ""), (0.0, SAID)).wait() == 100.0 + STEADY_SECONDS


def test_a_restart_begins_the_minute_anew() -> None:
    again = SAID.replace("NRestarts=0", "NRestarts=1", 1)
    assert Told((40.0, SAID), (0.0, again)).wait() == 40.0 + STEADY_SECONDS


def test_a_table_that_never_comes_up_ends_the_trial_with_the_reason() -> None:
    told = Told((0.0, SAID.replace("Table 9: ready", f"{OUT_OF_ORDER}: a key is missing")))
    with pytest.raises(UpdateError, match=r"OUT OF ORDER: a key is missing.*goes back to its proven system"):
        told.wait()
    assert told.now >= PATIENCE_SECONDS


def test_a_table_that_is_started_again_and_again_ends_the_trial() -> None:
    said = [(second * 30.0, SAID.replace("NRestarts=0", f"NRestarts={second}", 1)) for second in range(1, 40)]
    with pytest.raises(UpdateError, match="started again and again"):
        Told(*said).wait()


# -- fetching


class Server(BaseHTTPRequestHandler):
    """Hands out `content`, and says that it is `length` long."""

    content: ClassVar[bytes] = b"a bundle"
    length: ClassVar[int | None] = None

    def do_GET(self) -> None:
        if self.path != "/feltd.raucb":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.content) if self.length is None else self.length))
        self.end_headers()
        self.wfile.write(self.content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("no_proxy", "*")
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{serving.server_address[1]}"
        finally:
            serving.shutdown()
            thread.join()


def test_a_bundle_is_fetched_whole_and_takes_the_place_of_the_one_before(server: str, tmp_path: Path) -> None:
    folder = tmp_path / "update"
    folder.mkdir()
    (folder / "update.raucb.half").write_text("left by a power cut", encoding="ascii")
    file = fetch(f"{server}/feltd.raucb", folder)
    assert file.read_bytes() == b"a bundle"
    assert file.stat().st_mode & 0o077 == 0
    assert [one.name for one in folder.iterdir()] == ["update.raucb"]


@pytest.mark.parametrize("way", ["short", "missing", "nobody"])
def test_a_bundle_that_does_not_come_whole_leaves_nothing(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    address = {"missing": f"{server}/other", "nobody": "http://127.0.0.1:1/x"}.get(way, f"{server}/feltd.raucb")
    if way == "short":
        monkeypatch.setattr(Server, "length", 100)
    (tmp_path / "update.raucb").write_text("of the last time", encoding="ascii")
    with pytest.raises(UpdateError, match="tried again the next time"):
        fetch(address, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_more_than_a_system_is_not_fetched(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feltd.update.fetching.MOST_BYTES", 4)
    with pytest.raises(UpdateError, match="it is larger than 4 bytes, for which there is room"):
        fetch(f"{server}/feltd.raucb", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_record_keeps_its_room(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feltd.update.fetching.LEFT_FREE", 1 << 60)
    with pytest.raises(UpdateError, match="it is larger than 0 bytes, for which there is room"):
        fetch(f"{server}/feltd.raucb", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_address_stands_alone_in_its_file(tmp_path: Path) -> None:
    file = tmp_path / "update.url"
    with pytest.raises(UpdateError, match="cannot be read"):
        address_in(file)
    file.write_text("# the house's\nhttp://updates.example/feltd.raucb\n\n", encoding="ascii")
    assert address_in(file) == "http://updates.example/feltd.raucb"
    for wrong in ("", "/data/x.raucb", "http:///x", "ftp://x/y", "http://a/b\nhttp://c/d"):
        file.write_text(wrong, encoding="ascii")
        with pytest.raises(UpdateError, match="must have one line"):
            address_in(file)


def test_a_list_of_versions_called_back_lies_beside_the_update(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fetch_list(f"{server}/other") is None, "a server without one: nobody has called anything back"
    monkeypatch.setattr("feltd.update.fetching.ENDING", "")
    assert fetch_list(f"{server}/feltd.raucb") == b"a bundle"
    monkeypatch.setattr("feltd.update.fetching.MOST_BYTES_OF_LIST", 7)
    with pytest.raises(UpdateError, match="larger than 7 bytes, and so no list"):
        fetch_list(f"{server}/feltd.raucb")


def test_a_list_that_cannot_be_fetched_is_no_missing_one() -> None:
    with pytest.raises(UpdateError, match=r"x\.raucb\.called-back: it cannot be fetched"):
        fetch_list("http://127.0.0.1:1/x.raucb")

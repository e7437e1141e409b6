"""The first start of a board: what its owner gave lies where it is read, and belongs to who reads it."""

import os
import re
import shutil
import stat
import subprocess
from pathlib import Path, PurePosixPath
from typing import Final

import pytest
from click.testing import CliRunner

from feltd.cli import cli
from feltd.table.config.config import read_config
from image import first_boot
from image.build import HERE
from image.first_boot import JOURNAL_KEY, TAKEN, Board, main, placed

KEY: Final = "5e" * 32
NUMBERS: Final = {"root": 0, "feltd": 101, "feltd-page": 102, "feltd-uplink": 103}


class FreshBoard:
    """A board before its first start. Owners and mounts are noted and not carried out."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.owners: dict[str, tuple[int, int]] = {}
        self.mounts: list[list[str]] = []
        factory = root / "usr/share/feltd-image"
        for name in ("etc-feltd/keys", "var-lib-feltd/keys", "var-lib-feltd-uplink", "var-lib-chrony"):
            (factory / name).mkdir(parents=True)
        (factory / "etc-feltd/table.toml").write_text("the factory's")
        (factory / "etc-feltd/usbguard.rules").write_text("block")
        for folder in ("data", "boot/efi", "etc"):
            (root / folder).mkdir(parents=True)
        for table in ("passwd", "group"):
            lines = (f"{name}:x:{number}:" for name, number in NUMBERS.items())
            (root / "etc" / table).write_text("\n".join(lines) + "\n")
        self.etc, self.state = root / "data/etc-feltd", root / "data/var-lib-feltd"
        self.given, self.note = root / "boot/efi/feltd", root / "boot/efi/feltd-not-taken.txt"

    def give(self, **files: str) -> None:
        """Put files on the boot partition; `__` in a name stands for a folder, `_` for a dot."""
        for name, text in files.items():
            file = self.given / name.replace("__", "/").replace("_", ".")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def board(self) -> Board:
        def owned(file: Path, user: int, group: int) -> None:
            self.owners[file.name] = user, group

        def run(words: list[str]) -> object:
            if words[0] != "mount":
                return subprocess.run(words, check=True)
            self.mounts.append(words)
            return None

        return Board(self.root, owned, run)

    def starts(self) -> str | None:
        return self.board().start()


@pytest.fixture
def fresh(tmp_path: Path) -> FreshBoard:
    return FreshBoard(tmp_path)


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def test_a_board_makes_the_key_of_its_record_itself_and_once(fresh: FreshBoard) -> None:
    assert fresh.starts() is None
    key = fresh.etc / "keys/journal.key"
    made = key.read_text(encoding="ascii")
    assert re.fullmatch(r"[0-9a-f]{64}", made)
    assert mode(key) == 0o600
    assert fresh.owners == {"journal.key": (0, 0)}
    assert fresh.state.is_dir()
    assert fresh.mounts == []
    assert fresh.starts() is None
    assert key.read_text(encoding="ascii") == made


def test_each_file_that_is_given_belongs_to_who_reads_it_and_leaves_the_boot_partition(fresh: FreshBoard) -> None:
    files = {
        "table_toml": "the owner's", "journal_key": f"{KEY}\n", "keys__shoe_key": "a device's",
        "accounts_json": "people", "page_pem": "a certificate", "page_key": "PRIVATE KEY", "webhook_key": KEY,
        "uplink__uplink_toml": "the floor", "uplink__table_key": "PRIVATE KEY", "usbguard_rules": "allow",
        "update_pem": "a maker", "page_networks": "192.168.20.0/24 # the pit\n",
        "rulebooks__own_toml": "a book", "._table.toml": "left by a computer",
    }  # fmt: skip
    fresh.give(**files)
    (fresh.given / "Thumbs.db").write_text("left by another")
    assert fresh.starts() is None
    etc, state = fresh.etc, fresh.state
    found = {
        file.name: (mode(file), fresh.owners[file.name])
        for file in (*etc.rglob("*"), *state.rglob("*"))
        if file.is_file() and file.name in fresh.owners
    }
    root, page, uplink = (0, 0), (0, 102), (0, 103)
    assert found == {
        "table.toml": (0o644, root), "journal.key": (0o600, root), "shoe.key": (0o600, (101, 101)),
        "accounts.json": (0o600, (102, 102)), "page.pem": (0o644, root), "page.key": (0o640, page),
        "webhook.key": (0o640, page), "uplink.toml": (0o640, uplink), "table.key": (0o640, uplink),
        "page.networks": (0o644, root),
        "usbguard.rules": (0o600, root), "update.pem": (0o644, root), "own.toml": (0o644, root),
    }  # fmt: skip
    assert (etc / "table.toml").read_text() == "the owner's"
    assert (etc / "keys/journal.key").read_text() == f"{KEY}\n"
    assert (state / "keys/shoe.key").read_text() == "a device's"
    assert (state / "page/accounts.json").is_file()
    assert (etc / "rulebooks/own.toml").is_file()
    assert not fresh.given.exists()
    assert [words[2] for words in fresh.mounts] == ["remount,rw", "remount,ro"]


def test_a_records_key_among_the_devices_is_the_records_all_the_same(fresh: FreshBoard) -> None:
    fresh.give(keys__journal_key=KEY)
    assert fresh.starts() is None
    assert (fresh.etc / "keys/journal.key").read_text() == KEY
    assert not (fresh.state / "keys/journal.key").exists()


def test_a_provisioned_folder_is_taken_as_it_is(fresh: FreshBoard) -> None:
    made = fresh.root / "boards"
    sheet = HERE.parent / "config/tables.example.csv"
    done = CliRunner().invoke(cli, ["provision", str(sheet), "--into", str(made)])
    assert done.exit_code == 0, done.output
    shutil.copytree(made / "1", fresh.given)
    key = (made / "1/journal.key").read_bytes()
    assert fresh.starts() is None
    assert not fresh.given.exists()
    assert (fresh.etc / "keys/journal.key").read_bytes() == key
    config = read_config((fresh.etc / "table.toml").read_text(encoding="utf-8"), "table.toml", Path("/etc/feltd"))
    keys = [device.wire_key.path for device in config.devices if device.wire_key and device.wire_key.path]
    assert keys
    for file in keys:
        assert (fresh.state / file.relative_to("/var/lib/feltd")).is_file(), file
        assert fresh.owners[file.name] == (101, 101)


def test_what_the_table_and_the_page_are_given_is_where_their_units_and_files_look() -> None:
    systemd = HERE.parent / "systemd"
    assert f"LoadCredential=journal-key:/{JOURNAL_KEY}" in (systemd / "felt-table.service").read_text(encoding="utf-8")
    model = (HERE.parent / "config/tables.model.toml").read_text(encoding="utf-8")
    for key in re.findall(r'^key_file = "(/\S+)"$', model, re.M):
        assert f"/{placed(PurePosixPath('keys', Path(key).name)).place}" == key
    users = (systemd / "feltd.sysusers").read_text(encoding="utf-8")
    made = {"root", *re.findall(r"^[ug] (\S+)", users, re.M)}
    assert {name for _, user, group, _ in TAKEN.values() for name in (user, group)} <= made


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"other_key": "x"}, "feltd/other.key: a key that nobody here reads; those that are known: journal.key"),
        ({"journal_key": "short"}, "feltd/journal.key: no key of a record: 64 hexadecimal digits, or 32 bytes"),
        ({"journal_key": KEY, "keys__journal_key": "6f" * 32}, "leave the one that is right"),
        ({"page_networks": "10.0.0.0/8\n\n10.0.0.1/8\n"}, "feltd/page.networks: '10.0.0.1/8' is no network"),
        ({"page_networks": "the pit # ours"}, "feltd/page.networks: 'the pit' is no network"),
        ({"page_pem": "-----BEGIN PRIVATE KEY-----"}, "feltd/page.pem: has a private key"),
    ],
)
def test_a_folder_with_a_fault_is_refused_whole_and_taken_once_it_is_right(
    fresh: FreshBoard, files: dict[str, str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    fresh.give(table_toml="the owner's", **files)
    assert main(fresh.board()) == 1
    assert said in fresh.note.read_text(encoding="utf-8")
    assert said in capsys.readouterr().err
    assert not any((fresh.root / "data").iterdir())
    assert (fresh.given / "table.toml").is_file()
    for name in files:
        (fresh.given / name.replace("__", "/").replace("_", ".")).unlink()
    assert main(fresh.board()) == 0
    assert (fresh.etc / "table.toml").read_text() == "the owner's"
    assert not fresh.note.exists()


def test_a_board_of_another_package_says_so(fresh: FreshBoard) -> None:
    (fresh.root / "etc/passwd").write_text("root:x:0:0\n")
    fresh.give(keys__shoe_key="a device's")
    with pytest.raises(first_boot.RefusedError, match="/etc/passwd: has no feltd"):
        fresh.starts()


def test_a_power_cut_in_the_middle_leaves_nothing_half_made(fresh: FreshBoard) -> None:
    half = fresh.root / "data/etc-feltd.new"
    half.mkdir()
    (half / "left-over").touch()
    assert fresh.starts() is None
    assert not half.exists()
    assert not (fresh.etc / "left-over").exists()
    assert (fresh.etc / "keys/journal.key").is_file()


def test_a_power_cut_between_two_folders_is_gone_on_from(fresh: FreshBoard) -> None:
    fresh.give(table_toml="the owner's", keys__shoe_key="a device's", journal_key=KEY)
    board = fresh.board()
    wants = first_boot.wanted(first_boot.given_files(fresh.given))
    board._make(first_boot.FOLDERS[0], wants)
    assert not fresh.etc.exists()
    assert fresh.starts() is None
    assert (fresh.state / "keys/shoe.key").is_file()
    assert (fresh.etc / "keys/journal.key").read_text() == KEY


def test_a_power_cut_before_the_given_files_are_gone_takes_them_away_at_the_next_start(fresh: FreshBoard) -> None:
    fresh.give(table_toml="the owner's", keys__shoe_key="a device's")
    assert fresh.starts() is None
    fresh.give(keys__shoe_key="a device's")  # the rest of them was gone already
    assert fresh.starts() is None
    assert not fresh.given.exists()


def test_a_second_folder_is_left_as_it_is_and_told_with_what_to_do(
    fresh: FreshBoard, capsys: pytest.CaptureFixture[str]
) -> None:
    fresh.give(table_toml="the owner's")
    assert main(fresh.board()) == 0
    assert not fresh.note.exists()
    fresh.give(table_toml="another one", accounts_json="people", strange_key="?")
    for _ in range(2):
        assert main(fresh.board()) == 0, "the board starts with what it has"
        told = fresh.note.read_text(encoding="utf-8")
        assert capsys.readouterr().err == told
        for words in ("feltd on FELTD-BOOT", "feltd-data", "  table.toml\n", "  accounts.json\n", "  strange.key\n"):
            assert words in told
    assert (fresh.etc / "table.toml").read_text() == "the owner's"
    assert not (fresh.state / "page").exists()
    assert len(list(fresh.given.iterdir())) == 3
    shutil.rmtree(fresh.given)
    assert main(fresh.board()) == 0
    assert not fresh.note.exists(), "what it says is over"


def test_a_boot_partition_that_cannot_be_written_keeps_no_board_from_its_start(
    fresh: FreshBoard, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    fresh.give(table_toml="the owner's")
    monkeypatch.setattr(shutil, "rmtree", refuses)
    monkeypatch.setattr(Path, "write_text", refuses)
    assert main(fresh.board()) == 0
    told = capsys.readouterr().err
    assert "is taken, and cannot be taken off there" in told
    assert "feltd-not-taken.txt: cannot be written" in told
    assert (fresh.etc / "table.toml").read_text() == "the owner's"


def test_a_boot_partition_that_stays_writable_is_no_failure(fresh: FreshBoard) -> None:
    def run(words: list[str]) -> None:
        if words[:3] == ["mount", "-o", "remount,ro"]:
            raise subprocess.CalledProcessError(32, words)
        if words[0] != "mount":
            subprocess.run(words, check=True)

    fresh.give(table_toml="the owner's")
    assert Board(fresh.root, lambda *_: None, run).start() is None
    assert not fresh.given.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_root_gives_each_file_to_its_user(fresh: FreshBoard) -> None:
    fresh.give(keys__shoe_key="a device's")
    assert Board(fresh.root, run=lambda words: words[0] == "mount" or subprocess.run(words, check=True)).start() is None
    key = (fresh.state / "keys/shoe.key").stat()
    assert (key.st_uid, key.st_gid) == (101, 101)


def test_the_unit_starts_what_the_image_gets_before_anything_reads_it() -> None:
    unit = (HERE / "root/etc/systemd/system/feltd-first-boot.service").read_text(encoding="utf-8")
    assert "ExecStart=/usr/bin/python3 -I /usr/lib/feltd-image/first_boot.py\n" in unit
    assert '"$3/first_boot.py" "$root/usr/lib/feltd-image/"' in (HERE / "customize.sh").read_text(encoding="utf-8")
    before = re.findall(r"^Before=(.*)$", unit, re.M)[0].replace("\\x2d", "~").split()
    assert {one.removesuffix(".mount").replace("-", "/").replace("~", "-") for one in before} == set(first_boot.FOLDERS)

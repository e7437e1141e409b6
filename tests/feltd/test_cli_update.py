"""`feltd update`: what a person is told, and what RAUC is answered."""

import asyncio
import json
import secrets
import shutil
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from feltd.cli import cli, update_command
from feltd.door import Person
from feltd.door.together import StepKind
from feltd.floor.signing import FloorKey
from feltd.page.access.roles import Role
from feltd.update import board as board_module
from feltd.update import health
from feltd.update.board import BOOT_BLOCK, GOOD_MARK, board_at
from feltd.update.boot_block import BootBlock, read
from feltd.update.called_back import CalledBack, made
from tests.feltd.door_support import Apart, apart
from tests.feltd.page_support import SECRET
from tests.feltd.test_called_back import write_pair
from tests.feltd.wish_support import FLOOR, floor_file, signed_wish

ROOT = Path(__file__).parents[2]
GOOD = {"compatible": "feltd-amd64", "version": "0.9.0"}


class Machine:
    """A board's root below a folder, and the programs of the system, which answer as the test says."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.asked: list[tuple[str, ...]] = []
        self.info = (0, json.dumps(GOOD))
        self.installs = (0, "")
        self.shows = ""
        for name, text in (
            ("usr/share/feltd-image/system", "compatible=feltd-amd64\nversion=0.8.0\n"),
            (BOOT_BLOCK, ""),
        ):
            (root / name).parent.mkdir(parents=True)
            (root / name).write_text(text, encoding="ascii")
        (root / "run").mkdir()
        self.runs("A")
        self.block = BootBlock("A")

    @property
    def block(self) -> BootBlock:
        return read(self.root / BOOT_BLOCK)

    @block.setter
    def block(self, block: BootBlock) -> None:
        (self.root / BOOT_BLOCK).write_bytes(block.to_bytes())

    def runs(self, system: str, *more: str) -> None:
        (self.root / "proc").mkdir(exist_ok=True)
        (self.root / "proc/cmdline").write_text(" ".join((f"rauc.slot={system}", *more)), encoding="ascii")

    def ask(self, *words: str) -> "subprocess.CompletedProcess[str]":
        self.asked.append(words)
        match words:
            case ("rauc", "info", *_):
                code, out = self.info
            case ("rauc", "install", *_):
                code, out = self.installs
            case _:
                code, out = 0, self.shows
        return subprocess.CompletedProcess(words, code, out if code == 0 else "", "" if code == 0 else out)

    def tell(self, *arguments: str) -> Result:
        return CliRunner().invoke(cli, ["update", *arguments])


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path)
    monkeypatch.setattr(board_module, "board_at", lambda: board_at(tmp_path))
    monkeypatch.setattr(update_command, "_ask", made.ask)
    return made


def written(asked: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return [words for words in asked if words[:2] == ("rauc", "install")]


def test_status_says_what_runs_what_is_proven_and_what_is_next(machine: Machine) -> None:
    assert machine.tell("status").output.splitlines() == [
        "board        feltd-amd64",
        "runs         A, 0.8.0",
        "proven       A",
        "next start   A",
    ]
    machine.block = BootBlock("A", "B")
    assert machine.tell("status").output.splitlines()[-1] == "next start   B (to be tried once)"
    machine.block = BootBlock("A")
    machine.runs("B", "feltd.trial")
    assert machine.tell("status").output.splitlines()[1:] == [
        "runs         B, 0.8.0 (on trial)",
        "proven       A",
        "next start   A",
    ]


def test_a_bundle_for_this_board_is_installed(machine: Machine) -> None:
    done = machine.tell("install", "/data/x.raucb")
    assert (done.exit_code, done.output) == (0, "0.9.0 is installed as system B; it is tried at the next start\n")
    assert written(machine.asked) == [("rauc", "install", "/data/x.raucb")]


@pytest.mark.parametrize(
    ("code", "said", "words"),
    [
        (1, "signature verification failed: self-signed", "/x.raucb: its signature is not by a key"),
        (1, "Verify error: certificate has expired", "/x.raucb: its certificate is not valid now: this board's clock"),
        (1, "Invalid bundle format: Signature size is 0", "/x.raucb: it is torn or damaged"),
        (0, json.dumps({**GOOD, "compatible": "feltd-arm64"}), '/x.raucb: it is for "feltd-arm64"'),
        (0, json.dumps({**GOOD, "version": "0.7.0"}), "/x.raucb: it has 0.7.0, older than 0.8.0"),
        (0, "no JSON", "/x.raucb: it does not say for which board"),
    ],
)
def test_what_may_not_be_installed_is_refused_before_anything_is_written(
    machine: Machine, code: int, said: str, words: str
) -> None:
    machine.info = (code, said)
    done = machine.tell("install", "/x.raucb")
    assert done.exit_code == 2
    assert words in done.output
    assert written(machine.asked) == []


def test_a_bundle_that_is_damaged_further_in_is_named(machine: Machine) -> None:
    machine.installs = (1, "LastError: read: Input/output error\nInstalling failed")
    done = machine.tell("install", "/x.raucb")
    assert done.exit_code == 2
    assert "/x.raucb: it is torn or damaged" in done.output


def test_nothing_is_installed_while_a_system_is_on_trial(machine: Machine) -> None:
    machine.runs("B", "feltd.trial")
    done = machine.tell("install", "/x.raucb")
    assert done.exit_code == 2
    assert "system B is on trial" in done.output
    assert machine.asked == []


def test_each_night_what_runs_already_is_not_written_again(machine: Machine) -> None:
    machine.info = (0, json.dumps({**GOOD, "version": "0.8.0"}))
    done = machine.tell("install", "--newer", "/x.raucb")
    assert (done.exit_code, done.output) == (0, "/x.raucb: it has 0.8.0, which runs\n")
    assert written(machine.asked) == []
    assert machine.tell("install", "/x.raucb").exit_code == 0
    assert len(written(machine.asked)) == 1


def test_without_a_bundle_the_owners_address_is_asked(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, Path]] = []

    def fetched(address: str, folder: Path) -> Path:
        asked.append((address, folder))
        folder.mkdir(parents=True)
        (folder / "update.raucb").touch()
        return folder / "update.raucb"

    monkeypatch.setattr("feltd.update.fetching.fetch", fetched)
    monkeypatch.setattr("feltd.update.fetching.fetch_list", lambda address: None)
    monkeypatch.setattr(update_command, "ADDRESS_FILE", tmp_path / "update.url")
    (tmp_path / "update.url").write_text("http://updates.example/feltd.raucb\n", encoding="ascii")
    assert machine.tell("install").exit_code == 0
    assert asked == [("http://updates.example/feltd.raucb", tmp_path / "data/update")]
    assert written(machine.asked) == [("rauc", "install", str(tmp_path / "data/update/update.raucb"))]
    assert list((tmp_path / "data/update").iterdir()) == [], "the record wants the room"


def test_what_its_maker_has_called_back_is_refused_whoever_asks_and_status_tells_it(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = write_pair(tmp_path / "etc/feltd", ec.generate_private_key(ec.SECP256R1()))
    lists = {3: {"0.9.0": "a marker is read twice", "0.8.0": ""}, 2: {}}
    served = [made(CalledBack(number, versions), *pair) for number, versions in lists.items()]
    fetched: list[str] = []

    def fetch(address: str, folder: Path) -> Path:
        fetched.append(address)
        return folder / "update.raucb"

    monkeypatch.setattr("feltd.update.fetching.fetch_list", lambda address: served.pop(0) if served else None)
    monkeypatch.setattr("feltd.update.fetching.fetch", fetch)
    address = "http://updates.example/feltd.raucb"
    refused = machine.tell("install", address)
    assert (refused.exit_code, "called 0.9.0 back: a marker is read twice" in refused.output) == (2, True)
    older = machine.tell("install", address)
    assert (older.exit_code, "has the number 2, and this board has seen 3" in older.output) == (2, True)
    assert "called 0.9.0 back" in machine.tell("install", address).output, "a server without a list takes none away"
    assert fetched == [address, address], "where the list is at fault nothing more is fetched"
    assert "called 0.9.0 back" in machine.tell("install", "/data/x.raucb").output
    manifest = tmp_path / "manifest.raucm"
    manifest.write_text("[update]\ncompatible=feltd-amd64\nversion=0.9.0\n", encoding="ascii")
    assert "called 0.9.0 back" in machine.tell("allowed", str(manifest)).output
    assert written(machine.asked) == []
    assert machine.tell("status").output.splitlines()[4:] == [
        "called back  0.9.0: a marker is read twice",
        "called back  0.8.0 (it runs)",
    ]


def test_a_system_on_trial_is_kept_once_its_table_has_come_up(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "wait_until_steady", lambda look: look())
    machine.runs("B", "feltd.trial")
    done = machine.tell("good")
    assert (done.exit_code, done.output) == (0, "system B is good\n")
    assert machine.block == BootBlock("B")
    assert (tmp_path / GOOD_MARK).exists()
    efi = str(tmp_path / "boot/efi")
    show, *mounts = machine.asked
    assert show[:2] == ("systemctl", "show")
    assert mounts == [("mount", "-o", "remount,rw", efi), ("mount", "-o", "remount,ro", efi)]


def test_a_system_whose_table_does_not_come_up_is_not_kept(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "PATIENCE_SECONDS", 0.0)
    machine.runs("B", "feltd.trial")
    done = machine.tell("good")
    assert done.exit_code == 1
    assert "the table has not come up" in done.output
    assert machine.block == BootBlock("A")
    assert not (tmp_path / GOOD_MARK).exists()


def test_a_proven_system_is_good_without_being_looked_at(machine: Machine) -> None:
    before = machine.block
    assert machine.tell("good").output == "system A is good\n"
    assert (machine.block, machine.asked) == (before, [])


# -- what RAUC asks


def test_rauc_writes_the_other_system_and_has_it_tried(machine: Machine) -> None:
    assert machine.tell("system", "get-primary").output == "A\n"
    assert machine.tell("system", "get-current").output == "A\n"
    assert [machine.tell("system", "get-state", name).output for name in "AB"] == ["good\n", "bad\n"]
    machine.block = BootBlock("A", "B")
    assert machine.tell("system", "set-state", "B", "bad").exit_code == 0
    assert machine.block == BootBlock("A"), "what is being written must not be started"
    assert machine.tell("system", "set-primary", "B").exit_code == 0
    assert machine.tell("system", "get-primary").output == "B\n"
    assert machine.block == BootBlock("A", "B")


def test_no_system_is_called_good_that_does_not_run(machine: Machine) -> None:
    assert machine.tell("system", "set-state", "B", "good").exit_code == 2
    assert machine.tell("system", "set-state", "A", "bad").exit_code == 2
    assert machine.tell("system", "get-friend").exit_code == 2
    assert machine.block == BootBlock("A")
    machine.runs("B", "feltd.trial")
    assert machine.tell("system", "set-state", "B", "good").exit_code == 0
    assert machine.block == BootBlock("B")


@pytest.mark.parametrize(
    ("compatible", "version", "code"),
    [("feltd-amd64", "0.8.0", 0), ("feltd-amd64", "0.7.0", 2), ("feltd-arm64", "0.9.0", 2)],
)
def test_rauc_itself_refuses_what_this_board_may_not_take(
    machine: Machine, tmp_path: Path, compatible: str, version: str, code: int
) -> None:
    manifest = tmp_path / "manifest.raucm"
    manifest.write_text(f"[update]\ncompatible={compatible}\nversion={version}\n", encoding="ascii")
    assert machine.tell("allowed", str(manifest)).exit_code == code


def test_a_machine_that_was_made_otherwise_is_told_so(tmp_path: Path) -> None:
    for arguments in (["status"], ["install", "/x.raucb"], ["good"], ["system", "get-primary"]):
        done = CliRunner().invoke(cli, ["update", *arguments])
        assert done.exit_code == 2
        assert "This board was not made from feltd's image" in done.output


def test_what_rauc_asks_is_not_shown_to_people() -> None:
    said = CliRunner().invoke(cli, ["update", "--help"]).output
    assert [name in said for name in ("  install ", "  status ", "  good ", "  system ", "  allowed ")] == [
        True, True, True, False, False,
    ]  # fmt: skip
    command = cli.get_command(click.Context(cli), "update")
    assert isinstance(command, click.Group)
    assert set(command.commands) == {"install", "status", "good", "call-back", "system", "allowed"}


# -- with RAUC itself


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two keys with certificates, and a bundle by the first of them."""
    lacking = [tool for tool in ("rauc", "mksquashfs", "openssl") if shutil.which(tool) is None]
    if lacking:
        pytest.skip("not installed: ")
    folder = tmp_path_factory.mktemp("signed")
    for name in ("ours", "theirs"):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
             "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem", "-subj", f"/CN={name}"],
            check=True, capture_output=True,
        )  # fmt: skip
    content = folder / "content"
    content.mkdir()
    (content / "root.ext4").write_bytes(secrets.token_bytes(20_000))  # what packs well is too short for RAUC
    text = "[update]\ncompatible=feltd-amd64\nversion=0.9.0\n[bundle]\nformat=verity\n"
    (content / "manifest.raucm").write_text(f"{text}[image.rootfs]\nfilename=root.ext4\n", encoding="ascii")
    keys = [f"--cert={folder / 'ours.pem'}", f"--key={folder / 'ours.key'}"]
    subprocess.run(["rauc", *keys, "bundle", content, folder / "good.raucb"], check=True, capture_output=True)
    return folder


@pytest.mark.parametrize(
    ("keyring", "cut", "words"),
    [
        ("ours.pem", 0, None),
        ("theirs.pem", 0, "its signature is not by a key that this board believes"),
        ("nobody.pem", 0, "this board has no certificate"),
        ("ours.pem", 1, "it is torn or damaged"),
        ("ours.pem", 4000, "it is torn or damaged"),
    ],
)
def test_what_rauc_says_of_a_bundle_is_understood(
    machine: Machine, signed: Path, tmp_path: Path, keyring: str, cut: int, words: str | None
) -> None:
    content = (signed / "good.raucb").read_bytes()
    (tmp_path / "x.raucb").write_bytes(content[: len(content) - cut])
    asked = ["rauc", f"--keyring={signed / keyring}", "info", "--output-format=json", str(tmp_path / "x.raucb")]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    machine.info = (told.returncode, told.stdout if told.returncode == 0 else told.stderr)
    done = machine.tell("install", "x.raucb")
    assert (words or "0.9.0 is installed as system B") in done.output
    assert len(written(machine.asked)) == (words is None)


# ---- two people


def table_in(folder: Path) -> Path:
    """The file of a table whose door is in this folder."""
    key = folder / "record.key"
    key.write_bytes(bytes(range(32)))
    file = folder / "table.toml"
    file.write_text(
        f'[table]\nname = "Table 7"\nrulebook = "tas-2018-holdem"\nseats = [1, 2, 3]\n'
        f'[journal]\npath = "{folder}/none.journal"\nsealing_key_file = "{key}"\n'
        f'[page]\naccounts = "{folder}/accounts.json"\n[door]\nsocket = "{folder}/door.sock"\n'
    )
    return file


class Allowing:
    """A table beside the board whose page has people: what they allow, in a loop and thread of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.loop = asyncio.new_event_loop()
        self.config = table_in(folder)

    def allow(self, version: str, approved: bool = True) -> None:
        asyncio.run_coroutine_threadsafe(self._allow(version, approved), self.loop).result()

    async def _allow(self, version: str, approved: bool) -> None:
        page = self.at.page
        for name, role in (("tess", Role.TECHNICIAN), ("sam", Role.SUPERVISOR)):
            if page.accounts.get(name) is None:
                page.accounts.add(name, role, SECRET)
        tess, sam = (Person(name, name, "", "10.0.0.4") for name in ("tess", "sam"))
        step = await page.door.ask_step(tess, StepKind.UPDATE, version, "as planned")
        if approved:
            await page.door.approve_step(sam, step.id)

    @property
    def states(self) -> list[str]:
        return [step["state"] for step in self.at.page.state()["steps"]]

    @contextmanager
    def running(self) -> Iterator["Allowing"]:
        thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        thread.start()
        stack = apart(self.folder)

        async def begin() -> Apart:
            at = await stack.__aenter__()
            at.bench.open_table()
            return at

        self.at = asyncio.run_coroutine_threadsafe(begin(), self.loop).result()
        try:
            yield self
        finally:
            asyncio.run_coroutine_threadsafe(stack.__aexit__(None, None, None), self.loop).result()
            self.loop.call_soon_threadsafe(self.loop.stop)
            thread.join()
            self.loop.close()


@pytest.fixture
def allowing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Allowing]:
    with Allowing(tmp_path_factory.mktemp("table")).running() as made:
        yield made


def test_a_version_that_two_people_have_allowed_is_installed_and_the_approval_is_used_up(
    machine: Machine, allowing: Allowing
) -> None:
    allowing.allow("0.9.0")
    done = machine.tell("install", "/x.raucb", "--together", str(allowing.config))
    assert (done.exit_code, "0.9.0 is installed" in done.output) == (0, True), done.output
    assert allowing.states == ["done"]
    again = machine.tell("install", "/x.raucb", "--together", str(allowing.config))
    assert (again.exit_code, "two people have allowed no update" in again.output) == (0, True)
    assert len(written(machine.asked)) == 1


@pytest.mark.parametrize("approved", [False, True])
def test_what_two_people_have_not_allowed_is_not_installed(
    machine: Machine, allowing: Allowing, approved: bool
) -> None:
    """Nobody approved it, or they allowed another version: that approval stays."""
    allowing.allow("0.9.1" if approved else "0.9.0", approved)
    done = machine.tell("install", "/x.raucb", "--together", str(allowing.config))
    assert done.exit_code == (2 if approved else 0)
    assert ("two people have not allowed 0.9.0" if approved else "have allowed no update") in done.output
    assert written(machine.asked) == []
    assert allowing.states == ["approved" if approved else "waiting"]


@pytest.mark.parametrize("who", ["tess", "sam"])
def test_nothing_is_installed_that_somebody_allowed_whose_account_is_shut_since(
    machine: Machine, allowing: Allowing, who: str
) -> None:
    allowing.allow("0.9.0")
    allowing.at.page.accounts.change(who, enabled=False)
    machine.tell("install", "/x.raucb", "--together", str(allowing.config))
    assert written(machine.asked) == []


def test_the_nightly_unit_asks_the_table_of_the_units_and_says_options_that_there_are(
    machine: Machine, allowing: Allowing, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    unit = (ROOT / "image/root/etc/systemd/system/feltd-update.service").read_text()
    [words] = [line.split()[1:] for line in unit.splitlines() if line.startswith("ExecStart=")]
    assert words[words.index("--door") + 1] in (ROOT / "systemd/felt-table.service").read_text()
    elsewhere = tmp_path / "elsewhere.sock"
    words[words.index("--door") + 1] = str(allowing.folder / "door.sock")
    text = allowing.config.read_text().replace(str(allowing.folder / "door.sock"), str(elsewhere))
    allowing.config.write_text(text)
    words[words.index("--together") + 1] = str(allowing.config)
    bundle = tmp_path / "x.raucb"
    monkeypatch.setattr("feltd.update.fetching.address_in", lambda _: str(bundle))
    allowing.allow("0.9.0")
    done = machine.tell(*words[1:])
    assert (done.exit_code, "0.9.0 is installed" in done.output) == (0, True), done.output


def test_where_the_table_cannot_be_asked_nothing_is_installed_for_two(machine: Machine, tmp_path: Path) -> None:
    done = machine.tell("install", "/x.raucb", "--together", str(table_in(tmp_path)))
    assert done.exit_code == 2
    assert "the table does not answer at" in done.output
    assert written(machine.asked) == []


# ---- the floor's two


TABLE = """\
[table]
name = "7"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
[journal]
path = "table.journal"
sealing_key_file = "k"
"""


@pytest.mark.parametrize(
    ("wished", "told", "installs"),
    [
        (None, "the floor wishes no version yet, and 0.8.0 runs", False),
        ("0.8.0", "the floor wishes 0.8.0, and 0.8.0 runs", False),
        ("0.9.1", "it has 0.9.0, and the floor wishes 0.9.1", False),
        ("0.9.0", "0.9.0 is installed", True),
    ],
)
def test_by_itself_a_board_installs_what_the_floor_wishes_where_the_file_lets_it(
    machine: Machine, wished: str | None, told: str, installs: bool
) -> None:
    folder, table = machine.root, machine.root / "table.toml"
    table.write_text(f'{TABLE}[floor]\nkeys = ["{FLOOR.public.hex()}"]\nversions = true\n')
    if wished is not None:
        (folder / "floor.json").write_text(floor_file(signed_wish(wished)))
    done = machine.tell("install", "/x.raucb", "--together", str(table))
    assert (done.exit_code, told in done.output) == (0, True), done.output
    assert bool(written(machine.asked)) is installs


@pytest.mark.parametrize(
    "wish",
    [
        {"number": 4, "version": "0.9.0"},
        {**signed_wish("0.9.0"), "order": signed_wish("0.9.1")["order"]},
        {**signed_wish("0.9.0"), "journal": "01" * 16},
        {**signed_wish("0.9.0"), "made": None},
        {**signed_wish("0.9.0"), "until": float("inf")},
        {**signed_wish("0.9.0"), "order": 5},
        {**signed_wish("0.9.0"), "signature": [1]},
        signed_wish("0.9.0", FloorKey(Ed25519PrivateKey.generate())),
        signed_wish("newest"),
        "0.9.0",
    ],
)
def test_what_the_tables_user_writes_there_without_the_floor_is_not_installed(machine: Machine, wish: Any) -> None:
    table = machine.root / "table.toml"
    table.write_text(f'{TABLE}[floor]\nkeys = ["{FLOOR.public.hex()}"]\nversions = true\n')
    (machine.root / "floor.json").write_text(floor_file(wish))
    done = machine.tell("install", "/x.raucb", "--together", str(table))
    assert (done.exit_code, "no key of the floor" in done.output) == (2, True), done.output
    assert written(machine.asked) == []


def test_a_table_whose_file_has_faults_lets_nothing_come_by_itself(machine: Machine) -> None:
    table = machine.root / "table.toml"
    table.write_text("[table")
    done = machine.tell("install", "/x.raucb", "--together", str(table))
    assert (done.exit_code, "not known which version" in done.output) == (2, True)
    assert written(machine.asked) == []

"""What is wrong with the computer under a table, read from a folder made like the kernel's."""

import asyncio
import errno
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from feltd.page.api.device_models import BoardView
from feltd.table.host import board_watch
from feltd.table.host.board_watch import (
    TELL_AGAIN,
    WRITE_EVERY,
    BoardWatch,
    is_read_only,
    median_sync,
    refuses_sync,
    refuses_writes,
)
from feltd.text.board import BoardTrouble, remedy_of
from feltd.text.language import Language, speaking
from tests.feltd.blocks_support import block, number_of

OLD_KERNEL = "devices/platform/soc/soc:firmware/get_throttled"


class Board:
    """A computer whose supply and disk are as the test says."""

    def __init__(self, folder: Path) -> None:
        self.system, self.record = folder / "sys", folder / "record"
        self.record.mkdir()
        self.time = 0.0
        self.said: list[str] = []
        self.watch = BoardWatch(self.record, self.said.append, self.system, lambda: self.time)

    def say(self, file: str, text: str) -> None:
        path = self.system / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")

    def sags(self, bits: str) -> None:
        self.say(OLD_KERNEL, bits)

    def alarm(self, on: int) -> None:
        self.say("class/hwmon/hwmon1/name", "rpi_volt")
        self.say("class/hwmon/hwmon1/in0_lcrit_alarm", str(on))

    def on_a_disk(self, name: str) -> None:
        """On a partition of it, within an encrypted volume."""
        block(self.system, f"{name}p2", "179:2", part_of=name)
        block(self.system, "dm-0", number_of(self.record), on=[f"{name}p2"], dm=["CRYPT-LUKS2-1", "data"])

    def look(self) -> tuple[BoardTrouble, ...]:
        self.watch.take(self.watch.look())
        return self.watch.troubles


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return Board(tmp_path)


def _turn_read_only(monkeypatch: pytest.MonkeyPatch, *, on: bool) -> None:
    flag = os.ST_RDONLY if on else 0
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=flag | os.ST_NOATIME))


def test_a_board_that_says_nothing_has_no_trouble(board: Board) -> None:
    assert (board.look(), board.said) == ((), [])


def test_a_supply_that_sags_is_named_with_its_remedy_and_remembered(board: Board) -> None:
    board.sags("0")
    assert board.look() == ()
    board.sags("50005")
    assert board.look() == (BoardTrouble.SUPPLY_LOW,)
    [said] = board.said
    assert said.startswith(
        "board: the controller's supply is too low now. Take the supply that the board's maker sells"
    )
    board.sags("50000")
    assert board.look() == (BoardTrouble.SUPPLY_WAS_LOW,)
    assert len(board.said) == 1  # the same sag is not told twice


def test_a_supply_that_sagged_before_feltd_started_is_told(board: Board) -> None:
    board.sags("0x50000")
    assert board.look() == (BoardTrouble.SUPPLY_WAS_LOW,)
    assert "has been too low since its start" in board.said[0]


def test_a_kernel_without_a_flag_of_the_time_before_has_it_kept(board: Board) -> None:
    board.alarm(1)
    assert board.look() == (BoardTrouble.SUPPLY_LOW,)
    board.alarm(0)
    assert board.look() == (BoardTrouble.SUPPLY_WAS_LOW,)


def test_a_supply_that_flickers_is_told_once_in_ten_minutes(board: Board) -> None:
    for _ in range(20):
        board.alarm(1)
        board.look()
        board.alarm(0)
        board.look()
        board.time += 10
    assert len(board.said) == 1
    board.time = TELL_AGAIN
    board.alarm(1)
    board.look()
    assert len(board.said) == 2


def test_a_disk_that_turns_read_only_is_told_each_time_and_when_it_is_over(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_read_only(board.record)
    for _ in range(2):
        _turn_read_only(monkeypatch, on=True)
        assert board.look() == (BoardTrouble.DISK_READ_ONLY,)
        assert "use another card" in board.said[-1]
        _turn_read_only(monkeypatch, on=False)
        assert board.look() == ()
        assert board.said[-1] == "board: the disk of the record takes writes again"
    assert len(board.said) == 4


@pytest.mark.parametrize(
    ("call", "fault", "refused"),
    [
        ("open", errno.EROFS, True),
        ("write", errno.EROFS, True),
        ("fsync", errno.EIO, True),
        ("fsync", errno.ENOSPC, False),
        ("open", errno.EOPNOTSUPP, False),
    ],
)
def test_a_disk_whose_mount_still_says_that_it_takes_writes_is_found_out_by_a_write(
    board: Board, monkeypatch: pytest.MonkeyPatch, call: str, fault: int, refused: bool
) -> None:
    def fails(*_: object) -> int:
        raise OSError(fault, os.strerror(fault))

    with monkeypatch.context() as broken:
        broken.setattr(os, call, fails)
        troubles = board.look()
    assert troubles == ((BoardTrouble.DISK_READ_ONLY,) if refused else ())
    assert len(board.said) == refused


def test_a_disk_is_written_to_now_and_then_and_at_each_look_while_it_refuses(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [False, True, True, False]
    tried = list[float]()

    def answer(_: Path) -> bool:
        tried.append(board.time)
        return answers.pop(0)

    monkeypatch.setattr(board_watch, "refuses_writes", answer)
    found = list[bool]()
    for board.time in (0.0, 5.0, WRITE_EVERY - 1, WRITE_EVERY, WRITE_EVERY + 5, WRITE_EVERY + 10, WRITE_EVERY + 15):
        found.append(bool(board.look()))
    assert tried == [0.0, WRITE_EVERY, WRITE_EVERY + 5, WRITE_EVERY + 10]
    assert found == [False, False, False, True, True, False, False]
    assert board.said[-1] == "board: the disk of the record takes writes again"


def test_a_try_leaves_nothing_and_a_folder_that_is_gone_refuses_nothing(tmp_path: Path) -> None:
    assert not refuses_writes(tmp_path)
    assert not refuses_sync(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert not refuses_writes(tmp_path / "gone")
    assert not refuses_sync(tmp_path / "gone")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """An ext4 of its own on a loop device, as the image mounts it."""
    file, place = tmp_path / "disk", tmp_path / "mounted"
    place.mkdir()
    with file.open("wb") as made:
        made.truncate(16 << 20)
    tried = ("mkfs.ext4", "-q", file), ("mount", "-o", "loop,errors=remount-ro", file, place)
    try:
        for command in tried:
            subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no loop device, or not root")
    yield place
    subprocess.run(["umount", place], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a disk")
def test_an_ext4_that_met_a_fault_takes_no_writes_whatever_its_mount_says(disk: Path) -> None:
    assert not refuses_writes(disk)
    assert not refuses_sync(disk)
    source = subprocess.run(["findmnt", "-no", "SOURCE", disk], check=True, capture_output=True, text=True).stdout
    trigger = Path("/sys/fs/ext4", Path(source.strip()).name, "trigger_fs_error")
    if not trigger.exists():
        pytest.skip("this kernel makes no fault on demand")
    trigger.write_text("1")
    assert refuses_writes(disk)
    assert is_read_only(disk) or refuses_sync(disk)


def test_a_folder_that_is_gone_is_no_read_only_disk(tmp_path: Path) -> None:
    assert not is_read_only(tmp_path / "gone")
    assert median_sync(tmp_path / "gone") is None


@pytest.mark.parametrize(
    ("disk", "seconds", "doubted"),
    [("mmcblk0", 0.000_03, True), ("mmcblk0", 0.000_9, False), ("nvme0n1", 0.000_03, False)],
)
def test_a_card_that_lies_about_a_sync_is_doubted(
    board: Board, monkeypatch: pytest.MonkeyPatch, disk: str, seconds: float, doubted: bool
) -> None:
    board.on_a_disk(disk)
    monkeypatch.setattr(board_watch, "median_sync", lambda _: seconds)
    found = _after_a_first_look(board)
    assert found == ((BoardTrouble.SYNC_DOUBTED,) if doubted else ())
    assert len(board.said) == doubted


def test_a_sync_is_measured_in_a_file_that_leaves_nothing(tmp_path: Path) -> None:
    ticks = iter(number * 0.25 for number in range(1000))
    assert median_sync(tmp_path, lambda: next(ticks)) == 0.25
    assert list(tmp_path.iterdir()) == []


def test_only_a_card_is_written_to(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    def writes(_: Path) -> float:
        raise AssertionError("a disk that is no card is not written to for this")

    monkeypatch.setattr(board_watch, "median_sync", writes)
    assert _after_a_first_look(board) == ()


def _after_a_first_look(board: Board) -> tuple[BoardTrouble, ...]:
    """The troubles after the first look of a watch that runs."""

    async def run() -> None:
        looked = asyncio.Event()
        take = board.watch.take

        def taken(found: Sequence[BoardTrouble]) -> None:
            take(found)
            looked.set()

        board.watch.take = taken  # type: ignore[method-assign]
        task = asyncio.create_task(board.watch.run())
        await looked.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(run())
    return board.watch.troubles


@pytest.fixture
def german() -> Iterator[None]:
    with speaking(Language.GERMAN):
        yield


def test_the_log_is_english_and_the_page_speaks_its_readers_language(board: Board, german: None) -> None:
    board.alarm(1)
    board.look()
    assert board.said[0].startswith("board: the controller's supply")
    [shown] = BoardView._in_words(board.watch.troubles)
    assert shown.words == "Die Versorgung der Steuerung ist jetzt zu niedrig"
    assert shown.remedy.startswith("Das Netzteil des Herstellers")


@pytest.mark.parametrize("trouble", BoardTrouble)
def test_each_trouble_has_a_remedy(trouble: BoardTrouble) -> None:
    assert remedy_of(trouble).endswith(".")

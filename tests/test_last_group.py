"""The group in which the bench keeps a page where its unit has it."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench import last_group


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that makes a group's files, as the kernel does, in each folder that is made in it."""
    made, mkdir, rmdir = tmp_path / "cpu", Path.mkdir, Path.rmdir
    made.mkdir()

    def as_the_kernel(folder: Path, *args: object, **kwargs: object) -> None:
        mkdir(folder)
        if folder.parent == made:
            (folder / "cpu.idle").write_text("0")
            (folder / "cgroup.procs").write_text("")

    def of_the_kernel(folder: Path) -> None:
        if folder.parent == made:
            for name in ("cpu.idle", "cgroup.procs"):
                (folder / name).unlink(missing_ok=True)
        rmdir(folder)

    monkeypatch.setattr(Path, "mkdir", as_the_kernel)
    monkeypatch.setattr(Path, "rmdir", of_the_kernel)
    return made


def test_the_group_is_idle_as_a_whole_has_who_is_put_into_it_and_goes_behind_the_block(root: Path) -> None:
    def folders() -> list[Path]:
        return list(root.iterdir())

    async def measured() -> None:
        async with last_group.last_group((root,)) as group:
            assert group is not None
            assert [(folder / "cpu.idle").read_text() for folder in folders()] == ["1"]
            assert not group.has(4711)
            group.take(4711)
            assert group.has(4711)
            assert not group.has(471)

    asyncio.run(measured())
    assert folders() == []


def test_without_such_groups_there_is_none_and_nothing_is_left(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    assert last_group.make_last_group((tmp_path / "missing", plain)) is None
    assert list(plain.iterdir()) == [], "a folder whose group has no cpu.idle would have a share"


def test_a_page_that_is_started_anew_is_put_into_it_too(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_group, "LOOK_EVERY", 0)
    pages = [None, 11, 11, None, 12]
    asked: list[int | None] = []

    async def measured() -> None:
        over = asyncio.Event()

        def process() -> int | None:
            asked.append(pages[min(len(asked), len(pages) - 1)])
            if len(asked) > len(pages):
                over.set()
            return asked[-1]

        group = last_group.make_last_group((root,))
        assert group is not None
        took: list[int] = []
        monkeypatch.setattr(type(group), "take", lambda _, pid: took.append(pid))
        async with last_group.kept_in(group, process):
            await over.wait()
        assert took == [11, 12]

    asyncio.run(measured())


@pytest.fixture
def somebody() -> Iterator[subprocess.Popen[bytes]]:
    """A process that ends at the end of its input."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, cwd="/") as process:
        yield process
        process.kill()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_the_kernel_has_a_process_in_the_group_and_lets_it_go_when_it_has_ended(
    somebody: subprocess.Popen[bytes],
) -> None:
    async def measured() -> None:
        async with last_group.last_group() as group:
            if group is None:
                pytest.skip("the kernel has no groups that are idle as a whole, or lets nobody make one")
            group.take(somebody.pid)
            assert group.has(somebody.pid)
            somebody.communicate(b"\n")
            group.take(somebody.pid)  # it has ended: left be

    asyncio.run(measured())

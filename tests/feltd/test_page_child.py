"""The page's process beside a table: one that serves, one that cannot, one that hangs; started again, and ended."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from feltd.launcher import page_child
from feltd.launcher.page_child import PageChild, PageChildError
from tests.running import eventually

SERVES = "import sys; print('http://127.0.0.1:1', flush=True); sys.stdin.read()"
"""As a page does: it says its address, and ends with the table's end of the pipe."""
CANNOT = "pass"
HANGS = "import sys; sys.stdin.read()"
ENDS_AT_ONCE = "print('http://127.0.0.1:1', flush=True)"


def child(tmp_path: Path, code: str) -> PageChild:
    made = PageChild(tmp_path / "table.toml", tmp_path / "door")
    made._command = [sys.executable, "-c", code]
    return made


def test_a_page_that_serves_is_named_and_ended(tmp_path: Path) -> None:
    async def scene() -> None:
        page = child(tmp_path, SERVES)
        assert await page.start() == "http://127.0.0.1:1"
        process = page._process
        assert process is not None
        await page.end()
        assert process.returncode is not None
        await page.end()

    asyncio.run(scene())


def test_a_page_is_nicer_than_its_table_within_its_session_and_takes_no_key_of_its_terminal(tmp_path: Path) -> None:
    """Linux shares the processors among sessions first: in one of its own a page would yield to nobody."""

    async def scene() -> None:
        page = child(tmp_path, SERVES)
        await page.start()
        assert page._process is not None
        pid = page._process.pid
        assert os.getsid(pid) == os.getsid(0)
        assert os.getpgid(pid) == pid
        ours = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, pid) == min(19, ours + page_child.YIELDS)
        assert os.sched_getscheduler(pid) == os.SCHED_BATCH
        await page.end()

    asyncio.run(scene())


def test_a_page_that_cannot_be_served_says_why_itself(tmp_path: Path) -> None:
    with pytest.raises(PageChildError, match="the lines above say why"):
        asyncio.run(child(tmp_path, CANNOT).start())


def test_a_page_that_hangs_at_its_start_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the table, which is at work, would neither say that it is ready nor end when it is told to."""
    monkeypatch.setattr(page_child, "SERVES_WITHIN", 0.01)

    async def scene() -> None:
        page = child(tmp_path, HANGS)
        with pytest.raises(PageChildError, match=r"has not come to serve within 0\.01 s"):
            await page.start()
        assert page._process is None

    asyncio.run(scene())


def test_a_page_that_ends_is_started_again_and_a_start_that_fails_is_tried_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(page_child, "AGAIN_AFTER", 0.0)
    monkeypatch.setattr(page_child, "AGAIN_AFTER_MOST", 0.0)
    starts: list[str] = []

    async def scene() -> str:
        page = child(tmp_path, ENDS_AT_ONCE)
        start = page.start

        async def counted() -> str:
            starts.append("")
            page._command[-1] = (ENDS_AT_ONCE, CANNOT, SERVES)[len(starts) - 1]
            return await start()

        monkeypatch.setattr(page, "start", counted)
        first: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        keeping = asyncio.ensure_future(page.keep(first))
        await eventually(lambda: "page at http://127.0.0.1:1" in caplog.messages)
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
        await page.end()
        return await first

    caplog.set_level("INFO")
    assert asyncio.run(scene()) == "page at http://127.0.0.1:1"
    assert len(starts) == 3
    assert "the page has ended (0) and is started again in 0 s; the table goes on" in caplog.messages


def test_a_page_that_is_killed_again_and_again_is_started_less_and_less_until_it_serves_for_long(
    tmp_path: Path,
) -> None:
    now, pauses = 0.0, list[float]()
    served_for = [1.0, 1.0, page_child.SERVES_AT_LEAST, *([1.0] * 6)]

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == len(served_for):
            raise asyncio.CancelledError

    def clock() -> float:
        """Each page is looked at twice: as it begins to serve, and when it has ended."""
        nonlocal now
        looks.append(now)
        if len(looks) % 2 == 0:
            now += served_for[len(looks) // 2 - 1]
        return now

    looks: list[float] = []
    page = PageChild(tmp_path / "table.toml", tmp_path / "door", clock, sleep)
    page._command = [sys.executable, "-S", "-c", ENDS_AT_ONCE]

    async def scene() -> None:
        keeping = asyncio.ensure_future(page.keep(asyncio.get_running_loop().create_future()))
        await asyncio.gather(keeping, return_exceptions=True)

    asyncio.run(scene())
    assert pauses == [1, 2, 1, 2, 4, 8, 16, 30, 30]


@pytest.mark.parametrize(
    ("code", "words"),
    [(CANNOT, "NO PAGE YET: the page cannot be served"), (HANGS, "NO PAGE YET: it has not come to serve within 0.3 s")],
)
def test_a_table_whose_page_is_not_served_is_at_work_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, code: str, words: str
) -> None:
    made = child(tmp_path, code)
    monkeypatch.setattr(page_child, "PageChild", lambda *_: made)
    monkeypatch.setattr(page_child, "WAITED_FOR", 0.3 if code == HANGS else 60.0)

    async def scene() -> str:
        async with page_child.page_beside(tmp_path / "table.toml")(tmp_path / "door") as told:
            return told

    assert asyncio.run(scene()).startswith(words)
    assert ("the page is tried again" in caplog.text) is (code == CANNOT)
    assert made._process is None


def test_a_page_that_is_slow_is_waited_for_and_said_when_it_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A machine at its limits needs longer than the table waits: its page must come all the same."""
    go = tmp_path / "go"
    os.mkfifo(go)
    made = child(tmp_path, f"open({str(go)!r}).read(); {SERVES}")
    monkeypatch.setattr(page_child, "PageChild", lambda *_: made)
    monkeypatch.setattr(page_child, "WAITED_FOR", 0.01)

    async def scene() -> None:
        async with page_child.page_beside(tmp_path / "table.toml")(tmp_path / "door") as told:
            assert told.startswith("NO PAGE YET: it has not come to serve")
            await asyncio.to_thread(go.write_text, "")
            await eventually(lambda: "page at http://127.0.0.1:1" in caplog.messages)

    caplog.set_level("INFO")
    asyncio.run(scene())


def test_a_process_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    page = child(tmp_path, SERVES)
    page._command = [str(tmp_path / "no-python")]
    with pytest.raises(PageChildError, match="cannot be started: No such file"):
        asyncio.run(page.start())

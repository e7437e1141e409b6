"""The page's process beside a table: one that serves, one that cannot, one that hangs; started again, and ended."""

import asyncio
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


def test_a_page_that_was_too_slow_gets_twice_the_time_up_to_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a machine at its limits would start a page and end it for ever."""
    monkeypatch.setattr(page_child, "SERVES_WITHIN", 0.01)
    monkeypatch.setattr(page_child, "SERVES_WITHIN_MOST", 0.03)

    async def scene() -> None:
        page = child(tmp_path, HANGS)
        for seconds in ("0.01", "0.02", "0.03", "0.03"):
            with pytest.raises(PageChildError, match=f"within {seconds} s"):
                await page.start()

    asyncio.run(scene())


def test_a_page_that_ends_is_started_again_and_a_start_that_fails_is_tried_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_child, "AGAIN_AFTER", 0.0)
    monkeypatch.setattr(page_child, "AGAIN_AFTER_MOST", 0.0)
    starts: list[str] = []

    async def scene() -> None:
        page = child(tmp_path, ENDS_AT_ONCE)
        await page.start()
        start = page.start

        async def counted() -> str:
            starts.append("")
            page._command[-1] = CANNOT if len(starts) == 1 else SERVES
            return await start()

        monkeypatch.setattr(page, "start", counted)
        keeping = asyncio.ensure_future(page.keep())
        await eventually(lambda: len(starts) == 2)
        await eventually(lambda: page._process is not None)
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
        await page.end()

    asyncio.run(scene())


def test_a_table_whose_page_cannot_be_served_is_at_work_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = child(tmp_path, CANNOT)
    monkeypatch.setattr(page_child, "PageChild", lambda *_: made)

    async def scene() -> str:
        async with page_child.page_beside(tmp_path / "table.toml")(tmp_path / "door") as words:
            return words

    assert asyncio.run(scene()).startswith("NO PAGE YET: the page cannot be served")
    assert "the page is tried again" in caplog.text

"""The page in real browsers: from an event to what ten tabs show, and the first view of a page nobody has open yet."""

import asyncio
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from playwright.async_api import Browser, CDPSession, Page, async_playwright

from table_fsm.events import Event
from tests.bench.report import Row, Spread, micro
from tests.bench.serving import PACE, Serving, serving
from tests.bench.watching import arrivals
from tests.chromium import CHROMIUM

TABS: Final = 10
SHOWN_GOAL: Final = 200e3  # microseconds, p99
BYTES_GOAL: Final = 75_000
DRAWN_GOAL: Final = 250e3  # microseconds, p50
BUSY_GOAL: Final = 2.0
"""Percent of the time in which a tab's main thread is at work while a table plays."""
PLAYED: Final = 0.5
"""Seconds between two events of a table that plays: a brisk dealer, two cards or bets a second."""
BUSY_EVENTS: Final = 30

_WATCH: Final = """() => {
    window.heard = [];
    const health = document.getElementById("health");
    new MutationObserver(() => {
        const told = [...health.querySelectorAll("dd")].map((one) => parseInt(one.textContent, 10));
        const entries = told.find((number) => number >= 0);
        if (entries >= 0) window.heard.push([entries, (performance.timeOrigin + performance.now()) / 1000]);
    }).observe(health, { childList: true, subtree: true, characterData: true });
}"""
_DRAWN: Final = """() => new Promise((done) => {
    const drawn = () => document.querySelector("#table .seat") && document.getElementById("prompt").textContent;
    const told = () => {
        const [page] = performance.getEntriesByType("navigation");
        const paint = performance.getEntriesByName("first-contentful-paint")[0];
        if (!drawn() || !page.domContentLoadedEventEnd || !paint) return requestAnimationFrame(told);
        const asked = [page, ...performance.getEntriesByType("resource")];
        const loaded = asked.filter((one) => !one.name.endsWith("/stream"));
        const bytes = loaded.reduce((sum, one) => sum + one.transferSize, 0);
        done({ bytes, drawn: Math.max(page.domContentLoadedEventEnd, paint.startTime), asked: loaded.length });
    };
    told();
})"""


def measure(directory: Path, events: Sequence[Event], views: int) -> list[Row]:
    """The lines; one that says so where there is no Chromium."""
    chromium = shutil.which("chromium") or CHROMIUM  # a person's has a window, which the figures have too
    if chromium is None:
        return [Row("The page in Chromium", "not measured: there is none on this machine")]
    return asyncio.run(_measure(directory / "browsing", events, views, chromium))


async def _measure(folder: Path, events: Sequence[Event], views: int, chromium: str) -> list[Row]:
    async with serving(folder) as table, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        first, rest = events[: len(events) // 2], events[len(events) // 2 :]
        await table.take(first)  # a table in the middle of a round has the most to show
        rows = await _first_view(browser, table, views)
        many = min(2 * BUSY_EVENTS, len(rest) // 2)
        busy, rest = rest[:many], rest[many:]
        rows += await _busy(browser, table, busy)
        rows.append(await _shown(browser, table, rest))
        await browser.close()
    return rows


async def _tab(browser: Browser, table: Serving) -> Page:
    context = await browser.new_context(viewport={"width": 768, "height": 1024})
    tab = await context.new_page()
    await tab.goto(f"http://127.0.0.1:{table.port}/", wait_until="commit")
    return tab


async def _first_view(browser: Browser, table: Serving, views: int) -> list[Row]:
    seen: list[dict[str, Any]] = []
    for _ in range(views + 1):
        tab = await _tab(browser, table)
        seen.append(await tab.evaluate(_DRAWN))
        await tab.context.close()
    cold = seen[1:]  # the first one starts the browser's own processes
    most = max(view["bytes"] for view in cold)
    drawn = Spread.of([view["drawn"] * 1e3 for view in cold])
    return [
        Row(f"First view of the table, loaded and drawn, {views} cold browsers", str(drawn),
            goal=f"p50 under {micro(DRAWN_GOAL)}", reached=drawn.p50 < DRAWN_GOAL),
        Row(f"– bytes on the wire, {cold[0]['asked']} answers", f"{most / 1000:.1f} kB",
            goal=f"under {BYTES_GOAL / 1000:.0f} kB", reached=most < BYTES_GOAL),
    ]  # fmt: skip


async def _shown(browser: Browser, table: Serving, events: Sequence[Event]) -> Row:
    tabs = [await _tab(browser, table) for _ in range(TABS)]
    for tab in tabs:
        await tab.evaluate(_DRAWN)
        await tab.evaluate(_WATCH)
    taken = await table.take(events)
    await asyncio.sleep(1.0)  # the last state is on its way
    heard = [json.loads(await tab.evaluate("() => JSON.stringify(window.heard)")) for tab in tabs]
    spread = Spread.of([seconds * 1e6 for seconds in arrivals(taken, heard)])
    return Row(
        f"Event to what {TABS} open tabs show, {len(events)} events",
        str(spread),
        goal=f"p99 under {micro(SHOWN_GOAL)}",
        reached=spread.p99 < SHOWN_GOAL,
    )


async def _busy(browser: Browser, table: Serving, events: Sequence[Event]) -> list[Row]:
    """The share of a tab's main thread, its scripts, style, layout and painting: half of the events at a dealer's pace,
    half as fast as they are told."""
    tab = await _tab(browser, table)
    await tab.evaluate(_DRAWN)
    await asyncio.sleep(1.0)  # what the first view still does
    told = await tab.context.new_cdp_session(tab)
    # Its own time: what it waits for a processor is no work of the page.
    await told.send("Performance.enable", {"timeDomain": "threadTicks"})
    half = len(events) // 2
    shares = []
    for some, pace in ((events[:half], PLAYED), (events[half:], PACE)):
        began, worked = perf_counter(), await task_seconds(told)
        await table.take(some, pace)
        shares.append(100 * (await task_seconds(told) - worked) / (perf_counter() - began))
    await tab.context.close()
    played, fastest = shares
    return [
        Row(f"Main thread of a tab while a table plays, an event each {PLAYED} s", f"{played:.1f} %",
            goal=f"at most {BUSY_GOAL:.0f} %", reached=played <= BUSY_GOAL),
        Row(f"– an event each {PACE} s, a state each 0.1 s", f"{fastest:.1f} %"),
    ]  # fmt: skip


async def task_seconds(told: CDPSession) -> float:
    metrics = (await told.send("Performance.getMetrics"))["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration"))

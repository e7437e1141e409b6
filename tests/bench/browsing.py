"""The page in real browsers: from an event to what ten tabs show, and the first view of a page nobody has open yet."""

import asyncio
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Browser, Page, async_playwright

from table_fsm.events import Event
from tests.bench.report import Row, Spread, micro
from tests.bench.serving import Serving, serving
from tests.bench.watching import arrivals

TABS: Final = 10
SHOWN_GOAL: Final = 200e3  # microseconds, p99
BYTES_GOAL: Final = 200_000
DRAWN_GOAL: Final = 300e3  # microseconds, p50

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
    chromium = shutil.which("chromium")
    if chromium is None:
        return [Row("The page in Chromium", "not measured: there is none on this machine")]
    return asyncio.run(_measure(directory / "browsing", events, views, chromium))


async def _measure(folder: Path, events: Sequence[Event], views: int, chromium: str) -> list[Row]:
    async with serving(folder) as table, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        first, rest = events[: len(events) // 2], events[len(events) // 2 :]
        await table.take(first)  # a table in the middle of a round has the most to show
        rows = await _first_view(browser, table, views)
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

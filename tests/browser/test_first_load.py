"""How many bytes the first load of a page takes, all scripts and answers, on the wire: `-s` prints them."""

from typing import Final

from playwright.sync_api import Page, expect

from feltd.page.access.roles import Role
from feltd.page.modules import imported
from tests.browser.conftest import sign_in
from tests.browser.served import Served

MOST: Final = 75_000
"""Bytes, with the headers of each answer; without the stream, which goes on."""


def test_the_first_load_of_a_table_is_small(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.SUPERVISOR, "/sign-in")
    network = tab.context.new_cdp_session(tab)
    network.send("Network.enable")
    network.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes: list[int] = []
    asked: list[tuple[str, str]] = []
    network.on("Network.requestWillBeSent", lambda one: asked.append((one["request"]["url"], one["initiator"]["type"])))
    network.on("Network.loadingFinished", lambda answer: sizes.append(answer["encodedDataLength"]))
    tab.goto(table.address)
    expect(tab.locator("#live")).to_have_text("live")
    expect(tab.locator("#acts button").first).to_be_visible()  # the words have come, which are asked for last
    print(f"{sum(sizes) / 1000:.1f} kB, {len(sizes)} answers")
    assert 20 < len(sizes) < 40
    assert sum(sizes) <= MOST
    scripts = [(address.rpartition("/")[2], by) for address, by in asked if address.endswith(".js")]
    # Each is asked for by the page's text, and once: none waits until another has been read.
    assert sorted(scripts) == sorted((name, "parser") for name in ("table.js", *imported("table.js")))

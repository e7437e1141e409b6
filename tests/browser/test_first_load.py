"""How many bytes the first load of a page takes, all scripts and answers, on the wire: `-s` prints them."""

from typing import Any, Final

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
    sizes: dict[str, int] = {}
    asked: list[dict[str, Any]] = []
    network.on("Network.requestWillBeSent", lambda one: asked.append(one))
    network.on(
        "Network.loadingFinished", lambda answer: sizes.update({answer["requestId"]: answer["encodedDataLength"]})
    )
    tab.goto(table.address)
    expect(tab.locator("#live")).to_have_text("live")
    expect(tab.locator("#acts button").first).to_be_visible()  # the words have come, which are asked for last
    # What the page of before the sign-in asked for last may end only now, and is no part of this load.
    loads = [one["loaderId"] for one in asked if one.get("type") == "Document"][-1]
    load = [one for one in asked if one["loaderId"] == loads]
    bytes_of = [sizes[one["requestId"]] for one in load if one["requestId"] in sizes]
    print(f"{sum(bytes_of) / 1000:.1f} kB, {len(bytes_of)} answers")
    assert 20 < len(bytes_of) < 40
    assert sum(bytes_of) <= MOST
    scripts = [
        (one["request"]["url"].rpartition("/")[2], one["initiator"]["type"])
        for one in load
        if one["request"]["url"].endswith(".js")
    ]
    # Each is asked for by the page's text, and once: none waits until another has been read.
    assert sorted(scripts) == sorted((name, "parser") for name in ("table.js", *imported("table.js")))

"""The simulated table worked by hand in a real browser: take over, deal wrongly, read the ruling with its clause."""

import json
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import TABLET, WIDE
from tests.browser.test_door import violations
from tests.feltd.simulated_support import simulated_table


@pytest.fixture
def table(tmp_path: Path) -> Iterator[str]:
    """The address of a table that is simulated."""
    with simulated_table(tmp_path) as address:
        yield address


@pytest.fixture
def simulated(table: str) -> str:
    """The same, by what it is."""
    return table


def prompt(address: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{address}/api/v1/state") as answer:
        found: dict[str, Any] = json.load(answer)["table"]["prompt"] or {}
    return found


def take_over(tab: Page, address: str) -> None:
    """Through the nav; what is left of the dealer's round is ended, and a deal begun."""
    tab.goto(f"{address}/")
    tab.get_by_role("link", name="Simulated", exact=True).click()
    tab.get_by_role("button", name="Take over").click()
    expect(tab.locator("#whose")).to_have_text("You deal. The dealer waits.")
    if "shuffle" not in prompt(address):
        tab.get_by_role("button", name="Declare a misdeal").click()
    tab.get_by_role("button", name="Collect and shuffle").click()
    expect(tab.locator("#prompt")).to_have_text(re.compile("^Cut the cards"))


def deal_the_first(tab: Page) -> int:
    """The cut, the blinds that do not stand from before, the first card; the seat that is due the second one."""
    shown = tab.locator("#prompt")
    dealt = False
    while not dealt:
        before = shown.inner_text()
        dealt = before.startswith("Deal to seat")
        tab.get_by_role("button", name="Do what the table asks").click()
        expect(shown).not_to_have_text(before)
        expect(tab.locator("#refusal")).to_have_text("")
    due = re.fullmatch(r"Deal to seat (\d+), face down", shown.inner_text())
    assert due is not None
    return int(due[1])


def test_a_card_dealt_out_of_turn_is_ruled_on_with_its_clause(simulated: str, tab: Page) -> None:
    take_over(tab, simulated)
    due = deal_the_first(tab)
    tab.get_by_role("button", name=f"Seat {due}", exact=True).click()
    expect(tab.locator("#prompt")).not_to_have_text(f"Deal to seat {due}, face down")
    asked = tab.locator("#prompt").inner_text()
    wrong = next(seat for seat in (1, 5, 8) if seat != due and f"seat {seat}," not in asked)
    before = tab.locator("#answers li").count()
    tab.get_by_role("button", name=f"Seat {wrong}", exact=True).press("Enter")
    expect(tab.locator("#answers li")).to_have_count(before + 1)
    ruling = tab.locator("#answers li").first
    expect(ruling.locator(".clause")).to_have_text(re.compile(r"\d"))
    expect(ruling).to_contain_text(f"A card was dealt out of turn, seat {wrong}")
    tab.get_by_role("button", name="Hand back to the dealer").click()
    expect(tab.locator("#whose")).to_have_text("The simulated dealer deals.")
    expect(tab.get_by_role("button", name="Jam it")).to_be_disabled()


def test_a_flashed_card_is_ruled_on_where_it_was_dealt(simulated: str, tab: Page) -> None:
    take_over(tab, simulated)
    due = deal_the_first(tab)
    seat = tab.get_by_role("button", name=f"Seat {due}", exact=True)
    seat.click()
    expect(tab.locator("#prompt")).not_to_have_text(f"Deal to seat {due}, face down")
    tab.get_by_role("radio", name="flashes a card").check()
    seat.click()
    expect(tab.locator("#answers")).to_contain_text(f"A hole card was exposed, seat {due}")


def test_a_jam_and_an_open_box_light_the_lamps_and_what_is_refused_is_told(simulated: str, tab: Page) -> None:
    """And an axe strikes nothing then: to start a simulated table takes longer than all that is done there."""
    take_over(tab, simulated)
    deal_the_first(tab)
    tab.get_by_role("button", name="Jam it").click()
    expect(tab.locator("#shoe")).to_contain_text("gate locked; jam")
    expect(tab.locator("#lamps li.on").filter(has_not_text="play").first).to_be_visible()
    expect(tab.locator("#display")).to_contain_text(re.compile("shoe", re.IGNORECASE))
    expect(tab.locator("#answers li").first).to_be_visible()
    for viewport in (WIDE, TABLET):
        tab.set_viewport_size(viewport)  # type: ignore[arg-type]  # a plain dict is what it takes
        assert violations(tab) == []
        wide = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, "the page is wider than its window"
    tab.get_by_role("button", name="Draw a card").click()
    expect(tab.locator("#refusal")).to_have_text("Not done: device shoe: the shoe's gate is locked.")
    tab.get_by_role("button", name="Clear the jam").click()
    expect(tab.locator("#shoe")).not_to_contain_text("jam")
    tab.get_by_role("button", name="Open it").click()
    expect(tab.locator("#box")).to_have_text("In its place, unlocked.")
    expect(tab.locator("#answers")).to_contain_text("The drop box is missing or unlocked")


def test_a_pulled_cable_is_the_order_of_page_and_display_and_who_gets_up_leaves_none_out(
    simulated: str, tab: Page
) -> None:
    take_over(tab, simulated)
    deal_the_first(tab)
    tab.get_by_label("Device", exact=True).select_option("shoe")
    tab.get_by_role("button", name="Pull its cable").click()
    expect(tab.locator("#cables")).to_have_text("Pulled: shoe.")
    expect(tab.locator("#band-level")).to_have_text("STOPPED")
    expect(tab.locator("#prompt")).to_have_text(re.compile("^Device offline: shoe. .*Check the device's plug"))
    expect(tab.locator("#display")).to_contain_text(re.compile("shoe.*plug", re.DOTALL))
    assert violations(tab) == []
    tab.get_by_role("button", name="Pull its cable").click()
    expect(tab.locator("#refusal")).to_contain_text("device shoe: its cable is out already: plug it in first")
    tab.get_by_role("button", name="Plug it in again").click()
    expect(tab.locator("#cables")).to_have_text("Every device is plugged in.")
    expect(tab.locator("#prompt")).not_to_contain_text("offline")
    tab.get_by_role("button", name="Plug it in again").click()
    expect(tab.locator("#refusal")).to_contain_text("device shoe: its cable is in its place")
    tab.get_by_role("button", name="Pull its cable").click()
    expect(tab.locator("#band-level")).to_have_text("STOPPED")
    tab.get_by_role("button", name="Hand back to the dealer").click()
    expect(tab.locator("#cables")).to_have_text("Every device is plugged in.")
    expect(tab.locator("#prompt")).not_to_contain_text("offline")

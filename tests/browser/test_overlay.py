"""The overlay for a broadcast, in a real browser: what anybody at the table sees, and nothing that is old."""

from playwright.sync_api import Page, expect

from feltd.page.access.roles import Role
from table_fsm.events import CardPlaced, CardTurned, DealStart, ShoeCard, ShoeShuffled
from tests.browser.conftest import sign_in
from tests.browser.served import Served
from tests.browser.test_door import violations


def test_it_shows_open_cards_alone_and_disappears_with_its_line(tab: Page, table: Served) -> None:
    sign_in(tab, table, Role.OBSERVER, "/overlay")
    seats = tab.locator("#seats li")
    expect(seats.first).to_contain_text("Seat 1")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    table.take(ShoeShuffled, deck="blue", count=52)
    table.take(DealStart)
    table.take(ShoeCard, card="Td", face="down")
    table.take(CardPlaced, zone="seat:1", card="Td", face="down")
    expect(tab.locator("#phase")).not_to_have_text("")
    state = tab.evaluate("fetch('/api/v1/state').then((answer) => answer.text())")
    assert "Td" not in state + tab.content()
    assert "10♦" not in tab.inner_text("body")
    table.take(CardTurned, zone="seat:1", card="Td", face="up")
    expect(tab.locator(".held")).to_have_text(["10♦"])
    assert violations(tab) == []
    tab.context.set_offline(True)
    expect(tab.locator("#overlay")).to_be_hidden()
    expect(tab.locator("#cut")).to_have_text("No connection: the table is not shown")


def test_who_is_not_signed_in_is_led_to_the_door(tab: Page, table: Served) -> None:
    tab.goto(f"{table.address}/overlay")
    assert tab.url.endswith("/sign-in?to=/overlay")

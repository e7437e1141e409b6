"""A pack is enrolled in a real browser: the page says which card to lay, and never has a chip's number."""

import pytest
from playwright.sync_api import Page, expect

from feltd.page.access.roles import Role
from table_fsm.events import TestMode
from tests.browser.conftest import sign_in
from tests.browser.served import Served
from tests.browser.test_door import violations
from tests.feltd.test_api_devices import STATES, identity
from tests.feltd.test_packs import chips

pytestmark = pytest.mark.timeout(1800)


class Reader:
    """The board's reader of the table."""

    def __init__(self, table: Served) -> None:
        self._table = table
        self._seq = 0
        table.do(lambda page: page.bridge.on_up("reader:board", identity("reader:board"), STATES["reader:board"]))

    def chip(self, number: bytes, after: float = 1.0) -> None:
        """A chip comes to rest so many seconds after the one before."""
        self._seq += 1
        body = {"ev": "placed", "zone": "board:1", "card": number, "face": "down"}

        def come(page: object) -> None:
            self._table.page.bench.time.pass_(after)
            self._table.page.bridge.on_event("reader:board", b"bootboot", self._seq, body)

        self._table.do(come)


def test_a_whole_pack_is_seen_put_in_order_checked_and_two_cards_exchanged(tab: Page, table: Served) -> None:
    reader = Reader(table)
    table.take(TestMode, on=True)
    sign_in(tab, table, Role.TECHNICIAN, "/packs")
    password = table.account(Role.TECHNICIAN)[1]
    tab.get_by_role("button", name="Enrol a pack…").click()
    dialog = tab.get_by_role("dialog", name="Enrol a pack")
    dialog.get_by_label("Name of the pack").fill("red-1")
    dialog.get_by_label("Colour of its back").fill("red")
    dialog.get_by_label("Cards", exact=True).select_option("32")
    dialog.get_by_label("The whole pack at once first").check()
    dialog.get_by_label("Spare cards among them").select_option("1")
    dialog.get_by_label("Your password").fill(password)
    dialog.get_by_role("button", name="Begin").click()
    expect(dialog).to_be_hidden()
    expect(tab.get_by_role("heading", name="Enrolling red-1: 0 of 33 chips seen")).to_be_visible()
    laid = chips(0, 32)
    order = tab.get_by_role("button", name="Put it in order")
    for number in [*reversed(laid), laid[0]]:
        reader.chip(number, after=0.01)
    expect(tab.locator("#work-heard")).to_have_text("That chip was seen already: it counts once.")
    expect(order).to_be_disabled()
    reader.chip(chips(900, 1)[0])
    expect(tab.locator("#work-next")).to_contain_text("All chips have been seen.")
    order.click()
    expect(tab.locator("#work-next")).to_have_text("Lay now: ♠ spades, ace")
    for number in [laid[1], laid[0], *laid[2:]]:
        reader.chip(number)
    tab.get_by_role("button", name="Keep it").click()
    tab.get_by_role("button", name="Check…").click()
    dialog = tab.get_by_role("dialog", name="Check")
    dialog.get_by_label("Your password").fill(password)
    dialog.get_by_role("button", name="Begin").click()
    expect(dialog).to_be_hidden()
    for number in laid:
        reader.chip(number)
    expect(tab.locator("#work-found")).to_contain_text("they were enrolled: ♠ spades, ace, ♠ spades, 7.")
    tab.get_by_role("button", name="Exchange two cards…").click()
    dialog = tab.get_by_role("dialog", name="Exchange two cards")
    dialog.get_by_label("Rank of the other card").select_option("7")
    dialog.get_by_label("Your password").fill(password)
    assert violations(tab) == []
    dialog.get_by_role("button", name="Exchange two cards").click()
    expect(tab.locator("#work-found")).to_be_empty()


def test_a_pack_is_laid_card_by_card_kept_and_retired(tab: Page, table: Served) -> None:
    reader = Reader(table)
    table.take(TestMode, on=True)
    sign_in(tab, table, Role.TECHNICIAN, "/packs")
    expect(tab.locator("#packs")).to_contain_text("No pack is enrolled.")
    tab.get_by_role("button", name="Enrol a pack…").click()
    dialog = tab.get_by_role("dialog", name="Enrol a pack")
    assert violations(tab) == []
    dialog.get_by_label("Name of the pack").fill("red-1")
    dialog.get_by_label("Colour of its back").fill("red")
    dialog.get_by_label("Cards", exact=True).select_option("32")
    dialog.get_by_label("Your password").fill(table.account(Role.TECHNICIAN)[1])
    dialog.get_by_role("button", name="Begin").click()
    expect(dialog).to_be_hidden()
    says = tab.locator("#work-next")
    expect(says).to_have_text("Lay now: ♠ spades, ace")
    assert violations(tab) == []
    laid = chips(0, 32)
    reader.chip(laid[0])
    expect(says).to_have_text("Lay now: ♠ spades, 7")
    expect(tab.get_by_role("heading", name="Enrolling red-1: card 2 of 32")).to_be_visible()
    reader.chip(laid[0])
    expect(tab.locator("#work-heard")).to_contain_text("laid already, as card 1")
    reader.chip(laid[1])
    reader.chip(laid[2], after=0.1)
    expect(tab.locator("#work-heard")).to_contain_text("Two chips came at once")
    for number in laid[1:]:
        reader.chip(number)
    expect(says).to_contain_text("All cards are laid.")
    tab.get_by_role("button", name="Keep it").click()
    expect(tab.locator("#packs")).to_contain_text("red-1 red, 32 cards, at the table")
    tab.get_by_role("button", name="Retire for good…").click()
    dialog = tab.get_by_role("dialog", name="Retire for good")
    dialog.get_by_label("Your password").fill("something else, and long")
    dialog.get_by_role("button", name="Retire for good").click()
    expect(dialog.get_by_role("alert")).to_contain_text("the password is wrong")
    dialog.get_by_label("Your password").fill(table.account(Role.TECHNICIAN)[1])
    dialog.get_by_role("button", name="Retire for good").click()
    expect(tab.locator("#packs")).to_contain_text("out of play")
    told = tab.content().lower()
    assert not [number for number in laid if number.hex() in told]

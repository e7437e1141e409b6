"""The technician's page in a real browser, and a badge that signs: at a tablet's width and wide, by touch and keys."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from devices.pins.sensor import Trouble
from devices.pins.watch import DisabledInput
from feltd.page.access.roles import Role
from feltd.table.daemon.shown import order_now
from feltd.table.keeper.signatures import ONCE_MORE_AFTER
from feltd.text.language import Language
from firmware_bridge.errors import FaultCode, LinkFault
from firmware_bridge.framing import FrameType
from firmware_bridge.link import Link, LinkState
from table_fsm.events import Badge, Cut, DealStart, ShoeCard, ShoeDeckChecked, ShoeShuffled, TestMode
from tests.browser.conftest import PATIENT, WIDE, sign_in
from tests.browser.late import Late
from tests.browser.served import Served
from tests.browser.test_door import violations
from tests.feltd.page_support import SECRET
from tests.feltd.page_support import Page as TablePage
from tests.feltd.test_api_devices import STATES, identity


@pytest.fixture
def there(table: Served) -> Served:
    """A table whose devices are there, between two rounds."""

    def come(page: TablePage) -> None:
        for name, slot in page.workshop.bridge.slots.items():
            slot.link.state = LinkState.UP
            page.workshop.bridge.on_up(name, identity(name), STATES[name])
        page.workshop.bridge.on_status("shoe", {"up_ms": 3_700_000, "mv": 5010, "temp": 415, "note": "belt worn"})
        page.hub.changed()

    table.do(come)
    return table


def to_devices(tab: Page, table: Served, role: Role = Role.TECHNICIAN) -> None:
    sign_in(tab, table, role)
    tab.get_by_role("link", name="Devices").click()
    expect(tab.get_by_role("region", name="shoe")).to_be_visible()


def begin_test_mode(tab: Page) -> None:
    tab.get_by_role("button", name="Begin test mode").click()
    expect(tab.locator("#mode")).to_contain_text("devices may be tested")


def test_how_a_device_fares_is_told_and_its_firmware_is_only_what_it_says(there: Served, tab: Page) -> None:
    to_devices(tab, there, Role.OBSERVER)
    shoe = tab.get_by_role("region", name="shoe")
    expect(shoe).to_contain_text("SN-shoe")
    expect(shoe).to_contain_text("Firmware, as it says")
    expect(shoe).to_contain_text("5.01 V")
    expect(shoe).to_contain_text("belt worn")
    expect(tab.locator("body")).not_to_contain_text("verified")
    expect(tab.get_by_role("button", name="Begin test mode")).to_be_hidden()
    expect(shoe.get_by_role("button")).to_have_count(0)


def test_a_fault_stands_out_with_its_remedy_and_its_frames_open_by_key(there: Served, tab: Page) -> None:
    def fail(page: TablePage) -> None:
        slot = page.workshop.bridge.slots["shoe"]
        assert isinstance(slot.link, Link)
        slot.link._trail.received(FrameType.REJECT, 37)
        slot.link.state = LinkState.WAITING
        slot.link.fault = LinkFault(FaultCode.WRONG_KEY, "a device that says it is shoe S9 refuses the key")
        page.workshop.bridge.on_down("shoe", slot.link.fault)

    to_devices(tab, there)
    there.do(fail)
    shoe = tab.get_by_role("region", name="shoe")
    expect(shoe).to_contain_text("refuses the key")
    expect(shoe).to_contain_text("give it a new key here")
    summary = shoe.get_by_text("Its last fault, and the frames before it")
    summary.focus()
    tab.keyboard.press("Enter")
    expect(shoe.get_by_role("row", name=re.compile("from it reject 37"))).to_be_visible()
    there.do(lambda page: page.hub.changed())
    expect(summary).to_be_focused()


def test_a_lamp_is_tested_by_touch(there: Served, tab: Page) -> None:
    to_devices(tab, there)
    lamps = tab.get_by_role("region", name="indicators")
    expect(lamps.get_by_role("button", name="Light it for 2 s")).to_be_disabled()
    begin_test_mode(tab)
    lamps.get_by_label("Lamp").select_option("stop")
    lamps.get_by_role("button", name="Light it for 2 s").click()
    expect(tab.locator("#test-what")).to_contain_text("indicators: lamp stop")
    expect(tab.locator("#test-what")).to_be_in_viewport()
    there.do(lambda page: page.timers.run_out())
    expect(tab.locator("#test-what")).to_contain_text("over: its time is over")


def test_a_key_is_waited_for_and_seen_at_once(there: Served, tab: Page) -> None:
    to_devices(tab, there)
    begin_test_mode(tab)
    keys = tab.get_by_role("region", name="keys")
    keys.get_by_label("Wait for").select_option("deal_start")
    keys.get_by_role("button", name="Wait for it").click()
    expect(tab.locator("#test-what")).to_contain_text("keys: waits for deal start")
    there.do(lambda page: page.workshop.bridge.on_event("keys", b"bootboot", 1, {"ev": "deal_start"}))
    expect(tab.locator("#test-what")).to_contain_text("It came.")
    expect(tab.locator("#test-seen li")).to_contain_text("deal start")


def test_a_card_at_a_tested_reader_is_told_and_not_named(there: Served, tab: Page) -> None:
    to_devices(tab, there)
    begin_test_mode(tab)
    tab.get_by_role("region", name="reader:board").get_by_role("button", name="Wait for it").click()
    expect(tab.locator("#test-what")).to_contain_text("reader:board")
    body = {"ev": "placed", "zone": "board:1", "card": "Kd", "face": "down"}
    there.do(lambda page: page.workshop.bridge.on_event("reader:board", b"bootboot", 1, body))
    expect(tab.locator("#test-seen li")).to_contain_text("placed board:1 card read")
    assert "Kd" not in tab.content()


def approve_elsewhere(chromium: Browser, table: Served) -> None:
    """A supervisor finds what waits on the table's page, and approves it."""
    context = chromium.new_context()
    context.set_default_timeout(PATIENT)
    other = context.new_page()
    sign_in(other, table, Role.SUPERVISOR)
    waits = other.locator("#together li").first  # the newest
    expect(waits).to_contain_text("Another key for shoe")
    expect(waits).to_contain_text("asked for by technician: the reader was opened")
    waits.get_by_role("button", name="Approve…").click()
    dialog = other.get_by_role("dialog")
    dialog.get_by_label("Your password").fill("something else, and long")
    dialog.get_by_role("button", name="Approve", exact=True).click()
    expect(dialog).to_contain_text("Not approved: the password is wrong.")
    assert violations(other) == []
    dialog.get_by_label("Your password").fill(SECRET)
    dialog.get_by_role("button", name="Approve", exact=True).click()
    expect(dialog).to_be_hidden()
    expect(waits).to_contain_text("approved by supervisor")
    context.close()


def test_another_key_takes_two_people_and_is_shown_once(there: Served, tab: Page, chromium: Browser) -> None:
    there.account(Role.SUPERVISOR)
    to_devices(tab, there)
    shoe = tab.get_by_role("region", name="shoe")
    dialog = tab.get_by_role("dialog")
    for change in ("Give it this key", "Go back to the key before"):
        shoe.get_by_role("button", name="Another key…").click()
        expect(dialog.get_by_role("button", name=change)).to_be_hidden()
        dialog.get_by_label("Why, for the record").fill("the reader was opened")
        assert violations(tab) == []
        dialog.get_by_role("button", name="Ask another person").click()
        expect(dialog).to_contain_text("Another person has not approved this yet.")
        approve_elsewhere(chromium, there)
        late = Late(tab, "**/devices/shoe/key")
        dialog.get_by_role("button", name=change).click()
        late.given()
        if change == "Give it this key":
            tab.keyboard.press("Escape")
            expect(dialog).to_be_hidden()
        late.come()
        if change == "Give it this key":
            shown = tab.get_by_role("dialog", name="Another key for shoe").get_by_label("The new key")
            expect(shown).to_have_text(re.compile("^[0-9a-f]{64}$"))
            key = shown.inner_text()
            assert there.do(lambda page: page.workshop.key_file("shoe").read()).hex() == key
            assert violations(tab) == []
            tab.keyboard.press("Escape")
            expect(tab.locator("#key-shown")).to_be_empty()
            assert key not in tab.content()
            expect(shoe).to_contain_text("New key pending")
        expect(dialog).to_be_hidden()
    expect(shoe).not_to_contain_text("New key pending")


def test_who_asked_takes_it_back_and_another_person_refuses_it(there: Served, tab: Page) -> None:
    there.account(Role.SUPERVISOR)
    to_devices(tab, there)
    shoe = tab.get_by_role("region", name="shoe")
    shoe.get_by_role("button", name="Another key…").click()
    dialog = tab.get_by_role("dialog")
    dialog.get_by_label("Why, for the record").fill("the reader was opened")
    dialog.get_by_role("button", name="Ask another person").click()
    expect(dialog).to_contain_text("Another person has not approved this yet.")
    tab.keyboard.press("Escape")
    waits = tab.locator("#together li")
    expect(waits.get_by_role("button", name="Approve…")).to_have_count(0)
    waits.get_by_role("button", name="Take it back").click()
    expect(waits).to_contain_text("Taken back")


def test_an_update_of_the_board_is_asked_for_by_its_version(there: Served, tab: Page) -> None:
    there.account(Role.SUPERVISOR)
    to_devices(tab, there)
    tab.get_by_role("button", name="Allow an update…").click()
    dialog = tab.get_by_role("dialog")
    dialog.get_by_label("Version").fill("0.9.0")
    dialog.get_by_label("Why, for the record").fill("as planned")
    assert violations(tab) == []
    dialog.get_by_role("button", name="Ask another person").click()
    expect(dialog).to_be_hidden()
    expect(tab.locator("#together li")).to_contain_text("Update to 0.9.0")


def test_who_is_alone_at_a_table_is_told_the_way_out(there: Served, tab: Page) -> None:
    to_devices(tab, there)
    tab.get_by_role("region", name="shoe").get_by_role("button", name="Another key…").click()
    dialog = tab.get_by_role("dialog")
    dialog.get_by_label("Why, for the record").fill("the reader was opened")
    dialog.get_by_role("button", name="Ask another person").click()
    expect(dialog).to_contain_text("feltd user add")


def test_another_device_in_a_place_is_accepted(there: Served, tab: Page) -> None:
    there.do(lambda page: page.workshop.bridge.on_up("shoe", identity("shoe", "SN-2"), STATES["shoe"]))
    to_devices(tab, there)
    shoe = tab.get_by_role("region", name="shoe")
    expect(shoe).to_contain_text("SN-2, was SN-shoe")
    shoe.get_by_role("button", name="Accept device").click()
    expect(shoe).not_to_contain_text("was SN-shoe")


def test_test_mode_stops_play_at_once_and_a_second_browser_sees_it(there: Served, tab: Page, chromium: Browser) -> None:
    """Begun within a round it tests nothing: the page says so, and the round goes on once it ends."""
    to_devices(tab, there)
    wall = chromium.new_context()
    wall.set_default_timeout(PATIENT)
    other = wall.new_page()
    sign_in(other, there, Role.OBSERVER, "/wall")
    expect(other.locator("#level")).to_have_text("NORMAL")
    for event, fields in ((ShoeDeckChecked, {"count": 52}), (ShoeShuffled, {"count": 52}), (Cut, {}), (DealStart, {})):
        there.take(event, **fields)
    there.take(ShoeCard, face="down")
    assert not there.do(lambda page: page.bench.keeper.between_rounds)
    tab.get_by_role("button", name="Begin test mode").click()
    expect(tab.locator("#mode")).to_contain_text("the gate is shut and the round waits")
    expect(other.locator("#testing")).to_be_visible()
    expect(other.locator("#level")).to_have_text("STOPPED")
    expect(other.locator("#words")).to_contain_text("Test mode")
    told = there.do(lambda page: order_now(page.bench.keeper.table, Language.GERMAN, testing=True))
    assert told == "TESTBETRIEB: Geräte werden getestet. Nichts geben."
    tab.get_by_role("button", name="End test mode").click()
    expect(other.locator("#testing")).to_be_hidden()
    expect(other.locator("#level")).not_to_have_text("STOPPED")
    wall.close()


def test_the_page_is_fit_for_all_at_every_width(there: Served, tab: Page) -> None:
    to_devices(tab, there)
    there.take(TestMode, on=True)
    expect(tab.get_by_role("button", name="End test mode")).to_be_visible()
    for width in (None, WIDE):
        if width is not None:
            tab.set_viewport_size(width)  # type: ignore[arg-type]  # a plain dict is what it takes
        assert violations(tab) == []
        wide = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, "the page is wider than its window"


def test_a_badge_signs_for_somebody_who_may_only_look(there: Served, tab: Page) -> None:
    there.take(ShoeShuffled, deck="blue", count=36)
    sign_in(tab, there, Role.SURVEILLANCE)
    waiting = tab.locator("#rulings li.waits")
    waiting.get_by_role("button", name="Play on").click()
    dialog = tab.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Play on")).to_be_hidden()
    dialog.get_by_role("button", name="Sign with a badge at the table").click()
    expect(dialog).to_be_hidden()
    asked = tab.get_by_role("region", name="Badge at the table")
    expect(asked).to_contain_text("Show a supervisor's badge at the table")
    expect(asked).to_contain_text("asked for by surveillance")
    assert violations(tab) == []
    there.take(Badge, staff="S1042", role="supervisor")
    expect(asked).to_contain_text("S1042: to be shown once more to sign")
    there.do(lambda page: page.bench.time.pass_(ONCE_MORE_AFTER))
    there.take(Badge, staff="S1042", role="supervisor")
    expect(asked).to_contain_text("signed by S1042")
    expect(waiting).to_have_count(0)


def test_what_was_asked_for_is_taken_back(there: Served, tab: Page) -> None:
    sign_in(tab, there, Role.SUPERVISOR)
    tab.get_by_role("button", name="Have the deck checked").click()
    tab.get_by_role("dialog").get_by_role("button", name="Sign with a badge at the table").click()
    asked = tab.get_by_role("region", name="Badge at the table")
    asked.get_by_role("button", name="Take it back").click()
    expect(asked).to_contain_text("Taken back")


def test_an_input_that_is_not_believed_is_named_until_it_is(there: Served, tab: Page) -> None:
    stuck = DisabledInput("deal_start", "line 17", Trouble.STUCK, 5.0)
    to_devices(tab, there)
    keys = tab.get_by_role("region", name="keys", exact=True)
    there.do(lambda page: page.workshop.bridge.on_inputs("keys", (stuck,), {"testing": False}))
    expect(keys).to_contain_text("deal start (line 17) is stuck, and disabled for")
    expect(keys.get_by_role("button", name="Clear fault")).to_be_visible()
    assert violations(tab) == []
    there.do(lambda page: page.workshop.bridge.on_inputs("keys", (), {"testing": False}))
    expect(keys).not_to_contain_text("is stuck")

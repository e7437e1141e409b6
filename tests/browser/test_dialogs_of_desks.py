"""The dialogs of the pit's desks, of packs and of accounts on the five screens: whole, to be touched, and fit for all.

Each button whose words end in an ellipsis opens one, so a new dialog is in here by itself. German alone: its words are
longer. Axe looks at each.
"""

from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from feltd.door.wishing import BookPlay
from feltd.floor.streams import MemoryStreams
from feltd.floor.wishes import Wish
from feltd.page.access.roles import Role
from feltd.record.unseal_keys import PrivateKey
from feltd.table.keeper.broadcast import BroadcastTo
from table_fsm.events import TestMode
from tests.browser.conftest import PATIENT, sign_in
from tests.browser.served import Served, served
from tests.browser.sizes import SIZES, faults_at_each_size, faults_of_layout
from tests.browser.test_cards_later import made_for
from tests.browser.test_desk import choose, made
from tests.browser.test_dialogs import faults_of_the_dialog
from tests.browser.test_door import DRAWN, violations
from tests.browser.test_fit_for_all import FINGER, SMALL
from tests.floor.desk_support import House
from tests.floor.pit_support import ServedPit, served_pit
from tests.floor.waiting_support import AtDesk, joins, waiting

PANELS: Final = ("counter", "draw", "tables", "hands", "clock", "places")
PRESSED: Final = """(seen) => {
    const named = (one) => one.textContent.trim();
    const next = [...document.querySelectorAll("main button")].find((one) => named(one).endsWith("…")
        && one.checkVisibility({ visibilityProperty: true }) && !one.disabled && !seen.includes(named(one)));
    if (!next) return null;
    next.click();
    return named(next);
}"""
"""Presses the next button that has another name. Gives its name; null where there is none left."""
ALL_SHOWN: Final = (
    "() => document.querySelectorAll('#content [hidden]:not(input)').forEach((one) => (one.hidden = false))"
)
LONG: Final = "the reader of the upper board was opened on Saturday night, and nobody who was asked knows by whom"
LONG_NAME: Final = "Maximiliane Freifrau von Hohenstein-Oettingen"


@pytest.fixture(scope="module")
def pit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedPit]:
    """A pit with tournaments before and after the draw, waiting lists, and wishes of two people."""
    house, lists = House(), waiting(MemoryStreams())
    with served_pit(tmp_path_factory.mktemp("pit"), house.directing, "short", waiting=lists) as served:
        made(served, house, "tuesday", playing=True)
        made(served, house, "friday", playing=False)
        desk = AtDesk(lists)
        served.do(desk.opened())
        served.do(
            desk.say(
                {"ev": "game.listed", "game": "plo-2-5", "name": "Omaha 2/5", "hold_minutes": 2},
                joins(1, LONG_NAME), joins(2), joins(3, game="plo-2-5"),
                {"ev": "waiting.called", "number": 3, "table": "high-limit-room-12", "seat": 4},
            )
        )  # fmt: skip
        served.do(served.floor.table("table-1"))
        play = BookPlay("onyx-cash", "ab" * 32, {})
        for who in ("lea", "ben"):
            wish = Wish(("table-1",), "table-1", 60.0, {"table-1": play}, f"{LONG_NAME} ({who}, director)", who, LONG)
            served.do(served.floor.engine.wishes.add(wish))
        yield served


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A table in test mode."""
    with served(tmp_path_factory.mktemp("table"), rounds=2) as made:
        made.take(TestMode, on=True)
        yield made


@pytest.fixture
def seen(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(locale="de", viewport=SIZES["wide"])  # type: ignore[arg-type]  # plain dicts are what it takes
    context.set_default_timeout(PATIENT)
    yield context.new_page()
    context.close()


def walked(tab: Page) -> list[str]:
    """Open the dialog of each such button that is in sight, and hold it to be whole; return their titles."""
    pressed: list[str] = []
    titles: list[str] = []
    while (name := tab.evaluate(PRESSED, pressed)) is not None:
        pressed.append(name)
        dialog = tab.locator("dialog:modal")
        expect(dialog).to_be_visible()
        titles.append(dialog.locator("h2").inner_text())
        assert faults_of_the_dialog(tab) == {}, name
    return titles


@pytest.mark.parametrize(("tournament", "panels", "least"), [("tuesday", PANELS, 28), ("friday", PANELS[:2], 6)])
def test_each_dialog_of_the_directors_desk_is_whole(
    seen: Page, pit: ServedPit, tournament: str, panels: tuple[str, ...], least: int
) -> None:
    sign_in(seen, pit, Role.DIRECTOR, f"/tournaments/{tournament}")  # type: ignore[arg-type]  # what it asks of a table a pit has too
    expect(seen.locator("#desk-counts")).to_contain_text("8")
    choose(seen, "Cleo")
    titles = []
    for panel in panels:
        seen.locator(f"#to-{panel}").click()
        assert faults_at_each_size(seen) == {}, panel
        seen.set_viewport_size(SIZES["wide"])  # type: ignore[arg-type]
        titles += walked(seen)
    assert len(titles) >= least, titles


def test_each_dialog_of_waiting_lists_and_of_wishes_is_whole(seen: Page, pit: ServedPit) -> None:
    sign_in(seen, pit, Role.DIRECTOR, "/waiting/cash")  # type: ignore[arg-type]  # what it asks of a table a pit has too
    expect(seen.locator("#games li")).to_have_count(3)
    seen.evaluate("() => { for (const one of document.querySelectorAll('#games details')) one.open = true; }")
    titles = walked(seen)
    assert len(titles) >= 9, titles
    seen.goto(f"{pit.address}/wishes")
    expect(seen.locator("#wishes section")).to_have_count(2)
    assert faults_at_each_size(seen) == {}
    titles = walked(seen)
    assert len(titles) >= 2, titles


def test_each_dialog_of_packs_and_of_devices_is_whole(seen: Page, table: Served) -> None:
    sign_in(seen, table, Role.TECHNICIAN, "/packs")
    expect(seen.locator("#enrol")).to_be_visible()
    assert len(walked(seen)) == 1
    dialog = seen.locator("#begin")
    for fields in (
        "replace-fields",
        "swap-fields",
        "begin-code-box",
    ):  # of a pack that is there, and of a second factor
        seen.locator("#enrol").click()
        expect(dialog).to_be_visible()
        seen.evaluate("(id) => { document.getElementById(id).hidden = false; }", fields)
        assert faults_of_the_dialog(seen) == {}, fields
    seen.goto(f"{table.address}/devices")
    expect(seen.locator("#devices > *").first).to_be_visible()
    titles = walked(seen)
    assert len(titles) >= 2, titles


@pytest.mark.parametrize("role", [Role.DIRECTOR, Role.TECHNICIAN])
def test_each_form_of_an_account_is_whole(seen: Page, table: Served, role: Role) -> None:
    sign_in(seen, table, role, "/account")
    expect(seen.locator("#sessions tr").first).to_be_visible()  # an earlier test of this table may be signed in still
    seen.evaluate(ALL_SHOWN)
    found = {}
    for size, viewport in SIZES.items():
        seen.set_viewport_size(viewport)  # type: ignore[arg-type]
        seen.evaluate(DRAWN)
        found[size] = [*faults_of_layout(seen), *seen.evaluate(SMALL, FINGER)]
    assert {size: faults for size, faults in found.items() if faults} == {}
    assert violations(seen) == []


def test_the_dialog_of_a_second_person_and_that_of_signing_in_over_a_page_are_whole(seen: Page, table: Served) -> None:
    technician = seen.context.browser
    assert technician is not None
    other = technician.new_context()
    sign_in(other.new_page(), table, Role.TECHNICIAN)
    me = other.request.get(f"{table.address}/api/v1/session").json()
    asked = {"device": "shoe", "reason": LONG}
    answer = other.request.post(f"{table.address}/api/v1/together", data=asked, headers={"x-csrf-token": me["csrf"]})
    assert answer.ok, answer.text()
    other.close()
    sign_in(seen, table, Role.DIRECTOR)
    seen.locator("#together button.main").first.click()
    for part in ("approve-code-box", "approve-half-box"):
        seen.evaluate("(id) => { document.getElementById(id).hidden = false; }", part)
    assert faults_of_the_dialog(seen) == {}
    seen.evaluate("async () => { (await import('/static/sign-in-over.js')).signInOver({ name: 'lea', app: true }); }")
    assert faults_of_the_dialog(seen) == {}


def test_the_dialog_of_the_broadcast_is_whole(seen: Page, table: Served) -> None:
    to = BroadcastTo(PrivateKey(bytes(range(50, 82))).public, 15)
    table.do(lambda page: setattr(page.door, "broadcasting", made_for(page, to)))
    sign_in(seen, table, Role.DIRECTOR, "/broadcast")
    expect(seen.locator("#on")).to_be_visible()
    assert len(walked(seen)) == 1

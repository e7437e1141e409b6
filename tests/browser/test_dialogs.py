"""Every dialog on the five screens that people have, in both languages: whole, to be touched, and fit for all."""

import re
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from feltd.page.access.roles import Role
from table_fsm.events import DeviceState, FloorCalled, ShoeShuffled
from tests.browser.conftest import PATIENT, sign_in
from tests.browser.served import Served, served
from tests.browser.sizes import SIZES, faults_of_layout
from tests.browser.test_door import DRAWN, violations
from tests.browser.test_fit_for_all import FINGER, SMALL
from tests.floor.pit_support import ServedPit, alarm, ruling, served_pit

AT_A_TABLE: Final = {
    "en": ("Shelve", "Confirm", "Overrule", "Void the round", "Seat 2", "Keys"),
    "de": ("Zurückstellen", "Bestätigen", "Aufheben", "Runde für ungültig erklären", "Platz 2", "Tasten"),
}
AT_THE_PIT: Final = {
    "en": ("Confirm", "Overrule", "Acknowledge…", "Close…"),
    "de": ("Bestätigen", "Aufheben", "Quittieren…", "Schließen…"),
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A table with three alarms, one of which may be shelved, and a ruling that waits."""
    with served(tmp_path_factory.mktemp("dialogs"), rounds=4) as made:
        made.take(DeviceState, device="shoe", online=False, reason="unplugged")
        made.take(ShoeShuffled, deck="blue", count=36)
        made.take(FloorCalled)
        yield made


@pytest.fixture(scope="module")
def pit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedPit]:
    """A pit with a ruling that waits, an alarm, and one of custody, at tables of long names."""
    with served_pit(tmp_path_factory.mktemp("pit")) as made:
        rows = [("host", "round.begin", {}), ("output", "ruling", {"ruling": ruling(5)})]
        made.do(made.floor.table("high-limit-room-upstairs-table-12", *rows, ("output", "alarm", {"alarm": alarm()})))
        made.do(made.floor.table("table-2"))
        made.do(made.floor.custody_alarm("table-2"))
        yield made


@pytest.fixture(params=("en", "de"))
def seen(request: pytest.FixtureRequest, chromium: Browser) -> Iterator[tuple[Page, str]]:
    """A tab in each language: German words are longer."""
    context = chromium.new_context(locale=request.param, viewport=SIZES["wide"])  # type: ignore[arg-type]  # plain dicts are what it takes
    context.set_default_timeout(PATIENT)
    yield context.new_page(), request.param
    context.close()


def opener(tab: Page, words: str) -> Locator:
    """The first button that begins so, with or without an ellipsis, and a blank before it where German has one."""
    return tab.get_by_role("button", name=re.compile(rf"^{words.removesuffix('…')}( ?…|, .*| \(.*)?$")).first


def faults_of_the_dialog(tab: Page) -> dict[str, list[str]]:
    """What is wrong with the dialog that is open, at each size and by axe; closes it."""
    dialog = tab.locator("dialog:modal")
    expect(dialog).to_be_visible()
    found = {}
    for size, viewport in SIZES.items():
        tab.set_viewport_size(viewport)  # type: ignore[arg-type]
        tab.evaluate(DRAWN)
        small = dialog.evaluate(SMALL.replace("(least)", "(dialog, least)").replace("document.", "dialog."), FINGER)
        box = dialog.bounding_box()
        assert box is not None
        out = [] if box["y"] >= 0 and box["y"] + box["height"] <= viewport["height"] else [f"not in the window: {box}"]
        found[size] = [*faults_of_layout(tab), *small, *out]
    assert violations(tab) == []
    tab.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    tab.set_viewport_size(SIZES["wide"])  # type: ignore[arg-type]
    return {size: faults for size, faults in found.items() if faults}


def test_each_dialog_of_a_table_is_whole_on_every_screen(seen: tuple[Page, str], table: Served) -> None:
    tab, language = seen
    sign_in(tab, table, Role.DIRECTOR)
    for words in AT_A_TABLE[language]:
        opener(tab, words).click()
        assert faults_of_the_dialog(tab) == {}, words


def test_each_dialog_of_the_pit_is_whole_on_every_screen(seen: tuple[Page, str], pit: ServedPit) -> None:
    tab, language = seen
    sign_in(tab, pit, Role.DIRECTOR)  # type: ignore[arg-type]  # what it asks of a table a pit has too
    for words in AT_THE_PIT[language]:
        tab.get_by_role("button", name=words, exact=False).last.click()
        assert faults_of_the_dialog(tab) == {}, words

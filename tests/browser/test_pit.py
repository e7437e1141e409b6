"""The pit page in a real browser: tiles, what waits at every table, decisions from there."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from feltd.custody.messages import Answer, Result
from feltd.page.access.roles import Role
from tests.browser.conftest import WIDE, sign_in
from tests.floor.pit_support import ServedPit, alarm, ruling, served_pit

PLAYING = [
    ("host", "round.begin", {}),
    ("output", "phase", {"phase": "betting", "street": "flop"}),
    ("output", "level", {"level": {"level": 4}}),
    ("event", "device.state", {"ev": "device.state", "device": "shoe", "online": True}),
]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedPit]:
    """A pit with twelve tables: at the second a ruling waits, at the third a device is offline."""
    with served_pit(tmp_path_factory.mktemp("pit")) as made:
        for number in range(1, 13):
            made.do(made.floor.table(f"table-{number}", *PLAYING))
        made.do(made.floor.table("table-2", ("output", "ruling", {"ruling": ruling(5)})))
        offline = ("event", "device.state", {"ev": "device.state", "device": "shoe", "online": False})
        made.do(made.floor.table("table-3", offline, ("output", "alarm", {"alarm": alarm()})))
        yield made


@pytest.fixture
def pit(tab: Page, table: ServedPit) -> Page:
    sign_in(tab, table, Role.SUPERVISOR)  # type: ignore[arg-type]  # what it asks of a table a pit has too
    return tab


def test_each_table_has_a_tile_and_what_waits_stands_above(pit: Page, table: ServedPit, chromium: Browser) -> None:
    pit.set_viewport_size(WIDE)  # type: ignore[arg-type]
    expect(pit.locator("#tables > li")).to_have_count(12)
    names = pit.locator("#tables > li").evaluate_all("tiles => tiles.map(tile => tile.dataset.item)")
    assert names == [f"table-{number}" for number in range(1, 13)]
    expect(pit.locator('#tables [data-item="table-1"] h3')).to_contain_text("table-1")
    second = pit.locator('#tables [data-item="table-2"]')
    expect(second).to_contain_text("Betting, flop")
    expect(second).to_contain_text("up to date")
    expect(pit.locator('#tables [data-item="table-3"]')).to_contain_text("offline: shoe")
    waits = pit.locator("#items > li")
    expect(waits).to_have_count(2)
    assert "table-3" in waits.nth(0).inner_text(), "what is graver comes first"
    expect(waits.nth(1)).to_contain_text("12.3")
    expect(pit.locator("#live")).to_have_text("live")


def test_an_alarm_is_acknowledged_and_a_ruling_decided_from_the_pit(pit: Page, table: ServedPit) -> None:
    floor = table.floor
    pit.get_by_role("button", name="Acknowledge").click()
    while not floor.obeyed:
        pit.wait_for_timeout(20)
    assert floor.obeyed[-1]["table"] == "table-3"
    assert floor.obeyed[-1]["decision"]["alarm"] == "device_offline"
    assert floor.obeyed[-1]["person"]["account"] == "supervisor"
    table.do(floor.table("table-3", ("output", "alarm", {"alarm": alarm("acknowledged")})))
    expect(pit.locator("#items > li.seen")).to_contain_text("acknowledged")

    floor.answers = lambda command: Answer(command.id, Result.REFUSED, 0, "Ada has decided it already")
    pit.get_by_role("button", name="Confirm").click()
    expect(pit.locator("#decide-title")).to_contain_text("at table-2")
    pit.locator("#decide-do").click()
    expect(pit.locator("#decide-refusal")).to_contain_text("Ada has decided it already")

    floor.answers = lambda command: None
    pit.locator("#decide-do").click()
    expect(pit.locator("#notices")).to_contain_text("not known")

    floor.answers = lambda command: Answer(command.id, Result.DONE, 12, "")
    pit.get_by_role("button", name="Confirm").click()
    pit.locator("#decide-do").click()
    expect(pit.locator("#decide")).not_to_be_visible()
    table.do(floor.table("table-2", ("event", "supervisor", {"ruling": 5, "decision": "confirm"})))
    expect(pit.locator("#items")).not_to_contain_text("table-2")


def test_a_table_that_goes_is_told_with_since_when(pit: Page, table: ServedPit) -> None:
    table.floor.gone("table-9")
    gone = pit.locator("#items > li", has_text="no connection to the floor")
    expect(gone).to_contain_text("table-9")
    expect(pit.locator('#tables [data-item="table-9"]')).to_have_class("away")
    table.do(table.floor.custody_alarm("table-8"))
    expect(pit.locator("#items > li.high", has_text="not understood")).to_contain_text("table-8")


def test_who_only_looks_has_no_button(tab: Page, table: ServedPit) -> None:
    sign_in(tab, table, Role.OBSERVER)  # type: ignore[arg-type]
    expect(tab.locator("#tables > li")).to_have_count(12)
    expect(tab.locator("#items button")).to_have_count(0)
    tab.goto(f"{table.address}/account")
    expect(tab.locator("#sessions tr")).to_have_count(1)


def test_an_alarm_of_custody_is_acknowledged_and_closed_with_a_reason(pit: Page, table: ServedPit) -> None:
    floor = table.floor
    table.do(floor.custody_alarm("table-4"))
    item = pit.locator('#items > li[data-item^="table-4 custody"]')
    expect(item).to_contain_text("wire: the table is not understood")
    item.get_by_role("button", name="Acknowledge…").click()
    expect(pit.locator("#answer-title")).to_have_text("Acknowledge this alarm of table-4")
    pit.locator("#answer-do").click()
    expect(pit.locator("#answer")).to_have_js_property("open", True)  # a reason is asked for
    pit.locator("#answer-reason").fill("looking at it")
    pit.locator("#answer-do").click()
    expect(item).to_contain_text("acknowledged by supervisor")
    expect(item.get_by_role("button", name="Acknowledge…")).to_have_count(0)
    table.do(floor.custody_alarm("table-4"))
    expect(item).to_contain_text("told 2 times")
    item.get_by_role("button", name="Close…").click()
    pit.locator("#answer-reason").fill("uplink brought to this version")
    pit.locator("#answer-do").click()
    expect(item).to_have_count(0)
    expect(pit.locator("#proved")).to_contain_text("Nothing that the floor keeps was proved yet")

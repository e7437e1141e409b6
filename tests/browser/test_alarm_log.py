"""The alarm log in a real browser: every alarm of the record, found again and taken away."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from feltd.page.access.roles import Role
from table_fsm.events import DeviceState, FloorCalled, ShoeCleared, ShoeFault, Supervisor
from tests.browser.conftest import sign_in
from tests.browser.served import Served
from tests.browser.test_door import violations


def test_every_alarm_is_found_with_who_acknowledged_it_and_taken_away(tab: Page, table: Served, tmp_path: Path) -> None:
    table.take(ShoeFault, kind="jam")
    table.take(Supervisor, decision="acknowledge", staff="anna")
    table.take(ShoeCleared, kind="jam")
    table.take(DeviceState, device="badge", online=False)
    table.take(FloorCalled)
    sign_in(tab, table, Role.SUPERVISOR)
    tab.get_by_role("link", name="Alarms", exact=True).click()
    rows = tab.locator("#found tr")
    time = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d"
    expect(rows.nth(0)).to_have_text(re.compile(f"^{time}▲ medium\\s*Floor callednot yet–lasts–1"))
    expect(rows.nth(1)).to_contain_text("Device offline: badge")
    expect(rows.filter(has_text="Jam: shoe")).to_have_text(re.compile(f"^{time}■ high\\s*Jam: shoe{time}anna{time}–1$"))
    assert violations(tab) == []
    tab.get_by_label("Acknowledged").select_option("not yet")
    tab.get_by_label("Priority").select_option("high")
    tab.get_by_role("button", name="Find").click()
    expect(rows).to_have_count(1)
    expect(tab).to_have_url(re.compile("priority=high&acknowledged=false"))
    with tab.expect_download() as got:
        tab.get_by_role("button", name="Export (CSV)").click()
    got.value.save_as(tmp_path / "alarms.csv")
    lines = (tmp_path / "alarms.csv").read_text().splitlines()
    assert lines[0].startswith("first_seen,priority,alarm,")
    assert [line.split(",")[3] for line in lines[1:]] == ["device_offline"]

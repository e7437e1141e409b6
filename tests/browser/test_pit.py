"""The pit page in a real browser: tiles, what waits at every table, decisions from there."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from feltd.custody.messages import Answer, Command, Result
from feltd.floor.elsewhere import Elsewhere
from feltd.page.access.roles import Role
from feltd.record.notes import START_NOTE
from tests.browser.conftest import PATIENT, WIDE, sign_in
from tests.browser.sizes import SIZES, faults_at_each_size, faults_of_layout
from tests.browser.test_alarms import SOUNDS
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
    expect(pit.locator("#band-level")).to_have_text("DECIDE")
    expect(pit.locator("#band-words")).to_contain_text("2 of 12 tables wait for a person")
    expect(pit.locator("#live")).to_have_text("live")
    below = pit.locator("#proved").bounding_box()
    tiles = pit.locator("#tables").bounding_box()
    assert tiles is not None
    assert below is not None
    assert below["y"] - tiles["y"] - tiles["height"] >= 8, "the line about proofs touches the tiles"


def test_an_alarm_is_acknowledged_and_a_ruling_decided_from_the_pit(pit: Page, table: ServedPit) -> None:
    floor = table.floor
    pit.get_by_role("button", name="Acknowledge").click()
    while not floor.obeyed:
        pit.wait_for_timeout(20)
    assert floor.obeyed[-1]["table"] == "table-3"
    seen = {"until": 1.0, "cleared": False, "devices": ["shoe"], "deck": None}
    assert (floor.obeyed[-1]["decision"]["alarm"], floor.obeyed[-1]["decision"]["seen"]) == ("device_offline", seen)
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
    expect(gone).not_to_contain_text("not acknowledged")  # nobody can: it ends by itself
    expect(pit.locator('#tables [data-item="table-9"]')).to_have_class("away")
    table.do(table.floor.custody_alarm("table-8"))
    expect(pit.locator("#items > li.high", has_text="not understood")).to_contain_text("table-8")


def test_a_table_of_another_floord_says_where_it_is_connected(tab: Page, tmp_path: Path) -> None:
    async def elsewhere(pit: ServedPit) -> None:
        floor = pit.floor
        await floor.engine.open_journal("table-13", bytes([13]) * 16, 2)
        await floor.engine.floords.here("another start", "db2:7443", ["table-13"])
        await Elsewhere(floor.engine.floords, floor.book, "db1:7443").look()

    with served_pit(tmp_path) as pit:  # of its own: the others here count their pit's tables
        sign_in(tab, pit, Role.SUPERVISOR)  # type: ignore[arg-type]
        pit.do(elsewhere(pit))
        tile = tab.locator('#tables [data-item="table-13"]')
        expect(tile).to_contain_text("connectedthrough db2:7443")
        expect(tile).not_to_have_class("away")


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


JAM = ("output", "alarm", {"alarm": alarm(kind="jam")})
ELSEWHERE = ("/tournaments", "/waiting", "/wishes", "/reports", "/trends", "/account")


@pytest.fixture
def flooded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedPit]:
    """A pit with twelve tables, at which 200 alarms come at once: of devices, of one shoe, of players' calls."""
    with served_pit(tmp_path_factory.mktemp("flood")) as made:
        for number in range(1, 13):
            made.do(made.floor.table(f"table-{number}", *PLAYING))
        made.do(made.floor.table("table-5", JAM, ("output", "gate", {"gate": "lock"})))
        for number in range(1, 13):
            away = [("output", "alarm", {"alarm": alarm(device=f"reader:{one}")}) for one in range(16)]
            made.do(made.floor.table(f"table-{number}", *away))
        for number in range(1, 8):
            called = {**alarm(kind="floor_called", device=None), "seat": number}
            made.do(made.floor.table("table-9", ("output", "alarm", {"alarm": called})))
        yield made


@pytest.mark.parametrize("size", SIZES)
def test_two_hundred_alarms_of_many_tables_are_lines_by_cause(chromium: Browser, flooded: ServedPit, size: str) -> None:
    context = chromium.new_context(viewport=SIZES[size])  # type: ignore[arg-type]  # a plain dict is what it takes
    context.set_default_timeout(PATIENT)
    tab = context.new_page()
    sign_in(tab, flooded, Role.SUPERVISOR)  # type: ignore[arg-type]
    lines = tab.locator("#items > li")
    expect(lines).to_have_count(3)
    expect(tab.locator("#waits-count")).to_have_text("(200)")
    expect(tab.locator("#band-level")).to_have_text("STOPPED")
    expect(tab.locator("#band-words")).to_contain_text("1 of 12 tables stopped: table-5 (Jam: shoe")
    devices = lines.filter(has_text="Device offline: 192 at 12 tables")
    expect(devices).to_contain_text("First: table-1: Device offline: reader:0.")
    expect(lines.filter(has_text="7 calls for the floor: go to the table")).to_have_count(1)
    expect(lines.nth(1 if size == "phone" else 2)).to_be_in_viewport(ratio=1)
    assert faults_of_layout(tab) == []
    devices.locator("summary").click()
    expect(devices.locator("ol > li")).to_have_count(192)
    devices.get_by_role("button", name="Acknowledge these 192").click()
    while len(flooded.floor.obeyed) < 12:
        tab.wait_for_timeout(20)
    asked = {one["table"]: one["decision"]["seen"]["devices"] for one in flooded.floor.obeyed}
    assert len(flooded.floor.obeyed) == 12
    assert asked == {f"table-{number}": [f"reader:{one}" for one in range(16)] for number in range(1, 13)}
    calls = lines.filter(has_text="7 calls for the floor: go to the table")
    calls.locator("summary").click()
    calls.locator("ol > li").nth(2).get_by_role("button", name="Acknowledge").click()
    while len(flooded.floor.obeyed) < 13:
        tab.wait_for_timeout(20)
    one = flooded.floor.obeyed[-1]["decision"]
    assert (one["alarm"], one["seat"]) == ("floor_called", 3)
    context.close()


def test_a_group_is_acknowledged_at_every_table_and_those_that_refuse_are_named(pit: Page, table: ServedPit) -> None:
    floor = table.floor
    tables = [f"table-{number}" for number in range(1, 6)]
    refusing = {"table-1": "Ada has decided it already", "table-4": "the table is closed", "table-5": ""}
    for name in tables:
        table.do(floor.table(name, ("output", "alarm", {"alarm": alarm(kind="motor")})))
    obeyed = len(floor.obeyed)

    def answer(command: Command) -> Answer | None:
        words = refusing.get(floor.obeyed[-1]["table"])
        if words is None:
            return Answer(command.id, Result.DONE, 9, "")
        return Answer(command.id, Result.REFUSED, 0, words) if words else None

    floor.answers = answer
    line = pit.locator("#items > li", has_text="Motor: 5 tables")
    line.locator(":scope > .tools").get_by_role("button", name="Acknowledge these 5").click()
    notices = pit.locator("#notices > p")
    expect(notices).to_have_count(3)
    expect(notices.filter(has_text="table-1: not acknowledged: Ada has decided it already.")).to_have_count(1)
    expect(notices.filter(has_text="table-4: not acknowledged: the table is closed.")).to_have_count(1)
    expect(notices.filter(has_text="table-5: not known.")).to_have_count(1)
    assert {one["table"] for one in floor.obeyed[obeyed:]} == set(tables)
    floor.answers = lambda command: Answer(command.id, Result.DONE, 9, "")
    for name in tables:
        table.do(floor.table(name, ("output", "alarm", {"alarm": alarm("cleared", kind="motor")})))
        table.do(floor.table(name, ("output", "alarm", {"alarm": alarm("acknowledged", kind="motor")})))


def test_what_is_shelved_stands_on_its_tables_tile(pit: Page, table: ServedPit) -> None:
    def states(*told: str) -> None:
        idle = {**alarm(kind="seat_idle", device=None), "seat": 4}
        rows = [("output", "alarm", {"alarm": {**idle, "state": state}}) for state in told]
        table.do(table.floor.table("table-12", *rows))

    states("raised", "shelved")
    tile = pit.locator('#tables [data-item="table-12"] .shelved')
    expect(tile).to_have_text("1Seat idle: seat 4")
    expect(pit.locator("#items > li", has_text="Seat idle")).to_have_count(0)
    states("unshelved")
    expect(pit.locator("#items > li", has_text="Seat idle")).to_have_count(1)
    expect(tile).to_have_count(0)
    states("cleared", "acknowledged")
    expect(pit.locator("#items > li", has_text="Seat idle")).to_have_count(0)


def test_an_alarm_is_shelved_and_put_back_at_the_pit_by_its_table(pit: Page, table: ServedPit) -> None:
    floor = table.floor
    called = [{**alarm(kind="floor_called", device=None), "seat": seat} for seat in (2, 5)]
    table.do(floor.table("table-10", *(("output", "alarm", {"alarm": one}) for one in called)))
    line = pit.locator("#items > li", has_text="2 calls for the floor")
    line.locator(":scope > .tools").get_by_role("button", name="Shelve…").click()
    dialog = pit.get_by_role("dialog", name="Shelve at table-10: calls for the floor")
    dialog.get_by_role("button", name="Cancel").click()
    line.locator("summary").click()
    expect(line.locator("ol").get_by_role("button", name="Shelve…")).to_have_count(0)
    table.do(floor.table("table-10", ("output", "alarm", {"alarm": {**called[1], "state": "cleared"}}),
                         ("output", "alarm", {"alarm": {**called[1], "state": "acknowledged"}})))  # fmt: skip
    expect(line).to_have_count(0)
    alone = pit.locator("#items > li", has_text="Floor called: seat 2")
    alone.get_by_role("button", name="Shelve…").click()
    dialog = pit.get_by_role("dialog", name="Shelve at table-10: Floor called: seat 2")
    dialog.get_by_label("For how long").select_option("30 min")
    dialog.get_by_label("Reason").fill("the key sticks")
    floor.answers = lambda command: Answer(command.id, Result.REFUSED, 0, "the floor may not")
    dialog.get_by_role("button", name="Shelve").click()
    expect(pit.locator("#notices")).to_contain_text("table-10: not done: the floor may not.")
    asked = {name: floor.obeyed[-1]["decision"][name] for name in ("decision", "alarm", "seat", "minutes", "reason")}
    assert asked == {
        "decision": "shelve",
        "alarm": "floor_called",
        "seat": 2,
        "minutes": 30,
        "reason": "the key sticks",
    }
    floor.answers = lambda command: Answer(command.id, Result.DONE, 9, "")
    shelving = {"decision": "shelve", "alarm": "floor_called", "seat": 2, "minutes": 30, "staff": "supervisor"}
    table.do(floor.table("table-10", ("event", "supervisor", shelving),
                         ("output", "alarm", {"alarm": {**called[0], "state": "shelved"}})))  # fmt: skip
    table.do(floor.table("table-10"))
    tile = pit.locator('#tables [data-item="table-10"] .shelved')
    expect(tile).to_contain_text("Floor called: seat 2")
    pit.reload()
    tile.get_by_role("button", name="End shelving").click()
    while floor.obeyed[-1]["decision"]["decision"] != "unshelve":
        pit.wait_for_timeout(20)
    assert (floor.obeyed[-1]["decision"]["seat"], floor.obeyed[-1]["decision"].get("minutes")) == (2, None)
    ended = [("output", "alarm", {"alarm": {**called[0], "state": state}}) for state in ("cleared", "acknowledged")]
    table.do(floor.table("table-10", *ended))


def test_each_page_of_the_pit_has_its_band_and_can_be_heard(tab: Page, table: ServedPit) -> None:
    tab.add_init_script(f"({SOUNDS})()")
    sign_in(tab, table, Role.DIRECTOR)  # type: ignore[arg-type]
    heard = tab.locator("html[data-sounded]")
    tab.get_by_role("button", name="Sound").click()
    expect(heard).to_have_count(1)
    for page in ELSEWHERE:
        tab.goto(table.address + page)
        expect(tab.locator("#band-level")).to_have_text(re.compile("DECIDE|STOPPED"))
        expect(tab.get_by_role("button", name=re.compile("^Sound"))).to_have_attribute("aria-pressed", "true")
    tab.get_by_role("heading", level=1).click()  # a browser lets a page sound once somebody has touched it
    expect(tab.get_by_role("button", name="Sound", exact=True)).to_be_visible()
    before = int(tab.evaluate("window.sounded"))
    locked = ("output", "gate", {"gate": "lock"})
    table.do(table.floor.table("table-11", locked, ("output", "alarm", {"alarm": alarm(kind="motor")})))
    expect(tab.locator("#band-words")).to_contain_text("1 of 12 tables stopped: table-11 (Motor")
    expect(tab.locator("#alarm-said")).to_contain_text("High: table-11: Motor")
    assert int(tab.evaluate("window.sounded")) >= before + 3, "a high alarm has three tones"
    tab.get_by_role("link", name="What waits").click()
    expect(tab.locator("#items > li.high", has_text="Motor")).to_contain_text("table-11")
    tab.get_by_role("button", name="Silence").click()
    expect(tab.get_by_role("button", name="Silence")).to_be_hidden()
    tab.route("**/api/v1/stream", lambda asked: asked.abort("internetdisconnected"))
    for page in ("/", "/reports"):
        tab.goto(table.address + page)
        expect(tab.locator("#band-level")).to_have_text("NOT LIVE")


def test_a_link_lost_again_and_a_custody_alarm_told_again_are_heard_and_said_again(tab: Page, tmp_path: Path) -> None:
    tab.add_init_script(f"({SOUNDS})()")
    silence, said = tab.get_by_role("button", name="Silence"), tab.locator("#alarm-said")
    heard = [0]

    def is_told(words: str) -> None:
        expect(said).to_contain_text(words)
        expect(silence).to_be_visible()
        heard.append(tab.evaluate("[window.sounded, document.getElementById('alarm-said').replaceChildren()][0]"))
        assert heard[-1] > heard[-2]
        silence.click()

    with served_pit(tmp_path) as pit:
        pit.do(pit.floor.table("table-1", *PLAYING))
        sign_in(tab, pit, Role.SUPERVISOR)  # type: ignore[arg-type]
        tab.get_by_role("button", name="Sound").click()
        for _ in range(2):
            pit.floor.gone("table-1")
            is_told("table-1: no connection")
            pit.do(pit.floor.back("table-1"))
            expect(tab.locator("#items > li")).to_have_count(0)
        for _ in range(2):
            pit.do(pit.floor.custody_alarm("table-1"))
            is_told("table-1: wire")


def test_a_table_is_a_link_to_its_own_page_and_its_times_are_those_of_its_clock(pit: Page, table: ServedPit) -> None:
    start = {"note": START_NOTE, "page": "https://table-5.casino.example", "zone": "Australia/Melbourne"}
    called = {**alarm(kind="floor_called", device=None), "seat": 2}
    order = {"decision": "shelve", "alarm": "floor_called", "seat": 2, "minutes": 30, "staff": "Anna"}
    rows = (("host", "note", start), ("output", "alarm", {"alarm": alarm(kind="motor")}),
            ("output", "alarm", {"alarm": called}), ("event", "supervisor", order),
            ("output", "alarm", {"alarm": {**called, "state": "shelved"}}))  # fmt: skip
    table.do(table.floor.table("table-5", *rows))
    tile = pit.locator('#tables [data-item="table-5"]')
    expect(tile).to_contain_text("Australia/Melbourne")
    expect(tile.locator(".shelved small")).to_contain_text(re.compile(r"\+1[01]:00 \(Australia/Melbourne\) by Anna"))
    line = pit.locator("#items > li", has_text="Motor").filter(has_text="table-5")
    for link in (tile.locator("h3 a"), line.locator("a.where")):
        expect(link).to_have_text("table-5 table-5.casino.example")
        expect(link).to_have_attribute("href", "https://table-5.casino.example")
        expect(link).to_have_attribute("rel", "noreferrer")
        expect(link).to_have_attribute("target", "_blank")
    expect(pit.locator('#tables [data-item="table-1"] h3 a')).to_have_count(0)
    ended = [("output", "alarm", {"alarm": {**one, "state": state}})
             for one in (alarm(kind="motor"), called) for state in ("cleared", "acknowledged")]  # fmt: skip
    table.do(table.floor.table("table-5", *ended))


def test_a_ruling_and_its_alarm_are_one_line_with_the_decision(pit: Page, table: ServedPit) -> None:
    called = {**alarm(kind="card_exposed", device=None), "seat": 3}
    decided = ("output", "ruling", {"ruling": ruling(8)})
    table.do(table.floor.table("table-6", decided, ("output", "alarm", {"alarm": called})))
    line = pit.locator("#items > li", has_text="table-6")
    expect(line).to_have_count(1)
    expect(line).to_contain_text("waits for the supervisor")
    expect(line.get_by_role("button", name="Acknowledge")).to_be_visible()
    line.get_by_role("button", name="Confirm").click()
    expect(pit.locator("#decide-title")).to_contain_text("at table-6")


@pytest.mark.parametrize("language", ["en", "de"])
def test_each_page_of_the_pit_fits_on_every_screen(chromium: Browser, flooded: ServedPit, language: str) -> None:
    away = ("event", "device.state", {"ev": "device.state", "device": "shoe", "online": False})
    start = {"note": START_NOTE, "page": "https://table-6-of-the-high-limit-room.poker.casino.example:8443"}
    named = ("host", "note", start)
    flooded.do(flooded.floor.table("table-6", named, away, ("output", "ruling", {"ruling": ruling(8)})))
    context = chromium.new_context(locale=language)
    context.set_default_timeout(PATIENT)
    tab = context.new_page()
    tab.goto(f"{flooded.address}/language/en")
    sign_in(tab, flooded, Role.DIRECTOR, f"/language/{language}")  # type: ignore[arg-type]
    found = {}
    for page in ("/", *ELSEWHERE):
        tab.goto(flooded.address + page)
        expect(tab.locator("#band-words")).not_to_be_empty()
        expect(tab.locator("#live:visible:empty")).to_have_count(0)  # a mark without a word says nothing
        found[page] = faults_at_each_size(tab)
        zone = {"en": "All times in the zone", "de": "Alle Zeiten in der Zone"}[language]
        expect(tab.locator("footer")).to_contain_text(zone)
        if page == "/":
            tops = tab.locator("#items > li").evaluate_all("items => items.map((one) => one.children[0].offsetTop)")
            assert max(tops) < 20, "a priority's shape has a line of its own"
            offline = {"en": "offline: shoe", "de": "offline: Schlitten"}[language]
            expect(tab.locator('#tables [data-item="table-6"]')).to_contain_text(offline)
    assert {where: faults for where, faults in found.items() if faults} == {}
    context.close()


def test_trends_of_a_floor_without_facts_say_so_and_each_picture_its_words(pit: Page, table: ServedPit) -> None:
    pit.get_by_role("link", name="Trends").click()
    expect(pit.locator("#pictures img")).to_have_count(10)
    expect(pit.locator("#told")).to_have_text("Nothing in this time.")
    told = pit.locator("#pictures img").evaluate_all("pictures => pictures.map(one => one.alt)")
    assert told[:2] == ["Rounds an hour. Nothing in this time", "Rounds, by table. Nothing in this time"]
    pit.get_by_role("button", name="A month").click()
    expect(pit.locator('[data-span="month"]')).to_have_attribute("aria-pressed", "true")
    expect(pit.locator('#pictures img[src$="span=month"]')).to_have_count(10)

"""The pit's reports in a real browser: what a search over all tables finds, in four tables, on each screen.

The search itself wants a database (`tests/floor/test_searching.py`): here its answer is given.
"""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from feltd.page.access.roles import Role
from feltd.page.pit.searching import CountView, FoundView, RoundView, RuledView
from tests.browser.conftest import sign_in
from tests.browser.sizes import SIZES, faults_of_layout
from tests.browser.test_door import DRAWN, violations
from tests.floor.pit_support import NOW, ServedPit, served_pit

BEFORE = NOW - 60.0


def round_of(number: int) -> RoundView:
    return RoundView(
        table="high-limit-room-12", number=number, began=NOW - number, ended=NOW - number + 95, book="tas-2018-holdem",
        dealer="D77", result="showdown", rulings=1,
    )  # fmt: skip


def counted(table: str | None, hour: float | None) -> CountView:
    return CountView(table=table, hour=hour, rounds=2, misdeals=1, seconds=190.0, rulings=1, alarms=3)


RULED = RuledView(
    table="high-limit-room-12", entry=31, round=1, at=NOW, rulebook="tas-2018-holdem", rule="tas-2018 12.3",
    irregularity="card_exposed", outcome="misdeal", seat=3, text="A card was exposed.", pending=True,
    decision="confirm", staff="Lea",
)  # fmt: skip
FOUND = FoundView(
    rounds=[round_of(1), round_of(2)], rulings=[RULED], tables=[counted("high-limit-room-12", None)],
    hours=[counted(None, NOW // 3600 * 3600)], before=BEFORE,
)  # fmt: skip
EARLIER = FOUND.model_copy(update={"rounds": [round_of(2), round_of(3)], "rulings": [], "before": None})


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedPit]:
    """A pit without tables."""
    with served_pit(tmp_path_factory.mktemp("pit")) as made:
        yield made


def test_what_is_found_is_shown_by_table_by_hour_and_one_by_one(tab: Page, table: ServedPit) -> None:
    asked: list[dict[str, list[str]]] = []

    def answer(route: Route) -> None:
        asked.append(parse_qs(urlsplit(route.request.url).query))
        found = EARLIER if "before" in asked[-1] else FOUND
        route.fulfill(content_type="application/json", body=found.model_dump_json())

    tab.route("**/api/v1/search?*", answer)
    sign_in(tab, table, Role.DIRECTOR, "/reports")  # type: ignore[arg-type]  # what it asks of a table a pit has too
    expect(tab.locator("#by-table tr")).to_contain_text("1 min 35 s")
    expect(tab.locator("#by-hour tr")).to_have_count(1)
    expect(tab.locator("#rulings tr")).to_contain_text("Lea")
    expect(tab.locator("#rounds tr")).to_have_count(2)
    expect(tab.locator("#told")).to_have_text("")
    assert tab.locator("#rounds tr").first.evaluate("row => row.cells[1].dataset.head") == "Table"
    tab.get_by_role("button", name="Earlier ones").click()
    expect(tab.locator("#rounds tr")).to_have_count(3)  # what both answers have is shown once
    expect(tab.locator("#more")).to_be_hidden()
    assert asked[-1]["before"] == [f"{BEFORE:.0f}"]
    for size, viewport in SIZES.items():
        tab.set_viewport_size(viewport)  # type: ignore[arg-type]  # a plain dict is what it takes
        tab.evaluate(DRAWN)
        assert faults_of_layout(tab) == [], size
    assert violations(tab) == []

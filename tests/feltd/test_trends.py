"""Trends: what the record holds, counted right, drawn for everybody."""

import asyncio
from collections.abc import Iterator
from itertools import pairwise, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from feltd.page.access.roles import Role
from feltd.page.history.charts import NARROW, WIDTH, chart, figure, in_words
from feltd.page.history.index import HistoryIndex
from feltd.page.history.search import Wanted, find_rounds, find_rulings
from feltd.page.history.trends import Part, Trend, TrendSpan, trends
from feltd.page.limits.turns import OF_ONE
from feltd.record import JournalReader, Span
from feltd.record.notes import COUNTERS_NOTE
from feltd.table.links.counters_note import EVERY, CountersNote
from tests.feltd.history_support import recorded_page
from tests.feltd.page_support import Browser, Page, index_of
from tests.feltd.table_support import Bench

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    made = recorded_page(tmp_path_factory.mktemp("record"), rounds=12)
    yield made
    made.close()


@pytest.fixture(scope="module")
def index(page: Page) -> Iterator[HistoryIndex]:
    made = index_of(page.bench.journal.path)
    made.catch_up()
    yield made
    made.close()


def of(found: list[Trend], name: str) -> Trend:
    return next(trend for trend in found if trend.name == name)


@pytest.mark.parametrize("span", list(TrendSpan))
def test_what_is_counted_is_what_the_record_holds(page: Page, index: HistoryIndex, span: TrendSpan) -> None:
    found = trends(index, span, page.bench.time.wall)
    rulings = find_rulings(index, Wanted(limit=500))
    complete = find_rounds(index, Wanted(result="complete"))
    assert sum(part.value or 0 for part in of(found, "irregularities").parts) == len(rulings)
    assert sum(part.value or 0 for part in of(found, "kinds").parts) == len(rulings)
    rounds = of(found, "rounds").parts
    hours = (rounds[1].since or 0) - (rounds[0].since or 0)
    assert sum(part.value or 0 for part in rounds) * hours / 3600 == pytest.approx(len(complete))
    times = [part.value for part in of(found, "round-time").parts if part.value]
    assert times
    assert min(times) >= min((one.ended or 0) - one.began for one in complete) - 0.1


def test_what_lies_before_the_span_is_not_in_it(page: Page, index: HistoryIndex) -> None:
    later = trends(index, TrendSpan.SHIFT, page.bench.time.wall + 9 * 3600)
    assert sum(part.value or 0 for part in of(later, "irregularities").parts) == 0
    assert all(part.value is None for part in of(later, "round-time").parts)


def test_a_picture_is_well_formed_and_says_in_words_what_it_shows(page: Page, index: HistoryIndex) -> None:
    for span in TrendSpan:
        for trend in trends(index, span, page.bench.time.wall):
            drawn = ElementTree.fromstring(chart(trend))
            title, words = drawn.find(f"{SVG}title"), drawn.find(f"{SVG}desc")
            assert title is not None
            assert title.text == trend.title
            assert words is not None
            assert words.text == in_words(trend)
            bars = [part for part in trend.parts if part.value]
            assert len(list(drawn.iter(f"{SVG}rect"))) >= len(bars) + 1
            # A viewer that takes no style from an image shows it whole: its colours are attributes.
            assert not [part for part in drawn.iter() if "style" in part.attrib]
            assert all("fill" in part.attrib for part in drawn.iter(f"{SVG}rect"))


def test_letters_are_large_and_no_figure_lies_over_another() -> None:
    bars = tuple(Part("", 3600.0 * number, 100.0 + number) for number in range(31))
    kinds = (Part("A player acted out of turn with a wager, twice", None, 12.0),)
    both = (Trend("rulings", "Rulings", "", bars), Trend("kinds", "Kinds", "", kinds))
    for trend, wide in product(both, (WIDTH, NARROW)):
        drawn = ElementTree.fromstring(chart(trend, wide))
        sizes = [float(part.get("font-size", drawn.get("font-size", "0"))) for part in drawn.iter(f"{SVG}text")]
        assert min(sizes) >= 16, "a page shows it at nine tenths: 14 and more are left"
        texts = [part for part in drawn.iter(f"{SVG}text") if (part.text or "").isdecimal()]
        places = sorted(float(part.get("x", "0")) for part in texts)
        assert places
        assert all(right - left >= 3 * 16 * 0.58 for left, right in pairwise(places))
    assert ">130<" in chart(Trend("rulings", "Rulings", "", bars)), "the highest has its figure"


def test_a_narrow_picture_has_all_its_words_in_its_width() -> None:
    parts = tuple(Part(f"{name} acted out of turn with a wager, twice", None, 12.0) for name in ("Anna", "Ben"))
    drawn = ElementTree.fromstring(chart(Trend("time", "Time from collection to shuffle, median", "s", parts), NARROW))
    assert drawn.get("width") == str(NARROW)
    texts = [(part.text or "", float(part.get("x", "0"))) for part in drawn.iter(f"{SVG}text")]
    assert max(x + len(words) * 16 * 0.58 for words, x in texts) <= NARROW
    assert " ".join(words for words, _ in texts[:2]) == "Time from collection to shuffle, median, s"
    ends = [float(part.get("y", "0")) + float(part.get("height", "0")) for part in drawn.iter(f"{SVG}rect")]
    assert max(ends) <= float(drawn.get("height", "0"))


def test_nothing_in_a_time_is_said_and_names_are_not_taken_for_markup() -> None:
    empty = Trend("kinds", "Irregularities by kind", "", ())
    assert "nothing in this time" in chart(empty)
    odd = Trend("kinds", "<b>&", "", (Part("<script>", None, 3.0),))
    ElementTree.fromstring(chart(odd))
    assert "<script>" not in chart(odd)


@pytest.mark.parametrize(
    ("value", "words"), [(None, "–"), (0.0, "0"), (12.0, "12"), (12.5, "12.5"), (1234.6, "1235"), (25_000.0, "25k")]
)
def test_figures_are_short(value: float | None, words: str) -> None:
    assert figure(value) == words


def test_trends_are_asked_over_the_api(page: Page) -> None:
    browser = Browser(page, page.session(Role.OBSERVER))
    told = browser.get("/api/v1/trends?span=day").json()
    assert [len(trend["parts"]) for trend in told if trend["name"] == "rounds"] == [24]
    picture = browser.get("/api/v1/trends/rounds.svg?span=day")
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert browser.get("/api/v1/trends/none.svg").status_code == 404
    assert browser.get("/api/v1/trends?span=year").status_code == 422


def test_a_page_of_trends_has_all_its_pictures_at_once(page: Page) -> None:
    browser = Browser(page, page.session(Role.OBSERVER))
    names = [trend["name"] for trend in browser.get("/api/v1/trends?span=day").json()]
    assert len(names) > OF_ONE, "more pictures than the questions that one person may have open"

    async def scene() -> list[int]:
        asked = [browser.ask("get", f"/api/v1/trends/{name}.svg?span=day") for name in names]
        return [answer.status_code for answer in await asyncio.gather(*asked)]

    assert set(asyncio.run(scene())) == {200}


def test_what_goes_wrong_on_links_is_noted_as_what_was_added_and_found_again(tmp_path: Path) -> None:
    def counters(**counts: int) -> Any:
        full = {"bad_frames": 0, "authentication_failures": 0, "reconnects": 0, "retransmissions": 0, **counts}
        return SimpleNamespace(**full)

    async def scene() -> list[dict[str, Any]]:
        bench = Bench(tmp_path)
        slot = SimpleNamespace(link=SimpleNamespace(counters=counters(bad_frames=2)), faults=1)
        bridge: Any = SimpleNamespace(slots={"shoe": slot})
        note = CountersNote(bridge, bench.keeper, bench.journal)
        note.beat(0.0)
        note.beat(EVERY - 1)
        note.beat(EVERY)
        note.beat(2 * EVERY)
        slot.link.counters = counters(bad_frames=2, reconnects=1)
        bench.keeper.tally.unread["shoe"] += 4
        note.beat(2 * EVERY + 1)
        await bench.synced()
        with JournalReader.open(bench.journal.path) as reader:
            found = [e.body["devices"] for e in reader.entries(Span(name="note")) if e.body["note"] == COUNTERS_NOTE]
        index = index_of(bench.journal.path)
        index.catch_up()
        [links] = [trend for trend in trends(index, TrendSpan.DAY, bench.time.wall) if trend.name == "links"]
        assert sum(part.value or 0 for part in links.parts) == 3
        index.close()
        bench.journal.close()
        return found

    assert asyncio.run(scene()) == [{"shoe": {"link errors": 3}}, {"shoe": {"reconnects": 1, "unread cards": 4}}]

"""The page: true, live; no card that is not public; no word that a device could smuggle in."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from devices.simulated.direct import play_rounds
from feltd.door import GivenRuling, TableAwayError
from feltd.page.addresses import hosts_for, is_loopback
from feltd.page.api.hub import A_BROWSER, GATHER, Hub
from feltd.page.app import ASSETS
from feltd.simulated.games import game_for, options_for
from feltd.table.journal import Journal
from table_fsm.events import Event
from table_fsm.outputs import Ruling
from tests.feltd.page_support import Browser, Page, open_page
from tests.feltd.table_support import BOOKS, HOLDEM, KEY, UTH, Bench, opening

CARD = re.compile(r'"(?:[2-9TJQKA][shdc]|Jo)"')
EVIL = "<script>alert(1)</script>"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with open_page(tmp_path, opening()) as page:
        yield page


@pytest.fixture
def browser(page: Page) -> Browser:
    return Browser(page)


def test_the_page_says_what_is_to_be_done(browser: Browser) -> None:
    text = browser.get("/").text
    assert "<h1>Table 7</h1>" in text
    assert BOOKS[HOLDEM].title.replace("'", "&#39;") in text
    assert '<p id="prompt" class="prompt">Check the cards' in text or "Shuffle" in text


def test_the_state_is_json_and_says_phase_prompt_devices_and_record(browser: Browser) -> None:
    state = browser.get("/api/v1/state").json()
    assert state["table"]["open"] is True
    assert [seat["seat"] for seat in state["table"]["seats"]] == [1, 2, 3]
    assert [device["name"] for device in state["devices"]] == ["shoe", "reader:board", "indicators", "keys", "badge"]
    assert {device["state"] for device in state["devices"]} == {"stopped"}
    assert state["journal"]["state"] == "running"
    assert state["journal"]["backlog"] == 0
    assert state["rulebook"]["digest"] == BOOKS[HOLDEM].digest


@pytest.mark.parametrize(
    "address", ["/", "/sign-in", "/api/v1/state", "/healthz", "/metrics", *(f"/static/{name}" for name in ASSETS)]
)
def test_every_answer_forbids_what_the_page_does_not_need(browser: Browser, address: str) -> None:
    answer = browser.get(address)
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'")
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_nothing_on_the_page_comes_from_elsewhere_and_no_script_stands_in_it(browser: Browser) -> None:
    text = browser.get("/").text
    addresses = re.findall(r'(?:src|href)="([^"]*)"', text)
    assert addresses
    assert all(re.match(r"[/#]\w*", address) for address in addresses)  # no other host, no script in an address
    for name in ASSETS:
        asset = browser.get(f"/static/{name}").text.replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in asset
        assert "https:" not in asset
    assert [
        kind for kind in re.findall(r"<script(.*?)>", text) if "src=" not in kind and "application/json" not in kind
    ] == []
    assert not re.search(r'\son\w+="', text)
    assert "style=" not in text


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
@pytest.mark.parametrize("address", ["/", "/sign-in", "/api/v1/state", "/api/v1/stream", "/healthz"])
def test_what_is_for_reading_only_reads(browser: Browser, method: str, address: str) -> None:
    assert browser.request(method, address).status_code == 405


@pytest.mark.parametrize("address", ["/docs", "/openapi.json", "/api/state", "/static/../app.py", "/static/none.js"])
def test_there_is_nothing_else(browser: Browser, address: str) -> None:
    assert browser.get(address).status_code == 404


def test_it_answers_to_no_name_but_its_own(browser: Browser) -> None:
    assert browser.get("/api/v1/state", headers={"host": "evil.example"}).status_code == 400


@pytest.mark.parametrize(
    ("host", "loopback"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("felt", False)]
)
def test_on_loopback_only_loopbacks_names_count(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback
    assert ("*" in hosts_for(host)) is not loopback


def test_a_devices_words_cannot_become_part_of_the_page(page: Page, browser: Browser) -> None:
    page.bridge.faults.tell("shoe", EVIL)
    text = browser.get("/").text
    assert EVIL not in text
    data = re.search(r'<script type="application/json" id="state">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    assert json.loads(data[1])["faults"][0]["text"] == EVIL


def test_a_record_that_cannot_be_kept_is_told_and_is_not_healthy(page: Page, browser: Browser) -> None:
    assert browser.get("/healthz").text == "well\n"
    page.bench.keeper.stopped = "/var/lib/feltd/t.journal: the disk is full. Make room"
    assert browser.get("/healthz").status_code == 503
    assert "Play stops: /var/lib/feltd/t.journal: the disk is full" in browser.get("/").text
    assert "feltd_play_stopped 1.0" in browser.get("/metrics").text


def test_the_metrics_are_counts_and_states(page: Page, browser: Browser) -> None:
    text = browser.get("/metrics").text
    assert 'feltd_events_total{event="table.open"} 1.0' in text
    assert 'feltd_link_up{device="shoe"} 0.0' in text
    assert "feltd_journal_running 1.0" in text
    assert "feltd_loop_lag_seconds" in text


@pytest.mark.parametrize("book", [HOLDEM, UTH])
def test_no_card_is_on_the_page_that_has_not_been_seen_face_up(page: Page, book: str) -> None:
    options = options_for(BOOKS[book])
    game = game_for(BOOKS[book], (1, 2, 3, 5), options, rounds=12, mistake_rate=0.6, seed=4)
    keeper = page.bench.keeper
    from table_fsm.table import Table

    keeper.table = Table(BOOKS)
    seen: set[str] = set()
    shown = 0

    def apply(event: Event) -> list[dict[str, Any]]:
        nonlocal shown
        outputs = keeper.table.apply(event)
        for output in outputs:
            if isinstance(output.value, Ruling):
                keeper.rulings.appendleft(GivenRuling(0.0, output.value.to_json()))
        if event.ev in ("shoe.shuffled", "shoe.deck_checked"):
            seen.clear()
        if getattr(event, "face", "down") == "up" or event.ev == "card.exposed":
            seen.add(str(getattr(event, "card", None)))
        said = {match.strip('"') for match in CARD.findall(json.dumps(page.state()))}
        assert said <= seen, event.ev
        shown += len(said)
        return [output.to_dict() for output in outputs]

    play_rounds(game, apply, options=options, button=game.button)
    assert shown > 1000


# -- live


def states(hub: Hub, count: int) -> list[dict[str, Any]]:
    """The first states a browser gets while something changes."""

    async def watch() -> list[dict[str, Any]]:
        found = []
        async for event in hub.admit():
            found.append(json.loads(event.split("data: ")[1]))
            if len(found) == count:
                return found
            hub.changed()
        raise AssertionError

    return asyncio.run(watch())


def test_a_browser_gets_the_state_at_once_and_each_change_after_it() -> None:
    numbers = iter(range(100))

    async def make() -> dict[str, Any]:
        return {"n": next(numbers)}

    assert states(Hub(make), 3) == [{"n": 0}, {"n": 1}, {"n": 2}]


def test_a_slow_browser_gets_the_latest_and_misses_what_was_between() -> None:
    async def scene() -> tuple[str, str, int]:
        state = {"n": 0}
        made = 0

        async def make() -> dict[str, Any]:
            nonlocal made
            made += 1
            return dict(state)

        hub = Hub(make)
        slow = hub.admit()
        first = await anext(slow)
        for number in range(1, 500):
            state["n"] = number
            hub._publish()
        return first, await anext(slow), made

    first, second, made = asyncio.run(scene())
    assert '{"n":0}' in first
    assert '{"n":499}' in second
    assert made == 2


def test_while_nobody_looks_nothing_is_made() -> None:
    async def scene() -> None:
        async def make() -> dict[str, Any]:
            raise AssertionError

        hub = Hub(make)
        hub.changed()
        assert hub._due is None

    asyncio.run(scene())


def test_many_changes_make_one_state() -> None:
    async def scene() -> int:
        made = 0

        async def make() -> dict[str, Any]:
            nonlocal made
            made += 1
            return {"n": made}

        hub = Hub(make)
        watching = hub.admit()
        await anext(watching)
        for _ in range(1000):
            hub.changed()
        await anext(watching)
        return made

    assert asyncio.run(scene()) == 2


async def empty() -> dict[str, Any]:
    return {}


def test_a_table_that_is_away_lets_every_browser_go() -> None:
    async def scene() -> None:
        async def away() -> dict[str, Any]:
            raise TableAwayError("the table does not answer")

        with pytest.raises(StopAsyncIteration):
            await anext(Hub(away).admit())

    asyncio.run(scene())


def test_closing_lets_every_browser_go() -> None:
    async def scene() -> None:
        hub = Hub(empty)
        watching = hub.admit()
        await anext(watching)
        assert hub.browsers == 1
        hub.close()
        with pytest.raises(StopAsyncIteration):
            await anext(watching)
        assert hub.browsers == 0

    asyncio.run(scene())


def test_a_flood_of_changes_is_one_push_and_none_comes_sooner_than_a_tenth_of_a_second() -> None:
    async def scene() -> None:
        async def make() -> dict[str, Any]:
            return {}

        hub, loop = Hub(make), asyncio.get_running_loop()
        watching = hub.admit()
        await anext(watching)
        now = loop.time()
        hub.changed()
        first = hub._due
        assert first is not None
        assert first.when() - now >= 0.1
        for _ in range(200):
            hub.changed()
        assert hub._due is first
        hub._publish()
        hub.changed()
        assert hub._due is not None
        assert hub._due.when() - loop.time() >= 0.1
        hub.close()

    asyncio.run(scene())


def test_two_hundred_browsers_are_one_question_to_the_table_and_are_told_less_often() -> None:
    async def scene() -> tuple[int, float]:
        made = 0

        async def make() -> dict[str, Any]:
            nonlocal made
            made += 1
            return {"n": made}

        hub = Hub(make)
        watching = [hub.admit() for _ in range(200)]
        for one in watching:
            await anext(one)
        gathers, made = hub.gathers, 0
        for _ in range(3):
            hub._publish()
            assert len({await anext(one) for one in watching}) == 1
        hub.close()
        return made, gathers

    made, gathers = asyncio.run(scene())
    assert made == 3
    assert gathers == pytest.approx(GATHER + 200 * A_BROWSER)
    assert GATHER >= 0.1, "a browser is told at most every 100 ms"


def test_the_last_rulings_come_back_from_the_journal(tmp_path: Path) -> None:
    """What the page showed before a restart it shows after it."""
    from feltd.table.keeper.keeper import RULINGS_SHOWN

    async def scene() -> list[int]:
        bench = Bench(tmp_path)
        from table_fsm.events import ShoeCard, ShoeShuffled

        bench.open_table()
        bench.take(ShoeShuffled, count=51)
        bench.take(ShoeCard, card="Kd")
        await bench.synced()
        given = [one.ruling["id"] for one in bench.keeper.rulings]
        bench.journal.close()
        return given

    given = asyncio.run(scene())
    journal = Journal.open(tmp_path / "table.journal", KEY)
    kept = [entry.body["ruling"]["id"] for entry in journal.reader.rulings(RULINGS_SHOWN)]
    journal.close()
    assert given
    assert kept == given


def test_an_asset_that_a_browser_has_kept_is_not_sent_again(browser: Browser) -> None:
    first = browser.get("/static/page.css")
    again = browser.get("/static/page.css", {"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert browser.get("/static/page.css", {"if-none-match": '"of another version"'}).content == first.content


def test_the_state_in_the_page_is_written_as_the_stream_writes_it(page: Page) -> None:
    """A page compares what it has drawn with what comes: the order of names is part of that."""
    html = Browser(page).get("/").text
    embedded = html.partition('<script type="application/json" id="state">')[2].partition("</script>")[0]
    assert json.dumps(json.loads(embedded)) == json.dumps(page.state())

"""While play is stopped the page's prompt and the dealer's display say why and what to do, and order no card."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from devices.drivers.indicators import IndicatorsDriver
from feltd.table.daemon.shown import indicators_of, order_now
from feltd.table.links import display_words
from feltd.table.links.ends import TableEnds
from feltd.text.alarms import ALARMS, Condition
from feltd.text.language import Language, speaking
from feltd.text.stops import STOPS_TOLD, Beside, causes, order_in_words
from table_fsm.events import (
    DeviceState,
    DropboxState,
    Event,
    ShoeCleared,
    ShoeFault,
    ShoeShuffled,
    Supervisor,
    TestMode,
)
from table_fsm.felt import Decision, FaultKind
from table_fsm.outputs import Display, Gate, Output
from tests.feltd.table_support import Bench
from tests.feltd.test_api_door import made
from tests.feltd.test_daemon_bridge import Scene
from tests.feltd.test_daemon_keeper import play

JAM = "Jam: shoe. Stop dealing. Free the card in the supervisor's sight. Decide on the card."
AWAY = "Device offline: shoe. Check the device's plug and its supply. The page Devices names the fault."
BY_EVENT: Mapping[str, tuple[type[Event], dict[str, Any]]] = {
    JAM: (ShoeFault, {"kind": "jam"}),
    AWAY: (DeviceState, {"device": "shoe", "online": False, "reason": "out"}),
    "Test mode. Wait for the technician. Test mode ends on the page Devices.": (TestMode, {"on": True}),
}


def decide(bench: Bench, decision: Decision, number: int | None = None) -> None:
    bench.take(Supervisor, decision=decision, ruling=number, staff="s1")


@pytest.mark.parametrize("order", BY_EVENT)
def test_the_prompt_is_the_cause_and_its_remedy(tmp_path: Path, order: str) -> None:
    page = made(tmp_path, open_here=True)
    before = page.state()["prompt"]
    event, fields = BY_EVENT[order]
    page.bench.take(event, **fields)
    state = page.state()
    assert state["prompt"] == order
    assert state["band"]["level"] == "stopped"
    assert state["band"]["words"] == order.partition(". ")[0]
    assert state["table"]["prompt"] is not None, "programs have the table's own prompt as before"
    assert before not in state["prompt"]
    page.close()


def test_after_the_decision_the_prompt_stays_the_cause_until_it_ends(tmp_path: Path) -> None:
    page = made(tmp_path, open_here=True)
    before = page.state()["prompt"]
    page.bench.take(ShoeFault, kind="jam")
    decide(page.bench, Decision.ACKNOWLEDGE)
    assert page.state()["prompt"] == JAM
    page.bench.take(ShoeCleared, kind="jam")
    decide(page.bench, Decision.ACKNOWLEDGE)
    assert page.state()["prompt"] == before
    page.close()


def test_a_device_that_no_round_needs_changes_no_order(tmp_path: Path) -> None:
    page = made(tmp_path, open_here=True)
    before = page.state()["prompt"]
    page.bench.take(DeviceState, device="badge", online=False, reason="out")
    assert page.state()["prompt"] == before
    page.bench.take(DeviceState, device="shoe", online=False, reason="out")
    told = "2 devices offline: check the USB hub and its supply. "
    assert page.state()["prompt"].startswith(told)
    page.close()


def test_a_fault_that_is_gone_asks_for_its_acknowledgement(tmp_path: Path) -> None:
    page = made(tmp_path, open_here=True)
    page.bench.take(ShoeFault, kind="lid_open")
    page.bench.take(ShoeCleared, kind="lid_open")
    assert page.state()["prompt"] == "Lid open: shoe. The fault is cleared: acknowledge its alarm."
    page.close()


def test_while_the_record_cannot_be_kept_the_prompt_says_so_in_every_language(tmp_path: Path) -> None:
    page = made(tmp_path, open_here=True)
    view = page.bench.keeper.table.view()
    said = {}
    for language in Language:
        with speaking(language):
            said[language] = order_in_words(view, Beside("/secret/path is full", testing=False, needed_away=False))
    assert said[Language.ENGLISH].startswith("The record cannot be kept. Stop dealing.")
    assert "path" not in "".join(said.values())
    assert len(set(said.values())) == len(Language)
    page.close()


# ---- the dealer's display


def on_display(bench: Bench, language: Language = Language.ENGLISH) -> str:
    testing = bench.keeper.standing.testing
    told = [
        one["display"]["text"]
        for one in indicators_of(bench.keeper.table, language, testing=testing)
        if "display" in one
    ]
    assert len(told) == 1
    return str(told[0])


def test_the_display_says_the_cause_where_no_ruling_waits(tmp_path: Path) -> None:
    async def scene(bench: Bench) -> None:
        bench.open_table()
        assert on_display(bench) == ""
        bench.take(DeviceState, device="shoe", online=False, reason="out")
        assert on_display(bench) == AWAY
        bench.take(DropboxState, present=False, locked=False)
        assert on_display(bench) == AWAY or "drop box" in on_display(bench)
        bench.take(DeviceState, device="shoe", online=True, reason="back")
        assert AWAY not in on_display(bench)

    play(tmp_path, scene)


def test_the_cause_and_its_remedy_come_before_the_ruling_that_waits(tmp_path: Path) -> None:
    async def scene(bench: Bench) -> None:
        bench.open_table()
        bench.take(ShoeShuffled, deck="blue", count=36)
        waits = bench.keeper.table.view()["pending"]
        assert on_display(bench) == waits[-1]["text"], "no cause beside the ruling"
        bench.take(ShoeFault, kind="jam")
        waits = bench.keeper.table.view()["pending"]
        assert on_display(bench) == f"{JAM} [{waits[-1]['rule']}] {waits[-1]['text']}"
        german = on_display(bench, Language.GERMAN)
        with speaking(Language.GERMAN):
            order = order_in_words(bench.keeper.table.view(), Beside(None, testing=False, needed_away=False))
        assert german.startswith(f"{order} [{waits[-1]['rule']}] ")
        assert "Kartenstau" in order
        for pending in waits:
            decide(bench, Decision.PLAY_ON, pending["id"])
        assert on_display(bench) == JAM

    play(tmp_path, scene)


@pytest.mark.parametrize("language", Language)
def test_test_mode_comes_before_a_ruling_that_waits(tmp_path: Path, language: Language) -> None:
    async def scene(bench: Bench) -> None:
        bench.open_table()
        bench.take(ShoeFault, kind="jam")
        [rule] = {waits["rule"] for waits in bench.keeper.table.view()["pending"]}
        bench.take(TestMode, on=True)
        assert on_display(bench, language).startswith(f"{display_words.testing_in_words(language)} [{rule}] ")

    play(tmp_path, scene)


@pytest.mark.parametrize("language", Language)
def test_the_bridge_says_the_cause_of_a_jam_before_its_ruling_in_the_tables_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: Language
) -> None:
    page, scene = made(tmp_path, open_here=True), Scene(monkeypatch)
    table = page.bench.keeper.table
    scene.bridge.indicating.language = language
    scene.bridge.connect(
        TableEnds(
            scene.take,
            lambda: indicators_of(table, language),
            order=lambda: order_now(table, language, testing=False),
            pending=lambda: table.view()["pending"],
        )
    )
    sent = len(page.bench.indicators.sent)
    page.bench.take(ShoeFault, kind="jam")
    scene.bridge.send(page.bench.indicators.sent[sent:])
    with speaking(language):
        order = order_in_words(table.view(), Beside(None, testing=False, needed_away=False))
    assert display(scene.posts)[-1].startswith(f"{order} [")
    again = [output for output in table.indicators() if isinstance(output.value, Display)]
    told = display(scene.posts)[-1]
    scene.bridge.send(again)
    assert display(scene.posts)[-1] == told, "what a German display showed stays German"
    page.close()


def test_what_has_no_room_on_the_display_ends_in_an_ellipsis() -> None:
    [(_, args)] = IndicatorsDriver("indicators", {}).commands({"display": {"text": f"{JAM} " * 3, "rule": None}})
    settings = IndicatorsDriver("indicators", {}).settings
    assert len(args["lines"]) == settings.rows
    assert max(map(len, args["lines"])) <= settings.columns
    assert args["lines"][-1].endswith("…")
    assert " ".join(args["lines"]).startswith(JAM)


def test_each_order_fits_on_the_display_in_each_language(tmp_path: Path) -> None:
    lines = IndicatorsDriver("indicators", {}).settings

    async def scene(bench: Bench) -> None:
        bench.open_table()
        for kind in FaultKind:
            bench.take(ShoeFault, kind=kind.value)
            for language in Language:
                with speaking(language):
                    view = bench.keeper.table.view()
                    for cause in causes(view, Beside(None, testing=True, needed_away=True)):
                        text = f"{cause.words}. {cause.action}"
                        driver = IndicatorsDriver("indicators", {})
                        [(_, args)] = driver.commands({"display": {"text": text, "rule": None}})
                        shown = " ".join(args["lines"]).split()
                        assert len(args["lines"]) <= lines.rows
                        assert shown == text.split(), text

    play(tmp_path, scene)
    assert all(ALARMS[kind].action for kind in (*FaultKind, *STOPS_TOLD, Condition.TEST_MODE))


def display(posts: list[tuple[str, str, Mapping[str, Any]]]) -> list[str]:
    return [" ".join(args["lines"]) for _, post, args in posts if post == "display"]


def test_the_bridge_sets_the_display_when_the_cause_changes_and_before_a_ruling(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene, order = Scene(monkeypatch), ""
    told = lambda: [{"display": {"text": order, "rule": None}}]  # noqa: E731
    scene.bridge.connect(TableEnds(scene.take, told, order=lambda: order))
    scene.bridge.send([Output(1.0, Gate(locked=True))])
    assert display(scene.posts) == []
    order = AWAY
    scene.bridge.send([Output(1.0, Gate(locked=True))])
    assert display(scene.posts) == [AWAY]
    scene.bridge.send([Output(1.0, Display("Seat 3 leaves after this round."))])
    assert display(scene.posts)[-1] == AWAY, "no notice hides the cause"
    scene.bridge.send([Output(1.0, Display("The deck is short.", "9.1"))])
    assert display(scene.posts)[-1] == f"{AWAY} [9.1] The deck is short."
    order = JAM
    scene.bridge.observe(ShoeFault(t=1.0, kind="jam"))
    assert display(scene.posts)[-1] == JAM, "no output tells of a further cause"
    order = ""
    scene.bridge.observe(ShoeCleared(t=1.0, kind="jam"))
    assert display(scene.posts)[-1] == ""


def test_what_feltd_itself_says_on_the_display_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch)
    scene.bridge.connect(TableEnds(scene.take, order=lambda: AWAY))
    scene.bridge.stop_play("the disk is full")
    said = display(scene.posts)[-1]
    scene.bridge.send([Output(1.0, Gate(locked=True))])
    assert display(scene.posts)[-1] == said
    assert said.startswith("PLAY STOPS")


def test_the_order_of_a_closed_table_is_none(tmp_path: Path) -> None:
    async def scene(bench: Bench) -> None:
        assert order_now(bench.keeper.table, Language.ENGLISH, testing=False) == ""

    play(tmp_path, scene)

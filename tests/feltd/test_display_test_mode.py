"""Test mode on the dealer's display: said before all else, and gone with the mode."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from feltd.table.daemon.shown import indicators_of
from feltd.table.links.ends import TableEnds
from feltd.text.language import Language
from table_fsm.events import ShoeFault, TestMode
from table_fsm.outputs import Display, Output
from tests.feltd.table_support import Bench
from tests.feltd.test_daemon_bridge import Scene
from tests.feltd.test_daemon_keeper import play

SAID = "TEST MODE: devices are being tested. Deal nothing."


def display(posts: list[tuple[str, str, Mapping[str, Any]]]) -> str:
    return " ".join([args["lines"] for _, post, args in posts if post == "display"][-1])


def test_the_display_says_test_mode_first(monkeypatch: pytest.MonkeyPatch) -> None:
    scene, testing = Scene(monkeypatch), True
    scene.bridge.connect(TableEnds(scene.take, order=lambda: SAID if testing else ""))
    scene.bridge.send([Output(1.0, Display())])
    assert display(scene.posts) == SAID
    scene.bridge.send([Output(1.0, Display("The deck is short.", "9.1"))])
    assert display(scene.posts) == f"{SAID} [9.1] The deck is short."
    testing = False
    scene.bridge.send([Output(1.0, Display())])
    assert display(scene.posts) == ""


def test_the_mode_sets_the_display_anew_when_it_begins_and_when_it_ends(tmp_path: Path) -> None:
    def shown(bench: Bench) -> list[Any]:
        return [output.value for output in bench.indicators.sent if isinstance(output.value, Display)]

    async def scene(bench: Bench) -> None:
        bench.open_table()
        before = len(shown(bench))
        bench.take(TestMode, on=True)
        assert shown(bench)[before:] == [Display()]
        assert bench.keeper.standing.testing
        bench.take(TestMode, on=False)
        assert shown(bench)[before:] == [Display(), Display()]

    play(tmp_path, scene)


def test_a_device_that_comes_up_in_test_mode_is_told_too(tmp_path: Path) -> None:
    async def scene(bench: Bench) -> None:
        bench.open_table()
        bench.take(TestMode, on=True)
        told = [one["display"] for one in indicators_of(bench.keeper.table, testing=True) if "display" in one]
        assert told == [{"text": SAID, "rule": None}]
        german = indicators_of(bench.keeper.table, Language.GERMAN, testing=True)[-1]["display"]["text"]
        assert german
        bench.take(ShoeFault, kind="jam")
        assert f"{SAID} [" in str(indicators_of(bench.keeper.table, testing=True))

    play(tmp_path, scene)

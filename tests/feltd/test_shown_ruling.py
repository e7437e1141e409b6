"""The display follows when the cause of what it shows ends."""

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from feltd.table.keeper.deliveries import Delivery
from feltd.table.keeper.shown_ruling import ShownRuling
from table_fsm.events import (
    Cut,
    DealStart,
    DeviceState,
    Event,
    FloorCalled,
    ShoeDeckChecked,
    ShoeShuffled,
    TestMode,
    parse_event,
)
from table_fsm.outputs import Alarm, AlarmState, Display, Lamp, LampName, Output, Ruling
from tests.feltd.history_support import record
from tests.feltd.table_support import Bench
from tests.feltd.test_daemon_keeper import play

_DRILL = Path(__file__).parents[1] / "drills/act-2001-draw/17.8-the-called-hand-is-short-of-a-card.jsonl"


def displays(bench: Bench) -> list[str]:
    return [output.value.text for output in bench.indicators.sent if isinstance(output.value, Display)]


def irregularities(bench: Bench) -> list[str]:
    return [output.value.irregularity for output in bench.indicators.sent if isinstance(output.value, Ruling)]


def _stopped_for_the_shoe(bench: Bench) -> None:
    bench.open_table()
    bench.take(ShoeDeckChecked, count=52, missing=[], foreign=[], duplicate=[])
    bench.take(ShoeShuffled, count=52)
    bench.take(Cut)
    bench.take(DeviceState, device="shoe", online=False, reason="unplugged")
    bench.take(DealStart)
    assert irregularities(bench) == ["shoe_unavailable"]
    assert "a device the game needs is not there" in displays(bench)[-1]


def test_the_display_does_not_go_on_saying_that_a_device_is_gone(tmp_path: Path) -> None:
    async def scene(bench: Bench) -> None:
        _stopped_for_the_shoe(bench)
        bench.take(DeviceState, device="shoe", online=True)
        assert displays(bench)[-1] == ""
        states = [output.value.state for output in bench.indicators.sent if isinstance(output.value, Alarm)]
        assert AlarmState.ACKNOWLEDGED not in states  # which is why the table itself does not clear it

    play(tmp_path, scene)


def test_the_display_stays_while_the_cause_does(tmp_path: Path) -> None:
    async def scene(bench: Bench) -> None:
        _stopped_for_the_shoe(bench)
        bench.take(TestMode, on=True)
        bench.take(DeviceState, device="shoe", online=True)
        assert "a device the game needs is not there" in displays(bench)[-1]
        bench.take(TestMode, on=False)
        assert displays(bench)[-1] == ""

    play(tmp_path, scene)


def _ruled(number: int, *, pending: bool) -> list[Output]:
    ruling = Ruling(
        id=number, supersedes=None, rulebook="x", rule="1", irregularity="x", outcome="warn", also=(), seat=None,
        authority="dealer", pending=pending, text="text", cards=(),
    )  # fmt: skip
    return [Output(0.0, ruling), Output(0.0, Display("text", "1"))]


@dataclass(frozen=True)
class Held:
    """What a table holds after an event."""

    waiting: frozenset[int] = frozenset()
    is_ruled: bool = False
    round_number: int = 1


def test_a_later_ruling_that_waits_for_nobody_is_not_cleared_with_an_earlier_one() -> None:
    shown = ShownRuling({1})
    assert shown.ends(_ruled(2, pending=False), Held(frozenset({1}), is_ruled=True)) is False
    assert shown.ends([], Held(is_ruled=True)) is False


def test_a_ruling_that_waits_for_nobody_leaves_once_it_is_settled() -> None:
    shown = ShownRuling(())
    assert shown.ends(_ruled(1, pending=False), Held(is_ruled=True)) is False
    assert shown.ends([], Held()) is True
    assert shown.ends([], Held()) is False


def test_a_ruling_that_the_end_of_the_round_brings_stays_until_the_next_round() -> None:
    shown = ShownRuling(())
    assert shown.ends(_ruled(1, pending=False), Held()) is False
    assert shown.ends([], Held()) is False
    assert shown.ends([], Held(round_number=2)) is True
    assert shown.ends([], Held(round_number=2)) is False


def test_a_ruling_of_the_next_round_follows_the_one_that_ended_the_last() -> None:
    shown = ShownRuling(())
    assert shown.ends(_ruled(1, pending=False), Held()) is False
    assert shown.ends(_ruled(2, pending=False), Held(is_ruled=True, round_number=2)) is False
    assert shown.ends([], Held(round_number=2)) is True


def test_the_ruling_of_the_end_of_a_round_is_not_wiped_by_the_event_that_brings_it(tmp_path: Path) -> None:
    async def scene(bench: Bench) -> None:
        for line in _DRILL.read_text(encoding="utf-8").splitlines()[1:]:
            raw = json.loads(line)
            if "ev" in raw:
                bench.time.pass_(0.5)
                bench.keeper.deliver(Delivery("test", partial(_event, raw)))
        assert irregularities(bench)[-1] == "wrong_card_count"
        assert displays(bench)[-1] != ""

    play(tmp_path, scene)


def _event(raw: dict[str, Any], t: float) -> list[Event]:
    return [parse_event(json.dumps({**raw, "t": t}))]


def test_the_display_does_not_go_on_with_the_last_round_while_an_alarm_keeps_the_lamp_lit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(bench: Bench) -> None:
        deliver, called = bench.keeper.deliver, list[bool]()

        def and_call_the_floor(delivery: Delivery) -> None:
            deliver(delivery)
            if not called and bench.keeper.table.view()["open"]:
                called.append(True)
                bench.take(FloorCalled)

        monkeypatch.setattr(bench.keeper, "deliver", and_call_the_floor)
        record(bench, rounds=5)
        assert irregularities(bench)
        lamps = [output.value for output in bench.indicators.sent if isinstance(output.value, Lamp)]
        assert [lamp.on for lamp in lamps if lamp.name is LampName.ATTENTION][-1]
        assert displays(bench)[-1] == ""

    play(tmp_path, scene)


def test_when_the_latest_ends_the_one_before_is_followed_too() -> None:
    shown = ShownRuling(())
    assert shown.ends(_ruled(1, pending=True), Held(frozenset({1}), is_ruled=True)) is False
    assert shown.ends(_ruled(2, pending=True), Held(frozenset({1, 2}), is_ruled=True)) is False
    assert shown.ends([], Held(frozenset({1}), is_ruled=True)) is True
    assert shown.ends([], Held(frozenset({1}), is_ruled=True)) is False
    assert shown.ends([], Held(is_ruled=True)) is True
    assert shown.ends([], Held(is_ruled=True)) is False


def test_what_the_table_has_cleared_is_not_cleared_again() -> None:
    shown = ShownRuling({1})
    assert shown.ends([Output(0.0, Display())], Held(is_ruled=True)) is False

"""What a reader's statuses say of its zones: what lasts becomes an alarm with zone and remedy, what passes does not."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from devices.drivers.status import ZoneReading, read_status
from devices.errors import DeviceMessageError
from feltd.page.history.words import event_in_words
from feltd.table.daemon.shown import order_now
from feltd.table.links.ends import TableEnds
from feltd.table.links.zone_watch import BEGINS_AFTER, ENDS_AFTER, ZoneWatch
from feltd.text.language import Language, speaking
from feltd.text.words import alarm_in_words
from table_fsm.events import DeviceState, Event, Supervisor, ZoneState, event_to_dict
from tests.feltd.table_support import Bench
from tests.feltd.test_daemon_bridge import IDENTITY, Scene
from tests.feltd.test_daemon_keeper import play

READER = "reader:board"


def status(trouble: str | None, whole: int | None = 100) -> dict[str, Any]:
    return {"up_ms": 1, "zones": {"board:1": [whole, 2, 12, trouble]}}


def reading(trouble: str | None) -> dict[str, ZoneReading]:
    return {"board:1": ZoneReading(100, 0, 12, trouble)}


# -- what a status says


def test_the_zones_of_a_status_are_read() -> None:
    told = read_status(READER, status("chip"), {"board:1"})
    assert told.zones == {"board:1": ZoneReading(100, 2, 12, "chip")}
    unknown = {"zones": {"board:1": [None, None, None, None]}}
    assert read_status(READER, unknown, {"board:1"}).zones == {"board:1": ZoneReading(None, None, None, None)}
    assert read_status(READER, {"zones": None}, {"board:1"}).zones == {}
    marked = {"zones": {"board:1": [None, None, None, "weak", b"mark"]}}
    reading = read_status(READER, marked, {"board:1"}).zones["board:1"]
    assert (reading.trouble, reading.mark) == ("weak", b"mark")
    assert "mark" not in repr(reading)


@pytest.mark.parametrize(
    "zones",
    [
        {"board:2": [1, 2, 3, None]},
        {"board:1": [1, 2, 3]},
        {"board:1": [1, 2, 3, None, None, None]},
        {"board:1": [1, 2, 3, None, b"five!"]},
        {"board:1": [1, 2, 3, None, "mark"]},
        {"board:1": [101, 2, 3, None]},
        {"board:1": [1, -1, 3, None]},
        {"board:1": [1, 2, 3, "As"]},
        {"board:1": "chip"},
        ["board:1"],
    ],
)
def test_zones_that_break_the_rules_are_a_fault(zones: object) -> None:
    with pytest.raises(DeviceMessageError):
        read_status(READER, {"zones": zones}, {"board:1"})


def test_no_other_role_has_zones() -> None:
    with pytest.raises(DeviceMessageError, match="zones"):
        read_status("shoe", status(None))


# -- what lasts


def test_a_trouble_of_one_status_is_none() -> None:
    watch = ZoneWatch()
    for trouble in ("tangled", None, "tangled", "chip", None):
        assert watch.take(reading(trouble)) == {}


def test_a_trouble_lasts_until_it_has_been_away_for_some_statuses() -> None:
    watch = ZoneWatch()
    for _ in range(BEGINS_AFTER):
        lasts = watch.take(reading("chip"))
    assert lasts == {"board:1": "chip"}
    for _ in range(ENDS_AFTER - 1):
        assert watch.take(reading(None)) == {"board:1": "chip"}
    assert watch.take(reading("chip")) == {"board:1": "chip"}  # a loose wire: it has not ended
    for _ in range(ENDS_AFTER):
        lasts = watch.take({})  # a zone that is left out is well
    assert lasts == {}


@pytest.mark.parametrize(("zone", "told"), [("muck", False), ("burn", False), ("seat:1", True)])
def test_a_weak_card_in_a_pile_is_no_news(zone: str, told: bool) -> None:
    watch = ZoneWatch()
    for _ in range(BEGINS_AFTER):
        lasts = watch.take({zone: ZoneReading(100, 0, 12, "weak")})
    assert lasts == ({zone: "weak"} if told else {})


# -- at the table


class Known(Scene):
    """A bridge whose table remembers what it was told of zones."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.troubles: dict[str, dict[str, str]] = {READER: {}}
        self.resting = True
        super().__init__(monkeypatch)
        ends = TableEnds(
            self.take, zone_troubles=lambda name: self.troubles.get(name, {}), between_rounds=lambda: self.resting
        )
        self.bridge.connect(ends)
        self.all_up()
        self.events.clear()

    def take(self, delivery: Any) -> None:
        super().take(delivery)
        for event in self.events:
            if isinstance(event, ZoneState):
                zones = self.troubles[READER]
                zones.pop(event.zone, None)
                if event.trouble is not None:
                    zones[event.zone] = event.trouble

    def says(self, trouble: str | None, times: int = 1, whole: int = 100) -> list[Event]:
        self.events.clear()
        for _ in range(times):
            self.bridge.on_status(READER, status(trouble, whole))
        return list(self.events)


def test_the_table_is_told_once_that_a_zone_is_not_read_and_once_that_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Known(monkeypatch)
    assert scene.says(None, 10) == []
    assert scene.says("chip") == []
    assert scene.says("chip", 10) == [ZoneState(t=1.0, device=READER, zone="board:1", trouble="chip")]
    assert scene.says(None, 10) == [ZoneState(t=1.0, device=READER, zone="board:1")]


def test_after_a_start_a_reader_that_is_well_ends_what_the_record_has(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Known(monkeypatch)
    scene.troubles[READER] = {"board:1": "antenna"}
    scene.bridge.on_up(READER, IDENTITY, {"zones": {"board:1": []}, "collecting": False})
    assert scene.says(None, ENDS_AFTER - 1) == []
    assert scene.says(None) == [ZoneState(t=1.0, device=READER, zone="board:1")]


def test_how_well_a_zone_is_read_is_taken_between_two_rounds_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a round it depends on the chips that lie there, face down too."""
    scene = Known(monkeypatch)
    slot = scene.bridge.slots[READER]
    scene.says(None, whole=97)
    scene.resting = False
    scene.says(None, whole=61)
    assert slot.readings["board:1"].whole == 97
    scene.resting = True
    scene.says(None, whole=88)
    assert slot.readings["board:1"].whole == 88


def test_display_page_and_record_name_the_zone_and_the_remedy_until_it_is_seen(tmp_path: Path) -> None:
    def shown(bench: Bench, language: Language) -> str:
        return order_now(bench.keeper.table, language, testing=False)

    async def scene(bench: Bench) -> None:
        bench.take(DeviceState, device=READER, online=True)
        bench.take(ZoneState, device=READER, zone="board:4", trouble="antenna")
        words = "Antenna without its reference card: reader:board, the board, fourth card"
        assert shown(bench, Language.ENGLISH).startswith(f"{words}. Take metal off the zone.")
        german = shown(bench, Language.GERMAN)
        assert german.startswith("Antenne ohne ihre Referenzkarte: ")
        assert "Metall von dort entfernen." in german
        [alarm] = bench.keeper.table.view()["alarms"]
        assert alarm_in_words(alarm) == words
        bench.take(Supervisor, decision="acknowledge", staff="s")
        assert shown(bench, Language.ENGLISH) == ""

    play(tmp_path, scene)


@pytest.mark.parametrize(
    ("language", "lost", "back"),
    [
        (Language.ENGLISH, "does not read seat 3 whole: reader chip silent", "reads seat 3 again"),
        (Language.GERMAN, "liest Platz 3 nicht vollständig: Leserchip stumm", "liest Platz 3 wieder"),
    ],
)  # fmt: skip
def test_the_history_says_it_in_words(language: Language, lost: str, back: str) -> None:
    def words(trouble: str | None) -> str:
        said: Mapping[str, Any] = event_to_dict(ZoneState(t=1.0, device=READER, zone="seat:3", trouble=trouble))
        with speaking(language):
            return event_in_words(said, None)

    assert (words("chip"), words(None)) == (f"Reader:board {lost}", f"Reader:board {back}")

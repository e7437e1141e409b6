"""A start that takes long: systemd gives it time while it gets on, page and display say how far it is."""

import asyncio
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from feltd.door import Away
from feltd.door.asking.socket_door import SocketDoor
from feltd.launcher import long_start
from feltd.launcher.long_start import LongStart, shown_by
from feltd.table.config.config import TableConfig, load_config
from feltd.table.daemon.daemon import DoorPlace, opened
from feltd.table.host.health import ServiceManager
from feltd.table.keeper.recovery import Doing, Progress
from feltd.text.language import Language
from tests.feltd.test_daemon_health import Told
from tests.feltd.test_daemon_run import write
from tests.feltd.test_out_of_order import ask
from tests.feltd.test_recovery import record, rounds
from tests.ports import free_port
from tests.running import eventually

READING = Progress(Doing.READING, 5_000, 61_000)
WORDS = "reads its record: 5,000 of 61,000 entries (8 %)"


class Start:
    """A start whose clock is moved by hand, and what it tells."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.systemd = Told()
        self.shown: list[Callable[[], Progress]] = []
        self.over = 0
        self.start = LongStart(ServiceManager(self.systemd, {}), self._show, lambda: self.now)

    @contextmanager
    def _show(self, now: Callable[[], Progress]) -> Iterator[None]:
        self.shown.append(now)
        yield
        self.over += 1

    def done(self, number: int, *, after: float) -> None:
        self.now += after
        self.start.told(Progress(Doing.PLAYING, number, 1000))


@pytest.fixture
def start() -> Start:
    return Start()


def test_systemd_gives_time_while_the_start_gets_on_and_a_second_is_told_once(start: Start) -> None:
    for number in range(1, 31):
        start.done(number, after=0.1)
    assert start.systemd.lines == [
        f"EXTEND_TIMEOUT_USEC=30000000\nSTATUS=plays its record again: {n} of 1,000 events ({n // 10} %)"
        for n in (1, 11, 21)
    ]


def test_a_short_start_is_not_shown_and_a_long_one_until_it_is_over(start: Start) -> None:
    with start.start:
        start.done(1, after=0.1)
        start.done(2, after=2.0)
        assert start.shown == []
        start.done(3, after=1.0)
        start.done(900, after=0.1)
        [now] = start.shown
        assert now().percent == 90
        start.done(1000, after=60.0)
        assert (len(start.shown), start.over) == (1, 0)
    assert start.over == 1


def test_the_log_hears_of_it_now_and_then(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "feltd")
    for number in range(25):
        start.done(number, after=1.0)
    assert [line.rpartition(": ")[2] for line in caplog.messages] == [
        "9 of 1,000 events (0 %)",
        "19 of 1,000 events (1 %)",
    ]


def test_progress_is_whole_where_there_was_nothing_to_do() -> None:
    assert Progress(Doing.READING, 0, 0).percent == 100


# -- who is told


@pytest.fixture
def config(tmp_path: Path) -> TableConfig:
    return load_config(write(tmp_path, free_port()))


def test_a_start_says_how_far_it_is_at_its_recovery(config: TableConfig) -> None:
    events = rounds("tas-2018-holdem", 1)[:70]
    record(config.journal.path.parent, events)
    heard: list[Progress] = []
    with opened(config, heard.append) as table:
        played = [progress for progress in heard if progress.doing is Doing.PLAYING]
        assert [progress.done for progress in played] == list(range(1, table.recovered.replayed + 1))
        assert played[-1].percent == 100
        read = [progress for progress in heard if progress.doing is Doing.READING]
        assert [progress.done for progress in read] == sorted({progress.done for progress in read})
        assert read[-1].done <= read[-1].of


def test_the_door_says_how_far_the_start_is_and_is_free_afterwards(
    config: TableConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_start, "DISPLAYED_EVERY", 0.02)
    posts: list[Mapping[str, Any]] = []
    monkeypatch.setattr("firmware_bridge.link.Link.post", lambda _, name, args: posts.append({name: dict(args)}))
    now = READING

    async def away_of(door: SocketDoor) -> Away | None:
        task = asyncio.create_task(door.run())
        try:
            await eventually(lambda: door.away is not None and door.away.starting)
            return door.away
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    place = DoorPlace(config.door_socket, os.getuid())
    with shown_by(config, place)(lambda: now):
        assert asyncio.run(away_of(SocketDoor(place.socket))) == Away(WORDS, starting=True)
        now = Progress(Doing.PLAYING, 1, 4)
        asked = asyncio.run(away_of(SocketDoor(place.socket)))
        assert asked is not None
        assert asked.words == "plays its record again: 1 of 4 events (25 %)"
        asyncio.run(eventually(lambda: {"gate": {"locked": True}} in posts))
    assert not place.socket.exists()


def test_a_door_that_is_taken_keeps_no_table_from_starting(
    config: TableConfig, caplog: pytest.LogCaptureFixture
) -> None:
    place = DoorPlace(config.door_socket, os.getuid())
    show = shown_by(config, place)
    with show(lambda: READING):
        asyncio.run(eventually(place.socket.exists))
        with show(lambda: READING):
            pass
    assert "the start could not be shown" in caplog.text


@pytest.mark.parametrize("language", list(Language))
def test_the_page_says_how_far_it_is_and_that_nothing_is_to_be_put_right(language: Language) -> None:
    away = Away(WORDS, starting=True)
    page = ask("/", away=away, language=language).text
    assert WORDS in page
    said = {
        Language.ENGLISH: ("Table &lt;9&gt;: starting", "Wait: the record is long", "Starting · "),
        Language.GERMAN: ("Table &lt;9&gt;: startet", "Warten: das Protokoll ist lang", "Startet · "),
    }
    for words in said[language]:
        assert words in page
    for words in ("technician", "Technik", "journalctl", "cannot start"):
        assert words not in page
    assert ask("/healthz", away=away).text == f"starting: {WORDS}\n"

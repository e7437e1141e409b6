"""The door between page and table: data alone passes it, and a command tells whether its record is kept."""

import asyncio
from collections.abc import Coroutine, Iterator, Mapping
from dataclasses import FrozenInstanceError, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import pytest

from feltd.door import CommandRefused, DecisionRequest, NotOnDiskError, Person, UnknownDeviceError
from feltd.door.devices import TrialKind
from feltd.launcher.page_process import settings_of
from feltd.page.api.feed import from_record
from feltd.record import Reveal
from feltd.table.config.config import read_config
from feltd.text.errors import JournalDisk, JournalKeyMissing
from table_fsm.events import SeatIn, ShoeShuffled, TestMode
from tests.feltd.page_support import Page, open_page
from tests.feltd.table_support import opening

ANNA = Person("S7", "anna", "supervisor", "127.0.0.1")
_T = TypeVar("_T")


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with open_page(tmp_path, opening()) as page:
        yield page


def run(command: Coroutine[Any, Any, _T]) -> _T:
    async def answered() -> _T:
        return await command

    return asyncio.run(answered())


def objects_in(value: Any) -> Iterator[object]:
    """What is no data in a value: neither JSON, nor a word of a closed set, nor a frozen dataclass of such."""
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value)]
        with pytest.raises(FrozenInstanceError):
            setattr(value, names[0], None)
        for name in names:
            yield from objects_in(getattr(value, name))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from objects_in(key)
            yield from objects_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from objects_in(item)
    elif not (value is None or isinstance(value, str | int | float | StrEnum)):
        yield value


def test_all_that_passes_is_data(page: Page) -> None:
    door = page.door
    page.bench.take(ShoeShuffled, deck="blue", count=36)
    page.bridge.faults.tell("shoe", "a fault")
    asked = run(door.ask_for_badge(ANNA, DecisionRequest("acknowledge", None, None, None)))
    answered = run(door.act(ANNA, "why", SeatIn(t=0.0, seat=7)))
    state = run(door.state())
    assert state.rulings
    assert state.faults
    assert state.signatures == (asked,)
    heard = from_record(door.open_record)(0, state.journal.appended)
    assert heard
    everything = [state, asked, answered, heard, run(door.counters()), run(door.devices())]
    assert list(objects_in(everything)) == []
    assert list(objects_in([page.bench.keeper])) == [page.bench.keeper]  # the check can fail


def test_an_event_by_hand_gets_the_tables_own_time(page: Page) -> None:
    page.bench.time.pass_(100.0)
    page.bench.take(ShoeShuffled, deck="blue", count=52)
    assert run(page.door.act(ANNA, None, SeatIn(t=0.0, seat=7))).refusal is None
    assert page.bench.keeper.table.last_t == page.bench.keeper.now > 99.0


def test_the_record_is_handed_out_without_its_key(page: Page) -> None:
    with page.door.open_record() as record:
        assert record.last_entry() == page.door.now().journal.synced
        assert len(list(record.entries())) == record.last_entry()
        with pytest.raises(JournalKeyMissing):
            list(record.entries(reveal=Reveal.ALL))


def test_a_command_that_the_disk_loses_is_told_from_one_that_was_refused(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CommandRefused, match="ruling 5: it waits for nobody any more"):
        run(page.door.decide(ANNA, DecisionRequest("play_on", 5, None, None)))

    async def fails() -> int:
        raise JournalDisk("input/output error", "/x", "Look at the disk")

    monkeypatch.setattr(page.bench.journal, "flush", fails)
    with pytest.raises(NotOnDiskError, match="/x: input/output error"):
        run(page.door.act(ANNA, None, TestMode(t=0.0, on=True)))
    assert page.bench.keeper.standing.testing


def test_a_device_that_is_not_there_is_named(page: Page) -> None:
    for command in (
        page.door.begin_test(ANNA, "none", TrialKind.BUZZER),
        page.door.end_test(ANNA, "none"),
        page.door.new_key(ANNA, "none", None),
        page.door.key_back(ANNA, "none"),
        page.door.accept(ANNA, "none"),
    ):
        with pytest.raises(UnknownDeviceError, match='there is no device "none"'):
            run(command)


def test_everybody_who_follows_hears_of_a_change_and_of_each_answer(page: Page) -> None:
    changes: list[int] = []
    kinds: list[str] = []
    page.door.on_changed(lambda: changes.append(1))
    page.door.on_answers(lambda answers: kinds.extend(answer.kind for answer in answers.answers))
    page.bench.take(ShoeShuffled, deck="blue", count=36)
    assert changes
    assert "ruling" in kinds


PLACE = """
[table]
name = "Table 9"
rulebook = "tas-2018-holdem"
seats = [1]
[journal]
path = "record/table.journal"
sealing_key_file = "key"
[page]
idle_minutes = 5
"""


def test_a_page_keeps_its_files_beside_the_accounts_and_its_index_beside_the_record(tmp_path: Path) -> None:
    settings = settings_of(read_config(PLACE, "table.toml", tmp_path))
    record = tmp_path / "record"
    assert (settings.accounts, settings.own_files) == (record / "accounts.json", record)
    assert settings.index == record / "table.journal.index"
    assert (settings.host, settings.port, settings.idle_minutes) == ("127.0.0.1", 8080, 5)
    elsewhere = settings_of(read_config(PLACE + 'accounts = "who/people.json"\n', "table.toml", tmp_path))
    assert (elsewhere.accounts, elsewhere.own_files) == (tmp_path / "who/people.json", tmp_path / "who")
    assert elsewhere.index == settings.index
    (record / "page").mkdir(parents=True)  # as the package makes it for the page's own user
    apart = settings_of(read_config(PLACE, "table.toml", tmp_path))
    assert (apart.accounts, apart.index) == (record / "page/accounts.json", record / "page/table.journal.index")
    named = settings_of(read_config(PLACE + 'folder = "own"\n', "table.toml", tmp_path))
    assert (named.accounts, named.own_files) == (tmp_path / "own/accounts.json", tmp_path / "own")

"""The page's end of the socket: the table asked as if it were here, and told in words when it is not."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from feltd.door import (
    CommandRefused,
    DecisionRequest,
    NewAnswers,
    NotOnDiskError,
    Person,
    TableAwayError,
    UnknownDeviceError,
)
from feltd.door.asking import socket_line as module
from feltd.door.asking.connecting import PLAYS_ON
from feltd.door.asking.record import SocketRecord
from feltd.door.asking.socket_door import SocketDoor
from feltd.door.devices import TrialKind
from feltd.door.serving import records as records_module
from feltd.door.together import StepKind, StepState
from feltd.door.wire import calls
from feltd.door.wire.errors import WireError
from feltd.door.wire.messages import VERSION, Refused, line_of
from feltd.page.api.hub import Hub
from feltd.page.api.state import state_as_json
from feltd.record import EntryKind, Reveal, Span
from feltd.record.rows import JournalRows
from feltd.text.errors import JournalDisk, JournalKeyMissing, JournalMissing
from table_fsm.events import SeatIn, ShoeShuffled, TestMode
from tests.feltd.door_support import Apart, apart, connected
from tests.feltd.page_support import Browser, open_page
from tests.feltd.table_support import opening
from tests.running import eventually, running, turns

BERT = Person("bert", "bert", "supervisor", "10.0.0.5")
ANNA = Person("S7", "anna", "supervisor", "127.0.0.1")


async def refused(error: type[Exception], match: str, asked: Any) -> None:
    with pytest.raises(error, match=match):
        await asked


def test_the_table_is_asked_and_commanded_as_if_it_were_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        async with apart(tmp_path) as at:
            at.bench.open_table()
            async with connected(at) as door:
                at.bench.take(ShoeShuffled, deck="blue", count=36)
                await at.bench.synced()  # else the disk may be done between the two looks
                assert await door.state() == at.page.door.now()
                assert await door.counters() == await at.page.door.counters()
                assert [one.name for one in (await door.devices()).devices] == list(at.page.bridge.slots)
                answered = await door.act(ANNA, "why", SeatIn(t=0.0, seat=7))
                assert answered.refusal is None
                assert 7 in [seat["seat"] for seat in (await door.state()).view["seats"]], "what it did is seen at once"
                asked = await door.ask_for_badge(ANNA, DecisionRequest("acknowledge", None, None, None))
                assert (await door.signature(asked.id)) == asked
                await door.withdraw(ANNA, asked.id)
                assert await door.signature(99) is None
                await refused(CommandRefused, "it waits for nobody any more", door.withdraw(ANNA, asked.id))
                await refused(UnknownDeviceError, 'there is no device "none"', door.end_test(ANNA, "none"))
                await refused(CommandRefused, "test mode", door.begin_test(ANNA, "shoe", TrialKind.LAMP))

                async def fails() -> int:
                    raise JournalDisk("input/output error", "/x", "Look at the disk")

                monkeypatch.setattr(at.bench.journal, "flush", fails)
                await refused(NotOnDiskError, "/x: input/output error", door.act(ANNA, None, TestMode(t=0.0, on=True)))

    asyncio.run(scene())


def test_keys_and_devices_are_changed_over_it(tmp_path: Path) -> None:
    async def scene() -> None:
        async with apart(tmp_path) as at:
            at.bench.open_table()
            async with connected(at) as door:
                await door.act(ANNA, None, TestMode(t=0.0, on=True))
                await refused(CommandRefused, "two people", door.new_key(ANNA, "shoe", None))
                for change in (door.new_key(ANNA, "shoe", None), door.key_back(ANNA, "shoe")):
                    asked = await door.ask_step(ANNA, StepKind.DEVICE_KEY, "shoe", "it was replaced")
                    await refused(CommandRefused, "another person must", door.approve_step(ANNA, asked.id))
                    approved = await door.approve_step(BERT, asked.id)
                    assert (approved.second, approved.state) == ("bert", StepState.APPROVED)
                    made = await change
                    assert made is None or len(bytes.fromhex(made)) == 32
                ended = await door.ask_step(ANNA, StepKind.DEVICE_KEY, "keys", "it was replaced")
                assert (await door.end_step(BERT, ended.id)).state is StepState.REFUSED
                shut = await door.ask_step(ANNA, StepKind.ACCOUNT, "shut carl observer", "gone")
                await door.approve_step(BERT, shut.id)
                assert (await door.tell_step(BERT, shut.id, "no room")).state is StepState.FAILED
                assert [step.state for step in (await door.state()).steps] == ["failed", "refused", "done", "done"]
                await refused(CommandRefused, "no other device is in its place", door.accept(ANNA, "shoe"))

    asyncio.run(scene())


def test_a_state_is_never_older_than_the_question_and_made_once_for_all_who_ask(tmp_path: Path) -> None:
    async def scene() -> None:
        async with apart(tmp_path) as at:
            at.bench.open_table()
            made = _counted(at)
            async with connected(at) as door:
                states = await asyncio.gather(*(door.state() for _ in range(50)))
                assert all(state is states[0] for state in states)
                assert made() == 1
                early = asyncio.ensure_future(door.state())
                await eventually(lambda: made() == 2)  # its answer is on the way
                at.bench.take(SeatIn, seat=7)
                late = await asyncio.gather(*(door.state() for _ in range(50)))
                assert 7 in [seat["seat"] for seat in late[0].view["seats"]]
                assert 7 not in [seat["seat"] for seat in (await early).view["seats"]]
                assert made() == 3

    asyncio.run(scene())


def test_devices_and_counters_are_asked_once_for_all_and_two_hundred_streams_are_one_reader(tmp_path: Path) -> None:
    """A flood of browsers is one question at a time to the table, so a decision never waits behind it."""

    async def scene() -> None:
        async with apart(tmp_path) as at:
            at.bench.open_table()
            async with connected(at) as door:
                asked: list[str] = []
                ask = door._ask

                async def counted(call: Any, what: Any, within: float | None = None) -> Any:
                    asked.append(call.name)
                    return await ask(call, what, within)

                door._ask = counted  # type: ignore[method-assign]
                facts = await asyncio.gather(*(door.devices() for _ in range(50)))
                assert all(one is facts[0] for one in facts)
                await asyncio.gather(*(door.counters() for _ in range(50)))
                assert asked == [calls.DEVICES.name, calls.COUNTERS.name]

                async def state() -> dict[str, Any]:
                    return state_as_json(await door.state())

                hub = Hub(state)
                streams = [hub.admit() for _ in range(200)]
                await asyncio.gather(*(anext(stream) for stream in streams))
                asked.clear()
                at.bench.take(SeatIn, seat=7)
                hub._publish()
                told = await asyncio.gather(*(anext(stream) for stream in streams))
                assert len(set(told)) == 1
                assert asked == [calls.STATE.name]
                hub.close()

    asyncio.run(scene())


def _counted(at: Apart) -> Callable[[], int]:
    """How often the table has made its state."""
    count = 0
    now = at.page.door.now

    def counting() -> Any:
        nonlocal count
        count += 1
        return now()

    at.page.door.now = counting  # type: ignore[method-assign]
    return lambda: count


def test_answers_come_as_they_are_given_and_what_was_before_is_named(tmp_path: Path) -> None:
    async def scene() -> None:
        async with apart(tmp_path) as at:
            at.bench.open_table()
            before = at.bench.journal.health.appended
            told: list[NewAnswers] = []
            at.door.on_answers(told.append)
            async with connected(at):
                await eventually(lambda: told)
                assert told == [NewAnswers((), missed_until=told[0].missed_until)]
                assert told[0].missed_until is not None
                assert told[0].missed_until <= before
                at.bench.take(ShoeShuffled, deck="blue", count=36)
                await eventually(lambda: len(told) > 1)
                assert "ruling" in [answer.kind for new in told for answer in new.answers]

    asyncio.run(scene())


# -- the table goes and comes


def test_a_table_that_is_away_is_told_in_words_and_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AGAIN_AFTER", 0.005)
    place = tmp_path / "door.sock"

    async def scene() -> None:
        door = SocketDoor(place)
        turns: list[bool] = []
        door.on_changed(lambda: turns.append(door.away is None))
        async with running(door.run()):
            assert await door.reached() is False
            await refused(TableAwayError, "does not answer at .*nothing listens there", door.state())
            await refused(TableAwayError, "does not answer", door.act(ANNA, None, SeatIn(t=0.0, seat=7)))
            for _ in range(2):
                async with apart(tmp_path):
                    await eventually(lambda: door.away is None)
                    assert (await door.state()).name == "Table 7"
                await eventually(lambda: door.away is not None)
                await refused(TableAwayError, "does not answer", door.state())
        assert turns[-1] is False
        assert True in turns

    asyncio.run(scene())


def test_a_command_that_the_table_took_along_is_not_called_undone(tmp_path: Path) -> None:
    async def scene() -> None:
        async with apart(tmp_path) as at:
            at.bench.open_table()
            forever = asyncio.Event()

            async def hangs() -> int:
                await forever.wait()
                return 0

            at.bench.journal.flush = hangs  # type: ignore[method-assign]
            async with connected(at) as door:
                command = asyncio.ensure_future(door.act(ANNA, None, SeatIn(t=0.0, seat=7)))
                await eventually(lambda: 7 in [seat["seat"] for seat in at.bench.keeper.table.view()["seats"]])
                at.reception.close()
                await refused(TableAwayError, "went away before it answered: look at the table", command)
            forever.set()

    asyncio.run(scene())


def test_a_table_that_hangs_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ANSWER_WITHIN", 0.01)

    async def scene() -> None:
        async with apart(tmp_path) as at:

            async def hangs() -> Any:
                await asyncio.Event().wait()

            at.page.door.counters = hangs  # type: ignore[method-assign]
            async with connected(at) as door:
                await refused(TableAwayError, "has not answered for 0 s", door.counters())

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b'{"refused":{"why":"restart the older"}}\n', "restart the older"),
        (b'{"welcome":{"version":2,"name":"","journal":""}}\n', "the table speaks version 2"),
        (b"HTTP/1.1 400\r\n\r\n", "no JSON"),
        (b"", "it has ended the connection"),
        (b'{"welcome":{"version":1,"name":"","journal":""}}\n{"reply":{}}\n', "reply: lacks id, value"),
    ],
)
def test_what_answers_and_is_no_table_is_named(tmp_path: Path, answer: bytes, words: str) -> None:
    async def scene() -> None:
        async def other(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(answer)
            writer.close()

        server = await asyncio.start_unix_server(other, tmp_path / "door")
        door = SocketDoor(tmp_path / "door")
        async with server, running(door.run()):
            await eventually(lambda: door.away is not None and words in door.away.words)

    asyncio.run(scene())


def test_a_table_that_plays_on_by_another_version_is_told_as_such_and_asked_again(tmp_path: Path) -> None:
    async def scene() -> None:
        hellos: list[bytes] = []

        async def other(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            hellos.append(await reader.readline())
            writer.write(line_of(Refused("the page speaks version 1", version=VERSION + 1)))
            writer.close()

        server = await asyncio.start_unix_server(other, tmp_path / "door")
        door = SocketDoor(tmp_path / "door")
        async with server, running(door.run()):
            await eventually(lambda: len(hellos) > 1)
            assert door.away is not None
            assert (door.away.words, door.away.plays_on) == (PLAYS_ON, True)
            with pytest.raises(TableAwayError, match="plays on: it starts anew as soon as no round is played"):
                await asyncio.to_thread(door.open_record)

    asyncio.run(scene())


# -- the record


def test_the_record_is_read_in_another_process_as_it_is_here(tmp_path: Path) -> None:
    async def scene() -> None:
        async with apart(tmp_path) as at:
            at.bench.open_table()
            for number in range(600):
                at.bench.take(ShoeShuffled, deck="blue", count=36 + number % 5)
            await at.bench.synced()
            await asyncio.to_thread(compare, at)

    def compare(at: Apart) -> None:
        with SocketRecord(at.place) as there, JournalRows(at.bench.journal.path) as here:
            assert (there.name, there.journal_id) == (here.name, here.journal_id)
            last = here.last_entry()
            assert there.last_entry() == last > 600
            for span in (None, Span(after=5, until=620), Span(kind=EntryKind.OUTPUT), Span(name="no such")):
                for reveal in (Reveal.NOTHING, Reveal.FINISHED):
                    for newest_first in (False, True):
                        one = list(there.entries(span, reveal=reveal, newest_first=newest_first))
                        assert one == list(here.entries(span, reveal=reveal, newest_first=newest_first))
            assert list(there.export(1, last)) == list(here.export(1, last))
            assert there.span_between(0.0, None) == here.span_between(0.0, None)
            assert there.span_between(1.0, 2.0) is None
            with pytest.raises(JournalKeyMissing, match="cards of the round in progress are sealed"):
                list(there.entries(reveal=Reveal.ALL))
            with pytest.raises(JournalMissing):
                list(there.export_round(99))
            assert there.last_entry() == last, "a refusal ends nothing"

    asyncio.run(scene())


def test_who_reads_the_record_dies_alone_and_is_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records_module, "START_EVERY", 0.0)

    async def scene() -> None:
        async with apart(tmp_path) as at:
            await asyncio.to_thread(look, at)

    def look(at: Apart) -> None:
        with SocketRecord(at.place) as record:
            assert record.last_entry() >= 0
            process = at.readers._process
            assert process is not None
            process.kill()
            process.wait()
            with pytest.raises(TableAwayError):
                record.last_entry()
        with SocketRecord(at.place) as record:
            assert record.last_entry() >= 0

    asyncio.run(scene())


def test_a_record_that_cannot_be_opened_is_told_as_here(tmp_path: Path) -> None:
    async def scene() -> None:
        async with apart(tmp_path) as at:
            at.readers._journal = tmp_path / "none.journal"
            with pytest.raises(JournalMissing, match=r"none\.journal"):
                await asyncio.to_thread(SocketRecord, at.place)
        with pytest.raises(TableAwayError, match="the record cannot be reached"):
            await asyncio.to_thread(SocketRecord, tmp_path / "door.sock")

    asyncio.run(scene())


def test_an_answer_to_another_question_is_noticed(tmp_path: Path) -> None:
    async def scene() -> None:
        async with apart(tmp_path) as at:
            await asyncio.to_thread(confuse, at)

    def confuse(at: Apart) -> None:
        with SocketRecord(at.place) as record:
            record._asked += 5
            record._read.append(b'{"reply":{"id":3,"value":7}}')
            with pytest.raises(WireError, match="the answer to question 3 came to question 6"):
                record.last_entry()

    asyncio.run(scene())


# -- the page


@pytest.mark.parametrize("fault", [TableAwayError("the table does not answer"), WireError("no JSON")])
def test_what_the_door_cannot_tell_is_a_503_in_words(tmp_path: Path, fault: Exception) -> None:
    with open_page(tmp_path, opening()) as page:

        async def away() -> Any:
            raise fault

        page.door.devices = away  # type: ignore[method-assign]
        answer = Browser(page).get("/api/v1/devices")
    assert answer.status_code == 503
    assert answer.json()["detail"] == str(fault)
    assert answer.headers["retry-after"] == "2"


def test_a_process_that_was_held_up_itself_calls_no_table_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes to itself late: a time has run out then, and what the table told meanwhile lies there."""

    async def scene() -> None:
        loop = asyncio.get_running_loop()
        steady, held_up = loop.time, [0.0]
        monkeypatch.setattr(loop, "time", lambda: steady() + held_up[0])
        reader = asyncio.StreamReader()
        for line in (b"one\n", b"two\n"):
            reading = asyncio.ensure_future(module._next_line(reader))
            await asyncio.sleep(0)
            loop.call_soon(reader.feed_data, line)  # it lay in the socket
            held_up[0] += 1.5 * module.SILENT_FOR
            assert await reading == line
        reading = asyncio.ensure_future(module._next_line(reader))
        for _ in range(module.LOOKS):
            await turns()
            assert not reading.done()
            held_up[0] += module.SILENT_FOR / module.LOOKS
        with pytest.raises(TimeoutError):
            await reading

    asyncio.run(scene())

"""The table's end of the socket: who comes in, what breaks the protocol, and that no page makes the table wait."""

import asyncio
import contextlib
import os
import socket
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feltd.door import Answer, NewAnswers, Person
from feltd.door.serving import outbox as outbox_module
from feltd.door.serving import visit as visit_module
from feltd.door.serving.allowance import (
    AHEAD,
    COMMANDS_AT_ONCE,
    SHARE,
    SHARE_AT_ONCE,
    Allowance,
)
from feltd.door.serving.guest import uid_of, user_name
from feltd.door.serving.listener import VISITS_MOST, DoorError, ShutDoor, listening
from feltd.door.serving.outbox import ANSWERS_KEPT, Outbox
from feltd.door.wire.messages import (
    VERSION,
    Answers,
    Ask,
    Changed,
    Fault,
    Purpose,
    Refused,
    Reply,
    Welcome,
    line_of,
    message_of,
)
from feltd.text.errors import FeltdError
from table_fsm.events import ShoeShuffled
from tests.feltd.door_support import SPOKEN, apart, connected, hello, knocking, said_to
from tests.running import eventually, turns


def why(messages: list[object]) -> str:
    last = messages[-1]
    assert isinstance(last, Refused)
    return last.why


# -- who comes in


def test_the_kernel_says_who_comes_and_only_the_pages_user_is_let_in(tmp_path: Path) -> None:
    async def scene() -> None:
        async with apart(tmp_path, uid=os.getuid() + 1) as at:
            [refused] = await said_to(at.place)
            assert isinstance(refused, Refused)
            assert refused.why.startswith(f"user {user_name(os.getuid())} is not let in: run the page as ")
            assert at.place.stat().st_mode & 0o777 == 0o660

    asyncio.run(scene())


def test_a_user_that_is_not_there_is_named() -> None:
    assert uid_of(None) == os.geteuid()
    assert uid_of("root") == 0
    with pytest.raises(FeltdError, match='no user "nobody-of-that-name"'):
        uid_of("nobody-of-that-name")


def test_pages_that_a_restart_left_behind_take_so_many_places_and_no_more(tmp_path: Path) -> None:
    async def scene() -> None:
        loop = asyncio.get_running_loop()
        async with apart(tmp_path) as at:
            knocks = []
            for _ in range(VISITS_MOST):
                knock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                knock.setblocking(False)
                knock.connect(str(at.place))
                await loop.sock_sendall(knock, hello())
                assert isinstance(message_of((await loop.sock_recv(knock, 999)).splitlines()[0], SPOKEN), Welcome)
                knocks.append(knock)
            assert "other pages are connected" in why(await said_to(at.place, hello()))
            knocks.pop().close()
            async with connected(at):
                pass
            for knock in knocks:
                knock.close()

    asyncio.run(scene())


# -- what breaks the protocol


@pytest.mark.parametrize(
    ("pieces", "says"),
    [
        ((hello(version=2),), "version 2 of the protocol, the table version 1"),
        ((b"GET / HTTP/1.1\r\n\r\n",), "no JSON"),
        ((b"x" * 5000,), "a line is longer than 1024 bytes"),
        ((b'{"hello":{"version":1}}\n',), "hello: lacks purpose, software"),
        ((line_of(Ask(1, "state", {})),), "which is hello"),
        ((hello() + line_of(Ask(1, "state", {})),), "asks before it is welcome"),
    ],
)
def test_who_does_not_greet_is_told_what_is_wrong_and_let_go(
    tmp_path: Path, pieces: tuple[bytes, ...], says: str
) -> None:
    async def scene() -> None:
        async with apart(tmp_path) as at:
            assert says in why(await said_to(at.place, *pieces))

    asyncio.run(scene())


def test_a_page_of_another_version_is_told_which_one_the_table_speaks(tmp_path: Path) -> None:
    async def scene() -> None:
        async with apart(tmp_path) as at:
            [said] = await said_to(at.place, hello(version=VERSION + 1))
            assert isinstance(said, Refused)
            assert said.version == VERSION
            assert b'"version":1' in line_of(said)

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"\n", "no JSON"),
        (b'{"ask":{"id":"x","call":"state","what":{}}}\n', "ask.id: must be a whole number"),
        (hello(), "which is ask"),
        (b"y" * (256 * 1024 + 1), "a line is longer than 262144 bytes"),
    ],
)
def test_who_sends_no_question_is_told_what_is_wrong_and_let_go(tmp_path: Path, line: bytes, says: str) -> None:
    async def scene() -> None:
        loop = asyncio.get_running_loop()
        async with apart(tmp_path) as at:
            with knocking(at.place) as knock:
                await loop.sock_sendall(knock, hello())
                heard = await loop.sock_recv(knock, 65536)
                await loop.sock_sendall(knock, line)
                while data := await loop.sock_recv(knock, 65536):
                    heard += data
            assert says in why([message_of(one, SPOKEN) for one in heard.splitlines()])

    asyncio.run(scene())


def test_a_question_with_wrong_values_is_answered_and_the_connection_stays(tmp_path: Path) -> None:
    async def scene() -> None:
        loop = asyncio.get_running_loop()
        async with apart(tmp_path) as at:
            with knocking(at.place) as knock:
                await loop.sock_sendall(knock, hello())
                await eventually(lambda: at.reception._visits)
                asks = [Ask(1, "withdraw", {"number": 1}), Ask(2, "no_such", {}), Ask(3, "signature", {"number": 9})]
                asks += [Ask(4, "act", {"person": _PERSON, "why": None, "event": {"ev": "seat.in"}})]
                await loop.sock_sendall(knock, b"".join(map(line_of, asks)))
                heard: dict[int, Reply | Fault] = {}
                rest = b""
                while len(heard) < len(asks):
                    *lines, rest = (rest + await loop.sock_recv(knock, 65536)).split(b"\n")
                    for message in (message_of(line, SPOKEN) for line in lines):
                        if isinstance(message, Reply | Fault):
                            heard[message.id] = message
            assert isinstance(heard[1], Fault)
            assert "withdraw: lacks person" in heard[1].parts[0]
            assert heard[2] == Fault(2, "CommandRefused", heard[2].parts if isinstance(heard[2], Fault) else ())
            assert heard[3] == Reply(3, None)
            assert isinstance(heard[4], Fault)
            assert "this is no event of the table" in heard[4].parts[0]

    asyncio.run(scene())


ANNA = Person("S7", "anna", "supervisor", "192.0.2.7")
_PERSON = {"signature": "S7", "account": "anna", "role": "supervisor", "address": "127.0.0.1"}


def test_who_says_nothing_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visit_module, "GREETING_WITHIN", 0.01)

    async def scene() -> None:
        async with apart(tmp_path) as at:
            assert await said_to(at.place, b'{"hel') == []

    asyncio.run(scene())


@settings(max_examples=15, deadline=None)
@given(st.lists(st.binary(max_size=200) | st.just(hello()) | st.just(line_of(Ask(1, "state", {}))), max_size=5))
def test_whatever_is_sent_the_table_goes_on_and_others_are_served(pieces: list[bytes]) -> None:
    import tempfile

    async def scene(folder: Path) -> None:
        async with apart(folder) as at:
            with knocking(at.place) as knock:
                for piece in pieces:
                    try:
                        knock.send(piece)
                    except OSError:
                        break
                    await turns(3)
            async with connected(at) as door:
                assert (await door.state()).name == "Table 7"

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(scene(Path(folder)))


# -- a page that does not read


class FakeTransport:
    """Takes what is written."""

    def __init__(self) -> None:
        self.written: list[object] = []

    def set_write_buffer_limits(self, high: int) -> None:
        assert high > 0

    def is_closing(self) -> bool:
        return False

    def write(self, line: bytes) -> None:
        self.written.append(message_of(line[:-1], SPOKEN))


def answer(number: int) -> Answer:
    return Answer(number, 0.0, 1, "lamp", {})


def test_a_page_that_does_not_read_gets_the_latest_and_is_told_what_it_missed() -> None:
    async def scene() -> None:
        transport, now = FakeTransport(), [0.0]
        outbox = Outbox(transport, clock=lambda: now[0])  # type: ignore[arg-type]  # what is used of one
        outbox.answered(NewAnswers((answer(1),)))
        outbox.changed()
        outbox.flush()
        assert transport.written == [Changed(), Answers(NewAnswers((answer(1),)))]
        outbox.pause()
        for number in range(2, 5000):
            outbox.changed()
            outbox.answered(NewAnswers((answer(number),)))
        assert len(transport.written) == 2
        assert len(outbox._answers) <= ANSWERS_KEPT
        patience = [outbox.out_of_patience]
        now[0] = outbox_module.PATIENCE + 1
        assert [*patience, outbox.out_of_patience] == [False, True]
        outbox.resume()
        outbox.flush()
        changed, told = transport.written[2:]
        assert changed == Changed()
        assert isinstance(told, Answers)
        assert told.new.missed_until is not None
        assert [one.seq for one in told.new.answers] == list(range(told.new.missed_until + 1, 5000))
        outbox.close()

    asyncio.run(scene())


def test_a_page_that_reads_nothing_any_more_is_let_go_and_the_table_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox_module, "PATIENCE", 0.0)

    async def scene() -> None:
        loop = asyncio.get_running_loop()
        async with apart(tmp_path) as at:
            at.bench.open_table()
            with knocking(at.place) as knock:
                await loop.sock_sendall(knock, hello())
                await eventually(lambda: at.reception._visits)
                [visit] = at.reception._visits
                asked = line_of(Ask(1, "devices", {})) * 50
                while visit.outbox is not None and visit.outbox._unread_since is None:
                    with contextlib.suppress(BlockingIOError):
                        knock.send(asked)
                    await asyncio.sleep(0.001)
                at.bench.take(ShoeShuffled, deck="blue", count=36)  # the table tells of a change
                await eventually(lambda: not at.reception._visits)
            assert at.bench.keeper.rulings

    asyncio.run(scene())


def test_replies_come_behind_the_news_that_came_before_them() -> None:
    async def scene() -> None:
        transport = FakeTransport()
        outbox = Outbox(transport)  # type: ignore[arg-type]  # what is used of one
        outbox.changed()
        outbox.send(Reply(1, None))
        assert transport.written == [Changed(), Reply(1, None)]
        outbox.close()

    asyncio.run(scene())


# -- the table's time


class Time:
    """A clock that goes on by sleeping and by working."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds


@pytest.mark.parametrize("share", [SHARE, 0.005, SHARE_AT_ONCE])
def test_questions_get_their_share_of_the_tables_time_and_no_more(share: float) -> None:
    async def scene() -> None:
        time, processor = Time(), Time()
        allowance = Allowance(time, time.sleep, work=processor, share=share)
        worked = 0.0
        began = time.now
        for took in [0.0004, 0.002, 0.001] * 1000:
            await allowance.turn()
            with allowance.working():
                time.now += took
                processor.now += took
            worked += took
        await allowance.turn()
        assert worked / (time.now - began + AHEAD) == pytest.approx(share, rel=0.05)

    asyncio.run(scene())


def test_a_page_that_a_person_opens_waits_for_nothing_but_its_rests() -> None:
    """And what others have of the processor while it works is not on its account."""

    async def scene() -> None:
        time, processor = Time(), Time()
        allowance = Allowance(time, time.sleep, work=processor)
        for _ in range(20):
            await allowance.turn()
            with allowance.working():
                time.now += 0.003
                processor.now += 0.001
        assert time.now - 100.0 == pytest.approx(20 * 0.003 + 19 * 0.019)
        await time.sleep(AHEAD)
        again = time.now
        await allowance.turn()
        assert time.now == again

    asyncio.run(scene())


def test_commands_come_as_people_give_them_and_a_program_waits() -> None:
    async def scene() -> None:
        time = Time()
        allowance = Allowance(time, time.sleep)
        for _ in range(COMMANDS_AT_ONCE):
            await allowance.command()
        assert time.now == 100.0
        for _ in range(100):
            await allowance.command()
        assert time.now == pytest.approx(105.0, abs=0.2)

    asyncio.run(scene())


# -- the place


def test_what_an_earlier_process_left_is_taken_over_and_nothing_else(tmp_path: Path) -> None:
    place = tmp_path / ("a long name " * 12) / "door"  # longer than the kernel takes for a socket
    place.parent.mkdir()
    shut = ShutDoor(Refused("no table"))

    async def scene() -> None:
        async with listening(place, os.getuid(), shut):
            with pytest.raises(DoorError, match="another table listens"):
                async with listening(place, os.getuid(), shut):
                    raise AssertionError
            assert why(await said_to(place, hello())) == "no table"
        assert not place.exists()
        with socket.socket(socket.AF_UNIX) as left, (tmp_path / "x").open("w"):
            os.chdir(tmp_path)
            left.bind("left")
        async with listening(tmp_path / "left", os.getuid(), shut):
            pass
        with pytest.raises(DoorError, match="no socket: choose another place"):
            async with listening(tmp_path / "x", os.getuid(), shut):
                raise AssertionError
        with pytest.raises(DoorError, match="cannot be listened at: No such file"):
            async with listening(tmp_path / "none" / "door", os.getuid(), shut):
                raise AssertionError

    before = Path.cwd()
    try:
        asyncio.run(scene())
    finally:
        os.chdir(before)


def test_the_table_says_why_it_cannot_start_to_whoever_comes(tmp_path: Path) -> None:
    async def scene() -> None:
        told = Refused("the record cannot be opened", out_of_order=True, details=("in full",), may_pass=False)
        async with listening(tmp_path / "door", os.getuid(), ShutDoor(told)):
            assert await said_to(tmp_path / "door", hello()) == [told]
            assert await said_to(tmp_path / "door", hello(Purpose.RECORD)) == [told]

    asyncio.run(scene())

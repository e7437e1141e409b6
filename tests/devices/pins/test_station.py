"""A station over mock pins: what is pressed is said, what is posted is driven, what is disabled is told."""

import asyncio
from typing import Any

import pytest

from devices.pins.board import Board
from devices.pins.errors import NoChipError, PinBusyError, PinError
from devices.pins.facts import Pull
from devices.pins.gpiozero_lines import ZeroInput
from devices.pins.keys import KeysGroup
from devices.pins.lamps import LampsGroup
from devices.pins.lines import InputLine, LineChip, OnEdge
from devices.pins.on_mock import MockChip
from devices.pins.sensor import Trouble
from firmware_bridge.errors import FaultCode, LinkFault
from firmware_bridge.facts import LinkState
from tests.devices.pins.support import Wired, pins, running
from tests.firmware_bridge.support import run


def keys(*names: str, **more: Any) -> KeysGroup:
    return KeysGroup(pins(key=[{"name": name, "line": 10 + n} for n, name in enumerate(names)], **more))


def lamps(**more: Any) -> LampsGroup:
    return LampsGroup(pins(lamp=[{"name": "play", "line": 20}, {"name": "stop", "line": 21, **more}]))


def test_a_press_is_the_keys_message_at_the_time_of_the_edge() -> None:
    async def scene() -> None:
        async with running(keys("deal_start", "hand_end")) as wired:
            identity, state = wired.notes.ups[0]
            assert (identity.role, identity.serial, state) == ("keys", "mock", {"testing": False})
            before = asyncio.get_running_loop().time()
            wired.press(11)
            edge = asyncio.get_running_loop().time()
            await wired.notes.until(lambda: wired.notes.events)
            [(seq, body, at)] = wired.notes.events
            assert (seq, body) == (1, {"ev": "hand_end"})
            assert at is not None
            assert before <= at <= edge
            wired.let_go(11)
            wired.press(10)
            await wired.notes.until(lambda: len(wired.notes.events) == 2)
            assert wired.notes.events[1][1] == {"ev": "deal_start"}
            assert wired.station.counters.events == 2

    run(scene())


def test_a_key_may_say_any_message_of_keys_and_the_switch_says_both_ways() -> None:
    group = KeysGroup(
        pins(
            key=[
                {"name": "seat_four_away", "line": 10, "says": {"ev": "seat_away", "seat": 4}},
                {"name": "test_mode", "line": 11},
            ]
        )
    )

    async def scene() -> None:
        async with running(group) as wired:
            wired.press(10)
            await wired.notes.until(lambda: len(wired.notes.events) == 1)
            wired.press(11)
            await wired.notes.until(lambda: len(wired.notes.events) == 2)
            wired.let_go(11)
            await wired.notes.until(lambda: len(wired.notes.events) == 3)
        assert [body for _, body, _ in wired.notes.events] == [
            {"ev": "seat_away", "seat": 4}, {"ev": "test_mode", "on": True}, {"ev": "test_mode", "on": False},
        ]  # fmt: skip

    run(scene())


def test_the_switchs_place_is_read_when_the_lines_are_taken() -> None:
    chip = MockChip()
    chip.pin(10).input_with_pull("up")
    chip.pin(10).drive_low()
    chip.pin(10)._set_pull = lambda _pull: None  # it is held low, whatever resistor there is

    async def scene() -> None:
        async with running(keys("test_mode"), chip) as wired:
            assert wired.notes.ups[0][1] == {"testing": True}
            assert wired.notes.events == []

    run(scene())


def test_a_lamp_is_taken_at_the_level_it_should_have_and_is_nothing_else_for_a_moment() -> None:
    chip = MockChip()
    chip.pin(20).output_with_state(1)  # as the run before left it
    chip.pin(20).clear_states()

    async def scene() -> None:
        async with running(lamps(), chip, lamps={"play": True, "stop": False}) as wired:
            assert wired.lit(20)
            wired.station.post("lamps", {"play": True, "stop": True})
            assert wired.lit(21)

    run(scene())
    assert [state.state for state in chip.pin(20).states] == [True, False]  # put out at the stop, and never before


def test_a_lamp_of_which_nothing_was_said_has_its_state_at_start_and_each_its_state_at_stop() -> None:
    async def scene() -> Wired:
        async with running(lamps(at_start="on", at_stop="keep", active="low")) as wired:
            assert not wired.lit(20)
            assert wired.chip.pin(21).state is False  # on: it is lit by low
            wired.station.post("lamps", {"play": True})
        return wired

    wired = run(scene())
    assert not wired.lit(20)
    assert wired.chip.pin(21).state is False  # kept


def test_the_buzzer_sounds_its_pattern_once_and_is_silent_at_the_end() -> None:
    group = LampsGroup(pins(buzzer={"line": 22}))

    async def scene() -> Wired:
        async with running(group) as wired:
            wired.station.post("buzzer", {"pattern": "alarm", "n": 7})
            assert wired.lit(22)
            await wired.driven(22, 5)
            wired.station.post("buzzer", {"pattern": "alarm", "n": 7})  # told again after a reconnect
            wired.station.post("buzzer", {"pattern": "no such", "n": 8})
            assert wired.lit(22)
        return wired

    wired = run(scene())
    assert not wired.lit(22)


def test_what_chatters_is_disabled_and_told_the_others_work_on_and_a_person_may_say_it_is_well() -> None:
    async def scene() -> None:
        async with running(keys("deal_start", "hand_end", chatter=10)) as wired:
            for _ in range(10):
                wired.press(10)
                wired.let_go(10)
            await wired.notes.until(lambda: wired.notes.inputs)
            [one] = wired.notes.inputs[0][0]
            assert (one.name, one.place, one.trouble) == ("deal_start", "line 10", Trouble.CHATTER)
            assert wired.station.disabled == (one,)
            assert wired.chip.pin(10).when_changed is None  # left alone
            wired.press(11)
            await wired.notes.until(lambda: wired.notes.events)
            assert wired.notes.events[-1][1] == {"ev": "hand_end"}
            wired.station.in_order()
            assert wired.notes.inputs[1] == ((), {"testing": False})
            wired.press(10)
            await wired.notes.until(lambda: wired.notes.events[-1][1] == {"ev": "deal_start"})

    run(scene())


def test_a_key_that_is_held_is_told_as_stuck_and_works_again_by_itself() -> None:
    async def scene() -> None:
        async with running(keys("deal_start", stuck_seconds=0.05, quiet_seconds=0.05)) as wired:
            wired.press(10)
            await wired.notes.until(lambda: wired.notes.inputs)
            assert str(wired.notes.inputs[0][0][0]) == "deal_start (line 10) is stuck"
            wired.let_go(10)
            await wired.notes.until(lambda: len(wired.notes.inputs) == 2)
            assert wired.notes.inputs[1][0] == ()
            assert len(wired.notes.events) == 1

    run(scene())


class Refusing(MockChip):
    """A chip of which one line is held by somebody else, until it is let go."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.held: int | None = line

    def input(self, line: int, pull: Pull) -> InputLine:
        if line == self.held:
            raise PinBusyError(f'line {line} of mock is busy: "other" holds it')
        return super().input(line, pull)


def test_no_lamp_blinks_while_another_line_of_its_group_cannot_be_had() -> None:
    class OneBusy(MockChip):
        def check(self, line: int) -> None:
            if line == 12:
                raise PinBusyError("line 12 of mock is busy")

    async def scene() -> None:
        lamps = LampsGroup(pins(lamp=[{"name": "play", "line": 11, "at_start": "on"}, {"name": "stop", "line": 12}]))
        async with running(lamps, OneBusy()) as wired:
            await wired.notes.until(lambda: wired.notes.downs)
            assert wired.notes.downs[0].code is FaultCode.PORT_BUSY
            assert 11 not in wired.chip.pins

    run(scene())


def test_every_line_that_cannot_be_had_is_named_and_each_remedy_once() -> None:
    class SomeBusy(MockChip):
        def check(self, line: int) -> None:
            if line in (11, 13):
                raise PinBusyError(f"line {line} is busy", "end the program")
            if line == 12:
                raise NoChipError("there is no line 12")

    async def scene() -> None:
        async with running(keys("deal_start", "hand_end", "call_floor", "burn"), SomeBusy()) as wired:
            await wired.notes.until(lambda: wired.notes.downs)
            said = "line 11 is busy; line 13 is busy; end the program; there is no line 12"
            assert wired.notes.downs == [LinkFault(FaultCode.PORT_BUSY, said)]

    run(scene())


def test_a_line_that_is_busy_is_told_and_taken_when_it_is_free() -> None:
    chip = Refusing(11)

    async def scene() -> None:
        async with running(keys("deal_start", "hand_end"), chip) as wired:
            assert wired.notes.downs == [LinkFault(FaultCode.PORT_BUSY, 'line 11 of mock is busy: "other" holds it')]
            assert wired.station.state is LinkState.WAITING
            assert wired.chip.pin(10).when_changed is None  # nothing is held meanwhile
            chip.held = None
            await wired.notes.until(lambda: wired.notes.ups)
            assert wired.station.fault is None

    run(scene())


def test_a_line_that_can_no_longer_be_read_is_told_and_all_are_taken_anew() -> None:
    chip = MockChip()

    async def scene() -> None:
        async with running(keys("deal_start"), chip) as wired:
            pin = chip.pin(10)
            state, broken = type(pin).state, [True]

            def read(self: Any) -> Any:
                if broken:
                    raise PinError("the chip has gone")
                return state.fget(self)

            class Gone(type(pin)):  # type: ignore[misc]
                state = property(read)

            pin.__class__ = Gone
            wired.press(10)
            await wired.notes.until(lambda: wired.notes.downs)
            assert wired.notes.downs[0].text == "the chip has gone"
            broken.clear()
            await wired.notes.until(lambda: len(wired.notes.ups) == 2)
            assert wired.station.counters.reconnects == 1

    run(scene())


@pytest.mark.parametrize("number", [1, 2])
def test_the_chip_is_opened_once_and_closed_by_the_last(number: int) -> None:
    opened: list[MockChip] = []

    class Counted(MockChip):
        closed = 0

        def close(self) -> None:
            self.closed += 1

    def open_it(_factory: str, _label: str | None) -> LineChip:
        opened.append(Counted())
        return opened[-1]

    async def scene() -> None:
        board = Board("mock", None, open_it)
        for _ in range(number):
            await board.join()
        for left in range(number):
            assert getattr(opened[0], "closed") == 0  # noqa: B009 - a Counted, known as what it stands for
            board.leave()
            assert left < number
        assert getattr(opened[0], "closed") == 1  # noqa: B009

    run(scene(), jumping=False)  # it is opened in a thread
    assert len(opened) == 1


def test_an_edge_that_the_library_lost_is_made_good_within_a_second() -> None:
    async def scene() -> None:
        async with running(keys("test_mode")) as wired:
            wired.chip.pin(10)._state = False  # pressed, and nobody was told
            pressed = asyncio.get_running_loop().time()
            await wired.notes.until(lambda: wired.notes.events)
            assert wired.notes.events[0][1] == {"ev": "test_mode", "on": True}
            assert asyncio.get_running_loop().time() - pressed < 1.1

    run(scene())


def test_a_line_whose_edges_are_never_told_is_listened_to_anew() -> None:
    class SlowToListen(ZeroInput):
        """Hears nothing before it is asked a second time."""

        asked = 0

        def listen(self, on_edge: OnEdge | None) -> None:
            self.asked += on_edge is not None
            super().listen(on_edge if self.asked > 1 else None)

    class Chip(MockChip):
        def input(self, line: int, pull: Pull) -> InputLine:
            return SlowToListen(self.pin(line), pull, self.clock)

    async def scene() -> None:
        async with running(keys("test_mode"), Chip()) as wired:
            waited = []
            for number, turn in enumerate((wired.press, wired.let_go, wired.press, wired.let_go), 1):
                turn(10)
                turned = asyncio.get_running_loop().time()
                await wired.notes.until(lambda number=number: len(wired.notes.events) == number)  # type: ignore[misc]
                waited.append(asyncio.get_running_loop().time() - turned)
            assert [body["on"] for _, body, _ in wired.notes.events] == [True, False, True, False]
            assert [seconds > 0.5 for seconds in waited] == [True, True, False, False]

    run(scene())


def test_a_library_that_has_gone_deaf_is_told() -> None:
    class Deaf(MockChip):
        def hears(self) -> bool:
            return False

    async def scene() -> None:
        async with running(keys("deal_start"), Deaf()) as wired:
            await wired.notes.until(lambda: wired.notes.downs)
            assert wired.notes.downs[0].code is FaultCode.PORT_FAILED
            assert "restart feltd between two rounds" in wired.notes.downs[0].text

    run(scene())


def test_a_failure_of_who_is_told_ends_the_station_and_is_raised_there() -> None:
    async def scene() -> None:
        async with running(keys("deal_start")) as wired:

            def fail(*_told: object) -> None:
                raise ZeroDivisionError("a failure of feltd's own")

            wired.notes.on_event = fail  # type: ignore[assignment, method-assign]  # who is told fails
            wired.press(10)
            with pytest.raises(ZeroDivisionError):
                await wired.task
            assert wired.chip.pin(10).when_changed is None

    run(scene())

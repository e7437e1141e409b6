"""A short loss of a link is no fault of the device, and what it kept is never told before the device itself."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from feltd.table.links.presence import ShortLosses
from firmware_bridge.errors import FaultCode, LinkFault
from tests.feltd.lost_frames import ShoeTable
from tests.feltd.test_daemon_bridge import BOARD_STATE, IDENTITY, SHOE_STATE, Scene
from tests.firmware_bridge.support import now, run, until

CHECKED = [True, "shoe.deck_checked", "shoe.shuffled"]
LOST = LinkFault(FaultCode.BAD_FRAME, "reader:board at /dev/x: a frame does not authenticate")
AT_ONCE = ShortLosses(seconds=0.0)


async def _lose_the_first_card(table: ShoeTable) -> None:
    await table.begin()
    table.lose_frames_of_device()
    table.deal("Kd")
    await table.down()  # the next frame does not authenticate
    await table.up()
    await until(lambda: "shoe.card" in table.told)


def test_one_lost_frame_of_the_first_card_after_the_shuffle_rules_nothing() -> None:
    async def scene() -> None:
        table = ShoeTable()
        await _lose_the_first_card(table)
        assert table.rulings == []
        assert table.told == [*CHECKED, "shoe.card"]
        assert table.table.view()["phase"] == "dealing"
        assert table.shoe.locked is False
        await table.finish()

    run(scene())


def test_what_a_device_kept_is_told_after_the_device_where_every_loss_is_told() -> None:
    async def scene() -> None:
        table = ShoeTable(short_losses=AT_ONCE)
        await _lose_the_first_card(table)
        assert table.told == [*CHECKED, False, True, "shoe.card"]
        assert table.rulings == []
        assert table.shoe.locked is False
        await table.finish()

    run(scene())


def test_a_device_that_stays_away_is_told_after_two_seconds() -> None:
    async def scene() -> None:
        table = ShoeTable()
        await table.begin()
        table.pull()
        pulled = now()
        table.deal("Kd")
        await until(lambda: table.told[-1] is False)
        assert now() - pulled == pytest.approx(2.0, abs=0.02)
        assert table.told == [*CHECKED, False]
        table.plugged.set()
        await table.up()
        assert table.told == [*CHECKED, False, True, "shoe.card"]
        assert table.rulings == []
        await table.finish()

    run(scene())


def test_a_device_that_is_back_in_time_is_not_told_later_either() -> None:
    async def scene() -> None:
        table = ShoeTable()
        await table.begin()
        table.pull()
        table.plugged.set()
        await table.up()
        end = now() + 60
        await until(lambda: now() > end, step=1.0)
        assert table.told == CHECKED
        await table.finish()

    run(scene())


def test_a_device_that_restarts_was_gone_however_quickly_it_is_back() -> None:
    async def scene() -> None:
        table = ShoeTable()
        await table.begin()
        table.restart_shoe()
        await table.down()
        await table.up()
        assert table.told == [*CHECKED, False, True]
        await table.finish()

    run(scene())


# -- with links that never run


@dataclass
class HandMade:
    """Timers that go off when a test says so."""

    waiting: list["HandMade.One"] = field(default_factory=list)

    @dataclass
    class One:
        callback: Callable[[], None]
        cancelled: bool = False

        def cancel(self) -> None:
            self.cancelled = True

    def later(self, seconds: float, callback: Callable[[], None]) -> "HandMade.One":
        assert seconds == 2.0
        self.waiting.append(self.One(callback))
        return self.waiting[-1]

    def pass_(self) -> None:
        due, self.waiting = self.waiting, []
        for one in due:
            if not one.cancelled:
                one.callback()


@pytest.fixture
def timers() -> HandMade:
    return HandMade()


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch, timers: HandMade) -> Scene:
    scene = Scene(monkeypatch, ShortLosses(later=timers.later))
    scene.all_up()
    scene.events.clear()
    scene.posts.clear()
    return scene


def test_feltd_holds_the_gate_while_a_reader_is_away_for_a_moment(scene: Scene, timers: HandMade) -> None:
    scene.bridge.on_down("reader:board", LOST)
    assert scene.gate() == [True]
    scene.bridge.on_session("reader:board", IDENTITY)
    assert scene.gate() == [True]
    scene.bridge.on_up("reader:board", IDENTITY, BOARD_STATE)
    assert scene.gate()[-1] is False
    timers.pass_()
    assert scene.events == []


def test_a_loss_that_lasts_is_told_and_the_gate_is_the_tables_again(scene: Scene, timers: HandMade) -> None:
    scene.bridge.on_down("reader:board", LOST)
    timers.pass_()
    assert [(event.device, event.online) for event in scene.states] == [("reader:board", False)]
    assert scene.gate() == [True, False]  # what this scene's table says of it


def test_a_device_that_nothing_waits_for_does_not_hold_the_gate(scene: Scene) -> None:
    scene.unneeded.add("indicators")
    scene.bridge.on_down("indicators", LOST)
    assert scene.gate() == []


@pytest.mark.parametrize(
    "code", [FaultCode.SILENT, FaultCode.WRONG_KEY, FaultCode.EVENTS_MISSING, FaultCode.MALFORMED], ids=str
)
def test_what_is_no_loss_of_the_link_is_told_at_once(scene: Scene, timers: HandMade, code: FaultCode) -> None:
    scene.bridge.on_down("reader:board", LOST)
    assert scene.events == []
    scene.bridge.on_down("reader:board", LinkFault(code, "why"))
    assert [event.online for event in scene.states] == [False]
    timers.pass_()
    assert [event.online for event in scene.states] == [False]


def test_a_state_that_cannot_be_read_after_a_loss_is_told_once(scene: Scene, timers: HandMade) -> None:
    scene.bridge.on_down("shoe", LOST)
    scene.bridge.on_session("shoe", IDENTITY)
    scene.bridge.on_up("shoe", IDENTITY, {**SHOE_STATE, "locked": "perhaps"})
    timers.pass_()
    assert [event.online for event in scene.states] == [False]

"""The bridge: devices coming and going become events, outputs become commands, and the gate stays shut in between."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from devices.adapters.chip_numbers import sticker_mark
from devices.drivers.registry import driver_for
from devices.errors import DeviceError, DeviceMessageError
from feltd.record import Source
from feltd.table.config.devices import DeviceConfig
from feltd.table.config.key_files import KeyFile
from feltd.table.keeper.deliveries import Delivery
from feltd.table.links.bridge import Bridge, make_drivers
from feltd.table.links.ends import TableEnds
from feltd.table.links.links import PacksNow, Reach, no_packs
from feltd.table.links.presence import DEFAULT_LOSSES, ShortLosses
from feltd.table.packs.pack_list import Pack, PackList
from feltd.table.packs.turns import PackFileError
from firmware_bridge.errors import FaultCode, LinkFault
from firmware_bridge.facts import LinkState
from firmware_bridge.link import DeviceIdentity
from table_fsm.events import CardPlaced, DeviceState, Event, ShoeCard, ShoeFault
from table_fsm.outputs import Clock, Gate, Lamp, LampName, Output, Phase

DEVICES = tuple(
    DeviceConfig.model_validate(
        {
            "name": name,
            "role": role,
            "port": f"/dev/serial/by-id/{role}",
            "key_file": KeyFile(path=Path("unused")),
            "settings": settings,
        }
    )
    for name, role, settings in (
        ("shoe", "shoe", {}),
        ("reader:board", "reader", {"zones": ["board:1"]}),
        ("indicators", "indicators", {}),
    )
)
IDENTITY = DeviceIdentity("shoe", "S1", "1.0", 1, b"bootboot", persistent=True)
SHOE_STATE: Mapping[str, Any] = {"locked": True, "faults": []}
BOARD_STATE: Mapping[str, Any] = {"zones": {"board:1": []}, "collecting": False}
LAMPS_STATE: Mapping[str, Any] = {"lamps": {}, "display": []}
SILENT = LinkFault(FaultCode.SILENT, "shoe at /dev/x has been silent for 3.0 s: look at its power and its cable")


class Scene:
    """A bridge whose links never run: what they would say is said by the test, what they are told is noted."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        short_losses: ShortLosses = DEFAULT_LOSSES,
        packs: PacksNow = no_packs,
    ) -> None:
        self.events: list[Event] = []
        self.sources: list[Source | None] = []
        self.kept: list[bool] = []
        self.posts: list[tuple[str, str, Mapping[str, Any]]] = []
        self.unneeded: set[str] = set()
        keys = {device.name: bytes(32) for device in DEVICES}
        self.bridge = Bridge(
            DEVICES,
            keys,
            {},
            make_drivers(DEVICES),
            wall=lambda: 0.0,
            short_losses=short_losses,
            reach=Reach(packs=packs),
        )
        outputs: list[Mapping[str, Any]] = [
            {"phase": "dealing"},
            {"shoe": "unlock"},
            {"lamp": {"name": "play", "on": True}},
        ]
        self.bridge.connect(TableEnds(self.take, lambda: outputs, needed=lambda name: name not in self.unneeded))
        for name, slot in self.bridge.slots.items():
            monkeypatch.setattr(
                slot.link, "post", lambda post, args, name=name: self.posts.append((name, post, dict(args)))
            )

    def take(self, delivery: Delivery) -> None:
        events = delivery.translate(1.0)
        for event in events:
            self.bridge.observe(event)
        self.events += events
        self.sources.append(delivery.source)
        self.kept.append(delivery.kept_by_device)
        if delivery.done is not None:
            delivery.done()

    def all_up(self) -> None:
        for name, state in (("shoe", SHOE_STATE), ("reader:board", BOARD_STATE), ("indicators", LAMPS_STATE)):
            self.bridge.on_session(name, IDENTITY)
            self.bridge.on_up(name, IDENTITY, state)

    @property
    def states(self) -> list[DeviceState]:
        return [event for event in self.events if isinstance(event, DeviceState)]

    def gate(self) -> list[bool]:
        return [args["locked"] for name, post, args in self.posts if (name, post) == ("shoe", "gate")]


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Scene:
    return Scene(monkeypatch)


def test_an_event_comes_with_the_devices_own_number(scene: Scene) -> None:
    scene.bridge.on_event("shoe", b"bootboot", 7, {"ev": "card_out", "card": "Kd", "face": "down"})
    assert scene.events == [ShoeCard(t=1.0, card="Kd")]
    assert scene.sources == [Source("shoe", b"bootboot", 7)]


def test_an_event_may_wait_for_others_where_its_device_keeps_it_through_a_power_cut(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    shoe = scene.bridge.slots["shoe"]
    out = {"ev": "card_out", "card": None, "face": "down"}
    scene.bridge.on_event("shoe", b"bootboot", 1, out)  # nobody knows yet what it is
    for number, persistent in ((2, True), (3, False)):
        scene.bridge.on_up("shoe", replace(IDENTITY, persistent=persistent), SHOE_STATE)
        scene.kept.clear()
        scene.bridge.on_event("shoe", b"bootboot", number, out)
        assert scene.kept == [persistent]
    scene.bridge.on_up("shoe", IDENTITY, SHOE_STATE)
    monkeypatch.setattr(shoe.link, "state", LinkState.CATCHING_UP)  # another device may have taken its place
    scene.kept.clear()
    scene.bridge.on_event("shoe", b"bootboot", 4, out)
    assert scene.kept == [False]


def test_a_device_that_comes_up_is_compared_with_what_the_table_knows(scene: Scene) -> None:
    scene.bridge.on_up("shoe", IDENTITY, {"locked": True, "faults": [{"kind": "jam"}]})
    assert scene.events == [
        DeviceState(t=1.0, device="shoe", online=True, reason="S1, firmware 1.0"),
        ShoeFault(t=1.0, kind="jam"),
    ]


def test_the_gate_stays_shut_until_every_device_is_there(scene: Scene) -> None:
    scene.bridge.on_up("shoe", IDENTITY, SHOE_STATE)
    scene.bridge.send([Output(1.0, Gate(locked=False))])
    assert set(scene.gate()) == {True}
    scene.all_up()
    assert scene.gate()[-1] is False
    assert scene.bridge.complete


def test_a_device_that_does_not_come_is_told_to_the_table_as_missing(scene: Scene) -> None:
    scene.bridge.on_up("shoe", IDENTITY, SHOE_STATE)
    scene.bridge.give_up_waiting()
    missing = [event.device for event in scene.events if isinstance(event, DeviceState) and not event.online]
    assert missing == ["indicators", "reader:board"]
    assert scene.gate()[-1] is False  # from here on it is the table that keeps it shut, by its rulebook


def test_a_link_that_goes_down_is_told_once(scene: Scene) -> None:
    scene.all_up()
    scene.events.clear()
    scene.bridge.on_down("shoe", SILENT)
    scene.bridge.on_down("shoe", LinkFault(FaultCode.NO_ANSWER, "no answer"))
    [event] = scene.events
    assert isinstance(event, DeviceState)
    assert (event.device, event.online) == ("shoe", False)
    assert event.reason is not None
    assert event.reason.startswith("silent: shoe at /dev/x")


def test_a_first_session_that_begins_anew_is_no_warning_and_each_later_loss_is_one(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "feltd.devices")
    closed = LinkFault(FaultCode.CLOSED_BY_DEVICE, "the device has no session any more")

    def levels(scene: Scene, *faults: LinkFault) -> list[int]:
        caplog.clear()
        for fault in faults:
            scene.bridge.on_down("shoe", fault)
        return [record.levelno for record in caplog.records if "is down" in record.getMessage()]

    assert levels(Scene(monkeypatch), closed, closed) == [logging.INFO, logging.WARNING]
    assert levels(Scene(monkeypatch), SILENT) == [logging.WARNING]
    scene = Scene(monkeypatch, ShortLosses(0.0))
    scene.all_up()
    assert levels(scene, closed) == [logging.WARNING]


CHIP, STRANGE = bytes.fromhex("04a1b2c3d4e5f6"), bytes.fromhex("04ffffffffffff")


def test_a_chips_number_comes_to_the_table_as_its_card_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    pack = Pack("red-1", "red", {CHIP: "Kd"})
    scene = Scene(monkeypatch, packs=lambda: PackList((pack,)))
    scene.all_up()
    scene.events.clear()
    told = {"ev": "placed", "zone": "board:1", "face": "up"}
    scene.bridge.on_event("reader:board", b"bootboot", 1, {**told, "card": CHIP})
    assert scene.events == [CardPlaced(t=1.0, zone="board:1", card="Kd", face="up")]
    with pytest.raises(DeviceMessageError, match="board:1: there is a chip that is in no pack of this table"):
        scene.bridge.on_event("reader:board", b"bootboot", 2, {**told, "card": STRANGE})
    scene.bridge.on_up("reader:board", IDENTITY, {"zones": {"board:1": [[STRANGE, "up"]]}, "collecting": False})
    assert scene.states[-1].online is False
    assert "take it away, or enrol its card" in str(scene.bridge.faults[0])
    assert len(scene.events) == 2


def test_a_card_that_is_named_as_a_sticker_is_a_fault_of_its_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch, packs=lambda: PackList((Pack("red-1", "red", {CHIP: "Kd"}),)))
    scene.all_up()
    for number in (STRANGE, CHIP):
        zones = {"board:1": [100, 0, 12, None, sticker_mark(number)]}
        scene.bridge.on_status("reader:board", {"up_ms": 1, "zones": zones})
    [fault] = scene.bridge.faults
    assert "board:1: a card of a pack is named as the sticker of this antenna" in fault.text
    assert "Kd" not in fault.text


def test_where_the_list_of_packs_cannot_be_read_no_card_is_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged() -> PackList:
        raise PackFileError("packs.sealed: it is damaged; put the copy back")

    scene = Scene(monkeypatch, packs=damaged)
    scene.all_up()
    body = {"ev": "placed", "zone": "board:1", "face": "up", "card": CHIP}
    with pytest.raises(DeviceError, match="put the copy back"):
        scene.bridge.on_event("reader:board", b"bootboot", 1, body)


def test_a_state_that_cannot_be_read_keeps_the_device_away(scene: Scene) -> None:
    scene.bridge.on_up("shoe", IDENTITY, {"locked": "perhaps", "faults": []})
    [event] = scene.events
    assert isinstance(event, DeviceState)
    assert event.online is False
    assert scene.bridge.faults[0].device == "shoe"
    assert scene.bridge.slots["shoe"].faults == 1


def test_a_card_that_a_reader_without_faces_calls_open_is_told_as_a_fault(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an event and in its state; the card is taken for face down, and the reader is there."""
    settings = {"zones": ["seat:3"], "faces": False}
    slot = scene.bridge.slots["reader:board"]
    monkeypatch.setattr(slot, "driver", driver_for("reader")("reader:board", settings))
    body = {"ev": "placed", "zone": "seat:3", "card": "Kd", "face": "up"}
    scene.bridge.on_event("reader:board", b"bootboot", 1, body)
    assert scene.events == [CardPlaced(t=1.0, zone="seat:3", card="Kd", face="down")]
    assert (slot.faults, scene.bridge.faults[0].device) == (1, "reader:board")
    assert "set this zone's side to down at the reader" in scene.bridge.faults[0].text
    assert "Kd" not in scene.bridge.faults[0].text
    scene.bridge.on_up("reader:board", IDENTITY, {"zones": {"seat:3": [["Kd", "up"]]}, "collecting": False})
    assert [event for event in scene.events[1:] if not isinstance(event, DeviceState)] == []
    assert (slot.faults, scene.states[-1].online) == (2, True)


def test_outputs_reach_those_they_mean_something_to(scene: Scene) -> None:
    scene.all_up()
    scene.posts.clear()
    scene.bridge.send([Output(1.0, Gate(locked=True)), Output(1.0, Phase("misdeal"))])
    assert scene.posts == [("shoe", "gate", {"locked": True}), ("reader:board", "collect", {"on": True})]


def test_only_changes_are_posted(scene: Scene) -> None:
    scene.all_up()
    scene.posts.clear()
    for phase in ("betting", "misdeal", "misdeal", "betting", "showdown", "betting"):
        scene.bridge.send([Output(1.0, Phase(phase))])
    assert [args["on"] for name, post, args in scene.posts if post == "collect"] == [True, False]


def test_a_clock_is_set_each_time_because_it_counts_from_then(scene: Scene) -> None:
    scene.all_up()
    scene.posts.clear()
    for _ in range(2):
        scene.bridge.send([Output(1.0, Clock(3, 30.0))])
    assert [args["left"] for _, post, args in scene.posts if post == "clock"] == [30_000, 30_000]


def test_a_device_that_comes_back_is_told_everything_again(scene: Scene) -> None:
    scene.all_up()
    scene.posts.clear()
    scene.bridge.on_up("reader:board", IDENTITY, BOARD_STATE)
    assert ("reader:board", "collect", {"on": False}) in scene.posts


def test_while_play_is_stopped_gate_lamps_and_display_are_not_the_tables(scene: Scene) -> None:
    scene.all_up()
    scene.posts.clear()
    scene.bridge.stop_play("the disk is full")
    assert scene.gate() == [True]
    display = [args["lines"] for _, post, args in scene.posts if post == "display"]
    assert "PLAY STOPS" in display[-1][0]
    scene.posts.clear()
    scene.bridge.send([Output(1.0, Gate(locked=False)), Output(1.0, Lamp(LampName.PLAY, on=True))])
    assert scene.posts == []
    scene.bridge.resume_play()
    assert scene.gate() == [False]


def test_a_device_that_comes_back_while_play_is_stopped_finds_the_gate_shut(scene: Scene) -> None:
    scene.all_up()
    scene.bridge.stop_play("the disk is full")
    scene.posts.clear()
    scene.bridge.on_up("shoe", IDENTITY, SHOE_STATE)
    assert set(scene.gate()) == {True}


def test_an_output_no_driver_can_make_a_command_of_is_named_and_does_no_harm(scene: Scene) -> None:
    scene.all_up()
    scene.bridge.send([Output(1.0, Clock(11, 5.0)), Output(1.0, Gate(locked=True))])
    assert scene.gate()[-1] is True
    assert "its seat is not 1 to 10" in scene.bridge.faults[0].text


def test_a_status_is_read_and_a_bad_one_is_a_fault(scene: Scene) -> None:
    scene.bridge.on_status("shoe", {"mv": 5010, "note": "warm\x1b[31m"})
    assert scene.bridge.slots["shoe"].status.millivolts == 5010
    assert "\x1b" not in str(scene.bridge.slots["shoe"].status.note)
    scene.bridge.on_status("shoe", {"mv": "plenty"})
    assert scene.bridge.slots["shoe"].faults == 1


def test_when_feltd_stops_the_gate_is_shut_and_the_display_says_why(scene: Scene) -> None:
    scene.all_up()
    scene.posts.clear()
    scene.bridge.indicating.leave()
    assert scene.gate() == [True]
    assert [args["lines"][0] for _, post, args in scene.posts if post == "display"] == [
        "NOT WATCHED: the controller of this"
    ]

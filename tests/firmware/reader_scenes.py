"""What every firmware's card reader must do: the tests of each language play these."""

import asyncio

from devices.drivers.status import read_status
from firmware_bridge.messages import Post
from tests.firmware import scenes
from tests.firmware.hostile_scenes import events
from tests.firmware.raw_host import QUIET, RawHost
from tests.firmware.scenes import at_least, powered
from tests.firmware.support import FirmwareProcess, Session
from tests.firmware_bridge.support import run


def a_reader_says_what_comes_turns_and_goes(reader: FirmwareProcess) -> None:
    """A card that lay there at power-up is state, no event; one being collected goes silently."""

    async def scene() -> None:
        session = Session(reader, "reader")
        await session.until(lambda: bool(session.journal.ups))
        assert session.journal.ups[0][1] == {"zones": {"seat:3": [], "board:1": []}, "collecting": False}
        reader.say("lay seat:3 04a1b2c3")
        await session.until(lambda: len(session.events) == 1)
        reader.say("lay seat:3 04ff0102", "lay board:1 04b2c3d4")
        await session.until(lambda: len(session.events) == 3)
        assert session.events[0] == {"ev": "placed", "zone": "seat:3", "card": "As", "face": "down"}
        assert {"ev": "placed", "zone": "seat:3", "card": None, "face": "down"} in session.events[1:]
        assert {"ev": "placed", "zone": "board:1", "card": "Td", "face": "up"} in session.events[1:]
        reader.say("lay seat:3 04a1b2c3 up")
        await session.until(lambda: len(session.events) == 4)
        assert session.events[3] == {"ev": "turned", "zone": "seat:3", "card": "As", "face": "up"}
        reader.say("take board:1 04b2c3d4")
        await session.until(lambda: len(session.events) == 5)
        assert session.events[4] == {"ev": "removed", "zone": "board:1", "card": "Td"}
        lying = {"zones": {"seat:3": [["As", "up"], [None, "down"]], "board:1": []}, "collecting": False}
        assert await session.link.read_state() == lying
        session.link.post("collect", {"on": True})
        reader.say("take seat:3 04ff0102")
        await state_is(session, {"zones": {"seat:3": [["As", "up"]], "board:1": []}, "collecting": True})
        reader.say("lay seat:3 04ff0102")
        await session.until(lambda: len(session.events) == 6)
        session.link.post("collect", {"on": False})
        await state_is(session, lying)
        assert len(session.events) == 6
        await session.close()

    with powered(reader):
        run(scene(), jumping=False)


def a_reader_believes_no_more_than_its_state_can_hold(reader: FirmwareProcess) -> None:
    """Sixty cards in all; the rest are not said, and one more comes when another has gone."""

    async def scene() -> None:
        session = Session(reader, "reader")
        await session.until(lambda: bool(session.journal.ups))
        for n in range(62):
            reader.say(f"lay {'seat:3' if n % 2 else 'board:1'} 05{n:02x}0203")
        await session.until(at_least(session, 60))
        zones = (await session.link.read_state())["zones"]
        assert len(zones["seat:3"]) + len(zones["board:1"]) == 60
        assert len(session.events) == 60
        reader.say("take seat:3 05010203")
        await session.until(at_least(session, 62))
        assert [event["ev"] for event in session.events[60:]] == ["removed", "placed"]
        assert session.journal.downs == []
        await session.close()

    with powered(reader):
        run(scene(), jumping=False)


async def state_is(session: Session, expected: object) -> None:
    """Read the state until it is so."""
    while await session.link.read_state() != expected:  # noqa: ASYNC110 - another process brings it about
        await asyncio.sleep(0.02)


def a_card_reader_that_blinks_is_not_believed(device: FirmwareProcess) -> None:
    """One scan that misses a card, or sees one that is not there, is no event."""
    with powered(device), RawHost(device, "reader") as host:
        host.up()
        device.say("lay seat:3 04a1b2c3")
        assert [event.body["ev"] for event in events(host, 1)] == ["placed"]
        for _ in range(5):
            device.say("blink seat:3 04a1b2c3")
            device.say("flash board:1 04b2c3d4")
            assert host.heard(QUIET) is None
        assert host.state()["zones"] == {"seat:3": [["As", "down"]], "board:1": []}


def a_card_that_lay_there_at_power_up_is_state_and_no_event(device: FirmwareProcess) -> None:
    """`04b2c3d4` lies on board:1 when the power comes: it was not seen to come, and is seen to go."""
    with powered(device), RawHost(device, "reader") as host:
        host.up()
        assert host.state()["zones"] == {"seat:3": [], "board:1": [["Td", "up"]]}
        assert host.heard(QUIET) is None
        device.say("take board:1 04b2c3d4")
        [event] = events(host, 1)
        assert event.body == {"ev": "removed", "zone": "board:1", "card": "Td"}


def a_reader_tells_its_chips_numbers(reader: FirmwareProcess) -> None:
    """A reader without a list of cards names none: each number goes to the host, and no two are mixed up."""

    async def scene() -> None:
        session = Session(reader, "reader")
        await session.until(lambda: bool(session.journal.ups))
        seven, four = bytes.fromhex("04a1b2c3d4e500"), bytes.fromhex("9a0b0c00")
        reader.say(f"lay seat:3 {seven.hex()}")
        await session.until(at_least(session, 1))
        reader.say(f"lay board:1 {four.hex()}")
        await session.until(at_least(session, 2))
        assert list(session.events) == [
            {"ev": "placed", "zone": "seat:3", "card": seven, "face": "down"},
            {"ev": "placed", "zone": "board:1", "card": four, "face": "up"},
        ]
        lying = {"seat:3": [[seven, "down"]], "board:1": [[four, "up"]]}
        assert await session.link.read_state() == {"zones": lying, "collecting": False}
        reader.say(f"take seat:3 {seven.hex()}")
        await session.until(at_least(session, 3))
        assert session.events[2] == {"ev": "removed", "zone": "seat:3", "card": seven}
        for n in range(53):
            reader.say(f"lay seat:3 05{n:02x}0203")
        await session.until(at_least(session, 54))
        zones = (await session.link.read_state())["zones"]
        assert sum(map(len, zones.values())) == 52  # a state must fit into a message
        assert session.journal.downs == []
        await session.close()

    with powered(reader):
        run(scene(), jumping=False)


def troubles(host: RawHost, until: dict[str, str | None]) -> list[dict[str, object]]:
    """Wait for a status that says so of the zones' troubles; the events that came meanwhile."""
    came = []
    while True:
        message = host.hear()
        assert message is not None
        body = dict(getattr(message, "body", {}))
        if "ev" in body:
            came.append(body)
        if "zones" in body and {zone: told[3] for zone, told in body["zones"].items()} == until:
            read_status("reader", body, scenes.ZONES)  # as the table reads it
            return came


WELL: dict[str, str | None] = {"seat:3": None, "board:1": None}
WEAK: dict[str, str | None] = {"seat:3": "weak", "board:1": None}


def lies_for_a_while(device: FirmwareProcess, host: RawHost) -> None:
    """The ace of spades has come to seat 3, and two statuses, a second apart, have been said since."""
    device.say("lay seat:3 04a1b2c3")
    assert [event.body["card"] for event in events(host, 1)] == ["As"]
    assert [*troubles(host, WELL), *troubles(host, WELL)] == []


def a_card_that_another_one_covers_has_not_gone(device: FirmwareProcess) -> None:
    """It answers no more from the moment on in which the other one lies on it: the status says that it is weak."""
    with powered(device), RawHost(device, "reader") as host:
        host.up()
        lies_for_a_while(device, host)
        device.say("dull seat:3 04a1b2c3 0", "lay seat:3 04b2c3d4")
        assert [(event.body["ev"], event.body["card"]) for event in events(host, 1)] == [("placed", "Td")]
        assert troubles(host, WEAK) == []
        assert host.state()["zones"]["seat:3"] == [["As", "down"], ["Td", "down"]]
        device.say("bright seat:3 04a1b2c3")
        assert troubles(host, WELL) == []


def a_covered_card_has_gone_when_what_lay_on_it_has_gone_and_it_is_silent(device: FirmwareProcess) -> None:
    with powered(device), RawHost(device, "reader") as host:
        host.up()
        lies_for_a_while(device, host)
        device.say("dull seat:3 04a1b2c3 0", "lay seat:3 04b2c3d4")
        events(host, 1)
        assert troubles(host, WEAK) == []
        device.say("take seat:3 04b2c3d4")
        gone = [event.body for event in events(host, 2)]
        assert [(body["ev"], body["card"]) for body in gone] == [("removed", "Td"), ("removed", "As")]
        assert troubles(host, WELL) == []


def a_covered_card_that_is_seen_elsewhere_has_gone_there(device: FirmwareProcess) -> None:
    with powered(device), RawHost(device, "reader") as host:
        host.up()
        lies_for_a_while(device, host)
        device.say("dull seat:3 04a1b2c3 0", "lay seat:3 04b2c3d4")
        events(host, 1)
        assert troubles(host, WEAK) == []
        device.say("take seat:3 04a1b2c3", "lay board:1 04a1b2c3")
        moved = [(event.body["ev"], event.body["zone"]) for event in events(host, 2)]
        assert moved == [("removed", "seat:3"), ("placed", "board:1")]
        assert troubles(host, WELL) == []


def a_card_that_answers_now_and_then_has_not_gone(device: FirmwareProcess) -> None:
    """Every seventh scan sees it: six in a row miss it. Once it is taken away it is told as gone, later than others."""
    with powered(device), RawHost(device, "reader") as host:
        host.up()
        device.say("lay seat:3 04a1b2c3", "lay board:1 04b2c3d4")
        events(host, 2)
        device.say("dull seat:3 04a1b2c3 2")
        assert troubles(host, WEAK) == []
        device.say("dull seat:3 04a1b2c3 7")
        assert host.heard(QUIET) is None
        assert host.state()["zones"]["seat:3"] == [["As", "down"]]
        device.say("take seat:3 04a1b2c3")
        assert [event.body["ev"] for event in events(host, 1)] == ["removed"]
        assert troubles(host, WELL) == []


def a_weak_card_that_is_collected_goes_silently(device: FirmwareProcess) -> None:
    with powered(device), RawHost(device, "reader") as host:
        host.up()
        lies_for_a_while(device, host)
        device.say("dull seat:3 04a1b2c3 0", "lay seat:3 04b2c3d4")
        events(host, 1)
        assert troubles(host, WEAK) == []
        host.say(Post("collect", {"on": True}).to_bytes())
        assert troubles(host, WELL) == []
        assert host.state() == {"zones": {"seat:3": [["Td", "down"]], "board:1": []}, "collecting": True}


OF_WEAK_CARDS = (
    a_card_that_another_one_covers_has_not_gone,
    a_covered_card_has_gone_when_what_lay_on_it_has_gone_and_it_is_silent,
    a_covered_card_that_is_seen_elsewhere_has_gone_there,
    a_card_that_answers_now_and_then_has_not_gone,
    a_weak_card_that_is_collected_goes_silently,
)

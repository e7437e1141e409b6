"""What every firmware's card reader must do: the tests of each language play these."""

import asyncio

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
        reader.say("lay seat:3 04a1")
        await session.until(lambda: len(session.events) == 1)
        reader.say("lay seat:3 04ff", "lay board:1 04b2")
        await session.until(lambda: len(session.events) == 3)
        assert session.events[0] == {"ev": "placed", "zone": "seat:3", "card": "As", "face": "down"}
        assert {"ev": "placed", "zone": "seat:3", "card": None, "face": "down"} in session.events[1:]
        assert {"ev": "placed", "zone": "board:1", "card": "Td", "face": "up"} in session.events[1:]
        reader.say("lay seat:3 04a1 up")
        await session.until(lambda: len(session.events) == 4)
        assert session.events[3] == {"ev": "turned", "zone": "seat:3", "card": "As", "face": "up"}
        reader.say("take board:1 04b2")
        await session.until(lambda: len(session.events) == 5)
        assert session.events[4] == {"ev": "removed", "zone": "board:1", "card": "Td"}
        lying = {"zones": {"seat:3": [["As", "up"], [None, "down"]], "board:1": []}, "collecting": False}
        assert await session.link.read_state() == lying
        session.link.post("collect", {"on": True})
        reader.say("take seat:3 04ff")
        await state_is(session, {"zones": {"seat:3": [["As", "up"]], "board:1": []}, "collecting": True})
        reader.say("lay seat:3 04ff")
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
            reader.say(f"lay {'seat:3' if n % 2 else 'board:1'} 05{n:02x}")
        await session.until(at_least(session, 60))
        zones = (await session.link.read_state())["zones"]
        assert len(zones["seat:3"]) + len(zones["board:1"]) == 60
        assert len(session.events) == 60
        reader.say("take seat:3 0501")
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
        device.say("lay seat:3 04a1")
        assert [event.body["ev"] for event in events(host, 1)] == ["placed"]
        for _ in range(5):
            device.say("blink seat:3 04a1")
            device.say("flash board:1 04b2")
            assert host.heard(QUIET) is None
        assert host.state()["zones"] == {"seat:3": [["As", "down"]], "board:1": []}


def a_card_that_lay_there_at_power_up_is_state_and_no_event(device: FirmwareProcess) -> None:
    """`04b2` lies on board:1 when the power comes: it was not seen to come, and is seen to go."""
    with powered(device), RawHost(device, "reader") as host:
        host.up()
        assert host.state()["zones"] == {"seat:3": [], "board:1": [["Td", "up"]]}
        assert host.heard(QUIET) is None
        device.say("take board:1 04b2")
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

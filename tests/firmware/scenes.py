"""What every firmware must do, whatever it is written in: the tests of each language play these."""

import asyncio
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from feltd.record import Entry, JournalReader, Span
from firmware_bridge.errors import CommandRefused
from tests.feltd.kill_support import DaemonProcess
from tests.firmware.support import BUTTONS, FirmwareProcess, Session
from tests.firmware_bridge.support import KEY, run
from tests.ports import free_port

ZONES = {"seat:3": "down", "board:1": "up"}  # of the reader that plays here, and the face of cards there
CARDS = {"04a1b2c3": "As", "04b2c3d4": "Td"}
OTHER_KEY = bytes(reversed(KEY))
AWAY = [BUTTONS[f"seat{n % 10 + 1}"] for n in range(10)]


def press(device: FirmwareProcess, first: int, last: int) -> None:
    """So many presses, each another seat's than the one before: an order that can be told."""
    device.say(*(f"press seat{n % 10 + 1}" for n in range(first, last)))


@contextmanager
def powered(device: FirmwareProcess) -> Iterator[FirmwareProcess]:
    """A device that runs for as long as the block does."""
    device.start()
    try:
        yield device
    finally:
        device.close()


def at_least(session: Session, count: int) -> Callable[[], bool]:
    return lambda: len(session.events) >= count


def delivered_once_and_in_order(device: FirmwareProcess) -> None:
    """The link is cut and the frames are garbled, again and again; the host is killed before it has synced."""

    async def scene() -> None:
        session = Session(device, "keys", share=0.05)
        turn = 0
        while turn < 6 or session.spoilt < 6 or len(session.journal.ups) < 4:
            press(device, turn * 20, turn * 20 + 20)
            await session.until(at_least(session, turn * 20 + 7))
            if session.wire is not None and turn in (1, 3, 5):
                session.wire.cut()
            if turn == 3:
                session.journal.syncing = False
                await session.until(lambda: len(session.events) >= 75)
                await session.restart()  # what was not synced never happened, and comes again
                session.journal.syncing = True
            turn += 1
        session.share = 0.0
        await session.until(lambda: len(session.events) >= 20 * turn and session.link.state.value == "up")
        assert session.events == [AWAY[n % 10] for n in range(20 * turn)]
        assert len({boot for boot, _, _ in session.journal.events}) == 1
        assert [number for _, number, _ in session.journal.events] == list(range(1, 20 * turn + 1))
        assert "events_missing" not in session.journal.codes
        assert "out_of_order" not in session.journal.codes
        await session.close()

    with powered(device):
        run(scene(), jumping=False)


def kept_over_a_power_loss(device: FirmwareProcess) -> None:
    """What was not acknowledged comes after the power is back, first and under its old name."""

    async def scene() -> None:
        session = Session(device, "keys", syncing=False)
        await session.until(lambda: bool(session.journal.ups))
        press(device, 0, 3)
        await session.until(lambda: len(session.events) == 3)
        await session.close()
        session.journal.resume()
        assert session.events == []
        press(device, 3, 5)
        await waiting(device, 5)
        device.kill()
        device.start()
        press(device, 5, 6)
        session.journal.syncing = True
        await session.restart()
        await session.until(lambda: len(session.events) == 6)
        assert session.events == AWAY[:6]
        numbers = [(boot, number) for boot, number, _ in session.journal.events]
        assert [number for _, number in numbers] == [1, 2, 3, 4, 5, 1]
        assert len({boot for boot, _ in numbers[:5]}) == 1
        assert numbers[5][0] != numbers[0][0]
        await session.close()

    with powered(device):
        run(scene(), jumping=False)


def another_key_loses_no_event(device: FirmwareProcess, load: Callable[[bytes], object]) -> None:
    """The host names what is wrong until the new key has been loaded into the device; then what it had kept comes."""

    async def scene() -> None:
        session = Session(device, "keys")
        await session.until(lambda: bool(session.journal.ups))
        press(device, 0, 2)
        await session.until(at_least(session, 2))
        session.take_up(OTHER_KEY)
        await session.restart()
        press(device, 2, 5)
        await session.until(lambda: "wrong_key" in session.journal.codes)
        device.kill()
        load(OTHER_KEY)
        device.start()
        await session.until(at_least(session, 5))
        assert session.events == AWAY[:5]
        assert set(session.journal.codes) <= {"wrong_key", "closed_by_device", "no_answer"}
        await session.close()

    with powered(device):
        run(scene(), jumping=False)


def the_host_names_who_is_not_the_device_it_waits_for(device: FirmwareProcess) -> None:
    async def scene() -> None:
        for role, serial, code in (("shoe", None, "wrong_role"), ("keys", "keys-2", "unknown_device")):
            session = Session(device, role, serial=serial)
            await session.until(lambda found=session.journal: bool(found.codes))  # type: ignore[misc]
            assert session.journal.codes == [code]
            assert session.journal.ups == []
            await session.close()

    with powered(device):
        run(scene(), jumping=False)


async def waiting(device: FirmwareProcess, count: int) -> None:
    """Until the device says in its status that so many events wait. It is asked by a host that never acknowledges."""
    session = Session(device, "keys", syncing=False)
    await session.until(lambda: any(status.get("waiting") == count for status in session.journal.statuses))
    await session.close()


def commands_posts_and_status(device: FirmwareProcess) -> None:
    """A command is done or refused with a code, an unknown post is ignored, the status comes each second."""

    async def scene() -> None:
        session = Session(device, "keys")
        await session.until(lambda: bool(session.journal.ups))
        identity, state = session.journal.ups[0]
        assert (identity.serial, state) == ("keys-1", {"testing": False})
        assert await session.link.command("x_identify", {}) == {}
        with pytest.raises(CommandRefused) as caught:
            await session.link.command("open_sesame", {"now": True})
        assert caught.value.code == "unknown"
        session.link.post("lamp", {"on": True, "nested": {"of": [1, -2, None, 0.5, b"x"]}})
        device.say("switch on")
        await session.until(lambda: bool(session.events))
        assert session.events == [{"ev": "test_mode", "on": True}]
        assert await session.link.read_state() == {"testing": True}
        seen = len(session.journal.statuses)
        await session.until(lambda: len(session.journal.statuses) >= seen + 4)
        times = [status["up_ms"] for status in session.journal.statuses]
        assert all(later - earlier >= 1000 for earlier, later in itertools.pairwise(times))
        assert [status["waiting"] for status in session.journal.statuses[-2:]] == [0, 0]
        assert session.journal.downs == []
        await session.close()

    with powered(device):
        run(scene(), jumping=False)


def a_boot_that_has_used_its_sequences_up_takes_another_id(device: FirmwareProcess, last: int) -> None:
    """`last` is the sequence after which there is none."""

    async def scene() -> None:
        session = Session(device, "keys")
        press(device, 0, 2 * last + 3)
        await session.until(at_least(session, 2 * last + 3))
        names = [(boot, number) for boot, number, _ in session.journal.events]
        once = list(range(1, last + 1))
        assert [number for _, number in names] == [*once, *once, 1, 2, 3]
        assert [names.index(name) for name in names] == list(range(2 * last + 3))
        assert len({boot for boot, _ in names}) == 3
        assert session.events == [AWAY[n % 10] for n in range(2 * last + 3)]
        assert session.journal.downs == []
        await session.close()

    with powered(device):
        run(scene(), jumping=False)


def nothing_is_lost_when_the_store_is_full(device: FirmwareProcess, capacity: int) -> None:
    """More presses than there is room for, and a host that does not acknowledge: those taken are all delivered."""

    async def scene() -> None:
        session = Session(device, "keys", syncing=False)
        await session.until(lambda: bool(session.journal.ups))
        press(device, 0, capacity + 40)
        await session.until(lambda: any("full" in str(s.get("note")) for s in session.journal.statuses))
        assert session.journal.statuses[-1]["waiting"] == capacity
        assert len(session.events) == 32  # the window
        session.journal.syncing = True
        session.journal.sync()
        await session.until(lambda: len(session.events) >= capacity)
        assert session.events == [AWAY[n % 10] for n in range(len(session.events))]
        assert session.journal.downs == []
        await session.close()

    with powered(device):
        run(scene(), jumping=False)


CONFIG = """
[table]
name = "Table 9"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
button = 3
[table.options]
blinds = [100, 200]
[[device]]
name = "{role}"
role = "{role}"
port = "{folder}/port"
key_file = "{folder}/key"
serial = "{role}-1"
settings = {settings}
[page]
open_on_loopback = true
port = {port}
[journal]
path = "{folder}/table.journal"
sealing_key_file = "{folder}/sealing-key"
"""


def at_the_daemon(device: FirmwareProcess, folder: Path, role: str, settings: str, does: str, name: str) -> list[Entry]:
    """A table as a process: the device does something, and these entries of that name are in the journal then."""
    (folder / "sealing-key").write_bytes(KEY)
    config = folder / "table.toml"
    text = CONFIG.format(folder=folder, port=free_port(), role=role, settings=settings)
    config.write_text(text, encoding="utf-8")
    journal = folder / "table.journal"

    async def scene() -> None:
        daemon = DaemonProcess(config, folder, "table")
        await daemon.start()
        try:
            await daemon.ready()
            device.say(does)
            while not entries(journal, name):  # noqa: ASYNC110 - it looks at what another process does
                await asyncio.sleep(0.1)
            assert await daemon.stop() == 0
        finally:
            await daemon.close()

    with powered(device):
        asyncio.run(scene())
    return entries(journal, name)


def entries(journal: Path, name: str) -> list[Entry]:
    with JournalReader.open(journal) as reader:
        return [entry for entry in reader.entries(Span()) if entry.name == name]


def the_daemon_takes_a_key_press(device: FirmwareProcess, folder: Path) -> None:
    """The dealer's key reaches the table, and the table rules: its deck was never checked, nor shuffled."""
    rulings = at_the_daemon(device, folder, "keys", "{}", "press deal", "ruling")
    entry = {ruling.body["ruling"]["irregularity"]: ruling for ruling in rulings}["deck_unchecked"]
    [pressed] = entries(folder / "table.journal", "deal.start")
    assert pressed.source is not None
    assert (pressed.source.device, entry.answers) == ("keys", pressed.seq)
    assert entry.body["ruling"]["rule"] == "2.3"


def the_daemon_takes_a_card(device: FirmwareProcess, folder: Path) -> None:
    """A card laid is a card placed at the table."""
    zones = '{ zones = ["seat:3", "board:1"] }'
    [entry] = at_the_daemon(device, folder, "reader", zones, "lay board:1 04b2c3d4", "card.placed")
    assert entry.source is not None
    assert entry.source.device == "reader"
    assert (entry.body["zone"], entry.body["card"], entry.body["face"]) == ("board:1", "Td", "up")

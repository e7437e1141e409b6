"""Simulated devices in processes of their own, on real pseudo-terminals, under a real link: every fault on request."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from devices.simulated.errors import ControlError, OrderRefused, SimulatedDeviceError
from devices.simulated.people.dealer import Dealer
from devices.simulated.things.control import Control
from devices.simulated.things.device import DeviceOptions, read_options, serve_device
from devices.simulated.things.equipment import DeviceProcess, Equipment, lay_out, running
from feltd.simulated.games import options_for
from table_fsm.events import TableOpen
from tests.devices.direct_play import HOLDEM, UTH, books, game
from tests.devices.wired import Wired, settled, until

Scene = Callable[[Wired, Control, DeviceProcess], Awaitable[None]]


def at_device(folder: Path, name: str, scene: Scene) -> None:
    """One device in its process, its link, and its control socket."""

    async def play() -> None:
        equipment = lay_out(folder, game(HOLDEM))
        process = DeviceProcess(equipment.device(name))
        await process.start()
        host = Wired(equipment, [name])
        control = Control(process.options.control, name=name)
        try:
            async with host.running():
                await host.all_up()
                await scene(host, control, process)
        finally:
            await control.close()
            await process.stop()

    asyncio.run(play())


async def chips(control: Control, *cents: int) -> None:
    for amount in cents:
        await control.order("chip", cents=amount)


def chips_of(host: Wired) -> list[Any]:
    return [body["cents"] for _, body in host.bodies]


def test_what_a_hand_does_reaches_the_host(tmp_path: Path) -> None:
    async def scene(host: Wired, control: Control, process: DeviceProcess) -> None:
        await chips(control, 100, 500)
        await settled(control)
        assert chips_of(host) == [100, 500]
        assert (await control.order("where"))["up"] is True

    at_device(tmp_path, "dropbox", scene)


def test_a_killed_device_comes_back_with_what_it_owes(tmp_path: Path) -> None:
    async def scene(host: Wired, control: Control, process: DeviceProcess) -> None:
        host.acknowledging = False
        await chips(control, 1, 2, 3)
        await until(lambda: len(host.bodies) == 3)
        await process.kill()
        await process.start()
        await chips(control, 4)
        host.acknowledging = True
        await until(lambda: len(host.bodies) == 4)
        assert chips_of(host) == [1, 2, 3, 4]
        assert len({boot for _, boot in host.boots}) == 2

    at_device(tmp_path, "dropbox", scene)


def test_an_order_repeated_under_its_number_is_done_once(tmp_path: Path) -> None:
    async def scene(host: Wired, control: Control, process: DeviceProcess) -> None:
        async def send(number: str) -> dict[str, Any]:
            reader, writer = await asyncio.open_unix_connection(str(process.options.control))
            writer.write(json.dumps({"id": number, "do": "chip", "cents": 5}).encode() + b"\n")
            answer = json.loads(await reader.readline())
            writer.close()
            return dict(answer)

        assert (await send("a"))["ok"] is True
        await process.kill()
        await process.start()
        assert (await send("a"))["ok"] is True
        assert (await send("b"))["ok"] is True
        await until(lambda: len(host.bodies) == 2)
        await settled(control)
        assert chips_of(host) == [5, 5]

    at_device(tmp_path, "dropbox", scene)


def test_noise_costs_no_session_and_no_event(tmp_path: Path) -> None:
    async def scene(host: Wired, control: Control, process: DeviceProcess) -> None:
        for amount in range(1, 11):
            await control.order("noise", bytes=100 * amount)
            await chips(control, amount)
        await settled(control)
        assert chips_of(host) == list(range(1, 11))
        assert host.links["dropbox"].counters.bad_frames > 0
        assert host.faults == []

    at_device(tmp_path, "dropbox", scene)


@pytest.mark.slow
def test_silence_is_a_lost_link_and_loses_nothing(tmp_path: Path) -> None:
    async def scene(host: Wired, control: Control, process: DeviceProcess) -> None:
        await control.order("silence", seconds=4)
        await chips(control, 1, 2)
        await until(lambda: ("dropbox", "silent") in host.faults)
        await until(lambda: len(host.bodies) == 2)
        assert chips_of(host) == [1, 2]

    at_device(tmp_path, "dropbox", scene)


def test_a_reboot_is_a_new_boot_with_the_box_as_it_stands(tmp_path: Path) -> None:
    async def scene(host: Wired, control: Control, process: DeviceProcess) -> None:
        await control.order("box", locked=False)
        await until(lambda: len(host.bodies) == 1)
        await control.order("reboot")
        await until(lambda: len(host.boots) == 2)
        assert host.boots[0][1] != host.boots[1][1]
        assert host.states[-1] == {"present": True, "locked": False}
        await chips(control, 7)
        await until(lambda: len(host.bodies) == 2)

    at_device(tmp_path, "dropbox", scene)


def test_an_unplugged_device_is_away_until_it_reboots(tmp_path: Path) -> None:
    async def scene(host: Wired, control: Control, process: DeviceProcess) -> None:
        await control.order("unplug")
        await control.order("box", locked=False)
        await asyncio.sleep(0.5)
        assert host.bodies == []
        await control.order("reboot")
        await until(lambda: len(host.boots) == 2)
        await until(lambda: len(host.bodies) == 1)

    at_device(tmp_path, "dropbox", scene)


def test_a_power_loss_in_mid_frame_loses_no_event(tmp_path: Path) -> None:
    async def scene(host: Wired, control: Control, process: DeviceProcess) -> None:
        await control.order("power_loss")
        await chips(control, 1)
        await until(lambda: len(host.boots) == 2)
        await chips(control, 2)
        await until(lambda: len(host.bodies) == 2)
        assert chips_of(host) == [1, 2]
        assert len(host.faults) >= 1

    at_device(tmp_path, "dropbox", scene)


def test_indicators_show_what_the_table_says(tmp_path: Path) -> None:
    async def scene(host: Wired, control: Control, process: DeviceProcess) -> None:
        driver, link = host.drivers["indicators"], host.links["indicators"]
        for output in (
            {"t": 1.0, "lamp": {"name": "stop", "on": True}},
            {"t": 1.0, "display": {"text": "Misdeal.", "rule": "19.1(a)"}},
            {"t": 1.0, "buzzer": {"pattern": "long"}},
        ):
            for name, arguments in driver.commands(output):
                link.post(name, arguments)
        shown: dict[str, Any] = {}
        while not shown.get("sounds"):
            shown = (await control.order("read"))["shown"]
        assert shown["lamps"] == {"stop": True}
        assert shown["display"] == ["[19.1(a)] Misdeal."]

    at_device(tmp_path, "indicators", scene)


def test_the_shoe_obeys_its_gate(tmp_path: Path) -> None:
    async def scene(host: Wired, control: Control, process: DeviceProcess) -> None:
        await control.order("shuffle")
        with pytest.raises(OrderRefused, match="locked"):
            await control.order("deal")
        host.links["shoe"].post("gate", {"locked": False})
        while (await control.order("read"))["state"]["locked"]:
            pass  # it is read again until the order has come
        assert (await control.order("deal"))["deck"] == "blue"

    at_device(tmp_path, "shoe", scene)


@pytest.mark.parametrize(
    "line",
    [b"deal\n", b"[1]\n", b'{"do": "dance"}\n', b'{"do": "noise", "bytes": 0}\n', b'{"do": "reboot", "seconds": -1}\n'],
)
def test_what_is_no_order_is_answered(tmp_path: Path, line: bytes) -> None:
    async def scene(host: Wired, control: Control, process: DeviceProcess) -> None:
        reader, writer = await asyncio.open_unix_connection(str(process.options.control))
        writer.write(line)
        answer = json.loads(await reader.readline())
        writer.close()
        assert answer["ok"] is False
        assert answer["refused"]

    at_device(tmp_path, "badge", scene)


def test_a_device_that_is_not_there_is_named(tmp_path: Path) -> None:
    control = Control(tmp_path / "nobody.control", name="shoe", patience=0.0)
    with pytest.raises(ControlError, match="device shoe: no answer"):
        asyncio.run(control.order("deal"))


def test_a_device_without_a_key_says_so(tmp_path: Path) -> None:
    equipment = lay_out(tmp_path, game(HOLDEM))
    equipment.device("shoe").key_file.write_text("too short")
    with pytest.raises(SimulatedDeviceError, match="holds no key"):
        asyncio.run(serve_device(equipment.device("shoe")))
    assert "too short" not in repr(equipment)


def test_the_command_line_says_what_the_options_say(tmp_path: Path) -> None:
    device: DeviceOptions = lay_out(tmp_path, game(UTH)).device("reader:board")
    assert read_options(device.arguments()[2:]) == device


def test_keys_are_kept_and_closed_to_others(tmp_path: Path) -> None:
    first = lay_out(tmp_path, game(HOLDEM))
    again: Equipment = lay_out(tmp_path, game(HOLDEM))
    assert first.key("shoe") == again.key("shoe")
    assert len({first.key(device.name) for device in first.devices}) == len(first.devices)
    assert first.device("shoe").key_file.stat().st_mode & 0o077 == 0


@pytest.mark.slow
@pytest.mark.parametrize(("rulebook", "rate"), [(HOLDEM, 0.0), (UTH, 0.0), (HOLDEM, 1.0), (UTH, 1.0)])
def test_the_dealer_deals_over_the_wire(tmp_path: Path, rulebook: str, rate: float) -> None:
    async def play() -> None:
        the_game = game(rulebook, rounds=3 if rate == 0 else 6, mistake_rate=rate, seed=4)
        equipment = lay_out(tmp_path, the_game)
        async with running(equipment):
            host = Wired(equipment, [device.name for device in equipment.devices])
            async with host.running():
                host.open(
                    TableOpen(
                        t=0.0,
                        rulebook=rulebook,
                        seats=list(the_game.seats),
                        options=options_for(books()[rulebook]),
                        button=the_game.button,
                    )
                )
                await host.all_up()
                dealer = Dealer(the_game, equipment, host, pace=0.0)
                await dealer.run()
        assert dealer.croupier.rounds == the_game.rounds
        assert (dealer.croupier.sense.rulings == 0) is (rate == 0)
        assert host.faults == []

    asyncio.run(play())


def test_the_dealer_keeps_the_pace(tmp_path: Path) -> None:
    """Time between motions is the pace times their seconds, by the sleep it was given."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 5:
            raise asyncio.CancelledError

    class Quiet:
        async def outputs(self) -> list[dict[str, Any]]:
            return []

    dealer = Dealer(game(HOLDEM), lay_out(tmp_path, game(HOLDEM)), Quiet(), pace=0.5, sleep=sleep)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(dealer.run())
    assert slept == [0.5] * 5
    with pytest.raises(ValueError, match="pace"):
        Dealer(game(HOLDEM), lay_out(tmp_path, game(HOLDEM)), Quiet(), pace=-1)

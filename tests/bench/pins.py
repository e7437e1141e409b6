"""From a pressed key to the lit lamp over the board's pins, through the whole daemon, beside a bare loop of gpiozero.

The key is the switch of test mode, which shuts the gate and lights the lamp `stop` at once. The daemon is measured once
so that it believes every edge, as the bare loop does, and once so that a level must have held for a millisecond.

With the mock factory it belongs to the bench. Over a kernel's gpio-sim it is a program:
`python -m tests.bench.pins --factory lgpio --chip LABEL --folder /sys/devices/platform/gpio-sim.0/gpiochip0`.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from devices.pins.chips import find_chip
from devices.pins.on_lgpio import load_lgpio
from devices.pins.on_mock import CHIP
from feltd.launcher.running import serving
from feltd.table.config.config import read_config
from feltd.table.daemon.assembly import Daemon
from tests.bench import pins_player
from tests.bench.pins_player import MockWires, PinBenchError, play
from tests.bench.report import Row, Spread, machine, micro, table

KEY, LAMP = 17, 27
DEBOUNCES: Final = (0, 1)
"""Milliseconds."""
WARM_UP: Final = 10
"""Presses before the first that counts."""
PI_4: Final = 0xC03114
"""The board that gpiozero's own factory is told it is on: it asks before it gives a pin."""
_ROOT: Final = Path(__file__).resolve().parents[2]
_CONFIG: Final = """
[table]
name = "bench"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
button = 3
options = {{ blinds = [100, 200] }}
[pins]
factory = "{factory}"
{chip}
[[pins.key]]
name = "test_mode"
line = {key}
debounce_ms = {debounce}
[[pins.lamp]]
name = "stop"
line = {lamp}
[journal]
path = "table.journal"
sealing_key_file = "key"
"""


@dataclass(frozen=True, slots=True)
class Board:
    """The pins that are measured. `folder`: of gpio-sim's chip, None for the mock."""

    factory: str
    chip: str | None = None
    folder: Path | None = None


def measure(directory: Path, presses: int, board: Board | None = None) -> list[Row]:
    """The lines; files go to `directory`. Raises PinBenchError."""
    board = board or Board("mock")
    directory.mkdir(exist_ok=True)
    bare = Spread.of(_apart(board, presses + WARM_UP)[WARM_UP:])
    rows: list[Row] = []
    for debounce in DEBOUNCES:
        place = directory / f"debounce-{debounce}"
        place.mkdir()
        whole = Spread.of(asyncio.run(_whole(board, place, debounce, presses + WARM_UP))[WARM_UP:])
        name = f"Key pressed to lamp lit over pins ({board.factory}), {presses} times, debounce {debounce} ms"
        rows += [
            Row(name, str(whole), str(bare), whole.p50 / bare.p50),
            Row("– p99", micro(whole.p99), micro(bare.p99), whole.p99 / bare.p99),
        ]
    return rows


def _apart(board: Board, presses: int) -> list[float]:
    """The bare loop in a process of its own: what gpiozero leaves behind when it closes is not the daemon's."""
    words = [f"--factory={board.factory}", f"--presses={presses}", "--bare"]
    words += [] if board.chip is None else [f"--chip={board.chip}"]
    words += [] if board.folder is None else [f"--folder={board.folder}"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.pins", *words], stdout=subprocess.PIPE, cwd=_ROOT, check=False
    )
    if done.returncode != 0:
        raise PinBenchError("the bare loop did not come to the end: its message is above")
    found: list[float] = json.loads(done.stdout)
    return found


def _bare(board: Board, presses: int) -> list[float]:
    """gpiozero's Button and LED, wired to each other."""
    with _factory(board) as factory, ExitStack() as closing:
        from gpiozero import LED, Button

        lamp = closing.enter_context(LED(LAMP, pin_factory=factory))
        key = closing.enter_context(Button(KEY, pull_up=True, pin_factory=factory))
        key.when_pressed, key.when_released = lamp.on, lamp.off
        if board.folder is None:
            return play(MockWires(key.pin, lamp.pin), presses)
        return asyncio.run(_played(board.folder, presses))


@contextmanager
def _factory(board: Board) -> Iterator[Any]:
    if board.factory == "mock":
        from gpiozero.pins.mock import MockFactory

        factory = MockFactory()
    elif board.factory == "lgpio":
        load_lgpio()
        from gpiozero.pins.lgpio import LGPIOFactory

        factory = LGPIOFactory(chip=find_chip(board.chip).number)
        factory._get_revision = lambda: PI_4
    else:
        load_lgpio()
        from gpiozero.pins.rpigpio import RPiGPIOFactory

        factory = RPiGPIOFactory()
        factory._get_revision = lambda: PI_4
    try:
        yield factory
    finally:
        factory.close()


async def _whole(board: Board, directory: Path, debounce: int, presses: int) -> list[float]:
    """The daemon: station, driver, table, journal, station. `debounce`: milliseconds."""
    (directory / "key").write_bytes(bytes(32))
    chip = "" if board.chip is None else f'chip = "{board.chip}"'
    text = _CONFIG.format(factory=board.factory, chip=chip, key=KEY, lamp=LAMP, debounce=debounce)
    CHIP.pins.clear()
    async with serving(read_config(text, "bench.toml", directory), port=0) as running:
        daemon = running.table
        await _changed(daemon, lambda: all(slot.there for slot in daemon.bridge.slots.values()))
        if board.folder is not None:
            return await _played(board.folder, presses)
        return await asyncio.to_thread(play, MockWires(CHIP.pin(KEY), CHIP.pin(LAMP)), presses)


async def _changed(daemon: Daemon, what: Callable[[], bool]) -> None:
    async with asyncio.timeout(pins_player.PATIENCE):
        while not what():  # noqa: ASYNC110 - the page's own listener is left alone
            await asyncio.sleep(0.01)


async def _played(folder: Path, presses: int) -> list[float]:
    """Pressed by another process."""
    player = await asyncio.create_subprocess_exec(
        sys.executable, "-m", pins_player.__name__, str(folder), str(KEY), str(LAMP), str(presses),
        stdout=asyncio.subprocess.PIPE, cwd=_ROOT,
    )  # fmt: skip
    told, _ = await player.communicate()
    if player.returncode != 0:
        raise PinBenchError("who presses the key did not come to the end: its message is above")
    found: list[float] = json.loads(told)
    return found


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.pins", description="From a key to a lamp over pins.")
    parser.add_argument("--factory", choices=("lgpio", "rpigpio", "mock"), default="mock")
    parser.add_argument("--chip", help="the label of the chip")
    parser.add_argument("--folder", type=Path, help="gpio-sim's folder of the chip, /sys/devices/platform/…")
    parser.add_argument("--presses", type=int, default=200)
    parser.add_argument("--bare", action="store_true", help="the bare loop alone, its microseconds as JSON")
    parser.add_argument("--json", type=Path, help="write the lines to this file too")
    given = parser.parse_args()
    board = Board(given.factory, given.chip, given.folder)
    if given.bare:
        print(json.dumps(_bare(board, given.presses)))
        return
    with tempfile.TemporaryDirectory(prefix="feltd-bench-") as directory:
        print(machine(Path(directory)))
        rows = measure(Path(directory), given.presses, board)
        print(table(rows))
        if given.json is not None:
            given.json.write_text(json.dumps([asdict(row) for row in rows]), encoding="utf-8")


if __name__ == "__main__":
    main()

"""An installed table under systemd beside a page that is disturbed.

`python -m tests.bench.in_units PAIRS SECONDS SCALE OUT` as root, on a machine where the package is installed and both
units run: `python -m hil_tests.bench units` has a fresh Debian for it. The table's file and record are replaced. OUT
gets the lines as JSON.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Final

from tests.bench.chatterers import names
from tests.bench.chattering import ChatterBenchError, chattering, lay_out
from tests.bench.report import Row
from tests.bench.undisturbed import OF_PAGE, PageAtWork, Sizes, measure_beside, play_into

PORT: Final = 8080
STATE: Final = Path("/var/lib/feltd")
CONFIG: Final = Path("/etc/feltd/table.toml")
TABLE: Final = "felt-table"
PAGE: Final = "felt-page"
PATIENCE: Final = 60.0


async def _measure(sizes: Sizes) -> list[Row]:
    _order("stop", PAGE, TABLE)
    folder = STATE / "bench"
    folder.mkdir()
    for old in STATE.glob("table.journal*"):
        old.unlink()
    file = lay_out(folder, str(folder), f"{STATE}/table.journal", lambda name: f"{folder}/{name}", PORT, 1)
    shutil.copyfile(file, CONFIG)
    await play_into(STATE, bytes.fromhex((folder / "journal.key").read_text(encoding="ascii")))
    async with chattering(folder, names(1)) as devices:
        await asyncio.to_thread(_give_to_the_table, folder)
        _order("start", TABLE, PAGE)
        await devices.all_up(2)
        page = PageAtWork(PORT, folder, _page, lambda: _order("restart", "--no-block", PAGE))
        return await measure_beside(devices, page, sizes)


def _give_to_the_table(folder: Path) -> None:
    """The devices' terminals, keys and the record belong to the table's user."""
    until = time.monotonic() + PATIENCE
    while not all((folder / name).exists() for name in names(1)):
        if time.monotonic() > until:
            raise ChatterBenchError("the devices have made no terminals")
        time.sleep(0.1)
    for path in (folder, *folder.iterdir(), *STATE.glob("table.journal*")):
        shutil.chown(path.resolve(), "feltd", "feltd")


def _page() -> int | None:
    told = subprocess.run(
        ["systemctl", "show", "--value", "--property=MainPID", PAGE], capture_output=True, text=True, check=True
    )
    return int(told.stdout) or None


def _order(what: str, *units: str) -> None:
    subprocess.run(["systemctl", what, *units], check=True)


def main() -> None:
    """The program."""
    sizes, out = Sizes(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), OF_PAGE), Path(sys.argv[4])
    if os.geteuid() != 0:
        sys.exit("in_units: it replaces the table of this machine, and needs root: run it where nobody plays")
    rows = asyncio.run(_measure(sizes))
    out.write_text(json.dumps([asdict(row) for row in rows]), encoding="utf-8")


if __name__ == "__main__":
    main()

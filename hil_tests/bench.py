"""What has to be measured against pins and cables that the kernel believes in: `python -m hil_tests.bench [PART …]`.

Each part has a virtual machine of its own. Its processor is emulated, some ten to thirty times slower than the host's,
so the ratios count: to a bare loop of the same library on the same hardware in the same run. Gates nothing.
"""

import argparse
import asyncio
import json
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from hil_tests.install.beside_steps import ROWS, SIZES
from hil_tests.install.fresh_root import FreshRoot
from hil_tests.install.packages import make_packages
from hil_tests.install.phases import BESIDE
from hil_tests.machine import chip
from hil_tests.machine.disk import make_file_system
from hil_tests.machine.errors import GuestFailedError
from hil_tests.machine.ground import CHECKOUT
from hil_tests.machine.qemu import Machine
from hil_tests.power import good_end, play_evening
from hil_tests.record_cost import cost_of
from hil_tests.wires import BY_ID
from tests.bench import chatterers, chattering, errands, lamp, lamp_device, rounds
from tests.bench.report import Row, load, machine, table

PRESSES: Final = 100
EXCHANGES: Final = 200
REST: Final = 0.02
"""Seconds of rest before each exchange."""
CHATTER_SECONDS: Final = 20.0
PACE: Final = 2.0
"""Events a second of each keypad: ten, as in `make bench`, are more than an emulated processor can take."""
EVENING_SECONDS: Final = 90.0
PATIENCE: Final = 600.0
SEED: Final = 20
DISK_MEBIBYTES: Final = 64
JOURNAL_FOLDER: Final = "/mnt/journal"

PAIRS: Final = 10
TURN_SECONDS: Final = 4.0
VISITORS: Final = 1.0
"""Part of those that `make bench-page` has."""
BESIDE_SECONDS: Final = 1500.0
BENCH_FILES: Final = ("__init__.py", "ports.py", "bench/*.py", "feltd/__init__.py", "feltd/table_support.py")
"""What the fresh Debian needs of the tests."""
CHECKOUT_HERE: Final = Path(__file__).resolve().parents[1]

_BEGIN: Final = f"""\
set -e
cd {CHECKOUT}
export PYTHONDONTWRITEBYTECODE=1
"""
_CABLES: Final = """\
modprobe -a xhci_pci ftdi_sio
/lib/systemd/systemd-udevd --daemon
udevadm trigger && udevadm settle
"""
_PINS: Final = f"""\
modprobe -a gpio-sim configfs
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
{chip.MAKE}
.venv/bin/python -m tests.bench.pins --factory lgpio --chip {chip.LABEL} --folder /run/header --presses {PRESSES} \\
    --json /shared/rows.json
"""
_LAMP: Final = """\
.venv/bin/python -m tests.bench.lamp /shared/errands.json {key} '{paths}'
"""
_CHATTER: Final = f"""\
modprobe -a ext4 virtio_blk
mkdir -p {JOURNAL_FOLDER}
mount -t ext4 -o noatime /dev/vda {JOURNAL_FOLDER}
ln -sfn /proc/self/fd /dev/fd # bash wants it
bash hil_tests/machine/agent.sh {CHECKOUT} &
.venv/bin/python -m feltd.cli run /shared/table.toml >/shared/run.log 2>&1 &
echo $! >/run/feltd.pid
wait $!
"""
_SAMPLE: Final = "cat /proc/uptime /proc/$(cat /run/feltd.pid)/stat"
_TICKS: Final = 100.0
"""The kernel's, in a second of /proc/PID/stat."""


def on_pins(folder: Path) -> list[Row]:
    """From a key to a lamp on the simulated chip, over lgpio."""
    _write_job(folder, _BEGIN + _PINS)
    with Machine(folder, "bench-pins") as one:
        one.succeed(PATIENCE)
    return [Row(**row) for row in json.loads((folder / "rows.json").read_text(encoding="utf-8"))]


def on_cables(folder: Path) -> list[Row]:
    """From a device's frame to the lamp's frame over FTDI cables; the device is the host's."""
    said = asyncio.run(_exchange(folder))
    return lamp.rows_of("Frame into an FTDI cable to the lamp's frame out of another", said)


async def _exchange(folder: Path) -> dict[str, list[float]]:
    key, file = secrets.token_bytes(32), folder / "errands.json"
    errands.write(file, errands.errands(rounds.books(), lamp.WARM_UP + EXCHANGES))
    device = await asyncio.create_subprocess_exec(
        sys.executable, "-m", lamp_device.__name__, str(file), key.hex(), str(REST),
        stdout=asyncio.subprocess.PIPE, cwd=CHECKOUT, limit=1 << 24,
    )  # fmt: skip
    assert device.stdout is not None
    try:
        ends: dict[str, str] = json.loads(await device.stdout.readline())
        paths = json.dumps({name: BY_ID.format(name) for name in ends})
        _write_job(folder, _BEGIN + _CABLES + _LAMP.format(key=key.hex(), paths=paths))
        with Machine(folder, "bench-cables", devices=_cables(ends)) as one:
            telling = asyncio.create_task(device.stdout.readline())
            while not telling.done() and one.running:
                await asyncio.wait({telling}, timeout=1.0)
            if not telling.done():
                one.succeed(0.0)
            said: dict[str, list[float]] = json.loads(await telling)
        return said
    finally:
        with suppress(ProcessLookupError):
            device.terminate()
        await device.wait()


def at_full_chatter(folder: Path) -> list[Row]:
    """The load of a feltd with twelve keypads and the lamps on FTDI cables."""
    return asyncio.run(_chatter(folder))


async def _chatter(folder: Path) -> list[Row]:
    make_file_system(folder / "disk.img", DISK_MEBIBYTES)
    chattering.lay_out(folder, "/shared", f"{JOURNAL_FOLDER}/table.journal", BY_ID.format, 8080)
    _write_job(folder, _BEGIN + _CABLES + _CHATTER)
    ports = {name: str(folder / name) for name in chatterers.names(chattering.KEYPADS)}
    disk = ["-drive", f"file={folder / 'disk.img'},format=raw,if=virtio,cache=writeback"]
    async with chattering.chattering(folder) as devices:
        with Machine(folder, "bench-chatter", devices=[*disk, *_cables(ports)]) as one:

            async def sample() -> chattering.Sample:
                return read_sample(await asyncio.to_thread(one.order, _SAMPLE))

            return await chattering.measure_load(devices, sample, CHATTER_SECONDS, PACE)


def read_sample(said: str) -> chattering.Sample:
    """Of /proc/uptime and /proc/PID/stat, a line each."""
    uptime, stat = said.splitlines()
    after_name = stat.rpartition(")")[2].split()
    return chattering.Sample(float(uptime.split()[0]), (int(after_name[11]) + int(after_name[12])) / _TICKS)


def for_the_record(folder: Path) -> list[Row]:
    """What the record of an evening costs a card."""
    evening = asyncio.run(play_evening(folder, SEED, EVENING_SECONDS))
    return [Row("Written to the disk for the record", str(cost_of(evening, good_end(evening, folder))))]


def in_units(folder: Path) -> list[Row]:
    """The installed table in a fresh Debian under systemd, beside a page that is disturbed: on the processors of this
    machine, not on emulated ones."""
    make_packages(folder)
    root = FreshRoot(folder / "units")
    for package in folder.glob("*.deb"):
        shutil.copy(package, root.shared)
    for file in BENCH_FILES:
        for source in (CHECKOUT_HERE / "tests").glob(file):
            target = root.shared / source.relative_to(CHECKOUT_HERE)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    (root.shared / SIZES.name).write_text(f"{PAIRS} {TURN_SECONDS} {VISITORS}", encoding="ascii")
    report = root.start(BESIDE, seconds=BESIDE_SECONDS)
    failed = [f"{name}: {said}" for name, said in report.items() if said != "ok"]
    if failed:
        raise GuestFailedError("\n".join(failed))
    return [Row(**row) for row in json.loads((root.shared / ROWS.name).read_text(encoding="utf-8"))]


PARTS: Final[Mapping[str, Callable[[Path], list[Row]]]] = {
    "pins": on_pins,
    "cables": on_cables,
    "chatter": at_full_chatter,
    "record": for_the_record,
    "units": in_units,
}


def _cables(ends: Mapping[str, str]) -> list[str]:
    """QEMU's arguments: a USB-to-serial cable with this serial number to each of these terminals."""
    words = ["-device", "qemu-xhci,id=usb,p2=15,p3=4"]
    for name, path in ends.items():
        words += ["-chardev", f"serial,id=line-{name},path={path}"]
        words += ["-device", f"usb-serial,chardev=line-{name},serial={name}"]
    return words


def _write_job(folder: Path, script: str) -> None:
    (folder / "job.sh").write_text(script, encoding="utf-8")


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m hil_tests.bench", description="Measure in the virtual machine.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all where none is named")
    given = parser.parse_args()
    unknown = [part for part in given.parts if part not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]!r}: there are {', '.join(PARTS)}")
    with tempfile.TemporaryDirectory(prefix="feltd-bench-", dir="/var/tmp") as place:
        print(f"QEMU, two processors in software emulation, on: {machine(Path(place))}")
        rows: list[Row] = []
        for part in given.parts or PARTS:
            sys.stderr.write(f"{time.strftime('%H:%M:%S')} bench: {part}\n")
            folder = Path(place) / part
            folder.mkdir()
            rows += PARTS[part](folder)
        print(table(rows))
    print(f"{load()} at the end. A ratio is value by beside.")


if __name__ == "__main__":
    main()

"""Badge readers on the USB of a machine that believes in them: one that reports by HID, one that types."""

from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest

from hil_tests.guest import badge_readers
from hil_tests.machine.errors import CannotBeHadError
from hil_tests.machine.ground import CHECKOUT
from hil_tests.machine.packages import unpack
from hil_tests.machine.qemu import Machine
from hil_tests.machine.stock import Stock

SECONDS: Final = 3600.0
JOB: Final = """\
    set -e
    cd {checkout}
    export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=/shared/evdev/usr/lib/python3/dist-packages
    ip link set lo up
    # udev is there before the plugs and hears of each from the kernel: nobody asks for the machine's other devices
    /lib/systemd/systemd-udevd --daemon
    modprobe dummy_hcd num=3
    modprobe -a configfs libcomposite usb_f_hid usbhid hid_generic evdev
    mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
    udevadm settle
    exec .venv/bin/python -m {guest} /run/badges
    """

pytestmark = pytest.mark.timeout(SECONDS + 60)


@pytest.fixture
def evdev(tmp_path: Path) -> Path:
    """Debian's python3-evdev, unpacked: the folder to be shared with the machine."""
    try:
        unpack(["python3-evdev"], tmp_path / "evdev", tmp_path / "debs")
    except CannotBeHadError as reason:
        pytest.skip(str(reason))
    return tmp_path


def test_cards_plugs_and_a_stranger(machine_parts: Stock, evdev: Path) -> None:
    job = dedent(JOB).format(checkout=CHECKOUT, guest=badge_readers.__name__)
    (evdev / "job.sh").write_text(job, encoding="utf-8")
    with Machine(evdev, "badge-readers") as machine:
        assert "well: the record" in machine.succeed(SECONDS)

"""What lies in the machine's files when systemd runs it: the project's units as its package lays them out."""

from pathlib import Path
from textwrap import dedent
from typing import Final

from debian.layout import stage
from hil_tests.machine.stock import CHECKOUT
from hil_tests.wires import DATA

_SYSTEM: Final = "etc/systemd/system"

_FILES: Final = {
    f"{_SYSTEM}/feltd-machine.target": """\
        [Unit]
        Requires=basic.target
        After=basic.target
        Wants=systemd-udev-trigger.service feltd-agent.service feltd-feed.service feltd-usb-reader.service feltd.service
        AllowIsolate=yes
        """,
    f"{_SYSTEM}/feltd-prepare.service": """\
        [Unit]
        After=systemd-udevd.service
        [Service]
        Type=oneshot
        RemainAfterExit=yes
        ExecStart=/bin/bash /shared/prepare.sh
        """,
    f"{_SYSTEM}/feltd-agent.service": """\
        [Unit]
        Requires=feltd-prepare.service
        After=feltd-prepare.service
        [Service]
        ExecStart=/bin/bash {checkout}/hil_tests/machine/agent.sh {checkout}
        """,
    f"{_SYSTEM}/feltd-feed.service": """\
        [Unit]
        After=feltd-prepare.service
        [Service]
        WorkingDirectory={checkout}
        Environment=PYTHONDONTWRITEBYTECODE=1
        ExecStart={checkout}/.venv/bin/python -m hil_tests.guest.feed {data}/table.journal /dev/virtio-ports/feed
        Restart=on-failure
        """,
    f"{_SYSTEM}/feltd-usb-reader.service": """\
        [Unit]
        After=feltd-prepare.service
        ConditionPathExists=/dev/virtio-ports/reader
        [Service]
        WorkingDirectory={checkout}
        Environment=PYTHONDONTWRITEBYTECODE=1
        ExecStart={checkout}/.venv/bin/python -m hil_tests.guest.usb_reader /dev/virtio-ports/reader
        """,
    # The unit as it is shipped, but for what a slow machine asks for, and Python or a checkout in a home or in /tmp.
    f"{_SYSTEM}/feltd.service.d/90-machine.conf": """\
        [Unit]
        Requires=feltd-prepare.service
        After=feltd-prepare.service
        [Service]
        Environment=PYTHONDONTWRITEBYTECODE=1
        ExecStartPre=
        WatchdogSec=40
        ProtectHome=no
        PrivateTmp=no
        TimeoutStartSec=300
        TimeoutAbortSec=2
        """,
}

PREPARE: Final = """\
set -e
chmod 755 /root
modprobe -a virtio_blk ext4 xhci_pci ftdi_sio virtio_console gpio-sim configfs
systemd-tmpfiles --create feltd.conf
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
mount -t ext4 -o noatime /dev/vda {data}
install -d -o feltd -g feltd -m 700 {data}/keys
install -o feltd -g feltd -m 600 /shared/*.key {data}/keys/
install -m 600 /shared/journal.key /etc/feltd/keys/journal.key
install -m 644 /shared/table.toml /etc/feltd/table.toml
chown feltd:feltd {data}
{pins}
udevadm trigger
udevadm settle
"""


_NOT_RUN: Final = ("systemd-tmpfiles-setup.service", "systemd-tmpfiles-clean.timer", "systemd-remount-fs.service")
"""Of the host's own: they would tidy up its /tmp, in which a checkout may stand, and it has nothing to mount."""


def lay(folder: Path, pins: str) -> None:
    """Write what the machine takes over at its start; `pins`: shell commands that make the simulated chip."""
    tree = folder / "tree"
    stage(tree)
    for name, text in _FILES.items():
        file = tree / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text).format(checkout=CHECKOUT, data=DATA), encoding="utf-8")
    for unit in _NOT_RUN:
        (tree / _SYSTEM / unit).symlink_to("/dev/null")
    for folder_of_updates in ("etc", "var"):  # no unit that renews caches after an update has anything to do
        (tree / folder_of_updates).mkdir(exist_ok=True)
        (tree / folder_of_updates / ".updated").touch()
    (tree / "opt").mkdir()
    (tree / "opt/feltd").symlink_to(CHECKOUT / ".venv")
    (folder / "prepare.sh").write_text(PREPARE.format(data=DATA, pins=pins), encoding="utf-8")

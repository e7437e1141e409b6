"""What lies in the machine's files when systemd runs it: the project's units as its package lays them out."""

from pathlib import Path
from textwrap import dedent
from typing import Final

from debian.layout import stage
from hil_tests.machine.ground import Ground
from hil_tests.wires import DATA

_SYSTEM: Final = "etc/systemd/system"

_FILES: Final = {
    f"{_SYSTEM}/feltd-machine.target": """\
        [Unit]
        Requires=basic.target
        After=basic.target
        Wants=feltd-agent.service feltd-plugs.service feltd-feed.service feltd-usb-reader.service
        Wants=felt-table.service felt-page.service feltd-up.service
        AllowIsolate=yes
        """,
    f"{_SYSTEM}/feltd-prepare.service": """\
        [Service]
        Type=oneshot
        RemainAfterExit=yes
        ExecStart=/bin/bash /shared/prepare.sh
        """,
    # Of what is there before udev only the ports out of the machine have names that somebody asks for. All else that
    # the tests need comes later, as far as the kernel knows; all those hundreds of devices would take half a minute.
    f"{_SYSTEM}/systemd-udev-trigger.service.d/90-machine.conf": """\
        [Service]
        ExecStart=
        ExecStart=udevadm trigger --action=add --subsystem-match=virtio-ports
        """,
    # Beside feltd's start, as on a board: it waits for no device.
    f"{_SYSTEM}/feltd-plugs.service": """\
        [Unit]
        After=systemd-udevd.service systemd-udev-trigger.service
        [Service]
        Type=oneshot
        RemainAfterExit=yes
        ExecStart=/bin/bash /shared/plugs.sh
        """,
    f"{_SYSTEM}/feltd-agent.service": """\
        [Unit]
        Requires=feltd-prepare.service
        After=feltd-prepare.service
        [Service]
        ExecStart=/bin/bash {checkout}/hil_tests/machine/agent.sh {checkout}
        """,
    f"{_SYSTEM}/feltd-up.service": """\
        [Unit]
        After=felt-table.service
        [Service]
        Type=oneshot
        ExecStart=/bin/touch /run/feltd-up
        """,
    f"{_SYSTEM}/feltd-feed.service": """\
        [Unit]
        Requires=feltd-plugs.service
        After=feltd-prepare.service feltd-plugs.service
        [Service]
        WorkingDirectory={checkout}
        Environment=PYTHONDONTWRITEBYTECODE=1
        ExecStart={python} -m hil_tests.guest.feed \\
            {data}/table.journal /dev/virtio-ports/feed /run/feltd-up
        Restart=on-failure
        """,
    f"{_SYSTEM}/feltd-usb-reader.service": """\
        [Unit]
        Requires=feltd-plugs.service
        After=feltd-plugs.service
        ConditionPathExists=/dev/virtio-ports/reader
        [Service]
        WorkingDirectory={checkout}
        Environment=PYTHONDONTWRITEBYTECODE=1
        ExecStart={python} -m hil_tests.guest.usb_reader /dev/virtio-ports/reader
        """,
    # The unit as it is shipped, but for
    # - Python or a checkout in a home or in /tmp;
    # - a start that takes 15 s where it takes one on a board, and minutes while others use the host's cores: no time
    #   limit for it, no check before it (a second start; hil_tests/install has it), twice the watchdog's time.
    f"{_SYSTEM}/felt-table.service.d/90-machine.conf": """\
        [Unit]
        Requires=feltd-prepare.service
        After=feltd-prepare.service
        [Service]
        Environment=PYTHONDONTWRITEBYTECODE=1
        ExecStartPre=
        WatchdogSec=30
        ProtectHome=no
        PrivateTmp=no
        TimeoutStartSec=infinity
        """,
    f"{_SYSTEM}/feltd-readers@.service.d/90-machine.conf": """\
        [Unit]
        Requires=feltd-prepare.service
        After=feltd-prepare.service
        [Service]
        Environment=PYTHONDONTWRITEBYTECODE=1
        ProtectHome=no
        PrivateTmp=no
        TimeoutStartSec=infinity
        """,
    f"{_SYSTEM}/felt-page.service.d/90-machine.conf": """\
        [Unit]
        Requires=feltd-prepare.service
        After=feltd-prepare.service
        [Service]
        Environment=PYTHONDONTWRITEBYTECODE=1
        WatchdogSec=120
        ProtectHome=no
        PrivateTmp=no
        PrivateUsers=no
        TimeoutStartSec=infinity
        """,
}

WATCHDOG: Final = "/etc/systemd/system.conf.d/90-machine.conf"
"""Systemd arms the hardware watchdog as its first act and feeds it when it has read every unit: two seconds on a board;
on an emulated one with a busy host it may be more than the shipped drop-in waits. Taken away once the machine is up."""
_FILES[WATCHDOG.lstrip("/")] = """\
    [Manager]
    RuntimeWatchdogSec=600
    """

PREPARE: Final = """\
set -e
chmod 755 /root
systemd-tmpfiles --create feltd.conf
mount -t ext4 -o noatime /dev/vda {data}
install -d -o feltd -g feltd -m 700 {data}/keys
install -o feltd -g feltd -m 600 /shared/*.key {data}/keys/
install -o feltd -g feltd -m 600 /shared/staff.pins {data}/staff.pins
install -m 600 /shared/journal.key /etc/feltd/keys/journal.key
install -m 644 /shared/table.toml /etc/feltd/table.toml
chown feltd:feltd {data}
"""
PLUGS: Final = """\
set -e
modprobe -a xhci_pci ftdi_sio virtio_console gpio-sim configfs
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
{pins}
udevadm settle
"""

_NOT_RUN: Final = (
    "systemd-tmpfiles-setup.service",
    "systemd-tmpfiles-clean.timer",
    "systemd-remount-fs.service",
    "sys-fs-fuse-connections.mount",
    "sys-kernel-debug.mount",
    "sys-kernel-tracing.mount",
    "dev-hugepages.mount",
    "dev-mqueue.mount",
    *(f"modprobe@{module}.service" for module in ("dm_mod", "drm", "efi_pstore", "fuse", "loop")),
)
"""Of the host's own: they would tidy up its /tmp, in which a checkout may stand, mount what it has not, or take seconds
of an emulated machine for what nobody needs there."""


def lay(folder: Path, pins: str, ground: Ground) -> None:
    """Write what the machine takes over at its start; `pins`: shell commands that make the simulated chip."""
    tree = folder / "tree"
    tree.mkdir()
    if not ground.packaged:
        stage(tree)
        (tree / "opt").mkdir()
        (tree / "opt/feltd").symlink_to(Path(ground.checkout) / ".venv")
    for name, text in _FILES.items():
        file = tree / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            dedent(text).format(checkout=ground.checkout, python=ground.python, data=DATA), encoding="utf-8"
        )
    for unit in _NOT_RUN:
        (tree / _SYSTEM / unit).symlink_to("/dev/null")
    for generator in (ground.root / "usr/lib/systemd/system-generators").glob(
        "*"
    ):  # units of the root's disks, consoles, databases
        masked = tree / "etc/systemd/system-generators" / generator.name
        masked.parent.mkdir(parents=True, exist_ok=True)
        masked.symlink_to("/dev/null")
    for folder_of_updates in ("etc", "var"):  # no unit that renews caches after an update has anything to do
        (tree / folder_of_updates).mkdir(exist_ok=True)
        (tree / folder_of_updates / ".updated").touch()
    (folder / "prepare.sh").write_text(PREPARE.format(data=DATA), encoding="utf-8")
    (folder / "plugs.sh").write_text(PLUGS.format(pins=pins), encoding="utf-8")

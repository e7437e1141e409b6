"""Where each file of the Debian package goes that is no Python: units, rules, configuration, documentation."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from feltd.installed.manifest import PREFIX

ROOT: Final = Path(__file__).parents[1]
OPT: Final = PREFIX
_UNITS: Final = "usr/lib/systemd/system"
_DOC: Final = "usr/share/doc/feltd"

PAGES: Final = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    *sorted(
        str(file.relative_to(ROOT))
        for kind in (
            "*.md",
            "pictures/*.*",
            "own-adapter/*.*",
            "own-rulebook/*/*.*",
            "own-tournaments/*.toml",
            "own-games/rulebooks/*",
            "own-games/drills/*/*.*",
        )
        for file in (ROOT / "docs").glob(kind)
    ),
    "firmware/README.md",
    "firmware/c/README.md",
    "firmware/c/boards/parts/pins.h",
    "firmware/micropython/README.md",
    "firmware_bridge/PROTOCOL.md",
    "firmware_bridge/vectors.json",
    "devices/MESSAGES.md",
)
"""What is to be read, with what it shows and names."""

SYSTEM_FILES: Final[Mapping[str, tuple[str, ...]]] = {
    **{
        f"systemd/{unit}.service": (f"{_UNITS}/{unit}.service",)
        for unit in (
            "felt-table",
            "felt-table@",
            "felt-page",
            "felt-page@",
            "felt-uplink",
            "felt-uplink@",
            "felt-sender",
            "felt-sender@",
            "feltd-floor",
            "feltd-floor-backup",
            "feltd-floor-draws",
            "feltd-floor-pack",
            "feltd-pit",
            "feltd-witness",
        )
    },
    "systemd/feltdidle.slice": (f"{_UNITS}/feltdidle.slice",),
    "systemd/feltd-floor-backup.timer": (f"{_UNITS}/feltd-floor-backup.timer",),
    "systemd/feltd-floor-draws.timer": (f"{_UNITS}/feltd-floor-draws.timer",),
    "systemd/feltd-floor-pack.timer": (f"{_UNITS}/feltd-floor-pack.timer",),
    "systemd/20-floor-owner.conf": (
        f"{_UNITS}/feltd-floor-backup.service.d/20-floor-owner.conf",
        f"{_UNITS}/feltd-floor-pack.service.d/20-floor-owner.conf",
    ),
    "systemd/feltd-record.service": (f"{_UNITS}/feltd-record.service",),
    "systemd/feltd-record.timer": (f"{_UNITS}/feltd-record.timer",),
    "systemd/feltd-record@.service": (f"{_UNITS}/feltd-record@.service",),
    "systemd/feltd-record@.timer": (f"{_UNITS}/feltd-record@.timer",),
    # The numbers keep them before an administrator's override.conf, whichever folder that is in.
    "systemd/20-table.conf": (
        f"{_UNITS}/felt-table.service.d/20-table.conf",
        f"{_UNITS}/felt-table@.service.d/20-table.conf",
    ),
    "systemd/20-page.conf": (
        f"{_UNITS}/felt-page.service.d/20-page.conf",
        f"{_UNITS}/felt-page@.service.d/20-page.conf",
    ),
    "systemd/20-record.conf": (
        f"{_UNITS}/feltd-record.service.d/20-record.conf",
        f"{_UNITS}/feltd-record@.service.d/20-record.conf",
    ),
    "systemd/feltd-readers@.service": (f"{_UNITS}/feltd-readers@.service",),
    "systemd/20-readers.conf": (f"{_UNITS}/feltd-readers@.service.d/20-readers.conf",),
    "systemd/20-uplink.conf": (
        f"{_UNITS}/felt-uplink.service.d/20-uplink.conf",
        f"{_UNITS}/felt-uplink@.service.d/20-uplink.conf",
        f"{_UNITS}/felt-sender.service.d/20-uplink.conf",
        f"{_UNITS}/felt-sender@.service.d/20-uplink.conf",
    ),
    "systemd/10-sandbox.conf": tuple(
        f"{_UNITS}/{unit}.service.d/10-sandbox.conf"
        for unit in (
            "felt-table",
            "felt-table@",
            "felt-page",
            "felt-page@",
            "feltd-record",
            "feltd-record@",
            "feltd-readers@",
            "felt-uplink",
            "felt-uplink@",
            "felt-sender",
            "felt-sender@",
            "feltd-floor",
            "feltd-floor-backup",
            "feltd-floor-draws",
            "feltd-floor-pack",
            "feltd-pit",
            "feltd-witness",
        )
    ),
    "systemd/60-feltd.rules": ("usr/lib/udev/rules.d/60-feltd.rules",),
    "systemd/feltd.sysusers": ("usr/lib/sysusers.d/feltd.conf",),
    "systemd/feltd.tmpfiles": ("usr/lib/tmpfiles.d/feltd.conf",),
    "systemd/feltd.journald.conf": ("usr/lib/systemd/journald.conf.d/feltd.conf",),
    "systemd/feltd.watchdog.conf": ("usr/lib/systemd/system.conf.d/feltd.conf",),
    "debian/apart.sh": ("usr/share/feltd/apart.sh",),
    "debian/first-keys.sh": ("usr/share/feltd/first-keys.sh",),
    "debian/kept.sh": ("usr/share/feltd/kept.sh",),
    "debian/table.toml": ("etc/feltd/table.toml",),
    "debian/copyright": (f"{_DOC}/copyright",),
    "config/table.example.toml": (f"{_DOC}/examples/table.example.toml",),
    "config/tables.example.csv": (f"{_DOC}/examples/tables.example.csv",),
    "config/tables.model.toml": (f"{_DOC}/examples/tables.model.toml",),
    "config/usbguard.example.conf": (f"{_DOC}/examples/usbguard.example.conf",),
    # As in the checkout, so that what they say of each other leads there.
    **{page: (f"{_DOC}/{page}",) for page in PAGES},
    "debian/lintian-overrides": ("usr/share/lintian/overrides/feltd",),
}
"""From the checkout, to one place or several."""

CONFFILES: Final = ("/etc/feltd/table.toml",)
"""What dpkg leaves as the technician has made it."""

OWN_FOLDERS: Final = (
    f"/{OPT}",
    "/usr/share/feltd",
    f"/{_DOC}",
    *sorted(
        {
            f"/{place.rpartition('/')[0]}"
            for places in SYSTEM_FILES.values()
            for place in places
            if place.startswith(f"{_UNITS}/") and place.endswith(".conf")
        }
    ),
)
"""Folders in which nothing lies but what the package has put there: `feltd identify` names anything else in them."""

LINKS: Final[Mapping[str, str]] = {
    "usr/bin/feltd": "/opt/feltd/bin/feltd",
    f"{_DOC}/rulebooks": "/opt/feltd/share/doc/feltd/rulebooks",
    f"{_DOC}/config": "examples",
}


def stage(tree: Path) -> None:
    """Put the files of the system where they belong under `tree`. Raises OSError where one of them is not there."""
    for source, places in SYSTEM_FILES.items():
        for place in places:
            target = tree / place
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / source, target)
    for place, goal in LINKS.items():
        (tree / place).parent.mkdir(parents=True, exist_ok=True)
        (tree / place).symlink_to(goal)

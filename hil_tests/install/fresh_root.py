"""A fresh Debian 12 in a folder, started under its own systemd by systemd-nspawn: what the package is installed in.

The root is made once by mmdebstrap and kept beside the checkout; each run begins with a copy. No network is there when
it runs. What cannot be had raises CannotBeHadError with the reason.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Final

from hil_tests.install.inside import HERE
from hil_tests.machine.errors import CannotBeHadError, GuestFailedError
from hil_tests.machine.made_once import made_once

CHECKOUT: Final = Path(__file__).resolve().parents[2]
STOCK: Final = CHECKOUT / ".machine"
"""Not committed."""
PACKAGE: Final = Path(__file__).parent
STEPS: Final = (
    "__init__",
    "inside",
    "phases",
    "steps",
    "upgrade_steps",
    "mid_round_steps",
    "repository_steps",
    "beside_steps",
)
"""The modules that work inside: they use nothing but Python's own."""
SUITE: Final = "bookworm"
PACKAGES: Final = (
    "systemd",
    "systemd-sysv",
    "udev",
    "dbus",
    "python3",
    "openssl",
    "libusb-1.0-0",
    "iproute2",
    "python3-evdev",
)
"""What a board's image has, and what feltd depends on: it is installed without a network."""
LEFT_OUT: Final = "/usr/share/{man,locale,info}/*"
LONGEST: Final = 3000.0
"""Seconds for one start, from power to power."""


class RootKind(Enum):
    """What becomes of a change to the root."""

    WRITABLE = "it stays"
    READ_ONLY = "it is refused, but for the places that the install guide names"
    OVERLAY = "it is forgotten"


_OPTIONS: Final[Mapping[RootKind, list[str]]] = {
    RootKind.WRITABLE: [],
    RootKind.READ_ONLY: [
        "--read-only",
        *(f"--tmpfs={place}" for place in ("/tmp", "/var/tmp", "/var/log", "/var/lib/systemd")),
    ],
    RootKind.OVERLAY: ["--volatile=overlay"],
}
_UNIFIED: Final = {"SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"}
_BPF: Final = ("--system-call-filter=bpf", "--capability=CAP_BPF,CAP_PERFMON")
"""With both systemd inside can limit what a unit hears and opens, as on a board."""
_UNIT: Final = """[Unit]
After=multi-user.target
[Service]
Type=oneshot
EnvironmentFile={here}/phase
WorkingDirectory={here}
ExecStart=/usr/bin/python3 -m hil_tests.install.phases $PHASE
StandardOutput=append:{here}/console
StandardError=append:{here}/console
ExecStopPost=/usr/bin/systemctl --no-block poweroff
"""


def kept_root() -> Path:
    """The root as an archive, made if it is not there. Raises CannotBeHadError."""
    lacking = [tool for tool in ("mmdebstrap", "systemd-nspawn", "tar") if shutil.which(tool) is None]
    if lacking:
        raise CannotBeHadError(f"not installed: {', '.join(lacking)}: `.ci/fresh-root` installs what this needs")
    archive = STOCK / f"{SUITE}.tar"
    with made_once(archive):
        if not archive.exists():
            _make_root(archive)
    return archive


def _make_root(archive: Path) -> None:
    beside = archive.with_suffix(".new.tar")
    command = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(PACKAGES)}"]
    # No test of dpkg's own care: it need not sync each file, here or when the package is installed.
    command += [f"--dpkgopt=path-exclude={LEFT_OUT}", "--dpkgopt=force-unsafe-io", SUITE, str(beside)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise CannotBeHadError(f"no fresh {SUITE} can be had: {made.stderr.strip()[-400:]}")
    beside.replace(archive)


class FreshRoot:
    """One Debian that is started several times. `shared` is its folder /install; the record has a disk of its own."""

    def __init__(self, folder: Path) -> None:
        """Unpack it into `folder`. Raises CannotBeHadError."""
        self.root, self.shared, self.state = folder / "root", folder / "install", folder / "state"
        for made in (self.root, self.shared, self.state):
            made.mkdir(parents=True)
        subprocess.run(["tar", "-xf", kept_root(), "-C", self.root], check=True)
        self._bring_steps()
        (self.root / HERE.relative_to("/")).mkdir()
        (self.root / "var/lib/feltd").mkdir()
        units = self.root / "etc/systemd/system"
        (units / "install-steps.service").write_text(_UNIT.format(here=HERE), encoding="utf-8")
        wants = units / "multi-user.target.wants"
        wants.mkdir(exist_ok=True)
        (wants / "install-steps.service").symlink_to("/etc/systemd/system/install-steps.service")
        (self.root / "etc/hostname").write_text("table\n", encoding="ascii")

    def _bring_steps(self) -> None:
        inside = self.shared / "hil_tests/install"
        inside.mkdir(parents=True)
        (inside.parent / "__init__.py").touch()
        for module in STEPS:
            shutil.copy((PACKAGE / module).with_suffix(".py"), inside)

    def start(self, phase: str, root: RootKind = RootKind.WRITABLE, *, seconds: float = LONGEST) -> dict[str, str]:
        """Start it, do a phase's steps, wait until it is off; its report. `seconds`: from power to power, at most.
        Raises GuestFailedError, CannotBeHadError."""
        (self.shared / "phase").write_text(f"PHASE={phase}\n", encoding="ascii")
        command = ["systemd-nspawn", "--quiet", "--boot", "--register=no", "--keep-unit", "--private-network"]
        command += [f"--directory={self.root}", f"--bind={self.shared}:{HERE}", "--console=pipe"]
        command += [f"--bind={self.state}:/var/lib/feltd", *_BPF, *_OPTIONS[root]]
        said = self._run(command, seconds)
        report = self.shared / f"report-{phase}.json"
        if report.exists():
            return dict(json.loads(report.read_text(encoding="utf-8")))
        if not (self.shared / "console").exists():
            raise CannotBeHadError(f"systemd-nspawn cannot start a root here: {said[-400:]}")
        raise GuestFailedError(f"no report of {phase}: {self._told()}{said[-2000:]}")

    def _run(self, command: Sequence[str], seconds: float) -> str:
        """Run a container to its end; what it has said. Raises GuestFailedError."""
        # nspawn ends its container on SIGTERM alone: one that outlives this process keeps its group of processes, and
        # the next container that starts within it fails at odd places.
        command = ["setpriv", "--pdeathsig", "TERM", *command]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | _UNIFIED
        ) as running:
            try:
                return running.communicate(timeout=seconds)[0]
            except subprocess.TimeoutExpired as late:
                running.terminate()
                raise GuestFailedError(f"not off after {seconds:.0f} s: {self._told()}") from late

    def _told(self) -> str:
        console = self.shared / "console"
        return console.read_text(encoding="utf-8")[-2000:] if console.exists() else ""

"""The package of `make deb` in a fresh Debian under systemd: installed, started with the power on a root that cannot
be written, upgraded, taken back, removed and purged.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from debian.build import build, project_version
from debian.layout import ROOT
from hil_tests.install.fresh_root import STOCK, FreshRoot, RootKind, second_version
from hil_tests.install.steps import FIRST, PHASES, SECOND
from hil_tests.machine.errors import CannotBeHadError

pytestmark = [
    pytest.mark.timeout(3600),
    pytest.mark.skipif(os.geteuid() != 0, reason="a root of its own is started by root only"),
]


ROOTS = {"power": RootKind.READ_ONLY, "overlay": RootKind.OVERLAY}


@pytest.fixture(scope="module")
def reports() -> Iterator[dict[str, dict[str, str]]]:
    with tempfile.TemporaryDirectory(prefix="feltd-install-") as place:
        try:
            root = FreshRoot(Path(place))
            _packages(root.shared)
            yield _all_phases(root)
        except CannotBeHadError as reason:
            pytest.skip(str(reason))


def _all_phases(root: FreshRoot) -> dict[str, dict[str, str]]:
    """The reports, up to the first phase with a failure in it."""
    found: dict[str, dict[str, str]] = {}
    for phase in PHASES:
        found[phase] = root.start(phase, ROOTS.get(phase, RootKind.WRITABLE))
        if set(found[phase].values()) != {"ok"}:
            break
    return found


def _packages(shared: Path) -> None:
    version = project_version()
    built = build(shared, version, STOCK / "wheels")
    built.rename(shared / FIRST.name)
    adapter = ("-m", "build", "--wheel", "--no-isolation", "--outdir", str(shared), str(ROOT / "docs/own-adapter"))
    subprocess.run([sys.executable, *adapter], check=True, capture_output=True)
    second_version(shared / FIRST.name, f"{version}+1", shared / SECOND.name)


@pytest.mark.parametrize(
    ("phase", "name"), [(phase, step.__name__) for phase, steps in PHASES.items() for step in steps]
)
def test_step(reports: dict[str, dict[str, str]], phase: str, name: str) -> None:
    assert reports.get(phase, {}).get(name, "not come to: a step before it failed") == "ok"

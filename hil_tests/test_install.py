"""The package of `make deb` in a fresh Debian under systemd: installed, started with the power on a root that cannot
be written, upgraded, taken back, removed and purged. In another one it comes over the package of 0.1.0, which plays:
refused in the middle of a round, and between two rounds. In a third one the next version comes over this one in the
middle of a round, and the table plays on. A fourth one gets it from an apt repository.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hil_tests.install.fresh_root import FreshRoot, RootKind, kept_root
from hil_tests.install.inside import EARLIER, FIRST, MAKER, REPOSITORIES, SECOND
from hil_tests.install.packages import earlier_package, kept_packages, make_repositories
from hil_tests.install.phases import LIFE, MID_ROUND, PHASES, REPOSITORY, UPGRADE
from hil_tests.machine.errors import CannotBeHadError

pytestmark = [
    pytest.mark.timeout(3600),
    pytest.mark.skipif(os.geteuid() != 0, reason="a root of its own is started by root only"),
]


ROOTS = {"power": RootKind.READ_ONLY, "overlay": RootKind.OVERLAY}


@pytest.fixture(scope="module")
def packages() -> Path:
    """The folder with the packages of this checkout; nothing is built where no fresh Debian can be had."""
    try:
        kept_root()
    except CannotBeHadError as reason:
        pytest.skip(str(reason))
    return kept_packages()


@contextmanager
def fresh_root() -> Iterator[FreshRoot]:
    """A root of its own; the test is skipped where none can be had."""
    with tempfile.TemporaryDirectory(prefix="feltd-install-") as place:
        try:
            yield FreshRoot(Path(place))
        except CannotBeHadError as reason:
            pytest.skip(str(reason))


@pytest.fixture(scope="module")
def reports(packages: Path) -> Iterator[dict[str, dict[str, str]]]:
    with fresh_root() as root:
        for package in packages.iterdir():
            shutil.copy(package, root.shared)
        yield _all_phases(root)


def _all_phases(root: FreshRoot) -> dict[str, dict[str, str]]:
    """The reports, up to the first phase with a failure in it."""
    found: dict[str, dict[str, str]] = {}
    for phase in LIFE:
        found[phase] = root.start(phase, ROOTS.get(phase, RootKind.WRITABLE))
        if set(found[phase].values()) != {"ok"}:
            break
    return found


@pytest.fixture(scope="module")
def upgrade_report(packages: Path) -> Iterator[dict[str, str]]:
    with fresh_root() as root:
        shutil.copy(earlier_package(), root.shared / EARLIER.name)
        shutil.copy(packages / FIRST.name, root.shared)
        yield root.start(UPGRADE)


@pytest.fixture(scope="module")
def mid_round_report(packages: Path) -> Iterator[dict[str, str]]:
    with fresh_root() as root:
        for package in (FIRST, SECOND):
            shutil.copy(packages / package.name, root.shared)
        yield root.start(MID_ROUND)


@pytest.fixture(scope="module")
def repository_report(packages: Path) -> Iterator[dict[str, str]]:
    with fresh_root() as root:
        make_repositories(packages / FIRST.name, root.shared / REPOSITORIES.name)
        shutil.copy(packages / MAKER.name, root.shared)
        yield root.start(REPOSITORY)


NOT_COME_TO = "not come to: a step before it failed"


@pytest.mark.parametrize(("phase", "name"), [(phase, step.__name__) for phase in LIFE for step in PHASES[phase]])
def test_step(reports: dict[str, dict[str, str]], phase: str, name: str) -> None:
    assert reports.get(phase, {}).get(name, NOT_COME_TO) == "ok"


@pytest.mark.parametrize("name", [step.__name__ for step in PHASES[UPGRADE]])
def test_step_of_the_upgrade_from_0_1_0(upgrade_report: dict[str, str], name: str) -> None:
    assert upgrade_report.get(name, NOT_COME_TO) == "ok"


@pytest.mark.parametrize("name", [step.__name__ for step in PHASES[MID_ROUND]])
def test_step_of_an_upgrade_in_a_round(mid_round_report: dict[str, str], name: str) -> None:
    assert mid_round_report.get(name, NOT_COME_TO) == "ok"


@pytest.mark.parametrize("name", [step.__name__ for step in PHASES[REPOSITORY]])
def test_step_of_the_apt_repository(repository_report: dict[str, str], name: str) -> None:
    assert repository_report.get(name, NOT_COME_TO) == "ok"

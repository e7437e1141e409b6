"""What every test against hardware, real or of a virtual machine, begins with."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hil_tests.elsewhere.building import kept_package
from hil_tests.elsewhere.roots import Elsewhere, Root, kept_root
from hil_tests.machine.errors import CannotBeHadError
from hil_tests.machine.stock import Stock, stock
from hil_tests.time_left import UNTIL, left_out


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Begin no test for which no time is left: its machines are not even made."""
    why = left_out(os.environ.get(UNTIL), time.time())
    if why is not None:
        pytest.skip(why)


@pytest.fixture(scope="session")
def machine_parts() -> Stock:
    """The virtual machine's parts; where they cannot be had the test is skipped, with the reason."""
    if os.geteuid() != 0:
        pytest.skip("a machine that runs on the host's own files is started by root only")
    try:
        return stock()
    except CannotBeHadError as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def place(request: pytest.FixtureRequest) -> Elsewhere:
    """Another Debian, by the test's own parameter; where no root of it can be had the test is skipped."""
    where: Elsewhere = request.param
    try:
        kept_root(where)
    except CannotBeHadError as reason:
        pytest.skip(str(reason))
    return where


@pytest.fixture(scope="session")
def installed(place: Elsewhere) -> Iterator[Root]:
    """Its root, in which this checkout's package is installed that was built in another one. One for all suites of a
    run: it takes minutes."""
    with tempfile.TemporaryDirectory(prefix="feltd-elsewhere-") as folder:
        root = Root(Path(folder) / "board", place)
        shutil.copyfile(kept_package(place), root.folder / "tmp/feltd.deb")
        root.install("/tmp/feltd.deb")
        yield root

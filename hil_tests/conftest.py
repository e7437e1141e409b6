"""What every test against hardware, real or of a virtual machine, begins with."""

import os
import time

import pytest

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

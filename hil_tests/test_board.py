"""A real board with loop-back wires: the acceptance of the table that feltd runs there, done by the board's own lines.

`FELTD_WIRE_17=5` and so on name the wires (docs/acceptance.md); `FELTD_TABLE` the table's file; `FELTD_ACCOUNT` a
technician's account there and `FELTD_PASSWORD_FILE` where its password is, for what needs test mode.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from feltd.acceptance.wires import PREFIX
from feltd.cli.exits import FINE

_TABLE: Final = "/etc/feltd/table.toml"

pytestmark = pytest.mark.timeout(1800)


def test_every_part_that_a_wire_reaches_passes() -> None:
    if not any(name.startswith(PREFIX) for name in os.environ):
        pytest.skip(f"no loop-back wire is named: {PREFIX}17=5 says that line 5, which nobody uses, leads to line 17")
    words, password = [os.environ.get("FELTD_TABLE", _TABLE)], ""
    if "FELTD_ACCOUNT" in os.environ:
        words += ["--account", os.environ["FELTD_ACCOUNT"], "--password-stdin"]
        password = Path(os.environ["FELTD_PASSWORD_FILE"]).read_text(encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "feltd.cli", "accept", *words], input=password, capture_output=True, text=True
    )
    print(done.stdout)
    assert done.returncode == FINE, done.stderr or done.stdout

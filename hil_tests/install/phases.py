"""Every phase with its steps. Run in the fresh Debian: `python3 -m hil_tests.install.phases PHASE`."""

import sys

from hil_tests.install import steps, upgrade_steps
from hil_tests.install.inside import LIFE, PHASES, UPGRADE, do_phase

__all__ = ["LIFE", "PHASES", "UPGRADE", "steps", "upgrade_steps"]

if __name__ == "__main__":
    do_phase(sys.argv[1])

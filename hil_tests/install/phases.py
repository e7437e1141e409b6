"""Every phase with its steps. Run in the fresh Debian: `python3 -m hil_tests.install.phases PHASE`."""

import sys

from hil_tests.install import beside_steps, mid_round_steps, repository_steps, steps, upgrade_steps
from hil_tests.install.inside import BESIDE, LIFE, MID_ROUND, PHASES, REPOSITORY, UPGRADE, do_phase

__all__ = [
    "BESIDE",
    "LIFE",
    "MID_ROUND",
    "PHASES",
    "REPOSITORY",
    "UPGRADE",
    "beside_steps",
    "mid_round_steps",
    "repository_steps",
    "steps",
    "upgrade_steps",
]

if __name__ == "__main__":
    do_phase(sys.argv[1])

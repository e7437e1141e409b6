"""Builds the package of the last commit for another architecture: `python -m hil_tests.elsewhere arm64`, as root."""

import argparse
import shutil
import sys
from pathlib import Path

from debian.build import project_version
from hil_tests.elsewhere import roots
from hil_tests.elsewhere.building import kept_package
from hil_tests.machine.errors import CannotBeHadError, GuestFailedError


def main() -> int:
    """The program; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m hil_tests.elsewhere", description=__doc__)
    places = {place.architecture: place for place in (roots.ARM64,)}
    parser.add_argument("architecture", choices=places)
    parser.add_argument("--into", type=Path, default=Path("dist"), help="the folder of the package")
    given = parser.parse_args()
    try:
        made = kept_package(places[given.architecture])
    except (CannotBeHadError, GuestFailedError) as error:
        sys.stderr.write(f"deb: {error}\n")
        return 1
    given.into.mkdir(parents=True, exist_ok=True)
    file = given.into / f"feltd_{project_version()}_{given.architecture}.deb"
    shutil.copyfile(made, file)
    sys.stdout.write(f"{file}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

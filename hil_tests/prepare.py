"""What the suites here need and what takes minutes to get, got beforehand: `python -m hil_tests.prepare`.

The machine's parts (`machine/stock.py`), a fresh Debian (`install/fresh_root.py`), the packages of this checkout and of
the version before (`install/packages.py`), roots of other Debians (`elsewhere/roots.py`) and the packages built in them
(`elsewhere/building.py`), kept beside the checkout.
What cannot be had is told and is no failure: the suites that want it are skipped and tell the same reason.
"""

import subprocess
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from debian.build import BuildError
from feltd.installed.manifest import ManifestError
from hil_tests.elsewhere import roots
from hil_tests.elsewhere.building import kept_package
from hil_tests.install.fresh_root import kept_root
from hil_tests.install.packages import earlier_package, kept_packages
from hil_tests.machine.errors import CannotBeHadError, GuestFailedError
from hil_tests.machine.stock import stock


def _built(build: Callable[[], Path]) -> Path:
    """A package that cannot be built is for its tests to tell: they fail, and are not skipped."""
    try:
        return build()
    except (BuildError, ManifestError, GuestFailedError, subprocess.CalledProcessError) as fault:
        raise CannotBeHadError(str(fault)) from fault


PARTS: Final[Mapping[str, Callable[[], object]]] = {
    "the virtual machine's parts": stock,
    "a fresh Debian": kept_root,
    "the package of the version before": earlier_package,
    "the packages of this checkout": partial(_built, kept_packages),
    **{f"a root of {place}": partial(roots.kept_root, place) for place in roots.ALL},
    **{f"the package for {place}": partial(_built, partial(kept_package, place)) for place in roots.ALL},
}


def main() -> None:
    """Get them, one after the other, and say which are there."""
    for part, get in PARTS.items():
        try:
            get()
        except CannotBeHadError as reason:
            print(f"{part}: {reason}")
        else:
            print(f"{part}: ready")


if __name__ == "__main__":
    main()

"""What the suites here need and what takes minutes to get, got beforehand: `python -m hil_tests.prepare`.

The machine's parts (`machine/stock.py`) and a fresh Debian (`install/fresh_root.py`), kept beside the checkout. What
cannot be had is told and is no failure: the suites that want it are skipped and tell the same reason.
"""

from hil_tests.install.fresh_root import kept_root
from hil_tests.machine.errors import CannotBeHadError
from hil_tests.machine.stock import stock


def main() -> None:
    """Get them, one after the other, and say which are there."""
    for part, get in {"the virtual machine's parts": stock, "a fresh Debian": kept_root}.items():
        try:
            get()
        except CannotBeHadError as reason:
            print(f"{part}: {reason}")
        else:
            print(f"{part}: ready")


if __name__ == "__main__":
    main()

"""`python -m tests.site FOLDER` makes the documentation's site in a folder: `make site`."""

import argparse
import sys
from pathlib import Path

from tests.site.build import SiteError, build


def main() -> None:
    """Make the site, and say where it begins."""
    parser = argparse.ArgumentParser(prog="python -m tests.site", description="Make the documentation's site.")
    parser.add_argument("folder", type=Path, nargs="?", default=Path("dist/site"), help="(default: dist/site)")
    folder: Path = parser.parse_args().folder
    try:
        build(folder)
    except SiteError as fault:
        sys.exit(str(fault))
    sys.stdout.write(f"open {folder / 'index.html'} in a browser\n")


if __name__ == "__main__":
    main()

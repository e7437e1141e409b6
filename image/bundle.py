"""Makes a signed update of a system that `make image` has made.

    python -m image.bundle --system dist/feltd_VERSION_amd64.system --certificate update.pem --key update.key

RAUC makes the bundle and signs it. The key is read where it lies and copied nowhere.
"""

import argparse
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from image.build import ARCHITECTURES, ImageError, run

TOOLS: Final = {"rauc": "rauc", "mksquashfs": "squashfs-tools"}
PACKED: Final = "-comp zstd -Xcompression-level 9"
"""How `mksquashfs` packs the system. Its own way, gzip, takes more than five times a processor's time. The kernel of
Debian 12, by which a board reads the update, knows both."""
_NAME: Final = re.compile(rf"feltd_(\d+\.\d+\.\d+)_({'|'.join(one.name for one in ARCHITECTURES)})\.system")


def manifest(version: str, architecture: str) -> str:
    """What the update says of itself; boards compare it (feltd/update/bundles.py)."""
    return (
        f"[update]\ncompatible=feltd-{architecture}\nversion={version}\n\n"
        "[bundle]\nformat=verity\n\n"
        "[image.rootfs]\nfilename=root.ext4\n"
    )


def check_tools() -> None:
    """Raise ImageError where this machine cannot make an update."""
    wanted = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    if wanted:
        raise ImageError(f"not installed: {', '.join(wanted)}. Type: sudo apt install {' '.join(wanted)}")


def make_bundle(system: Path, certificate: Path, key: Path, into: Path) -> Path:
    """Make the update of this system in the folder `into` and return its file. Raises ImageError."""
    check_tools()
    named = _NAME.fullmatch(system.name)
    if named is None or not system.is_file():
        raise ImageError(
            f"{system}: give the file feltd_VERSION_ARCHITECTURE.system that `make image` leaves beside the image"
        )
    for given in (certificate, key):
        if not given.is_file():
            raise ImageError(f"{given}: there is no such file. docs/image.md says how key and certificate are made")
    into.mkdir(parents=True, exist_ok=True)
    file = into / f"{system.stem}.raucb"
    with tempfile.TemporaryDirectory(prefix="feltd-update-", dir=into) as place:
        work = Path(place)
        content, made = work / "content", work / "made.raucb"
        content.mkdir()
        (content / "manifest.raucm").write_text(manifest(named[1], named[2]), encoding="ascii")
        run("cp", "--sparse=always", str(system), str(content / "root.ext4"))
        signed_by = (f"--cert={certificate}", f"--key={key}")
        run("rauc", *signed_by, f"--mksquashfs-args={PACKED}", "bundle", str(content), str(made))
        made.replace(file)
    return file


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the update; return the status for the shell."""
    parser = argparse.ArgumentParser(prog="python -m image.bundle", description="Make a signed update of a system.")
    parser.add_argument("--system", type=Path, required=True, help="what `make image` leaves beside the image")
    parser.add_argument("--certificate", type=Path, required=True, help="boards have it as /etc/feltd/update.pem")
    parser.add_argument("--key", type=Path, required=True, help="the key to it")
    parser.add_argument("--into", type=Path, default=Path("dist"), help="the folder of the update")
    given = parser.parse_args(arguments)
    try:
        file = make_bundle(given.system, given.certificate, given.key, given.into)
    except ImageError as error:
        sys.stderr.write(f"update: {error}\n")
        return 1
    sys.stdout.write(f"{file}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

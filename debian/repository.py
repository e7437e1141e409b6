"""`make apt-repository`: a signed apt repository of packages, for a board or for the casino's own server.

    KEYRING.asc, KEYRING.gpg                  the public key, for boards and for gpgv
    pool/feltd_VERSION_ARCHITECTURE.deb       the packages, and beside each its own signature (.deb.asc)
    dists/SUITE/main/binary-ARCH/Packages     what there is: size and SHA-256 of each package
    dists/SUITE/InRelease, Release, Release.gpg    SHA-256 of each Packages, signed

gpg signs with a key of the caller's own keyring (GNUPGHOME; a smart card will do). apt takes nothing from it that is
not as it was signed. The folder is made anew: a repository holds what was given, and nothing else.
"""

import argparse
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from typing import Final

SUITE: Final = "bookworm"
COMPONENT: Final = "main"
KEYRING: Final = "feltd-archive-keyring"
DAY: Final = 86_400


class RepositoryError(Exception):
    """The repository cannot be made: what is lacking, and the remedy."""


@dataclass(frozen=True, slots=True)
class Signed:
    """Who signs, and of when the repository is.

    `key`: as gpg takes it (a fingerprint); `epoch`: seconds since 1970; `days`: after how many apt takes it no more,
    None for never.
    """

    key: str
    epoch: int
    days: int | None = None


def main() -> None:
    """Make it into `--into`, and print how a board uses it."""
    arguments = argparse.ArgumentParser(description="Make a signed apt repository of feltd's packages.")
    arguments.add_argument("packages", nargs="+", type=Path, help="the packages (.deb) that are in it")
    arguments.add_argument("--into", type=Path, required=True, help="the folder; what was in it goes")
    arguments.add_argument("--key", required=True, help="the fingerprint of the key in gpg's keyring that signs")
    arguments.add_argument(
        "--valid-days",
        type=int,
        metavar="N",
        help="boards take it for N days, so that nobody can hold an old one out to them; left out: for good",
    )
    given = arguments.parse_args()
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or max(file.stat().st_mtime for file in given.packages))
    try:
        make_repository(given.packages, given.into, Signed(given.key, epoch, given.valid_days))
    except (RepositoryError, OSError) as fault:
        sys.exit(f"make apt-repository: {fault}")
    print(given.into)  # noqa: T201 - what the caller asked for


def make_repository(packages: Sequence[Path], into: Path, signed: Signed) -> None:
    """Make the repository in the folder `into`. Raises RepositoryError, OSError; then what was there is as it was."""
    for tool in ("gpg", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise RepositoryError(f"{tool} is not here: sudo apt install gnupg dpkg")
    if into.exists() and not (into / "dists").is_dir() and any(into.iterdir()):
        raise RepositoryError(f"{into}: is a folder with other things in it; name a new one")
    into.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".apt-", dir=into.parent) as scratch:
        made = Path(scratch) / "made"
        made.mkdir()
        _fill(packages, made, signed)
        for path in (made, *made.rglob("*")):  # whatever the maker's umask and gpg's: apt reads it as another user
            path.chmod(0o755 if path.is_dir() else 0o644)
        if into.exists():
            into.rename(Path(scratch) / "before")
        made.rename(into)


def _fill(packages: Sequence[Path], made: Path, signed: Signed) -> None:
    pool = made / "pool"
    pool.mkdir()
    stanzas: dict[str, list[str]] = {}
    for package in packages:
        architecture, stanza = _stanza(package)
        target = made / _place(package)
        if target.exists():
            raise RepositoryError(f"{package}: two packages of this name")
        shutil.copyfile(package, target)
        _gpg(signed.key, "--armor", "--detach-sign", "--output", f"{target}.asc", str(target))
        stanzas.setdefault(architecture, []).append(stanza)
    suite = made / "dists" / SUITE
    for architecture, texts in stanzas.items():
        folder = suite / COMPONENT / f"binary-{architecture}"
        folder.mkdir(parents=True)
        content = "\n".join(sorted(texts)).encode()
        (folder / "Packages").write_bytes(content)
        (folder / "Packages.gz").write_bytes(gzip.compress(content, mtime=0))
    release = suite / "Release"
    release.write_text(_release(suite, sorted(stanzas), signed), encoding="ascii")
    _gpg(signed.key, "--clearsign", "--output", str(suite / "InRelease"), str(release))
    _gpg(signed.key, "--armor", "--detach-sign", "--output", str(suite / "Release.gpg"), str(release))
    _gpg(signed.key, "--armor", "--export", "--output", str(made / f"{KEYRING}.asc"), signed.key)
    _gpg(signed.key, "--export", "--output", str(made / f"{KEYRING}.gpg"), signed.key)


def _place(package: Path) -> str:
    return f"pool/{package.name}"


def _stanza(package: Path) -> tuple[str, str]:
    """The architecture of a package, and what Packages says of it. Raises RepositoryError."""
    told = subprocess.run(["dpkg-deb", "-f", package], capture_output=True, text=True, check=False)  # noqa: S603, S607
    found = re.search(r"^Architecture: (\S+)$", told.stdout, re.MULTILINE)
    if told.returncode != 0 or found is None:
        raise RepositoryError(f"{package}: is no package: {told.stderr.strip()}")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+_~-]*\.deb", package.name):
        raise RepositoryError(f"{package}: its name must be as the build makes it: feltd_VERSION_ARCHITECTURE.deb")
    content = package.read_bytes()
    own = f"Filename: {_place(package)}\nSize: {len(content)}\nSHA256: {hashlib.sha256(content).hexdigest()}\n"
    return found[1], told.stdout.rstrip("\n") + "\n" + own


def _release(suite: Path, architectures: Sequence[str], signed: Signed) -> str:
    lines = [
        "Origin: feltd",
        "Label: feltd",
        f"Suite: {SUITE}",
        f"Codename: {SUITE}",
        f"Architectures: {' '.join(architectures)}",
        f"Components: {COMPONENT}",
        f"Date: {formatdate(signed.epoch, usegmt=True)}",
    ]
    if signed.days is not None:
        lines.append(f"Valid-Until: {formatdate(signed.epoch + signed.days * DAY, usegmt=True)}")
    lines.append("SHA256:")
    for file in sorted(suite.rglob("Packages*")):
        content = file.read_bytes()
        lines.append(f" {hashlib.sha256(content).hexdigest()} {len(content)} {file.relative_to(suite).as_posix()}")
    return "\n".join(lines) + "\n"


def _gpg(key: str, *arguments: str) -> None:
    # The user's own gpg.conf is not asked: an old one may sign with SHA-1, which apt refuses.
    command = ["gpg", "--no-options", "--batch", "--yes", "--quiet", "--local-user", key, "--digest-algo", "SHA512"]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode != 0:
        raise RepositoryError(f"gpg: {done.stderr.strip()}; `gpg --list-secret-keys` shows the keys that there are")


if __name__ == "__main__":
    main()

"""The packages that are installed in the fresh Debian: this version, one after it, and the one before it."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from debian.build import build, project_version, put_manifest
from debian.layout import ROOT
from debian.repository import KEYRING, SUITE, Signed, make_repository
from feltd.installed.signing import read_signing_key
from hil_tests.install.fresh_root import STOCK
from hil_tests.install.inside import EARLIER, FIRST, MAKER, SECOND
from hil_tests.machine.errors import CannotBeHadError
from hil_tests.machine.made_once import made_once
from tests.apt_support import thrown_away_key

WHEELS: Final = STOCK / "wheels"
WHEELS_OF_EARLIER: Final = STOCK / "wheels-of-earlier"
EARLIER_VERSION: Final = "0.1.0"
EARLIER_REVISION: Final = "69a8abc2825020187ce11cf3aa31f0e6360ea042"
"""The last revision of that version."""


def kept_packages() -> Path:
    """The folder with the packages of this checkout as it is now, made once for all suites that want one: it takes a
    minute or two. Raises as `make_packages` does."""
    with made_once(STOCK / "packages"):
        kept = STOCK / f"packages-{_digest_of_checkout()}"
        if not kept.is_dir():
            for old in STOCK.glob("packages-*/"):
                shutil.rmtree(old)
            with tempfile.TemporaryDirectory(dir=STOCK, prefix="making-") as place:
                made = Path(place) / "packages"
                made.mkdir()
                make_packages(made)
                made.rename(kept)
    return kept


def _digest_of_checkout() -> str:
    """Of the commit, and of each file that is or may be committed: the package is made of them."""
    git = ("git", "-C", str(ROOT))
    digest = hashlib.sha256(subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True).stdout)
    listed = subprocess.run(
        [*git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True, capture_output=True
    ).stdout
    for name in sorted(set(listed.decode().split("\0")) - {""}):
        file = ROOT / name
        if file.is_file():  # not one that was deleted and is not committed so
            content = file.read_bytes()
            digest.update(f"{name}\0{file.stat().st_mode}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def make_packages(into: Path) -> None:
    """This version and one after it, and an adapter for them. Raises as `debian.build.build` does."""
    version = project_version()
    with tempfile.TemporaryDirectory(prefix="feltd-maker-") as place:
        pem = Path(place) / "signing.key"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", pem], check=True)
        build(into, version, WHEELS, pem).rename(into / FIRST.name)
        key = read_signing_key(pem)
    (into / MAKER.name).write_text(f"{key.public_key().public_bytes_raw().hex()}\n", encoding="ascii")
    adapter = ("-m", "build", "--wheel", "--no-isolation", "--outdir", str(into), str(ROOT / "docs/own-adapter"))
    subprocess.run([sys.executable, *adapter], check=True, capture_output=True)
    second_version(into / FIRST.name, f"{version}+1", into / SECOND.name, key)


def make_repositories(package: Path, into: Path) -> None:
    """A repository with this package, its maker's key beside it, and others of it that somebody changed.

    Raises CannotBeHadError.
    """
    if shutil.which("gpg") is None:
        raise CannotBeHadError("gpg is not installed: `.ci/fresh-root` installs what this needs")
    with tempfile.TemporaryDirectory(prefix="feltd-maker-") as place:
        named = Path(place) / f"feltd_{_field(package, 'Version')}_{_field(package, 'Architecture')}.deb"
        shutil.copyfile(package, named)
        now = int(time.time())
        with thrown_away_key(Path(place) / "maker") as key:
            make_repository([named], into / "good", Signed(key, now))
        with thrown_away_key(Path(place) / "stranger") as stranger:
            make_repository([named], into / "stranger", Signed(stranger, now))
    shutil.copyfile(into / f"good/{KEYRING}.asc", into / f"{KEYRING}.asc")
    for name in ("package", "list", "unsigned"):
        shutil.copytree(into / "good", into / name)
    [package_there] = (into / "package/pool").glob("*.deb")
    with package_there.open("r+b") as file:
        file.seek(-20, os.SEEK_END)
        file.write(b"another twenty bytes")
    [listed] = (into / f"list/dists/{SUITE}").glob("main/*/Packages")
    listed.write_text(re.sub("SHA256: .*", f"SHA256: {'0' * 64}", listed.read_text(encoding="utf-8")), encoding="utf-8")
    listed.with_suffix(".gz").unlink()
    for name in ("InRelease", "Release.gpg"):
        (into / f"unsigned/dists/{SUITE}" / name).unlink()


def earlier_package() -> Path:
    """The package of the version before, built from its revision once and kept. Raises CannotBeHadError."""
    kept = STOCK / f"feltd-{EARLIER_VERSION}-{EARLIER.name}"
    with made_once(kept):
        if not kept.exists():
            _make_earlier(kept)
    return kept


def _make_earlier(kept: Path) -> None:
    git = ("git", "-C", str(ROOT))
    known = subprocess.run([*git, "cat-file", "-e", f"{EARLIER_REVISION}^{{commit}}"], capture_output=True, check=False)
    if known.returncode != 0:
        raise CannotBeHadError(
            f"this clone has not the revision of feltd {EARLIER_VERSION} ({EARLIER_REVISION[:7]}): "
            "git fetch --unshallow brings it"
        )
    with tempfile.TemporaryDirectory(prefix="feltd-earlier-") as place:
        tree, made = Path(place) / "tree", Path(place) / "made"
        tree.mkdir()
        packed = subprocess.run([*git, "archive", EARLIER_REVISION], check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", tree], input=packed, check=True)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        # Its lock has all that it needs, but names no extras: a pip that looks for what its parts ask for wants the
        # hash of a newer `coverage[toml]`, and installs nothing.
        environment["PIP_NO_DEPS"] = "1"
        # in an environment of its own: the names of what it needs come from what is installed beside it
        for command in (
            ["make", "setup", f"PYTHON={sys.executable}"],
            [".venv/bin/python", "-m", "debian.build", "--into", str(made), "--wheels", str(WHEELS_OF_EARLIER)],
        ):
            done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise CannotBeHadError(f"feltd {EARLIER_VERSION} cannot be built here: {done.stderr.strip()[-400:]}")
        [package] = made.glob("*.deb")
        beside = kept.with_suffix(".new")
        beside.write_bytes(package.read_bytes())
        beside.replace(kept)


def _field(package: Path, name: str) -> str:
    return subprocess.run(["dpkg-deb", "-f", package, name], check=True, capture_output=True, text=True).stdout.strip()


def second_version(first: Path, version: str, into: Path, key: Ed25519PrivateKey) -> Path:
    """The same package as a later one: another version, one file more, another first configuration."""
    with tempfile.TemporaryDirectory() as place:
        tree = Path(place) / "tree"
        subprocess.run(["dpkg-deb", "-R", first, tree], check=True)
        control = tree / "DEBIAN/control"
        lines = control.read_text(encoding="utf-8").splitlines()
        lines = [f"Version: {version}" if line.startswith("Version: ") else line for line in lines]
        control.write_text("\n".join(lines) + "\n", encoding="utf-8")
        (tree / "opt/feltd/share/second").write_text("here\n", encoding="utf-8")
        with (tree / "etc/feltd/table.toml").open("a", encoding="utf-8") as config:
            config.write("# shipped by the second\n")
        aside = (tree / "DEBIAN").rename(Path(place) / "DEBIAN")  # no part of what is installed
        put_manifest(tree, version, _field(first, "Architecture"), key)
        aside.rename(tree / "DEBIAN")
        command = ["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(tree), str(into)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return into

"""`make deb`: the Debian package for this machine's architecture, from the wheels `requirements.lock` names by hash.

It brings its own libraries under /opt/feltd, because Debian 12 has none of those versions, and a table runs with what
its tests ran with; the interpreter is Debian's, and so are its security updates. On the table it takes no compiler.
Two builds of one commit on one machine are the same, byte for byte.
"""

import argparse
import gzip
import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from debian.layout import CONFFILES, OPT, OWN_FOLDERS, ROOT, stage
from debian.locked import EXTRAS, locked, needed_names, pins
from debian.sbom import SBOM, bill_of_materials, hashes_of_wheels
from feltd.installed.beside import ADAPTERS
from feltd.installed.manifest import PLACE, SIGNATURE_PLACE, ManifestError, manifest_of
from feltd.installed.signing import read_signing_key, sign

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

DEBIAN: Final = ROOT / "debian"
SCRIPTS: Final = ("postinst", "prerm", "postrm")
PYTHON: Final = f"{sys.version_info.major}.{sys.version_info.minor}"
INTERPRETER: Final = f"/usr/bin/python{PYTHON}"
DEBIANS_OWN: Final = ("evdev", "smartcard")
"""For badge readers that type, and for readers over PC/SC: there are no wheels for arm64, so Debian's are used where
installed (python3-evdev, python3-pyscard)."""
PINS: Final = ("lgpio.py", f"_lgpio{sysconfig.get_config_var('EXT_SUFFIX')}")
"""For [pins], of Raspberry Pi OS's python3-lgpio: where lgpio has no wheel for the interpreter."""
SIGNING_KEY: Final = "FELTD_SIGNING_KEY"
"""Names the file of the private key that signs the manifest, where `--signing-key` does not."""
_OF_32_BITS: Final = (
    "its processes count time in 32 bits on Debian 12, which end in 2038, when records may still have to be kept; "
    "and none of feltd's tests runs there. A board that is quick enough for a table runs 64 bits: put Debian's or "
    "Raspberry Pi OS's arm64 (amd64 on a PC) on it, and build there"
)
NOT_BUILT: Final = MappingProxyType({"armhf": _OF_32_BITS, "armel": _OF_32_BITS, "i386": _OF_32_BITS})
"""Debian's architectures for which no package is made, with the reason."""
PROGRAM: Final = f"""#!/{OPT}/bin/python3 -I
from feltd.cli import main

main()
"""


class BuildError(Exception):
    """The package cannot be built here: what is lacking, and the remedy."""


@dataclass(frozen=True, slots=True)
class Build:
    """One build: the package's version and architecture, and the second since 1970 that all files are of."""

    version: str
    architecture: str
    epoch: int

    @property
    def name(self) -> str:
        """The package's file."""
        return f"feltd_{self.version}_{self.architecture}.deb"


def main() -> None:
    """Build it into `--into` and print its path."""
    arguments = argparse.ArgumentParser(description="Build the Debian package of feltd.")
    arguments.add_argument("--into", type=Path, default=ROOT / "dist", help="the folder it is put in (dist)")
    arguments.add_argument("--version", default=project_version(), help="the package's version, if not the project's")
    arguments.add_argument("--wheels", type=Path, help="a folder to keep wheels in from one build to the next")
    arguments.add_argument("--own", type=Path, metavar="WHEEL", help="feltd's own wheel, where one is made already")
    arguments.add_argument(
        "--signing-key",
        type=Path,
        default=os.environ.get(SIGNING_KEY) or None,
        metavar="FILE",
        help=f"the Ed25519 key (PEM) that signs the manifest of the package's files (${SIGNING_KEY}); without it the "
        "package is unsigned, and feltd identify says so",
    )
    given = arguments.parse_args()
    try:
        print(build(given.into, given.version, given.wheels, given.signing_key, given.own))  # noqa: T201 - what the caller asked for
    except (BuildError, ManifestError, subprocess.CalledProcessError) as fault:
        sys.exit(f"make deb: {fault}")


def build(
    into: Path, version: str, wheels: Path | None = None, signing_key: Path | None = None, own: Path | None = None
) -> Path:
    """The package's file. Raises BuildError, ManifestError, subprocess.CalledProcessError (its words are on standard
    error).

    `own`: feltd's own wheel, of this checkout; None makes it. It is the same for each architecture, and an emulated
    processor makes it many times as long.
    """
    if own is not None and not own.name.startswith(f"feltd-{project_version()}-"):
        raise BuildError(f"{own}: it is no wheel of feltd {project_version()}; leave --own out, and one is made")
    key = None if signing_key is None else read_signing_key(signing_key)
    if shutil.which("dpkg-deb") is None:
        raise BuildError("dpkg-deb is not here: build on Debian, or install dpkg")
    made = Build(version, architecture_of(_said("dpkg", "--print-architecture")), _epoch())
    with tempfile.TemporaryDirectory(prefix="feltd-deb-") as scratch:
        tree = Path(scratch) / "tree"
        kept = wheels or Path(scratch) / "wheels"
        _libraries(tree, kept, own)
        return pack(tree, made, into, key, kept)


def pack(
    tree: Path, made: Build, into: Path, key: "Ed25519PrivateKey | None" = None, wheels: Path | None = None
) -> Path:
    """The package of a tree that has /opt/feltd: all else is added here. Raises as `build` does.

    `key`: signs the manifest; None leaves the package unsigned. `wheels`: what the libraries were installed from.
    """
    stage(tree)
    _documents(tree, made)
    _bill(tree, made, wheels)
    put_manifest(tree, made.version, made.architecture, key)
    _control(tree, made)
    _modes(tree)
    into.mkdir(parents=True, exist_ok=True)
    file = into / made.name
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(made.epoch)}
    # The least compression takes a fifth of the time and adds a sixth to the size.
    _run("dpkg-deb", "--root-owner-group", "-Zxz", "-z1", "--build", str(tree), str(file), environment=environment)
    return file


def architecture_of(said: str) -> str:
    """The architecture that dpkg names, if a package is made for it. Raises BuildError."""
    if said in NOT_BUILT:
        raise BuildError(f"no package is made for {said}: {NOT_BUILT[said]}")
    return said


def project_version() -> str:
    """What pyproject.toml says."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def _epoch() -> int:
    """When the commit was made; where there is no commit, when the version was."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    try:
        return int(_said("git", "-C", str(ROOT), "log", "-1", "--format=%ct"))
    except (OSError, subprocess.CalledProcessError, ValueError):
        return int((ROOT / "pyproject.toml").stat().st_mtime)


# -- /opt/feltd


def _libraries(tree: Path, wheels: Path, own: Path | None) -> None:
    """The libraries and feltd itself, as a virtual environment of Debian's interpreter; `own` as in `build`."""
    blocks = locked(ROOT / "requirements.lock", needed_names("feltd", EXTRAS))
    wheels.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", suffix=".lock", encoding="utf-8") as lock:
        lock.write("\n".join(blocks.values()) + "\n")
        lock.flush()
        fetched = ("wheel", "--no-cache-dir", "--require-hashes", "--no-deps", "--no-build-isolation")
        _pip(*fetched, "--wheel-dir", str(wheels), "--requirement", lock.name)
    for old in wheels.glob("feltd-*.whl"):
        old.unlink()
    if own is None:
        make_wheel(ROOT, wheels)
    else:
        shutil.copy(own, wheels)
    place = tree / OPT
    install = ("install", "--no-index", "--find-links", str(wheels), "--no-deps", "--no-compile", "--ignore-installed")
    project = f"feltd=={project_version()}"
    _pip(*install, "--no-warn-script-location", "--prefix", str(place), project, *pins(blocks.values()))
    _programs(place, () if "lgpio" in blocks else PINS)
    compiled = ("compileall", "-q", "--invalidation-mode", "unchecked-hash", "-s", str(tree), "-p", "/")
    _run(sys.executable, "-m", *compiled, str(place / "lib"))


def make_wheel(source: Path, into: Path) -> None:
    """Make feltd's own wheel of a checkout. Raises subprocess.CalledProcessError."""
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(into), str(source))


def _programs(place: Path, more: Iterable[str]) -> None:
    """`python3`, Debian's, and `feltd`, in place of the scripts that know the machine they were made on.

    `more`: modules of Debian's beside `DEBIANS_OWN`.
    """
    shutil.rmtree(place / "bin")
    (place / "bin").mkdir()
    (place / "bin" / "python3").symlink_to(INTERPRETER)
    program = place / "bin" / "feltd"
    program.write_text(PROGRAM, encoding="utf-8")
    program.chmod(0o755)
    settings = f"home = /usr/bin\ninclude-system-site-packages = false\nversion = {PYTHON}\n"
    (place / "pyvenv.cfg").write_text(settings, encoding="utf-8")
    packages = place / "lib" / f"python{PYTHON}" / "site-packages"
    (packages / "adapters.pth").write_text(f"{ADAPTERS}\n", encoding="utf-8")
    forget_scripts(packages)
    for name in (*DEBIANS_OWN, *more):
        (packages / name).symlink_to(f"/usr/lib/python3/dist-packages/{name}")


def forget_scripts(packages: Path) -> None:
    """Takes out of each library's RECORD what is said of its scripts, which are not there: their sums tell in which
    folder the package was built."""
    for record in packages.glob("*.dist-info/RECORD"):
        lines = record.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [line for line in lines if not line.startswith("../../../bin/")]
        record.write_text("".join(kept), encoding="utf-8")


# -- documents, control files, modes


def _documents(tree: Path, made: Build) -> None:
    """What Debian expects beside a program: what changed, and completion for the shell."""
    doc = tree / "usr/share/doc/feltd"
    date = formatdate(made.epoch)
    entry = f"feltd ({made.version}) bookworm; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- {_maintainer()}  {date}\n"
    (doc / "changelog.gz").write_bytes(gzip.compress(entry.encode(), mtime=0))
    completion = tree / "usr/share/bash-completion/completions/feltd"
    completion.parent.mkdir(parents=True)
    completion.write_text(_said(sys.executable, "-m", "feltd.cli", "completion", "bash") + "\n", encoding="utf-8")


def _bill(tree: Path, made: Build, wheels: Path | None) -> None:
    """The bill of materials: which libraries are in it, from where, under which licences."""
    blocks = locked(ROOT / "requirements.lock", needed_names("feltd", EXTRAS))
    known = {} if wheels is None else hashes_of_wheels(wheels)
    text = bill_of_materials(made.version, made.architecture, made.epoch, blocks, known)
    (tree / SBOM).write_text(text, encoding="utf-8")


def put_manifest(tree: Path, version: str, architecture: str, key: "Ed25519PrivateKey | None") -> None:
    """Write the manifest of everything in the tree into it, and the signature; nothing may be added after it."""
    place, beside = tree / OPT / PLACE, tree / OPT / SIGNATURE_PLACE
    for old in (place, beside):
        old.unlink(missing_ok=True)
    manifest = manifest_of(tree, version, architecture, folders=OWN_FOLDERS, configuration=CONFFILES).encode()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(manifest)
    if key is not None:
        beside.write_text(f"{sign(hashlib.sha256(manifest).digest(), key)}\n", encoding="ascii")


def _maintainer() -> str:
    found = re.search(r"^Maintainer: (.+)$", (DEBIAN / "control").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None  # the control file has the line
    return found[1]


def _control(tree: Path, made: Build) -> None:
    files = sorted(path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    size = sum(path.stat().st_size for path in files) // 1024
    sums = [f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}" for path in files]  # noqa: S324 - dpkg's own form
    control = (DEBIAN / "control").read_text(encoding="utf-8")
    folder = tree / "DEBIAN"
    folder.mkdir()
    told = {"version": made.version, "architecture": made.architecture, "installed_size": size, "python": PYTHON}
    (folder / "control").write_text(control.format(**told), encoding="utf-8")
    (folder / "conffiles").write_text("".join(f"{file}\n" for file in CONFFILES), encoding="utf-8")
    (folder / "md5sums").write_text("\n".join(sums) + "\n", encoding="utf-8")
    for script in SCRIPTS:
        shutil.copyfile(DEBIAN / script, folder / script)
        (folder / script).chmod(0o755)


def _modes(tree: Path) -> None:
    """Everything may be read, programs may be run, nothing may be written but by root; whatever the builder's umask."""
    tree.chmod(0o755)
    for path in tree.rglob("*"):
        if path.is_symlink():
            continue
        runs = path.is_dir() or (bool(path.stat().st_mode & stat.S_IXUSR) and path.suffix != ".so")
        path.chmod(0o755 if runs else 0o644)


# -- other programs


def _pip(*arguments: str) -> None:
    # What is compiled here keeps no folder of this machine: neither the interpreter's nor the one it was compiled in.
    environment = os.environ | {"LDSHARED": "cc -shared", "CFLAGS": "-g0"}
    pip = ("-m", "pip", "--quiet", "--disable-pip-version-check")
    _run(sys.executable, *pip, *arguments, environment=environment)


def _run(*command: str, environment: Mapping[str, str] | None = None) -> None:
    """Run it; its standard output goes to standard error, where it is no answer to whoever called us."""
    subprocess.run(command, check=True, stdout=sys.stderr, env=environment, cwd=ROOT)  # noqa: S603 - our own words


def _said(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout.strip()  # noqa: S603 - our own words


if __name__ == "__main__":
    main()

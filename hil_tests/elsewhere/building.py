"""The package of this checkout, built in a root of another Debian or architecture from wheels by their hashes."""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Final

from debian.build import make_wheel, project_version
from debian.layout import ROOT
from debian.locked import EXTRAS, locked, needed_names
from hil_tests.elsewhere.roots import TOOLS, Elsewhere, Root
from hil_tests.install.fresh_root import STOCK
from hil_tests.machine.errors import CannotBeHadError
from hil_tests.machine.made_once import made_once

_MAKERS: Final = ("hatchling", "build", "setuptools")
"""What builds wheels; what these need comes with them."""
_PIP: Final = ("/venv/bin/python", "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-compile")
"""What is compiled here is thrown away with the root: Python compiles the few modules that a build loads."""
_HERE: Final = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
_GLIBC: Final = ("2014", "_2_17", "_2_28", "_2_34", "_2_36")
"""Of the names of wheels that Debian 12 runs."""
_FROM_SOURCE: Final = ("cobs", "sdnotify")
"""They have no wheels for arm64. Neither needs a compiler: of cobs its Python alone is built."""


def kept_package(place: Elsewhere) -> Path:
    """The package of the last commit, built once for all suites that want it: it takes minutes.

    Raises CannotBeHadError, GuestFailedError.
    """
    told = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    kept = STOCK / f"feltd-{place}-{told.stdout.strip()[:16]}.deb"
    with made_once(STOCK / f"feltd-{place}"):
        if not kept.exists():
            for old in STOCK.glob(f"feltd-{place}-*.deb"):
                old.unlink()
            with tempfile.TemporaryDirectory(prefix="feltd-elsewhere-") as folder:
                made = _build_package(Path(folder), place)
                shutil.move(made, kept.with_suffix(".new"))
            kept.with_suffix(".new").rename(kept)
    return kept


def _build_package(folder: Path, place: Elsewhere) -> Path:
    """A root with tools is made in `folder`."""
    root = Root(folder / "tools", place)
    root.install(*TOOLS)
    source = root.folder / "src"
    source.mkdir()
    archive = subprocess.run(["git", "-C", ROOT, "archive", "HEAD"], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", source], input=archive, check=True)
    for name, projects in (("makers.lock", _MAKERS), ("needed.lock", ("feltd",))):
        (source / name).write_text("\n".join(_blocks(projects).values()) + "\n", encoding="utf-8")
    _make_venv(root)
    if place.machine != os.uname().machine:
        _unpack_wheels(root, place)
    else:
        root.run(*_PIP, "--require-hashes", "-r", "/src/makers.lock")
    root.run(*_PIP, "--require-hashes", "--no-build-isolation", "-r", "/src/needed.lock")
    make_wheel(source, root.folder / "own")  # here: an emulated processor took nine minutes for it, and twice
    own = f"/own/feltd-{project_version()}-py3-none-any.whl"
    root.run(*_PIP, "--no-deps", "--no-index", own)
    epoch = subprocess.run(
        ["git", "-C", ROOT, "log", "-1", "--format=%ct"], check=True, capture_output=True, text=True
    ).stdout.strip()
    build = f"cd /src && SOURCE_DATE_EPOCH={epoch} /venv/bin/python -m debian.build --into /out --own {own}"
    root.run("sh", "-c", build)
    return root.folder / "out" / f"feltd_{project_version()}_{place.architecture}.deb"


def _make_venv(root: Root) -> None:
    """Its pip is Debian's, which comes with `python3-venv` as a wheel: unpacked here, since `venv` has the emulated
    processor install it, by itself, for half a minute."""
    root.run("python3", "-m", "venv", "--without-pip", "/venv")
    packages = root.folder / f"venv/lib/python{root.python}/site-packages"
    for wheel in (root.folder / "usr/share/python-wheels").glob("pip-*.whl"):
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(packages)


def _unpack_wheels(root: Root, place: Elsewhere) -> None:
    """Get what the lock names for a foreign processor, and unpack what are wheels, by this machine's own pip: that one
    takes half an hour for it. What it installs afterwards is there already, but for what has no wheel, and its pip
    asks no index."""
    wheels = root.folder / "wheels"
    blocks = _blocks((*_MAKERS, "feltd"))
    ready, raw = wheels / "ready.lock", wheels / "source.lock"
    wheels.mkdir()
    ready.write_text("\n".join(block for name, block in blocks.items() if name not in _FROM_SOURCE), encoding="utf-8")
    raw.write_text("\n".join(blocks[name] for name in _FROM_SOURCE), encoding="utf-8")
    foreign = ["--implementation", "cp", "--python-version", root.python, "--only-binary=:all:"]
    foreign += [f"--platform=manylinux{glibc}_{place.machine}" for glibc in _GLIBC]
    fetch = (*_HERE, "download", "--no-deps", "--require-hashes", "--dest", str(wheels))
    installed = root.folder / f"venv/lib/python{root.python}/site-packages"
    for command in (
        (*fetch, *foreign, "-r", str(ready)),
        (*fetch, "--no-binary=:all:", "--no-build-isolation", "-r", str(raw)),
        (
            *(*_HERE, "install", "--no-deps", "--no-compile", "--no-index", "--find-links", str(wheels)),
            *(*foreign, "--upgrade", "--target", str(installed), "--require-hashes", "-r", str(ready)),
        ),
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise CannotBeHadError(f"the wheels for {place} cannot be had: {done.stderr.strip()[-400:]}")
    root.environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/wheels"}


def _blocks(projects: tuple[str, ...]) -> dict[str, str]:
    """Of the lock, by name: these projects (but feltd), and what they need."""
    names = set(projects).difference({"feltd"})
    for project in projects:
        names |= needed_names(project, EXTRAS)
    return locked(ROOT / "requirements.lock", names)

"""The package of this checkout, built in a root of another Debian or architecture from wheels by their hashes."""

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from debian.build import project_version
from debian.layout import ROOT
from debian.locked import EXTRAS, locked, needed_names
from hil_tests.elsewhere.roots import TOOLS, Elsewhere, Root
from hil_tests.install.fresh_root import STOCK
from hil_tests.machine.made_once import made_once

_MAKERS: Final = ("hatchling", "build", "setuptools")
"""What builds wheels; what these need comes with them."""
_PIP: Final = ("/venv/bin/python", "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-compile")
"""What is compiled here is thrown away with the root: Python compiles the few modules that a build loads."""


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
        (source / name).write_text(_lock(projects), encoding="utf-8")
    root.run("python3", "-m", "venv", "/venv")
    root.run(*_PIP, "--require-hashes", "-r", "/src/makers.lock")
    root.run(*_PIP, "--require-hashes", "--no-build-isolation", "-r", "/src/needed.lock")
    root.run(*_PIP, "--no-deps", "--no-build-isolation", "/src")
    epoch = subprocess.run(
        ["git", "-C", ROOT, "log", "-1", "--format=%ct"], check=True, capture_output=True, text=True
    ).stdout.strip()
    build = f"cd /src && SOURCE_DATE_EPOCH={epoch} /venv/bin/python -m debian.build --into /out"
    root.run("sh", "-c", build)
    return root.folder / "out" / f"feltd_{project_version()}_{place.architecture}.deb"


def _lock(projects: tuple[str, ...]) -> str:
    names = set(projects).difference({"feltd"})
    for project in projects:
        names |= needed_names(project, EXTRAS)
    return "\n".join(locked(ROOT / "requirements.lock", names).values()) + "\n"

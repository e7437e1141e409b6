"""The Debian package: what is in it, who may read and change it, and that nothing comes from outside the lock.

It is built here without its libraries, which is quick; with them it is installed in a fresh root (hil_tests/install).
"""

import json
import re
import shutil
import subprocess
from hashlib import sha256
from importlib.metadata import distribution
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from debian.build import (
    DEBIAN,
    PROGRAM,
    PYTHON,
    SCRIPTS,
    Build,
    BuildError,
    architecture_of,
    build,
    forget_scripts,
    pack,
    project_version,
)
from debian.layout import CONFFILES, LINKS, OPT, OWN_FOLDERS, ROOT, SYSTEM_FILES
from debian.locked import EXTRAS, NotLockedError, locked, needed_names, pins, requirements_of
from debian.sbom import SBOM
from feltd.installed.compare import compare
from feltd.installed.manifest import PLACE, SIGNATURE_PLACE, Manifest
from feltd.installed.mark import PackageMark, SignatureState, mark_of
from tests.feltd.installed_support import MAKER, public

MADE = Build("9.9.9", "all", 1_700_000_000)

needs_dpkg = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs dpkg-deb")


def built(folder: Path, key: Ed25519PrivateKey | None = None) -> Path:
    program = folder / "tree/opt/feltd/bin/feltd"
    program.parent.mkdir(parents=True)
    program.write_text(PROGRAM, encoding="utf-8")
    program.chmod(0o700)  # whatever the builder's umask was
    return pack(folder / "tree", MADE, folder / "dist", key)


def unpacked(package: Path, into: Path) -> Path:
    subprocess.run(["dpkg-deb", "-x", package, into], check=True)
    return into


def manifest_in(root: Path) -> tuple[Manifest, PackageMark]:
    place = root / OPT / PLACE
    content = place.read_bytes()
    return Manifest.decode(content, place), mark_of(sha256(content).digest(), root / OPT)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("deb"))


def listing(package: Path) -> dict[str, tuple[str, str]]:
    """Mode and owner of each file in it."""
    said = subprocess.run(["dpkg-deb", "-c", package], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 5) for line in said.splitlines()]
    return {row[5].split(" -> ")[0].removeprefix("."): (row[0], row[1]) for row in rows}


def field(package: Path, name: str) -> str:
    return subprocess.run(["dpkg-deb", "-f", package, name], capture_output=True, text=True, check=True).stdout.strip()


@needs_dpkg
def test_everything_is_there_is_roots_and_may_be_changed_by_nobody_else(package: Path) -> None:
    found = listing(package)
    places = [place for places in SYSTEM_FILES.values() for place in places]
    assert {f"/{place}" for place in (*places, *LINKS)} <= found.keys()
    assert {owner for _, owner in found.values()} == {"root/root"}
    modes = {mode for mode, _ in found.values()}
    assert modes == {"drwxr-xr-x", "-rw-r--r--", "-rwxr-xr-x", "lrwxrwxrwx"}
    assert found["/opt/feltd/bin/feltd"][0] == "-rwxr-xr-x"
    assert [name for name, (mode, _) in found.items() if mode == "-rwxr-xr-x"] == ["/opt/feltd/bin/feltd"]


@needs_dpkg
def test_it_says_what_it_needs_and_keeps_what_a_technician_changes(package: Path, tmp_path: Path) -> None:
    assert (field(package, "Version"), field(package, "Architecture")) == ("9.9.9", "all")
    assert f"python{PYTHON}," in field(package, "Depends")
    subprocess.run(["dpkg-deb", "-e", package, tmp_path], check=True)
    assert (tmp_path / "conffiles").read_text(encoding="utf-8").split() == list(CONFFILES)
    assert all((tmp_path / script).stat().st_mode & 0o777 == 0o755 for script in SCRIPTS)
    in_etc = {name for name in listing(package) if name.startswith("/etc/") and not name.endswith("/")}
    assert in_etc == set(CONFFILES)  # whatever is in /etc is a conffile


@needs_dpkg
def test_two_builds_of_one_commit_are_the_same(package: Path, tmp_path: Path) -> None:
    assert built(tmp_path).read_bytes() == package.read_bytes()


@needs_dpkg
def test_it_has_a_manifest_of_all_that_is_in_it_and_nothing_else_lies_there(package: Path, tmp_path: Path) -> None:
    root = unpacked(package, tmp_path)
    manifest, mark = manifest_in(root)
    assert (manifest.version, manifest.architecture, manifest.folders) == ("9.9.9", "all", OWN_FOLDERS)
    in_package = {name for name, (mode, _) in listing(package).items() if not mode.startswith("d")}
    assert {file.path for file in manifest.files} == in_package - {f"/{OPT}/{PLACE}"}
    assert [file.path for file in manifest.files if file.configuration] == list(CONFFILES)
    assert compare(manifest, root).as_built
    assert (mark.signature, mark.key) == (SignatureState.UNSIGNED, None)
    (root / "opt/feltd/bin/feltd").write_text("another", encoding="utf-8")
    (root / "usr/lib/systemd/system/felt-table.service.d/90-more.conf").write_text("[Service]\n", encoding="utf-8")
    found = compare(manifest, root)
    assert [one.path for one in found.differs] == ["/opt/feltd/bin/feltd"]
    assert [one.path for one in found.extra] == ["/usr/lib/systemd/system/felt-table.service.d/90-more.conf"]


def test_the_packages_own_folders_are_no_other_packages() -> None:
    assert all(re.search(r"/felt(d|-table|-page|-uplink|-sender)[^/]*$", folder) for folder in OWN_FOLDERS)
    assert len(OWN_FOLDERS) == len(set(OWN_FOLDERS)) == 20


@needs_dpkg
def test_a_signed_build_differs_from_an_unsigned_one_by_its_signature_alone(package: Path, tmp_path: Path) -> None:
    one, two = (built(tmp_path / name, MAKER) for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    signed, unsigned = unpacked(one, tmp_path / "signed"), unpacked(package, tmp_path / "unsigned")
    mark = manifest_in(signed)[1]
    assert (mark.signature, mark.key) == (SignatureState.SIGNED, public(MAKER))
    assert mark.manifest == manifest_in(unsigned)[1].manifest
    assert listing(one).keys() - listing(package).keys() == {f"/{OPT}/{SIGNATURE_PLACE}"}


@needs_dpkg
def test_its_bill_of_materials_is_in_it(package: Path, tmp_path: Path) -> None:
    bill = json.loads((unpacked(package, tmp_path) / SBOM).read_text(encoding="utf-8"))
    assert bill["metadata"]["component"]["version"] == "9.9.9"
    assert {one["name"] for one in bill["components"]} == needed_names("feltd", EXTRAS)


def test_no_record_of_a_library_tells_where_the_package_was_built(tmp_path: Path) -> None:
    record = tmp_path / "idna-3.20.dist-info/RECORD"
    record.parent.mkdir()
    record.write_text("../../../bin/idna,sha256=of-a-folder,228\nidna/core.py,sha256=abc,12\n", encoding="utf-8")
    forget_scripts(tmp_path)
    assert record.read_text(encoding="utf-8") == "idna/core.py,sha256=abc,12\n"


@pytest.mark.parametrize("script", SCRIPTS)
def test_each_script_stops_at_its_first_fault_and_is_small(script: str) -> None:
    file = DEBIAN / script
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "#!/bin/sh"
    assert next(line for line in lines[1:] if line and not line.startswith("#")) == "set -e"
    assert len(lines) < 70
    subprocess.run(["sh", "-n", file], check=True)


def test_an_installation_has_every_rule_of_udev_applied_at_once() -> None:
    rules = (ROOT / "systemd/60-feltd.rules").read_text(encoding="utf-8")
    script = (ROOT / "debian/postinst").read_text(encoding="utf-8")
    of_rules = set(re.findall(r'^SUBSYSTEM=="(\w+)"', rules, re.MULTILINE))
    assert of_rules == set(re.findall(r"--subsystem-match=(\w+)", script))


def test_a_purge_names_nothing_of_the_record() -> None:
    """The journals, their exports and anchors, and the keys that seal them are evidence."""
    text = (DEBIAN / "postrm").read_text(encoding="utf-8")
    removed = [word for line in text.splitlines() if line.strip().startswith("rm ") for word in line.split()[2:]]
    assert removed
    assert not any(re.search(r"journal(\"|$)|exports|anchors|/etc/feltd/keys|\*$|feltd\"?$", word) for word in removed)


@pytest.fixture
def lock() -> Path:
    return ROOT / "requirements.lock"


def test_a_table_gets_what_feltd_needs_with_its_hashes_and_no_tool_of_development(lock: Path) -> None:
    blocks = locked(lock, needed_names("feltd"))
    assert {
        "pyserial",
        "pyusb",
        "cbor2",
        "cryptography",
        "gpiozero",
        "pydantic-core",
        "uvicorn",
        "starlette",
    } <= blocks.keys()
    assert not {"pytest", "mypy", "ruff", "playwright", "hypothesis"} & blocks.keys()
    assert all("--hash=sha256:" in block for block in blocks.values())
    assert set(pins(blocks.values())) <= set(pins(lock.read_text(encoding="utf-8").splitlines()))


def test_each_library_brings_its_licence_or_has_it_in_the_packages_own_file() -> None:
    told = (DEBIAN / "copyright").read_text(encoding="utf-8")
    for name in needed_names("feltd", EXTRAS):
        files = [str(file).lower() for file in distribution(name).files or ()]
        brings = any(re.search(r"dist-info/.*(licen|copying|notice)", file) for file in files)
        assert brings or f"/{name}-*" in told, f"{name}: no licence of it would be in the package"


def test_what_is_not_locked_is_named_with_the_remedy(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_text("pyserial==3.5 \\\n    --hash=sha256:00\n    # via feltd\n", encoding="utf-8")
    assert locked(lock, {"pyserial"}) == {"pyserial": "pyserial==3.5 \\\n    --hash=sha256:00"}
    with pytest.raises(NotLockedError, match="does not have cobs, pyusb: make lock"):
        locked(lock, {"pyserial", "pyusb", "cobs"})


def test_a_pin_with_extras_begins_a_block_of_its_own(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.lock"
    pins_of_two = "cobs==1.2 \\\n    --hash=sha256:00\ncoverage[toml]==7.1 \\\n    --hash=sha256:01\n"
    lock.write_text(pins_of_two, encoding="utf-8")
    assert locked(lock, {"cobs"}) == {"cobs": "cobs==1.2 \\\n    --hash=sha256:00"}


def test_the_lock_names_each_extra_that_something_asks_for(lock: Path) -> None:
    """A pip before 23.3 does not hold `name[extra]` to the pin of `name`: once a newer one is out, it takes that and
    refuses it for want of a hash. A clean machine cannot set up then."""
    named = {(canonicalize_name(pin.name), extra) for pin in lock_pins(lock) for extra in pin.extras}
    wanted = [
        one
        for pin in lock_pins(lock)
        if pin.marker is None or pin.marker.evaluate()
        for one in requirements_of(canonicalize_name(pin.name), pin.extras)
    ]
    assert "h11" in {one.name for one in wanted}  # uvicorn's
    asked = {(canonicalize_name(one.name), extra) for one in wanted for extra in one.extras}
    assert asked <= named


def lock_pins(lock: Path) -> list[Requirement]:
    lines = lock.read_text(encoding="utf-8").splitlines()
    return [Requirement(line.rstrip("\\ ")) for line in lines if line[:1].isalnum()]


def test_the_first_configuration_of_a_board_can_be_read_and_names_no_device(tmp_path: Path) -> None:
    from feltd.table.config.config import load_config

    config = load_config(DEBIAN / "table.toml")
    assert config.devices == ()
    assert config.page.host == "127.0.0.1"
    assert config.journal.path == Path("/var/lib/feltd/table.journal")
    assert str(config.journal.sealing_key_file) == "credential:journal-key"


def test_no_package_is_made_for_32_bits_and_why_is_said() -> None:
    for architecture in ("armhf", "armel", "i386"):
        with pytest.raises(BuildError, match=f"no package is made for {architecture}: .* 2038.*arm64"):
            architecture_of(architecture)
    assert [architecture_of(name) for name in ("amd64", "arm64")] == ["amd64", "arm64"]


@needs_dpkg
def test_another_wheel_than_of_this_version_is_refused_before_anything_is_fetched(tmp_path: Path) -> None:
    for name in ("feltd-0.1.0-py3-none-any.whl", f"cobs-{project_version()}-py3-none-any.whl"):
        with pytest.raises(BuildError, match=f"{re.escape(name)}: it is no wheel of feltd {project_version()}"):
            build(tmp_path, project_version(), own=tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_the_packages_version_is_the_projects() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", project_version())

"""The apt repository: apt itself takes what was signed, and refuses whatever was changed."""

import hashlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from debian.repository import DAY, KEYRING, SUITE, RepositoryError, Signed, make_repository
from tests.apt_support import Apt, small_package, thrown_away_key

NOW = 1_700_000_000
TOOLS = ("gpg", "gpgv", "gpgconf", "apt-get", "dpkg-deb")

pytestmark = pytest.mark.skipif(any(shutil.which(tool) is None for tool in TOOLS), reason=f"needs {', '.join(TOOLS)}")


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with thrown_away_key(tmp_path_factory.mktemp("gnupg") / "home") as fingerprint:
        yield fingerprint


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("packages")
    return [small_package(folder, version) for version in ("1.0", "1.1")]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, packages: list[Path], key: str) -> Path:
    folder = tmp_path_factory.mktemp("made") / "repository"
    make_repository(packages, folder, Signed(key, NOW))
    return folder


@pytest.fixture
def repository(made: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    shutil.copytree(made, tmp_path / "repository")
    return tmp_path / "repository"


@pytest.fixture
def apt(repository: Path, made: Path, tmp_path: Path) -> Apt:
    """A board's: it has the key from the maker, whatever lies in the repository by now."""
    return Apt(tmp_path / "apt", repository, made / f"{KEYRING}.asc")


def test_apt_takes_the_newest_and_going_back_too(apt: Apt, packages: list[Path]) -> None:
    apt.takes("update")
    apt.takes("download", "feltd")
    apt.takes("download", "feltd=1.0")
    for package in packages:
        assert (apt.fetched / package.name).read_bytes() == package.read_bytes()


def test_a_changed_package_is_refused(apt: Apt, repository: Path) -> None:
    apt.takes("update")
    package = repository / "pool/feltd_1.1_all.deb"
    content = bytearray(package.read_bytes())
    content[-20] ^= 1
    package.write_bytes(content)
    assert re.search("Hash Sum mismatch|hashes", apt.refuses("download", "feltd"))


def test_a_changed_list_is_refused(apt: Apt, repository: Path) -> None:
    other = hashlib.sha256(b"another package").hexdigest()
    for file in (repository / f"dists/{SUITE}/main/binary-all").iterdir():
        if file.suffix == ".gz":
            file.unlink()
        else:
            file.write_text(re.sub("SHA256: .*", f"SHA256: {other}", file.read_text(encoding="ascii")))
    assert re.search("Hash Sum mismatch|hashes", apt.refuses("update"))


def test_a_release_that_was_changed_with_it_is_refused_by_its_signature(apt: Apt, repository: Path) -> None:
    for name in ("InRelease", "Release"):
        file = repository / f"dists/{SUITE}/{name}"
        file.write_text(file.read_text(encoding="ascii").replace("Label: feltd", "Label: other"), encoding="ascii")
    assert "BADSIG" in apt.refuses("update")


def test_a_repository_that_somebody_else_signed_is_refused(
    apt: Apt, repository: Path, packages: list[Path], tmp_path: Path
) -> None:
    with thrown_away_key(tmp_path / "stranger") as stranger:
        make_repository(packages, repository, Signed(stranger, NOW))
    assert "NO_PUBKEY" in apt.refuses("update")


def test_a_repository_without_a_signature_is_refused(apt: Apt, repository: Path) -> None:
    for name in ("InRelease", "Release.gpg"):
        (repository / f"dists/{SUITE}/{name}").unlink()
    assert "is not signed" in apt.refuses("update")


def test_a_repository_has_an_end_where_one_is_given(
    repository: Path, packages: list[Path], key: str, made: Path, tmp_path: Path
) -> None:
    make_repository(packages, repository, Signed(key, NOW, days=30))
    release = (repository / f"dists/{SUITE}/Release").read_text(encoding="ascii")
    assert "Date: Tue, 14 Nov 2023 22:13:20 GMT" in release
    assert "Valid-Until: Thu, 14 Dec 2023 22:13:20 GMT" in release
    assert DAY * 30 == 2_592_000
    assert "expired" in Apt(tmp_path / "late", repository, made / f"{KEYRING}.asc").refuses("update")


def test_each_package_has_its_own_signature_for_who_has_no_repository(made: Path, tmp_path: Path) -> None:
    package = made / "pool/feltd_1.1_all.deb"
    command = ["gpgv", "--keyring", str(made / f"{KEYRING}.gpg"), f"{package}.asc"]
    assert subprocess.run([*command, str(package)], check=False, capture_output=True).returncode == 0
    other = tmp_path / "other.deb"
    other.write_bytes(package.read_bytes()[:-1] + b"x")
    assert subprocess.run([*command, str(other)], check=False, capture_output=True).returncode != 0


def test_made_again_it_has_what_was_given_and_nothing_else(repository: Path, packages: list[Path], key: str) -> None:
    make_repository(packages[1:], repository, Signed(key, NOW))
    assert sorted(file.name for file in (repository / "pool").iterdir()) == [
        "feltd_1.1_all.deb",
        "feltd_1.1_all.deb.asc",
    ]
    assert "Version: 1.0" not in (repository / f"dists/{SUITE}/main/binary-all/Packages").read_text(encoding="ascii")


def test_what_is_no_package_no_key_or_another_folder_is_refused_and_nothing_is_changed(
    repository: Path, packages: list[Path], key: str, tmp_path: Path
) -> None:
    before = sorted(file.read_bytes() for file in repository.rglob("*") if file.is_file())
    no_package = tmp_path / "no.deb"
    no_package.write_bytes(b"no package")
    with pytest.raises(RepositoryError, match=r"no\.deb: is no package"):
        make_repository([*packages, no_package], repository, Signed(key, NOW))
    with pytest.raises(RepositoryError, match="two packages of this name"):
        make_repository([packages[0], packages[0]], repository, Signed(key, NOW))
    with pytest.raises(RepositoryError, match="gpg: "):
        make_repository(packages, repository, Signed("0" * 40, NOW))
    assert sorted(file.read_bytes() for file in repository.rglob("*") if file.is_file()) == before
    with pytest.raises(RepositoryError, match="other things in it"):
        make_repository(packages, packages[0].parent, Signed(key, NOW))
    assert packages[0].exists()

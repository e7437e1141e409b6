"""The version of feltd that runs, beside what the standard library says of it."""

import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from feltd.text.version import version_of_feltd


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    version_of_feltd.cache_clear()
    yield
    version_of_feltd.cache_clear()


def test_it_is_what_the_standard_library_says() -> None:
    assert version_of_feltd() == version("feltd")


def test_the_first_installation_on_the_path_is_told_though_its_folder_says_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata = tmp_path / "feltd-9.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.4\nName: feltd\nVersion: 9.1+own\n\nVersion: of the description\n")
    other = tmp_path / "feltd_more-3.dist-info" / "METADATA"  # a package whose name begins alike
    other.parent.mkdir()
    other.write_text("Name: feltd-more\nVersion: 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert version_of_feltd() == version("feltd") == "9.1+own"


def test_a_feltd_that_is_not_installed_is_told_as_the_standard_library_tells_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "gone"), str(Path(__file__))])
    with pytest.raises(PackageNotFoundError):
        version_of_feltd()

"""The files that come with feltd: found in a checkout and in an installed wheel, and missed clearly."""

import tomllib
from pathlib import Path

import pytest

from feltd.books.shipped import (
    ShippedFilesError,
    example_config,
    rulebook_sources,
    shipped_folder,
    structure_sources,
    toml_texts,
)


def test_every_rulebook_is_named_by_its_file() -> None:
    sources = rulebook_sources()
    assert {"tas-2018-holdem.toml", "act-2019-uth.toml"} <= sources.keys()
    assert tomllib.loads(sources["tas-2018-holdem.toml"])["id"] == "tas-2018-holdem"


def test_the_example_configuration_comes_along() -> None:
    assert "journal" in tomllib.loads(example_config())


def test_structures_are_toml() -> None:
    for text in structure_sources().values():
        assert tomllib.loads(text)


@pytest.mark.parametrize("place", ["feltd/shipped", "config"])
def test_a_wheel_has_them_in_the_package_and_a_checkout_beside_it(tmp_path: Path, place: str) -> None:
    (tmp_path / place / "rulebooks").mkdir(parents=True)
    assert shipped_folder(tmp_path / "feltd") == tmp_path / place


def test_where_neither_is_both_places_are_named(tmp_path: Path) -> None:
    with pytest.raises(ShippedFilesError) as caught:
        shipped_folder(tmp_path / "feltd")
    assert f"{tmp_path}/feltd/shipped" in str(caught.value)
    assert f"{tmp_path}/config" in str(caught.value)


def test_texts_are_named_from_their_folder_on(tmp_path: Path) -> None:
    (tmp_path / "bases").mkdir()
    (tmp_path / "bases" / "all.toml").write_text("a = 1\n")
    (tmp_path / "own.toml").write_text("b = 2\n")
    (tmp_path / "notes.md").write_text("no rulebook")
    assert toml_texts(tmp_path) == {"bases/all.toml": "a = 1\n", "own.toml": "b = 2\n"}


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ShippedFilesError, match="nowhere: no such folder"):
        toml_texts(tmp_path / "nowhere")
    (tmp_path / "latin.toml").write_bytes(b"a = '\xe9'\n")
    with pytest.raises(ShippedFilesError, match=r"latin\.toml:1: cannot be read: .*save the file as UTF-8"):
        toml_texts(tmp_path)

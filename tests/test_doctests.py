"""The examples in docstrings are so: every module that has some is imported, and what they say is compared."""

import doctest
import importlib
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def with_examples() -> Iterator[str]:
    """The modules of the product whose source has an example, by name; no other module is imported for this."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for package in project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]:
        for file in sorted((ROOT / package).rglob("*.py")):
            if ">>> " in file.read_text(encoding="utf-8"):
                yield ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("name", list(with_examples()))
def test_the_examples_of_a_module_are_so(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), raise_on_error=False)
    assert result.attempted > 0, f"{name} has an example that doctest does not find"
    assert result.failed == 0


def test_the_words_for_a_zone_have_examples() -> None:
    assert "feltd.text.words" in with_examples()

"""A page names all that its script imports, so that a browser asks for everything at once."""

import re
from importlib.resources import files
from typing import Final

import pytest

from feltd.page.app import ASSETS
from feltd.page.modules import imported, module

SCRIPTS: Final = sorted(name for name in ASSETS if name.endswith(".js"))
_NAMED: Final = re.compile(r'from\s+"\./([\w.-]+)"|^import "\./([\w.-]+)"', re.MULTILINE)


def _direct(name: str) -> set[str]:
    """What a script itself imports, read in another way than the program does."""
    text = (files("feltd.page") / "static" / name).read_text("utf-8")
    return {one or other for one, other in _NAMED.findall(text)}


@pytest.mark.parametrize("name", SCRIPTS)
def test_all_imports_of_a_script_are_found(name: str) -> None:
    expected: set[str] = set()
    asked = [name]
    while asked:
        news = _direct(asked.pop()) - expected
        expected |= news
        asked += news
    assert set(imported(name)) == expected - {name}
    assert expected <= set(ASSETS)


def test_what_a_script_itself_imports_is_named_before_what_lies_behind_it() -> None:
    names = list(imported("table.js"))
    direct = _direct("table.js")
    assert direct
    assert set(names[: len(direct)]) == direct
    assert len(names) > len(direct)


def test_what_is_imported_when_somebody_needs_it_is_not_asked_for_at_once() -> None:
    assert "keys.js" not in imported("shell.js")
    assert "sign-in-over.js" not in imported("table.js")


def test_the_tags_are_the_script_and_each_import_once() -> None:
    tags = module("sign-in.js").split("\n")
    assert tags[0] == '<script type="module" src="/static/sign-in.js"></script>'
    assert sorted(tags[1:]) == sorted(
        f'<link rel="modulepreload" href="/static/{name}">' for name in imported("sign-in.js")
    )


def test_every_template_loads_its_scripts_with_their_imports() -> None:
    """But those whose scripts import nothing, or which a page without its table serves."""
    alone = {"out-of-order.html"}
    for template in (files("feltd.page") / "templates").iterdir():
        plain = re.findall(r'<script type="module" src="/static/([\w-]+\.js)"', template.read_text("utf-8"))
        if template.name not in alone:
            assert plain == [], template.name
    assert imported("out-of-order.js") == ()

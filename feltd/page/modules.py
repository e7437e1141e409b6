"""Which scripts a page's script imports, for the page to name them all at once.

A browser learns of an import by reading the script that has it: without this it asks for one layer after the other.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Final

from markupsafe import Markup

_IMPORT: Final = re.compile(r"""^(?:import|export)\b[^;"']*["']\./([\w.-]+)["'];""", re.MULTILINE)
"""An import at a script's head. One within a function (`await import(…)`) waits until somebody needs it."""


@cache
def imported(name: str) -> tuple[str, ...]:
    """The files of `static/` that a script of it imports, and those that they import, nearest first, each once."""
    found: dict[str, None] = {}
    asked = [name]
    for script in asked:  # it grows as it is read
        news = [one for one in _IMPORT.findall(_text(script)) if one != name and one not in found]
        found.update(dict.fromkeys(news))
        asked += news
    return tuple(found)


@cache
def module(name: str) -> Markup:
    """The tags with which a page loads a script of `static/`, and beside it what that imports."""
    tags = [f'<script type="module" src="/static/{name}"></script>']
    tags += [f'<link rel="modulepreload" href="/static/{one}">' for one in imported(name)]
    return Markup("\n").join(Markup(tag) for tag in tags)  # noqa: S704 - names of our own files


def _text(name: str) -> str:
    return (files("feltd.page") / "static" / name).read_text("utf-8")

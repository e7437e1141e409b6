"""Light or dark: the colours of every page, of one file.

`tokens.css` names both colours of each token with CSS's `light-dark()`. What is sent has plain colours, so that a
tablet whose browser does not know that function shows alarms too. Paper is light whatever a screen is.
"""

import re
from contextvars import ContextVar
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Final

TOKENS_FILE: Final = "tokens.css"
_BOTH: Final = re.compile(r"light-dark\(([^,()]+), ([^,()]+)\)")
_RULE: Final = re.compile(r":root \{\n(.*?)\}\n", re.DOTALL)
_COMMENT: Final = re.compile(r"\s*/\*.*?\*/", re.DOTALL)
_SCHEME: Final = "color-scheme: light dark"


class Look(StrEnum):
    """How a browser shows the pages."""

    BROWSER = "browser"
    """As the browser or its system prefers."""
    LIGHT = "light"
    DARK = "dark"


asked_look: Final[ContextVar[Look]] = ContextVar("look asked for", default=Look.BROWSER)
"""The look of the page that is being answered."""


@cache
def tokens(look: Look) -> str:
    """Return the style sheet of all tokens in a look."""
    light, dark = _tokens("light", 1), _tokens("dark", 2)
    match look:
        case Look.LIGHT:
            return light
        case Look.DARK:
            return f"{dark}@media print {{\n{light}}}\n"
        case Look.BROWSER:
            return f"{dark}@media print, (prefers-color-scheme: light) {{\n{light}}}\n"


def colour(name: str, *, light: bool) -> str:
    """Return a token's colour, `colour("bar", light=True)`. Raises KeyError."""
    found = dict(re.findall(r"--([a-z-]+): ([^;]+);", tokens(Look.LIGHT if light else Look.DARK).partition("}")[0]))
    return str(found[name])


def _tokens(scheme: str, which: int) -> str:
    found = _RULE.search((files("feltd.page") / "static" / TOKENS_FILE).read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{TOKENS_FILE}: there is no rule `:root {{ … }}` in it")
    body = _COMMENT.sub("", found.group(1)).replace(_SCHEME, f"color-scheme: {scheme}")
    return f":root {{\n{_BOTH.sub(lambda both: both.group(which), body)}}}\n"

"""Values and names in the words of an error message: as a TOML file writes them, cut short."""

from collections.abc import Iterable, Sequence
from typing import Final

_LONGEST_SHOWN: Final = 60


def value_in_words(value: object) -> str:
    """Return a value as a TOML file writes it, in at most 60 printable characters.

    A table is `a table`.

    >>> value_in_words([True, "As"])
    '[true, "As"]'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        text = f'"{value}"'
    elif isinstance(value, dict):
        text = "a table"
    elif isinstance(value, list | tuple):
        text = f"[{', '.join(map(value_in_words, value))}]"
    else:
        text = str(value)
    text = "".join(letter if letter.isprintable() else "�" for letter in text)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"


def values_in_words(values: Iterable[object]) -> str:
    """Values separated by commas, without quotes: `52, 48, 44`. No values: `nothing`."""
    return ", ".join(map(str, values)) or "nothing"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean "flop"?` with the known word nearest to `word`, or an empty text."""
    from difflib import get_close_matches  # where nothing is mistyped it takes no memory

    near = get_close_matches(word[:_LONGEST_SHOWN], list(known), n=1)
    return f'; did you mean "{near[0]}"?' if near else ""


def not_allowed(value: object, allowed: Sequence[str]) -> str:
    """The fault of a value outside a closed set: what is allowed, and the name nearest to it.

    >>> not_allowed("hx", ["hex", "decimal"])
    '"hx" is not allowed; allowed: hex, decimal; did you mean "hex"?'
    """
    meant = did_you_mean(value, allowed) if isinstance(value, str) else ""
    return f"{value_in_words(value)} is not allowed; allowed: {values_in_words(allowed)}{meant}"

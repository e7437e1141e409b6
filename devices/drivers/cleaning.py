"""Make text from a device safe before it enters an event, an error, a log or a page.

A device may be broken or hostile. Its text can hold line breaks that forge log lines, escape sequences that rewrite a
terminal, invisible or right-to-left characters that make a name look like another, or too many characters.
"""

import re
import unicodedata
from typing import Final

_WORD: Final = re.compile(r"[a-z][a-z_]{2,23}(:[0-9]{1,2})?")
"""Words of the protocol (`card_out`, `seat:3`).

None of them can be mistaken for a card (`As`, `9d`, `Jo`).
"""

_REFUSED: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that are removed.

Controls, formats, surrogates, private and unassigned characters, line separators.
"""


def clean_text(text: str, limit: int) -> str:
    """The text in NFC with white space collapsed: printable characters, at most `limit`."""
    normal = unicodedata.normalize("NFC", text[: limit * 4])
    kept = "".join(" " if character.isspace() else character for character in normal if _may_stay(character))
    return " ".join(kept.split())[:limit].rstrip()


def _may_stay(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) not in _REFUSED


def quoted(value: object) -> str:
    """Quote a value from a device for an error text.

    A protocol word or a small number is quoted as it is, any other value by its type: it may be a card.
    """
    if isinstance(value, str):
        return repr(value) if _WORD.fullmatch(value) else f"a text of {len(value)} characters"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and abs(value) < 10**15:
        return str(value)
    return f"a value of type {_TYPES.get(type(value), 'unknown')}"


_TYPES: Final[dict[type, str]] = {
    int: "big integer",
    float: "float",
    bytes: "byte string",
    list: "array",
    tuple: "array",
    dict: "map",
}

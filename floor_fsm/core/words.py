"""Names and reasons as people say them, made one way: what looks the same is the same, and what looks empty is empty.

What is kept is never changed: a step is cleaned where it comes in, before it is tried.
"""

import unicodedata
from collections.abc import Mapping
from typing import Any, Final

_NAMES: Final = ("person", "name", "first", "second")
"""The fields of events that a person fills with a name or the number of a card."""
_UNSEEN: Final = ("Cc", "Cf")
"""Unicode's control and format characters: nobody sees one, and two names that differ in one look alike."""
_UNSEEN_LETTERS: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
"""Letters and marks that show nothing either: fillers, joiners, variation selectors (Default_Ignorable_Code_Point of
Unicode 15), and the braille blank. A reason of one of them looks empty."""


def cleaned(words: str) -> str:
    """Words in composed letters (NFC), with one blank between two, none around them, and nothing that nobody sees."""
    seen = "".join(" " if one.isspace() else one for one in words if one.isspace() or _is_seen(one))
    return " ".join(unicodedata.normalize("NFC", seen).split())


def _is_seen(one: str) -> bool:
    return one not in _UNSEEN_LETTERS and unicodedata.category(one) not in _UNSEEN


def cleaned_step(said: Mapping[str, Any]) -> dict[str, Any]:
    """A step with its names, and who decided it and why, cleaned. What is no text stays as it is."""
    step = dict(said)
    step |= {name: cleaned(step[name]) for name in _NAMES if isinstance(step.get(name), str)}
    persons, by = step.get("persons"), step.get("by")
    if isinstance(persons, list):
        step["persons"] = [cleaned(one) if isinstance(one, str) else one for one in persons]
    if isinstance(by, Mapping):
        step["by"] = {name: cleaned(value) if isinstance(value, str) else value for name, value in by.items()}
    return step

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


def cleaned(words: str) -> str:
    """Words in composed letters (NFC), with one blank between two, none around them, and nothing that nobody sees."""
    seen = "".join(
        " " if one.isspace() else one
        for one in unicodedata.normalize("NFC", words)
        if one.isspace() or unicodedata.category(one) not in _UNSEEN
    )
    return " ".join(seen.split())


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

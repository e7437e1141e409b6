"""What stands at the head of a rulebook's text: enough to know which texts a book needs, without reading them whole."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from toml_text.syntax import TomlSyntaxError, read_toml

_FIRST_TABLE: Final = "\n["


@dataclass(frozen=True, slots=True)
class Head:
    """A text's `id`, the ids that it `extends`, and whether a table may open with it."""

    id: str
    extends: tuple[str, ...]
    abstract: bool


def heads_of(sources: Mapping[str, str]) -> dict[str, Head] | None:
    """The heads by file name; None where one has a fault, or an id has two texts: the whole load names the faults.

    `sources`: file name → TOML text.
    """
    heads = {file: _head(text) for file, text in sources.items()}
    sound = {file: head for file, head in heads.items() if head is not None}
    ids = {head.id for head in sound.values()}
    whole = len(ids) == len(sources) and all(ids.issuperset(head.extends) for head in sound.values())
    return sound if whole else None


def _head(text: str) -> Head | None:
    content = _top(text)
    if content is None:
        return None
    name, extends, abstract = content.get("id"), content.get("extends", []), content.get("abstract", False)
    if not isinstance(name, str) or not isinstance(extends, list) or not isinstance(abstract, bool):
        return None
    return Head(name, tuple(map(str, extends)), abstract)


def _top(text: str) -> dict[str, Any] | None:
    """The keys before the first table. In TOML they end at its bracket, unless that stands in a list or a long text."""
    for part in (text.partition(_FIRST_TABLE)[0], text):
        try:
            return read_toml(part)
        except TomlSyntaxError:
            continue
    return None

"""A printed book as parts: headings, lists and tables, and the same parts as Markdown.

Text may hold `code` and **strong** words, as in Markdown, and passages of the source (`of_the_source`), nothing else.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from feltd.text.catalogue import ruling_text, say
from feltd.text.language import Language, spoken

_BEGIN, _END = "\N{START OF TEXT}", "\N{END OF TEXT}"
"""Around a passage of the source. No text of a book has them: TOML allows none."""
PASSAGE: Final = re.compile(f"{_BEGIN}([^{_END}]*){_END}")
"""A passage of the source in a text; its group is the passage."""


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    items: tuple[str, ...]
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table. The last column is the widest.

    `addresses`: an anchor for each row; empty where the rows have none.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    addresses: tuple[str, ...] = ()


Block: TypeAlias = Text | Items | Grid


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the blocks below it.

    `name`: for addresses and anchors.
    """

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A whole book.

    `facts`: its properties, as a list under its title.
    """

    title: str
    facts: tuple[str, ...]
    sections: tuple[Section, ...]


def of_the_source(text: str) -> str:
    """Return a text of the book or of its source, so that it is told from the words around it, which may be German."""
    return text if spoken() is Language.ENGLISH or not text else f"{_BEGIN}{text}{_END}"


def _plain(text: str) -> str:
    """A text without marks of passages: each with its translation before it, where there is one."""
    return PASSAGE.sub(lambda found: _with_translation(found[1]), text)


def _with_translation(approved: str) -> str:
    said = ruling_text(approved)
    return approved if said is None else f"{said} ({approved})"


def grid(head: Sequence[str], rows: Iterable[Sequence[str]], addresses: Iterable[str] = ()) -> Grid:
    """A table of these rows. `addresses`: an anchor for each, or none."""
    return Grid(tuple(head), tuple(tuple(row) for row in rows), tuple(addresses))


def markdown(document: Document) -> str:
    """The document as Markdown."""
    head = "\n".join([f"# {document.title}", "", *(f"- {_plain(fact)}" for fact in document.facts)])
    return "\n\n".join([head, *map(section_markdown, document.sections)]) + "\n"


def section_markdown(section: Section) -> str:
    """A section as Markdown."""
    return f"## {section.title}\n\n{blocks_markdown(section.blocks) or say('None.')}"


def blocks_markdown(blocks: Iterable[Block]) -> str:
    """The blocks below a heading, as Markdown; empty blocks are left out."""
    return "\n\n".join(text for block in blocks if (text := _block(block)))


def _block(block: Block) -> str:
    if isinstance(block, Text):
        return _plain(block.text)
    if isinstance(block, Items):
        marks = (f"{number}." if block.numbered else "-" for number in range(1, len(block.items) + 1))
        return "\n".join(f"{mark} {_plain(item)}" for mark, item in zip(marks, block.items, strict=True))
    return _table(block)


def _table(table: Grid) -> str:
    """A Markdown table, with columns aligned for a plain screen too, except the last."""
    if not table.rows:
        return ""
    cells = [[_plain(cell).replace("|", "\\|") for cell in row] for row in (table.head, *table.rows)]
    widths = [max(map(len, column)) for column in list(zip(*cells, strict=True))[:-1]]
    lines = [_line(row, widths) for row in cells]
    return "\n".join([lines[0], _line(["-" * width for width in [*widths, 3]], widths), *lines[1:]])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells[:-1], widths, strict=True)]
    return f"| {' | '.join([*padded, cells[-1]])} |"

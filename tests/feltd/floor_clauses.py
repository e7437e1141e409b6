"""The clauses that the books of the floor name, as the lists of clauses name them.

A book of the floor names several at once: `Hand for Hand 4, 5`, `A to I 3.4 to 3.6`, `Formats; Seating 4`.
"""

import re
from collections.abc import Iterator
from typing import Final

from pydantic import BaseModel

from feltd.books.shipped import tournament_sources, waiting_sources
from floor_fsm.law.law import load_laws, sections
from floor_fsm.waiting.book import load_waiting_books

OURS: Final = "ours"
_APPENDIX: Final = re.compile(r"^(?:[A-Z] to )?[A-Z] (?=\d)")


def named_by_floor() -> dict[str, set[str]]:
    """By list of clauses: each clause that a matter of one of the floor's books has, written out."""
    named: dict[str, set[str]] = {}
    for law in load_laws(tournament_sources()).values():
        named.setdefault(law.book.clauses, set()).update(
            clause for _, section in sections(law.book) for clause in _cited_by(section)
        )
    for book in load_waiting_books(waiting_sources()).values():
        named.setdefault(book.clauses, set()).update(
            clause for _, section in book.sections() for clause in _cited_by(section)
        )
    return named


def _cited_by(section: BaseModel) -> Iterator[str]:
    """Each clause that a matter cites: its own, and those of single values, as `across_clause`."""
    for name in type(section).model_fields:
        cited = getattr(section, name)
        if (name == "clause" or name.endswith("_clause")) and cited is not None:
            yield from written_out(cited)


def written_out(text: str) -> Iterator[str]:
    """Each clause of one or several."""
    for part in text.split(";"):
        heading = ""
        for item in part.strip().split(", "):
            if item.startswith("("):  # another part of the clause before it
                continue
            found = re.match(r"^([A-Z][A-Za-z ]* )(?=\d)", item)
            heading = found[1] if found else heading
            yield from (f"{heading}{one}" for one in _numbers(item.removeprefix(heading)))


def _numbers(item: str) -> Iterator[str]:
    """`3.4 to 3.6` as three."""
    found = re.fullmatch(r"(.*?)(\d+) to (?:.*?)(\d+)", item)
    if found is None:
        yield item
    else:
        yield from (f"{found[1]}{number}" for number in range(int(found[2]), int(found[3]) + 1))


def is_named(clause: str, named: set[str]) -> bool:
    """Whether a clause of a list is among them, or a part of it is: `16.3(a)` is of `16.3`."""
    plain = clause.replace("{appendix} ", "")
    for one in named:
        bare = _APPENDIX.sub("", one)
        if plain in (one, bare) or bare.startswith(f"{plain}("):
            return True
    return False

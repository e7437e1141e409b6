"""The address of a ruling's row on its rulebook's page. Several rows share a clause, so the clause is none."""

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Final
from zlib import crc32

_MOST: Final = 4096
"""Rows whose addresses are kept: a table's book has about a hundred."""


def row_addresses(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Return the anchors of a book's rows, each by its clause and its text for the dealer.

    Of rows that share both, the first has the address of their rulings: they say the same.

    >>> first, again = row_addresses([("18.6", "Muck it."), ("18.6", "Muck it.")])
    >>> again == f"{first}-2"
    True
    """
    seen: Counter[str] = Counter()
    found = []
    for rule, text in rows:
        address = row_address(rule, text)
        seen[address] += 1
        found.append(address if seen[address] == 1 else f"{address}-{seen[address]}")
    return found


@lru_cache(maxsize=_MOST)
def row_address(rule: str, text: str) -> str:
    """Return the anchor of the row with this clause and this text for the dealer.

    It is the same in every print of the book, as long as the row has this clause and this text.

    >>> row_address("19.1(d)", "Deal on.") == row_address("19.1(d)", "Deal on."), row_address("19.1(d)", "Deal on.")[:4]
    (True, 'row-')
    """
    return f"row-{crc32(f'{rule}: {text}'.encode()):08x}"

"""Tables of hands as a file that is made once and read in place.

The file holds the tables without a joker of the full deck and of 32 cards; `table_fsm.poker.hands.tables` makes all
others. A table is two lists of numbers of 16 bits, the strengths by code. Its codes are small, so that a code is the
place in the list: each rank has a unit by which no two sums of five units are the same, at most four of them alike, and
its code is what the unit lacks to a number of the deck's. As in every table the higher rank has the higher code. In the
second list, of hands of one suit, each rank has one bit.

| part of the file | what it is |
| --- | --- |
| 8 bytes | `feltdht1` |
| 4 bytes | how long the heads are; all numbers are little-endian |
| 4 bytes | the heads' CRC-32 |
| heads | JSON: by each table's name its ranks, kinds, their starts, where its lists begin and end, their CRC-32 |
| lists | from the next 4,096 bytes on, each beginning at a multiple of them |
"""

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations, combinations_with_replacement
from sys import byteorder
from typing import Any, Final
from zlib import crc32

from table_fsm.felt import RANKS, SUITS
from table_fsm.poker.hands.order import Ace, HandOrder, Ladder, Winner
from table_fsm.poker.hands.tables import CODES, HandTable, make_high_table, make_low_table, name_of_high, name_of_low
from table_fsm.poker.hands.values import HandName

MAGIC: Final = b"feltdht1"
PAGE: Final = 4096
DECKS: Final = {52: (Ladder.FULL,), 32: (Ladder.REDUCED, Ladder.TAS_32)}
"""The decks whose tables are in the file, and the orders of their kinds."""
_WORD: Final = 4
_HAND: Final = 5
_ALIKE: Final = 4
_NUMBER: Final = 2
"""Bytes of a strength."""
_HIGH_TO_LOW: Final = RANKS[::-1]
_UNITS: Final = dict(
    zip(_HIGH_TO_LOW, (0, 1, 5, 22, 94, 312, 992, 2422, 5624, 12522, 19998, 43258, 79415), strict=True)
)
"""The least for the highest ranks, which every deck has. A test adds up all hands."""
_BITS: Final = {rank: 1 << place for place, rank in enumerate(_HIGH_TO_LOW)}
_BIT_CODES: Final = {rank + suit: _BITS[rank] for rank in RANKS for suit in SUITS}

Sound = Callable[[str, int, int, int], bool]
"""Whether a table of this name is whole: where its bytes begin and end in the file, and the sum that they must have."""


class HandFileError(Exception):
    """The file is none of this version's; the message says in what way."""


def hand_file() -> bytes:
    """Make the file. The same bytes at every time and on every machine."""
    heads: dict[str, Any] = {}
    lists = bytearray()
    for name, table in _tables():
        begin = len(lists)
        lists += _list_of(_mixed(table))
        between = len(lists)
        lists += _list_of(_suited(table))
        heads[name] = {
            "ranks": table.ranks,
            "kinds": list(table.kinds),
            "starts": list(table.starts),
            "places": [begin, between, len(lists)],
            "sum": crc32(lists[begin:]),
        }
        lists += bytes(-len(lists) % PAGE)
    told = json.dumps(heads, sort_keys=True).encode()
    head = MAGIC + len(told).to_bytes(_WORD, "little") + crc32(told).to_bytes(_WORD, "little") + told
    return head + bytes(-len(head) % PAGE) + lists


def read_hand_file(file: memoryview, sound: Sound | None = None) -> Mapping[str, Callable[[], HandTable | None]]:
    """Return what gives each table of a file by its name, for `tables.take_made_before`.

    The lists stay where they are, so `file` must too. `sound` is asked when a table is first wanted; one that it does
    not take is not given. None: the bytes of `file` itself are added up. Raises HandFileError.
    """

    def is_whole(_name: str, begin: int, end: int, wanted: int) -> bool:
        return crc32(file[begin:end]) == wanted

    if byteorder != "little":
        raise HandFileError("this machine has the other order of bytes")
    at = len(MAGIC)
    begin = at + 2 * _WORD
    if bytes(file[:at]) != MAGIC:
        raise HandFileError("it does not begin as tables of hands do")
    end = begin + int.from_bytes(file[at : at + _WORD], "little")
    told = file[begin:end]
    if len(told) != end - begin or crc32(told) != int.from_bytes(file[at + _WORD : begin], "little"):
        raise HandFileError("its heads are not what was written")
    heads = {name: _head(fields) for name, fields in json.loads(bytes(told)).items()}
    first = end + -end % PAGE
    if short := [name for name, head in heads.items() if first + head.end > len(file)]:
        raise HandFileError(f"it ends before {short[0]!r} does")
    return {name: partial(_table, name, head, file, first, sound or is_whole) for name, head in heads.items()}


@dataclass(frozen=True, slots=True)
class _Head:
    ranks: str
    kinds: tuple[HandName, ...]
    starts: tuple[int, ...]
    begin: int
    between: int
    end: int
    sum: int


def _head(told: Mapping[str, Any]) -> _Head:
    begin, between, end = told["places"]
    kinds = tuple([HandName(kind) for kind in told["kinds"]])
    return _Head(told["ranks"], kinds, tuple(told["starts"]), begin, between, end, told["sum"])


def _table(name: str, head: _Head, file: memoryview, first: int, sound: Sound) -> HandTable | None:
    begin, between, end = first + head.begin, first + head.between, first + head.end
    if not sound(name, begin, end, head.sum):
        return None
    mixed, suited = file[begin:between].cast("H"), file[between:end].cast("H")
    codes = _codes(head.ranks)
    of_cards = {rank + suit: code for rank, code in codes.items() for suit in SUITS}
    return HandTable(head.ranks, mixed, suited, head.kinds, head.starts, of_cards, _BIT_CODES)


def _codes(ranks: str) -> Mapping[str, int]:
    """The code of each rank of a deck: those of five cards add up to 0 or more."""
    second, most = sorted(_UNITS[rank] for rank in ranks)[-2:]
    whole = -(-(_ALIKE * most + second) // _HAND)
    return {rank: whole - _UNITS[rank] for rank in ranks}


def _tables() -> Iterator[tuple[str, HandTable]]:
    """Each table of the file, as it is made."""
    for deck, ladders in DECKS.items():
        for ace in Ace:
            for ladder in ladders:
                high = HandOrder(deck=deck, ladder=ladder, ace=ace).high_words
                yield name_of_high(*high), make_high_table(*high)
            low = HandOrder(deck=deck, ladder=ladders[0], ace=ace, winner=Winner.LOW).low_words
            yield name_of_low(*low), make_low_table(*low)


def _mixed(table: HandTable) -> Iterator[tuple[int, int]]:
    """The code in the file and the strength of each hand that is not of one suit."""
    codes = _codes(table.ranks)
    for ranks in combinations_with_replacement(table.ranks, _HAND):
        if max(map(ranks.count, ranks)) <= _ALIKE:
            yield _code(codes, ranks), table.mixed[_made_code(ranks)]


def _suited(table: HandTable) -> Iterator[tuple[int, int]]:
    """The code in the file and the strength of each hand of one suit."""
    for ranks in combinations(table.ranks, _HAND) if table.suited else ():
        yield _code(_BITS, ranks), table.suited[_made_code(ranks)]


def _code(codes: Mapping[str, int], ranks: Iterable[str]) -> int:
    return sum([codes[rank] for rank in ranks])


def _made_code(ranks: Iterable[str]) -> int:
    """The code in a table that is made; each suit has the same."""
    return sum([CODES[rank + SUITS[0]] for rank in ranks])


def _list_of(strengths: Iterable[tuple[int, int]]) -> bytes:
    placed = dict(strengths)
    numbers = array("H", bytes(_NUMBER * (max(placed, default=-1) + 1)))
    for code, strength in placed.items():
        numbers[code] = strength
    if byteorder != "little":
        numbers.byteswap()
    return numbers.tobytes()

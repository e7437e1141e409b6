"""The codes by which new tables enrol at the floor, as `feltd floor enrol-code` prints them: a line for each table.

A code is a secret as long as it is good: no message has one.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from feltd.provision.sheet import TABLE, Sheet
from feltd.text.typed_codes import FLOOR_LENGTH, bare, is_code
from toml_text.faults import Problem
from toml_text.words import did_you_mean

NO_CODES: Final[Mapping[str, str]] = {}


def read_codes(content: bytes, place: str, sheet: Sheet) -> tuple[dict[str, str], list[Problem]]:
    """The codes by table (its folder in the sheet), and every fault: with a single one no label is to be printed.

    `place`: the file, for messages.
    """
    tables = {row.cells[TABLE]: row.line for row in sheet.rows if row.cells.get(TABLE)}
    text = content.decode("utf-8-sig", errors="replace")
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        words = "it has no code: nobody could enrol a table by its label; for labels without codes leave --codes out"
        return {}, [Problem(place, None, "", words)]
    codes, problems, seen = dict[str, str](), list[Problem](), dict[str, int]()
    for number, words_of in lines:
        problems += [Problem(place, number, "", fault) for fault in _line_faults(words_of, tables, seen)]
        seen.setdefault(words_of[0], number)
        seen.setdefault(_code_in(words_of), number)
        codes[words_of[0]] = words_of[-1]
    problems += [
        Problem(place, None, "", f'no line has the code of table "{table}" ({sheet.file}:{line})')
        for table, line in tables.items()
        if table not in codes
    ]
    return codes, problems


def _line_faults(words: list[str], tables: Mapping[str, int], seen: Mapping[str, int]) -> Iterator[str]:
    """`seen`: the lines of the tables and codes before, each code as all ways to type it come out."""
    table, code = words[0], _code_in(words)
    if not code:
        yield "is not TABLE CODE, as `feltd floor enrol-code` prints a line; TABLE is the sheet's first column"
        return
    if tables and table not in tables:
        yield f'the sheet has no table "{table}"{did_you_mean(table, list(tables))}'
    if table in seen:
        yield f'table "{table}" has its code at line {seen[table]} already'
    if code in seen:
        yield f"its code is that of line {seen[code]}, and each is good once"


def _code_in(words: list[str]) -> str:
    """The code of a line; empty where it has none."""
    return f" {bare(words[1])}" if len(words) == 2 and is_code(words[1], FLOOR_LENGTH) else ""

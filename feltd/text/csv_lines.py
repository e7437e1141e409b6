"""The lines of a CSV that a spreadsheet may have written: in UTF-8, with commas or semicolons as its first line has."""

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from feltd.text.catalogue import say
from feltd.text.utf8 import is_utf8

_LINE_END: Final = re.compile(rb"\r\n|\r|\n")


class UnreadError(Exception):
    """A file that cannot be read. `lines`: where, from 1; None for the whole."""

    def __init__(self, text: str, *lines: int | None) -> None:
        super().__init__(text)
        self.lines = lines


def text_of(content: bytes) -> str:
    """The text of a file, without a byte order mark. Raises UnreadError, with every line that is no UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadError(no_utf8(), *lines_no_utf8(content)) from None


def no_utf8() -> str:
    """What is wrong with a line of other bytes, in words."""
    return say("this is not UTF-8: save the file as CSV UTF-8")


def lines_no_utf8(content: bytes) -> list[int]:
    """The numbers, from 1, of the lines that are no UTF-8."""
    return [line for line, told in enumerate(_LINE_END.split(content), 1) if not is_utf8(told)]


def csv_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line, with the number at which it begins. Raises UnreadError where a line is no CSV."""
    for line, cells in lines_and_faults(text):
        if isinstance(cells, str):
            raise UnreadError(cells, line)
        yield line, cells


def lines_and_faults(text: str) -> Iterator[tuple[int, list[str] | str]]:
    """The cells of each line, with the number at which it begins; of a line that is no CSV its fault, in words.

    >>> [(line, cells) for line, cells in lines_and_faults('7;"a" b\\n8;c') if isinstance(cells, list)]
    [(2, ['8', 'c'])]
    """
    written = io.StringIO(text, newline="").readlines()
    first = written[0] if written else ""
    delimiter = ";" if first.count(";") > first.count(",") else ","
    done = 0
    while done < len(written):
        reader = csv.reader(islice(written, done, None), delimiter=delimiter, strict=True)
        begins = done + 1
        try:
            for cells in reader:
                yield begins, cells
                begins = done + reader.line_num + 1
            done = len(written)
        except csv.Error as fault:
            yield begins, say("this is no CSV: {fault}; a quote within quotes is written twice", fault=fault)
            done = begins  # the next line is read for itself: an open quote would hide every fault behind it

"""The lines of a CSV that a spreadsheet may have written: in UTF-8, with commas or semicolons."""

import csv
import io
from collections.abc import Iterator

from feltd.text.catalogue import say
from feltd.text.utf8 import is_utf8


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
        lines = [line for line, told in enumerate(content.split(b"\n"), 1) if not is_utf8(told)]
        raise UnreadError(say("this is not UTF-8: save the file as CSV UTF-8"), *lines) from None


def csv_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line, with the number at which it begins. Raises UnreadError where a line is no CSV."""
    first = text.partition("\n")[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    begins = 1
    try:
        for cells in reader:
            yield begins, cells
            begins = reader.line_num + 1
    except csv.Error as fault:
        words = say("this is no CSV: {fault}; a quote within quotes is written twice", fault=fault)
        raise UnreadError(words, begins) from None

"""A list that is handed out and has only its newest lines says so, in the file and to the page."""

from typing import Final

NEWEST: Final = "x-feltd-newest"
"""The header of such an answer: how many it has."""


def newest_alone(most: int) -> str:
    """Return the last line of such a list, in English as the list itself is."""
    return f"NOT COMPLETE: the newest {most} alone; earlier ones are left out, export a shorter time for them"


def headers(*, cut: bool, most: int) -> dict[str, str]:
    """Return the headers of a list: none where it is whole."""
    return {NEWEST: str(most)} if cut else {}

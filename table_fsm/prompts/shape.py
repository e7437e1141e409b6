"""The base of prompts' JSON objects, and what several of them have."""

from collections.abc import Mapping
from typing import TypeAlias

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict  # before Python 3.12 pydantic refuses the one of `typing`

Amounts: TypeAlias = dict[str, int | None]
"""Cents, or a tournament's points, by seat number; null where the amount is not known."""
Json: TypeAlias = Mapping[str, object]
"""A JSON object that may be a prompt's."""


@with_config(ConfigDict(use_attribute_docstrings=True))
class Shape(TypedDict):
    """A JSON object that has these keys. A later version may add some; it renames none."""


def by_text(amounts: Mapping[int, int | None]) -> Amounts:
    """Amounts by seat, as JSON has them."""
    return {str(seat): cents for seat, cents in amounts.items()}


def by_seat(amounts: object) -> dict[int, int | None]:
    """The same read back; what is no amount is left out. Raises ValueError for a key that is no number."""
    found = amounts if isinstance(amounts, dict) else {}
    return {int(seat): cents for seat, cents in found.items() if isinstance(cents, int | None)}


def seats_of(seats: object) -> tuple[int, ...]:
    """The seats of a JSON list; what is no number is left out."""
    return tuple(seat for seat in seats if isinstance(seat, int)) if isinstance(seats, list) else ()

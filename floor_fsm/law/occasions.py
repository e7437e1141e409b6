"""The occasions on which all players draw seats anew."""

from enum import StrEnum


class Occasion(StrEnum):
    """An occasion of a redraw."""

    FINAL_TABLE = "final_table"
    OVERNIGHT = "overnight"
    LAST_NINE = "last_nine"
    DIRECTOR = "director"
    """One that the director has added, and told the players of."""

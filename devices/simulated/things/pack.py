"""The pack of cards that the simulated shoe is filled with."""

from typing import Final

from table_fsm.felt import RANKS, SUITS

FULL_PACK: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""A full deck in the order of the box it comes in."""

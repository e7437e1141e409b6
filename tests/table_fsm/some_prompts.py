"""Prompts that hypothesis makes up: each is one that a table could give."""

from dataclasses import fields
from typing import Any, Final

from hypothesis import strategies as st

from table_fsm.felt import SEATS, ZONES
from table_fsm.prompts.types import PROMPTS, Prompt, ReturnBet, WaitReason

seats = st.sampled_from(SEATS)
zones = st.sampled_from(sorted(ZONES))
cents = st.none() | st.integers(0, 10**9)
amounts = st.dictionaries(seats, cents, max_size=3)
FIELDS: Final[dict[str, st.SearchStrategy[Any]]] = {
    "seat": seats,
    "seats": st.lists(seats, max_size=3).map(tuple),
    "check_beats": st.lists(seats, max_size=3).map(tuple),
    "zone": zones,
    "zones": st.lists(zones, max_size=4).map(tuple),
    "by": st.none() | zones,
    "deck": st.none() | st.sampled_from(["blue", "red"]),
    "face": st.sampled_from(["down", "up"]),
    "cards": st.sampled_from(["low_card", "high_card", "high_hand", "low_hand"]),
    "count": st.integers(1, 10),
    "owes": cents,
    "check": st.booleans(),
    "by_key": st.booleans(),
    "amounts": amounts,
    "return_bet": st.none() | st.builds(ReturnBet, seats, cents),
    "reason": st.sampled_from(WaitReason),
}
"""What a field of that name may be, in every prompt that has one."""


def of_type(kind: type[Prompt]) -> st.SearchStrategy[Prompt]:
    """Every prompt of a type that the table could give."""
    return st.builds(kind, **{field.name: FIELDS[field.name] for field in fields(kind)})


def prompts() -> st.SearchStrategy[Prompt]:
    """Every prompt that the table could give."""
    return st.one_of([of_type(kind) for kind in PROMPTS])

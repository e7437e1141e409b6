"""Outputs that tests make up, where any of a type will do."""

from dataclasses import replace
from typing import Any, Final

from table_fsm.outputs import Output, Ruling

_RULING: Final = Ruling(
    id=1,
    supersedes=None,
    rulebook="tas-2018-holdem",
    rule="19.4",
    irregularity="hole_exposed",
    outcome="call_floor",
    also=(),
    seat=3,
    authority="supervisor",
    pending=True,
    text="A person decides.",
)


def ruling(t: float, **changes: Any) -> Output:
    """A ruling at table second `t`. `changes`: of its fields."""
    return Output(t, replace(_RULING, **changes))

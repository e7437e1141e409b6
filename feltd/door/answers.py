"""The table's answers as the record has them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """An output of the table, as the record numbers it.

    `seq`: its entry in the record. `wall`: seconds since 1970. `kind`: the output's key. `output`: as JSON, `t`
    included; face-down cards in it are sealed where it was read back from the record.
    """

    seq: int
    wall: float
    round: int | None
    kind: str
    output: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NewAnswers:
    """What the table has answered since a follower was told last, oldest first.

    `missed_until`: the follower has not been told of everything up to this entry, which the record has; None where
    nothing is missing.
    """

    answers: tuple[Answer, ...]
    missed_until: int | None = None

"""Who posts the ante of a level, how much, and in what order with the big blind.

- ACT 2001, 8.8(b) and H 3.4: each player posts it.
- The Star 7.14: the big blind posts one for all, the amount of the big blind, after the big blind.
- Onyx, Blinds & Big Blind Ante System 3: the same before the big blind; the amount of the small blind at a final
  table of six or fewer and in six-max; none heads-up.
"""

from dataclasses import dataclass
from enum import Enum

from table_fsm.structures.structure import Level


class AntePayer(Enum):
    """The player who posts the ante."""

    EVERYONE = "everyone"
    BIG_BLIND = "big_blind"


@dataclass(frozen=True, slots=True)
class BigBlindAnteRules:
    """A book's rules of the big-blind ante; the defaults are The Star's."""

    before_blind: bool = False
    """Whether the ante has priority over the big blind where the stack is too short for both."""
    small_blind_from: int | None = None
    """At a final table of this many players or fewer, and in six-max, the ante is the small blind's amount; None:
    never."""
    heads_up: bool = True
    """Whether there is an ante between two players."""


@dataclass(frozen=True, slots=True)
class AnteDue:
    """The ante of one deal."""

    cents: int
    payer: AntePayer
    before_blind: bool


def ante_due(
    level: Level, rules: BigBlindAnteRules, *, players: int, final_table: bool = False, six_max: bool = False
) -> AnteDue | None:
    """The ante of a deal to `players` players at this level; None where there is none.

    `final_table`, `six_max`: as the table was opened. `rules` speak of the big-blind ante only.
    """
    if level.ante is None:
        return None
    if not level.big_blind_ante:
        return AnteDue(level.ante, AntePayer.EVERYONE, before_blind=True)
    if players <= 2 and not rules.heads_up:
        return None
    few = rules.small_blind_from is not None and (six_max or (final_table and players <= rules.small_blind_from))
    return AnteDue(level.blinds[0] if few else level.ante, AntePayer.BIG_BLIND, rules.before_blind)


def posted_from(stack: int, blind: int, ante: AnteDue | None) -> tuple[int, int]:
    """Return what a big blind with this stack posts as (blind, ante), in cents.

    The part that is first in order is paid first. The Star 7.14, 7.27. Onyx, Blinds & Big Blind Ante System 3: "The
    ante will always hold priority over the big blind."
    """
    due = ante.cents if ante else 0
    if ante and ante.before_blind:
        paid = min(stack, due)
        return min(stack - paid, blind), paid
    paid = min(stack, blind)
    return paid, min(stack - paid, due)

"""The part of reports: what tables told that cannot be, until a person has looked at it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from floor_fsm.core.parts import Parts
from floor_fsm.errors import Reason, Refused
from floor_fsm.messages.hands import HandOver, WentOut
from floor_fsm.state.floor import Stacks
from floor_fsm.state.stack_limits import too_many_beside_others

OPEN_MOST: Final = 50
"""Reports of one table that wait for a person; of more its oldest are left to the events, and counted.

No table pushes out what another has told.
"""


@dataclass(frozen=True, slots=True)
class Report:
    """What a table told that cannot be. `entry`, `seat`: whom it is about, as far as that is known."""

    number: int
    table: str
    entry: int | None
    seat: int | None
    words: str
    clause: str | None


@dataclass(frozen=True, slots=True)
class Reports:
    """The part. `open`: what nobody has settled. `next`: the number that no report has had.

    `left_out`: by table, how many beyond `OPEN_MOST` were left to the events, until its others are settled.
    """

    open: tuple[Report, ...] = ()
    next: int = 1
    left_out: Mapping[str, int] = field(default_factory=dict)

    def of(self, table: str) -> tuple[Report, ...]:
        """Those of one table."""
        return tuple(one for one in self.open if one.table == table)


def stacks_that_cannot_be(parts: Parts, event: HandOver) -> Mapping[int, Refused]:
    """Of who is out of a hand: whose chips cannot be as they were told, each with why.

    More went into the pots than there was, or who is out had more than there is in play, or than others left them.
    """
    in_play, wrong, rule = parts.of(Stacks).on_tables, dict[int, Refused](), parts.law.book.places
    clause, outs = None if rule is None else rule.clause, {one.entry for one in event.out}
    for one in event.out:
        if one.stack is not None and one.put_in is not None and one.put_in > one.stack:
            words = f"entry {one.entry} put {one.put_in} chips in, and had {one.stack}: count again"
            wrong[one.entry] = Refused(Reason.DOES_NOT_ADD_UP, words, clause)
        elif _had(one) > in_play:
            words = f"entry {one.entry} has {_had(one)} chips, and {in_play} are in play: count again"
            wrong[one.entry] = Refused(Reason.DOES_NOT_ADD_UP, words, clause)
        elif (too_many := too_many_beside_others(parts, event.table, outs, one.entry, _had(one))) is not None:
            wrong[one.entry] = too_many
    others = [one for one in event.out if one.entry not in wrong and _had(one)]
    together = sum(map(_had, others))
    if together > in_play:
        words = f"who is out had {together} chips, and {in_play} are in play: count again"
        wrong |= {one.entry: Refused(Reason.DOES_NOT_ADD_UP, words, clause) for one in others}
    return wrong


def _had(one: WentOut) -> int:
    return max(one.stack or 0, one.put_in or 0)

"""The subjects of a tournament, in the order in which they take an event; a subject may read the parts of all."""

from typing import Final

from floor_fsm.core.parts import Subject
from floor_fsm.subjects import (
    chips,
    clock,
    draw,
    entries,
    hands,
    money,
    opening,
    people,
    places,
    rebuys,
    refunds,
    reports,
    seating,
    sessions,
    tables,
)

SUBJECTS: Final[tuple[Subject, ...]] = (
    opening.SUBJECT,
    sessions.SUBJECT,
    draw.SUBJECT,
    seating.SUBJECT,
    refunds.SUBJECT,
    entries.SUBJECT,
    rebuys.SUBJECT,
    hands.SUBJECT,
    clock.SUBJECT,
    people.SUBJECT,
    places.SUBJECT,
    money.SUBJECT,
    chips.SUBJECT,
    tables.SUBJECT,
    reports.SUBJECT,
)

"""Custody's alarms at the pit: a person acknowledges or closes one, with why. It stays in the database."""

from dataclasses import dataclass
from typing import Final

from feltd.door.commands import Person
from feltd.door.wire.calls import Call

STATES: Final = ("acknowledged", "closed")
REASON_MOST: Final = 500


@dataclass(frozen=True, slots=True)
class AlarmAnswered:
    """A person's answer.

    `number`: the alarm's; `times`: as often as the person has seen it told; `state`: of `STATES`.
    """

    number: int
    times: int
    state: str
    person: Person
    why: str


ANSWER_ALARM: Final[Call[AlarmAnswered, None]] = Call("answer_alarm", AlarmAnswered, None)

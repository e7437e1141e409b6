"""A person's decision, and the badge at the table that may sign it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

from feltd.door.bounds import Count, Many, Moment, Name, Number, Text, Words
from feltd.text.catalogue import say
from feltd.text.words import alarms_in_words, in_sentence, words_of
from table_fsm.felt import SEAT_COUNT, SHELVED_MINUTES_MOST, Decision
from table_fsm.rulebook.outcomes import Outcome

DEVICES_SEEN_MOST: Final = 500
STAFF_MOST: Final = 1000
"""People with a badge at one table."""


@dataclass(frozen=True, slots=True)
class SeenAlarms:
    """The alarms that a person acknowledges as they saw them: none that came later, and no other one's.

    `until`: table seconds; what was raised by then. `cleared`: those alone whose cause is gone. `devices`, `deck`: the
    alarms' own, beside the decision's kind and seat; without a kind all that were raised by then.
    """

    until: Moment
    cleared: bool
    devices: Annotated[tuple[Name, ...], Many(DEVICES_SEEN_MOST)]
    deck: Name | None


@dataclass(frozen=True, slots=True)
class DecisionRequest:
    """A person's decision.

    `decision` and `outcome` are members of `table_fsm`'s sets, by name. `outcome`: replaces the ruling's, with
    `overrule` only. `reason`: for the record. `seat`: the player, with `exclude`. `alarm`: the kind of the alarms
    that are acknowledged or shelved, None for all; `device`: of these its own; `minutes`: for how long they are
    shelved. With an alarm, `seat` is the alarms' own. `seen`: what is acknowledged, exactly; None for all of the kind.
    """

    decision: Name
    ruling: Count | None
    outcome: Name | None
    reason: Words | None
    seat: Annotated[int, Number(1, SEAT_COUNT)] | None = None
    alarm: Name | None = None
    device: Name | None = None
    minutes: Annotated[int, Number(1, SHELVED_MINUTES_MOST)] | None = None
    seen: SeenAlarms | None = None

    def in_words(self) -> str:
        """The decision in a few words, e.g. `overrule ruling 7: play continues`."""
        words = in_sentence(words_of(Decision, self.decision))
        if self.seat is not None and self.alarm is None:
            words += say(", seat {seat}", seat=self.seat)
        about = "" if self.ruling is None else say(" ruling {ruling}", ruling=self.ruling)
        if self.alarm is not None:
            devices = () if self.seen is None else self.seen.devices
            deck = None if self.seen is None else self.seen.deck
            about = f" {alarms_in_words(self.alarm, devices or filter(None, [self.device]), self.seat, deck)}"
        instead = "" if self.outcome is None else f": {words_of(Outcome, self.outcome)}"
        how_long = "" if self.minutes is None else say(" for {minutes} min", minutes=self.minutes)
        return f"{words}{about}{instead}{how_long}"


class SignatureState(StrEnum):
    """What became of a decision that a badge was to sign."""

    WAITING = "waiting"
    DONE = "done"
    REFUSED = "refused"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class SignatureFacts:
    """A decision that waits for a badge, or how that ended.

    `asked_by`: the account; `signed_by`: the badge; `detail`: why it was not done, or why the last badge was not
    taken; `entry`: its last entry in the record, where it was done.
    """

    id: int
    state: SignatureState
    decision: str
    ruling: int | None
    outcome: str | None
    asked_by: str
    signed_by: str | None
    seconds_left: float
    detail: str | None
    entry: int | None


@dataclass(frozen=True, slots=True)
class StaffMember:
    """Somebody with a badge. `role`: of their account; `enabled`: false where the account is shut."""

    badge: Annotated[str, Text(64, 1)]
    account: Name
    role: Name
    enabled: bool


@dataclass(frozen=True, slots=True)
class BadgeHolder:
    """The account that a badge belongs to.

    `refusal`: why its holder may not decide; None if they may.
    """

    account: str
    refusal: str | None

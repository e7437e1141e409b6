"""Custody's alarms as people answer them, and proofs of all that is kept: what of both the database holds.

An alarm is acknowledged or closed, with who and why, and stays in the database as evidence. One that is told again
after it was closed is open again.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Protocol

from feltd.floor.alarm_kinds import Alarm
from feltd.floor.facts import Fact, FactKind, Told

NEWS_FROM: Final = 1_000_000_000_000
"""Behind this number the news of alarms are numbered: no fact has such a number."""


class AlarmState(StrEnum):
    """Whether somebody has answered an alarm."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    CLOSED = "closed"


class Answered(StrEnum):
    """What became of an answer."""

    DONE = "done"
    UNKNOWN = "unknown"
    """There is no alarm of this number."""
    ALREADY = "already"
    """Somebody else was first."""


@dataclass(frozen=True, slots=True)
class Standing:
    """An alarm with its number, and its last answer.

    `since`, `latest`: when it was told first and last, seconds since 1970; `who`, `why`: empty where nobody has
    answered.
    """

    number: int
    alarm: Alarm
    since: float
    latest: float
    state: AlarmState = AlarmState.OPEN
    who: str = ""
    why: str = ""
    answered: float | None = None


@dataclass(frozen=True, slots=True)
class AlarmAnswer:
    """A person's answer. `times`: as often as the person has seen it told."""

    number: int
    times: int
    state: AlarmState
    who: str
    why: str


@dataclass(frozen=True, slots=True)
class Proof:
    """One proof of every journal. `began`, `ended`: seconds since 1970."""

    began: float
    ended: float
    journals: int
    entries: int
    faults: int


class StandingAlarms(Protocol):
    """Where they are kept. Each call raises FloorAwayError."""

    async def standing(self, *, closed: bool = False) -> list[Standing]:
        """Every alarm that nobody has closed, oldest first; `closed`: the others too."""

    async def answer(self, answer: AlarmAnswer) -> Answered:
        """Keep an answer for good."""

    async def news(self, after: int, most: int) -> list[Told]:
        """What has become of alarms behind number `after`, in order."""

    async def last(self) -> int:
        """The number of the last news; 0 for none."""

    async def taken(self, follower: str) -> int | None:
        """The number up to which this follower was told; None where it never was."""

    async def keep_taken(self, follower: str, number: int) -> None:
        """Keep how far a follower was told."""

    async def keep_proof(self, proof: Proof) -> None:
        """Keep that all was proved, for good."""

    async def last_proof(self) -> Proof | None:
        """The last proof; None for none."""


def news_of(number: int, standing: Standing, state: str, wall: float) -> Told:
    """What has become of an alarm, as whoever follows gets it."""
    alarm = standing.alarm
    body = {
        "alarm": standing.number, "kind": alarm.kind.value, "state": state, "words": alarm.text, "times": alarm.times,
        "who": standing.who or None, "why": standing.why or None,
    }  # fmt: skip
    return Told(number, alarm.table, alarm.journal, Fact(alarm.seq, FactKind.CUSTODY, None, wall, body))


class MemoryStanding:
    """In memory. `told`: every alarm that was told, oldest first; `taken`, `keep_taken`: see `MemoryFacts`."""

    def __init__(self, told: Callable[[], list[Alarm]], clock: Callable[[], float]) -> None:
        self._told = told
        self._clock = clock
        self._answers: dict[int, tuple[AlarmAnswer, float]] = {}
        self._news: list[Told] = []
        self._since: dict[int, tuple[float, float]] = {}
        self._taken: dict[str, int] = {}
        self._proofs: list[Proof] = []

    def raised(self, number: int) -> None:
        """The alarm of this number was told once more."""
        now, [standing] = self._clock(), self._of(number)
        self._since[number] = self._since.get(number, (now, now))[0], now
        answer = self._answers.get(number)
        times = standing.alarm.times
        if times == 1 or (answer is not None and answer[0].state is AlarmState.CLOSED and answer[0].times == times - 1):
            self._add_news(replace(standing, who="", why=""), "raised")

    async def standing(self, *, closed: bool = False) -> list[Standing]:
        """See `StandingAlarms`."""
        return [one for one in self._of() if closed or one.state is not AlarmState.CLOSED]

    async def answer(self, answer: AlarmAnswer) -> Answered:
        """See `StandingAlarms`."""
        found = self._of(answer.number)
        if not found:
            return Answered.UNKNOWN
        [held] = found
        if held.state is AlarmState.CLOSED or held.state is answer.state:
            return Answered.ALREADY
        kept = replace(answer, times=min(answer.times, held.alarm.times))
        self._answers[answer.number] = kept, self._clock()
        self._add_news(self._of(answer.number)[0], answer.state.value)
        return Answered.DONE

    async def news(self, after: int, most: int) -> list[Told]:
        """See `StandingAlarms`."""
        return [told for told in self._news if told.number > after][:most]

    async def last(self) -> int:
        """See `StandingAlarms`."""
        return self._news[-1].number if self._news else 0

    async def taken(self, follower: str) -> int | None:
        """See `StandingAlarms`."""
        return self._taken.get(follower)

    async def keep_taken(self, follower: str, number: int) -> None:
        """See `StandingAlarms`."""
        self._taken[follower] = number

    async def keep_proof(self, proof: Proof) -> None:
        """See `StandingAlarms`."""
        self._proofs.append(proof)

    async def last_proof(self) -> Proof | None:
        """See `StandingAlarms`."""
        return self._proofs[-1] if self._proofs else None

    def _add_news(self, standing: Standing, state: str) -> None:
        self._news.append(news_of(NEWS_FROM + len(self._news) + 1, standing, state, self._clock()))

    def _of(self, number: int | None = None) -> list[Standing]:
        numbered = enumerate(self._told(), 1)
        return [self._one(n, alarm) for n, alarm in numbered if number in (None, n)]

    def _one(self, number: int, alarm: Alarm) -> Standing:
        since, latest = self._since.get(number, (0.0, 0.0))
        if number not in self._answers:
            return Standing(number, alarm, since, latest)
        answer, at = self._answers[number]
        over = answer.state is AlarmState.CLOSED and answer.times < alarm.times
        state = AlarmState.OPEN if over else answer.state
        return Standing(number, alarm, since, latest, state, answer.who, answer.why, at)

"""The schedule and the clock."""

from typing import Annotated, ClassVar

from pydantic import BaseModel, Field

from floor_fsm.core.event import FROZEN, Chips, Event

Seconds = Annotated[float, Field(ge=0, le=10**7, allow_inf_nan=False)]


class LevelRow(BaseModel):
    """A level of the schedule, in its order. `race_off`: the chip that is raced off after it."""

    model_config = FROZEN
    seconds: Annotated[float, Field(gt=0, le=10**6, allow_inf_nan=False)]
    blinds: Annotated[tuple[Chips, ...], Field(max_length=3, strict=False)] = ()
    ante: Chips | None = None
    big_blind_ante: bool = False
    race_off: Chips | None = None
    break_after: Seconds | None = None


class ScheduleSet(Event):
    """One schedule for all tables. `doubling_minutes`: after the last level blinds double; None: it stays."""

    ev: ClassVar[str] = "schedule"
    levels: Annotated[tuple[LevelRow, ...], Field(min_length=1, max_length=100, strict=False)]
    doubling_minutes: Annotated[int, Field(ge=1, le=600)] | None = None


class ClockPut(Event):
    """The director sets the clock: seconds of play, and whether it runs."""

    ev: ClassVar[str] = "clock.put"
    running: bool
    elapsed: Seconds


class ClockRan(Event):
    """The clock runs on."""

    ev: ClassVar[str] = "clock.runs"


class ClockStood(Event):
    """The clock stands: a break that no schedule has, an interruption."""

    ev: ClassVar[str] = "clock.stands"


class ActionClockPut(Event):
    """The action clock comes into play, or is asked to leave it."""

    ev: ClassVar[str] = "action_clock"
    on: bool

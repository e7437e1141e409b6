"""What people do from the page: rulings decided, seats and clocks changed, the tournament led.

Each becomes one event of the table, taken at once or refused with the reason; who, from where and why stand in the
record before it, and the answer comes when all of that is on the disk.
"""

from collections.abc import Awaitable, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal, TypeVar

from fastapi import APIRouter, Depends, Path, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from feltd.door import Answered, CommandRefused, DecisionRequest, NotOnDiskError, PlayStopped, SeenAlarms, TableDoor
from feltd.door.decisions import DEVICES_SEEN_MOST
from feltd.page.access.roles import Right
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.api.signature_models import SignatureView, detail_in_words
from table_fsm import events as ev
from table_fsm import felt
from table_fsm.prompts.shapes import PromptJson
from table_fsm.rulebook.outcomes import Outcome

Seat = Annotated[int, Field(ge=1, le=10)]
SeatPath = Annotated[int, Path(ge=1, le=10)]
SignatureNumber = Annotated[int, Path(ge=1, le=2**53)]
Reason = Annotated[str, Field(min_length=3, max_length=500, description="why, for the record")]
DeviceName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9:_-]{0,63}$")]
Cents = Annotated[int, Field(ge=0, le=10**12)]

_REFUSALS: Final = documented(
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.CONFLICT,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
NOW: Final = 0.0
"""The `t` of an event by hand: the table puts its own time in."""
_T = TypeVar("_T")


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Seen(_Body):
    """The alarms that are acknowledged, as they were seen: none that came later, and no other one's."""

    until: Annotated[float, Field(ge=0, le=10**12, allow_inf_nan=False, strict=False)] = Field(
        description="table seconds: the alarms that were raised by then; the latest `since` of those that were seen"
    )
    cleared: bool = Field(description="those alone whose cause is gone")
    devices: Annotated[list[DeviceName], Field(max_length=DEVICES_SEEN_MOST)] = Field(
        description="with `alarm`: the alarms' own; none: those without a device"
    )
    deck: Annotated[str, Field(pattern=r"\S", max_length=64)] | None = Field(
        description="with `alarm`: the alarms' own; null: those without a deck"
    )

    def as_request(self) -> SeenAlarms:
        """As the table takes it."""
        return SeenAlarms(self.until, self.cleared, tuple(self.devices), self.deck)


class Decision(_Body):
    """A decision on a ruling that waits, on alarms, or a floor decision, which names none."""

    decision: Annotated[felt.Decision, Field(strict=False)]
    ruling: Annotated[int, Field(ge=1, le=2**53)] | None = Field(default=None, description="the ruling's id")
    outcome: Annotated[Outcome, Field(strict=False)] | None = Field(
        default=None, description="the outcome that replaces the ruling's; with overrule only"
    )
    seat: Seat | None = Field(default=None, description="the player, with exclude; else the alarms' own")
    reason: Reason | None = Field(default=None, description="why; overrule, misdeal, void and exclude need it")
    alarm: Annotated[str, Field(pattern=r"^[a-z0-9_.]{1,64}$")] | None = Field(
        default=None, description="a kind of alarms, with acknowledge, shelve and unshelve only: these alone"
    )
    device: DeviceName | None = Field(default=None, description="with `alarm`: the alarms of this device alone")
    seen: Seen | None = Field(default=None, description="with acknowledge: these alarms alone, as they were seen")
    minutes: Annotated[int, Field(ge=1, le=felt.SHELVED_MINUTES_MOST)] | None = Field(
        default=None, description="how long the alarms are shelved; with shelve only"
    )
    signature: Literal["badge"] | None = Field(
        default=None, description="have a badge of somebody who may decide sign it at the table"
    )

    @model_validator(mode="after")
    def _whole(self) -> "Decision":
        needs = self.decision.needs
        if felt.Need.REASON in needs and self.reason is None:
            raise ValueError(f"{self.decision} needs a reason")
        if felt.Need.OUTCOME in needs and (self.ruling is None or self.outcome is None):
            raise ValueError(f"{self.decision} needs a ruling and an outcome")
        if felt.Need.OUTCOME not in needs and self.outcome is not None:
            raise ValueError("an outcome belongs to overrule")
        of_alarms = felt.Need.ALARM in needs
        acknowledges = self.decision is felt.Decision.ACKNOWLEDGE and self.ruling is None
        of_alarm = of_alarms or (acknowledges and self.alarm is not None)
        if not of_alarm and (felt.Need.SEAT in needs) is not (self.seat is not None):
            raise ValueError("a seat belongs to exclude, and exclude needs one")
        if of_alarms and (self.alarm is None or self.ruling is not None):
            raise ValueError(f"{self.decision} needs an alarm, and has no ruling")
        if (felt.Need.MINUTES in needs) is not (self.minutes is not None):
            raise ValueError("minutes belong to shelve, and shelve needs them")
        if self.alarm is not None and not (of_alarms or acknowledges):
            raise ValueError("an alarm belongs to acknowledge, without a ruling")
        if self.device is not None and self.alarm is None:
            raise ValueError("a device belongs to an alarm")
        if self.seen is not None and not (acknowledges and self.device is None):
            raise ValueError("what was seen belongs to acknowledge, without a ruling, and has its own devices")
        return self


class SeatChange(_Body):
    """What has become of a seat."""

    change: Literal["in", "out", "away", "back"]
    reason: Reason | None = None


class CountedStack(_Body):
    """A stack that was counted."""

    cents: Cents


class ImposedPenalty(_Body):
    """Hands or orbits away from the table: one of the two."""

    hands: Annotated[int, Field(ge=1, le=100)] | None = None
    orbits: Annotated[int, Field(ge=1, le=10)] | None = None
    reason: Reason

    @model_validator(mode="after")
    def _one(self) -> "ImposedPenalty":
        if (self.hands is None) == (self.orbits is None):
            raise ValueError("give hands or orbits, one of the two")
        return self


class PlayerClock(_Body):
    """A clock on a player, begun or ended."""

    run: bool


class TournamentTime(_Body):
    """The tournament's clock. `elapsed`: seconds of play."""

    running: bool
    elapsed: Annotated[float, Field(ge=0, le=10**7, allow_inf_nan=False, strict=False)]


class HandForHand(_Body):
    """Hand for hand begins or ends."""

    on: bool


class Race(_Body):
    """A chip race. `odd`: odd chips by seat; `last`: seats that have nothing else."""

    chip: Annotated[int, Field(ge=1, le=10**12)]
    new_chip: Annotated[int, Field(ge=1, le=10**12)]
    odd: dict[Annotated[str, Field(pattern=r"^([1-9]|10)$")], Annotated[int, Field(ge=0, le=1000)]]
    last: list[Seat] = []


class TestModeSwitch(_Body):
    """Devices are being tested, or no longer. While they are, no round starts."""

    __test__ = False  # pytest: this is no test class

    on: bool
    reason: Reason | None = None


_SEAT_EVENTS: Final[Mapping[str, type[ev.SeatIn | ev.SeatOut | ev.SeatAway | ev.SeatBack]]] = {
    "in": ev.SeatIn,
    "out": ev.SeatOut,
    "away": ev.SeatAway,
    "back": ev.SeatBack,
}


class Done(BaseModel):
    """It was done, and the record holds it. `rulings`: what the table ruled on it."""

    entry: int = Field(description="the last entry of it in the record")
    rulings: list[dict[str, Any]]
    prompt: PromptJson | None = Field(description="what the dealer should do now")


async def until_kept(command: Awaitable[_T], done: str) -> _T:
    """Return the table's answer to a command, once it is recorded.

    `done`: what has happened by then, for the error if recording it fails. Raises ApiProblem: 409 where the table
    refuses the command, 503 where it cannot be recorded.
    """
    try:
        return await command
    except CommandRefused as refusal:
        raise ApiProblem(HTTPStatus.CONFLICT, str(refusal)) from None
    except PlayStopped as stopped:
        raise ApiProblem(HTTPStatus.SERVICE_UNAVAILABLE, str(stopped)) from None
    except NotOnDiskError as fault:
        raise ApiProblem(HTTPStatus.SERVICE_UNAVAILABLE, f"{done}, and not on the disk yet: {fault}") from None


async def _done(command: Awaitable[Answered]) -> Done:
    """The answer to an event by hand. Raises ApiProblem as `until_kept`, and 409 with the table's own refusal."""
    answered = await until_kept(command, "taken")
    if answered.refusal is not None:
        raise ApiProblem(HTTPStatus.CONFLICT, answered.refusal)
    rulings = [dict(ruling) for ruling in answered.rulings]
    return Done(entry=answered.entry, rulings=rulings, prompt=answered.prompt)


def action_router(guard: Guard, door: TableDoor) -> APIRouter:
    """Decisions, seats, clocks, tournament, test mode."""
    router = APIRouter(tags=["actions"], responses=_REFUSALS)
    _add_decisions(router, guard, door)
    _add_seats(router, guard, door)
    _add_tournament(router, guard, door)
    _add_test_mode(router, guard, door)
    return router


def _add_decisions(router: APIRouter, guard: Guard, door: TableDoor) -> None:
    asks = Depends(guard.need(Right.ASK))
    sees = Depends(guard.need(Right.SEE))

    @router.post("/decisions", responses={202: {"model": SignatureView, "description": "It waits for a badge."}})
    async def decide(body: Decision, response: Response, caller: Caller = asks) -> Done | SignatureView:
        """Acknowledge, confirm, overrule, misdeal, void, exclude a player, play on, resume, have the deck checked.

        With `signature` an observer may ask too, and a badge at the table signs it, shown twice: the answer is 202,
        and `GET /decisions/{id}` and the state say how it ended."""
        outcome = None if body.outcome is None else body.outcome.value
        decision = DecisionRequest(
            body.decision.value, body.ruling, outcome, body.reason, body.seat, body.alarm, body.device, body.minutes,
            None if body.seen is None else body.seen.as_request(),
        )  # fmt: skip
        if body.signature is not None:
            response.status_code = HTTPStatus.ACCEPTED
            asked = await until_kept(door.ask_for_badge(caller.person(), decision), "asked")
            return SignatureView.model_validate(asked)
        guard.require(caller, Right.DECIDE)
        return await _done(door.decide(caller.person(), decision))

    @router.get("/decisions/{number}")
    async def signed(number: SignatureNumber, caller: Caller = sees) -> SignatureView:
        """What became of a decision that a badge was to sign."""
        return await _signature(door, number)

    @router.delete("/decisions/{number}", status_code=HTTPStatus.NO_CONTENT)
    async def withdraw(number: SignatureNumber, caller: Caller = asks) -> None:
        """Take back a decision that a badge was to sign: the caller's own."""
        await _signature(door, number)
        await until_kept(door.withdraw(caller.person(), number), "withdrawn")


def _add_seats(router: APIRouter, guard: Guard, door: TableDoor) -> None:
    seats = Depends(guard.need(Right.SEAT))

    @router.post("/seats/{seat}")
    async def seat_change(seat: SeatPath, body: SeatChange, caller: Caller = seats) -> Done:
        """A player comes, goes, steps away, is back."""
        return await _take(door, caller, body.reason, _SEAT_EVENTS[body.change](t=NOW, seat=seat))

    @router.post("/seats/{seat}/stack")
    async def stack(seat: SeatPath, body: CountedStack, caller: Caller = seats) -> Done:
        """A counted stack, for placings and races."""
        return await _take(door, caller, None, ev.Stack(t=NOW, seat=seat, cents=body.cents))

    @router.post("/seats/{seat}/penalty")
    async def penalty(seat: SeatPath, body: ImposedPenalty, caller: Caller = seats) -> Done:
        """Hands or orbits away from the table."""
        event = ev.Penalty(t=NOW, seat=seat, hands=body.hands, orbits=body.orbits)
        return await _take(door, caller, body.reason, event)

    @router.post("/seats/{seat}/clock")
    async def clock(seat: SeatPath, body: PlayerClock, caller: Caller = seats) -> Done:
        """Put the clock on a player, or stop it."""
        staff = felt.StaffRole
        by = (staff.DIRECTOR if caller.may(Right.TOURNAMENT) else staff.SUPERVISOR).value
        event = ev.ClockCalled(t=NOW, seat=seat, by=by) if body.run else ev.ClockStop(t=NOW, seat=seat)
        return await _take(door, caller, None, event)


def _add_tournament(router: APIRouter, guard: Guard, door: TableDoor) -> None:
    leads = Depends(guard.need(Right.TOURNAMENT))

    @router.post("/tournament/clock")
    async def tournament_clock(body: TournamentTime, caller: Caller = leads) -> Done:
        """Set, start or stop the tournament's clock."""
        return await _take(door, caller, None, ev.TournamentClock(t=NOW, running=body.running, elapsed=body.elapsed))

    @router.post("/tournament/hand-for-hand")
    async def hand_for_hand(body: HandForHand, caller: Caller = leads) -> Done:
        """Hand for hand begins or ends."""
        return await _take(door, caller, None, ev.TournamentHandForHand(t=NOW, on=body.on))

    @router.post("/tournament/go")
    async def go(caller: Caller = leads) -> Done:
        """The next hand, or a showdown held back, may proceed."""
        return await _take(door, caller, None, ev.TournamentGo(t=NOW))

    @router.post("/tournament/race")
    async def race(body: Race, caller: Caller = leads) -> Done:
        """A chip race begins."""
        event = ev.RaceStart(t=NOW, chip=body.chip, new_chip=body.new_chip, odd=dict(body.odd), last=list(body.last))
        return await _take(door, caller, None, event)


def _add_test_mode(router: APIRouter, guard: Guard, door: TableDoor) -> None:
    tests = Depends(guard.need(Right.DEVICES))

    @router.post("/test-mode")
    async def test_mode(body: TestModeSwitch, caller: Caller = tests) -> Done:
        """Devices are being tested, or no longer: while they are, no round starts."""
        return await _take(door, caller, body.reason, ev.TestMode(t=NOW, on=body.on))


async def _take(door: TableDoor, caller: Caller, why: str | None, event: ev.Event) -> Done:
    return await _done(door.act(caller.person(), why, event))


async def _signature(door: TableDoor, number: int) -> SignatureView:
    """A decision that a badge was to sign. Raises ApiProblem: 404 for none."""
    signature = await door.signature(number)
    if signature is None:
        raise ApiProblem(HTTPStatus.NOT_FOUND, f"no decision {number} waits or has waited for a badge")
    return SignatureView.model_validate(replace(signature, detail=detail_in_words(signature.detail)))

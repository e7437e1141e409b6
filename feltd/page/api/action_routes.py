"""What people do from the page: rulings decided, seats and clocks changed, the tournament led.

Each becomes one event of the table, taken at once or refused with the reason; who, from where and why stand in the
record before it, and the answer comes when all of that is on the disk.
"""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Path, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from feltd.page.access.roles import Right
from feltd.page.access.signatures import SignatureRefused, Signatures, Wanted
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.keeping import until_kept
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.api.signature_models import SignatureView, signature_view
from feltd.table.journal import Journal
from feltd.table.keeper.deliveries import PlayStopped, Taken
from feltd.table.keeper.keeper import TableKeeper
from table_fsm import events as ev
from table_fsm import felt
from table_fsm.outputs import Ruling
from table_fsm.rulebook.irregularities import Outcome

Seat = Annotated[int, Field(ge=1, le=10)]
SeatPath = Annotated[int, Path(ge=1, le=10)]
SignatureNumber = Annotated[int, Path(ge=1, le=2**53)]
Reason = Annotated[str, Field(min_length=3, max_length=500, description="why, for the record")]
Cents = Annotated[int, Field(ge=0, le=10**12)]

_REFUSALS: Final = documented(
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.CONFLICT,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.SERVICE_UNAVAILABLE,
)


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Decision(_Body):
    """A decision on a ruling that waits, or of one's own motion."""

    decision: Annotated[felt.Decision, Field(strict=False)]
    ruling: Annotated[int, Field(ge=1, le=2**53)] | None = Field(default=None, description="the ruling's id")
    outcome: Annotated[Outcome, Field(strict=False)] | None = Field(
        default=None, description="what is to be instead; with overrule only"
    )
    reason: Reason | None = Field(default=None, description="why; overrule, misdeal and void need it")
    signature: Literal["badge"] | None = Field(
        default=None, description="have the next badge of somebody who may decide sign it at the table"
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
    prompt: dict[str, Any] | None = Field(description="what the dealer should do now")


class Actions:
    """Takes to the table what people do."""

    def __init__(self, keeper: TableKeeper, journal: Journal) -> None:
        self._keeper = keeper
        self._journal = journal

    async def take(self, caller: Caller, why: str | None, event: Callable[[float], ev.Event]) -> Done:
        """One event by hand, recorded. Raises ApiProblem: 409 with the table's reason, 503 if nothing is recorded."""
        try:
            taken = self._keeper.take_by_hand(caller.person(), why, event)
        except PlayStopped as stopped:
            raise ApiProblem(HTTPStatus.SERVICE_UNAVAILABLE, str(stopped)) from None
        await until_kept(self._journal, "taken")
        if taken.refusal is not None:
            raise ApiProblem(HTTPStatus.CONFLICT, taken.refusal)
        return self._done(taken)

    def waits_no_more(self, wanted: Wanted) -> str | None:
        """Why a decision is of no use: somebody else was first, or its cause is gone; None where it can be taken."""
        if wanted.ruling is None or wanted.decision not in felt.LETS_GO_ON:
            return None
        if wanted.ruling in self._keeper.table.waiting:
            return None
        how = self._keeper.pending_rulings.settled(wanted.ruling)
        said = f"{how.by} has decided it already" if how and how.by else "it waits for nobody any more"
        return f"ruling {wanted.ruling}: {said}"

    async def ask_for_signature(self, signatures: Signatures, caller: Caller, wanted: Wanted) -> SignatureView:
        """Have a decision wait for a badge, recorded. Raises ApiProblem: 409, 503 as `take`."""
        try:
            asked = signatures.ask(caller.person(), wanted)
        except SignatureRefused as refusal:
            raise ApiProblem(HTTPStatus.CONFLICT, str(refusal)) from None
        except PlayStopped as stopped:
            raise ApiProblem(HTTPStatus.SERVICE_UNAVAILABLE, str(stopped)) from None
        await until_kept(self._journal, "asked")
        return signature_view(asked, self.now)

    @property
    def now(self) -> float:
        """Table seconds."""
        return self._keeper.now

    def _done(self, taken: Taken) -> Done:
        rulings = [output.value.to_json() for output in taken.outputs if isinstance(output.value, Ruling)]
        return Done(entry=taken.seq, rulings=rulings, prompt=self._keeper.table.view()["prompt"])


def action_router(guard: Guard, actions: Actions, signatures: Signatures) -> APIRouter:
    """Decisions, seats, clocks, tournament, test mode."""
    router = APIRouter(tags=["actions"], responses=_REFUSALS)
    signed_in = Depends(guard.signed_in)
    sees = Depends(guard.need(Right.SEE))
    seats = Depends(guard.need(Right.SEAT))
    leads = Depends(guard.need(Right.TOURNAMENT))
    tests = Depends(guard.need(Right.DEVICES))

    @router.post("/decisions", responses={202: {"model": SignatureView, "description": "It waits for a badge."}})
    async def decide(body: Decision, response: Response, caller: Caller = signed_in) -> Done | SignatureView:
        """Acknowledge, confirm, overrule, declare a misdeal, void the round, play on, resume, have the deck checked.

        With `signature` whoever is signed in may ask, and a badge at the table signs it: the answer is 202, and
        `GET /decisions/{id}` and the state say how it ended."""
        wanted = Wanted(
            body.decision.value, body.ruling, None if body.outcome is None else body.outcome.value, body.reason
        )
        if body.signature is not None:
            response.status_code = HTTPStatus.ACCEPTED
            return await actions.ask_for_signature(signatures, caller, wanted)
        guard.require(caller, Right.DECIDE)
        gone = actions.waits_no_more(wanted)
        if gone is not None:
            raise ApiProblem(HTTPStatus.CONFLICT, gone)
        staff = caller.person().signature
        return await actions.take(caller, body.reason, lambda t: wanted.event(t, staff))

    @router.get("/decisions/{number}")
    async def signed(number: SignatureNumber, caller: Caller = sees) -> SignatureView:
        """What became of a decision that a badge was to sign."""
        found = signatures.find(number)
        if found is None:
            raise ApiProblem(HTTPStatus.NOT_FOUND, f"no decision {number} waits or has waited for a badge")
        return signature_view(found, actions.now)

    @router.delete("/decisions/{number}", status_code=HTTPStatus.NO_CONTENT)
    async def withdraw(number: SignatureNumber, caller: Caller = signed_in) -> None:
        """Take back what was asked for, by whoever asked."""
        if signatures.find(number) is None:
            raise ApiProblem(HTTPStatus.NOT_FOUND, f"no decision {number} waits or has waited for a badge")
        try:
            signatures.withdraw(caller.person(), number)
        except SignatureRefused as refusal:
            raise ApiProblem(HTTPStatus.CONFLICT, str(refusal)) from None

    @router.post("/seats/{seat}")
    async def seat_change(seat: SeatPath, body: SeatChange, caller: Caller = seats) -> Done:
        """A player comes, goes, steps away, is back."""
        change = _SEAT_EVENTS[body.change]
        return await actions.take(caller, body.reason, lambda t: change(t=t, seat=seat))

    @router.post("/seats/{seat}/stack")
    async def stack(seat: SeatPath, body: CountedStack, caller: Caller = seats) -> Done:
        """A counted stack, for placings and races."""
        return await actions.take(caller, None, lambda t: ev.Stack(t=t, seat=seat, cents=body.cents))

    @router.post("/seats/{seat}/penalty")
    async def penalty(seat: SeatPath, body: ImposedPenalty, caller: Caller = seats) -> Done:
        """Hands or orbits away from the table."""

        def event(t: float) -> ev.Event:
            return ev.Penalty(t=t, seat=seat, hands=body.hands, orbits=body.orbits)

        return await actions.take(caller, body.reason, event)

    @router.post("/seats/{seat}/clock")
    async def clock(seat: SeatPath, body: PlayerClock, caller: Caller = seats) -> Done:
        """Put the clock on a player, or stop it."""
        staff = felt.StaffRole
        by = (staff.DIRECTOR if caller.may(Right.TOURNAMENT) else staff.SUPERVISOR).value

        def event(t: float) -> ev.Event:
            return ev.ClockCalled(t=t, seat=seat, by=by) if body.run else ev.ClockStop(t=t, seat=seat)

        return await actions.take(caller, None, event)

    @router.post("/tournament/clock")
    async def tournament_clock(body: TournamentTime, caller: Caller = leads) -> Done:
        """Set, start or stop the tournament's clock."""
        return await actions.take(
            caller, None, lambda t: ev.TournamentClock(t=t, running=body.running, elapsed=body.elapsed)
        )

    @router.post("/tournament/hand-for-hand")
    async def hand_for_hand(body: HandForHand, caller: Caller = leads) -> Done:
        """Hand for hand begins or ends."""
        return await actions.take(caller, None, lambda t: ev.TournamentHandForHand(t=t, on=body.on))

    @router.post("/tournament/go")
    async def go(caller: Caller = leads) -> Done:
        """The next hand, or a showdown held back, may proceed."""
        return await actions.take(caller, None, lambda t: ev.TournamentGo(t=t))

    @router.post("/tournament/race")
    async def race(body: Race, caller: Caller = leads) -> Done:
        """A chip race begins."""

        def event(t: float) -> ev.Event:
            return ev.RaceStart(t=t, chip=body.chip, new_chip=body.new_chip, odd=dict(body.odd), last=list(body.last))

        return await actions.take(caller, None, event)

    @router.post("/test-mode")
    async def test_mode(body: TestModeSwitch, caller: Caller = tests) -> Done:
        """Devices are being tested, or no longer: while they are, no round starts."""
        return await actions.take(caller, body.reason, lambda t: ev.TestMode(t=t, on=body.on))

    return router

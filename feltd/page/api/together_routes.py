"""Steps that take two people: asked for by one, approved by another, each signed in by themselves."""

import logging
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from feltd.door import TableDoor, UnknownDeviceError
from feltd.door.together import OPEN, StepFacts, StepKind, StepState
from feltd.page.access.account_news import AccountNews
from feltd.page.access.account_steps import AccountStepRefused, AccountSteps
from feltd.page.access.accounts import Account, AccountError
from feltd.page.access.roles import Right
from feltd.page.access.second_person import APPROVES, ASKS, could_approve, why_not
from feltd.page.api.account_routes import own, prove
from feltd.page.api.action_routes import Reason, until_kept
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.api.proofs import Proven
from feltd.text.errors import FeltdError

FAULT_MOST: Final = 300
"""Letters of what went wrong that go on record."""
_log = logging.getLogger("feltd.access")

StepNumber = Annotated[int, Path(ge=1, le=2**53)]
NOBODY_ELSE: Final = (
    "nobody else has an account here that could approve it, and this takes two: at the console, feltd user add makes "
    "one; root there changes a key alone by feltd device key, and the record says so"
)


class StepView(BaseModel):
    """A step that waits for a second person, or how it ended."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    kind: StepKind
    about: str = Field(
        description="the device, the version, the fingerprint of the broadcast's key, or of an account: what becomes "
        "of it (`make`, `code`, `shut`, `open`), its name, its role, and a new one's badge"
    )
    reason: str
    asked_by: str
    second: str | None = Field(description="who has approved or refused it")
    state: StepState
    seconds_left: float = Field(description="until it expires")


class HalfView(StepView):
    """A step, with the half of an account's code that is for who asks, or for who approves."""

    half: str | None = Field(description="of the code; not shown again, and null where the step brings none")


class StepWanted(BaseModel):
    """What a second person is asked for: another key for a `device`, or an `update` of the board."""

    model_config = ConfigDict(extra="forbid", strict=True)

    device: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9:_-]*$", max_length=64)] | None = None
    update: Annotated[str, Field(pattern=r"^[0-9]{1,6}\.[0-9]{1,6}\.[0-9]{1,6}$")] | None = Field(
        default=None, description="the version that the board may install within a day of the approval"
    )
    reason: Reason

    @model_validator(mode="after")
    def _one(self) -> "StepWanted":
        if (self.device is None) == (self.update is None):
            raise ValueError("name a device or an update")
        return self

    @property
    def step(self) -> tuple[StepKind, str]:
        """Its kind, and what it is about."""
        if self.update is not None:
            return StepKind.UPDATE, self.update
        return StepKind.DEVICE_KEY, self.device or ""


def together_router(guard: Guard, door: TableDoor, steps: AccountSteps, news: AccountNews) -> APIRouter:
    """`/together`."""
    router = APIRouter(tags=["together"], responses=documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN))
    works, approves = Depends(guard.need(Right.DEVICES)), Depends(guard.need(Right.APPROVE))
    accounts, sessions = guard.signing_in.accounts, guard.signing_in.sessions

    @router.get("/together")
    async def those_there_are(caller: Caller = approves) -> list[StepView]:
        """Steps that wait for a second person or were approved, and those that ended in the last minute."""
        return [StepView.model_validate(step) for step in (await door.state()).steps]

    @router.post(
        "/together",
        status_code=HTTPStatus.CREATED,
        responses=documented(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.SERVICE_UNAVAILABLE),
    )
    async def ask(wanted: StepWanted, caller: Caller = works) -> StepView:
        """Ask for another key for a device, or an update of the board. A second person has 15 minutes to approve it."""
        _, account = own(caller)
        if not could_approve(accounts, account.name, sessions.lacks_factor):
            raise ApiProblem(HTTPStatus.CONFLICT, NOBODY_ELSE)
        asked = door.ask_step(caller.person(), *wanted.step, wanted.reason)
        try:
            return StepView.model_validate(await until_kept(asked, "asked"))
        except UnknownDeviceError as unknown:
            raise ApiProblem(HTTPStatus.NOT_FOUND, f"{unknown}: GET /devices names them") from None

    @router.post(
        "/together/{number}/approval",
        responses=documented(HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE),
    )
    async def approve(number: StepNumber, proven: Proven, response: Response, caller: Caller = approves) -> HalfView:
        """Approve another person's step, by the password once more, and a second factor where there is one. Who asked
        has ten minutes to do it, once; the board has a day for an update. An account is made or changed at once: the
        second half of its code is in this answer and nowhere else."""
        _, account = own(caller)
        step = await _open(number)
        if step.asked_by == account.name:
            raise ApiProblem(HTTPStatus.CONFLICT, "who asked does not approve: another person must")
        guard.require(caller, APPROVES[step.kind])
        await prove(guard, caller, proven.password, proven.proof())
        why = why_not(accounts.get(step.asked_by), step.asked_by, ASKS[step.kind])
        if why is not None:
            raise ApiProblem(HTTPStatus.CONFLICT, why)
        first = _approvable(steps, account, step) if step.kind is StepKind.ACCOUNT else None
        approved = StepView.model_validate(await until_kept(door.approve_step(caller.person(), number), "approved"))
        half = None
        if step.kind is StepKind.ACCOUNT:
            told, half = await _carry_out(steps, news, step, first, door, caller)
            approved = told or approved
        response.headers["cache-control"] = "no-store"
        return HalfView(**approved.model_dump(), half=half)

    @router.delete("/together/{number}", responses=documented(HTTPStatus.CONFLICT, HTTPStatus.SERVICE_UNAVAILABLE))
    async def end(number: StepNumber, caller: Caller = approves) -> StepView:
        """Take back one's own step, or refuse another's, also one that was approved and is not done yet."""
        own(caller)
        return StepView.model_validate(await until_kept(door.end_step(caller.person(), number), "ended"))

    async def _open(number: int) -> StepFacts:
        for step in (await door.state()).steps:
            if step.id == number and step.state in OPEN:
                return step
        raise ApiProblem(
            HTTPStatus.CONFLICT, "this is over: it was done, refused or taken back, or its time has passed"
        )

    return router


async def require_second(guard: Guard, door: TableDoor, caller: Caller, device: str) -> None:
    """Whoever has approved the caller's step for this device must still count. Raises ApiProblem.

    That there is such a step, the table sees to.
    """
    own(caller)
    for step in (await door.state()).steps:
        mine = step.kind is StepKind.DEVICE_KEY and step.about == device and step.asked_by == caller.account_name
        if mine and step.state is StepState.APPROVED and step.second is not None:
            why = why_not(guard.signing_in.accounts.get(step.second), step.second, APPROVES[step.kind])
            if why is not None:
                raise ApiProblem(HTTPStatus.CONFLICT, why)


def _approvable(steps: AccountSteps, second: Account, step: StepFacts) -> str | None:
    """The first half of the code, or None. Raises ApiProblem where nothing would come of the second one's approval."""
    try:
        return steps.require_approvable(step.asked_by, second, step.id, step.about)
    except (AccountStepRefused, AccountError) as refusal:
        raise ApiProblem(HTTPStatus.CONFLICT, str(refusal)) from None


async def _carry_out(
    steps: AccountSteps, news: AccountNews, step: StepFacts, first: str | None, door: TableDoor, caller: Caller
) -> tuple[StepView | None, str | None]:
    """Make or change an account, once the approval is on the disk, and tell the table how that went.

    Returns the step as it is then, None where the table does not say, and the second half of the code. Raises
    ApiProblem.
    """
    try:
        account, half = await steps.carry_out(step.id, first, step.about, news.look)
    except (AccountStepRefused, AccountError) as refusal:
        await _tell(door, caller, step.id, str(refusal)[:FAULT_MOST])
        raise ApiProblem(HTTPStatus.CONFLICT, f"approved, but not done: {refusal}") from None
    news.changed_by_two(account, caller.address)
    return await _tell(door, caller, step.id, None), half


async def _tell(door: TableDoor, caller: Caller, number: int, fault: str | None) -> StepView | None:
    """Tell the table how it went; None where it does not take that: a half that nothing else has is not lost by it."""
    try:
        told = await door.tell_step(caller.person(), number, fault)
    except FeltdError as trouble:
        _log.warning("step %d: the table was not told how it went: %s", number, trouble)
        return None
    return StepView.model_validate(told)

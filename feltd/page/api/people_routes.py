"""The people who have an account: who they are, and what two of those who may approve do with another's account."""

from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel, ConfigDict, Field

from feltd.door import TableDoor
from feltd.door.together import StepKind
from feltd.page.access.account_steps import AccountAct, AccountStepRefused, AccountSteps
from feltd.page.access.accounts import NAME, Account, AccountError
from feltd.page.access.roles import Right, Role
from feltd.page.api.account_routes import own
from feltd.page.api.action_routes import Reason, until_kept
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.api.together_routes import HalfView, StepView

BADGE: Final = "^[!-~]+( [!-~]+)*$"
"""Plain signs alone, with single spaces between: others look like them, or cannot be seen."""


class AccountView(BaseModel):
    """Somebody's account."""

    name: str
    role: Role
    badge: str | None
    enabled: bool = Field(description="it may be signed in with")
    code_until: float | None = Field(
        description="its person is to choose a password by a code, until then (seconds since 1970); else null"
    )
    second_factor: bool


class AccountWanted(BaseModel):
    """What is to become of which account."""

    model_config = ConfigDict(extra="forbid", strict=True)

    act: Annotated[AccountAct, Field(strict=False)]
    name: Annotated[str, Field(pattern=f"^{NAME.pattern}$")]
    role: Annotated[Role, Field(strict=False)] | None = Field(default=None, description="of a new account")
    badge: Annotated[str, Field(max_length=48, pattern=BADGE)] | None = Field(
        default=None, description="of a new account's person: what it says"
    )
    reason: Reason


def people_router(guard: Guard, door: TableDoor, steps: AccountSteps) -> APIRouter:
    """`/accounts`."""
    router = APIRouter(tags=["together"], responses=documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN))
    approves = Depends(guard.need(Right.APPROVE))
    accounts = guard.signing_in.accounts

    @router.get("/accounts")
    async def those_there_are(caller: Caller = approves) -> list[AccountView]:
        """The accounts by name. No password, code or secret is in them."""
        own(caller)
        return [_shown(account) for account in sorted(accounts, key=lambda account: account.name)]

    @router.post(
        "/accounts",
        status_code=HTTPStatus.CREATED,
        responses=documented(HTTPStatus.CONFLICT, HTTPStatus.SERVICE_UNAVAILABLE),
    )
    async def ask(wanted: AccountWanted, response: Response, caller: Caller = approves) -> HalfView:
        """Ask that an account is made (`make`), gets a code in the place of its password (`code`), is shut or opened.
        A second person has 15 minutes to approve it; then it is done. The first half of the code is in this answer and
        nowhere else; the second one goes to who approves, and both to the account's person, who chooses a password."""
        _, account = own(caller)
        try:
            about = steps.require_askable(account, wanted.act, wanted.name, wanted.role, wanted.badge)
        except (AccountStepRefused, AccountError) as refusal:
            raise ApiProblem(HTTPStatus.CONFLICT, str(refusal)) from None
        asked = door.ask_step(caller.person(), StepKind.ACCOUNT, about, wanted.reason)
        step = StepView.model_validate(await until_kept(asked, "asked"))
        response.headers["cache-control"] = "no-store"
        return HalfView(**step.model_dump(), half=steps.first_half(step.id, about))

    return router


def _shown(account: Account) -> AccountView:
    return AccountView(
        name=account.name, role=account.role, badge=account.staff, enabled=account.enabled,
        code_until=account.code_until, second_factor=account.asks_factor,
    )  # fmt: skip

"""The tournament as it is now, and what its places are paid."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, Field

from feltd.door import TableDoor
from feltd.page.access.roles import Right
from feltd.page.api.amounts import AmountsView, amounts_view
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import ApiProblem, documented
from table_fsm.felt import AmountUnit
from table_fsm.poker.tournament.payouts import FEWEST_PLAYERS, MOST_PLAYERS, amounts, column_of, payout
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.denomination import Denomination
from table_fsm.view.shapes import TournamentView

_REFUSALS: Final = documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_PAYOUT_REFUSALS: Final = documented(HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY)


class TournamentNow(BaseModel):
    """The tournament at this table, its times as of table second `t`."""

    t: float = Field(description="table seconds now")
    rulebook: str | None
    amounts: AmountsView | None = Field(description="what the amounts are; null while no game is open")
    players: int = Field(description="at this table")
    tournament: TournamentView | None = Field(description="null where none is played")


class PaidPlace(BaseModel):
    """What one place gets."""

    place: int
    percent: str = Field(description="of the prize pool, exact to the thousandth")
    cents: int | None = Field(description="whole cents, rounded down; null without a pool")


class Payouts(BaseModel):
    """The source's table for so many players."""

    rulebook: str
    amounts: AmountsView | None = Field(description="what the pool and its parts are: cents of the book's currency")
    players: int
    column: list[int] = Field(description="the fewest and the most players that the same places are paid for")
    places: list[PaidPlace]
    pool: int | None
    odd_cents: int | None = Field(description="what rounding down leaves over; the source does not say who gets it")


def tournament_router(guard: Guard, door: TableDoor, books: Mapping[str, Rulebook]) -> APIRouter:
    """Make the routes `/tournament` and `/tournament/payouts`.

    `books`: the rulebooks that the table may open with, by id.
    """
    router = APIRouter(tags=["tournament"], responses=_REFUSALS)
    sees = Depends(guard.need(Right.SEE))

    @router.get("/tournament")
    async def now(caller: Caller = sees) -> TournamentNow:
        """Level, time left, breaks, races, hand for hand, penalties, places."""
        state = await door.state()
        shown = state.view["tournament"]
        return TournamentNow(
            t=round(state.t, 3),
            rulebook=None if state.rulebook is None else state.rulebook.id,
            amounts=amounts_view(state.amounts),
            players=sum(seat["state"] != "leaving" for seat in state.view["seats"]),
            tournament=None if shown is None else as_of(shown, state.t),
        )

    @router.get("/tournament/payouts", responses=_PAYOUT_REFUSALS)
    async def payouts(
        players: Annotated[int, Query(ge=FEWEST_PLAYERS, le=MOST_PLAYERS)],
        caller: Caller = sees,
        pool: Annotated[int | None, Query(ge=0, le=10**12, description="the prize pool in cents")] = None,
    ) -> Payouts:
        """What each place gets with so many players, by the table of the rulebook in force."""
        in_force = (await door.state()).rulebook
        book = None if in_force is None else books[in_force.id]
        if book is None or book.tournament.payouts is None:
            which = "no game is open" if book is None else f"the source of {book.id} has no table of payouts"
            raise ApiProblem(HTTPStatus.CONFLICT, which)
        parts = payout(players)
        cents = [None] * len(parts) if pool is None else list(amounts(players, pool))
        paid = [
            PaidPlace(place=place, percent=f"{part:.3f}", cents=each)
            for place, (part, each) in enumerate(zip(parts, cents, strict=True), 1)
        ]
        odd = None if pool is None else pool - sum(each or 0 for each in cents)
        return Payouts(
            rulebook=book.id,
            amounts=amounts_view(Denomination(AmountUnit.CENTS, book.amounts.currency)),
            players=players,
            column=list(column_of(players)),
            places=paid,
            pool=pool,
            odd_cents=odd,
        )

    return router


def as_of(shown: TournamentView, t: float) -> TournamentView:
    """Return a tournament's view with its seconds moved on to table second `t`.

    Assumes that nothing has happened since the view was made. The page's script counts in the same way.
    """
    until, break_until = shown["until"], shown["break_until"]
    if until is None or shown["left"] is None:
        since = t - shown["at"] if shown["running"] and not shown["hand_for_hand"] else 0.0
        return {**shown, "at": round(t, 3), "elapsed": round(shown["elapsed"] + max(0.0, since), 3)}
    in_break = shown["in_break"] and (break_until is None or t < break_until)
    left = max(0.0, until - max(t, break_until or t))
    played = shown["left"] - left
    ahead = shown["next_break"]
    return {
        **shown,
        "at": round(t, 3),
        "left": round(left, 3),
        "elapsed": round(shown["elapsed"] + played, 3),
        "in_break": in_break,
        "break_left": round(break_until - t, 3) if in_break and break_until is not None else None,
        "next_break": {**ahead, "in_seconds": round(max(0.0, ahead["in_seconds"] - played), 3)} if ahead else None,
    }

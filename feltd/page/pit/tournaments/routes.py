"""What is looked at of tournaments: the list, a tournament as its desk has it, the players' screens, results."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Path, Query, Response
from pydantic import BaseModel, Field

from feltd.door.pit.directing import TournamentPhase
from feltd.page.access.roles import Right
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import ApiProblem
from feltd.page.pit.desks import REFUSALS, who_looks
from feltd.page.pit.tournaments.asking import FloorTournaments, Known, NoSuchTournamentError, NotShownError
from feltd.page.pit.tournaments.clock import clock_as_json
from feltd.page.pit.tournaments.screens import Names, screen_as_json
from feltd.page.pit.tournaments.told import desk_as_json
from feltd.text.amounts import house_currency
from feltd.text.catalogue import trouble
from feltd.text.language import spoken
from feltd.tournaments.payouts import payouts
from feltd.tournaments.payouts import to_csv as payouts_as_csv
from feltd.tournaments.payouts import to_json as payouts_as_json
from feltd.tournaments.results import results, to_csv, to_rows
from feltd.tournaments.summary import NO_CURRENCY, summary_of
from floor_fsm.state.floor import Time
from floor_fsm.state.seating import Seating
from floor_fsm.tournament import Tournament

Broadcasting = Callable[[str], Awaitable[frozenset[str]]]
Id = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="the tournament's id")]
After = Annotated[int, Query(ge=-1, le=2**53, description="where nothing has happened behind it: the clock alone")]
NOTHING_YET: Final = -1
_CSV: Final = "text/csv; charset=utf-8"
_JSON: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "As it is now.", "content": {"application/json": {"schema": {"type": "object"}}}}
}


class TileView(BaseModel):
    """A tournament among all. `wrong`: why nobody can go on with it, in words."""

    id: str
    title: str
    phase: TournamentPhase
    book: str
    entries: int
    playing: int = Field(description="entries with a seat")
    tables: int
    seq: int = Field(description="the number of its last event")
    wrong: str | None
    payouts_due: bool = Field(description="entries are over, and nobody has said what each place gets, or for too many")


class TournamentsView(BaseModel):
    """All tournaments of the floor."""

    tournaments: list[TileView]
    books: dict[str, str] = Field(description="the books under which one can be opened: title by id")


async def known_of(floor: FloorTournaments, tournament: str, account: str) -> Known:
    """A tournament as it is now, in the name of an account.

    Raises ApiProblem: 404 where there is none that they see, 409 where it cannot be shown.
    """
    try:
        return await floor.known(tournament, account)
    except NoSuchTournamentError as fault:
        raise ApiProblem(HTTPStatus.NOT_FOUND, str(fault)) from None
    except NotShownError as fault:
        raise ApiProblem(HTTPStatus.CONFLICT, str(fault)) from None


def tournament_router(
    guard: Guard, floor: FloorTournaments, screens: Names | None, broadcasting: Broadcasting
) -> APIRouter:
    """`/tournaments` and what is read below it.

    `screens`: how players are named for who is not signed in; None: no screen is shown to them. `broadcasting`: the
    tables, of those that an account sees, whose cards go to a broadcast.
    """
    router = APIRouter(tags=["tournaments"], responses=REFUSALS)
    sees = Depends(guard.need(Right.SEE))
    seats = Depends(guard.need(Right.SEAT))
    exports = Depends(guard.need(Right.EXPORT))

    @router.get("/tournaments")
    async def every(caller: Caller = sees) -> TournamentsView:
        """All tournaments, and the books for a new one."""
        tiles = [TileView.model_validate(tile, from_attributes=True) for tile in await floor.every(caller.account_name)]
        for tile in tiles:
            tile.wrong = None if tile.wrong is None else trouble(tile.wrong)
        return TournamentsView(tournaments=tiles, books={law.id: law.book.title for law in floor.laws.values()})

    @router.get("/tournaments/{tournament}", response_class=Response, responses=_JSON)
    async def desk(tournament: Id, caller: Caller = seats, after: After = NOTHING_YET) -> Response:
        """A tournament as its desk has it: who entered, who sits where, who moves next, and what waits for a person."""
        now = await known_of(floor, tournament, caller.account_name)

        def whole() -> dict[str, Any]:
            log = [asdict(one) for one in now.log]
            return {
                **desk_as_json(now.parts),
                "phase": now.phase.value,
                "draws": now.draws,
                "wall": now.wall,
                "log": log,
            }

        text = await now.text(f"desk {spoken().value}", whole)
        return _told(tournament, now, after, text, await broadcasting(caller.account_name))

    looking = Depends(who_looks(guard, open_to_all=screens is not None))

    @router.get("/tournaments/{tournament}/screen", response_class=Response, responses=_JSON)
    async def screen(tournament: Id, account: str = looking, after: After = NOTHING_YET) -> Response:
        """Seats and clock for players, with names as the operator chooses, and nothing else of a player."""
        now = await known_of(floor, tournament, account)
        names = screens or Names.NUMBER
        whole = await now.text("screen", lambda: screen_as_json(now.parts, now.phase.value, names))
        return _told(tournament, now, after, whole, await broadcasting(account))

    @router.get(
        "/tournaments/{tournament}/results",
        response_class=Response,
        responses={200: {"description": "A file.", "content": {"text/csv": {"schema": {"type": "string"}}}}},
    )
    async def told_results(
        tournament: Id,
        caller: Caller = exports,
        kind: Annotated[Literal["csv", "json", "ots"], Query(alias="format")] = "csv",
    ) -> Response:
        """A line for each entry with its place and its prize in cents, for the cage; `ots`: for other programs."""
        now = await known_of(floor, tournament, caller.account_name)
        ended = now.log[-1].t if now.log else now.t
        played = Tournament.going_on(now.parts, now.seq, ended)
        if kind == "ots":
            told = summary_of(played, tournament, now.wall, house_currency() or NO_CURRENCY)
            text, media = json.dumps(told), "application/json"
        else:
            found = results(played)
            text, media = (to_csv(found), _CSV) if kind == "csv" else (json.dumps(to_rows(found)), "application/json")
        return _file(f"{tournament}-results.{kind}", text, media)

    @router.get(
        "/tournaments/{tournament}/payouts",
        response_class=Response,
        responses={200: {"description": "A file.", "content": {"text/csv": {"schema": {"type": "string"}}}}},
    )
    async def told_payouts(
        tournament: Id, caller: Caller = exports, kind: Annotated[Literal["csv", "json"], Query(alias="format")] = "csv"
    ) -> Response:
        """What the cage pays out, in cents, with room for tax and signatures; and whether it is the pool."""
        now = await known_of(floor, tournament, caller.account_name)
        found = payouts(Tournament.going_on(now.parts, now.seq, now.t))
        if kind == "csv":
            return _file(f"{tournament}-payouts.csv", payouts_as_csv(found), _CSV)
        return _file(f"{tournament}-payouts.json", json.dumps(payouts_as_json(found)), "application/json")

    return router


def _file(name: str, text: str, media: str) -> Response:
    """A file for the browser to keep."""
    shown = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(text, media_type=media, headers=shown)


def _told(tournament: str, now: Known, after: int, whole: str, broadcasting: frozenset[str]) -> Response:
    """A tournament as text: its clock is of now, and what follows from its events is there where there is news.

    `broadcast`: those of its tables whose cards go to a broadcast.
    """
    clock = clock_as_json(now.parts.of(Time).clock, now.t)
    broadcast = sorted(broadcasting & {place.table for place in now.parts.of(Seating).places.values()})
    told = {
        "id": tournament, "seq": now.seq, "t": now.t, "changed": now.seq != after, "clock": clock,
        "broadcast": broadcast,
    }  # fmt: skip
    text = json.dumps(told, separators=(",", ":"))
    if now.seq != after:
        text = f"{text[:-1]},{whole[1:]}"
    return Response(text, media_type="application/json")

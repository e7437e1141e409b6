"""What is done to tournaments: one opened, a step with who and why, entries of a sheet."""

import re
from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from feltd.door import CommandRefused
from feltd.door.commands import StepNotKnownError
from feltd.page.access.roles import Right
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import ApiProblem
from feltd.page.pit.desks import REFUSALS, Why, event_of, problem_of
from feltd.page.pit.tournaments.asking import FloorTournaments, decided_by, require_opening
from feltd.page.pit.tournaments.importing import SheetFaults, import_sheet
from feltd.page.pit.tournaments.routes import Id, known_of
from feltd.page.wrapping import BODY_MOST, LargerBody
from feltd.tournaments.entry_sheet import MOST_BYTES, MOST_ENTRIES
from floor_fsm.errors import Refused
from floor_fsm.lines import KINDS
from floor_fsm.messages.opening import TournamentOpen

Seq = Annotated[int, Field(ge=0, le=2**53)]
AT_THE_COUNTER: Final = frozenset(
    {
        "absence", "add_on", "entry", "entry.given_up", "entry.handed_on", "entry.no_show", "entry.out",
        "entry.stayed_away", "entry.withdrawn", "moved", "penalty", "penalty.left", "rebuy", "seat.given",
        "seat.late", "time_banks",
    }
)  # fmt: skip
"""Steps about one player, which a supervisor takes too: whoever may seat players. All others lead the tournament."""
SHEET_BODY: Final = LargerBody(
    re.compile(r".*/tournaments/[^/]+/entries"),
    MOST_BYTES + BODY_MOST,
    f"this is no sheet of entries: it has more than {MOST_BYTES} bytes; a sheet has {MOST_ENTRIES} entries at most",
)
"""A sheet is the one large thing that a page is sent. Before anybody reads it its length is looked at."""


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class AskedStep(_Body):
    """A step of a person at a desk."""

    expected: Seq = Field(description="the number of the last event that the desk has seen: refused where it is not it")
    event: dict[str, Any] = Field(description="an event with its `ev`; `t`, `by` and `cause` are the floor's")
    why: Why


class AskedOpening(_Body):
    """A new tournament."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
    book: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$", description="the tournament book's id")]
    event: dict[str, Any] = Field(description="`tournament.open` without `ev`, `t` and `by`")
    why: Why


class AskedSheet(_Body):
    """A CSV of entries: all of its lines are taken, or none."""

    expected: Seq
    sheet: Annotated[str, Field(min_length=1, max_length=MOST_BYTES, description="the CSV's text")]
    why: Why


class StepView(BaseModel):
    """A step that was taken."""

    seq: int = Field(description="its number in the tournament")
    outputs: list[dict[str, Any]] = Field(description="what is said, in order; `kind` says what each is")


class SheetView(BaseModel):
    """A sheet whose entries were all taken."""

    seq: int
    entries: list[int]


def step_router(guard: Guard, floor: FloorTournaments) -> APIRouter:
    """What changes a tournament, each refused with 409 and `reason` and `clause` beside the words."""
    router = APIRouter(tags=["tournaments"], responses=REFUSALS)
    seats = Depends(guard.need(Right.SEAT))
    leads = Depends(guard.need(Right.TOURNAMENT))

    @router.post("/tournaments")
    async def open_new(asked: AskedOpening, caller: Caller = leads) -> StepView:
        """Open a tournament."""
        if asked.book not in floor.laws:
            raise ApiProblem(
                HTTPStatus.NOT_FOUND,
                f"this page has no tournament book {asked.book}; name the folder of one of your own as "
                "tournament_books in pit.toml, and start the page again",
            )
        said = {**asked.event, "ev": TournamentOpen.ev}
        event = event_of(said, asked.why, KINDS)
        assert isinstance(event, TournamentOpen)
        by = decided_by(caller.person(), asked.why)
        try:
            require_opening(floor.laws[asked.book], event)
            done = await floor.open(asked.id, asked.book, said, by)
        except (CommandRefused, Refused, StepNotKnownError) as refused:
            raise problem_of(refused) from None
        return StepView(seq=done.seq, outputs=[dict(output) for output in done.outputs])

    @router.post("/tournaments/{tournament}/steps")
    async def step(tournament: Id, asked: AskedStep, caller: Caller = seats) -> StepView:
        """Take a step, at most once. Refused: nothing has changed."""
        if asked.event.get("ev") not in AT_THE_COUNTER:
            guard.require(caller, Right.TOURNAMENT)
        event_of(asked.event, asked.why, KINDS)
        by = decided_by(caller.person(), asked.why)
        try:
            done = await floor.step(tournament, asked.expected, asked.event, by)
        except (CommandRefused, StepNotKnownError) as refused:
            raise problem_of(refused) from None
        return StepView(seq=done.seq, outputs=[dict(output) for output in done.outputs])

    @router.post("/tournaments/{tournament}/entries")
    async def sheet(tournament: Id, asked: AskedSheet, caller: Caller = seats) -> SheetView:
        """Take the entries of a sheet. One fault, and none is taken: the detail has a line for each fault."""
        now = await known_of(floor, tournament, caller.account_name)
        by = decided_by(caller.person(), asked.why)
        try:
            seq, entries = await import_sheet(floor, tournament, asked.expected, now, asked.sheet, by)
        except SheetFaults as faults:
            raise ApiProblem(HTTPStatus.CONFLICT, str(faults)) from None
        except (CommandRefused, StepNotKnownError) as refused:
            raise problem_of(refused) from None
        return SheetView(seq=seq, entries=entries)

    return router

"""Rounds and rulings of the record: searched, read, played again step by step."""

from collections.abc import Awaitable, Iterable
from http import HTTPStatus
from typing import Annotated, Any, Final, TypeVar

from fastapi import APIRouter, Depends, Path, Query
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from starlette.responses import Response

from feltd.page.access.roles import Right
from feltd.page.api.amounts import AmountsView, amounts_view
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.on_record import OnRecord
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.history.answers import answer_in_words
from feltd.page.history.desk import HistoryDesk
from feltd.page.history.index import HistoryError
from feltd.page.history.replayed import Step
from feltd.page.history.search import PAGE_MOST, FoundRound, FoundRuling, Wanted, find_rounds, find_rulings
from feltd.page.history.words import event_in_words
from feltd.page.limits.turns import TooManyQuestionsError
from feltd.text.catalogue import ruling_text
from feltd.text.errors import JournalError
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.view.shapes import TableView

REFUSALS: Final = documented(
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
MOST_SECONDS: Final = 4_102_444_800.0  # the year 2100
LARGEST: Final = 2**53
RoundNumber = Annotated[int, Path(ge=1, le=LARGEST)]
_T = TypeVar("_T")


class Filter(BaseModel):
    """The conditions of a search."""

    model_config = ConfigDict(extra="forbid")

    since: Annotated[float, Field(ge=0, le=MOST_SECONDS)] | None = Field(None, description="seconds since 1970")
    until: Annotated[float, Field(ge=0, le=MOST_SECONDS)] | None = None
    seat: Annotated[int, Field(ge=1, le=10)] | None = None
    kind: Irregularity | None = Field(None, description="an irregularity")
    book: Annotated[str, Field(max_length=64)] | None = None
    dealer: Annotated[str, Field(max_length=64)] | None = None
    pending: bool | None = Field(None, description="true: what nobody has decided yet")
    before: Annotated[int, Field(ge=1, le=LARGEST)] | None = Field(
        None, description="the last number of the list so far"
    )
    limit: Annotated[int, Field(ge=1, le=PAGE_MOST)] = 50

    def wanted(self, result: str | None = None) -> Wanted:
        """Return the search as the index takes it."""
        kind = None if self.kind is None else self.kind.value
        return Wanted(
            self.since,
            self.until,
            self.seat,
            kind,
            self.book,
            self.dealer,
            result,
            self.pending,
            self.before,
            self.limit,
        )


class RoundFilter(Filter):
    """The conditions of a search for rounds."""

    result: Annotated[str, Field(pattern="^(complete|misdeal|void)$")] | None = None


class WholeRound(BaseModel):
    """A round and its rulings."""

    round: FoundRound
    rulings: list[FoundRuling]


class PlayerChips(BaseModel):
    """Chips of a player after a step, in the step's `amounts`; null where an amount is not known."""

    seat: int
    bet: int | None = Field(description="in this betting round, with blinds")
    put_in: int | None = Field(description="in the whole round, with antes")
    stack: int | None = Field(description="what is left, where it was counted just before the round")
    folded: bool
    all_in: bool


class Told(BaseModel):
    """An answer of the table as a sentence. `ruling`: it is a ruling."""

    words: str
    ruling: bool


class PlayedStep(BaseModel):
    """One event of a round played again. `cards`: by zone, for those who may see them; null else. `amounts`: what the
    amounts are; null while no game is open. `sealed`: what stays sealed of the event, and to which key; null for
    nothing."""

    number: int
    seq: int
    t: float
    wall: float
    event: dict[str, Any]
    words: str
    amounts: AmountsView | None
    outputs: list[dict[str, Any]]
    answers: list[Told] = Field(description="the outputs that tell a person something, in words")
    view: TableView
    cards: dict[str, list[str | None]] | None
    sealed: str | None
    chips: list[PlayerChips] = Field(description="in the order of the deal; empty before the first betting round")
    pot: int | None = Field(description="all that was put in; null where an amount is not known")


_ROUNDS: Final = TypeAdapter(list[FoundRound])
_RULINGS: Final = TypeAdapter(list[FoundRuling])
_STEP: Final = TypeAdapter(PlayedStep)
_JSON: Final = "application/json"


def history_router(guard: Guard, desk: HistoryDesk, record: OnRecord) -> APIRouter:
    """`/rounds` and `/rulings`."""
    router = APIRouter(tags=["history"], responses=REFUSALS)
    sees = Depends(guard.need(Right.SEE))

    @router.get("/rounds", response_model=None, responses={200: {"model": list[FoundRound]}})
    async def rounds(wanted: Annotated[RoundFilter, Query()], caller: Caller = sees) -> Response:
        """Rounds, newest first."""
        looked_for = wanted.wanted(wanted.result)
        found = desk.of(caller.visitor.key).ask(lambda index: _ROUNDS.dump_json(find_rounds(index, looked_for)))
        return Response(await answered(found), media_type=_JSON)

    @router.get("/rulings", response_model=None, responses={200: {"model": list[FoundRuling]}})
    async def rulings(wanted: Annotated[Filter, Query()], caller: Caller = sees) -> Response:
        """Rulings with what became of them, newest first."""
        looked_for = wanted.wanted()
        found = desk.of(caller.visitor.key).ask(lambda index: _RULINGS.dump_json(find_rulings(index, looked_for)))
        return Response(await answered(found), media_type=_JSON)

    @router.get("/rounds/{number}")
    async def one(number: RoundNumber, caller: Caller = sees) -> WholeRound:
        """One round and its rulings."""
        found, given = await answered(desk.of(caller.visitor.key).round(number))
        return WholeRound(round=found, rulings=given)

    @router.get("/rounds/{number}/steps", response_model=None, responses={200: {"model": list[PlayedStep]}})
    async def steps(
        number: RoundNumber,
        caller: Caller = sees,
        after: Annotated[int, Query(ge=0, le=5000)] = 0,
        most: Annotated[int, Query(ge=1, le=500)] = 100,
    ) -> Response:
        """A round played again, step by step. Face-down cards are backs until the round is over, and after that for
        everybody whose role may not see them. Cards that the round did not show are backs for everybody, for good.
        Who reads cards of a round that is over is put on record first, once for a round."""
        asked, see_cards = desk.of(caller.visitor.key), caller.may(Right.SEE_CARDS)
        if see_cards:
            # One look decides for both: a round that ends before its steps are read would show cards without an entry.
            see_cards = (await answered(asked.round(number)))[0].last is not None
        if see_cards:
            await record.put_replay(caller, number)
        steps = asked.steps(number, _told, see_cards=see_cards, after=after, most=most)
        return Response(b"[" + b",".join(await answered(steps)) + b"]", media_type=_JSON)

    return router


def _told(step: Step) -> bytes:
    """A step as JSON, in the desk's thread: the views of hundreds of steps are much to write."""
    told = PlayedStep(
        number=step.number,
        seq=step.seq,
        t=step.t,
        wall=step.wall,
        event=step.event,
        words="; ".join(filter(None, (event_in_words(step.event, step.counted), step.sealed))),
        amounts=amounts_view(step.counted),
        outputs=[_translated(output) for output in step.outputs],
        answers=_answers(step),
        view=step.view,
        cards=step.cards,
        sealed=step.sealed,
        chips=[
            PlayerChips(
                seat=seat, bet=one.street, put_in=one.total, stack=one.stack, folded=one.folded, all_in=one.all_in
            )
            for seat, one in step.chips.items()
        ],
        pot=_pot(one.total for one in step.chips.values()),
    )
    return _STEP.dump_json(told)


def _answers(step: Step) -> list[Told]:
    told = ((answer_in_words(output, step.counted), "ruling" in output) for output in step.outputs)
    return [Told(words=words, ruling=ruling) for words, ruling in told if words is not None]


def _translated(output: dict[str, Any]) -> dict[str, Any]:
    """An output, whose ruling has its text in the reader's language beside the approved one."""
    said = ruling_text(output["ruling"]["text"]) if "ruling" in output else None
    return output if said is None else {**output, "ruling": {**output["ruling"], "translation": said}}


def _pot(put_in: Iterable[int | None]) -> int | None:
    known = list(put_in)
    return None if not known or None in known else sum(filter(None, known))


async def answered(question: Awaitable[_T]) -> _T:
    """An answer of the desk, its refusals as problems."""
    try:
        return await question
    except TooManyQuestionsError as many:
        raise ApiProblem(HTTPStatus.TOO_MANY_REQUESTS, str(many), {"retry-after": "1"}) from None
    except HistoryError as none:
        raise ApiProblem(HTTPStatus.NOT_FOUND, str(none)) from None
    except JournalError as trouble:
        raise ApiProblem(HTTPStatus.SERVICE_UNAVAILABLE, str(trouble)) from None

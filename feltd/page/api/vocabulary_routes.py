"""The closed sets of the table and their words, for pages and scripts that show them."""

from collections.abc import Iterable
from functools import cache
from http import HTTPStatus
from typing import Final

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from feltd.page.access.roles import Right
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import documented
from feltd.page.kept import Kept
from feltd.text.catalogue import by_id, word
from feltd.text.decision_words import EFFECTS
from feltd.text.language import Language, speaking, spoken
from feltd.text.words import DEVICES, HOUSE_RULES, device_in_words
from table_fsm.felt import (
    PHASE_WORDS,
    AlarmKind,
    Decision,
    FaultKind,
    Need,
    PlayerAction,
    StaffRole,
    Upon,
    Worded,
)
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import CHOSEN_BY_PEOPLE, Authority, Outcome

KEPT_SECONDS: Final = 300
"""How long a browser keeps the vocabulary: it changes with the version of feltd alone."""


class Member(BaseModel):
    """One member of a closed set."""

    name: str = Field(description="as states, events and requests have it")
    words: str = Field(description="for people")


class DecisionMember(Member):
    """A decision: where it is offered, and what it must come with."""

    upon: list[Upon] = Field(
        description="`waiting`: on a ruling that waits; `given`: on one that may still be taken back; "
        "`table`: a floor decision"
    )
    needs: list[Need]
    effect: str = Field(description="what happens when it is taken, for people")


class OutcomeMember(Member):
    """What a ruling says must happen."""

    may_be_chosen: bool = Field(description="a person may put it in the place of a ruling's outcome")


class Vocabulary(BaseModel):
    """Every closed set that a page shows, in the order in which a page should list it."""

    phases: list[Member]
    decisions: list[DecisionMember]
    outcomes: list[OutcomeMember]
    house_rules: list[Member] = Field(description="rules of the house: a ruling's `rule` that is no clause of a source")
    irregularities: list[Member]
    authorities: list[Member] = Field(description="who carries a ruling")
    roles: list[Member] = Field(description="what a staff card says of its holder")
    actions: list[Member] = Field(description="of players; the words go behind the seat")
    faults: list[Member] = Field(description="of the shoe")
    alarms: list[Member] = Field(description="kinds that are neither an irregularity nor a fault of the shoe")
    devices: list[Member] = Field(description="usual names of devices; any other stands for itself")


def vocabulary() -> Vocabulary:
    """Return the closed sets of this version, with their words in the language that is spoken."""
    chosen = [OutcomeMember(name=outcome, words=word(outcome), may_be_chosen=True) for outcome in CHOSEN_BY_PEOPLE]
    others = [
        OutcomeMember(name=outcome, words=word(outcome), may_be_chosen=False)
        for outcome in Outcome
        if outcome not in CHOSEN_BY_PEOPLE
    ]
    return Vocabulary(
        phases=[Member(name=phase, words=by_id(f"Phase.{phase}", words)) for phase, words in PHASE_WORDS.items()],
        decisions=[
            DecisionMember(
                name=decision,
                words=word(decision),
                upon=list(decision.upon),
                needs=list(decision.needs),
                effect=by_id(f"Effect.{decision}", EFFECTS[decision]),
            )
            for decision in Decision
        ],
        outcomes=chosen + others,
        house_rules=[Member(name=rule, words=by_id(f"HouseRule.{rule}", words)) for rule, words in HOUSE_RULES.items()],
        irregularities=_members(Irregularity),
        authorities=_members(Authority),
        roles=_members(StaffRole),
        actions=_members(PlayerAction),
        faults=_members(FaultKind),
        alarms=_members(AlarmKind),
        devices=[Member(name=name, words=device_in_words(name)) for name in DEVICES],
    )


@cache
def vocabulary_in(language: Language) -> Vocabulary:
    """Return the closed sets with their words in a language."""
    with speaking(language):
        return vocabulary()


@cache
def _kept_in(language: Language) -> Kept:
    """The same as it is sent: a sixth of the first load's bytes, where it is not compressed."""
    return Kept.of(vocabulary_in(language).model_dump_json().encode(), "application/json")


def _members(members: Iterable[Worded]) -> list[Member]:
    return [Member(name=member, words=word(member)) for member in members]


def vocabulary_router(guard: Guard) -> APIRouter:
    """The route `/vocabulary`."""
    router = APIRouter(tags=["table"], responses=documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN))
    sees = Depends(guard.need(Right.SEE))

    @router.get("/vocabulary", response_model=Vocabulary)
    async def words(request: Request, caller: Caller = sees) -> Response:
        """The table's phases, decisions, outcomes, irregularities and other closed sets, with their words."""
        answer = _kept_in(spoken()).answer(request)
        answer.headers["cache-control"] = f"private, max-age={KEPT_SECONDS}"
        answer.headers["vary"] = "accept-language, cookie, accept-encoding"
        return answer

    return router

"""Packs of cards that are chips: which there are, and cards laid on the table's readers. Never a chip's number."""

from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from feltd.door import TableDoor
from feltd.door.packs import SPARES_MOST, ChipHeard, PacksFacts, PackState, PackStep, PackWanted, PackWork
from feltd.page.access.roles import Right
from feltd.page.api.account_routes import prove
from feltd.page.api.action_routes import until_kept
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import documented
from feltd.page.api.proofs import Proven
from feltd.text.catalogue import refusal
from table_fsm.felt import DECK_SIZES, JOKER

_DOING: Final = documented(HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
PackName = Annotated[str, Field(min_length=1, max_length=40)]
CardName = Annotated[str, Field(pattern=rf"^([2-9TJQKA][shdc]|{JOKER})$")]


class PackView(BaseModel):
    """A pack."""

    model_config = ConfigDict(from_attributes=True)

    name: str
    back: str
    cards: int
    state: PackState


class PackWorkView(BaseModel):
    """Cards are being laid on the table's readers."""

    model_config = ConfigDict(from_attributes=True)

    work: PackWork
    name: str
    by: str = Field(description="the account that began")
    laid: int = Field(description="chips that count")
    cards: int
    next: str | None = Field(description="the card to lay now; null in a check, or where all are laid")
    heard: ChipHeard | None = Field(description="what came of the last chip")
    heard_place: int | None = Field(description="with `again`: as which card it was laid before")
    heard_pack: str | None = Field(description="with `of_pack`: whose card it is")
    others: dict[str, int] = Field(description="of a check: chips of other packs, by the pack's name")
    unknown: int = Field(description="of a check: chips of no pack")
    missing: list[str] | None = Field(description="of a check: cards not laid, where they are four or fewer")
    misplaced: list[str] = Field(
        description="of a check: cards of the whole pack that lie elsewhere than the order of enrolment has them"
    )
    gathering: bool = Field(description="the chips of a whole pack come at once; then `order` is said")


class PacksView(BaseModel):
    """The packs of the table."""

    model_config = ConfigDict(from_attributes=True)

    packs: list[PackView]
    trouble: str | None = Field(description="why the list cannot be read")
    work: PackWorkView | None


class PackWorkWanted(Proven):
    """For what cards are to be laid: a new pack (`back`), a check, or a spare card in place of `card`.

    `whole`: all chips of the new pack come at once first, with its `spares`.
    """

    work: Annotated[PackWork, Field(strict=False)]
    name: PackName
    back: PackName | None = None
    cards: int = Field(default=max(DECK_SIZES), ge=min(DECK_SIZES), le=max(DECK_SIZES))
    joker: bool = False
    card: CardName | None = None
    whole: bool = False
    spares: int = Field(default=0, ge=0, le=SPARES_MOST)

    @model_validator(mode="after")
    def _whole(self) -> "PackWorkWanted":
        if (self.back is None) == (self.work is PackWork.ENROL):
            raise ValueError("give the back of a new pack, and of no other")
        if (self.card is None) == (self.work is PackWork.REPLACE):
            raise ValueError("name the card that a spare one replaces, and no other")
        if (self.whole and self.work is not PackWork.ENROL) or (self.spares and not self.whole):
            raise ValueError("only a new pack comes whole, and only then has it spare cards")
        return self

    def wanted(self) -> PackWanted:
        """The same as the table has it."""
        back, card = self.back or "", self.card or ""
        return PackWanted(self.work, self.name, back, self.cards, self.joker, card, self.whole, self.spares)


class PackStepWanted(BaseModel):
    """How it goes on with the cards that are laid."""

    model_config = ConfigDict(extra="forbid", strict=True)

    step: Annotated[PackStep, Field(strict=False)]


class CardsSwapped(Proven):
    """Two cards of a pack that were laid the wrong way round."""

    name: PackName
    card: CardName
    other: CardName


class PackPut(Proven):
    """What becomes of a pack."""

    name: PackName
    state: Annotated[PackState, Field(strict=False)]


def _view(facts: PacksFacts) -> PacksView:
    """What the table tells, in the language of the request."""
    view = PacksView.model_validate(facts)
    return view if facts.trouble is None else view.model_copy(update={"trouble": refusal(facts.trouble)})


def pack_router(guard: Guard, door: TableDoor) -> APIRouter:
    """`/packs`."""
    router = APIRouter(tags=["packs"], responses=documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN))
    works = Depends(guard.need(Right.DEVICES))

    @router.get("/packs")
    async def those_there_are(response: Response, caller: Caller = works) -> PacksView:
        """Packs of cards that are chips, and how far the cards are that are being laid."""
        response.headers["cache-control"] = "no-store"
        return _view(await door.packs())

    @router.post("/packs/work", responses=_DOING)
    async def begin(body: PackWorkWanted, caller: Caller = works) -> PacksView:
        """Have cards laid on the table's readers, or drawn from its shoe, in test mode and between two rounds: by the
        password once more, and a second factor where there is one."""
        await prove(guard, caller, body.password, body.proof())
        return _view(await until_kept(door.begin_pack(caller.person(), body.wanted()), "begun"))

    @router.post("/packs/work/step", responses=_DOING)
    async def step(body: PackStepWanted, caller: Caller = works) -> PacksView:
        """Take the last card back, keep what was laid, or stop. Who began goes on; anybody who may stops it."""
        return _view(await until_kept(door.step_pack(caller.person(), body.step), "done"))

    @router.post("/packs/swap", responses=_DOING)
    async def swap(body: CardsSwapped, caller: Caller = works) -> PacksView:
        """Exchange the chips of two cards of a pack, between two rounds, by the password once more."""
        await prove(guard, caller, body.password, body.proof())
        return _view(await until_kept(door.swap_cards(caller.person(), body.name, body.card, body.other), "done"))

    @router.post("/packs/state", responses=_DOING)
    async def put(body: PackPut, caller: Caller = works) -> PacksView:
        """Put a pack to use, to rest, or retire it for good, by the password once more."""
        await prove(guard, caller, body.password, body.proof())
        return _view(await until_kept(door.put_pack(caller.person(), body.name, body.state), "done"))

    return router

"""The simulated table's own page and routes: sit down in the dealer's place, and work the devices one by one.

Only `feltd simulate` adds them. Everything goes to the simulated devices, which report it over the real wire.
"""

import secrets
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from devices.limits import PIN
from devices.simulated.errors import ControlError, OrderRefused
from devices.simulated.people import motions
from devices.simulated.people.motions import Motion
from devices.simulated.people.staff_cards import STAFF_CARDS
from devices.simulated.people.visitor import Visitor
from devices.simulated.things.chips import Thing
from feltd.page.access.roles import Right
from feltd.page.access.sessions import same
from feltd.page.api.guard import CSRF_HEADER, READ_ONLY, Caller
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.opening import OpenPage
from feltd.page.views import to_the_door
from feltd.simulated.takeover import NobodyThereError, Takeover
from feltd.simulated.tour import STOPS, Stage
from feltd.text.alarms import row_text
from feltd.text.catalogue import refusal, ruling_text
from feltd.text.words import device_in_words
from table_fsm.felt import Decision, Face, Need, PlayerAction, StaffRole

Seat = Annotated[int, Field(ge=1, le=10)]
Zone = Annotated[str, Field(pattern=r"^(seat:([1-9]|10)|board:[1-5]|dealer|burn)$")]
Cents = Annotated[int, Field(ge=0, le=10**9)]
SeatChange = Literal["in", "out", "away", "back", "shown"]
_KEYED: Final = tuple(action for action in PlayerAction if action is not PlayerAction.TIME_BANK)
_ASKED: Final = tuple(decision for decision in Decision if not {Need.RULING, Need.SEAT, Need.ALARM} & {*decision.needs})
_REFUSALS: Final = documented(
    HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY
)


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class CardMotion(_Body):
    """Something done to a card. `flash`: the dealer shows one that lies face down; `show`: its player does."""

    do: Literal["deal", "turn", "take_back", "flash", "show", "look"]
    zone: Zone
    face: Face = "down"


class ChipMotion(_Body):
    """A thing that is no card of the game, laid on the felt at a table whose cards are chips."""

    thing: Annotated[Thing, Field(strict=False)]
    zone: Zone


class ShoeMotion(_Body):
    """Something done to the shoe. `box_card`: the next card lies face up in it; `flash`: its top card is seen."""

    do: Literal["shuffle", "draw", "check", "box_card", "flash", "jam", "clear", "reshuffle"]


class BoxMotion(_Body):
    """Something done to the drop box. `cents`: of the chip."""

    do: Literal["open", "close", "take_out", "chip"]
    cents: Cents = 0


class CableMotion(_Body):
    """Something done to a device's cable. Plugged in again, the device starts anew."""

    device: Annotated[str, Field(max_length=64)]
    do: Literal["pull", "plug_in"]


class KeyPress(_Body):
    """A key of the dealer's."""

    key: Literal["deal_start", "betting_closed", "hand_end", "floor_called", "cut", "run_twice"]


class SeatKey(_Body):
    """The keypad: what a player does. `cents`: what they put in with it."""

    seat: Seat
    action: Annotated[PlayerAction, Field(strict=False)] | SeatChange
    cents: Cents | None = None


class Staff(_Body):
    """The staff card held to the table; with a decision, that too. `pin`: keyed with the card."""

    role: Annotated[StaffRole, Field(strict=False)] = StaffRole.SUPERVISOR
    decision: Annotated[Decision, Field(strict=False)] | None = None
    pin: Annotated[str, Field(pattern=f"^{PIN.pattern}$")] | None = None


class Looked(BaseModel):
    """The devices as one sees them; cards that lie face down are backs."""

    visited: bool = Field(description="somebody at the page deals")
    csrf: str = Field(description="to be sent as X-CSRF-Token by whoever has no session")
    mats: dict[str, list[str]]
    hand: list[str]
    shoe: dict[str, Any]
    box: dict[str, bool]
    markers: dict[str, int | None]
    lamps: dict[str, bool]
    display: list[str]
    clock: dict[str, Any]
    sounds: int
    out: list[str] = Field(description="devices whose cable a visitor has pulled")


class Answered(BaseModel):
    """What the table said to a motion."""

    rulings: list[dict[str, Any]]
    refused: list[str] = Field(description="why the table did not take something")


class ReadStop(BaseModel):
    """What was read."""

    number: int = Field(description="of the stop, from 1, whose ruling was read")


class Toured(BaseModel):
    """Where the tour is. All but `number` is null where there is none, or it is over."""

    number: int = Field(description="of the stop, from 1; 0 for no tour")
    of: int | None = None
    title: str | None = None
    shows: str | None = None
    stage: Stage | None = None
    ruling: dict[str, Any] | None = Field(default=None, description="the ruling that is held in view")


def add_simulated(page: OpenPage, place: Takeover) -> None:
    """Serve `/simulated` and the routes it uses; show the way to it on every page, on the table's with its tour."""
    door = _Door(page)
    page.api.include_router(_router(door, page, place))
    page.pages.append(("simulated", "/simulated", "Simulated"))
    page.also["touring"] = lambda: place.tour is not None

    @page.app.get("/simulated")
    async def simulated(request: Request) -> Response:
        caller = page.guard.caller(request)
        if caller is None:
            return to_the_door(request)
        return page.show(
            "simulated.html", state=await page.state(), caller=caller, here="simulated",
            actions=_KEYED, decisions=_ASKED, chips=place.chips,
            devices=[(name, device_in_words(name)) for name in place.devices],
        )  # fmt: skip


class _Door:
    """Who may: whoever may see the page. Without a session the token comes from this run, not from the session."""

    def __init__(self, page: OpenPage) -> None:
        self._guard = page.guard
        self.csrf = secrets.token_urlsafe(32)

    def may(self, request: Request) -> Caller:
        """A dependency. Raises ApiProblem: 401 for nobody, 403 where another site's page may be behind it."""
        caller = self._guard.caller(request)
        if caller is None or not caller.may(Right.SEE):
            raise ApiProblem(HTTPStatus.UNAUTHORIZED, "sign in first")
        if caller.read_only:
            raise ApiProblem(HTTPStatus.UNAUTHORIZED, READ_ONLY)
        self._guard.check_origin(request)
        wanted = self.csrf if caller.session is None else caller.session.csrf
        if not same(request.headers.get(CSRF_HEADER, ""), wanted):
            raise ApiProblem(HTTPStatus.FORBIDDEN, f"{CSRF_HEADER}: send the token that GET /api/v1/simulated gives")
        return caller


class _Answering:
    """Has the visitor at the table do something, one motion at a time."""

    def __init__(self, place: Takeover) -> None:
        self._place = place

    async def __call__(self, motion: Callable[[Visitor], Awaitable[Any]]) -> Answered:
        """One motion of the visitor's, and what the table says to it."""
        place = self._place
        async with place.turn:
            try:
                visitor = place.visitor()
                place.listen()
                await motion(visitor)
            except (NobodyThereError, OrderRefused, ControlError) as fault:
                raise ApiProblem(HTTPStatus.CONFLICT, str(fault)) from None
            finally:
                rulings, refused = place.heard()
        return Answered(rulings=[_translated(one) for one in rulings], refused=[refusal(why) for why in refused])


def _translated(ruling: dict[str, Any]) -> dict[str, Any]:
    """A ruling with its text in the reader's language beside the approved one."""
    return {**ruling, "translation": ruling_text(ruling["text"])}


def _router(door: _Door, page: OpenPage, place: Takeover) -> APIRouter:
    router = APIRouter(prefix="/simulated", tags=["simulated"], responses=_REFUSALS)
    answer = _Answering(place)
    _add_place(router, door, page, place)
    _add_tour(router, door, page, place)
    _add_dealing(router, door, page, answer)
    _add_others(router, door, answer)
    return router


def _add_place(router: APIRouter, door: _Door, page: OpenPage, place: Takeover) -> None:
    may = Depends(door.may)

    @router.get("")
    async def look(caller: Caller = Depends(page.guard.need(Right.SEE, by_itself=True))) -> Looked:  # noqa: B008
        """The simulated devices as one sees them."""
        csrf = door.csrf if caller.session is None else caller.session.csrf
        try:
            return Looked(visited=place.visited, csrf=csrf, **await place.look())
        except (OrderRefused, ControlError) as gone:
            raise ApiProblem(HTTPStatus.CONFLICT, str(gone)) from None

    @router.post("/take-over")
    async def take_over(caller: Caller = may) -> Answered:
        """Sit down in the dealer's place."""
        try:
            await place.take_over()
        except NobodyThereError as problem:
            raise ApiProblem(HTTPStatus.CONFLICT, str(problem)) from None
        return Answered(rulings=[], refused=[])

    @router.post("/hand-back")
    async def hand_back(caller: Caller = may) -> Answered:
        """Get up; the simulated dealer goes on with a new round."""
        await place.hand_back()
        return Answered(rulings=[], refused=[])


def _add_tour(router: APIRouter, door: _Door, page: OpenPage, place: Takeover) -> None:
    @router.get("/tour")
    async def where(caller: Caller = Depends(page.guard.need(Right.SEE, by_itself=True))) -> Toured:  # noqa: B008
        """Where the tour is."""
        tour = place.tour
        if tour is None or not tour.number:
            return Toured(number=0)
        tour.look()
        return Toured(
            number=tour.number,
            of=len(STOPS),
            title=row_text(tour.stop.title),
            shows=row_text(tour.stop.shows),
            stage=tour.stage,
            ruling=None if tour.ruling is None else _translated(tour.ruling),
        )

    @router.post("/tour/go-on")
    async def go_on(read: ReadStop, caller: Caller = Depends(door.may)) -> Toured:  # noqa: B008
        """The ruling of a stop was read: the simulated supervisor decides."""
        if place.tour is not None:
            place.tour.go_on(read.number)
        return await where(caller)


def _add_dealing(router: APIRouter, door: _Door, page: OpenPage, answer: _Answering) -> None:
    may = Depends(door.may)

    @router.post("/follow")
    async def follow(caller: Caller = may) -> Answered:
        """Do what the table asks for, in the plainest way."""

        async def done(visitor: Visitor) -> None:
            await visitor.follow((await page.state())["table"])

        return await answer(done)

    @router.post("/cards")
    async def cards(body: CardMotion, caller: Caller = may) -> Answered:
        """Deal a card, turn it, take it back, flash it, look at it."""

        async def done(visitor: Visitor) -> None:
            if body.do == "deal":
                await visitor.deal(body.zone, body.face)
            elif body.do == "take_back":
                await visitor.take_back(body.zone)
            else:
                await visitor.do(_OF_CARDS[body.do](body.zone))

        return await answer(done)

    @router.post("/chips")
    async def chips(body: ChipMotion, caller: Caller = may) -> Answered:
        """Lay a phone down, a copy, a card of another pack, the next card of a new one."""
        return await answer(lambda visitor: visitor.lay(body.thing, body.zone))

    @router.post("/shoe")
    async def shoe(body: ShoeMotion, caller: Caller = may) -> Answered:
        """Shuffle, draw, check, box a card, jam, clear."""

        async def done(visitor: Visitor) -> None:
            match body.do:
                case "shuffle":
                    prompt = (await page.state())["table"]["prompt"]
                    await visitor.shuffle((prompt or {}).get("shuffle"))
                case "draw":
                    await visitor.draw()
                case "check":
                    await visitor.check(None)
                case "reshuffle":
                    await visitor.reshuffle()
                case other:
                    await visitor.do(_OF_SHOE[other])

        return await answer(done)


def _add_others(router: APIRouter, door: _Door, answer: _Answering) -> None:
    may = Depends(door.may)

    @router.post("/box")
    async def box(body: BoxMotion, caller: Caller = may) -> Answered:
        """The drop box: open, close, take out, drop a chip."""
        motion = _OF_BOX[body.do] if body.do != "chip" else motions.dropbox("chip", cents=body.cents)
        return await answer(lambda visitor: visitor.do(motion))

    @router.post("/cables")
    async def cables(body: CableMotion, caller: Caller = may) -> Answered:
        """A device's cable: pull it, plug it in again."""
        return await answer(
            lambda visitor: visitor.pull(body.device) if body.do == "pull" else visitor.plug_in(body.device)
        )

    @router.post("/keys")
    async def keys(body: KeyPress, caller: Caller = may) -> Answered:
        """A key of the dealer's."""
        return await answer(lambda visitor: visitor.do(_OF_KEYS.get(body.key) or motions.press(body.key)))

    @router.post("/seats")
    async def seats(body: SeatKey, caller: Caller = may) -> Answered:
        """A player acts, comes or goes, or their hand lies open, as the keypad says it."""
        if isinstance(body.action, PlayerAction):
            motion = motions.act(body.seat, body.action, body.cents)
        elif body.action == "shown":
            motion = motions.press("hand_shown", seat=body.seat)
        else:
            motion = motions.press(f"seat_{body.action}", seat=body.seat)
        return await answer(lambda visitor: visitor.do(motion))

    @router.post("/staff")
    async def staff(body: Staff, caller: Caller = may) -> Answered:
        """A staff card, and a decision by it."""

        async def done(visitor: Visitor) -> None:
            card = STAFF_CARDS[body.role]
            await visitor.do(motions.badge(card, body.role.value, body.pin))
            if body.decision is not None:
                said = {"reason": "at the simulated table", "pin": body.pin}
                await visitor.do(motions.decide(body.decision, card, **said))

        return await answer(done)


_OF_CARDS: Final[dict[str, Callable[[str], Motion]]] = {
    "turn": lambda zone: motions.on_zone(zone, "turn", face="up", all=True),
    "flash": lambda zone: motions.on_zone(zone, "expose", by="dealer"),
    "show": lambda zone: motions.on_zone(zone, "expose", by="player"),
    "look": lambda zone: motions.on_zone(zone, "look"),
}
_OF_SHOE: Final[dict[str, Motion]] = {
    "box_card": motions.shoe("box_card"),
    "flash": motions.shoe("expose_top"),
    "jam": motions.shoe("fault", kind="jam"),
    "clear": motions.shoe("clear"),
}
_OF_BOX: Final[dict[str, Motion]] = {
    "open": motions.dropbox("box", present=True, locked=False),
    "close": motions.dropbox("box", present=True, locked=True),
    "take_out": motions.dropbox("box", present=False, locked=False),
}
_OF_KEYS: Final[dict[str, Motion]] = {
    "floor_called": motions.press("floor_called", by="dealer"),
    "cut": motions.press("cut", by="dealer", depth=20),
}

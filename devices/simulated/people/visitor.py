"""A person who works the simulated devices in the dealer's place, motion by motion.

Their motions go to the devices like the dealer's own. They see the cards as from a chair: a face-down card is a back.
"""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final, TypeAlias

from devices.simulated.errors import ControlError, OrderRefused
from devices.simulated.people import motions
from devices.simulated.people.hands import Hands
from devices.simulated.people.motions import Held, Motion
from devices.simulated.people.staff_cards import STAFF_CARDS
from devices.simulated.things.chips import Thing, chip_of, told
from devices.simulated.things.control import Control
from devices.simulated.things.models import THING
from table_fsm.felt import PlayerAction, StaffRole

CUT_DEPTH: Final = 20
LEAST_WAGER: Final = 500
"""The least wager on the simulated tables' sign, in cents."""
_WAITS: Final = {
    "floor": "the table waits for a person: hold the staff card to it, and decide",
    "players": "the table waits for players: seat some",
}
_INDICATORS: Final = "indicators"
_PHONE: Final = b"\x08"
_STRANGE: Final = bytes.fromhex("04feedfeedfeed")
_NEW: Final = "green"
LAID: Final = tuple(f"{rank}{suit}" for suit in "shdc" for rank in "A23456789TJQK")
"""The order in which the cards of a new pack are laid to be enrolled."""

Prompt: TypeAlias = Mapping[str, Any]
View: TypeAlias = Mapping[str, Any]


class Visitor:
    """One visit to the table."""

    def __init__(self, hands: Hands, decks: tuple[str, ...]) -> None:
        self._hands = hands
        self._decks = decks
        self._held: list[Held] = []
        self._deck: str | None = None
        self._dealt: Held | None = None
        self._laid = 0

    async def sit_down(self) -> None:
        """Look which deck is in the shoe."""
        self._deck = (await self._hands.look("shoe"))["state"].get("deck")

    async def do(self, motion: Motion) -> dict[str, Any]:
        """Make one motion. Raises OrderRefused, and ControlError if the device is gone."""
        return await self._hands.order(motion)

    # -- cables

    async def pull(self, device: str) -> None:
        """Pull a device's cable. Raises OrderRefused where there is no such device, or it is out already."""
        control = self._control(device)
        if device in self._hands.out:
            raise OrderRefused(f"device {device}: its cable is out already: plug it in first")
        await control.answer({"do": "unplug"})
        self._hands.out.add(device)

    async def plug_in(self, device: str) -> None:
        """Plug a device in again, which starts anew. Raises OrderRefused where there is no such device, or it is in."""
        control = self._control(device)
        if device not in self._hands.out:
            raise OrderRefused(f"device {device}: its cable is in its place")
        await control.answer({"do": "reboot"})
        self._hands.out.discard(device)

    def _control(self, device: str) -> Control:
        if device not in self._hands.controls:
            raise OrderRefused(f"there is no device {device}: choose one of {', '.join(sorted(self._hands.controls))}")
        return self._hands.controls[device]

    @property
    def out(self) -> list[str]:
        """The devices whose cable is out."""
        return sorted(self._hands.out)

    # -- cards

    async def deal(self, zone: str, face: str) -> None:
        """Deal the card in hand to a zone, or the shoe's next one."""
        held = self._held.pop() if self._held else await self._draw()
        try:
            await self.do(motions.place(zone, held, face))
        except OrderRefused:
            self._held.append(held)
            raise
        self._dealt = held

    async def lay(self, thing: Thing, zone: str) -> None:
        """Lay a thing on a zone that is no card of the game. Raises OrderRefused, also where readers know no chips."""
        await self.do(motions.on_zone(zone, "lay", chip=self._chip(thing)))
        if thing is Thing.NEW_PACK:
            self._laid += 1
            await self.do(motions.on_zone(zone, "remove", card=THING))

    def _chip(self, thing: Thing) -> str:
        match thing:
            case Thing.PHONE:
                return told(_PHONE + secrets.token_bytes(3))
            case Thing.STRANGE:
                return told(_STRANGE)
            case Thing.HALF:
                return told(_STRANGE[:2])
            case Thing.COPY:
                if self._dealt is None:
                    raise OrderRefused("you have dealt no card yet that could have a copy: deal one first")
                return chip_of(self._dealt.card, self._dealt.deck or "")
            case Thing.OTHER_PACK:
                return chip_of("As", next(deck for deck in self._decks if deck != self._deck))
            case Thing.NEW_PACK:
                return chip_of(LAID[self._laid % len(LAID)], _NEW)

    async def _draw(self) -> Held:
        out = await self.do(motions.shoe("deal"))
        return Held(out["card"], out.get("deck"), out.get("face", "down"))

    async def draw(self) -> None:
        """Take a card out of the shoe into the hand."""
        self._held.append(await self._draw())

    async def take_back(self, zone: str) -> None:
        """Take the last card of a zone into the hand."""
        out = await self.do(motions.on_zone(zone, "remove"))
        if out["card"] != THING:  # a phone goes back to its pocket
            self._held.append(Held(out["card"], self._deck, out.get("face", "down")))

    async def collect(self) -> None:
        """Collect every card that is out."""
        self._held.clear()
        await self.do(motions.collect_all())

    async def shuffle(self, deck: str | None) -> None:
        """Collect, then shuffle this deck, or the one in the shoe."""
        await self.collect()
        out = await self.do(motions.shoe("shuffle", deck=deck or self._deck or self._decks[0]))
        self._deck = out.get("deck", self._deck)

    async def reshuffle(self) -> None:
        """Put the cards in hand back among the undealt cards and shuffle them."""
        await self.do(motions.shoe("reshuffle", cards=[held.card for held in self._held]))
        self._held.clear()

    async def check(self, deck: str | None) -> None:
        """Badge as a supervisor and check a deck card by card, or every deck."""
        await self.collect()
        await self.do(motions.badge(STAFF_CARDS[StaffRole.SUPERVISOR], StaffRole.SUPERVISOR))
        for checked in [deck] if deck else list(self._decks):
            await self.do(motions.shoe("check", deck=checked))

    # -- what the table asks for

    async def follow(self, view: View) -> None:
        """Do what the table prompts in the plainest way: check, call, stand pat.

        `view`: the public view of the table. Raises OrderRefused where only a person can choose.
        """
        prompt = view["prompt"] or {}
        for key, follow in _FOLLOW.items():
            if key in prompt:
                await follow(self, prompt, view)
                return
        raise OrderRefused("the table asks for nothing that a dealer's hands could do by themselves")

    @property
    def in_hand(self) -> list[str]:
        """The cards in the hand as others see them."""
        return [_seen(held.card, held.face) for held in self._held]

    async def leave(self) -> None:
        """Leave the table whole: the cards in hand are collected, and each cable is plugged in."""
        self._held.clear()
        for device in self.out:
            with suppress(ControlError):  # at the end of the simulation a device may have ended first
                await self.plug_in(device)
        await self._hands.close()


async def seen(eyes: Hands) -> dict[str, Any]:
    """Return the visible state of the devices; face-down cards are backs.

    `eyes`: hands with nothing else to do.
    """
    mats: dict[str, list[str]] = {}
    for reader in sorted(set(eyes.readers.values())):
        zones = (await eyes.look(reader))["state"]["zones"]
        mats |= {zone: [_seen(card, face) for card, face in cards] for zone, cards in zones.items()}
    mats |= {zone: [_seen(card, str(face)) for card, face in cards] for zone, cards in eyes.bare_zones.items()}
    shown = (await eyes.look(_INDICATORS))["shown"]
    return {
        "mats": mats,
        "shoe": (await eyes.look("shoe"))["state"],
        "box": (await eyes.look("dropbox"))["state"],
        "markers": (await eyes.look("markers"))["state"]["markers"],
        "lamps": shown["lamps"],
        "display": shown["display"],
        "clock": shown["clock"],
        "sounds": len(shown["sounds"]),
    }


def _seen(card: str | None, face: str) -> str:
    return card if card is not None and face == "up" else "back"


_Follow: TypeAlias = Callable[[Visitor, Prompt, View], Awaitable[None]]


async def _post(visitor: Visitor, prompt: Prompt, view: View) -> None:
    for action in (PlayerAction.POST, PlayerAction.ANTE):
        for seat, cents in dict(prompt.get(action.value) or {}).items():
            await visitor.do(motions.act(int(seat), action, cents))


async def _wagers(visitor: Visitor, prompt: Prompt, view: View) -> None:
    for seat in (place["seat"] for place in view["seats"]):
        for box in ("ante", "blind"):
            await visitor.do(motions.press("wager", seat=seat, box=box, cents=LEAST_WAGER))
    await visitor.do(motions.press("deal_start"))


async def _deal(visitor: Visitor, prompt: Prompt, view: View) -> None:
    await visitor.deal(str(prompt["deal"]), str(prompt.get("face") or "down"))


async def _burn(visitor: Visitor, prompt: Prompt, view: View) -> None:
    await visitor.deal("burn", "down")


async def _act(visitor: Visitor, prompt: Prompt, view: View) -> None:
    owes = prompt.get("owes")
    action = PlayerAction.CALL if owes else PlayerAction.CHECK
    await visitor.do(motions.act(prompt["act"], action, owes or None))


async def _draw(visitor: Visitor, prompt: Prompt, view: View) -> None:
    await visitor.do(motions.press("draw", seat=prompt["draw"], count=0))


async def _give_up(visitor: Visitor, prompt: Prompt, view: View) -> None:
    for seat in prompt["give_up"]:
        for _ in range(prompt["count"]):
            await visitor.do(motions.on_zone(f"seat:{seat}", "remove"))


async def _close(visitor: Visitor, prompt: Prompt, view: View) -> None:
    await visitor.do(motions.press("betting_closed"))


async def _decide(visitor: Visitor, prompt: Prompt, view: View) -> None:
    """The house's game: everybody checks while possible, and plays one ante at the river."""
    antes = {place["seat"]: (place["wagers"] or {}).get("ante") for place in view["seats"]}
    for seat in prompt["decide"]:
        if view["street"] == "river":
            await visitor.do(motions.press("wager", seat=seat, box="play", cents=antes.get(seat) or LEAST_WAGER))
        else:
            await visitor.do(motions.act(seat, PlayerAction.CHECK))


async def _turn(visitor: Visitor, prompt: Prompt, view: View) -> None:
    for zone in prompt["turn"]:
        await visitor.do(motions.on_zone(zone, "turn", face="up", all=True))


async def _show(visitor: Visitor, prompt: Prompt, view: View) -> None:
    for seat in prompt["show"]:
        await visitor.do(motions.on_zone(f"seat:{seat}", "turn", face="up", all=True))
        if prompt.get("by_key"):
            await visitor.do(motions.press("hand_shown", seat=seat))


async def _collect(visitor: Visitor, prompt: Prompt, view: View) -> None:
    await visitor.collect()
    await visitor.do(motions.press("hand_end"))


_FOLLOW: Final[Mapping[str, _Follow]] = {
    "check": lambda visitor, prompt, view: visitor.check(prompt["check"]),
    "shuffle": lambda visitor, prompt, view: visitor.shuffle(prompt["shuffle"]),
    "cut": lambda visitor, prompt, view: _key(visitor, "cut", by=prompt.get("by") or "dealer", depth=CUT_DEPTH),
    "post": _post,
    "ante": _post,
    "wagers": _wagers,
    "move": lambda visitor, prompt, view: _marker(visitor, prompt["move"], prompt["to"]),
    "deal": _deal,
    "burn": _burn,
    "act": _act,
    "draw": _draw,
    "give_up": _give_up,
    "close": _close,
    "decide": _decide,
    "turn": _turn,
    "show": _show,
    "collect": _collect,
    "remove": lambda visitor, prompt, view: visitor.take_back(str(prompt["remove"])),
    "wait": lambda visitor, prompt, view: _let_go(visitor, prompt),
    "shuffle_stub": lambda visitor, prompt, view: visitor.reshuffle(),
}
"""How each prompt is followed, by its key."""


async def _let_go(visitor: Visitor, prompt: Prompt) -> None:
    """Hand for hand: release the next hand as the director."""
    if prompt["wait"] != "go":
        raise OrderRefused(_WAITS.get(str(prompt["wait"]), f"the table waits: {prompt['wait']}"))
    await visitor.do(motions.press("tournament_go"))


async def _key(visitor: Visitor, ev: str, **fields: Any) -> None:
    await visitor.do(motions.press(ev, **fields))


async def _marker(visitor: Visitor, marker: str, seat: int) -> None:
    await visitor.do(motions.marker(marker, seat))

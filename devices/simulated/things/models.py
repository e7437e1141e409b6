"""What a simulated device is without its wire: a state, changed by hands, that it reports.

Models are pure: no clock, no I/O; chance comes from a seed. The same models run in a device's process behind a wire,
and beside the table without one.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass
from typing import Any, ClassVar, Final

from devices.simulated.errors import OrderRefused
from devices.simulated.things.chips import chip_of
from devices.simulated.things.orders import Carried, cards_of, number_of, optional_text, text_of, without_nulls
from table_fsm.felt import CARRIERS, EXPOSERS, FACES, MARKERS


class DeviceModel(ABC):
    """One simulated device."""

    role: ClassVar[str]

    def order(self, order: Mapping[str, Any]) -> Carried:
        """Do what a hand does. Raises OrderRefused; nothing has changed then."""
        do = text_of(order, "do")
        if do == "read":
            return Carried(reply={"state": self.seen()})
        return self._carry_out(do, order)

    @abstractmethod
    def _carry_out(self, do: str, order: Mapping[str, Any]) -> Carried:
        """Carry out one order by its name."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """The full state, as MESSAGES.md has it."""

    def seen(self) -> dict[str, Any]:
        """The same as people see it, who know cards by their names."""
        return self.state()

    def post(self, name: str, args: Mapping[str, Any]) -> None:
        """Take a level set by the host. Unknown names are ignored, as the protocol demands."""
        return

    @abstractmethod
    def memory(self) -> dict[str, Any]:
        """The state that survives a power loss, ready for JSON: cards lie where they lay."""

    @abstractmethod
    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore the state that `memory` returned."""

    def _unknown(self, do: str) -> OrderRefused:
        return OrderRefused(f"a simulated {self.role} has no order {do!r}")


@dataclass(slots=True)
class _Lying:
    """A card or another thing. `deck`: the card's, where a hand said it; `chip`: the number of a thing that is no card.

    A thing lies as a card does, with the name `THING`.
    """

    card: str
    face: str
    deck: str | None = None
    chip: str | None = None


THING: Final = "?"
"""In place of a card's name: a thing that is no card of the game."""


class ReaderModel(DeviceModel):
    """A card reader and the cards in its zones.

    `reads_down`: it reads cards through their backs. `chips`: it tells the number of a card's chip, not its name.
    `faces`: it knows which side is up; else each zone has one side, and it tells no card as turned or seen.
    """

    role: ClassVar[str] = "reader"

    def __init__(
        self, zones: tuple[str, ...], *, reads_down: bool = True, chips: bool = False, faces: bool = True
    ) -> None:
        self._cards: dict[str, list[_Lying]] = {zone: [] for zone in zones}
        self._reads_down = reads_down
        self._chips = chips
        self._faces = faces
        self._collecting = False

    def _carry_out(self, do: str, order: Mapping[str, Any]) -> Carried:
        match do:
            case "place":
                return self._place(order)
            case "lay":
                return self._lay(order)
            case "turn":
                return self._turn(order)
            case "expose":
                zone, lying = self._find(order)
                by = text_of(order, "by", EXPOSERS)
                return self._by_face({"ev": "exposed", "zone": zone, "card": self._named(lying), "by": by})
            case "remove":
                return self._remove(order)
            case "leave":
                zone, lying = self._find(order)
                by = text_of(order, "by", CARRIERS)
                self._cards[zone].remove(lying)
                body = {"ev": "left_table", "zone": zone, "card": self._read(lying), "by": by}
                return Carried((body,), {"card": lying.card})
            case "look":
                return Carried(({"ev": "looked", "zone": self._zone(order)},))
            case "collect":
                return self._collect()
        raise self._unknown(do)

    def _zone(self, order: Mapping[str, Any]) -> str:
        return text_of(order, "zone", self._cards.keys())

    def _seen(self, lying: _Lying) -> str | None:
        return lying.card if self._reads_down or lying.face == "up" else None

    def _told(self, zone: str, face: str) -> str:
        """The side that is told: the card's, or the one that the zone has in its settings."""
        if self._faces:
            return face
        return "up" if zone.startswith(("board", "race")) else "down"

    def _by_face(self, *bodies: dict[str, Any], **reply: Any) -> Carried:
        """What only a reader that knows the side of a card tells."""
        return Carried(bodies if self._faces else (), reply)

    def _read(self, lying: _Lying) -> str | None:
        """The card as it is told, where it is read."""
        return None if self._seen(lying) is None else self._named(lying)

    def _named(self, lying: _Lying) -> str:
        if lying.chip is not None:
            return lying.chip
        return chip_of(lying.card, lying.deck or "") if self._chips else lying.card

    def _find(self, order: Mapping[str, Any]) -> tuple[str, _Lying]:
        """The card that an order means: the named one, else the last face-down one, else the last."""
        zone = self._zone(order)
        card = optional_text(order, "card")
        lying = [entry for entry in self._cards[zone] if card in (None, entry.card)]
        if not lying:
            raise OrderRefused(f"order {order['do']!r}: no such card lies in {zone}")
        return zone, next((entry for entry in reversed(lying) if entry.face == "down"), lying[-1])

    def _place(self, order: Mapping[str, Any]) -> Carried:
        zone, face = self._zone(order), text_of(order, "face", FACES)
        lying = _Lying(text_of(order, "card"), face, optional_text(order, "deck"))
        self._cards[zone].append(lying)
        told = self._told(zone, face)
        return Carried((without_nulls(ev="placed", zone=zone, card=self._read(lying), face=told, deck=lying.deck),))

    def _lay(self, order: Mapping[str, Any]) -> Carried:
        """Lay a thing down whose chip has this number."""
        zone, lying = self._zone(order), _Lying(THING, "down", chip=text_of(order, "chip"))
        if not self._chips:
            raise OrderRefused("these readers tell cards by their names: start the table with --chips")
        self._cards[zone].append(lying)
        return Carried(({"ev": "placed", "zone": zone, "card": lying.chip, "face": lying.face},))

    def _turn(self, order: Mapping[str, Any]) -> Carried:
        zone, face = self._zone(order), text_of(order, "face", FACES)
        every = [entry for entry in self._cards[zone] if entry.face != face]
        turned = every if order.get("all") is True else [self._find(order)[1]]
        for entry in turned:
            entry.face = face
        bodies = ({"ev": "turned", "zone": zone, "card": self._named(entry), "face": face} for entry in turned)
        return self._by_face(*bodies, cards=[entry.card for entry in turned])

    def _remove(self, order: Mapping[str, Any]) -> Carried:
        zone, lying = self._find(order)
        read = self._read(lying)
        self._cards[zone].remove(lying)
        bodies = () if self._collecting else ({"ev": "removed", "zone": zone, "card": read},)
        return Carried(bodies, {"card": lying.card, "face": lying.face})

    def _collect(self) -> Carried:
        taken = [(zone, entry) for zone, cards in self._cards.items() for entry in cards]
        for cards in self._cards.values():
            cards.clear()
        removed = tuple({"ev": "removed", "zone": zone, "card": self._read(entry)} for zone, entry in taken)
        return Carried(() if self._collecting else removed, {"cards": [entry.card for _, entry in taken]})

    def state(self) -> dict[str, Any]:
        return self._state(self._read, self._told)

    def seen(self) -> dict[str, Any]:
        return self._state(self._seen, lambda zone, face: face)

    def _state(self, told: Callable[[_Lying], str | None], side: Callable[[str, str], str]) -> dict[str, Any]:
        zones = {
            zone: [[told(entry), side(zone, entry.face)] for entry in cards] for zone, cards in self._cards.items()
        }
        return {"zones": zones, "collecting": self._collecting}

    def post(self, name: str, args: Mapping[str, Any]) -> None:
        if name == "collect" and isinstance(args.get("on"), bool):
            self._collecting = args["on"]

    def memory(self) -> dict[str, Any]:
        return {"cards": {zone: [list(astuple(entry)) for entry in cards] for zone, cards in self._cards.items()}}

    def recall(self, memory: Mapping[str, Any]) -> None:
        for zone, cards in memory["cards"].items():
            if zone in self._cards:
                self._cards[zone] = [_Lying(*entry) for entry in cards]


class MarkersModel(DeviceModel):
    """The markers' sensor."""

    role: ClassVar[str] = "markers"

    def __init__(self) -> None:
        self._stands: dict[str, int | None] = dict.fromkeys(MARKERS)

    def _carry_out(self, do: str, order: Mapping[str, Any]) -> Carried:
        marker = text_of(order, "marker", MARKERS)
        match do:
            case "place":
                self._stands[marker] = number_of(order, "seat")
                return Carried(({"ev": "placed", "marker": marker, "seat": self._stands[marker]},))
            case "lift":
                self._stands[marker] = None
                return Carried()
        raise self._unknown(do)

    def state(self) -> dict[str, Any]:
        return {"markers": dict(self._stands)}

    def memory(self) -> dict[str, Any]:
        return {"stands": dict(self._stands)}

    def recall(self, memory: Mapping[str, Any]) -> None:
        self._stands.update(memory["stands"])


class DropboxModel(DeviceModel):
    """The drop box and the float areas."""

    role: ClassVar[str] = "dropbox"

    def __init__(self) -> None:
        self._box = {"present": True, "locked": True}

    def _carry_out(self, do: str, order: Mapping[str, Any]) -> Carried:
        match do:
            case "chip" | "float_commission" | "float_colour_change":
                return Carried(({"ev": do, "cents": number_of(order, "cents")},))
            case "box":
                now = {key: order.get(key, value) is True for key, value in self._box.items()}
                changed = now != self._box
                self._box = now
                return Carried(({"ev": "box", **now},) if changed else ())
        raise self._unknown(do)

    def state(self) -> dict[str, Any]:
        return dict(self._box)

    def memory(self) -> dict[str, Any]:
        return dict(self._box)

    def recall(self, memory: Mapping[str, Any]) -> None:
        self._box = {key: memory[key] is True for key in self._box}


class KeysModel(DeviceModel):
    """The dealer's keys. The order `{"do": "press", "body": {…}}` carries the event's body."""

    role: ClassVar[str] = "keys"

    def __init__(self) -> None:
        self._testing = False

    def _carry_out(self, do: str, order: Mapping[str, Any]) -> Carried:
        if do != "press":
            raise self._unknown(do)
        body = order.get("body")
        if not isinstance(body, dict) or not isinstance(body.get("ev"), str):
            raise OrderRefused("order 'press': body must be an event's body, an object with ev")
        if body["ev"] == "test_mode":
            self._testing = body.get("on") is True
        return Carried((dict(body),))

    def state(self) -> dict[str, Any]:
        return {"testing": self._testing}

    def memory(self) -> dict[str, Any]:
        return {"testing": self._testing}

    def recall(self, memory: Mapping[str, Any]) -> None:
        self._testing = memory["testing"] is True


class BadgeModel(DeviceModel):
    """The badge reader."""

    role: ClassVar[str] = "badge"

    def _carry_out(self, do: str, order: Mapping[str, Any]) -> Carried:
        if do != "badge":
            raise self._unknown(do)
        staff, role = text_of(order, "staff"), optional_text(order, "role")
        return Carried((without_nulls(ev="badge", staff=staff, role=role, pin=optional_text(order, "pin")),))

    def state(self) -> dict[str, Any]:
        return {}

    def memory(self) -> dict[str, Any]:
        return {}

    def recall(self, memory: Mapping[str, Any]) -> None:
        return


class IndicatorsModel(DeviceModel):
    """Lamps, display, buzzer and clock.

    The order `{"do": "read"}` returns what they show (`shown`).
    """

    role: ClassVar[str] = "indicators"
    SOUNDS_KEPT: Final = 100

    def __init__(self) -> None:
        self._lamps: dict[str, bool] = {}
        self._display: list[str] = []
        self._clock: dict[str, Any] = {"on": False}
        self._sounds: list[dict[str, Any]] = []

    def order(self, order: Mapping[str, Any]) -> Carried:
        carried = super().order(order)
        shown = {"sounds": [dict(sound) for sound in self._sounds], "clock": dict(self._clock)}
        return Carried(carried.bodies, {**carried.reply, "shown": {**self.state(), **shown}})

    def _carry_out(self, do: str, order: Mapping[str, Any]) -> Carried:
        raise self._unknown(do)

    def state(self) -> dict[str, Any]:
        return {"lamps": dict(self._lamps), "display": list(self._display)}

    def post(self, name: str, args: Mapping[str, Any]) -> None:
        match name:
            case "lamps":
                self._lamps.update({lamp: on for lamp, on in args.items() if isinstance(on, bool)})
            case "display" if isinstance(args.get("lines"), list):
                self._display = [str(line) for line in args["lines"]]
            case "clock":
                self._clock = dict(args)
            case "buzzer" if not self._sounds or self._sounds[-1].get("n") != args.get("n"):
                self._sounds = [*self._sounds, dict(args)][-self.SOUNDS_KEPT :]

    def memory(self) -> dict[str, Any]:
        return {}  # dark after a power loss

    def recall(self, memory: Mapping[str, Any]) -> None:
        return


def known_cards(order: Mapping[str, Any], key: str, whole: frozenset[str]) -> list[str]:
    """The cards that an order lists. Raises OrderRefused for one that does not exist."""
    cards = cards_of(order, key)
    if not set(cards) <= whole:
        raise OrderRefused(f"order {order.get('do')!r}: {key} lists something that is no card")
    return cards

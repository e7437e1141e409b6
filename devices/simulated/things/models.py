"""What a simulated device is without its wire: a state, changed by hands, that it reports.

Models are pure: no clock, no I/O; chance comes from a seed. The same models run in a device's process behind a wire,
and beside the table without one.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from devices.simulated.errors import OrderRefused
from devices.simulated.things.orders import Carried, cards_of, number_of, optional_text, text_of, without_nulls
from table_fsm.felt import CARRIERS, EXPOSERS, FACES, MARKERS


class DeviceModel(ABC):
    """One simulated device."""

    role: ClassVar[str]

    def order(self, order: Mapping[str, Any]) -> Carried:
        """Do what a hand does. Raises OrderRefused; nothing has changed then."""
        do = text_of(order, "do")
        if do == "read":
            return Carried(reply={"state": self.state()})
        return self._carry_out(do, order)

    @abstractmethod
    def _carry_out(self, do: str, order: Mapping[str, Any]) -> Carried:
        """Carry out one order by its name."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """The full state, as MESSAGES.md has it."""

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


class ReaderModel(DeviceModel):
    """A card reader and the cards in its zones.

    `reads_down`: it reads cards through their backs.
    """

    role: ClassVar[str] = "reader"

    def __init__(self, zones: tuple[str, ...], *, reads_down: bool = True) -> None:
        self._cards: dict[str, list[list[str]]] = {zone: [] for zone in zones}  # each card: name, face
        self._reads_down = reads_down
        self._collecting = False

    def _carry_out(self, do: str, order: Mapping[str, Any]) -> Carried:
        match do:
            case "place":
                return self._place(order)
            case "turn":
                return self._turn(order)
            case "expose":
                zone, lying = self._find(order)
                by = text_of(order, "by", EXPOSERS)
                return Carried(({"ev": "exposed", "zone": zone, "card": lying[0], "by": by},))
            case "remove":
                return self._remove(order)
            case "leave":
                zone, lying = self._find(order)
                by = text_of(order, "by", CARRIERS)
                self._cards[zone].remove(lying)
                body = {"ev": "left_table", "zone": zone, "card": self._seen(lying), "by": by}
                return Carried((body,), {"card": lying[0]})
            case "look":
                return Carried(({"ev": "looked", "zone": self._zone(order)},))
            case "collect":
                return self._collect()
        raise self._unknown(do)

    def _zone(self, order: Mapping[str, Any]) -> str:
        return text_of(order, "zone", self._cards.keys())

    def _seen(self, lying: list[str]) -> str | None:
        return lying[0] if self._reads_down or lying[1] == "up" else None

    def _find(self, order: Mapping[str, Any]) -> tuple[str, list[str]]:
        """The card that an order means: the named one, else the last face-down one, else the last."""
        zone = self._zone(order)
        card = optional_text(order, "card")
        lying = [entry for entry in self._cards[zone] if card in (None, entry[0])]
        if not lying:
            raise OrderRefused(f"order {order['do']!r}: no such card lies in {zone}")
        return zone, next((entry for entry in reversed(lying) if entry[1] == "down"), lying[-1])

    def _place(self, order: Mapping[str, Any]) -> Carried:
        zone, face = self._zone(order), text_of(order, "face", FACES)
        lying = [text_of(order, "card"), face]
        self._cards[zone].append(lying)
        deck = optional_text(order, "deck")
        return Carried((without_nulls(ev="placed", zone=zone, card=self._seen(lying), face=face, deck=deck),))

    def _turn(self, order: Mapping[str, Any]) -> Carried:
        zone, face = self._zone(order), text_of(order, "face", FACES)
        every = [entry for entry in self._cards[zone] if entry[1] != face]
        turned = every if order.get("all") is True else [self._find(order)[1]]
        for entry in turned:
            entry[1] = face
        bodies = tuple({"ev": "turned", "zone": zone, "card": entry[0], "face": face} for entry in turned)
        return Carried(bodies, {"cards": [entry[0] for entry in turned]})

    def _remove(self, order: Mapping[str, Any]) -> Carried:
        zone, lying = self._find(order)
        seen = self._seen(lying)
        self._cards[zone].remove(lying)
        bodies = () if self._collecting else ({"ev": "removed", "zone": zone, "card": seen},)
        return Carried(bodies, {"card": lying[0], "face": lying[1]})

    def _collect(self) -> Carried:
        taken = [(zone, entry) for zone, cards in self._cards.items() for entry in cards]
        for cards in self._cards.values():
            cards.clear()
        removed = tuple({"ev": "removed", "zone": zone, "card": self._seen(entry)} for zone, entry in taken)
        return Carried(() if self._collecting else removed, {"cards": [entry[0] for _, entry in taken]})

    def state(self) -> dict[str, Any]:
        zones = {zone: [[self._seen(entry), entry[1]] for entry in cards] for zone, cards in self._cards.items()}
        return {"zones": zones, "collecting": self._collecting}

    def post(self, name: str, args: Mapping[str, Any]) -> None:
        if name == "collect" and isinstance(args.get("on"), bool):
            self._collecting = args["on"]

    def memory(self) -> dict[str, Any]:
        return {"cards": {zone: [list(entry) for entry in cards] for zone, cards in self._cards.items()}}

    def recall(self, memory: Mapping[str, Any]) -> None:
        for zone, cards in memory["cards"].items():
            if zone in self._cards:
                self._cards[zone] = [list(entry) for entry in cards]


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
        return Carried((without_nulls(ev="badge", staff=staff, role=role),))

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

"""The dealer's motions: each is an order to one device, or time that passes."""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from devices.simulated.people.staff_cards import STAFF_PINS
from table_fsm.felt import Decision, PlayerAction

MOTION_SECONDS: Final = 0.8
"""Seconds of one motion at pace 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """One motion.

    `role`: the device touched; None: only time passes. `zone`: a reader's zone; None: every reader. `seconds`: how long
    it takes at pace 1.
    """

    role: str | None
    order: dict[str, Any] = field(default_factory=dict)
    zone: str | None = None
    seconds: float = MOTION_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The result of a motion: the device's answer, the table's outputs since, or the refusal."""

    result: dict[str, Any] = field(default_factory=dict)
    outputs: tuple[dict[str, Any], ...] = ()
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """A card in a hand."""

    card: str
    deck: str | None
    face: str = "down"


Steps: TypeAlias = Generator[Motion, Reply, None]
"""Some motions, one after the other."""
Dealt: TypeAlias = Generator[Motion, Reply, bool]
"""The motions of one card; returns whether it was dealt."""


def wait(seconds: float) -> Motion:
    """Time passes."""
    return Motion(role=None, seconds=seconds)


def shoe(do: str, **fields: Any) -> Motion:
    """The shoe is worked."""
    return Motion(role="shoe", order={"do": do, **fields})


def on_zone(zone: str, do: str, **fields: Any) -> Motion:
    """Something happens to the cards of a zone."""
    return Motion(role="reader", zone=zone, order={"do": do, "zone": zone, **fields})


def place(zone: str, held: Held, face: str) -> Motion:
    """Return the motion that lays a card down."""
    return on_zone(zone, "place", card=held.card, deck=held.deck, face=face)


def press(ev: str, **fields: Any) -> Motion:
    """A key is pressed; fields left at None are not said."""
    body = {"ev": ev, **{key: value for key, value in fields.items() if value is not None}}
    return Motion(role="keys", order={"do": "press", "body": body})


def act(seat: int, action: PlayerAction, cents: int | None = None) -> Motion:
    """A player's action, keyed by the dealer."""
    return press("action", seat=seat, action=action.value, cents=cents)


def decide(decision: Decision, staff: str, **fields: Any) -> Motion:
    """A decision of this staff card, keyed with its PIN or the one in `fields`; fields left at None are not said."""
    pin = fields.pop("pin", None) or STAFF_PINS.get(staff)
    return press("decision", decision=decision.value, staff=staff, pin=pin, **fields)


def marker(name: str, seat: int) -> Motion:
    """A marker is put down."""
    return Motion(role="markers", order={"do": "place", "marker": name, "seat": seat})


def dropbox(do: str, **fields: Any) -> Motion:
    """Something happens at the drop box."""
    return Motion(role="dropbox", order={"do": do, **fields})


def badge(staff: str, role: str, pin: str | None = None) -> Motion:
    """A staff card is held to the table. `pin`: keyed with it; left out, its holder keys its own, where it has one."""
    order = {"do": "badge", "staff": staff, "role": role}
    keyed = pin or STAFF_PINS.get(staff)
    return Motion(role="badge", order=order if keyed is None else {**order, "pin": keyed})


def collect_all() -> Motion:
    """All cards on the layout are gathered."""
    return Motion(role="reader", order={"do": "collect"}, zone=None)

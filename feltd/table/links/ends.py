"""The calls by which the bridge reaches the table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from feltd.table.keeper.deliveries import Delivery
from feltd.table.links.slots import Slot
from firmware_bridge.link import Jump
from table_fsm.events import Event
from table_fsm.view.shapes import PendingView


@dataclass(frozen=True, slots=True)
class TableEnds:
    """The calls by which the bridge reaches the table."""

    deliver: Callable[[Delivery], None]
    """Takes a delivery of a device."""
    indicators: Callable[[], Sequence[Mapping[str, Any]]] = tuple
    """All outputs that the indicators should show now."""
    order: Callable[[], str] = str
    """Why no card may be dealt, and what to do: what a display says first. Empty while play goes on."""
    pending: Callable[[], Sequence[PendingView]] = tuple
    """The rulings that wait for a person."""
    came: Callable[[Slot], None] = lambda slot: None
    """Called for each device that has come up."""
    jumped: Callable[[Slot, Jump], None] = lambda slot, jump: None
    """Called when the record lacks events of a device."""
    told_late: Callable[[Slot, Sequence[str]], None] = lambda slot, others: None
    """Called before a device's kept event that may have happened before events of the others which the table has."""
    tested: Callable[[Slot, Mapping[str, Any]], bool] = lambda slot, body: False
    """Whether a device's event belongs to a test: the record names it, and the table does not take it."""
    laid: Callable[[Slot, Mapping[str, Any]], bool] = lambda slot, body: False
    """Whether a device's event is of a chip that is laid to enrol or check a pack; asked before any card is named."""
    needed: Callable[[str], bool] = lambda name: True
    """Whether no round may be dealt without this device."""
    zone_troubles: Callable[[str], Mapping[str, str]] = lambda name: {}
    """What the table believes of a reader's zones that are not read whole: the trouble of each."""
    between_rounds: Callable[[], bool] = lambda: True
    """Whether no round is in progress."""
    check: Callable[[Slot, Sequence[Event], str | None], Sequence[Event]] = lambda slot, events, pin: events
    """Returns what counts of a device's events. `pin`: what was keyed with a badge.

    Raises DeviceMessageError for events that are signed by nobody who may.
    """


def nobody(_delivery: Delivery) -> None:
    """Raise RuntimeError: nobody takes deliveries before the bridge is connected."""
    raise RuntimeError("the bridge has no table yet")

"""The table's events: the only input of the state machine, and the only output of devices.

Each event is a frozen dataclass; `t` is seconds, monotonic, since the table opened; money is integer `cents`; seats are
numbered clockwise from the dealer's immediate left. Names and fields are the project's stable boundary: more may be
added, none is ever renamed. `parse_event` reads one JSON line; `event_to_dict` writes the same object again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, TypeAlias, get_args

from pydantic_core import SchemaValidator, ValidationError, from_json

from table_fsm.errors import EventSyntaxError, UnknownEventError
from table_fsm.plain_schema import validator_by_tag

OptionValue: TypeAlias = bool | int | float | str | list[int] | list[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOpen:
    """Play starts.

    `seats`: those with an active player; `button`: where button or buck stands, or None.
    """

    t: float
    rulebook: str
    seats: list[int]
    options: dict[str, OptionValue] = field(default_factory=dict)
    button: int | None = None
    ev: Literal["table.open"] = "table.open"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableClose:
    """Play ends."""

    t: float
    ev: Literal["table.close"] = "table.close"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatIn:
    """A player takes a seat."""

    t: float
    seat: int
    ev: Literal["seat.in"] = "seat.in"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatOut:
    """A player leaves a seat; in a round it is a fold, and takes effect after the round."""

    t: float
    seat: int
    ev: Literal["seat.out"] = "seat.out"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatAway:
    """The player of an occupied seat is not there."""

    t: float
    seat: int
    ev: Literal["seat.away"] = "seat.away"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatBack:
    """The player of an occupied seat is there again."""

    t: float
    seat: int
    ev: Literal["seat.back"] = "seat.back"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """A counted stack, where placings or races need it."""

    t: float
    seat: int
    cents: int
    ev: Literal["stack"] = "stack"


@dataclass(frozen=True, slots=True, kw_only=True)
class Penalty:
    """A penalty imposed by the floor, in hands or in orbits."""

    t: float
    seat: int
    hands: int | None = None
    orbits: int | None = None
    ev: Literal["penalty"] = "penalty"


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """A staff card at the table. `role`: supervisor, inspector, director, surveillance, dealer."""

    t: float
    staff: str
    role: str
    ev: Literal["badge"] = "badge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Supervisor:
    """A person's decision on a pending ruling (`ruling`: its id), or a floor decision (None).

    `seat`: the player whom it is about, with `exclude` only. `alarm`: the kind of the alarms that it is about, with
    `acknowledge`, `shelve` and `unshelve` only; of these those of `device` and `seat`, where one is named. `minutes`:
    for how long, with `shelve` only.

    With `acknowledge` only: `deck` and `devices`, the alarms' own, beside `alarm`. `until`: the alarms that were raised
    by this table second alone; then `seat`, `deck` and the devices are exactly the alarms' own, none where left out.
    `cleared`: true for those alone whose cause is gone.
    """

    t: float
    decision: str
    staff: str
    ruling: int | None = None
    outcome: str | None = None
    reason: str | None = None
    seat: int | None = None
    alarm: str | None = None
    device: str | None = None
    minutes: int | None = None
    deck: str | None = None
    devices: list[str] | None = None
    until: float | None = None
    cleared: bool | None = None
    ev: Literal["supervisor"] = "supervisor"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceState:
    """A device came or went."""

    t: float
    device: str
    online: bool
    reason: str | None = None
    ev: Literal["device.state"] = "device.state"


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneState:
    """A reader does not read a zone whole, or does again. `trouble`: why; None: it is read again."""

    t: float
    device: str
    zone: str
    trouble: str | None = None
    ev: Literal["zone.state"] = "zone.state"


@dataclass(frozen=True, slots=True, kw_only=True)
class TestMode:
    """Devices are being tested; no round starts."""

    __test__: ClassVar[bool] = False  # pytest: this is no test class

    t: float
    on: bool
    ev: Literal["test.mode"] = "test.mode"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """Time passes."""

    t: float
    ev: Literal["tick"] = "tick"


@dataclass(frozen=True, slots=True, kw_only=True)
class CountsLost:
    """What readers counted of each pack over rounds is lost: feltd was started, and no disk has it."""

    t: float
    ev: Literal["counts.lost"] = "counts.lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeDeckChecked:
    """A full check, card by card, with what it found wrong."""

    t: float
    count: int
    deck: str | None = None
    missing: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    duplicate: list[str] = field(default_factory=list)
    ev: Literal["shoe.deck_checked"] = "shoe.deck_checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckChanged:
    """New or replacement cards were brought in; unchecked until the next `shoe.deck_checked`."""

    t: float
    deck: str | None = None
    ev: Literal["deck.changed"] = "deck.changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeShuffled:
    """Shuffle complete; `count` is what the shoe counted, or None."""

    t: float
    deck: str | None = None
    count: int | None = None
    ev: Literal["shoe.shuffled"] = "shoe.shuffled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """The cards were cut.

    `by`: dealer or seat:N; `depth`: cards from the nearer end; `exposed`: number of cards shown.
    """

    t: float
    by: str = "dealer"
    depth: int | None = None
    exposed: int = 0
    ev: Literal["cut"] = "cut"


@dataclass(frozen=True, slots=True, kw_only=True)
class CutOffered:
    """The cards were offered for cutting; `to`: seat:N."""

    t: float
    to: str
    ev: Literal["cut.offered"] = "cut.offered"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeCard:
    """One card has left the shoe's mouth; face `up` is a boxed card. `pack`: the pack that its chip is of."""

    t: float
    card: str | None = None
    face: str = "down"
    deck: str | None = None
    pack: str | None = None
    ev: Literal["shoe.card"] = "shoe.card"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeFault:
    """The shoe reports a fault; `deck`, where it names one."""

    t: float
    kind: str
    deck: str | None = None
    ev: Literal["shoe.fault"] = "shoe.fault"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeCleared:
    """The shoe reports that a fault is no longer there."""

    t: float
    kind: str
    deck: str | None = None
    ev: Literal["shoe.cleared"] = "shoe.cleared"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPlaced:
    """A card came to rest in a zone. `pack`: the pack that its chip is of; None where the host knows no two."""

    t: float
    zone: str
    card: str | None = None
    face: str = "down"
    deck: str | None = None
    pack: str | None = None
    ev: Literal["card.placed"] = "card.placed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTurned:
    """A card changed its face in the normal course of play."""

    t: float
    zone: str
    card: str | None = None
    face: str = "up"
    ev: Literal["card.turned"] = "card.turned"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardExposed:
    """A face-down card was seen that should not have been. `by`: dealer, player, shoe."""

    t: float
    zone: str
    card: str | None = None
    by: str = "dealer"
    ev: Literal["card.exposed"] = "card.exposed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRemoved:
    """A card left the zone."""

    t: float
    zone: str
    card: str | None = None
    ev: Literal["card.removed"] = "card.removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLeftTable:
    """A card left the table. `by`: dealer, player."""

    t: float
    zone: str | None = None
    card: str | None = None
    by: str = "dealer"
    ev: Literal["card.left_table"] = "card.left_table"


@dataclass(frozen=True, slots=True, kw_only=True)
class StubShuffled:
    """The undealt cards, with what was returned to them, were shuffled in the round."""

    t: float
    count: int | None = None
    ev: Literal["stub.shuffled"] = "stub.shuffled"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandLooked:
    """The player lifted or handled the cards lying in front of them."""

    t: float
    seat: int
    ev: Literal["hand.looked"] = "hand.looked"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandShown:
    """The dealer says that the hand lies open, at a table whose readers know no side of a card."""

    t: float
    seat: int
    ev: Literal["hand.shown"] = "hand.shown"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerPlaced:
    """A marker came to rest.

    `marker`: button, buck, start.
    """

    t: float
    marker: str
    seat: int
    ev: Literal["marker.placed"] = "marker.placed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonDraw:
    """The cards now dealt one to a seat, face up, are for the button."""

    t: float
    ev: Literal["button.draw"] = "button.draw"


@dataclass(frozen=True, slots=True, kw_only=True)
class DealStart:
    """The dealer begins the deal ("no more bets")."""

    t: float
    ev: Literal["deal.start"] = "deal.start"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wager:
    """House-banked games. `box`: ante, blind, trips, play; 0 takes it away.

    `marker`: a marker beside the box allows more than the maximum; None is no marker.
    """

    t: float
    seat: int
    box: str
    cents: int
    marker: bool | None = None
    ev: Literal["wager"] = "wager"


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A player acted; `cents` is what they put in with this action, or None."""

    t: float
    seat: int
    action: str
    cents: int | None = None
    ev: Literal["action"] = "action"


@dataclass(frozen=True, slots=True, kw_only=True)
class BettingClosed:
    """The dealer closed the betting round."""

    t: float
    ev: Literal["betting.closed"] = "betting.closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """Draw games: `count` cards to be replaced."""

    t: float
    seat: int
    count: int
    ev: Literal["draw"] = "draw"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTwice:
    """The players agreed to run the board twice."""

    t: float
    ev: Literal["run_twice"] = "run_twice"


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorCalled:
    """The floor was called.

    `by`: dealer or seat:N.
    """

    t: float
    by: str = "dealer"
    ev: Literal["floor.called"] = "floor.called"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockCalled:
    """A clock on a player. `by`: dealer, supervisor, director, seat:N."""

    t: float
    seat: int
    by: str = "dealer"
    ev: Literal["clock.called"] = "clock.called"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockStart:
    """Action clock started by the dealer."""

    t: float
    seat: int
    ev: Literal["clock.start"] = "clock.start"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockStop:
    """The player on the clock has acted."""

    t: float
    seat: int
    ev: Literal["clock.stop"] = "clock.stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pot:
    """The dealer counted a pot: 1 main, 2… side."""

    t: float
    cents: int
    pot: int = 1
    ev: Literal["pot"] = "pot"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandEnd:
    """Pots pushed, cards collected: the round is over."""

    t: float
    ev: Literal["hand.end"] = "hand.end"


@dataclass(frozen=True, slots=True, kw_only=True)
class DropboxChip:
    """A chip through the slot."""

    t: float
    cents: int
    ev: Literal["dropbox.chip"] = "dropbox.chip"


@dataclass(frozen=True, slots=True, kw_only=True)
class DropboxState:
    """The drop box, present and locked or not."""

    t: float
    present: bool
    locked: bool
    ev: Literal["dropbox.state"] = "dropbox.state"


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatCommission:
    """Chips laid in the commission area of the float."""

    t: float
    cents: int
    ev: Literal["float.commission"] = "float.commission"


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatColourChange:
    """Commission chips changed up, about to be dropped."""

    t: float
    cents: int
    ev: Literal["float.colour_change"] = "float.colour_change"


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentClock:
    """The tournament's clock was set.

    `elapsed`: seconds of play.
    """

    t: float
    running: bool
    elapsed: float
    ev: Literal["tournament.clock"] = "tournament.clock"


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentHandForHand:
    """Hand for hand begins or ends."""

    t: float
    on: bool
    ev: Literal["tournament.hand_for_hand"] = "tournament.hand_for_hand"


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentGo:
    """The director lets the next hand, or a showdown held back, proceed."""

    t: float
    ev: Literal["tournament.go"] = "tournament.go"


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentField:
    """The floor tells of all tables: how many entered, and how many are left. Places told here are then provisional."""

    t: float
    entrants: int
    remaining: int
    ev: Literal["tournament.field"] = "tournament.field"


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentMoves:
    """The floor tells who comes to this table, and who leaves it once the round is over.

    `waits`: the seat without whose player the next hand does not begin. All empty: nobody moves any more.
    """

    t: float
    comes: list[int] = field(default_factory=list)
    goes: list[int] = field(default_factory=list)
    waits: int | None = None
    ev: Literal["tournament.moves"] = "tournament.moves"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatEntry:
    """The floor tells whose entry sits at a seat.

    `nth`: which entry of its person it is. `cents`: all chips that were issued to it, in the amounts of this table;
    `rebuys`, `add_ons`: how often chips were bought beside those of the entry.
    """

    t: float
    seat: int
    entry: int
    nth: int = 1
    cents: int | None = None
    rebuys: int = 0
    add_ons: int = 0
    ev: Literal["seat.entry"] = "seat.entry"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatConduct:
    """The floor tells what the entry of a seat carries: the rest of a penalty, time banks, absence.

    `order`: counts what the floor decided of this entry; one that the table has had changes nothing. `left`: of the
    penalty, in what this book counts (hands, or rounds of the button), for a table that has had no order for the entry.
    `imposed`: all that the floor ever imposed on it. `banks`, `absent`: None where the table's own word stands.
    """

    t: float
    seat: int
    entry: int
    order: int
    left: int = 0
    imposed: int = 0
    banks: int | None = None
    absent: bool | None = None
    ev: Literal["seat.conduct"] = "seat.conduct"


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPlaced:
    """The floor tells the place of an entry over all tables, which is final.

    A shared place runs from `first` to `last`. Both None: the entry has no place any more.
    """

    t: float
    entry: int
    first: int | None = None
    last: int | None = None
    ev: Literal["tournament.placed"] = "tournament.placed"


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentRace:
    """The floor orders a chip race at all tables before the next hand. Both None: none is ordered any more."""

    t: float
    chip: int | None = None
    new_chip: int | None = None
    ev: Literal["tournament.race"] = "tournament.race"


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceStart:
    """A chip race. `odd`: odd chips by seat; `last`: seats with nothing else."""

    t: float
    chip: int
    new_chip: int
    odd: dict[str, int]
    last: list[int] = field(default_factory=list)
    ev: Literal["race.start"] = "race.start"


Event: TypeAlias = (
    TableOpen | TableClose | SeatIn | SeatOut | SeatAway | SeatBack | Stack | Penalty | Badge | Supervisor | DeviceState
    | ZoneState | TestMode | Tick | CountsLost | ShoeDeckChecked | DeckChanged | ShoeShuffled | Cut | CutOffered
    | ShoeCard | ShoeFault | ShoeCleared | CardPlaced | CardTurned | CardExposed | CardRemoved | CardLeftTable
    | StubShuffled
    | HandLooked | HandShown | MarkerPlaced | ButtonDraw | DealStart | Wager | Action | BettingClosed | Draw | RunTwice
    | FloorCalled | ClockCalled | ClockStart | ClockStop | Pot | HandEnd | DropboxChip | DropboxState
    | FloatCommission | FloatColourChange | TournamentClock | TournamentHandForHand | TournamentGo | RaceStart
    | TournamentField | TournamentMoves | SeatEntry | SeatConduct | TournamentPlaced | TournamentRace
)  # fmt: skip

EVENT_TYPES: Final[tuple[type[Event], ...]] = get_args(Event)
"""Every event class, in the order of the specification."""

FIELDS: Final = MappingProxyType({kind: tuple(f.name for f in fields(kind)) for kind in EVENT_TYPES})
BY_NAME: Final[Mapping[str, type[Event]]] = MappingProxyType(
    {str(kind.__dataclass_fields__["ev"].default): kind for kind in EVENT_TYPES}
)
"""Event class by its `ev`."""

_VALIDATOR: Final[SchemaValidator] = validator_by_tag(BY_NAME, "ev")


@cache
def _without_unknown() -> SchemaValidator:
    """Made at its first use: a table at work reads no drill and no replay, and it takes a third of a mebibyte."""
    return validator_by_tag(BY_NAME, "ev", unknown="forbid")


def parse_event(line: str | bytes) -> Event:
    """Return the event of one JSON line.

    Raises EventSyntaxError (what, and which field) or UnknownEventError.
    """
    try:
        event: Event = _VALIDATOR.validate_json(line)
    except ValidationError as error:
        raise _explain(line, error) from None
    return event


def _explain(line: str | bytes, error: ValidationError) -> EventSyntaxError | UnknownEventError:
    try:
        raw = from_json(line)
    except ValueError as problem:
        return EventSyntaxError(f"not JSON: {problem}")
    if not isinstance(raw, dict):
        return EventSyntaxError('not a JSON object: an event is written {"t": seconds, "ev": name, …}')
    t = raw.get("t")
    if isinstance(t, bool) or not isinstance(t, int | float) or t != t or t in (float("inf"), float("-inf")):
        return EventSyntaxError("`t` must be a number of seconds")
    ev = raw.get("ev")
    if not isinstance(ev, str):
        return EventSyntaxError("`ev` must be the event's name")
    if ev not in BY_NAME:
        return UnknownEventError(float(t), ev)
    faults = [f"`{'.'.join(str(part) for part in e['loc'][1:])}`: {e['msg'].lower()}" for e in error.errors()]
    return EventSyntaxError(f"{ev}: {'; '.join(faults)}")


def parse_with_unknown(line: str | bytes) -> tuple[Event, tuple[str, ...]]:
    """Return the event of one JSON line, and the keys that no field of it reads: of a newer writer, or mistyped.

    Raises as `parse_event`.
    """
    try:
        return _without_unknown().validate_json(line), ()
    except ValidationError:
        event = parse_event(line)
    return event, tuple(key for key in from_json(line) if key not in FIELDS[type(event)])


def parse_known(lines: Iterable[str | bytes]) -> list[Event] | None:
    """Return the events of JSON lines; None where one is no event, or has a key that no field of its event reads."""
    read = _without_unknown().validate_json
    try:
        return [read(line) for line in lines]
    except ValidationError:
        return None


def event_to_dict(event: Event) -> dict[str, Any]:
    """Return the JSON object that `parse_event` reads; `t` and `ev` first, None fields left out."""
    out: dict[str, Any] = {"t": event.t, "ev": event.ev}
    for name in FIELDS[type(event)]:
        value = getattr(event, name)
        if value is not None and name not in out:
            out[name] = value
    return out

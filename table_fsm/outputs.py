"""Outputs of the table: zero or more for each event, in order.

Each output is one JSON object with the event's `t`. Each kind of output has a frozen type here; prompts have one each
in `table_fsm.prompts.types`. `to_json` gives the value under the kind's key. docs/table-events.md lists kinds and keys:
they are part of the table's stable boundary.

Amounts are cents, or a tournament's points. Seats are numbers, times seconds. Members of a rulebook's closed sets
(irregularities, outcomes, authorities) are given by their values.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

from table_fsm import felt
from table_fsm.prompts.types import PROMPTS, Prompt


class Kind(StrEnum):
    """The closed set of output keys."""

    PHASE = "phase"
    PROMPT = "prompt"
    RULING = "ruling"
    ALARM = "alarm"
    LAMP = "lamp"
    DISPLAY = "display"
    BUZZER = "buzzer"
    SHOE = "shoe"
    COMMISSION = "commission"
    SETTLEMENT = "settlement"
    SHOWDOWN = "showdown"
    CLOCK = "clock"
    RACE = "race"
    PLACING = "placing"
    PENALTY = "penalty"
    BUTTON = "button"
    LEVEL = "level"
    ERROR = "error"


Json: TypeAlias = dict[str, object]


# ---- the round ----


@dataclass(frozen=True, slots=True)
class Phase:
    """The phase of the table.

    `street`: its street, None where the phase has none; in JSON it is a key beside the phase.
    """

    phase: felt.Phase
    street: str | None = None

    def to_json(self) -> felt.Phase:
        return self.phase


@dataclass(frozen=True, slots=True)
class Ruling:
    """A ruling of the rulebook on a fault.

    `supersedes`: id of the ruling it replaces. `rule`: the narrowest clause. `pending`: a person must decide. `cards`:
    the cards concerned, all of rounds that are over; absent in JSON where there are none.
    """

    id: int
    supersedes: int | None
    rulebook: str
    rule: str
    irregularity: str
    outcome: str
    also: tuple[str, ...]
    seat: int | None
    authority: str
    pending: bool
    text: str
    cards: tuple[str, ...] = ()

    def to_json(self) -> Json:
        out: Json = {
            "id": self.id,
            "supersedes": self.supersedes,
            "rulebook": self.rulebook,
            "rule": self.rule,
            "irregularity": self.irregularity,
            "outcome": self.outcome,
            "also": list(self.also),
            "seat": self.seat,
            "authority": self.authority,
            "pending": self.pending,
            "text": self.text,
        }
        if self.cards:
            out["cards"] = list(self.cards)
        return out


class AlarmState(StrEnum):
    """The new state of an alarm."""

    RAISED = "raised"
    ESCALATED = "escalated"
    CLEARED = "cleared"
    ACKNOWLEDGED = "acknowledged"
    SHELVED = "shelved"
    UNSHELVED = "unshelved"


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm and its new state.

    `seat` is absent in JSON where it has none.
    """

    kind: str
    deck: str | None
    device: str | None
    state: AlarmState
    seat: int | None = None

    def to_json(self) -> Json:
        out: Json = {"kind": self.kind, "deck": self.deck, "device": self.device, "state": self.state.value}
        if self.seat is not None:
            out["seat"] = self.seat
        return out


@dataclass(frozen=True, slots=True)
class Button:
    """The next seat of the button.

    `dead`: the seat is empty.
    """

    seat: int
    dead: bool = False

    def to_json(self) -> Json:
        return {"dead_seat" if self.dead else "seat": self.seat}


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock on a player.

    `left`: seconds. `banks`: time banks left, absent in JSON where none was just used.
    """

    seat: int
    left: float
    banks: int | None = None

    def to_json(self) -> Json:
        out: Json = {"seat": self.seat, "left": self.left}
        if self.banks is not None:
            out["banks"] = self.banks
        return out


@dataclass(frozen=True, slots=True)
class Refusal:
    """An event that is refused and leaves the state untouched.

    `ev`: the event's name.
    """

    ev: str
    reason: str

    def to_json(self) -> Json:
        return {"ev": self.ev, "reason": self.reason}


# ---- devices ----


class LampName(StrEnum):
    """The table's lamps."""

    PLAY = "play"
    ATTENTION = "attention"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Lamp:
    """The state that a lamp should have."""

    name: LampName
    on: bool

    def to_json(self) -> Json:
        return {"name": self.name.value, "on": self.on}


@dataclass(frozen=True, slots=True)
class Display:
    """The text that the dealer's display should show.

    `rule`: the clause that the text carries out.
    """

    text: str = ""
    rule: str | None = None

    def to_json(self) -> Json:
        return {"text": self.text, "rule": self.rule}


class BuzzerPattern(StrEnum):
    """A pattern of the buzzer."""

    SHORT = "short"
    """A ruling."""
    LONG = "long"
    """A ruling that waits for a person."""
    ALARM = "alarm"
    """An alarm that nobody has acknowledged."""


@dataclass(frozen=True, slots=True)
class Buzzer:
    """An order to sound the buzzer."""

    pattern: BuzzerPattern

    def to_json(self) -> Json:
        return {"pattern": self.pattern.value}


@dataclass(frozen=True, slots=True)
class Gate:
    """The state that the gate of the shoe should have."""

    locked: bool

    def to_json(self) -> Literal["lock", "unlock"]:
        return "lock" if self.locked else "unlock"


# ---- money and hands ----


@dataclass(frozen=True, slots=True)
class Commission:
    """The commission due on a pot.

    `dropped`: cents put through the slot, or into the float, since the deal began.
    """

    due: int
    dropped: int
    pot: int

    def to_json(self) -> Json:
        return {"due": self.due, "dropped": self.dropped, "pot": self.pot}


@dataclass(frozen=True, slots=True)
class Settlement:
    """Amounts that the house pays (+) or takes (−) on a seat's wagers, beside the stake.

    None: no such wager, or no hand.
    """

    seat: int
    hand: str | None
    ante: int | None
    blind: int | None
    trips: int | None
    play: int | None

    def to_json(self) -> Json:
        amounts = {"ante": self.ante, "blind": self.blind, "trips": self.trips, "play": self.play}
        return {"seat": self.seat, "hand": self.hand, **amounts}


@dataclass(frozen=True, slots=True)
class LowHalf:
    """The winners of the low half of a pot.

    `odd_to`: the seat that gets the odd chip.
    """

    winners: tuple[int, ...]
    hand: str | None
    odd_to: int | None


@dataclass(frozen=True, slots=True)
class Showdown:
    """The winners of a pot, or of its high half where `low` gives the low half.

    `hand`: None where one live hand is left. `odd_to`: the seat that gets the odd chip. `board`: 1 or 2 where the board
    was run twice. In JSON `board`, and `low_winners`, `low_hand` and `low_odd_to`, are absent where they do not apply.
    """

    pot: int
    winners: tuple[int, ...]
    hand: str | None
    odd_to: int | None
    board: int | None = None
    low: LowHalf | None = None

    def to_json(self) -> Json:
        out: Json = {"pot": self.pot, "winners": list(self.winners), "hand": self.hand, "odd_to": self.odd_to}
        if self.board is not None:
            out["board"] = self.board
        if self.low is not None:
            out["low_winners"] = list(self.low.winners)
            out["low_hand"] = self.low.hand
            out["low_odd_to"] = self.low.odd_to
        return out


# ---- tournament ----


@dataclass(frozen=True, slots=True)
class Race:
    """The result of a chip race.

    `winners`: chips won, by seat; `removed`: cents that leave the game.
    """

    winners: Mapping[int, int]
    removed: int

    def to_json(self) -> Json:
        return {"winners": {str(seat): chips for seat, chips in self.winners.items()}, "removed": self.removed}


@dataclass(frozen=True, slots=True)
class Placing:
    """The place of a player who is out.

    A shared place runs from `first` to `last`; otherwise both are equal. `provisional`: other tables play, so that the
    floor's place is the one that counts; in JSON the key is there only then.
    """

    seat: int
    first: int
    last: int
    provisional: bool = False

    def to_json(self) -> Json:
        place = self.first if self.first == self.last else [self.first, self.last]
        said: Json = {"seat": self.seat, "place": place}
        return {**said, "provisional": True} if self.provisional else said


@dataclass(frozen=True, slots=True)
class Penalty:
    """The rest of a seat's penalty: hands, or rounds of the button, as the rulebook counts."""

    seat: int
    left: int

    def to_json(self) -> Json:
        return {"seat": self.seat, "left": self.left}


@dataclass(frozen=True, slots=True)
class Level:
    """The level of the next deal.

    `left`: seconds; `race_off`: the chip to be raced off before it.
    """

    level: int
    blinds: tuple[int, ...]
    ante: int | None
    left: float
    race_off: int | None

    def to_json(self) -> Json:
        amounts = {"blinds": list(self.blinds), "ante": self.ante}
        return {"level": self.level, **amounts, "left": self.left, "race_off": self.race_off}


Value: TypeAlias = (
    Phase
    | Prompt
    | Ruling
    | Alarm
    | Lamp
    | Display
    | Buzzer
    | Gate
    | Commission
    | Settlement
    | Showdown
    | Clock
    | Race
    | Placing
    | Penalty
    | Button
    | Level
    | Refusal
)
KIND_OF: Final[Mapping[type[Value], Kind]] = MappingProxyType(
    {
        Phase: Kind.PHASE,
        **dict.fromkeys(PROMPTS, Kind.PROMPT),
        Ruling: Kind.RULING,
        Alarm: Kind.ALARM,
        Lamp: Kind.LAMP,
        Display: Kind.DISPLAY,
        Buzzer: Kind.BUZZER,
        Gate: Kind.SHOE,
        Commission: Kind.COMMISSION,
        Settlement: Kind.SETTLEMENT,
        Showdown: Kind.SHOWDOWN,
        Clock: Kind.CLOCK,
        Race: Kind.RACE,
        Placing: Kind.PLACING,
        Penalty: Kind.PENALTY,
        Button: Kind.BUTTON,
        Level: Kind.LEVEL,
        Refusal: Kind.ERROR,
    }
)
"""The output key of a value, by its type."""
_KEY_OF: Final[Mapping[type[Value], str]] = MappingProxyType({kind: key.value for kind, key in KIND_OF.items()})
"""The same as texts: to ask a member for its value takes as long as to make the object of an output."""


class Output(NamedTuple):
    """One output, at table second `t`."""

    t: float
    value: Value

    @property
    def kind(self) -> Kind:
        """The output key of the value."""
        return KIND_OF[type(self.value)]

    def to_dict(self) -> Json:
        """Return the JSON object of one output line."""
        value = self.value
        out: Json = {"t": self.t, _KEY_OF[type(value)]: value.to_json()}
        if isinstance(value, Phase) and value.street:
            out["street"] = value.street
        return out

"""The JSON object of the table as anybody may see it: public cards only, face-down ones as a count or a back.

The API hands it on as it is, and takes its schema from here. Amounts are cents or points, as the table's
denomination says; null where an amount is not known. Seats are numbers. Times are table seconds, if nothing else is
said.
"""

from typing import Literal, NotRequired, TypeAlias

from table_fsm.felt import Phase
from table_fsm.prompts.shapes import Amounts, PromptJson, Shape

SeatState: TypeAlias = Literal["in", "waiting", "away", "leaving"]
"""`waiting`: joined a running game and has not been dealt in yet."""
BuiltWithLess: TypeAlias = Literal["no_shoe", "no_seat_readers", "board_only"]
CardSeen: TypeAlias = str | None
"""A card's name where it is public, `back` for one that lies face down, null for an empty place."""


class WagersView(Shape):
    """What lies in a seat's boxes, against the house."""

    ante: int
    blind: int
    trips: int
    play: int


class SeatView(Shape):
    """A seat with a player."""

    seat: int
    state: SeatState
    cards: int
    """How many lie there."""
    drew: int | None
    """In draw games: how many cards the player asked to have replaced."""
    folded: bool
    tabled: list[str] | None
    """The cards that lie face up."""
    penalty: int | None
    """What the player has still to sit out: hands, or rounds of the button."""
    wagers: WagersView | None


class DealerView(Shape):
    """The dealer's hand, against the house."""

    cards: int
    tabled: list[str]
    """The cards that lie face up."""


class DropboxView(Shape):
    """The drop box."""

    present: bool
    locked: bool


class ClockView(Shape):
    """The clock on a player."""

    seat: int
    until: float


class PendingView(Shape):
    """A ruling that waits for a person."""

    id: int
    irregularity: str
    outcome: str
    rule: str
    text: str
    seat: int | None
    deck: str | None


class ShelfView(Shape):
    """Alarms that are not told until a table second, and by whose decision."""

    kind: str
    device: str | None
    seat: int | None
    """The alarms' own; null for all of the kind."""
    until: float
    by: str


class AlarmView(Shape):
    """An alarm that stands."""

    kind: str
    deck: str | None
    device: str | None
    seat: int | None
    since: float
    last_heard: float
    """When it was raised, or sounded again last."""
    acknowledged: bool
    escalated: bool
    over: bool
    """The cause is gone; the alarm ends with the acknowledgement."""
    shelved: bool
    """It is not told: it lies on a shelf."""
    zones: NotRequired[list[str]]
    """Of an alarm about zones that a reader does not read whole: which have that trouble now."""


class FaultView(Shape):
    """A fault of the shoe. It ends when the shoe says so and a person has acknowledged it."""

    kind: str
    deck: str | None
    present: bool
    acknowledged: bool


class LevelView(Shape):
    """Blinds and ante of a level."""

    level: int | None
    """Null where the table has amounts of its own."""
    blinds: list[int]
    ante: int | None


class BreakView(Shape):
    """The next break of the schedule."""

    after_level: int
    in_seconds: float
    """Of play."""
    seconds: float
    """How long it is."""


class RaceView(Shape):
    """A chip race in progress."""

    chip: int
    new_chip: int
    due: int | None
    """The seat that is due the next card."""


class PenaltyView(Shape):
    """A penalty that is being sat out."""

    seat: int
    left: int
    of: Literal["hands", "rounds"]
    """Rounds of the button."""


class PlaceView(Shape):
    """A player who is out. A shared place runs from `first` to `last`."""

    seat: int
    first: int
    last: int
    round: int
    entry: int | None
    """The entry that went out; null where no floor told it."""
    final: bool
    """The floor has told it, of all tables."""


class EntryView(Shape):
    """The entry of a seat's player, as the floor told it. `nth`: which entry of its person it is."""

    seat: int
    entry: int
    nth: int
    cents: int | None
    """All chips that were issued to it."""
    rebuys: int
    add_ons: int


class OrderedRaceView(Shape):
    """A chip race that the floor has ordered at all tables."""

    chip: int
    new_chip: int


class TakesView(Shape):
    """What of a tournament the rulebook in force knows."""

    hand_for_hand: bool
    race: bool
    penalties: Literal["none", "hands_or_orbits", "button_rounds"]
    payouts: bool


class TournamentView(Shape):
    """Levels, time and what waits, as of table second `at`."""

    at: float
    level: LevelView | None
    """Of the deal in hand, or of the next."""
    next_deal: LevelView | None
    """What the clock has come to: the next deal's."""
    left: float | None
    """Seconds of play until the next level."""
    until: float | None
    """When the level is over; null while the clock is paused."""
    running: bool
    elapsed: float
    """Seconds of play."""
    next: LevelView | None
    level_before: float | None
    """Seconds of play at which the level before this one begins; null in the first."""
    level_after: float | None
    """The same of the level after it; null in the last."""
    in_break: bool
    break_left: float | None
    """Null outside breaks, and while one stands."""
    break_until: float | None
    next_break: BreakView | None
    race_offs: list[int]
    """Chips to be raced off now."""
    race_off_after: int | None
    """The chip that is raced off once this level is over."""
    race: RaceView | None
    race_ordered: OrderedRaceView | None
    """By the floor, and not decided here yet."""
    entries: list[EntryView]
    """Of the players, by seat, where a floor told them."""
    hand_for_hand: bool
    waits_for_go: bool
    """The next hand, or a showdown, waits for the director."""
    big_blind_ante: bool
    """The big blind posts the ante for all."""
    points: bool
    """The structure's amounts are points, without a currency. False without a structure: the table's denomination says
    what amounts are then."""
    structure: str | None
    penalties: list[PenaltyView]
    places: list[PlaceView]
    """Of this table, the latest last."""
    takes: TakesView


class TableView(Shape):
    """The table."""

    open: bool
    rulebook: str | None
    phase: Phase
    street: str | None
    round: int
    """Rounds that have begun."""
    banked: Literal["player", "house"] | None
    seats: list[SeatView]
    dealer: DealerView | None
    """Null in a game between players."""
    board: list[CardSeen]
    board2: list[CardSeen] | None
    """The second board, where it is run twice."""
    burn: int
    """Cards in the burn pile."""
    muck: int
    """Cards in the discards."""
    deck: str | None
    """The colour of the pack in play."""
    button: int | None
    posts: Amounts
    """Blinds posted, by seat."""
    gate: Literal["locked", "open"]
    """The gate of the shoe."""
    dropbox: DropboxView | None
    """Null where the rulebook has no use for one."""
    prompt: PromptJson | None
    """What the dealer should do next."""
    to_act: int | None
    clock: ClockView | None
    tournament: TournamentView | None
    pending: list[PendingView]
    alarms: list[AlarmView]
    shelves: list[ShelfView]
    faults: list[FaultView]
    faces: NotRequired[Literal[False]]
    """Present at a table whose readers know no side of a card: a hand lies open by the dealer's key."""
    built: NotRequired[BuiltWithLess]
    """A table that is built with less than a shoe and readers at every place."""

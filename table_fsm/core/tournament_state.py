"""State of a tournament at this table: plain data that goes into a snapshot."""

from dataclasses import dataclass, field

from table_fsm.poker.tournament.races import Race


@dataclass(slots=True)
class PenaltyRecord:
    """A penalty that a player sits out.

    `left`: hands, or rounds of the button where `target` is a seat.
    """

    left: int
    from_round: int
    """Number of the first round that counts: the one after the offence."""
    target: int | None = None
    """The button's seat at the start of the hand after the offence."""
    away_before: bool = False
    """The player was away already, and stays away when the penalty is over."""


@dataclass(slots=True)
class PlaceRecord:
    """The place of a player who is out.

    A shared place runs from `first` to `last`; otherwise both are equal.
    """

    seat: int
    first: int
    last: int
    round_number: int
    """Number of the round in which the player went out."""
    put_in: int | None = None
    """Cents that the player put into the pots of that round: the whole stack. None in a record of an older version."""
    entry: int | None = None
    """The entry that sat there; None where no floor told it."""
    final: bool = False
    """The floor has told the place, of all tables."""


@dataclass(slots=True)
class EntryRecord:
    """The entry of a seat's player, as the floor told it; see `SeatEntry`."""

    number: int
    nth: int
    cents: int | None
    rebuys: int
    add_ons: int
    order: int = 0
    """The last order about what it carries; 0 for none. See `SeatConduct`."""
    imposed: int = 0
    """Of penalties, as that order told."""


@dataclass(slots=True)
class OrderedRace:
    """A chip race that the floor ordered: cents."""

    chip: int
    new_chip: int


@dataclass(slots=True)
class TournamentRecord:
    """Clock, levels and what awaits the director. Times in seconds."""

    running: bool = False
    elapsed: float = 0.0
    """Seconds of play at table second `since`."""
    since: float = 0.0
    stops_at: float | None = None
    """Hand for hand with a running clock: seconds of play at which the clock stops, the end of the level."""
    said: int = 0
    """The level last announced for the next deal; 0 before any."""
    changes_at: float | None = None
    """The table second at which that level ends; None while the clock is paused."""
    deal_level: int | None = None
    """The level of the current deal, kept until the next deal begins."""
    dealt_level: int = 0
    """The level of the last round that counted."""
    raced: list[int] = field(default_factory=list)
    """Values in cents of the chips raced off at this table."""
    race: Race | None = None
    hand_for_hand: bool = False
    released: bool = False
    """Hand for hand: the director has released the next hand."""
    hand_since: float | None = None
    """Hand for hand with a charge for each hand: the table second at which this hand began."""
    hand_dealt: bool = False
    """It has been dealt before, in a round that did not count: a clock that the director says has its time so far."""
    elsewhere: int = 0
    """Players left at other tables, as the floor last told; 0 where this table plays alone."""
    notice: str = ""
    """What the floor told the dealer, as the display says it while no ruling waits; empty for nothing."""
    moves: str = ""
    """Of that, who comes and goes."""
    ordered: OrderedRace | None = None
    """The chip race that the floor ordered, until it is decided here."""
    places: list[PlaceRecord] = field(default_factory=list)
    """Places of the players who went out at this table, in order."""

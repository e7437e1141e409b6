"""What a tournament leaves at the table from round to round. Plain data: it goes into snapshots."""

from dataclasses import dataclass, field

from table_fsm.poker.tournament.races import Race


@dataclass(slots=True)
class PenaltyRecord:
    """A penalty that a player sits out. `left`: hands, or rounds of the button where `target` is a seat."""

    left: int
    from_round: int
    """The first round that counts, by its number: the one after the offence."""
    target: int | None = None
    """Where the button would be at the start of the hand after the offence."""
    away_before: bool = False
    """The player stepped away of their own accord: they stay away when it is over."""


@dataclass(slots=True)
class PlaceRecord:
    """A player who is out. A shared place runs from `first` to `last`; otherwise both are the same."""

    seat: int
    first: int
    last: int
    round_number: int
    """The round they went out in."""


@dataclass(slots=True)
class TournamentRecord:
    """The clock, the levels and what waits for the director. Times in seconds."""

    running: bool = False
    elapsed: float = 0.0
    """Of play, at table second `since`."""
    since: float = 0.0
    stops_at: float | None = None
    """Hand for hand, where the clock runs: the seconds of play at which it stands still, the end of the level."""
    said: int = 0
    """The level of the next deal as it was last said; 0: none."""
    changes_at: float | None = None
    """The table second at which that level is over; None while the clock stands."""
    deal_level: int | None = None
    """The level of the deal in hand: it holds until the next deal begins."""
    dealt_level: int = 0
    """The level of the last round that counted."""
    raced: list[int] = field(default_factory=list)
    """Chips raced off at this table, in cents."""
    race: Race | None = None
    hand_for_hand: bool = False
    released: bool = False
    """Hand for hand: the director has let the next hand begin."""
    hand_since: float | None = None
    """Hand for hand, where each hand is charged: the table second at which this one began."""
    places: list[PlaceRecord] = field(default_factory=list)
    """Of those who went out at this table, in the order in which they did."""

"""The game on a simulated table, as the people at it know it. Amounts in cents."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum, auto

from devices.simulated.people.mistakes import Kind, Mistake
from devices.simulated.people.staff_cards import STAFF_CARDS
from devices.simulated.things.pack import FULL_PACK
from table_fsm.felt import Built, StaffRole


class Limit(StrEnum):
    """The limit of a bet or raise."""

    NONE = "no_limit"
    POT = "pot"
    HALF_POT = "half_pot"
    STRUCTURED = "structured"
    MANILA = "manila"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wagering:
    """The betting rules of a player-banked game.

    `last_street`: the street with the last betting round.
    """

    limit: Limit = Limit.NONE
    raise_is_call: bool = False
    """A raise must be at least what its player had to add to call; else, the raise before it."""
    last_street: str = "river"


class Remedy(Enum):
    """What a supervisor does before the decision."""

    CLEAR_SHOE = auto()
    CHECK_PACKS = auto()
    CLOSE_BOX = auto()
    """Put the drop box in and lock it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorKnows:
    """What the supervisor knows of rulings, in the words of the rulebooks.

    `remedies`: what puts an irregularity right. `stops_table`: the outcome after which only a person lets play resume.
    """

    remedies: Mapping[str, Remedy]
    stops_table: str


@dataclass(frozen=True, slots=True)
class Break:
    """A break of a tournament's schedule."""

    after_level: int
    after_seconds: float
    """Seconds of play before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """The game on the simulated table. Amounts in cents.

    `keypad`: actions are keyed. `button`: where the marker is when the table opens. `marker`: button or buck.
    `mistake_rate`: share of the rounds with a mistake. `kinds`: the mistakes; None: every possible one. `rounds`: after
    which the dealer stops; None: never. `chips`: the chips in which commission is paid. `blinds`: the table's, or the
    first level's; empty in a game on antes, whose first is `ante`.
    """

    rulebook: str
    seats: tuple[int, ...]
    floor: FloorKnows
    kind: Kind = Kind.FLOP
    wagering: Wagering = Wagering()
    decks: tuple[str, ...] = ("blue",)
    pack: tuple[str, ...] = FULL_PACK
    """The cards of each deck."""
    seed: int = 0
    hole_cards: int = 2
    """Cards that each player gets before the first bets."""
    built: Built = Built.FULL
    """With what the table is built."""
    faces: bool = True
    """The readers know which side of a card is up. Else the dealer keys each hand that lies open."""
    keypad: bool = True
    look_sensor: bool = True
    blinds: tuple[int, ...] = (100, 200)
    ante: int = 0
    table_min: int = 500
    mistake_rate: float = 0.0
    kinds: tuple[Mistake, ...] | None = None
    rounds: int | None = None
    chips: tuple[int, ...] = (10000, 2500, 500, 100, 50)
    button: int | None = None
    marker: str = "button"
    least_cut: int = 2
    """Cards from the nearer end, if the book asks for any."""
    levels: bool = False
    """A tournament with a blind structure: its clock is started, and chips are raced off."""
    breaks: tuple[Break, ...] = ()
    """The schedule's, in order. The director cuts each one short."""
    action_clock: bool = False
    """Every decision is timed."""
    checks_first: bool = False
    """The dealer checks the cards before play although the table does not ask for it."""
    staff: str = STAFF_CARDS[StaffRole.SUPERVISOR]
    staff_role: str = StaffRole.SUPERVISOR.value

    @property
    def unit(self) -> int:
        """The last blind, or the ante: the unit of bets."""
        return self.blinds[-1] if self.blinds else self.ante or self.table_min

"""What is played on a simulated table: the game as the people at it know it. Amounts in cents."""

from dataclasses import dataclass
from enum import StrEnum

from devices.simulated.people.mistakes import Kind, Mistake
from devices.simulated.things.pack import FULL_PACK


class Limit(StrEnum):
    """How high a bet or raise may go."""

    NONE = "no_limit"
    POT = "pot"
    HALF_POT = "half_pot"
    STRUCTURED = "structured"
    MANILA = "manila"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wagering:
    """How a player-banked game is bet. `last_street`: after whose cards the last betting round comes."""

    limit: Limit = Limit.NONE
    raise_is_call: bool = False
    """A raise is no less than what its player had to add to call; else no less than the raise before it."""
    last_street: str = "river"


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """What is played on the simulated table. Amounts in cents.

    `keypad`: actions are keyed. `button`: where it, or the buck, stands as the table opens. `marker`: which of them.
    `mistake_rate`: share of the rounds that get a mistake. `kinds`: which mistakes; None, all that can happen.
    `rounds`: after so many the croupier stops; None, never. `chips`: the chips that commission is paid in. `blinds`:
    what the first level's are, or those of the table; empty in a game on antes, whose first is `ante`.
    """

    rulebook: str
    seats: tuple[int, ...]
    kind: Kind = Kind.FLOP
    wagering: Wagering = Wagering()
    decks: tuple[str, ...] = ("blue",)
    pack: tuple[str, ...] = FULL_PACK
    """The cards of each deck."""
    seed: int = 0
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
    """Cards from the nearer end, where the book asks for any."""
    levels: bool = False
    """A tournament by a blind structure: somebody starts its clock, and races chips off."""
    action_clock: bool = False
    """Every decision has its clock."""
    checks_first: bool = False
    """The table does not ask for a check of the cards before play; the dealer makes it all the same."""
    staff: str = "S-1"
    staff_role: str = "supervisor"

    @property
    def unit(self) -> int:
        """The last blind, or the ante, in cents: what bets are counted in."""
        return self.blinds[-1] if self.blinds else self.ante or self.table_min

"""Records of a betting round: a player, an action out of turn, the state before a raise."""

from dataclasses import dataclass


@dataclass(slots=True)
class Player:
    """A player in the round. Amounts in cents; None where unknown."""

    folded: bool = False
    all_in: bool = False
    tapped: bool = False
    """Deemed to have tapped out: bets no more in this round, with chips left."""
    street: int | None = 0
    total: int | None = 0

    def fold(self) -> None:
        """Give up the hand."""
        self.folded = True

    def reinstate(self) -> None:
        """Make the hand live again."""
        self.folded = False

    def go_all_in(self) -> None:
        """Have no chips left to bet."""
        self.all_in = True

    def keep_chips(self) -> None:
        """Have chips left, because a part of an all-in goes back."""
        self.all_in = False

    def tap_out(self, *, tapped: bool) -> None:
        """Bet no more in this round, if `tapped`."""
        self.tapped = tapped

    def begin_street(self) -> None:
        """Begin a street on which the player has put in nothing."""
        self.street = 0

    def put(self, cents: int) -> None:
        """Put chips in as a bet; a negative amount goes back."""
        self.street = None if self.street is None else self.street + cents
        self.put_beside(cents)

    def put_beside(self, cents: int) -> None:
        """Put chips in that match no bet: an ante."""
        self.total = None if self.total is None else self.total + cents

    def put_unknown(self, street: int | None = None) -> None:
        """Put in nobody knows how much. `street`: what it comes to on this street, where the bet is known."""
        self.street, self.total = street, None

    def post(self, cents: int | None) -> None:
        """Post a blind; None for an unknown amount."""
        self.street = cents
        self.total = None if cents is None or self.total is None else self.total + cents

    def has_put(self, street: int | None, total: int | None) -> None:
        """Set what the player has put in, on the street and in all."""
        self.street, self.total = street, total


@dataclass(slots=True)
class EarlyAction:
    """An action out of turn that waits for its turn.

    `level`: the bet to meet when it was made.
    """

    action: str
    cents: int | None
    level: int | None
    raised_since: bool = False
    before: tuple[int, ...] = ()
    """Seats that should have acted before it."""
    paid: tuple[int | None, ...] = ()
    """What each of them had put in on the street when it was made; None where that is not known."""
    saw: tuple[int, ...] = ()
    """Seats that had acted out of turn before this action."""

    def note_raise(self) -> None:
        """Note that somebody has raised since."""
        self.raised_since = True

    def forget_raise(self) -> None:
        """Count the raises so far as seen: the action was made after them."""
        self.raised_since = False


@dataclass(frozen=True, slots=True)
class BeforeRaise:
    """State of the betting before the last raise of the street.

    Amounts in cents, as in `Betting` and `Player`.
    """

    seat: int
    level: int | None
    step: int
    raises: int
    aggressors: tuple[int | None, int | None]
    bettor: int | None
    matched: frozenset[int]
    settled: frozenset[int]
    call_only: frozenset[int]
    paid: tuple[int | None, int | None]
    """Amounts paid by the raiser, on the street and in all."""

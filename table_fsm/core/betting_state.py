"""What a table remembers of forced bets, the buying of the button, early actions and the clock in a round."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class ForcedBets:
    """Posts and antes. Amounts in cents; None where the amount was not said."""

    posts: dict[int, int | None] = field(default_factory=dict)
    """What was posted, by seat."""
    antes: dict[int, int | None] = field(default_factory=dict)
    """What was anted, by seat."""
    ante: int | None = None
    """What each player of this round antes, as it stood at the first card; None where there is no ante."""
    big_blind_antes: dict[int, int] = field(default_factory=dict)
    """The ante that the big blind posted for all, by seat."""

    def post(self, seat: int, cents: int | None) -> None:
        """Enter a seat's post, in the place of one before."""
        self.posts[seat] = cents

    def pay_ante(self, seat: int, cents: int | None) -> None:
        """Enter a seat's ante, in the place of one before."""
        self.antes[seat] = cents


@dataclass(slots=True)
class ButtonPurchase:
    """The buying of the button before the first card."""

    paid: dict[int, list[int | None]] = field(default_factory=dict)
    """What players who wait have posted to buy it, by seat, in cents."""
    buyer: int | None = None
    """The seat that has bought it, and posts both blinds."""
    dead_small: int = 0
    """The buyer's small blind, in cents: it counts towards no bet."""


@dataclass(slots=True)
class EarlyActions:
    """Actions before their time: folds in the deal, and actions out of turn that are being ruled on."""

    folds: list[int] = field(default_factory=list)
    """Players who folded before the deal was complete, in order, each once."""
    action: tuple[str, int | None] | None = None
    """What the player whose turn has come did out of turn, in cents."""
    run: list[int] = field(default_factory=list)
    """The seats whose actions out of turn a ruling is about to let stand together."""
    restricted: str = "same"
    """The fact `earlier` of the last one: "more" where others had bet more when it was made, else "same"."""

    def fold(self, seat: int) -> None:
        """Note that a player folds before the deal is complete, once."""
        if seat not in self.folds:
            self.folds.append(seat)


@dataclass(slots=True)
class ClockState:
    """The clock on a player. Times in table seconds."""

    seat: int | None = None
    """The player's seat; None while no clock runs."""
    deadline: float = 0.0
    warned: int = 0
    """How many of the book's warnings have been given in the period that runs."""
    action: bool = False
    """Whether the clock last started is the action clock, which time banks prolong."""
    period: int = 0
    """Time banks begun since it was started."""
    asked: int | None = None
    """A seat whose clock was called by another player and waits for a confirmation."""

    def start(self, seat: int, deadline: float, *, action: bool) -> None:
        """Put the clock on a player, in the place of whatever clock ran or was asked for."""
        self.seat, self.deadline, self.warned, self.asked = seat, deadline, 0, None
        self.action, self.period = action, 0

    def stop(self) -> None:
        """Take the clock off its player; a call that waits for a confirmation goes on waiting."""
        self.seat = None

    def prolong(self, seconds: float) -> None:
        """Begin a time bank: a new period with warnings of its own."""
        self.deadline += seconds
        self.warned = 0
        self.period += 1

    def warn(self, warnings: int) -> None:
        """Note how many warnings of the period have been given."""
        self.warned = warnings

    def ask(self, seat: int) -> None:
        """Note that a clock on this seat waits for a confirmation."""
        self.asked = seat

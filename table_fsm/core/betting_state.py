"""State of a round: forced bets, purchase of the button, early actions, clock on a player."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class ForcedBets:
    """Posts and antes in cents; None where the amount was not reported."""

    posts: dict[int, int | None] = field(default_factory=dict)
    """What was posted, by seat."""
    antes: dict[int, int | None] = field(default_factory=dict)
    """What was anted, by seat."""
    all_in: dict[int, int | None] = field(default_factory=dict)
    """What a player put in beside posts and antes keyed before, with all they had; by seat."""
    entries: set[int] = field(default_factory=set)
    """Seats that posted to be dealt in: they owed no blind."""
    gone: set[int] = field(default_factory=set)
    """Seats whose players left before the first card. What they put in was theirs, whoever sits there now."""
    ante: int | None = None
    """The ante of each player in cents, fixed at the first card; None where there is no ante."""
    big_blind_antes: dict[int, int] = field(default_factory=dict)
    """The ante that the big blind posted for all, by seat."""
    levels: set[int] = field(default_factory=set)
    """Levels that held as posts and antes were put in: others may hold once the deal begins."""

    def post(self, seat: int, cents: int | None) -> None:
        """Set a seat's post, replacing an earlier one."""
        self.posts[seat] = cents

    def pay_ante(self, seat: int, cents: int | None) -> None:
        """Set a seat's ante, replacing an earlier one."""
        self.antes[seat] = cents

    def enter(self, seat: int) -> None:
        """Note that a seat's post is that of a player who comes in with it."""
        self.entries.add(seat)

    def go_all_in(self, seat: int, cents: int | None) -> None:
        """Note that a seat has put in all it had, `cents` of it with this action."""
        self.all_in[seat] = cents

    def take_back(self, seat: int, *, ante: bool) -> None:
        """Give a seat's post or ante back."""
        (self.antes if ante else self.posts).pop(seat, None)

    def left(self, seat: int) -> None:
        """Note that who put in a seat's bets has left before the first card."""
        self.gone.add(seat)

    def taken(self, seat: int) -> None:
        """Forget what was put in at a seat: another sits down there before the first card, and owes anew."""
        for put_in in (self.posts, self.antes, self.all_in):
            put_in.pop(seat, None)
        self.entries.discard(seat)
        self.gone.discard(seat)


@dataclass(slots=True)
class ButtonPurchase:
    """The buying of the button before the first card."""

    paid: dict[int, list[int | None]] = field(default_factory=dict)
    """Posts in cents of waiting players who want to buy the button, by seat."""
    buyer: int | None = None
    """The seat that has bought the button; it posts both blinds."""
    dead_small: int = 0
    """The buyer's small blind, in cents: it counts towards no bet."""


@dataclass(slots=True)
class EarlyActions:
    """Folds during the deal, and actions out of turn that are being ruled on."""

    folds: list[int] = field(default_factory=list)
    """Players who folded before the deal was complete, in order, each once."""
    action: tuple[str, int | None] | None = None
    """The action out of turn, with its cents, of the player whose turn has come."""
    run: list[int] = field(default_factory=list)
    """The seats whose actions out of turn a ruling is about to let stand together."""
    restricted: str = "same"
    """The fact `earlier` of the last action out of turn: "more" where others had bet more by then, else "same"."""

    def fold(self, seat: int) -> None:
        """Remember a fold before the deal is complete; a second fold of the seat changes nothing."""
        if seat not in self.folds:
            self.folds.append(seat)


@dataclass(slots=True)
class ClockState:
    """The clock on a player. Times in table seconds."""

    seat: int | None = None
    """The player's seat; None while no clock runs."""
    deadline: float = 0.0
    warned: int = 0
    """Warnings of the book given in the current period."""
    action: bool = False
    """Whether the clock started last is the action clock, which time banks prolong."""
    period: int = 0
    """Time banks begun since the clock was started."""
    asked: int | None = None
    """The seat on which another player called the clock; a confirmation is still awaited."""

    def start(self, seat: int, deadline: float, *, action: bool) -> None:
        """Start the clock on a player; replaces a running clock and a call that awaits confirmation."""
        self.seat, self.deadline, self.warned, self.asked = seat, deadline, 0, None
        self.action, self.period = action, 0

    def stop(self) -> None:
        """Stop the clock; a call that awaits confirmation stays."""
        self.seat = None

    def prolong(self, seconds: float) -> None:
        """Add a time bank of `seconds` and begin a new period with its own warnings."""
        self.deadline += seconds
        self.warned = 0
        self.period += 1

    def warn(self, warnings: int) -> None:
        """Set how many warnings of the period have been given."""
        self.warned = warnings

    def ask(self, seat: int) -> None:
        """Remember that a call of the clock on this seat awaits confirmation."""
        self.asked = seat

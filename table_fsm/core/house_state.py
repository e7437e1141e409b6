"""What a table remembers of a house-banked round: the boxes with their wagers, and how far the deal has come."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class BettingBox:
    """A box in a house-banked round. Wagers in cents."""

    ante: int = 0
    blind: int = 0
    trips: int = 0
    play: int = 0
    play_street: str | None = None
    """The street on which the play wager was made."""
    play_wrong: bool = False
    """The amount was ruled on: it may be put right while its street is open."""
    folded: bool = False
    void: bool = False
    decided: str | None = None
    """The street of the last decision."""
    settled: bool = False
    """The wagers have been paid or taken."""
    hand_ruled: bool = False
    """Cards that came to the box without a wager have been ruled on."""

    @property
    def wagered(self) -> bool:
        """Whether ante and blind lie in the box."""
        return self.ante > 0 and self.blind > 0

    def lies_in(self, box: str) -> int:
        """What lies in ante, blind or trips. Raises KeyError for another name."""
        return {"ante": self.ante, "blind": self.blind, "trips": self.trips}[box]

    def lay(self, box: str, cents: int) -> None:
        """Put what lies in ante, blind, trips or play. Raises ValueError for another name.

        Into play only between two rounds: in a round the play wager is a decision (`make_play`).
        """
        if box == "ante":
            self.ante = cents
        elif box == "blind":
            self.blind = cents
        elif box == "trips":
            self.trips = cents
        elif box == "play":
            self.play = cents
        else:
            raise ValueError(f"{box!r}: ante, blind, trips or play")

    def decide(self, street: str) -> None:
        """Note that the player has decided on this street."""
        self.decided = street

    def make_play(self, cents: int, street: str) -> None:
        """Put the play wager: that is the decision of its street."""
        self.play, self.play_street, self.decided = cents, street, street

    def take_play(self) -> None:
        """Take the play wager out again: the player is still to decide."""
        self.play, self.play_street, self.decided = 0, None, None

    def fold(self, street: str) -> None:
        """Give the hand up: that is the decision of this street."""
        self.folded, self.decided = True, street

    def reinstate(self) -> None:
        """Put the hand back into play: the ruling that folded it was overruled. The decision stays made."""
        self.folded = False


@dataclass(slots=True)
class House:
    """A house-banked round."""

    boxes: dict[int, BettingBox] = field(default_factory=dict)
    """The boxes that were used, by seat."""
    any_wager: bool = False
    """A wager has been reported in this round: wagers are known."""
    wager_order: list[int] = field(default_factory=list)
    """Tournament: seats in the order of their first wagers."""
    step: int = 0
    """Index of the deal step in progress."""
    keyed: bool = False
    """A check has been keyed in this round: decisions are reported."""
    window_from: float | None = None
    """Table seconds since which players may decide, or of the last decision; None while nobody may."""
    dealer_open: bool = False
    """The dealer's hand and the whole board show."""
    dealer_ruled: bool = False
    """Cards of the dealer that were seen too soon have been ruled on."""

    def open_window(self, t: float) -> None:
        """Give the players their time to decide, from now on."""
        self.window_from = t

    def close_window(self) -> None:
        """Give no time to decide any more."""
        self.window_from = None

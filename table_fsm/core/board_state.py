"""What a table remembers of the communal cards and the burns of a round.

Each change is a method here, so that fields that belong together change together.
"""

from dataclasses import dataclass, field

from table_fsm.poker.betting.bet_caps import BetCap
from table_fsm.poker.betting.tally import ActionTally


@dataclass(slots=True)
class BoardError:
    """An error of the board that a ruling wants put right."""

    ruling: int
    """The ruling's id."""
    irregularity: str
    facts: dict[str, str]
    mark: ActionTally | None
    """Where the count of actions stood when play went on upon the wrong board; None while it has not gone on."""


@dataclass(slots=True)
class BoardState:
    """Burns and communal cards: of the street that is being dealt, and of the whole round."""

    shown: int = 0
    """Communal cards whose face shows and that count as cards of the board."""
    burns: int = 0
    """Burns for the next communal cards."""
    stub_owed: bool = False
    """A ruling wants the undealt cards shuffled before the next card."""
    returned: int = 0
    """Cards that have left the board while that shuffle is owed."""
    taken: int = 0
    """Shown cards that a ruling has taken back."""
    error: BoardError | None = None
    """The error that is still to be put right, or still waits for sufficient action."""
    mixing: bool = False
    """Four cards of a flop are mixed, and three of them come back."""
    spare_card: bool = False
    """One of those four is the next burn."""
    to_burn: int = 0
    """Cards that a ruling made a burn, and that still lie on the board."""
    late_burns: int = 0
    """Burns that are still missing for cards that stay on the board."""
    spare_burns: int = 0
    """Burns that may lie beside those due: one was made before a board card that came too soon."""
    early: set[int] = field(default_factory=set)
    """Single communal cards, by number from 1, that have been ruled on as shown before their turn."""
    kept: bool = False
    """Cards shown before their turn stay where they lie."""
    capped_street: int | None = None
    """The street, by index, on which the last card shown before its turn caps the bets."""
    caps: dict[int, BetCap] = field(default_factory=dict)
    """Bets capped by rulings, by the index of the street."""

    @property
    def to_mend(self) -> bool:
        """Whether somebody still has to put cards of the board right."""
        return bool(self.mixing or self.to_burn or self.late_burns)

    # -- burns

    def burn(self) -> None:
        """Count a burn for the next communal cards."""
        self.burns += 1

    def use_burn(self) -> None:
        """Take a burn off the count: it was the second board's. The caller knows that there is one."""
        self.burns -= 1

    def burn_lifted(self) -> None:
        """Take a burn that left the pile off the count, which does not go below 0."""
        self.burns = max(0, self.burns - 1)

    def owe_late_burn(self) -> None:
        """Ask for a burn after the cards that it belongs before."""
        self.late_burns += 1

    def forgive_late_burn(self) -> None:
        """Drop one late burn, if any is owed: the ruling was overruled."""
        self.late_burns = max(0, self.late_burns - 1)

    def late_burn_made(self) -> None:
        """Take one late burn off those owed. The caller knows that there is one."""
        self.late_burns -= 1

    def allow_spare_burn(self) -> None:
        """Allow one burn beside those due."""
        self.spare_burns = 1

    # -- cards

    def show(self) -> None:
        """Count one more card of the board."""
        self.shown += 1

    def cover(self) -> None:
        """Count one card of the board less: it lies face down."""
        self.shown -= 1

    def take_up(self) -> None:
        """Take the last shown card off the board because a ruling says so; its early show is forgotten."""
        self.early.discard(self.shown)
        self.shown -= 1
        self.taken += 1

    def lay_again(self) -> None:
        """Count a card of the board that was taken up before."""
        self.taken -= 1
        self.shown += 1

    def return_card(self) -> None:
        """Count a card that goes back to the undealt cards."""
        self.returned += 1

    def show_early(self, number: int) -> None:
        """Remember that the card of this number, from 1, showed before its turn."""
        self.early.add(number)

    def open_street(self, *, flop_drawn_again: bool) -> None:
        """Start the next street's burns at 0; at 1 where the fourth card of a mixed flop is a burn already."""
        self.burns = 1 if flop_drawn_again and not self.spare_card else 0
        self.spare_burns = 0

    # -- what rulings want

    def want_shuffle(self) -> None:
        """Ask for a shuffle of the undealt cards."""
        self.stub_owed = True

    def want_no_shuffle(self) -> None:
        """Ask for it no more: the ruling was overruled."""
        self.stub_owed = False

    def stub_shuffled(self) -> None:
        """Forget what the shuffle of the undealt cards has put right."""
        self.stub_owed, self.error, self.returned = False, None, 0

    def make_burn(self) -> None:
        """Turn the card just shown into the burn of its street; it still lies on the board."""
        self.shown -= 1
        self.burns += 1
        self.to_burn += 1

    def unmake_burn(self) -> None:
        """Turn that burn into a card of the board again, wherever it lies now."""
        self.shown += 1
        self.burns -= 1
        self.to_burn = max(0, self.to_burn - 1)

    def moved_to_burns(self) -> None:
        """Take one card that a ruling made a burn off those that still lie on the board."""
        self.to_burn -= 1

    def mix_flop(self) -> None:
        """Have the four cards of a flop mixed: three come back, and one is the next burn."""
        self.mixing = self.spare_card = True

    def mix_no_flop(self) -> None:
        """Have them mixed no more: the ruling was overruled."""
        self.mixing = self.spare_card = False

    def spare_card_burnt(self) -> None:
        """Note that the fourth card lies in the burn pile."""
        self.spare_card = False

    def flop_drawn(self) -> None:
        """Note that three cards of the four show again: the error is put right."""
        self.mixing, self.error = False, None

    def note_error(self, error: BoardError) -> None:
        """Remember an error that a ruling wants put right."""
        self.error = error

    def play_as_it_lies(self) -> None:
        """Count every card that lies on the board as one of it: somebody has acted on it so."""
        self.shown += self.to_burn
        self.to_burn = 0

    def leave_to_floor(self) -> None:
        """Ask for nothing more: too much was done on a wrong board, and the floor decides."""
        self.error = None
        self.stub_owed = self.mixing = self.spare_card = False


@dataclass(slots=True)
class SecondBoard:
    """Run twice: the board that is dealt beside the first."""

    shared: int
    """Cards of the first board that belong to both."""
    shown: int = 0
    """Cards of its own that show."""
    burnt: set[int] = field(default_factory=set)
    """The first cards of legs, by number on the board, whose burn has been judged."""
    judging: bool = False
    """The ruling that is being given is about this board, not the first."""

    def show(self) -> None:
        """Count one more card of its own."""
        self.shown += 1

    def make_burn(self) -> None:
        """Turn the card just shown into the burn of its leg."""
        self.shown -= 1

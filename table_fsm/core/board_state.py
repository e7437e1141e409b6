"""State of the communal cards and burns of a round.

Each change is a method here, so that fields that belong together change together.
"""

from dataclasses import dataclass, field

from table_fsm.poker.betting.bet_caps import BetCap
from table_fsm.poker.betting.tally import ActionTally


@dataclass(slots=True)
class BoardError:
    """An error of the board that a ruling orders to be corrected."""

    ruling: int
    """The ruling's id."""
    irregularity: str
    facts: dict[str, str]
    mark: ActionTally | None
    """The action tally when play went on with the wrong board; None while play has not gone on."""


@dataclass(slots=True)
class BoardState:
    """Burns and communal cards: of the street that is being dealt, and of the whole round."""

    shown: int = 0
    """Face-up communal cards that count as cards of the board."""
    covered: int = 0
    """Cards that count as shown, or that a ruling made burns, and that were turned face down since."""
    lay_before: int = 0
    """How many of them lay there when the deal of the street in progress began."""
    opened_early: bool = False
    """The betting opened on cards that all lay there before the deal of their street began."""
    burns: int = 0
    """Burns for the next communal cards."""
    stub_owed: bool = False
    """A ruling orders a shuffle of the undealt cards before the next card."""
    returned: int = 0
    """Cards that have left the board while that shuffle is still to be made."""
    taken: int = 0
    """Shown cards that a ruling has taken back."""
    error: BoardError | None = None
    """The error that is not corrected yet, or for which sufficient action is awaited."""
    mixing: bool = False
    """Four cards of a flop are being mixed; three of them return to the board."""
    spare_card: bool = False
    """One of those four cards is the next burn."""
    to_burn: int = 0
    """Cards that a ruling made burns and that still lie on the board."""
    burn_rulings: list[int] = field(default_factory=list)
    """The ids of the rulings that made a card a burn, in order: only the last one's card can still lie on the board."""
    deciding: int | None = None
    """The ruling on which a person decides just now."""
    late_burns: int = 0
    """Burns that are still missing for cards that stay on the board."""
    spare_burns: int = 0
    """Burns allowed beyond those due, because one was made before a board card that came too soon."""
    early: set[int] = field(default_factory=set)
    """Numbers, from 1, of single communal cards ruled on as shown before their turn."""
    kept: bool = False
    """Cards shown before their turn stay where they lie."""
    capped_street: int | None = None
    """The street, by index, on which the last card shown before its turn caps the bets."""
    caps: dict[int, BetCap] = field(default_factory=dict)
    """Bets capped by rulings, by the index of the street."""

    @property
    def to_mend(self) -> bool:
        """Whether cards of the board still have to be moved, mixed or burnt as a correction."""
        return bool(self.mixing or self.to_burn or self.late_burns)

    # -- burns

    def burn(self) -> None:
        """Count a burn for the next communal cards."""
        self.burns += 1

    def use_burn(self) -> None:
        """Subtract a burn because it was the second board's. The caller knows that there is one."""
        self.burns -= 1

    def burn_lifted(self) -> None:
        """Subtract a burn that left the pile; the count does not go below 0."""
        self.burns = max(0, self.burns - 1)

    def owe_late_burn(self) -> None:
        """Require a burn that comes after the cards it should have preceded."""
        self.late_burns += 1

    def forgive_late_burn(self) -> None:
        """Drop one late burn, if one is required, because the ruling was overruled."""
        self.late_burns = max(0, self.late_burns - 1)

    def late_burn_made(self) -> None:
        """Subtract a late burn that has been made. The caller knows that one was required."""
        self.late_burns -= 1

    def allow_spare_burn(self) -> None:
        """Allow one burn beyond those due."""
        self.spare_burns = 1

    # -- cards

    def show(self) -> None:
        """Count one more card of the board."""
        self.shown += 1

    def cover(self) -> None:
        """Subtract a card of the board that was turned face down."""
        self.shown -= 1

    def turn_down(self) -> None:
        """Note that a card that counts was turned face down; it goes on counting."""
        self.covered = min(self.covered + 1, self.shown + self.to_burn)

    def turn_up_again(self) -> None:
        """Note that such a card lies face up again, or has left the board. The caller knows that there is one."""
        self.covered -= 1

    def take_up(self) -> None:
        """Take back the last shown card by a ruling, and forget that it was shown early."""
        self.early.discard(self.shown)
        self.shown -= 1
        self.lay_before = min(self.lay_before, self.shown)
        self.taken += 1

    def lay_again(self) -> None:
        """Count a card of the board that a ruling had taken back and that lies there again."""
        self.taken -= 1
        self.shown += 1

    def return_card(self) -> None:
        """Count a card that goes back to the undealt cards."""
        self.returned += 1

    def show_early(self, number: int) -> None:
        """Remember that the card of this number, from 1, showed before its turn."""
        self.early.add(number)

    def begin_street(self, before: int) -> None:
        """Note that the deal of a street begins; `before`: shown cards whose burn is no matter of this deal."""
        self.lay_before = before

    def open_street(self, *, flop_drawn_again: bool) -> None:
        """Reset the burns for the next street.

        They start at 1 where the fourth card of a mixed flop is a burn already, else at 0.
        """
        self.burns = 1 if flop_drawn_again and not self.spare_card else 0
        self.spare_burns = 0
        self.opened_early = self.lay_before == self.shown

    # -- what rulings want

    def want_shuffle(self) -> None:
        """Require a shuffle of the undealt cards."""
        self.stub_owed = True

    def want_no_shuffle(self) -> None:
        """Drop the required shuffle because the ruling was overruled."""
        self.stub_owed = False

    def stub_shuffled(self) -> None:
        """Forget the required shuffle and the error that the shuffle has corrected."""
        self.stub_owed, self.error, self.returned = False, None, 0
        self.taken = 0  # those cards are undealt again: a card of the board that moves later is none of them

    def make_burn(self) -> None:
        """Count the card just shown as the burn of its street, although it still lies on the board."""
        self.shown -= 1
        self.burns += 1
        self.to_burn += 1

    def unmake_burn(self) -> None:
        """Undo `make_burn`: count the card, which still lies on the board, as one of it again."""
        self.shown += 1
        self.burns -= 1
        self.to_burn -= 1

    def ruled_burn(self, ruling: int) -> None:
        """Remember a ruling that made a card a burn."""
        self.burn_rulings.append(ruling)

    def decide(self, ruling: int | None) -> None:
        """Note that a person decides on this ruling, or with None, that the decision has been made."""
        self.deciding = ruling

    @property
    def is_about_an_earlier_burn(self) -> bool:
        """Whether the decision is on a ruling whose card is in the burn pile, since a later one made another a burn."""
        return self.deciding in self.burn_rulings[:-1]

    def moved_to_burns(self) -> None:
        """Subtract a card, made a burn by a ruling, that has left the board."""
        self.to_burn -= 1

    def mix_flop(self) -> None:
        """Require that the four cards of a flop are mixed; one becomes the next burn.

        One that lies face down already counts as turned down to be mixed.
        """
        self.shown, self.covered = self.shown - self.covered, 0
        self.mixing = self.spare_card = True

    def mix_no_flop(self) -> None:
        """Drop that requirement because the ruling was overruled."""
        self.mixing = self.spare_card = False

    def spare_card_burnt(self) -> None:
        """Remember that the fourth card lies in the burn pile."""
        self.spare_card = False

    def flop_drawn(self) -> None:
        """Remember that three of the four cards show again, which corrects the error."""
        self.mixing, self.error = False, None

    def note_error(self, error: BoardError) -> None:
        """Remember an error that a ruling orders to be corrected."""
        self.error = error

    def play_as_it_lies(self) -> None:
        """Count every card on the board as one of it, because a player has acted on that board."""
        self.shown += self.to_burn
        self.to_burn = 0

    def leave_to_floor(self) -> None:
        """Drop all corrections: too much was done on a wrong board, and the floor decides."""
        self.error = None
        self.stub_owed = self.mixing = self.spare_card = False


@dataclass(slots=True)
class SecondBoard:
    """The second board of a board that is run twice. Its cards are those that lie in its zones, but for made burns."""

    shared: int
    """Cards of the first board that belong to both."""
    burnt: set[int] = field(default_factory=set)
    """Numbers on the board of the first card of each leg whose burn has been judged."""
    made_burns: set[str] = field(default_factory=set)
    """Names of its cards that a ruling made burns, wherever they lie."""
    of_rulings: dict[int, str | None] = field(default_factory=dict)
    """By the id of each ruling on a missing burn of this board: the card that came without it."""
    judging: bool = False
    """The ruling in progress, or the decision on one, is about this board, not about the first."""
    judged: str | None = None
    """The card that it is about; None where it has no name."""
    astray: set[str] = field(default_factory=set)
    """Names of cards of one board that lie on the other."""
    overdealt: set[str] = field(default_factory=set)
    """Names of cards that came out of the shoe as one too many of a board, while the other lacked one."""
    dealt: bool = False
    """All its cards have come."""

    def deal_too_many(self, card: str) -> None:
        """Note that a card came to one board as one too many, while the other lacked one."""
        self.overdealt.add(card)

    def goes_to_its_own(self, card: str) -> bool:
        """Whether a card that moves from one board to the other was one too many there; notes that it is none now."""
        too_many = card in self.overdealt
        self.overdealt.discard(card)
        return too_many

    def go_astray(self, card: str) -> None:
        """Note that a card of one board lies on the other."""
        self.astray.add(card)

    def comes_back(self, card: str) -> bool:
        """Whether a card that moves from one board to the other goes back to its own; notes that it lies there."""
        astray = card in self.astray
        self.astray.discard(card)
        return astray

    def judge(self, card: str | None) -> None:
        """Note that what is ruled or decided next is about this card."""
        self.judging, self.judged = True, card

    def ruled(self, ruling: int) -> None:
        """Remember the ruling about the card that is judged."""
        self.of_rulings[ruling] = self.judged

    def judged_it(self) -> None:
        """Note that the ruling or decision has been made."""
        self.judging, self.judged = False, None

    def make_burn(self) -> None:
        """Count the card that is judged as the burn of its leg, although it still lies on the board."""
        if self.judged is not None:
            self.made_burns.add(self.judged)

    def unmake_burn(self) -> None:
        """Count the card that is judged as one of the board again."""
        if self.judged is not None:
            self.made_burns.discard(self.judged)

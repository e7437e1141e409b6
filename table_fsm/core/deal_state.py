"""What a table remembers of the cards dealt to the players of a round: the deals, what was seen, what stud adds."""

from dataclasses import dataclass, field

from table_fsm.poker.dealing import Deal


@dataclass(slots=True)
class DealError:
    """A deal error that has been ruled on and may still be put right, or be looked at."""

    ruling: int
    """The ruling's id."""
    irregularity: str
    seat: int
    grave: bool = False
    """A later look changes nothing: there was one already, or the error asks for none."""
    open_card: bool = False
    """The card lies face up, so that a look at the hole cards is no look at this one."""


@dataclass(slots=True)
class Deals:
    """The deals to the players, one on each street that gives them cards, and what is wrong with them."""

    current: Deal | None = None
    """The deal in progress, or the last there was."""
    earlier: list[Deal] = field(default_factory=list)
    """Those of the streets before, in order."""
    errors: list[DealError] = field(default_factory=list)
    """The errors of the current deal, and of the draw, that have been ruled on and not been put right."""
    in_hand: int = 0
    """Cards taken back to put the deal right, on their way to where they belong."""
    missing_card: int | None = None
    """A seat to which a ruling gives the card that the deal left out."""
    cards: list[tuple[int, str | None]] = field(default_factory=list)
    """The cards of the initial deal in the order in which they came: the seat, and the card where it was read."""

    def begin(self, deal: Deal) -> None:
        """Make this the current deal, in the place of the one there was."""
        self.current = deal

    def begin_next(self, deal: Deal) -> None:
        """Make this the current deal and keep the one before it, whose errors can be put right no more."""
        if self.current is not None:
            self.earlier.append(self.current)
        self.current = deal
        self.errors.clear()
        self.in_hand = 0

    def note_error(self, error: DealError) -> None:
        """Remember an error that has been ruled on."""
        self.errors.append(error)

    def forget_errors(self) -> None:
        """Forget all errors: they are put right, or nobody puts them right any more."""
        self.errors.clear()

    def forget_ruled(self, rulings: list[int]) -> None:
        """Forget the errors with these rulings' ids."""
        self.errors = [error for error in self.errors if error.ruling not in rulings]

    def take_up(self) -> None:
        """Count a card taken back to put the deal right."""
        self.in_hand += 1

    def lay_down(self) -> None:
        """Take a card that came to where it belongs off those taken back. The caller knows that there is one."""
        self.in_hand -= 1

    def owe_card(self, seat: int | None) -> None:
        """Give the seat the card that the deal left out, because a ruling says so; None: the ruling names nobody."""
        self.missing_card = seat

    def owe_no_card(self) -> None:
        """Owe that card no more: it has come, or the ruling was overruled."""
        self.missing_card = None

    def note_card(self, seat: int, card: str | None) -> None:
        """Remember the next card of the initial deal."""
        self.cards.append((seat, card))


@dataclass(slots=True)
class Looks:
    """Who has looked at their cards since the last deal to the players began."""

    seats: set[int] = field(default_factory=set)

    def note(self, seat: int) -> None:
        """Remember that the player at this seat has looked."""
        self.seats.add(seat)

    def forget(self) -> None:
        """Forget all looks: a new deal has begun."""
        self.seats.clear()


@dataclass(slots=True)
class Exposures:
    """Hole cards that were seen, and the exchange of one that the initial deal exposed."""

    owners: list[int | None] = field(default_factory=list)
    """Whose cards were seen in the initial deal, in order."""
    replace_seat: int | None = None
    """The seat whose exposed card the first burn card replaces."""
    removed: bool = False
    """That card has left the seat."""
    discarded: bool = False
    """It has come to the discards."""
    replaced: bool = False
    """The card in its place has come."""
    seen: set[str] = field(default_factory=set)
    """Hole cards that have been ruled on as seen."""
    no_burn_before_flop: bool = False
    """A ruling leaves out the burn before the flop."""
    players: set[int] = field(default_factory=set)
    """Players who have shown their own cards and have been ruled on."""

    def note_seen(self, card: str | None) -> None:
        """Remember a hole card as seen; a card without a name could not be known again."""
        if card is not None:
            self.seen.add(card)

    def first_of_player(self, seat: int) -> bool:
        """Remember that the player showed their own cards; whether it is the first time in this round."""
        first = seat not in self.players
        self.players.add(seat)
        return first


@dataclass(slots=True)
class FoldedHands:
    """What tells a folded player's hole card from others."""

    holes: dict[str, int] = field(default_factory=dict)
    """Named cards that came face down to a player, each with the player's seat."""


@dataclass(slots=True)
class StudState:
    """What is peculiar to games that deal to the players after a betting round."""

    closed: set[int] = field(default_factory=set)
    """Players whose first card lies open: their other cards of the initial deal come face down."""
    early: list[int] = field(default_factory=list)
    """The seat of each card of the next street that came before the betting had ended, in order."""
    boxed: tuple[str, str | None] | None = None
    """Zone and name of a boxed card that was laid down and goes back to the undealt cards."""
    top_seen: bool = False
    """The top card has been ruled on as seen, before it was dealt; used in every game with a deal to the players."""
    burns_owed: bool = False
    """A ruling wants as many cards burnt as players are left, before the next cards to them."""
    final_opener: int | None = None
    """The seat whose last hole card was seen: that player opens the last betting round."""
    communal: bool = False
    """One open card in the centre is everyone's last card."""
    communal_shown: bool = False
    """That card shows its face."""
    final_given: list[int] = field(default_factory=list)
    """Seats that were dealt a last card, once for each; it goes to the discards, since the centre card replaces it."""

    def close(self, seat: int) -> None:
        """Have the seat's other cards of the initial deal come face down."""
        self.closed.add(seat)

    def reopen(self, seat: int) -> None:
        """Have the seat's cards come as the street says: the ruling was overruled."""
        self.closed.discard(seat)

    def lay_boxed(self, zone: str, card: str | None) -> None:
        """Remember a boxed card that lies in a zone and goes back to the undealt cards."""
        self.boxed = zone, card

    def boxed_gone(self) -> None:
        """Forget that card: it went back, or it was burnt."""
        self.boxed = None

    def see_top(self) -> None:
        """Remember that the top card has been ruled on as seen: however it comes, it is the same fault."""
        self.top_seen = True

    def top_gone(self) -> None:
        """Forget that: the card has been dealt, or shuffled among the others."""
        self.top_seen = False

    def owe_burns(self) -> None:
        """Ask for as many burns as players are left."""
        self.burns_owed = True

    def owe_no_burns(self) -> None:
        """Ask for them no more: the betting after them opens, or the ruling was overruled."""
        self.burns_owed = False

    def open_last_round(self, seat: int) -> None:
        """Have the player at this seat open the last betting round."""
        self.final_opener = seat

    def open_last_round_by_cards(self) -> None:
        """Have nobody named open it: who opens is told by the cards that show."""
        self.final_opener = None

"""State of the cards dealt to the players: deals, cards that were seen, what stud adds."""

from dataclasses import dataclass, field
from typing import Final

from table_fsm.poker.dealing import Deal

_BOARD: Final = "board"
"""All zones of the board, where cards are mixed with hands."""


@dataclass(slots=True)
class DealError:
    """A deal error that was ruled on and may still be corrected or looked at."""

    ruling: int
    """The ruling's id."""
    irregularity: str
    seat: int
    grave: bool = False
    """A later look does not matter: there was one already, or the error does not depend on looks."""
    open_card: bool = False
    """The card lies face up: a look at the hole cards is not a look at this card."""
    own_look: bool = False
    """Only a look by the player at this seat matters: in a draw each looks at the replacements as they come."""


@dataclass(slots=True)
class Deals:
    """The deals to the players, one for each street that deals to them, and their errors."""

    current: Deal | None = None
    """The deal in progress, or the last one."""
    earlier: list[Deal] = field(default_factory=list)
    """The deals of earlier streets, in order."""
    errors: list[DealError] = field(default_factory=list)
    """Errors of the current deal and of the draw that were ruled on and not corrected."""
    taken_up: list[DealError] = field(default_factory=list)
    """Errors that ended as a card was taken up from a player: they go on where that player looks at it.
    Only where no other card lies there: of several nobody knows which one was looked at."""
    taken_from: int | None = None
    """The seat of that player; None once the card has come to its place."""
    in_hand: int = 0
    """Cards taken back to correct the deal that have not come to their place yet."""
    missing_card: int | None = None
    """A seat to which a ruling gives the card that the deal left out."""
    burnt: int = 0
    """Cards burnt while the initial deal goes on."""
    owed_before: list[int] = field(default_factory=list)
    """Seats that a ruling still gives the card they lack of the deal before: it comes before the first of this deal."""
    cards: list[tuple[int, str | None]] = field(default_factory=list)
    """The cards of the initial deal in the order in which they came: the seat, and the card where it was read."""

    def begin(self, deal: Deal) -> None:
        """Make `deal` the current deal, replacing the one before."""
        self.current = deal

    def begin_next(self, deal: Deal) -> None:
        """Make `deal` the current deal and keep the one before, whose errors stay as they are."""
        if self.current is not None:
            self.earlier.append(self.current)
        self.current = deal
        self.forget_errors()
        self.in_hand = 0

    def note_error(self, error: DealError) -> None:
        """Remember an error that has been ruled on."""
        self.errors.append(error)

    def forget_errors(self) -> None:
        """Forget all errors: they are corrected, or can no longer be."""
        self.errors.clear()
        self._forget_taken_up()

    def forget_ruled(self, rulings: list[int]) -> None:
        """Forget the errors with these rulings' ids."""
        self.errors = [error for error in self.errors if error.ruling not in rulings]
        self.taken_up = [error for error in self.taken_up if error.ruling not in rulings]

    def burn(self) -> None:
        """Count a card that was burnt while the initial deal goes on."""
        self.burnt += 1

    def unburn(self) -> None:
        """Subtract such a card, because it comes to a player. The caller knows that there is one."""
        self.burnt -= 1

    def take_up(self) -> None:
        """Count a card that was taken back to correct the deal."""
        self.in_hand += 1

    def note_taken_up(self, seat: int, errors: list[DealError]) -> None:
        """Keep the errors that have ended as a card was taken up from a seat: nobody knows yet who has taken it."""
        self.taken_from, self.taken_up = seat, errors

    def looked_at(self, seat: int) -> None:
        """Let these errors go on, because the seat's player looks, who has no card but the one that was taken up."""
        if self.taken_from == seat:
            self.errors += self.taken_up
            self._forget_taken_up()

    def _forget_taken_up(self) -> None:
        self.taken_from, self.taken_up = None, []

    def lay_down(self) -> None:
        """Subtract a card that was taken back and has come to its place.

        The caller knows that there is one.
        """
        self.in_hand -= 1
        self._forget_taken_up()

    def owe_card(self, seat: int | None) -> None:
        """Owe the seat the card that the deal left out, by a ruling. None: the ruling names no seat."""
        self.missing_card = seat

    def owe_before(self, seats: list[int]) -> None:
        """Owe these seats their cards of the deal before, ahead of the first card of this deal."""
        self.owed_before = seats

    def owed_card_came(self, seat: int) -> None:
        """Enter such a card in the deal that it belongs to. The caller knows that it is owed."""
        self.owed_before.remove(seat)
        self.earlier[-1].take(seat)

    def owe_no_card(self) -> None:
        """Owe that card no longer: it has come, or the ruling was overruled."""
        self.missing_card = None

    def note_card(self, seat: int, card: str | None) -> None:
        """Remember the next card of the initial deal."""
        self.cards.append((seat, card))


@dataclass(frozen=True, slots=True)
class MixedCard:
    """A card that lies in another hand than its own, or on the board."""

    name: str | None
    """None where no reader named it."""
    home: str
    """The zone where it belongs; "board" for all of the board."""
    lies: str
    """The zone where it lies."""


@dataclass(slots=True)
class MixedCards:
    """Cards that went from one hand to another, or to the board and back."""

    away: list[MixedCard] = field(default_factory=list)

    def moves(self, card: str | None, before: str, here: str, *, undecided: bool) -> bool:
        """Note a card that moves between hands or the board; return whether that is no new fault.

        It is none where the card goes back where it belongs, or a person has still to decide on cards that were mixed
        (`undecided`). A card without a name may be the other half of an exchange then, which goes back later.
        """
        before, here = _BOARD if before.startswith(_BOARD) else before, _BOARD if here.startswith(_BOARD) else here
        mine = [one for one in self.away if one.lies == before and (None in {card, one.name} or one.name == card)]
        back = next((one for one in mine if one.home == here), None)
        if back is not None and (card is not None or not undecided):
            self.away.remove(back)
            return True
        moved_on = next((one for one in mine if card is not None and one.name == card), None)
        if moved_on is not None:
            self.away.remove(moved_on)
        self.away.append(MixedCard(card, before if moved_on is None else moved_on.home, here))
        return undecided


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
    """Hole cards that were seen, and the replacement of one that the initial deal exposed."""

    owners: list[int | None] = field(default_factory=list)
    """Seats whose cards were seen in the initial deal, in order."""
    replace_seat: int | None = None
    """The seat whose exposed card the first burn card replaces."""
    removed: bool = False
    """The exposed card has left the seat."""
    discarded: bool = False
    """The exposed card lies in the discards."""
    replaced: bool = False
    """The replacement card has come."""
    seen: set[str] = field(default_factory=set)
    """Hole cards that have been ruled on as seen."""
    unnamed: list[int | None] = field(default_factory=list)
    """Seats of cards ruled on as seen whose names are not known."""
    no_burn_before_flop: bool = False
    """A ruling leaves out the burn before the flop."""
    burnt: bool = False
    """The first burn card lies in the burn pile, from where it goes to the player."""
    misplaced: bool = False
    """The exposed card came to a seat where it does not belong."""
    astray: tuple[int, int] | None = None
    """Of a card that was seen before the wrong player: the seat where it lies, and the player whose it is."""
    turned_up: list[int] = field(default_factory=list)
    """Seats whose hand was turned up at a moment when nobody could tell whether the betting goes on."""

    def note_seen(self, card: str | None) -> None:
        """Remember a hole card as seen.

        A card without a name is ignored, because it could not be recognised again.
        """
        if card is not None:
            self.seen.add(card)

    def note_owner(self, owner: int | None, *, lies: int | None, named: bool) -> None:
        """Remember whose card was seen, the seat where it lies, and whether its name is known."""
        self.owners.append(owner)
        self.note_astray(owner, lies)
        if not named:
            self.unnamed.append(lies)

    def note_astray(self, owner: int | None, lies: int | None) -> None:
        """Remember where a card lies that is another player's; one before its own player lies right."""
        if owner is not None and lies is not None and lies != owner:
            self.astray = lies, owner

    def is_named_now(self, seat: int | None, card: str) -> bool:
        """Take a name for a seat's card that was seen without one; return whether there was one."""
        if seat not in self.unnamed:
            return False
        self.unnamed.remove(seat)
        self.seen.add(card)
        return True

    def gone(self, seat: int | None, card: str | None) -> None:
        """Take the name of a seat's card that was seen without one and has left, where a reader knows it."""
        if seat in self.unnamed:
            self.note_seen(card)
        self.unnamed = [other for other in self.unnamed if other != seat]

    def replace(self, seat: int | None) -> None:
        """Owe the player at this seat the first burn card; None: nobody."""
        self.replace_seat = seat

    def card_goes_to(self, seat: int, owner: int) -> None:
        """Note that the exposed card lay before the wrong seat and is its owner's, who gets the replacement."""
        self.replace_seat = owner
        self.change_owner(seat, owner)

    def change_owner(self, seat: int, owner: int) -> None:
        """Note that the card seen before the wrong seat goes to another player."""
        counted = self.whose_at(seat)
        self.owners = [owner if other == counted else other for other in self.owners]
        self.card_put_away()

    def card_put_away(self) -> None:
        """Note that a card that was seen before the wrong player lies there no more, or is that player's own now."""
        self.astray = None

    def whose_at(self, seat: int) -> int:
        """The player whose card was seen at this seat."""
        return self.astray[1] if self.astray is not None and self.astray[0] == seat else seat

    def lies_of(self, owner: int) -> int:
        """The seat where the card lies that was seen and is this player's."""
        return self.astray[0] if self.astray is not None and self.astray[1] == owner else owner

    def lies_still(self) -> None:
        """Note that the card to be replaced lies before the wrong player still: it is taken from there."""
        if self.astray is not None and self.replace_seat == self.astray[1]:
            self.replace_seat = self.astray[0]

    def note_turned(self, seat: int) -> None:
        """Remember a hand that was turned up and may have been shown too soon."""
        if seat not in self.turned_up:
            self.turned_up.append(seat)

    def take_turned(self) -> list[int]:
        """Return the seats of those hands and forget them."""
        turned, self.turned_up = self.turned_up, []
        return turned

    def misplace(self) -> None:
        """Note that the exposed card came to a seat where it does not belong."""
        self.misplaced = True


@dataclass(slots=True)
class FoldedHands:
    """The hole cards by which a folded player's card is recognised."""

    holes: dict[str, int] = field(default_factory=dict)
    """Named cards that came face down to a player, each with the player's seat."""
    inferred: set[str] = field(default_factory=set)
    """Those of them whose name no reader has read there."""
    open: set[str] = field(default_factory=set)
    """Named cards that were turned up before a live player: all have seen them."""

    def note_open(self, card: str | None) -> None:
        """Remember a card that was turned up; one without a name could not be recognised again."""
        if card is not None:
            self.open.add(card)


@dataclass(frozen=True, slots=True)
class HiddenCard:
    """A card that belongs face up and came face down."""

    name: str | None
    """Its name; None where no reader named it."""
    wanted: int
    """Number of the seat's cards that belong face up, this one among them."""
    first: bool
    """It is a card of the initial deal."""


@dataclass(slots=True)
class StudState:
    """State of games that deal to the players after a betting round."""

    closed: set[int] = field(default_factory=set)
    """Players whose first card lies face up; the rest of their initial deal comes face down."""
    to_turn: dict[int, HiddenCard] = field(default_factory=dict)
    """The open card of each seat that came face down and has not been turned up."""
    early: list[int] = field(default_factory=list)
    """The seat of each card of the next street that came before the betting had ended, in order."""
    boxed: tuple[str, str | None] | None = None
    """Zone and name of a boxed card that was laid down and goes back to the undealt cards."""
    top_seen: bool = False
    """The top card has been ruled on as seen before it was dealt. Used in every game with a deal to the players."""
    burns_owed: bool = False
    """A ruling orders one burn for each remaining player before the next cards to them."""
    first_boxed: bool = False
    """The first of those burns is to be a boxed card, which has not been burnt yet."""
    taken_up: tuple[str, str | None] | None = None
    """Zone and name of that card where it came to a player and was taken back."""
    final_shown: list[int] = field(default_factory=list)
    """Seats whose last hole card was seen, in order: the first who can bet opens the last betting round."""
    communal: bool = False
    """One face-up card in the centre is the last card of every player."""
    communal_shown: bool = False
    """The centre card shows its face."""
    final_given: list[int] = field(default_factory=list)
    """Seats that were dealt a last card, once for each card. The card goes to the discards, because the centre card
    replaces it."""

    def close(self, seat: int) -> None:
        """Deal the seat's other cards of the initial deal face down."""
        self.closed.add(seat)

    def reopen(self, seat: int) -> None:
        """Deal the seat's cards as the street says again, because the ruling was overruled."""
        self.closed.discard(seat)

    def lay_down(self, seat: int, card: HiddenCard) -> None:
        """Remember an open card of the seat that lies face down."""
        self.to_turn[seat] = card

    def lie_open(self, seat: int) -> None:
        """Forget that card: it lies face up, or has left the seat."""
        self.to_turn.pop(seat, None)

    def lay_boxed(self, zone: str, card: str | None) -> None:
        """Remember a boxed card that lies in a zone and goes back to the undealt cards."""
        self.boxed = zone, card

    def boxed_gone(self) -> None:
        """Forget the boxed card: it went back, or it was burnt, or is on its way there."""
        self.boxed, self.taken_up = None, self.boxed

    def see_top(self) -> None:
        """Remember that the top card has been ruled on as seen.

        Its arrival is then not ruled on again.
        """
        self.top_seen = True

    def top_gone(self) -> None:
        """Forget that the top card was seen: it has been dealt, or shuffled among the others."""
        self.top_seen = False

    def owe_burns(self) -> None:
        """Require one burn for each remaining player."""
        self.burns_owed = True

    def owe_no_burns(self) -> None:
        """Drop those burns: the betting after them opens, or the ruling was overruled."""
        self.burns_owed = False
        self.first_burnt()

    def burn_first(self) -> None:
        """Remember that a boxed card is to be the first of those burns."""
        self.first_boxed = True

    def first_burnt(self) -> None:
        """Forget that card: it lies in the burn pile, or is not to be burnt any more."""
        self.first_boxed, self.taken_up = False, None

    def show_last(self, seat: int) -> None:
        """Let the player at this seat open the last betting round, behind those whose last card was seen before."""
        self.final_shown.append(seat)

    def hide_last(self, seat: int) -> None:
        """Take that back, because the ruling was overruled."""
        self.final_shown = [other for other in self.final_shown if other != seat]

    def open_last_round_by_cards(self) -> None:
        """Let the cards that show decide who opens the last betting round."""
        self.final_shown = []

"""The draw of Draw Poker: replacements of each player and the next seat due.

ACT 2001, B 2.3 to 2.6. No cards here. A table need not report draws: the cards that left a seat then show how many a
player has passed, and a card to a later player shows who stands pat.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

WHOLE_HAND: Final = 5
AT_ONCE: Final = 4
"""Cards replaced at once; the fifth of a whole hand comes later."""


@dataclass(slots=True)
class SeatDraw:
    """One player's draw.

    `asked`: announced number of cards to replace, None before an announcement.
    """

    asked: int | None = None
    given: int = 0
    """Replacement cards received."""
    mucked: int = 0
    """Cards of the hand that a reader saw in the discards."""
    names: list[str] = field(default_factory=list)
    """Names of those cards, where known."""
    returned: int = 0
    """Cards passed that have gone back into the stub."""
    late_ruled: bool = False
    fifth_ruled: bool = False
    """It has been ruled on that the fifth card came before later players had drawn."""
    out_at_fourth: int | None = None
    """Cards that had left the shoe and come to rest when the player got a fourth card."""
    fifth_at_once: bool = False
    """The fifth of a whole hand came straight behind the fourth card, with none discarded between them."""

    def get(self) -> None:
        """Count a replacement that the player has got."""
        self.given += 1

    def rule_late(self) -> None:
        """Note that it has been ruled on that the player announced too late."""
        self.late_ruled = True

    def rule_fifth(self) -> None:
        """Note that the fifth card of this player has been ruled on."""
        self.fifth_ruled = True

    def pass_one(self, card: str | None) -> None:
        """Count a card of the hand that came to the discards. None for one without a name."""
        self.mucked += 1
        if card is not None:
            self.names.append(card)

    def pass_lifted(self, cards: int, names: list[str]) -> None:
        """Count cards that were off the felt as passed. `names`: of those of them that are kept out of a shuffle."""
        self.mucked += cards
        self.names += names

    def shuffled_in(self, lifted: int) -> None:
        """Count all that the player has passed as gone back into the stub.

        `lifted`: how many are still off the felt.
        """
        self.returned = self.passed(lifted)
        self.names.clear()

    def passed(self, lifted: int) -> int:
        """Number of cards that the player has passed.

        `lifted`: how many are off the felt, in a hand or passed. It is the announced number, else as many as have been
        replaced, as far as the cards that left the seat bear it out; where none was seen to leave, as many as have been
        replaced, but no more than were announced.
        """
        least, most = self.mucked, self.mucked + lifted
        if not most:
            return self.given if self.asked is None else min(self.given, self.asked)
        return min(max(self.given if self.asked is None else self.asked, least), most)


@dataclass(slots=True)
class DrawOrder:
    """The draw of one round.

    `order`: the players in it, from the buck on; `stub`: number of cards not dealt yet.
    """

    order: list[int]
    stub: int
    seats: dict[int, SeatDraw] = field(default_factory=dict)
    discarded: bool = False
    """A card has been discarded between the last player's fourth and fifth card (2.5(b))."""
    misplaced: list[int] = field(default_factory=list)
    """Seats that hold a card that went to the wrong player."""
    wrong: list[int] = field(default_factory=list)
    """Ids of the rulings on these cards."""
    taken: list[int] = field(default_factory=list)
    """Seats from which such a card has been taken back and has not come to its place."""
    wrong_names: set[str] = field(default_factory=set)
    """Names of these cards, where known."""
    stub_ruled: bool = False
    short_ruled: bool = False

    def __post_init__(self) -> None:
        for seat in self.order:
            self.seats.setdefault(seat, SeatDraw())

    def leave_stub(self) -> None:
        """Count a card that left the undealt cards; there are never fewer than none."""
        self.stub = max(0, self.stub - 1)

    def fill_stub(self, count: int) -> None:
        """Set the number of undealt cards, because discards were shuffled in."""
        self.stub = count

    def announced(self, seat: int) -> int | None:
        """Number of cards that the player has announced, which is public; None before that."""
        draw = self.seats.get(seat)
        return draw.asked if draw is not None else None

    def outstanding(self, seat: int) -> int:
        """Number of cards still missing of an announced draw."""
        draw = self.seats[seat]
        return max(0, (draw.asked or 0) - draw.given)

    def owed_at_once(self, seat: int) -> int:
        """Number of cards due to the seat in its turn: of a whole hand only the first four."""
        draw = self.seats[seat]
        return max(0, min(draw.asked or 0, AT_ONCE) - draw.given)

    def to_draw(self) -> int | None:
        """The next player to announce a number; None for nobody.

        Where no number has been announced, who is passed over stands pat; else that player is asked still.
        """
        keyed = any(draw.asked is not None for draw in self.seats.values())
        last_served = max((at for at, seat in enumerate(self.order) if self.seats[seat].given), default=-1)
        for at, seat in enumerate(self.order):
            draw = self.seats[seat]
            if draw.asked is None and not draw.given and (keyed or at > last_served):
                return seat
        return None

    def due(self) -> int | None:
        """The seat due the next card.

        None where a player must first announce a number, or no seat is due.
        """
        for seat in self.order:
            if self.owed_at_once(seat):
                return seat
        return None if self.to_draw() is not None else self.due_fifth()

    def due_fifth(self) -> int | None:
        """The seat due a fifth card once everybody has drawn; None for none.

        The last player to replace cards comes first (2.5(b)), then the others in order (2.5(a)).
        """
        waiting = [seat for seat in self.order if self.outstanding(seat)]
        if not waiting:
            return None
        return waiting[-1] if waiting[-1] == self.last_to_replace() else waiting[0]

    def last_to_replace(self) -> int | None:
        """The last player to replace cards; None while one behind may still replace some, and where nobody does."""
        for seat in reversed(self.order):
            draw = self.seats[seat]
            if draw.asked or draw.given or draw.mucked:
                return seat
            if draw.asked is None:
                return None
        return None

    def is_last_fifth(self, seat: int) -> bool:
        """Whether the next card of this seat is the fifth of the last player to replace cards."""
        draw = self.seats.get(seat)
        at_fifth = draw is not None and draw.asked == WHOLE_HAND and draw.given == AT_ONCE
        return at_fifth and seat == self.last_to_replace()

    def discard_due(self) -> bool:
        """Whether the next card must be discarded (2.5(b))."""
        due = self.due()
        return due is not None and self.is_last_fifth(due) and not self.discarded

    def may_discard(self) -> bool:
        """Whether a discard is allowed.

        Every player after the last to replace a whole hand may have stood pat.
        """
        fives = [seat for seat in self.order if self.seats[seat].asked == WHOLE_HAND and self.outstanding(seat) == 1]
        if not fives or self.discarded:
            return False
        behind = self.order[self.order.index(fives[-1]) + 1 :]
        return not any(self.seats[seat].given or self.seats[seat].asked for seat in behind)

    def is_late(self, seat: int) -> bool:
        """Whether players behind have been dealt to as if this player had stood pat."""
        at = self.order.index(seat)
        return any(self.seats[other].given for other in self.order[at + 1 :])

    def fifth_given_before(self, seat: int) -> int | None:
        """The player before this one who has five new cards already, the fifth too soon (2.5(a)); None for nobody."""
        before = self.order[: self.order.index(seat)]
        given = [other for other in before if self.seats[other].given >= WHOLE_HAND]
        return next((other for other in given if self.seats[other].asked in {None, WHOLE_HAND}), None)

    def excludes(self, seat: int, lifted: int) -> bool:
        """Whether this player's discards are kept out of a shuffle: they replace all five (2.6)."""
        draw = self.seats[seat]
        if draw.asked is not None:
            return draw.asked == WHOLE_HAND
        return draw.mucked + lifted >= WHOLE_HAND and draw.given >= AT_ONCE

    def returnable(self, lifted: Mapping[int, int]) -> int:
        """Number of discards that a shuffle would return for the seat that is due."""
        due = self.due()
        return sum(
            self.seats[seat].passed(lifted[seat]) - self.seats[seat].returned
            for seat in self.order
            if seat != due and not self.excludes(seat, lifted[seat])
        )

    def complete(self, lifted: Mapping[int, int]) -> bool:
        """Whether all players have announced or been passed over, and have their cards."""
        if self.to_draw() is not None or any(self.outstanding(seat) for seat in self.order):
            return False
        last = self.seats[self.order[-1]] if self.order else None
        return last is None or last.asked is not None or last.mucked + lifted[self.order[-1]] <= last.given

    def misplace(self, seat: int, card: str | None = None) -> None:
        """Note a card that went to the wrong player. None for one without a name, or one whose name is noted."""
        self.misplaced.append(seat)
        if card is not None:
            self.wrong_names.add(card)

    def take_back(self, seat: int) -> None:
        """Note that such a card has left the seat."""
        self.misplaced.remove(seat)
        self.taken.append(seat)

    def lay_down(self, seat: int, *, undealt: bool = False) -> None:
        """Note that a card taken back from the seat has come to rest. `undealt`: among the undealt cards."""
        self.taken.remove(seat)
        self.stub += undealt

    def forget_wrong_names(self) -> None:
        """Forget the names of cards that went wrong: each lies where it belongs."""
        self.wrong_names.clear()

    def let_keep(self, seat: int) -> None:
        """Count a card that went wrong among the replacements of the player who has it."""
        self.misplaced.remove(seat)
        self.seats[seat].get()

    @property
    def in_order(self) -> bool:
        """Whether each card that went wrong lies where it belongs."""
        return not (self.misplaced or self.taken)

    def may_be_wrong(self, card: str | None) -> bool:
        """Whether this may be a card that went to the wrong player. None for a card without a name."""
        unnamed = len(self.misplaced) + len(self.taken) > len(self.wrong_names)
        return card is None or card in self.wrong_names or unnamed

    def drop(self, seat: int) -> None:
        """Take a player who folds out of the draw."""
        if seat in self.order:
            self.order.remove(seat)

    def rejoin(self, seat: int, ring: list[int]) -> None:
        """Take a player whose fold was undone into the draw again.

        `ring`: all players in the order of the deal.
        """
        if seat in self.seats:
            self.order = [other for other in ring if other in self.order or other == seat]

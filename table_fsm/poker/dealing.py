"""The deal to the players: the seat due the next card, and faults of a card that came.

A `Deal` runs in passes in the order of the ring: one card a seat and pass, or several together as the book says. It
knows seats and counts only, no cards.
"""

from copy import deepcopy
from dataclasses import dataclass, field
from enum import Enum
from itertools import accumulate


class DealFault(Enum):
    """A fault of a card dealt; the first that matches."""

    EXTRA_HAND = "extra_hand"
    EXCESS_CARD = "excess_card"
    WRONG_FIRST_SEAT = "dealt_wrong_first_seat"
    OUT_OF_TURN = "dealt_out_of_turn"
    PLAYER_MISSED = "player_missed"


@dataclass(slots=True)
class Deal:
    """One deal.

    `ring`: seats in dealing order; `optional`: seats that may be dealt in or passed over; `need`: cards each. `passes`:
    how many cards each seat gets together, pass by pass; left out, one at a time.
    """

    ring: list[int]
    need: int
    optional: set[int] = field(default_factory=set)
    order: list[int] = field(default_factory=list)
    """The real order of the cards: the ring, begun where the first card went."""
    dealt: dict[int, int] = field(default_factory=dict)
    extra: dict[int, int] = field(default_factory=dict)
    """Cards at seats that are not in the deal."""
    pass_number: int = 1
    position: int = 0
    begun: bool = False
    missed: set[int] = field(default_factory=set)
    """Seats passed over that have been reported as missed."""
    passes: tuple[int, ...] = ()
    goals: tuple[int, ...] = ()
    """Cards that each seat holds before the first pass, after it, after the second, …."""

    def __post_init__(self) -> None:
        self.order = list(self.ring)
        if not self.passes:
            self.passes = (1,) * self.need
        self.goals = tuple(accumulate(self.passes, initial=0))
        for seat in self.ring:
            self.dealt.setdefault(seat, 0)

    @property
    def over(self) -> bool:
        """Whether the passes are over; seats that are short get the missing cards in any order."""
        return self.pass_number > len(self.passes)

    @property
    def target(self) -> int:
        """Number of cards of each seat at the end of the pass in progress."""
        return self.goals[min(self.pass_number, len(self.passes))]

    @property
    def goes_on(self) -> bool:
        """Whether more is still to be dealt than one card at the end of the last pass."""
        return not self.over and (self.pass_number < len(self.passes) or len(self.short) > 1)

    @property
    def complete(self) -> bool:
        """Whether every seat has its cards and the passes are over."""
        return self.over and not self.short

    @property
    def short(self) -> list[int]:
        """Seats that must be dealt in and have too few cards, in dealing order."""
        return [seat for seat in self.ring if seat not in self.optional and self.dealt[seat] < self.need]

    @property
    def seats(self) -> list[int]:
        """The seats that are dealt in, in dealing order."""
        return [seat for seat in self.ring if seat not in self.optional or self.dealt[seat]]

    def due(self) -> int | None:
        """The seat due the next card; None when the passes are over and no seat is short."""
        if self.over:
            return self.short[0] if self.short else None
        target, optional, dealt = self.goals[self.pass_number], self.optional, self.dealt
        for seat in self.order[self.position :]:
            if dealt[seat] < target and seat not in optional:
                return seat
        behind = self._behind() or self.short  # if nobody is behind, the next pass begins
        return behind[0] if behind else None

    def _behind(self) -> list[int]:
        """Seats without a card of the pass in progress, or of one before."""
        target = self.target
        return [seat for seat in self.order if seat not in self.optional and self.dealt[seat] < target]

    def take(self, seat: int) -> tuple[DealFault, int] | None:
        """Enter a card that came to a seat; return the fault and the seat concerned, or None."""
        if seat not in self.dealt:
            self.begun = True
            self.extra[seat] = self.extra.get(seat, 0) + 1
            return (DealFault.EXTRA_HAND, seat) if self.extra[seat] == 1 else None
        if self.dealt[seat] >= self.need:
            self.dealt[seat] += 1
            return DealFault.EXCESS_CARD, seat
        if self.over:  # a seat left short gets a missing card
            self.dealt[seat] += 1
            return None
        first = not self.begun
        self.begun = True
        if self._in_turn(seat):
            self._drop_passed_over(seat)
            self._give(seat)
            return None
        if first:
            return self._begin_elsewhere(seat)
        index = self.order.index(seat)
        target = self.target
        if self.dealt[seat] < target and index < self.position:
            self.optional.discard(seat)
            self.dealt[seat] += 1  # a seat passed over before gets its card, which corrects the deal
            self._next_pass_if_over()
            return None
        to_come = self.order[self.position :]
        waiting = [other for other in to_come if other not in self.optional and self.dealt[other] < target]
        if index == 0 and len(waiting) <= 1:  # with more still to come it is a second card out of turn
            return self._next_pass_early(seat)
        self.optional.discard(seat)
        self._give(seat)
        return DealFault.OUT_OF_TURN, seat

    def _in_turn(self, seat: int) -> bool:
        """Whether the seat is due a card, or is behind no more than optional seats. The passes are not over."""
        index = self.order.index(seat)
        target = self.goals[self.pass_number]
        if index < self.position or self.dealt[seat] >= target:
            return False
        if index == self.position:
            return True
        between = self.order[self.position : index]
        return all(other in self.optional or self.dealt[other] >= target for other in between)

    def _begin_elsewhere(self, seat: int) -> tuple[DealFault, int]:
        """Begin the deal at the wrong seat; it is expected to go on from there."""
        at = self.order.index(seat)
        self.order = self.order[at:] + self.order[:at]
        self.optional.discard(seat)
        self._give(seat)
        return DealFault.WRONG_FIRST_SEAT, seat

    def _drop_passed_over(self, seat: int) -> None:
        """Optional seats passed over stay out of this deal."""
        self.optional.discard(seat)
        if not self.optional:
            return
        for out in [s for s in self.order[self.position : self.order.index(seat)] if s in self.optional]:
            self._drop(out)

    def _drop(self, seat: int) -> None:
        index = self.order.index(seat)
        self.ring.remove(seat)
        self.order.remove(seat)
        self.optional.discard(seat)
        del self.dealt[seat]
        if index < self.position:
            self.position -= 1

    def _give(self, seat: int) -> None:
        self.dealt[seat] += 1
        self.position = self.order.index(seat) + (not self._halfway(seat))
        self._next_pass_if_over()

    def _halfway(self, seat: int) -> bool:
        """Whether the seat has some but not all of the cards that this pass gives it together."""
        number, goals = self.pass_number, self.goals
        return number < len(goals) and goals[number - 1] < self.dealt[seat] < goals[number]

    def _next_pass_if_over(self) -> None:
        """Begin the next pass if everybody has its card.

        With a seat short only the next card shows whether the pass is over.
        """
        target, dealt = self.target, self.dealt
        for seat in reversed(self.order):  # who comes last is the first to lack one
            if dealt[seat] < target:
                return
        self._next_pass()

    def _next_pass(self) -> None:
        self.pass_number += 1
        self.position = 0

    def _next_pass_early(self, seat: int) -> tuple[DealFault, int] | None:
        """Begin the next pass because the first seat gets its card early.

        Seats without a card have been passed over.
        """
        if self.pass_number == 1:
            for out in [s for s in self.order[self.position :] if s in self.optional]:
                self._drop(out)
        missed = self._name_missed(self._behind())
        self._next_pass()
        self._give(seat)
        return missed

    def _name_missed(self, behind: list[int]) -> tuple[DealFault, int] | None:
        news = [seat for seat in behind if seat not in self.missed]
        self.missed.update(behind)
        return (DealFault.PLAYER_MISSED, news[0]) if news else None

    def end_passes(self) -> tuple[DealFault, int] | None:
        """End the passes, because the dealer has gone on; return a missed seat not yet reported."""
        for out in list(self.optional):
            if not self.dealt[out]:
                self._drop(out)
        missed = self._name_missed(self.short)
        self.pass_number = len(self.passes) + 1
        self.position = 0
        return missed

    def leave(self, seat: int) -> None:
        """Take out a player who folds during the deal: their missing card is no longer due."""
        if seat in self.dealt and not self.dealt[seat]:
            self._drop(seat)
            self._next_pass_if_over()

    def give_back(self, seat: int) -> None:
        """Take back a card dealt to a seat, to correct the deal."""
        if self.extra.get(seat):
            self.extra[seat] -= 1
        elif self.dealt.get(seat):
            self.dealt[seat] -= 1
        self._resume()

    def copy(self) -> "Deal":
        """The same deal, to be tried out."""
        return deepcopy(self)

    def count_anew(self, seat: int, cards: int) -> None:
        """Set how many cards a player of the deal holds, after cards were replaced."""
        self.dealt[seat] = cards

    def put(self, seat: int) -> None:
        """Give a card that was taken back to the seat it belongs to."""
        if seat in self.dealt:
            self.dealt[seat] += 1
        else:
            self.extra[seat] = self.extra.get(seat, 0) + 1
        self._resume()

    def _resume(self) -> None:
        """Resume the deal at the first seat that is behind, in the order of the ring."""
        self.order = list(self.ring)
        counted = [self.dealt[seat] for seat in self.ring if seat not in self.optional]
        if not counted:
            return
        self.pass_number = self._pass_of(min(counted))
        self.position = 0
        before = sum(self.passes[: self.pass_number - 1])
        self.missed = {seat for seat in self.missed if self.dealt.get(seat, 0) < before}

    def _pass_of(self, held: int) -> int:
        """The pass in which a seat that holds `held` cards is due one; with all, one past the last."""
        return next((n for n in range(1, len(self.passes) + 1) if sum(self.passes[:n]) > held), len(self.passes) + 1)

    def misplaced(self) -> int | None:
        """The seat whose last card belongs to a seat before it; None where no card lies too far on.

        Each card that came too far on goes back to where it would have come, the first of them first. A deal that has
        gone round once from the wrong seat is taken as it goes; cards above the deal's number, and those at seats that
        are not in it, are not looked at here.
        """
        gap = False
        for number in range(len(self.passes)):
            before, after = self.goals[number], self.goals[number + 1]
            for seat in self.ring if self.pass_number == 1 else self.order:
                held = self.dealt[seat]
                if held > before and gap:
                    return seat
                gap = gap or (held < after and seat not in self.optional)
        return None

    @property
    def in_order(self) -> bool:
        """Whether the cards lie as in an orderly deal: none too many, no seat passed over."""
        if any(self.extra.values()):
            return False
        counts = [self.dealt[seat] for seat in self.ring if seat not in self.optional]
        if not counts or max(counts) > self.need:
            return not counts
        number = self._pass_of(min(counts))
        before, after = sum(self.passes[: number - 1]), sum(self.passes[:number])
        halfway = sum(before < count < after for count in counts)
        return max(counts) <= after and halfway <= 1 and counts == sorted(counts, reverse=True)

"""Players give up hole cards before the flop, and get none for them. It lasts until the betting after it has begun.

Nobody keys what is given up: the cards tell. What lies before a player is theirs; of what was taken up and seen nowhere
since, as much is taken for given up as has to be.
"""

from collections.abc import Iterator

from table_fsm.core import questions
from table_fsm.felt import BOARD, SEAT_OF, SEAT_ZONE
from table_fsm.play.stages.board_deal import BoardDeal
from table_fsm.poker.cards.places import Origin, Placement
from table_fsm.prompts import types as ask


class GiveUpStage(BoardDeal):
    """The stage in which each player passes cards to the discards before the board comes."""

    def before_placed(self, zone: str) -> None:
        """Discard the cards that players have passed once the dealer goes on to a burn or the board."""
        if zone != "burn" and zone not in BOARD:
            return
        for seat, dealt in self._hands():
            if self.core.round.tracker.holds(SEAT_ZONE[seat]) == dealt - self._wanted:
                self.core.round.tracker.discard_lifted(SEAT_ZONE[seat])

    def mucked_card(self, placement: Placement) -> None:
        """Take a card into the discards: given up by a player, unless it is the last of a hand."""
        seat = SEAT_OF.get(placement.zone_before or "")
        if placement.origin is not Origin.LIFTED or seat is None or self._nothing_left(seat):
            super().mucked_card(placement)
        elif self.core.round.tracker.zones["muck"][-1].up:
            self.hole_seen(seat, placement.card)

    def count_hands(self) -> None:
        """Enter in the deal how many cards too many or too few each player has kept.

        Called when the betting begins.
        """
        deal = self.core.round.deals.current
        if deal is None:
            return
        tracker = self.core.round.tracker
        for seat, dealt in self._hands():
            gone = dealt - tracker.holds(SEAT_ZONE[seat])
            sure = gone - tracker.lifted_from(SEAT_ZONE[seat])
            deal.dealt[seat] = dealt + self._wanted - min(max(self._wanted, sure), gone)

    def next_step(self) -> ask.Prompt | None:
        """Ask players who still hold too many cards to pass them, then for the board's next card."""
        core, board = self.core, self.core.round.board
        if core.rounds.phase != "board" or board.burns or board.shown > questions.cards_before(core, 0):
            return super().next_step()
        tracker = core.round.tracker
        seats = [seat for seat, dealt in self._hands() if tracker.holds(SEAT_ZONE[seat]) > dealt - self._wanted]
        return ask.GiveUp(tuple(seats), self._wanted) if seats else super().next_step()

    @property
    def _wanted(self) -> int:
        """How many cards each player gives up."""
        return self.core.street.given_up

    def _hands(self) -> Iterator[tuple[int, int]]:
        """Each player still in the round, with how many cards they were dealt."""
        betting, deal = self.core.round.betting, self.core.round.deals.current
        if betting is not None and deal is not None:
            yield from ((seat, deal.dealt.get(seat, 0)) for seat in betting.live)

    def _nothing_left(self, seat: int) -> bool:
        tracker = self.core.round.tracker
        return not tracker.holds(SEAT_ZONE[seat]) and not tracker.lifted_from(SEAT_ZONE[seat])

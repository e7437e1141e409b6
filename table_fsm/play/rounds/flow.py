"""The verbs of `RoundFlow`: how folds, deals and streets lead to each other."""

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.felt import SEAT_ZONE
from table_fsm.play import showdown
from table_fsm.play.betting import actions, out_of_turn, rounds
from table_fsm.play.deal import counts, seats
from table_fsm.play.stud import deal as stud_deal


class Flow:
    """The flow of the rounds on one core."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def fold(self, seat: int) -> None:
        """Fold a seat's hand, by its player or by a ruling.

        Before the deal is complete the fold takes effect when it is.
        """
        core = self._core
        round_ = core.round
        betting, deal = round_.betting, round_.deals.current
        if betting is None and deal is not None and seat in deal.dealt:
            round_.early.fold(seat)
        if betting is None or not betting.is_live(seat):
            return
        if core.round.clock.seat == seat:
            core.round.clock.stop()
        betting.fold(seat)
        core.round.tracker.discard_lifted(SEAT_ZONE[seat])
        if len(betting.live) <= 1:
            showdown.one_left(core)
            return
        core.stage().player_folded(seat)
        out_of_turn.turn_comes(core)
        if core.rounds.phase == "showdown":
            showdown.judge(core)

    def passes_over(self) -> None:
        """End the passes of the deal; a seat that has too few cards now was missed."""
        seats.passes_over(self._core)

    def deal_complete(self) -> None:
        """Open the betting if every player has their cards."""
        core = self._core
        core.judge()  # a card that is to go back completes no deal
        round_ = core.round
        if round_.deals.current is None or not round_.deals.current.complete or core.rounds.phase != "dealing":
            return
        if round_.street == 0 and questions.first_lies(core):
            rounds.open_first_street(core)
        elif round_.street > 0:
            stud_deal.complete(core)

    def end_idle_street(self) -> None:
        """Close a betting round in which nobody can bet, because a card of the next street has come."""
        rounds.end_idle_street(self._core)

    def end_met_street(self) -> None:
        """Close a betting round that all have met, as keyed, because what follows it has come.

        That is the next street's own card; behind the last street the open hands, or the end of the round. It closes as
        by the close key. While a ruling on the board is to be carried out, only the key closes it.
        """
        core = self._core
        betting, board = core.round.betting, core.round.board
        if betting is None or not betting.met or board.stub_owed or board.to_mend or counts.owed_late(core):
            return
        actions.close_unkeyed(core, betting)

    def open_next_street(self) -> None:
        """Open the betting round of the street whose cards are complete."""
        rounds.open_next_street(self._core)

    def judge_showdown(self) -> None:
        """Decide the pots if every live hand is tabled and the board is complete.

        No card follows the last street's betting, so the open hands end it where all have met.
        """
        betting = self._core.round.betting
        if betting is not None and betting.last_street and showdown.all_lie_open(self._core, betting):
            self.end_met_street()
        showdown.judge(self._core)

"""The deal of communal cards after a betting round."""

from table_fsm.core import questions
from table_fsm.felt import BOARD
from table_fsm.play.board import board, communal, corrections, tabling
from table_fsm.play.stages.player_stage import PlayerStage
from table_fsm.prompts import types as ask
from table_fsm.prompts.types import Prompt


class BoardDeal(PlayerStage):
    """The stage in which burns and communal cards come.

    If a ruling wants the board put right, players may act on it as it lies, and thereby accept it.
    """

    def begin(self) -> None:
        """Begin the street: open the betting at once if its board cards already lie there and stay."""
        communal.begin_street(self.core)

    def next_step(self) -> Prompt | None:
        """The next burn or communal card; all in, first the hands that must lie open."""
        core = self.core
        if core.rounds.phase != "board":
            return super().next_step()
        if hands := tabling.hands_due(core):
            return ask.Show(tuple(hands), questions.faces_unseen(core))
        left = board.burns_to_come(core)
        if left and not board.first_is_used(core):
            return ask.Burn(left)
        if hidden := board.all_lie_and_hide(core):
            return ask.turn(hidden)
        zones = core.round.tracker.zones
        for zone in BOARD:
            if not zones.get(zone):
                return ask.deal(zone, "up")
        return None

    def betting_may_open(self) -> bool:
        """Whether a player's action takes the board as it lies, and the betting opens with it."""
        betting = self.core.round.betting
        return corrections.may_go_on(self.core) and betting is not None and betting.contested

    def open_betting(self) -> None:
        """Take the board as it lies."""
        corrections.play_goes_on(self.core)

    def close_open_betting(self) -> None:
        """Close the betting round on a board that was not put right.

        Raises Refused on any other board.
        """
        betting = self.core.round.betting
        if corrections.may_go_on(self.core):
            corrections.play_goes_on(self.core)
            if betting is not None and not betting.open:
                return  # nobody could bet, and it was over without a word
        super().close_open_betting()

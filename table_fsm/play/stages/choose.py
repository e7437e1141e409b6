"""Which stage a moment of the round belongs to."""

from collections.abc import Mapping
from typing import Final

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.core.stage import Stage
from table_fsm.play.draw import progress
from table_fsm.play.stages.board_deal import BoardDeal
from table_fsm.play.stages.deal_stages import InitialDeal, StudDeal
from table_fsm.play.stages.draw_stage import DrawStage
from table_fsm.play.stages.give_up_stage import GiveUpStage
from table_fsm.play.stages.house_round import HouseRound
from table_fsm.play.stages.player_stage import PlayerStage


class Stages:
    """The stages of one core's rounds."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._house_round: Final[Stage] = HouseRound(core)
        self._initial_deal: Final[Stage] = InitialDeal(core)
        self._stud_deal: Final[Stage] = StudDeal(core)
        self._draw: Final[Stage] = DrawStage(core)
        self._board_deal: Final[Stage] = BoardDeal(core)
        self._give_up: Final[Stage] = GiveUpStage(core)
        self._betting_or_showdown: Final[Stage] = PlayerStage(core)
        self._of_street: Final[Mapping[str, Stage]] = {
            "dealing": self._stud_deal,
            "draw": self._draw,
            "board": self._board_deal,
        }

    def now(self) -> Stage:
        """Return the present stage.

        The stage of a deal, a draw or a giving up lasts until the betting after it has begun.
        """
        core = self._core
        book = core.book
        if book.banked == "house":
            return self._house_round
        # Hot path, several times an event: a deal or a betting round in progress is most of them.
        round_, phase = core.round, core.rounds.phase
        if phase == "dealing":
            return self._stud_deal if round_.street else self._initial_deal
        betting = round_.betting
        if betting is None or not betting.begun:
            may_deal = True
        elif phase == "betting" and betting.open:
            return self._betting_or_showdown
        else:
            may_deal = False
        if round_.draw is not None and progress.drawing(core) is not None:
            return self._draw
        if may_deal and questions.deal_open(core):
            return self._stud_deal if round_.street else self._initial_deal
        if book.streets[round_.street].given_up and self._until_betting():
            return self._give_up
        return self._board_deal if phase == "board" else self._betting_or_showdown

    def _until_betting(self) -> bool:
        """Whether the street's cards come, or its betting has opened and nobody has acted in it."""
        phase, betting = self._core.rounds.phase, self._core.round.betting
        return phase == "board" or (phase == "betting" and betting is not None and not betting.begun)

    def of_new_street(self) -> Stage:
        """Return the stage of the street that has just begun.

        If players give up cards on it, that stage; else the stage of its phase.
        """
        return self._give_up if self._core.street.given_up else self._of_street[self._core.rounds.phase]

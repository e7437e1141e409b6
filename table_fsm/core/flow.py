"""The flow of a round: the six verbs by which one subject moves a round on through others.

A fold can leave one player, complete a deal, end a draw or open the next betting round. Which of these it does is no
matter of the subject that tells of the fold: it calls `core.flow`. `table_fsm.play.rounds.flow` implements the verbs.
"""

from typing import Protocol


class RoundFlow(Protocol):
    """What moves a player-banked round from one part to the next."""

    def fold(self, seat: int) -> None:
        """Give up a hand, by its player or by a ruling. Before the deal is complete the fold waits until then."""

    def passes_over(self) -> None:
        """End the passes of the deal: the dealer goes on, so a seat that is short now was missed."""

    def deal_complete(self) -> None:
        """Open the betting if every player has their cards."""

    def end_idle_street(self) -> None:
        """Close a betting round in which nobody can bet, because a card of the next street comes."""

    def open_next_street(self) -> None:
        """Open the betting round of the street whose cards are complete."""

    def judge_showdown(self) -> None:
        """Decide the pots if every live hand is tabled and the board is whole."""

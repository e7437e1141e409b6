"""The verbs by which one subject of the game moves a round on through others.

A fold can leave one player, complete a deal, end a draw or open the next betting round. The subject that reports the
fold need not know which: it calls `core.flow`. `table_fsm.play.rounds.flow` implements the verbs.
"""

from typing import Protocol


class RoundFlow(Protocol):
    """The steps that move a player-banked round from one part to the next."""

    def fold(self, seat: int) -> None:
        """Fold a seat's hand, by its player or by a ruling.

        Before the deal is complete the fold takes effect when it is.
        """

    def passes_over(self) -> None:
        """End the passes of the deal; a seat that has too few cards now was missed."""

    def deal_complete(self) -> None:
        """Open the betting if every player has their cards."""

    def end_idle_street(self) -> None:
        """Close a betting round in which nobody can bet, because a card of the next street has come."""

    def end_met_street(self) -> None:
        """Close a betting round that all have met, as keyed, because what follows it has come."""

    def open_next_street(self) -> None:
        """Open the betting round of the street whose cards are complete."""

    def judge_showdown(self) -> None:
        """Decide the pots if every live hand is tabled and the board is complete."""

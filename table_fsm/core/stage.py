"""What a stage of a round answers: a round is one stage at a time, and each event goes to the stage it comes in.

`table_fsm.play.stages` has the stages and chooses between them. A new game is a book and, at most, a stage.
"""

from typing import Protocol

from table_fsm.events import Action
from table_fsm.poker.cards.places import Placement
from table_fsm.prompts.types import Prompt


class Stage(Protocol):
    """A part of a round. Every method is told of something that has been checked and entered in the tracker."""

    # -- cards

    def boxed_card(self) -> None:
        """A card that lies face up in the pack has left the shoe."""

    def card_left_shoe(self) -> None:
        """A card leaves the shoe; where it goes is not known yet."""

    def before_placed(self, zone: str) -> None:
        """A card is about to be entered as lying in a zone."""

    def card_placed(self, zone: str, placement: Placement, *, up: bool) -> None:
        """A card came to rest in a zone."""

    def card_in_muck(self, card: str | None, *, up: bool, seat: int | None = None) -> None:
        """A reader told, or told again, of a card that lies in the discards.

        `up`: its face shows. `seat`: whose it was, where it is known.
        """

    def card_turned(self, zone: str, card: str | None) -> None:
        """A card was turned face up where it lies, in the normal course of play."""

    def card_exposed(self, zone: str, by: str, card: str | None) -> None:
        """A face-down card was seen that should not have been."""

    def card_removed(self, zone: str, *, shown: bool) -> None:
        """A card left a zone. `shown`: it lay face up there."""

    def card_off_table(self, seat: int) -> None:
        """A card left the table from before a player; it may be the last that came there."""

    def hole_seen(self, seat: int, card: str | None) -> None:
        """A face-down card before a live player was seen through the dealer."""

    def deal_card(self, seat: int, placement: Placement, *, up: bool) -> None:
        """A card out of the pack came to a player, and no ruling has asked for it."""

    def top_card_seen(self, card: str | None) -> None:
        """The top card of the undealt cards was seen where it lies."""

    def stub_shuffled(self, count: int | None) -> None:
        """The undealt cards were shuffled. `count`: how many there are, where the shoe counts."""

    def looked(self, seat: int) -> None:
        """A player lifted or handled their cards."""

    # -- players

    def act(self, event: Action) -> None:
        """A player acted. Raises Refused where the action cannot be one of now."""

    def close_betting(self) -> None:
        """The dealer closed the betting round. Raises Refused where none is open."""

    def close_open_betting(self) -> None:
        """The same, once the deal that came before is over."""

    def end_uncontested(self) -> None:
        """A hand is tabled: end the stage if it waits for nothing but bets that nobody can make."""

    def betting_may_open(self) -> bool:
        """Whether a player's action ends the stage, and the betting opens with it."""

    def open_betting(self) -> None:
        """End the stage where `betting_may_open`."""

    def fold(self, seat: int) -> None:
        """Give up a hand, by its player or by a ruling."""

    def player_folded(self, seat: int) -> None:
        """A player is out of the round, and others are left in it."""

    def player_reinstated(self, seat: int) -> None:
        """A hand that a ruling folded is live again."""

    def count_hands(self) -> None:
        """Betting begins: enter how many cards each player holds, where the stage has changed that."""

    # -- the stage itself

    def prompt(self) -> Prompt | None:
        """What the dealer should do next; None where there is nothing to say."""

    def begin(self) -> None:
        """A street has come whose stage this is."""


class RoundStages(Protocol):
    """The stages of a core's rounds."""

    def now(self) -> Stage:
        """The stage of this moment."""

    def of_new_street(self) -> Stage:
        """The stage of the street that has just come."""

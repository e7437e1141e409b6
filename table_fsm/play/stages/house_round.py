"""The house-banked round: every event of it, from the wagers to the settlement."""

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.events import Action
from table_fsm.felt import SEAT_OF
from table_fsm.play.deck import cutting
from table_fsm.play.house import boxes, cards, dealer, wagers
from table_fsm.poker.cards.places import Placement
from table_fsm.prompts.types import Prompt
from table_fsm.rulebook.irregularities import Irregularity


class HouseRound:
    """A round against the house: boxes, decisions in any order, no betting between players."""

    def __init__(self, core: Core) -> None:
        self.core = core

    # -- cards

    def boxed_card(self) -> None:
        """A card that lies face up in the pack has left the shoe."""
        if boxes.dealing(self.core):
            self.core.find(Irregularity.DEAL_REVEALED)
        else:
            self.core.find(Irregularity.BOXED_CARD, questions.boxed_facts(self.core))

    def card_left_shoe(self) -> None:
        """A card leaves the shoe; where it goes is not known yet."""

    def before_placed(self, zone: str) -> None:
        """A card is about to be entered as lying in a zone."""

    def card_placed(self, zone: str, placement: Placement, *, up: bool) -> None:
        """A card came to rest in a zone."""
        cards.card_came(self.core, zone, SEAT_OF.get(zone), placement, up)

    def card_in_muck(self, card: str | None, *, up: bool, seat: int | None = None) -> None:
        """A reader told again of a card that lies in the discards."""
        cards.folded_card_came(self.core, card, up=up)

    def card_turned(self, zone: str, card: str | None) -> None:
        """A card was turned face up where it lies, in the normal course of play."""
        cards.card_turned(self.core, zone, SEAT_OF.get(zone))

    def card_exposed(self, zone: str, by: str, card: str | None) -> None:
        """A face-down card was seen that should not have been."""
        cards.card_exposed(self.core, zone, SEAT_OF.get(zone), by, card)

    def card_removed(self, zone: str, *, shown: bool) -> None:
        """A card left a zone."""
        cards.card_removed(self.core, SEAT_OF.get(zone))

    def card_off_table(self, seat: int) -> None:
        """A card before a player left the table: nothing is to be taken back in this game."""

    def hole_seen(self, seat: int, card: str | None) -> None:
        """A face-down card in a box was seen: `card_exposed` judges it."""

    def deal_card(self, seat: int, placement: Placement, *, up: bool) -> None:
        """A card came to a box: `card_placed` judges it."""

    def top_card_seen(self, card: str | None) -> None:
        """The top card of the undealt cards was seen where it lies."""
        if self.core.in_round and boxes.dealing(self.core):
            self.core.find(Irregularity.DEAL_REVEALED)
        else:
            self.core.find(Irregularity.BOXED_CARD, questions.boxed_facts(self.core))

    def stub_shuffled(self, count: int | None) -> None:
        """The undealt cards were shuffled, to carry out a ruling."""
        self.core.round.tracker.return_lifted_to_stub()
        cutting.stub_shuffled(self.core)

    def looked(self, seat: int) -> None:
        """Do nothing: this game has no rule on who may look at cards."""

    # -- players

    def act(self, event: Action) -> None:
        """A player folded, checked or made the play wager. Raises Refused where that cannot be."""
        wagers.on_action(self.core, event)

    def close_betting(self) -> None:
        """The dealer closed the decisions. Raises Refused where none are open."""
        wagers.on_betting_closed(self.core)

    def close_open_betting(self) -> None:
        """The dealer closed the decisions."""
        self.close_betting()

    def end_uncontested(self) -> None:
        """A hand is tabled: this game has no bets between players to wait for."""

    def betting_may_open(self) -> bool:
        """Return False: this game has no betting round."""
        return False

    def open_betting(self) -> None:
        """Do nothing: this game has no betting round."""

    def fold(self, seat: int) -> None:
        """Give up a hand, by its player or by a ruling."""
        boxes.fold(self.core, seat)

    def player_folded(self, seat: int) -> None:
        """A player is out of the round."""

    def player_reinstated(self, seat: int) -> None:
        """A hand that a ruling folded is live again."""

    def count_hands(self) -> None:
        """The deal has counted what each box holds."""

    def prompt(self) -> Prompt | None:
        """What the dealer should do next."""
        return dealer.prompt(self.core)

    def begin(self) -> None:
        """Do nothing: a street begins without work."""

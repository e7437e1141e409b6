"""The draw: players replace cards between two betting rounds. It lasts until the betting after it has begun."""

from table_fsm.errors import Refused
from table_fsm.felt import SEAT_OF, SEAT_ZONE
from table_fsm.play.deal import counts, folded, seats
from table_fsm.play.deal import faults as deal_faults
from table_fsm.play.draw import faults, passed, progress, replacements, undealt, wrong_cards
from table_fsm.play.stages.player_stage import PlayerStage
from table_fsm.poker.cards.places import Origin, Placement
from table_fsm.prompts import types as ask
from table_fsm.prompts.types import Prompt


class DrawStage(PlayerStage):
    """Discards and replacements; `poker.draw_order` keeps who is due what."""

    def card_left_shoe(self) -> None:
        """Take an undealt card out; without any left the discards must be shuffled first."""
        undealt.card_left_shoe(self.core)

    def before_placed(self, zone: str) -> None:
        """Before a card comes to a seat, take note that a discard may have gone unseen."""
        undealt.before_placed(self.core, zone)

    def put_back(self, placement: Placement, *, up: bool) -> None:
        """A card came back to the undealt cards; it may be one that went wrong."""
        wrong_cards.put_back(self.core, placement)
        super().put_back(placement, up=up)

    def seat_card(self, seat: int, placement: Placement, *, up: bool) -> None:
        """Take a card that came to a player: a replacement, one too many, or another player's."""
        if placement.origin is Origin.LIFTED:
            super().seat_card(seat, placement, up=up)
            return
        folded.note(self.core, seat, placement, up=up)
        if counts.owed_late(self.core) and seats.ordered_card_came(self.core, seat, placement, up=up):
            return
        replacements.card_came(self.core, seat, placement, up=up)

    def moved_to_seat(self, seat: int, placement: Placement, *, up: bool) -> None:
        """A card taken up from the table came to a player."""
        tabled = up and placement.zone_before == SEAT_ZONE[seat]
        if tabled or not replacements.moved_here(self.core, seat, placement):
            super().moved_to_seat(seat, placement, up=up)

    def burn_card(self, placement: Placement, *, up: bool) -> None:
        """Take a card that came to the burn pile.

        It counts as discarded in the draw if a player replaces it, or if it is the one discarded before the last.
        """
        if not passed.mucked(self.core, placement):
            super().burn_card(placement, up=up)

    def mucked_card(self, placement: Placement) -> None:
        """Take a card that came to the discards: one that a player replaces, or a hand given up."""
        if not passed.mucked(self.core, placement):
            super().mucked_card(placement)

    def card_removed(self, zone: str, *, shown: bool) -> None:
        """A card left a zone: a player passes cards to the dealer, or a wrong one is taken back."""
        seat = SEAT_OF.get(zone)
        if seat is None:
            super().card_removed(zone, shown=shown)
        elif not seats.folded_card_removed(self.core, seat):
            wrong_cards.card_removed(self.core, seat)

    def card_off_table(self, seat: int) -> None:
        """A card before a player left the table; it may be one that went wrong."""
        wrong_cards.card_off_table(self.core, seat)

    def hole_seen(self, seat: int, card: str | None) -> None:
        """A face-down card before a live player was seen through the dealer."""
        faults.seen(self.core, seat, card)

    def next_card_seen(self, card: str | None) -> None:
        """The top card was seen: it is somebody's replacement."""
        faults.next_seen(self.core)

    def stub_shuffled(self, count: int | None) -> None:
        """The discards have gone back into the undealt cards."""
        undealt.stub_shuffled(self.core, count)

    def looked(self, seat: int) -> None:
        """A player lifted or handled their cards: that can make a card that went wrong graver."""
        deal_faults.looked(self.core, seat)

    def betting_may_open(self) -> bool:
        """Whether a player's action ends the draw, and the betting opens with it."""
        return progress.may_end(self.core)

    def open_betting(self) -> None:
        """End the draw."""
        progress.end(self.core)

    def close_open_betting(self) -> None:
        """Close the final betting round.

        Raises Refused if nobody has acted in it yet.
        """
        if progress.close_refused(self.core):
            raise Refused("the draw goes on: the final betting round has not opened")
        progress.end(self.core)
        super().close_open_betting()

    def end_uncontested(self) -> None:
        """A hand is tabled: with nobody left to bet the draw is over."""
        betting = self.core.round.betting
        if betting is not None and not betting.contested:
            progress.end(self.core)

    def player_folded(self, seat: int) -> None:
        """Fold a player's hand; they draw no further cards."""
        passed.folded(self.core, seat)

    def player_reinstated(self, seat: int) -> None:
        """A fold in the draw is taken back by a supervisor."""
        passed.reinstated(self.core, seat)

    def count_hands(self) -> None:
        """Betting begins: enter in the deal how many cards each player holds after the draw."""
        passed.count_hands(self.core)

    def next_step(self) -> Prompt | None:
        """Return the next replacement or discard; after the draw, the player whose turn it is.

        First a card that went wrong is taken back.
        """
        order = self.core.round.draw
        if (wrong := wrong_cards.taken_back_from(self.core)) is not None:
            return ask.Remove(SEAT_ZONE[wrong])
        if self.core.rounds.phase != "draw" or order is None:
            return super().next_step()
        return progress.prompt(self.core, order)

    def begin(self) -> None:
        """The players still in the round replace cards."""
        progress.begin(self.core)

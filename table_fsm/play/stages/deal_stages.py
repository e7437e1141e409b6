"""Deals to the players: the initial deal, and in stud those of the later streets. Both last until betting has begun."""

from table_fsm.core import questions
from table_fsm.events import Action
from table_fsm.felt import BOARD, SEAT_ZONE
from table_fsm.play.betting import actions, rounds
from table_fsm.play.deal import astray, exposures, faults, order, seats
from table_fsm.play.stages.player_stage import PlayerStage
from table_fsm.play.stud import burns, open_cards
from table_fsm.play.stud import deal as stud_deal
from table_fsm.poker.cards.places import Placement
from table_fsm.prompts import types as ask
from table_fsm.prompts.types import Prompt


class InitialDeal(PlayerStage):
    """The stage in which players get their first cards; the first of them begins the round."""

    def deal_card(self, seat: int, placement: Placement, *, up: bool) -> None:
        """A card of the deal came to a player."""
        seats.card_dealt(self.core, seat, placement, up=up)

    def top_card_seen(self, card: str | None) -> None:
        """Take note that the top undealt card was seen where it lies.

        If one has been judged there already in this deal, that one is dealt first and this is ignored.
        """
        if self.core.rounds.phase != "dealing" or not self.core.round.stud.top_seen:
            super().top_card_seen(card)

    def next_card_seen(self, card: str | None) -> None:
        """The top card was seen: it is the card of the player who is due one."""
        core = self.core
        deal = core.round.deals.current
        due, _ = astray.next_due(core)
        if core.rounds.phase != "dealing" or (deal is not None and due is None):
            super().next_card_seen(card)
            return
        core.round.stud.see_top()  # however it comes to its player, it is the same fault
        exposures.hole_seen(core, due, card, dealt=False)

    def next_step(self) -> Prompt | None:
        """The card that is due next; while the betting waits to begin, whose turn it is."""
        core = self.core
        if core.rounds.phase != "dealing":
            return super().next_step()
        stud = core.round.stud
        if stud.communal:
            return ask.deal(BOARD[0], "up")
        if stud.burns_owed and (burn := burns.prompt(core)) is not None:
            return burn
        if owed := stud_deal.owed_before(core):
            return ask.deal(SEAT_ZONE[owed[0]], stud_deal.face_owed(core, owed[0]))
        deal = core.round.deals.current
        due = deal.due() if deal is not None else order.make_deal(core, 0).due()
        if due is not None:
            return ask.deal(SEAT_ZONE[due], questions.next_face(core, due))
        if not questions.first_lies(core):
            hides = core.round.tracker.holds(BOARD[0])
            return ask.turn((BOARD[0],)) if hides else ask.deal(BOARD[0], "up")
        return ask.Close() if core.round.street else None

    def looked(self, seat: int) -> None:
        """A player lifted or handled their cards: that can make a fault of the deal graver."""
        if questions.looks_matter(self.core):
            faults.looked(self.core, seat)

    def take_action(self, event: Action) -> None:
        """A player acted: the deal is over, unless it is a fold while cards are still to come."""
        if actions.ends_deal(self.core, event) and not self.core.collecting():
            open_cards.judge(self.core, acts=True)
            actions.act(self.core, event)

    def close_betting(self) -> None:
        """Close the betting round, and the deal before it if that is not over.

        Raises Refused if the betting round goes on.
        """
        core = self.core
        betting = core.round.betting
        if actions.over_already(core):
            return
        open_cards.judge(core, acts=True)
        if core.rounds.phase == "dealing" and core.round.deals.current is not None:
            actions.end_deal(core, "betting closed", closed=True)
            if core.collecting() or (betting is not None and betting.idle):
                return  # the street that was dealt found nobody who could bet
        core.stage().close_open_betting()


class StudDeal(InitialDeal):
    """Cards to the players after a betting round."""

    def begin(self) -> None:
        """The next cards go to the players who are still in."""
        rounds.deal_street(self.core)

    def player_folded(self, seat: int) -> None:
        """A player is out of the round: no card of this street is due to them."""
        stud_deal.folded(self.core, seat)

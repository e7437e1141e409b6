"""What every stage of a player-banked round does with an event, unless the stage does something else."""

from typing import Final

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.events import Action
from table_fsm.felt import BOARD, BOARD2, SEAT_OF, SEAT_ZONE, PlayerAction
from table_fsm.play import showdown
from table_fsm.play.betting import action_clock, actions, turn
from table_fsm.play.board import board, corrections, replacement, run_twice, tabling
from table_fsm.play.deal import boxed, counts, exposures, folded, seats, turned
from table_fsm.play.deck import cutting
from table_fsm.play.stud import last_cards, open_cards
from table_fsm.play.tournament import hand_for_hand
from table_fsm.poker.cards.places import Origin, Placement
from table_fsm.prompts import types as ask
from table_fsm.prompts.types import Prompt
from table_fsm.rulebook.irregularities import Irregularity

BURN: Final = "burn"
MUCK: Final = "muck"


class PlayerStage:
    """A stage of a player-banked round; this class itself deals no cards."""

    def __init__(self, core: Core) -> None:
        self.core = core

    # -- cards

    def boxed_card(self) -> None:
        """A card that lies face up in the pack has left the shoe: judged by its place in the round."""
        boxed.boxed(self.core)

    def card_left_shoe(self) -> None:
        """A card leaves the shoe; where it goes is not known yet."""

    def before_placed(self, zone: str) -> None:
        """A card is about to be entered as lying in a zone."""
        if zone in BOARD:
            corrections.new_card_comes(self.core)

    def card_placed(self, zone: str, placement: Placement, *, up: bool) -> None:
        """A card came to rest in a zone."""
        core = self.core
        seat = SEAT_OF.get(zone)
        if placement.origin is not Origin.LIFTED and zone != MUCK:
            open_cards.judge(core)
        if seat is not None:
            hand_for_hand.judge_laid(core, seat, placement, up=up)
            self.seat_card(seat, placement, up=up)
        elif zone in BOARD2:
            run_twice.card_came(core, placement, up)
        elif zone in BOARD:
            hand_for_hand.judge(core)
            if not boxed.in_centre(core, zone, placement):
                board.card_came(core, placement, up)
        elif zone == BURN:
            hand_for_hand.judge(core)
            self.burn_card(placement, up=up)
        elif zone == MUCK:
            self.mucked_card(placement)
            self.card_in_muck(placement.card, up=up, seat=SEAT_OF.get(placement.left or ""))
        else:
            self.put_back(placement, up=up)

    def put_back(self, placement: Placement, *, up: bool) -> None:
        """A card came to the shoe: back on top of the undealt cards."""
        seats.card_put_back(self.core)
        self.core.round.tracker.lay_on_pack(placement.card)
        if up and not placement.boxed:  # a boxed card was judged as it left the shoe
            self.top_card_seen(placement.card)

    def seat_card(self, seat: int, placement: Placement, *, up: bool) -> None:
        """A card came to rest before a player."""
        core = self.core
        folded.note(core, seat, placement, up=up)
        if boxed.goes_back(core, seat, placement):
            return
        if not boxed.comes_unburnt(core, seat, placement) and placement.origin is Origin.LIFTED:
            self.moved_to_seat(seat, placement, up=up)
        else:
            if questions.next_to_players(core):
                core.flow.end_idle_street()
                self._end_met_street(seat)
            if core.collecting() or last_cards.instead_of_communal(core, seat):
                return
            if not seats.ordered_card_came(core, seat, placement, up=up):
                core.stage().deal_card(seat, placement, up=up)  # the idle street's end may have begun another stage

    def _end_met_street(self, seat: int) -> None:
        """Close a betting round that all have met, unless the card replaces one that was exposed, or was missed."""
        core = self.core
        if replacement.awaited(core) != seat and not counts.awaited(core) and not core.round.stud.early:
            core.flow.end_met_street()

    def deal_card(self, seat: int, placement: Placement, *, up: bool) -> None:
        """A card out of the pack came to a player, and no ruling has asked for it."""
        seats.after_the_deal(self.core, seat, placement, up=up)

    def moved_to_seat(self, seat: int, placement: Placement, *, up: bool) -> None:
        """A card taken up from the table came to a player."""
        seats.moved_here(self.core, seat, placement, up=up)

    def burn_card(self, placement: Placement, *, up: bool) -> None:
        """A card came to the burn pile."""
        board.burn_came(self.core, placement, up)

    def mucked_card(self, placement: Placement) -> None:
        """Take a card that came to the discards.

        From a live player it is a fold over the line, without a ruling.
        """
        seats.card_mucked(self.core, placement)

    def card_in_muck(self, card: str | None, *, up: bool, seat: int | None = None) -> None:
        """A card lies in the discards; told anew, or once more by a reader. `seat`: whose it was, where it is known."""
        folded.mucked(self.core, card, up=up, seat=seat)

    def card_turned(self, zone: str, card: str | None) -> None:
        """A card was turned face up where it lies, in the normal course of play."""
        core = self.core
        seat = SEAT_OF.get(zone)
        if seat is not None:
            hand_for_hand.judge(core)
            turned.card_turned(core, seat, card)
            counts.judge_tabled(core, questions.cards_of_a_hand(core)[0])
        elif zone in BOARD2:
            run_twice.card_shown(core, card)
        elif zone in BOARD:
            if not corrections.lies_open_again(core):
                board.card_shown(core, Origin.SHOE, card=card)
        elif zone == BURN:
            board.burn_seen(core, card)

    def card_exposed(self, zone: str, by: str, card: str | None) -> None:
        """A face-down card was seen that should not have been."""
        core = self.core
        seat = SEAT_OF.get(zone)
        if seat is not None:
            turned.card_exposed(core, seat, by, card)
        elif zone in BOARD:
            board.card_shown(core, Origin.SHOE, counts=False)
        elif zone == BURN:
            board.burn_seen(core, card)
        elif by == "player":
            core.find(Irregularity.PLAYER_EXPOSED, {"cards": "discards"})
        else:
            core.find(Irregularity.FOLD_EXPOSED)

    def card_removed(self, zone: str, *, shown: bool) -> None:
        """A card left a zone. `shown`: it lay face up there."""
        core = self.core
        seat = SEAT_OF.get(zone)
        if seat is not None:
            seats.card_removed(core, seat)
        elif zone in BOARD and not boxed.taken_up(core, zone):
            board.card_removed(core, shown)
        elif zone in BOARD2:
            run_twice.card_left(core)
        elif zone == BURN:
            core.round.board.burn_lifted()

    def card_off_table(self, seat: int) -> None:
        """A card before a player left the table; it may be one that a ruling has ordered back."""
        seats.card_off_table(self.core, seat)

    def hole_seen(self, seat: int, card: str | None) -> None:
        """A face-down card before a live player was seen through the dealer."""
        exposures.card_seen(self.core, seat, card)

    def top_card_seen(self, card: str | None) -> None:
        """The top card of the undealt cards was seen where it lies."""
        core = self.core
        if not core.in_round:
            core.find(Irregularity.BOXED_CARD, questions.boxed_facts(core))
        elif not boxed.top_seen(core):
            self.next_card_seen(card)

    def next_card_seen(self, card: str | None) -> None:
        """The top card was seen, and the deal in progress does not say whose it is."""
        board.top_card_seen(self.core)

    def stub_shuffled(self, count: int | None) -> None:
        """The undealt cards were shuffled, to carry out a ruling."""
        self.core.round.tracker.return_lifted_to_stub()
        cutting.stub_shuffled(self.core)

    def looked(self, seat: int) -> None:
        """A player lifted or handled their cards: after the deal that changes nothing."""

    # -- players

    def act(self, event: Action) -> None:
        """A player acted. Raises Refused where the action cannot be one of now."""
        if event.action in actions.FORCED:
            actions.post(self.core, event)
        elif event.action == PlayerAction.TIME_BANK:
            action_clock.push_bank(self.core, event.seat)
        elif not actions.goes_all_in_blind(self.core, event):
            self.take_action(event)
            corrections.judge_action(self.core)
            counts.judge_left_to_floor(self.core)

    def take_action(self, event: Action) -> None:
        """A player bet, checked or folded."""
        actions.act(self.core, event)

    def close_betting(self) -> None:
        """The dealer closed the betting round. Raises Refused where none is open."""
        if not actions.over_already(self.core):
            self.close_open_betting()

    def close_open_betting(self) -> None:
        """The same, once the deal that came before is over."""
        actions.close(self.core)

    def end_uncontested(self) -> None:
        """A hand is tabled: nothing here waits for bets."""

    def betting_may_open(self) -> bool:
        """Whether a player's action ends the stage, and the betting opens with it."""
        return False

    def open_betting(self) -> None:
        """End the stage where `betting_may_open`."""

    def fold(self, seat: int) -> None:
        """Give up a hand, by its player or by a ruling."""
        self.core.flow.fold(seat)

    def player_folded(self, seat: int) -> None:
        """A player is out of the round, and others are left in it."""

    def player_reinstated(self, seat: int) -> None:
        """A hand that a ruling folded is live again."""

    def count_hands(self) -> None:
        """Betting begins: the deal has counted what each player holds."""

    # -- the stage itself

    def prompt(self) -> Prompt | None:
        """Return the dealer's next step: first to carry out a ruling, then the stage's own."""
        core = self.core
        round_, cards = core.round, core.round.board
        # Hot path, after most events: `to_mend`, written out.
        if (cards.mixing or cards.to_burn or cards.late_burns) and (mending := corrections.prompt(core)) is not None:
            return mending
        if round_.second_board is not None and (burn := run_twice.to_be_burnt(core)) is not None:
            return burn
        if cards.stub_owed:
            zone = round_.stud.boxed[0] if round_.stud.boxed else corrections.card_too_many(core)
            return ask.Remove(zone) if zone else ask.ShuffleStub()
        if round_.exposures.replace_seat is not None and (exchange := self._exchange()) is not None:
            return exchange
        if round_.deals.errors and (corrected := self._correction()) is not None:
            return corrected
        if round_.cut.stub_due and core.rounds.phase in {"dealing", "board"}:
            return ask.Cut()
        return self.next_step()

    def _exchange(self) -> Prompt | None:
        """The next step of replacing an exposed hole card; None where none is replaced, or the deal replaces it.

        Once the players bet, the first burn card comes before the flop.
        """
        core, exposures, betting = self.core, self.core.round.exposures, self.core.round.betting
        seat = replacement.awaited(core)
        if seat is None and (lying := replacement.left_lying(core)) is not None:
            if betting is None or (betting.begun and not (self._before_the_flop() and betting.is_live(lying))):
                return None
            return ask.Remove(SEAT_ZONE[lying])
        if seat is None or core.round.stud.top_seen:
            return None  # seen on top of the pack, the card comes to its player first: another would be taken away
        if betting is not None and betting.begun and not self._before_the_flop():
            return None
        if not exposures.removed:
            return ask.Remove(SEAT_ZONE[seat])
        return ask.deal(SEAT_ZONE[seat], "down") if core.rounds.phase != "dealing" else None

    def _before_the_flop(self) -> bool:
        """Whether the betting is over and no communal card shows."""
        return self.core.rounds.phase == "board" and replacement.may_come(self.core)

    def _correction(self) -> Prompt | None:
        """The next step of putting a deal right: a card too many goes back, or a missed player gets theirs."""
        core = self.core
        if questions.deal_open(core) and (extra := counts.one_too_many(core)):
            return ask.Remove(SEAT_ZONE[extra[0]])
        if core.rounds.phase == "dealing" and (moved := counts.out_of_place(core)) is not None:
            return ask.Remove(SEAT_ZONE[moved])
        owed = counts.owed_late(core)
        return ask.deal(SEAT_ZONE[owed[0]], "down") if owed else None

    def next_step(self) -> Prompt | None:
        """The next step of play, where no ruling waits to be carried out."""
        core, round_ = self.core, self.core.round
        betting, phase = round_.betting, core.rounds.phase
        if phase == "betting":
            if hands := tabling.hands_due(core):
                return ask.Show(tuple(hands), questions.faces_unseen(core))
            # Hot path, after most events: where no ruling is open, nobody is asked who awaits a card.
            if round_.deals.errors and (missed := counts.awaited(core)):
                return ask.deal(SEAT_ZONE[missed[0]], questions.next_face(core, missed[0]))
            if round_.board.opened_early and (again := board.taken_back(core)):
                return ask.deal(again, "up")
            if round_.street == 0 and not questions.first_lies(core):
                return ask.deal(BOARD[0], "up")
            if betting is not None:
                return turn.prompt(core, betting)
        if (second := run_twice.prompt(core)) is not None:
            return second
        if phase != "showdown" or questions.hands_unseen(core):
            return ask.Collect()
        if not questions.faces_unseen(core):
            in_doubt = counts.open_in_doubt(core)
            return ask.Show(in_doubt or tuple(showdown.show_order(core)), by_key=bool(in_doubt))
        waiting = tuple(seat for seat in showdown.show_order(core) if counts.may_be_shown(core, seat))
        return ask.Show(waiting, by_key=True) if waiting else ask.Collect()

    def begin(self) -> None:
        """Begin a street of this stage; by default nothing happens."""

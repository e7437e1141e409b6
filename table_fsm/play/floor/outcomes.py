"""What a ruling's outcome does to the round. Outcomes that only tell people something do nothing here."""

from typing import Final

from table_fsm.core.core import Core
from table_fsm.play.betting import actions, out_of_turn
from table_fsm.play.board import communal, corrections
from table_fsm.play.house import boxes
from table_fsm.play.rounds import end
from table_fsm.play.stud import last_cards, openers
from table_fsm.rulebook.irregularities import Outcome

_ENDS: Final = frozenset({Outcome.MISDEAL, Outcome.VOID_ROUND})
_CLOSES_NEXT: Final = frozenset({Outcome.NEXT_CARDS_DOWN, Outcome.CLOSED_CARD_NEXT_ROUND})
_REPLACES: Final = frozenset({Outcome.REPLACE_WITH_FIRST_BURN, Outcome.TWO_CONSECUTIVE_CARDS})
"""The exposed card leaves, and the next card of the pack after the deal takes its place."""
_FOLDS: Final = frozenset({Outcome.FOLD_HAND, Outcome.DEAD_HAND})


def carry_out(core: Core, outcome: Outcome, seat: int | None) -> None:
    """Carry out one outcome. `seat`: whom it concerns."""
    round_ = core.round
    if outcome in _ENDS:
        if not core.collecting():
            end.end_round(core, outcome)
    elif outcome is Outcome.RESHUFFLE_INTO_STUB:
        round_.board.want_shuffle()
    elif outcome in _REPLACES:
        round_.exposures.replace_seat = seat
    elif outcome is Outcome.DEAL_MISSING_CARD:
        round_.deals.owe_card(seat)
    elif outcome is Outcome.RANDOM_FLOP_FROM_FOUR:
        corrections.draw_flop_from_four(core)
    elif outcome is Outcome.TREAT_AS_BURN:
        corrections.treat_as_burn(core)
    elif outcome is Outcome.KEEP_AND_BURN_NEXT:
        round_.board.owe_late_burn()
    elif outcome is Outcome.NO_BURN_BEFORE_FLOP:
        round_.exposures.no_burn_before_flop = True
    elif outcome in communal.CAPS:
        communal.cap(core, outcome)
    elif outcome is Outcome.USE_IN_SEQUENCE:
        communal.keep(core)
    elif outcome is Outcome.FINAL_CARD_COMMUNAL:
        last_cards.make_communal(core)
    elif outcome is Outcome.BURN_TO_PLAYER_COUNT:
        round_.stud.owe_burns()
    elif seat is not None:
        _to_player(core, outcome, seat)


def _to_player(core: Core, outcome: Outcome, seat: int) -> None:
    betting = core.round.betting
    if outcome in _FOLDS:
        core.stage.fold(seat)
    elif outcome is Outcome.VOID_HAND:
        boxes.betting_box(core, seat).void = True
    elif outcome is Outcome.CHECK_HAND:
        actions.check_hand(core, seat)
    elif outcome is Outcome.BINDING:
        out_of_turn.let_stand(core, seat)
    elif outcome in _CLOSES_NEXT:
        core.round.stud.close(seat)
    elif outcome is Outcome.OPEN_FINAL_ROUND and core.round.stud.final_opener is None:
        core.round.stud.open_last_round(seat)
        openers.choose(core)
    elif outcome is Outcome.MAY_CALL_OR_FOLD and betting is not None and betting.is_live(seat):
        betting.restrict(seat)


def take_back(core: Core, outcome: Outcome, seat: int | None) -> None:
    """Undo an outcome that a supervisor has overruled, as far as the round still allows."""
    round_ = core.round
    if outcome is Outcome.RESHUFFLE_INTO_STUB:
        round_.board.want_no_shuffle()
    elif outcome in _REPLACES and not round_.exposures.replaced:
        round_.exposures.replace_seat = None
    elif outcome is Outcome.DEAL_MISSING_CARD:
        round_.deals.owe_no_card()
    elif outcome is Outcome.RANDOM_FLOP_FROM_FOUR:
        round_.board.mix_no_flop()
    elif outcome is Outcome.TREAT_AS_BURN:
        corrections.take_back_burn(core)
    elif outcome is Outcome.KEEP_AND_BURN_NEXT:
        round_.board.forgive_late_burn()
    elif outcome is Outcome.NO_BURN_BEFORE_FLOP:
        round_.exposures.no_burn_before_flop = False
    elif outcome in communal.CAPS:
        communal.lift_cap(core)
    elif outcome is Outcome.USE_IN_SEQUENCE:
        communal.keep_no_longer(core)
    elif outcome is Outcome.FINAL_CARD_COMMUNAL:
        last_cards.no_communal(core)
    elif outcome is Outcome.BURN_TO_PLAYER_COUNT:
        round_.stud.owe_no_burns()
    elif outcome in _CLOSES_NEXT and seat is not None:
        round_.stud.reopen(seat)
    elif outcome is Outcome.OPEN_FINAL_ROUND and round_.stud.final_opener == seat:
        round_.stud.open_last_round_by_cards()
        openers.choose(core)
    elif outcome in _FOLDS and seat is not None:
        _reinstate(core, seat)
    elif outcome is Outcome.VOID_HAND and seat is not None:
        boxes.betting_box(core, seat).void = False
    elif outcome is Outcome.MAY_CALL_OR_FOLD and round_.betting is not None and round_.betting.restricted == seat:
        round_.betting.restricted = None


def _reinstate(core: Core, seat: int) -> None:
    """A hand that a ruling folded is live again, while the round is not decided."""
    betting = core.round.betting
    box = core.round.house.boxes.get(seat)
    if box is not None and not box.settled:
        box.reinstate()
    elif betting is not None and seat in betting.players and not core.round.showdown.decided:
        betting.reinstate(seat)
        core.stage.player_reinstated(seat)

"""Effects of a ruling's outcome on the round.

Outcomes that only inform people have no effect here.
"""

from collections.abc import Callable, Mapping
from typing import Final

from table_fsm.core.core import Core
from table_fsm.play.betting import actions, out_of_turn
from table_fsm.play.board import communal, corrections
from table_fsm.play.house import boxes
from table_fsm.play.rounds import end
from table_fsm.play.stud import last_cards, openers
from table_fsm.poker.betting.state import Betting
from table_fsm.rulebook.outcomes import Outcome

_ENDS: Final = frozenset({Outcome.MISDEAL, Outcome.VOID_ROUND})
_CLOSES_NEXT: Final = frozenset({Outcome.NEXT_CARDS_DOWN, Outcome.CLOSED_CARD_NEXT_ROUND})
_REPLACES: Final = frozenset({Outcome.REPLACE_WITH_FIRST_BURN, Outcome.TWO_CONSECUTIVE_CARDS})
"""The exposed card leaves the seat and the next card of the pack after the deal replaces it."""
_FOLDS: Final = frozenset({Outcome.FOLD_HAND, Outcome.DEAD_HAND})


def _burn_before_flop(core: Core, burns: bool) -> None:
    core.round.exposures.no_burn_before_flop = not burns


_OF_THE_ROUND: Final[Mapping[Outcome, tuple[Callable[[Core], None], Callable[[Core], None]]]] = {
    Outcome.RESHUFFLE_INTO_STUB: (
        lambda core: core.round.board.want_shuffle(),
        lambda core: core.round.board.want_no_shuffle(),
    ),
    Outcome.RANDOM_FLOP_FROM_FOUR: (corrections.draw_flop_from_four, lambda core: core.round.board.mix_no_flop()),
    Outcome.TREAT_AS_BURN: (corrections.treat_as_burn, corrections.take_back_burn),
    Outcome.KEEP_AND_BURN_NEXT: (
        lambda core: core.round.board.owe_late_burn(),
        lambda core: core.round.board.forgive_late_burn(),
    ),
    Outcome.NO_BURN_BEFORE_FLOP: (
        lambda core: _burn_before_flop(core, burns=False),
        lambda core: _burn_before_flop(core, burns=True),
    ),
    Outcome.USE_IN_SEQUENCE: (communal.keep, communal.keep_no_longer),
    Outcome.FINAL_CARD_COMMUNAL: (last_cards.make_communal, last_cards.no_communal),
    Outcome.BURN_TO_PLAYER_COUNT: (
        lambda core: core.round.stud.owe_burns(),
        lambda core: core.round.stud.owe_no_burns(),
    ),
}
"""Outcomes that concern no seat, each with what carries it out and what undoes it."""


def carry_out(core: Core, outcome: Outcome, seat: int | None) -> None:
    """Carry out one outcome. `seat`: whom it concerns."""
    if outcome in _ENDS:
        if not core.collecting():
            end.end_round(core, outcome)
    elif outcome in _OF_THE_ROUND:
        carry, _ = _OF_THE_ROUND[outcome]
        carry(core)
    elif outcome in _REPLACES:
        core.round.exposures.replace(seat)
    elif outcome is Outcome.DEAL_MISSING_CARD:
        core.round.deals.owe_card(seat)
    elif outcome in communal.CAPS:
        communal.cap(core, outcome)
    elif seat is not None:
        _to_player(core, outcome, seat)


def _to_player(core: Core, outcome: Outcome, seat: int) -> None:
    betting = core.round.betting
    if outcome in _FOLDS:
        core.stage().fold(seat)
    elif outcome is Outcome.VOID_HAND:
        boxes.void(core, seat)
    elif outcome is Outcome.CHECK_HAND:
        actions.check_hand(core, seat)
    elif outcome is Outcome.BINDING:
        out_of_turn.let_stand(core, seat)
    elif outcome in _CLOSES_NEXT:
        core.round.stud.close(seat)
    elif outcome is Outcome.OPEN_FINAL_ROUND:
        core.round.stud.show_last(seat)
        openers.choose(core)
    elif outcome is Outcome.MAY_CALL_OR_FOLD and betting is not None and betting.is_live(seat):
        out_of_turn.restrict(core, betting, seat)


def take_back(core: Core, outcome: Outcome, seat: int | None) -> None:
    """Undo an outcome that a supervisor has overruled, as far as the round still allows."""
    round_ = core.round
    if outcome in _OF_THE_ROUND:
        _, undo = _OF_THE_ROUND[outcome]
        undo(core)
    elif outcome in _REPLACES and not round_.exposures.replaced:
        round_.exposures.replace(None)
    elif outcome is Outcome.DEAL_MISSING_CARD:
        round_.deals.owe_no_card()
    elif outcome in communal.CAPS:
        communal.lift_cap(core)
    elif outcome in _CLOSES_NEXT and seat is not None:
        round_.stud.reopen(seat)
    elif outcome is Outcome.OPEN_FINAL_ROUND and seat is not None:
        round_.stud.hide_last(seat)
        openers.choose(core)
    elif outcome in _FOLDS and seat is not None:
        _reinstate(core, seat)
    elif outcome is Outcome.VOID_HAND and seat is not None:
        boxes.betting_box(core, seat).count_again()
    elif round_.betting is not None and seat is not None:
        _undo_betting(round_.betting, outcome, seat)


def _undo_betting(betting: Betting, outcome: Outcome, seat: int) -> None:
    if outcome is Outcome.CHECK_HAND and betting.is_live(seat):
        betting.take_back_check(seat)
    elif outcome is Outcome.MAY_CALL_OR_FOLD:
        betting.out_of_turn.free(seat)


def _reinstate(core: Core, seat: int) -> None:
    """Make a hand live again that a ruling folded, while the round is not decided."""
    betting = core.round.betting
    box = core.round.house.boxes.get(seat)
    if box is not None and not box.settled:
        box.reinstate()
    elif betting is not None and seat in betting.players and not core.round.showdown.decided:
        betting.reinstate(seat)
        core.stage().player_reinstated(seat)

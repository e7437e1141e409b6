"""The words that events are written in, so that a stream can be mad on purpose: no tree is asked for them."""

from typing import Final

from tests.identity.felt import BOARD, BOARD2, SEATS

OUTCOMES: Final = (
    "misdeal", "void_round", "void_hand", "dead_hand", "fold_hand", "check_hand", "play_on", "warn", "reconstruct",
    "replace_with_first_burn", "no_burn_before_flop", "next_cards_down", "closed_card_next_round",
    "two_consecutive_cards", "deal_missing_card", "use_in_sequence", "take_card", "reshuffle_into_stub",
    "burn_to_player_count", "cap_bets_at_largest", "cap_bets_at_minimum", "open_final_round", "final_card_communal",
    "random_flop_from_four", "treat_as_burn", "keep_and_burn_next", "show_card", "check_deck", "replace_shoe",
    "return_bet", "return_excess", "binding", "may_call_or_fold", "all_options", "treat_as_call", "complete_raise",
    "add_or_fold", "penalty_floor", "call_floor", "stop_table", "no_such_outcome",
)  # fmt: skip
DECISIONS: Final = ("acknowledge", "confirm", "overrule", "misdeal", "void", "play_on", "resume", "check_deck")
FAULTS: Final = (
    "jam", "misfeed", "double_feed", "power", "motor", "sensor", "cards_damaged", "shuffle_failed", "lid_open", "comms",
)  # fmt: skip
ACTIONS: Final = ("post", "ante", "check", "call", "bet", "raise", "fold", "all_in", "time_bank")
ROLES: Final = ("supervisor", "inspector", "director", "surveillance", "dealer")
DEVICES: Final = ("shoe", "reader", "reader:board", "reader:seats", "dropbox", "keys", "indicators")
ZONES: Final = (*(f"seat:{n}" for n in SEATS), *BOARD, *BOARD2, *(f"race:{n}" for n in SEATS), "dealer", "burn",
                "muck", "shoe")  # fmt: skip
ELAPSED: Final = (0.0, 60.0, 1199.0, 7300.5)
"""Seconds on the director's clock."""

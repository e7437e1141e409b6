"""What a ruling says must happen, and who has authority over it: two closed sets, each member with its words."""

from typing import Final

from table_fsm.felt import Worded


class Outcome(Worded):
    """What a ruling says must happen. The README's table of outcomes gives the meanings."""

    MISDEAL = "misdeal", "misdeal"
    VOID_ROUND = "void_round", "the round is void"
    VOID_HAND = "void_hand", "that hand is void"
    DEAD_HAND = "dead_hand", "the hand is dead"
    FOLD_HAND = "fold_hand", "the hand is folded"
    CHECK_HAND = "check_hand", "the player has checked"
    PLAY_ON = "play_on", "play on"
    WARN = "warn", "tell the dealer, play on"
    RECONSTRUCT = "reconstruct", "put the cards where they belong"
    REPLACE_WITH_FIRST_BURN = "replace_with_first_burn", "replace the card with the first burn card"
    NO_BURN_BEFORE_FLOP = "no_burn_before_flop", "no burn before the flop"
    NEXT_CARDS_DOWN = "next_cards_down", "the player's next two cards come face down"
    CLOSED_CARD_NEXT_ROUND = "closed_card_next_round", "the card stands, the next comes face down"
    TWO_CONSECUTIVE_CARDS = "two_consecutive_cards", "the last to receive gets two cards in a row"
    DEAL_MISSING_CARD = "deal_missing_card", "deal the missing card"
    USE_IN_SEQUENCE = "use_in_sequence", "the card stays and is used in its turn"
    TAKE_CARD = "take_card", "the player whose turn it is takes the card"
    RESHUFFLE_INTO_STUB = "reshuffle_into_stub", "shuffle the card into the undealt cards"
    BURN_TO_PLAYER_COUNT = "burn_to_player_count", "burn as many cards as there are active players"
    CAP_BETS_AT_LARGEST = "cap_bets_at_largest", "no bet above the largest already made"
    CAP_BETS_AT_MINIMUM = "cap_bets_at_minimum", "no bet above the table minimum"
    OPEN_FINAL_ROUND = "open_final_round", "the player opens the last betting round"
    FINAL_CARD_COMMUNAL = "final_card_communal", "one open card is everyone's last card"
    RANDOM_FLOP_FROM_FOUR = "random_flop_from_four", "the floor draws the flop from the four"
    TREAT_AS_BURN = "treat_as_burn", "the card becomes the burn, the next takes its place"
    KEEP_AND_BURN_NEXT = "keep_and_burn_next", "the cards stand, the next becomes their burn"
    SHOW_CARD = "show_card", "show the card to the table"
    CHECK_DECK = "check_deck", "count and check the deck before its next use"
    REPLACE_SHOE = "replace_shoe", "the shoe may be replaced, with new cards"
    RETURN_BET = "return_bet", "return the bet"
    RETURN_EXCESS = "return_excess", "return what is too much"
    BINDING = "binding", "the action stands"
    MAY_CALL_OR_FOLD = "may_call_or_fold", "the player may call or fold"
    ALL_OPTIONS = "all_options", "everything is open to the player"
    TREAT_AS_CALL = "treat_as_call", "it is a call"
    COMPLETE_RAISE = "complete_raise", "it is made a full raise"
    ADD_OR_FOLD = "add_or_fold", "the player adds what is missing, or folds"
    PENALTY_FLOOR = "penalty_floor", "play on, the floor may penalise"
    CALL_FLOOR = "call_floor", "stop, a person decides"
    STOP_TABLE = "stop_table", "deal nothing until it is cleared"


class Authority(Worded):
    """The person with authority over a ruling."""

    DEALER = "dealer", "dealer"
    SUPERVISOR = "supervisor", "supervisor"
    DIRECTOR = "director", "director"


PENDING_OUTCOMES: Final = frozenset({Outcome.CALL_FLOOR, Outcome.STOP_TABLE})
"""Outcomes after which a person must decide."""

CHOSEN_BY_PEOPLE: Final = (
    Outcome.PLAY_ON, Outcome.WARN, Outcome.MISDEAL, Outcome.VOID_ROUND, Outcome.VOID_HAND, Outcome.DEAD_HAND,
    Outcome.FOLD_HAND, Outcome.CHECK_HAND, Outcome.RECONSTRUCT, Outcome.RESHUFFLE_INTO_STUB, Outcome.USE_IN_SEQUENCE,
    Outcome.REPLACE_WITH_FIRST_BURN, Outcome.NO_BURN_BEFORE_FLOP, Outcome.TREAT_AS_BURN, Outcome.BINDING,
    Outcome.MAY_CALL_OR_FOLD, Outcome.ALL_OPTIONS, Outcome.RETURN_BET, Outcome.RETURN_EXCESS, Outcome.TREAT_AS_CALL,
    Outcome.COMPLETE_RAISE, Outcome.ADD_OR_FOLD, Outcome.PENALTY_FLOOR, Outcome.CHECK_DECK, Outcome.CALL_FLOOR,
    Outcome.STOP_TABLE,
)  # fmt: skip
"""Outcomes that a page offers to a person who overrules, the most frequent first."""

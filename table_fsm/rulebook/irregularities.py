"""The closed sets that rulebooks are written in: irregularities, outcomes, and the facts a row may ask for.

Every irregularity names the facts that the detectors supply with it, and each fact its whole domain. That is what lets
the checker walk every case there is and prove a book complete and free of dead rows.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Irregularity(StrEnum):
    """What can go wrong at a table."""

    CUT_EXPOSED = "cut_exposed"
    CUT_MISSING = "cut_missing"
    CUT_WRONG_PLAYER = "cut_wrong_player"
    CUT_TOO_THIN = "cut_too_thin"
    NOT_SHUFFLED = "not_shuffled"
    DECK_UNCHECKED = "deck_unchecked"
    SHORT_DECK = "short_deck"
    FOREIGN_CARD = "foreign_card"
    DUPLICATE_CARD = "duplicate_card"
    WRONG_DECK = "wrong_deck"
    SHOE_MALFUNCTION = "shoe_malfunction"
    SHOE_UNAVAILABLE = "shoe_unavailable"
    CARD_NOT_FROM_SHOE = "card_not_from_shoe"
    INSUFFICIENT_CARDS = "insufficient_cards"
    HOLE_EXPOSED = "hole_exposed"
    HOLE_EXPOSED_IN_DRAW = "hole_exposed_in_draw"
    FINAL_HOLE_EXPOSED = "final_hole_exposed"
    FIRST_CARD_UP = "first_card_up"
    DEALT_OUT_OF_TURN = "dealt_out_of_turn"
    DEALT_WRONG_FIRST_SEAT = "dealt_wrong_first_seat"
    PLAYER_MISSED = "player_missed"
    EXTRA_HAND = "extra_hand"
    EXCESS_CARD = "excess_card"
    WRONG_CARD_COUNT = "wrong_card_count"
    CARDS_MIXED = "cards_mixed"
    CARD_LEFT_TABLE = "card_left_table"
    MUCKED_CARD_RETURNED = "mucked_card_returned"
    BOXED_CARD = "boxed_card"
    DEAL_REVEALED = "deal_revealed"
    DEALER_HAND_EXPOSED = "dealer_hand_exposed"
    HAND_WITHOUT_WAGER = "hand_without_wager"
    BOARD_PREMATURE = "board_premature"
    BOARD_EARLY = "board_early"
    BOARD_OVERDEALT = "board_overdealt"
    BURN_MISSING = "burn_missing"
    BURN_EXTRA = "burn_extra"
    BURN_EXPOSED = "burn_exposed"
    WAGER_AFTER_DEAL = "wager_after_deal"
    WAGER_INVALID = "wager_invalid"
    NO_DECISION = "no_decision"
    CLOCK_EXPIRED = "clock_expired"
    ACTION_OUT_OF_TURN = "action_out_of_turn"
    ACTION_ILLEGAL = "action_illegal"
    RAISE_LIMIT = "raise_limit"
    BET_BETWEEN = "bet_between"
    BET_SHORT = "bet_short"
    BET_OVER_LIMIT = "bet_over_limit"
    BETTING_INCOMPLETE = "betting_incomplete"
    PLAYER_EXPOSED = "player_exposed"
    FOLD_EXPOSED = "fold_exposed"
    NOT_TABLED = "not_tabled"
    NOT_RELEASED = "not_released"
    BUTTON_WRONG = "button_wrong"
    TOO_FEW_PLAYERS = "too_few_players"
    COMMISSION_MISMATCH = "commission_mismatch"
    DROPBOX_UNSAFE = "dropbox_unsafe"
    COLOUR_CHANGE_UNWITNESSED = "colour_change_unwitnessed"


class Outcome(StrEnum):
    """What a ruling says must happen. The meanings stand in the README's table of outcomes."""

    MISDEAL = "misdeal"
    VOID_ROUND = "void_round"
    VOID_HAND = "void_hand"
    DEAD_HAND = "dead_hand"
    FOLD_HAND = "fold_hand"
    CHECK_HAND = "check_hand"
    PLAY_ON = "play_on"
    WARN = "warn"
    RECONSTRUCT = "reconstruct"
    REPLACE_WITH_FIRST_BURN = "replace_with_first_burn"
    NO_BURN_BEFORE_FLOP = "no_burn_before_flop"
    NEXT_CARDS_DOWN = "next_cards_down"
    CLOSED_CARD_NEXT_ROUND = "closed_card_next_round"
    TWO_CONSECUTIVE_CARDS = "two_consecutive_cards"
    DEAL_MISSING_CARD = "deal_missing_card"
    USE_IN_SEQUENCE = "use_in_sequence"
    TAKE_CARD = "take_card"
    RESHUFFLE_INTO_STUB = "reshuffle_into_stub"
    BURN_TO_PLAYER_COUNT = "burn_to_player_count"
    CAP_BETS_AT_LARGEST = "cap_bets_at_largest"
    CAP_BETS_AT_MINIMUM = "cap_bets_at_minimum"
    OPEN_FINAL_ROUND = "open_final_round"
    FINAL_CARD_COMMUNAL = "final_card_communal"
    RANDOM_FLOP_FROM_FOUR = "random_flop_from_four"
    TREAT_AS_BURN = "treat_as_burn"
    KEEP_AND_BURN_NEXT = "keep_and_burn_next"
    SHOW_CARD = "show_card"
    CHECK_DECK = "check_deck"
    REPLACE_SHOE = "replace_shoe"
    RETURN_BET = "return_bet"
    RETURN_EXCESS = "return_excess"
    BINDING = "binding"
    MAY_CALL_OR_FOLD = "may_call_or_fold"
    ALL_OPTIONS = "all_options"
    TREAT_AS_CALL = "treat_as_call"
    COMPLETE_RAISE = "complete_raise"
    ADD_OR_FOLD = "add_or_fold"
    PENALTY_FLOOR = "penalty_floor"
    CALL_FLOOR = "call_floor"
    STOP_TABLE = "stop_table"


class Authority(StrEnum):
    """Who carries a ruling."""

    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    DIRECTOR = "director"


class FaultKind(StrEnum):
    """What a shoe may report wrong with itself."""

    JAM = "jam"
    MISFEED = "misfeed"
    DOUBLE_FEED = "double_feed"
    POWER = "power"
    MOTOR = "motor"
    SENSOR = "sensor"
    CARDS_DAMAGED = "cards_damaged"
    SHUFFLE_FAILED = "shuffle_failed"
    LID_OPEN = "lid_open"
    COMMS = "comms"


ANY_IRREGULARITY: Final = "*"
"""In a row: whatever has no row of its own."""

PENDING_OUTCOMES: Final = frozenset({Outcome.CALL_FLOOR, Outcome.STOP_TABLE})
"""After these a person must decide."""

_YES_NO: Final = ("yes", "no")
_SUFFICIENT: Final = MappingProxyType({"sufficient": _YES_NO})  # sufficient action before it is noticed
_LOOKED: Final = MappingProxyType({"looked": ("no", "yes", "unknown")})  # unknown: a table with no look sensor
_DURING: Final = ("deal", "later")
_DEALT: Final = MappingProxyType({**_LOOKED, "during": _DURING})
_RIGHTED: Final = MappingProxyType({**_DEALT, "unseen": _YES_NO})
_SEEN: Final = MappingProxyType({"found": ("between", "count_in_round", "identity")})
_SHORT: Final = MappingProxyType({"found": ("between", "count_in_round", "readers", "over_rounds")})
_DOUBLED: Final = MappingProxyType({"found": ("between", "count_in_round", "identity", "over_rounds")})

FACTS: Final[Mapping[Irregularity, Mapping[str, tuple[str, ...]]]] = MappingProxyType(
    {
        Irregularity.CUT_MISSING: MappingProxyType({"noticed": ("first_card", "first_bet", "stub")}),
        Irregularity.CUT_WRONG_PLAYER: MappingProxyType({"noticed": ("before_wager", "after_wager")}),
        Irregularity.NOT_SHUFFLED: MappingProxyType({"pack": ("deck", "stub", "sorted")}),
        Irregularity.DECK_UNCHECKED: MappingProxyType({"replaced": _YES_NO}),
        Irregularity.SHOE_UNAVAILABLE: MappingProxyType({"noticed": ("fault", "start")}),
        Irregularity.SHORT_DECK: _SHORT,
        Irregularity.FOREIGN_CARD: _SEEN,
        Irregularity.DUPLICATE_CARD: _DOUBLED,
        Irregularity.SHOE_MALFUNCTION: MappingProxyType({"fault": tuple(kind.value for kind in FaultKind)}),
        Irregularity.HOLE_EXPOSED: MappingProxyType(
            {
                "burn": ("on", "off"),
                "exposed": ("one", "same_player", "other_player"),
                "during": ("deal", "later"),
                "which": ("first_two", "other", "last"),
                "sufficient": _YES_NO,
            }
        ),
        Irregularity.BUTTON_WRONG: MappingProxyType(
            {"moved": ("not_moved", "two_places", "elsewhere"), "sufficient": _YES_NO}
        ),
        Irregularity.BOXED_CARD: MappingProxyType({"during": _DURING, "place": ("first", "next", "other")}),
        Irregularity.CARDS_MIXED: _SUFFICIENT,
        Irregularity.CARD_LEFT_TABLE: MappingProxyType({"by": ("dealer", "player"), "sufficient": _YES_NO}),
        Irregularity.DEALT_OUT_OF_TURN: _DEALT,
        Irregularity.PLAYER_MISSED: _RIGHTED,
        Irregularity.EXTRA_HAND: _RIGHTED,
        Irregularity.EXCESS_CARD: _DEALT,
        Irregularity.INSUFFICIENT_CARDS: MappingProxyType({"short": ("last", "none_left", "earlier")}),
        Irregularity.HAND_WITHOUT_WAGER: _LOOKED,
        Irregularity.BOARD_PREMATURE: _SUFFICIENT,
        Irregularity.BOARD_OVERDEALT: MappingProxyType({"board": ("flop", "later"), "sufficient": _YES_NO}),
        Irregularity.BURN_MISSING: MappingProxyType(
            {"board": ("flop", "later"), "order": ("known", "unknown"), "sufficient": _YES_NO}
        ),
        Irregularity.BOARD_EARLY: MappingProxyType({"begun": ("no", "unknown")}),
        Irregularity.WRONG_CARD_COUNT: MappingProxyType(
            {
                "noticed": ("deal", "betting", "showdown"),
                "hand": ("button_one_card", "other"),
                "sufficient": _YES_NO,
                "left": ("others", "last_fold", "nobody"),
            }
        ),
        Irregularity.DEALER_HAND_EXPOSED: MappingProxyType({"play_wager": ("none", "made")}),
        Irregularity.TOO_FEW_PLAYERS: MappingProxyType({"deal": ("first", "later", "unbalanced")}),
        Irregularity.CLOCK_EXPIRED: MappingProxyType(
            {"facing_bet": ("yes", "no", "unknown"), "clock": ("called", "action")}
        ),
        Irregularity.ACTION_OUT_OF_TURN: MappingProxyType(
            {
                "earlier": ("same", "more"),
                "passed_over": ("acted", "folded"),
                "action": ("bet", "check", "fold", "wager", "draw"),
                "sufficient": _YES_NO,
            }
        ),
        Irregularity.ACTION_ILLEGAL: MappingProxyType(
            {
                "kind": (
                    "check_facing_bet",
                    "check_in_first_round",
                    "check_in_final_round",
                    "raise_not_reopened",
                    "raise_while_restricted",
                ),
                "limits": ("fixed", "open"),
                "earlier": ("same", "more"),
            }
        ),
        Irregularity.BET_SHORT: MappingProxyType({"short_of": ("call", "minimum")}),
        Irregularity.BET_BETWEEN: MappingProxyType({"size": ("half_or_more", "less_than_half", "keyed_as_call")}),
        Irregularity.NOT_RELEASED: MappingProxyType({"held": ("hand", "showdown", "race")}),
        Irregularity.WAGER_INVALID: MappingProxyType(
            {
                "kind": (
                    "trips_alone",
                    "ante_unlike_blind",
                    "below_minimum",
                    "wrong_multiple",
                    "second_play",
                    "not_allowed",
                    "too_early",
                )
            }
        ),
    }
)
"""Facts by irregularity; one not listed here has none: its row holds in every case."""


def facts_of(irregularity: Irregularity) -> Mapping[str, tuple[str, ...]]:
    """The facts, with their domains, that come with an irregularity."""
    return FACTS.get(irregularity, MappingProxyType({}))

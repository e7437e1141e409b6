"""What an irregularity is about: the subjects, and the one of each irregularity.

Two faults of one event that are about the same subject, at the same seat, are one matter: the graver one is ruled on.
Faults about different subjects are ruled on each by itself.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from table_fsm.felt import Worded
from table_fsm.rulebook.irregularities import Irregularity


class Subject(Worded):
    """What an irregularity is about."""

    def __init__(self, value: str, words: str = "", outlasts_round: bool = False) -> None:
        """Store whether a fault of the subject is still one when the round has been ended."""
        self.outlasts_round = outlasts_round

    CARDS_OF_PACK = "cards_of_pack", "which cards the pack has", True
    ORDER_OF_PACK = "order_of_pack", "whether the pack was shuffled", True
    PACK_IN_TURN = "pack_in_turn", "which pack is in turn"
    CUT = "cut", "the cut"
    CUTTER = "cutter", "who cuts"
    SHOE = "shoe", "the shoe and the devices", True
    SUPPLY = "supply", "whether the cards suffice"
    CARD_PLACE = "card_place", "where a card went"
    CARD_SEEN = "card_seen", "a card that was seen"
    BURN = "burn", "the burn"
    BOARD = "board", "the cards of the board"
    FORCED_BET = "forced_bet", "blinds and antes"
    WAGER = "wager", "wagers in boxes"
    WAGER_TIME = "wager_time", "wagers after the first card"
    DECISION = "decision", "a decision that was not made"
    TURN = "turn", "whose turn it is"
    ACTION = "action", "what a player did"
    BETTING_END = "betting_end", "the end of the betting"
    TABLING = "tabling", "hands that must be open"
    SETTLING = "settling", "the order in which hands are settled"
    ROUND_END = "round_end", "whether the round is over"
    RELEASE = "release", "what the director releases"
    RACE = "race", "the chip race"
    BUTTON = "button", "the button"
    PLAYERS = "players", "the number of players", True
    COMMISSION = "commission", "the commission", True
    DROP_BOX = "drop_box", "the drop box", True
    COLOUR_CHANGE = "colour_change", "chips changed up", True


SUBJECT_OF: Final[Mapping[Irregularity, Subject]] = MappingProxyType(
    {
        Irregularity.CUT_EXPOSED: Subject.CUT,
        Irregularity.CUT_MISSING: Subject.CUT,
        Irregularity.CUT_WRONG_PLAYER: Subject.CUTTER,
        Irregularity.CUT_TOO_THIN: Subject.CUT,
        Irregularity.CUT_AGAIN: Subject.CUTTER,
        Irregularity.CUT_IN_DEAL: Subject.CUT,
        Irregularity.NOT_SHUFFLED: Subject.ORDER_OF_PACK,
        Irregularity.DECK_UNCHECKED: Subject.CARDS_OF_PACK,
        Irregularity.SHORT_DECK: Subject.CARDS_OF_PACK,
        Irregularity.FOREIGN_CARD: Subject.CARDS_OF_PACK,
        Irregularity.DUPLICATE_CARD: Subject.CARDS_OF_PACK,
        Irregularity.CARD_NOT_FROM_SHOE: Subject.CARDS_OF_PACK,
        Irregularity.WRONG_DECK: Subject.PACK_IN_TURN,
        Irregularity.SHOE_MALFUNCTION: Subject.SHOE,
        Irregularity.SHOE_UNAVAILABLE: Subject.SHOE,
        Irregularity.INSUFFICIENT_CARDS: Subject.SUPPLY,
        Irregularity.HOLE_EXPOSED: Subject.CARD_SEEN,
        Irregularity.HOLE_EXPOSED_IN_DRAW: Subject.CARD_SEEN,
        Irregularity.FINAL_HOLE_EXPOSED: Subject.CARD_SEEN,
        Irregularity.FIRST_CARD_UP: Subject.CARD_SEEN,
        Irregularity.OPEN_CARD_DOWN: Subject.CARD_SEEN,
        Irregularity.DEALT_OUT_OF_TURN: Subject.CARD_PLACE,
        Irregularity.DEALT_WRONG_FIRST_SEAT: Subject.CARD_PLACE,
        Irregularity.PLAYER_MISSED: Subject.CARD_PLACE,
        Irregularity.EXTRA_HAND: Subject.CARD_PLACE,
        Irregularity.EXCESS_CARD: Subject.CARD_PLACE,
        Irregularity.WRONG_CARD_COUNT: Subject.CARD_PLACE,
        Irregularity.CARDS_MIXED: Subject.CARD_PLACE,
        Irregularity.CARD_LEFT_TABLE: Subject.CARD_PLACE,
        Irregularity.MUCKED_CARD_RETURNED: Subject.CARD_PLACE,
        Irregularity.HAND_WITHOUT_WAGER: Subject.CARD_PLACE,
        Irregularity.BOXED_CARD: Subject.CARD_SEEN,
        Irregularity.DEAL_REVEALED: Subject.CARD_SEEN,
        Irregularity.DEALER_HAND_EXPOSED: Subject.CARD_SEEN,
        Irregularity.PLAYER_EXPOSED: Subject.CARD_SEEN,
        Irregularity.FOLD_EXPOSED: Subject.CARD_SEEN,
        Irregularity.BURN_EXPOSED: Subject.BURN,
        Irregularity.BURN_MISSING: Subject.BURN,
        Irregularity.BURN_EXTRA: Subject.BURN,
        Irregularity.BOARD_PREMATURE: Subject.BOARD,
        Irregularity.BOARD_EARLY: Subject.BOARD,
        Irregularity.BOARD_OVERDEALT: Subject.BOARD,
        Irregularity.FORCED_BET: Subject.FORCED_BET,
        Irregularity.WAGER_AFTER_DEAL: Subject.WAGER_TIME,
        Irregularity.WAGER_INVALID: Subject.WAGER,
        Irregularity.NO_DECISION: Subject.DECISION,
        Irregularity.CLOCK_EXPIRED: Subject.DECISION,
        Irregularity.ACTION_OUT_OF_TURN: Subject.TURN,
        Irregularity.ACTION_ILLEGAL: Subject.ACTION,
        Irregularity.RAISE_LIMIT: Subject.ACTION,
        Irregularity.BET_BETWEEN: Subject.ACTION,
        Irregularity.BET_SHORT: Subject.ACTION,
        Irregularity.BET_OVER_LIMIT: Subject.ACTION,
        Irregularity.BETTING_INCOMPLETE: Subject.BETTING_END,
        Irregularity.NOT_TABLED: Subject.TABLING,
        Irregularity.SETTLED_OUT_OF_ORDER: Subject.SETTLING,
        Irregularity.ROUND_UNFINISHED: Subject.ROUND_END,
        Irregularity.NOT_RELEASED: Subject.RELEASE,
        Irregularity.RACE_OUT_OF_ORDER: Subject.RACE,
        Irregularity.BUTTON_WRONG: Subject.BUTTON,
        Irregularity.TOO_FEW_PLAYERS: Subject.PLAYERS,
        Irregularity.COMMISSION_MISMATCH: Subject.COMMISSION,
        Irregularity.DROPBOX_UNSAFE: Subject.DROP_BOX,
        Irregularity.COLOUR_CHANGE_UNWITNESSED: Subject.COLOUR_CHANGE,
    }
)
"""The subject of each irregularity."""

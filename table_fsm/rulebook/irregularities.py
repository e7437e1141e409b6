"""What can go wrong at a table: the closed set of irregularities, each with its words and its facts.

A fact has all the values that a detector may give it. So the checker can walk every case that there is, and prove a
book complete and free of dead rows. The printed book and the page show a member's words.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from table_fsm.felt import FaultKind, Worded

Facts: TypeAlias = Mapping[str, Mapping[str, str]]
"""Every value of each fact, with the words for a row that asks for that value."""

_DURING: Final[Facts] = {"during": {"deal": "in the initial deal", "later": "after the initial deal"}}
_SUFFICIENT: Final[Facts] = {"sufficient": {"yes": "after sufficient action", "no": "before sufficient action"}}
_BY_COUNT: Final = {"between": "found by a count between rounds", "count_in_round": "found by a count in a round"}
_BY_READERS: Final = {"identity": "seen by the readers in a round"}
_OVER_ROUNDS: Final = {"over_rounds": "by what was seen over many rounds"}
_LOOKED: Final[Facts] = {
    "looked": {"no": "nobody looked", "yes": "somebody looked", "unknown": "the table cannot tell a look"}
}
_UNSEEN: Final[Facts] = {
    "unseen": {"yes": "no card that belongs face down was shown", "no": "a card that belongs face down was shown"}
}
_BOARD: Final[Facts] = {"board": {"flop": "the flop", "later": "a later card of the board"}}
_EARLIER: Final[Facts] = {
    "earlier": {"same": "the players before changed nothing", "more": "a player before bet or raised"}
}


class Irregularity(Worded):
    """What can go wrong at a table; the words begin a sentence.

    A member without facts has one case: its row holds always.
    """

    def __init__(self, value: str, words: str = "", facts: Facts = MappingProxyType({})) -> None:
        """Store a member's facts beside its words."""
        self.facts = MappingProxyType({fact: MappingProxyType(values) for fact, values in facts.items()})

    CUT_EXPOSED = "cut_exposed", "A card was shown in the cut"
    CUT_MISSING = (
        "cut_missing",
        "The cards were not cut",
        {
            "noticed": {
                "first_card": "noticed at the first card",
                "first_bet": "noticed at the first bet",
                "stub": "after the undealt cards were shuffled in the round",
            }
        },
    )
    CUT_WRONG_PLAYER = (
        "cut_wrong_player",
        "The wrong player cut",
        {"noticed": {"before_wager": "noticed before the first wager", "after_wager": "noticed after the first wager"}},
    )
    CUT_TOO_THIN = "cut_too_thin", "The cut was too near the end"
    CUT_AGAIN = "cut_again", "The cards were cut a second time"
    CUT_IN_DEAL = "cut_in_deal", "The cards were cut once the deal had begun"
    NOT_SHUFFLED = (
        "not_shuffled",
        "The cards were not shuffled",
        {
            "pack": {"deck": "the whole deck", "stub": "the undealt cards", "sorted": "the order of the cards seen"},
            "after": {"misdeal": "after a misdeal", "other": "for any other round"},
        },
    )
    DECK_UNCHECKED = (
        "deck_unchecked",
        "The deck was not checked",
        {
            "replaced": {
                "yes": "replacement cards",
                "in_round": "cards changed before the round was over",
                "no": "no replacement cards",
            }
        },
    )
    SHORT_DECK = (
        "short_deck",
        "The deck is short",
        {"found": {**_BY_COUNT, "readers": "the shoe gave a card that no reader saw", **_OVER_ROUNDS}},
    )
    FOREIGN_CARD = (
        "foreign_card",
        "A card does not belong to the deck",
        {"found": {**_BY_COUNT, **_BY_READERS}},
    )
    DUPLICATE_CARD = (
        "duplicate_card",
        "A card came twice",
        {"found": {**_BY_COUNT, **_BY_READERS, **_OVER_ROUNDS}},
    )
    WRONG_DECK = "wrong_deck", "The wrong deck is in use"
    SHOE_MALFUNCTION = (
        "shoe_malfunction",
        "The shoe failed in a round",
        {"fault": {kind.value: kind.words for kind in FaultKind}},
    )
    SHOE_UNAVAILABLE = (
        "shoe_unavailable",
        "A device the game needs is not ready",
        {"noticed": {"fault": "as the fault is reported", "start": "as a round would start"}},
    )
    CARD_NOT_FROM_SHOE = "card_not_from_shoe", "A card did not come from the shoe"
    INSUFFICIENT_CARDS = (
        "insufficient_cards",
        "The cards do not suffice",
        {
            "short": {
                "last": "for everyone's last card, and one is left",
                "none_left": "for everyone's last card, and none is left",
                "earlier": "before the last card",
            }
        },
    )
    HOLE_EXPOSED = (
        "hole_exposed",
        "A hole card was exposed",
        {
            "burn": {"on": "cards are burnt", "off": "no cards are burnt"},
            "exposed": {
                "one": "it is the only one",
                "same_player": "another of that player's was seen before",
                "other_player": "another player's was seen before",
            },
            **_DURING,
            "which": {
                "first_two": "one of the first two cards of the deal",
                "other": "neither of the first two nor the last card of the deal",
                "last": "the last card of the deal",
            },
            **_SUFFICIENT,
        },
    )
    HOLE_EXPOSED_IN_DRAW = "hole_exposed_in_draw", "A hole card was exposed in the draw"
    FINAL_HOLE_EXPOSED = (
        "final_hole_exposed",
        "The last hole card was exposed",
        {
            "opens": {
                "this": "this player opens the last betting",
                "other": "another player whose last card was seen before does",
            }
        },
    )
    FIRST_CARD_UP = "first_card_up", "The first card came face up"
    OPEN_CARD_DOWN = (
        "open_card_down",
        "A card that belongs face up lies face down",
        {
            "acted": {"no": "nobody has acted on it", "yes": "the betting on it has begun"},
            "street": {"first": "a card of the initial deal", "later": "a card of a later street"},
        },
    )
    DEALT_OUT_OF_TURN = (
        "dealt_out_of_turn",
        "A card was dealt out of turn",
        {
            **_LOOKED,
            **_DURING,
            "card": {
                "fifth": "the fifth of five cards replaced, before later players drew",
                "other": "any other card",
            },
        },
    )
    DEALT_WRONG_FIRST_SEAT = "dealt_wrong_first_seat", "The first card went to the wrong seat"
    PLAYER_MISSED = "player_missed", "A player was missed", {**_LOOKED, **_DURING, **_UNSEEN}
    EXTRA_HAND = (
        "extra_hand",
        "A seat not in the deal got a card",
        {
            **_LOOKED,
            **_DURING,
            **_UNSEEN,
            "put_right": {"open": "it may still be put right", "never": "not put right as the betting begins"},
            "lies": {"down": "face down", "up": "face up"},
        },
    )
    EXCESS_CARD = "excess_card", "A player got a card too many", {**_LOOKED, **_DURING}
    WRONG_CARD_COUNT = (
        "wrong_card_count",
        "A hand has the wrong number of cards",
        {
            "noticed": {
                "deal": "noticed in the deal",
                "betting": "noticed once betting has begun",
                "showdown": "noticed at the showdown",
            },
            "hand": {
                "not_in_round": "a seat that has no hand in the round",
                "button_one_card": "the player on the button holds one card",
                "other": "any other wrong number, or another player",
            },
            **_SUFFICIENT,
            "left": {
                "others": "others hold the right number",
                "last_fold": "nobody holds the right number, and the last to fold wins",
                "nobody": "nobody holds the right number",
                "won": "all others have folded, and the hand has won",
            },
        },
    )
    CARDS_MIXED = "cards_mixed", "Cards of two hands were mixed", _SUFFICIENT
    CARD_LEFT_TABLE = (
        "card_left_table",
        "A card left the table",
        {"by": {"dealer": "by the dealer", "player": "by a player"}, **_SUFFICIENT},
    )
    MUCKED_CARD_RETURNED = (
        "mucked_card_returned",
        "A discarded card came back",
        {
            "hand": {
                "own": "to a player who has folded; a burn; before betting",
                "other": "to a player in play, whose card it was not",
                "last": "to the last player in play, who has won",
            },
            **_SUFFICIENT,
        },
    )
    BOXED_CARD = (
        "boxed_card",
        "A card lay face up in the pack",
        {
            **_DURING,
            "place": {
                "first": "the first card of a deal to the players",
                "next": "another card of a deal to the players",
                "board": "the first card after a betting round, where the board comes next",
                "unburnt": "a card that was to be burnt, dealt to a player behind the other burns",
                "other": "any other card",
            },
        },
    )
    DEAL_REVEALED = "deal_revealed", "A card was seen during the deal"
    DEALER_HAND_EXPOSED = (
        "dealer_hand_exposed",
        "A card of the dealer's hand was seen",
        {"play_wager": {"none": "no play wager made", "made": "a play wager made"}},
    )
    HAND_WITHOUT_WAGER = "hand_without_wager", "A box without wagers got a hand", _LOOKED
    BOARD_PREMATURE = (
        "board_premature",
        "A board card came before the betting ended",
        {
            **_SUFFICIENT,
            "turned": {  # known where a board that lies there is turned: games that the house banks
                "flop": "a card of the flop, against the house",
                "last": "one of the last two cards, against the house",
            },
        },
    )
    BOARD_EARLY = (
        "board_early",
        "A board card came before the betting began",
        {
            "begun": {
                "no": "the betting on the card before had not begun",
                "unknown": "the table cannot tell whether that betting had begun",
            }
        },
    )
    BOARD_OVERDEALT = "board_overdealt", "The board got a card too many", {**_BOARD, **_SUFFICIENT}
    BURN_MISSING = (
        "burn_missing",
        "No card was burnt",
        {
            **_BOARD,
            "order": {
                "known": "the shoe tells which card came first",
                "unknown": "nobody can tell which card came first",
            },
            **_SUFFICIENT,
        },
    )
    BURN_EXTRA = "burn_extra", "A card too many was burnt", _DURING
    BURN_EXPOSED = (
        "burn_exposed",
        "The burn card was shown",
        {
            "burn": {
                "first": "the first card after a betting round",
                "other": "one burnt before, or while players bet",
                "unused": "the first card, which is to be used, was burnt and another came to the board",
            }
        },
    )
    FORCED_BET = (
        "forced_bet",
        "A blind or ante is not as it is due",
        {
            "which": {"blind": "a blind", "ante": "an ante"},
            "how": {
                "missing": "not put in",
                "late": "put in after the first card",
                "wrong_seat": "put in by another player",
                "not_owed": "put in by a player who owes none, where nothing is missing",
                "short": "too little",
                "old_amount": "too little: the amount before it was raised",
                "over": "too much",
            },
        },
    )
    WAGER_AFTER_DEAL = "wager_after_deal", "A wager was changed after the first card"
    WAGER_INVALID = (
        "wager_invalid",
        "A wager is not as the rules have it",
        {
            "kind": {
                "trips_alone": "trips without ante and blind",
                "ante_unlike_blind": "ante and blind not equal",
                "below_minimum": "below the minimum",
                "below_minimum_again": "below the minimum, and the player had been told",
                "below_minimum_in_tournament": "below the minimum, or none, in a tournament",
                "wrong_multiple": "a play wager of a wrong multiple",
                "second_play": "a second play wager",
                "not_allowed": "no wager is open to this player",
                "too_early": "before all cards have been dealt",
            }
        },
    )
    NO_DECISION = "no_decision", "A player did not decide in time"
    CLOCK_EXPIRED = (
        "clock_expired",
        "A player's clock ran out",
        {
            "facing_bet": {
                "yes": "there is a bet to meet",
                "no": "there is no bet to meet",
                "unknown": "the table cannot tell a bet",
            },
            "clock": {"called": "on a clock that was called", "action": "on the action clock"},
        },
    )
    ACTION_OUT_OF_TURN = (
        "action_out_of_turn",
        "A player acted out of turn",
        {
            **_EARLIER,
            "passed_over": {"acted": "a player before checked, called or bet", "folded": "all players before folded"},
            "action": {
                "bet": "a bet or raise",
                "check": "a check",
                "fold": "a fold",
                "wager": "a wager in a game the house banks",
                "draw": "a draw, after later players had theirs",
            },
            **_SUFFICIENT,
            "chips": {"call": "no more than the call lies there", "above": "more than the call lies there"},
        },
    )
    ACTION_ILLEGAL = (
        "action_illegal",
        "An action is not open to the player",
        {
            "kind": {
                "check_facing_bet": "a check with a bet to meet",
                "check_in_first_round": "a check in the first round",
                "check_in_final_round": "a check in the final round, where it is refused",
                "raise_not_reopened": "a raise where the betting was not reopened",
                "raise_while_restricted": "a raise by a player who may only call or fold",
            },
            "limits": {"fixed": "fixed or structured limits", "open": "pot limit or no limit"},
            **_EARLIER,
        },
    )
    RAISE_LIMIT = "raise_limit", "A raise above the number allowed"
    BET_BETWEEN = (
        "bet_between",
        "More than a call, less than a raise",
        {
            "size": {
                "half_or_more": "half a raise or more",
                "less_than_half": "less than half a raise",
                "keyed_as_call": "meant as a call",
            }
        },
    )
    BET_SHORT = (
        "bet_short",
        "A bet too small",
        {"short_of": {"call": "less than what is to be met", "minimum": "an opening bet below the least"}},
    )
    BET_OVER_LIMIT = "bet_over_limit", "A bet above the limit"
    BETTING_INCOMPLETE = (
        "betting_incomplete",
        "The betting was closed too early",
        {
            "decisions": {
                "pre_flop": "the decisions before the flop, against the house",
                "flop": "those after the flop",
                "river": "those on the river",
                "none": "none: bets between players",
            },
            "noticed": {
                "closed": "as the dealer closes it",
                "card": "as a card shows that waits for it",
                "ended": "as the round is ended",
            },
        },
    )
    PLAYER_EXPOSED = (
        "player_exposed",
        "A player showed cards, or looked at discards",
        {"cards": {"own": "their own", "discards": "discards"}},
    )
    FOLD_EXPOSED = "fold_exposed", "Folded cards were passed wrongly"
    NOT_TABLED = (
        "not_tabled",
        "Hands that must be open lie face down",
        {
            "noticed": {
                "next_card": "as the next card of the board comes, or its burn",
                "mucked": "as one of them goes to the discards or is folded",
                "held": "as one of them goes to the discards or is folded while hand for hand keeps them down",
                "ended": "as the round is ended",
            }
        },
    )
    SETTLED_OUT_OF_ORDER = "settled_out_of_order", "A hand was settled before its turn"
    ROUND_UNFINISHED = (
        "round_unfinished",
        "The round was ended before it was over",
        {
            "left": {
                "deal": "cards of the players to come",
                "cards": "cards of the board to come",
                "betting": "betting to come",
                "hands": "a hand to be shown",
                "claim": "no hand shown that claims the pot",
            }
        },
    )
    NOT_RELEASED = (
        "not_released",
        "A card or hand came before it was released",
        {
            "held": {
                "hand": "the next hand waits for the director",
                "showdown": "an all-in was called hand for hand",
                "race": "a chip race is not finished",
                "break": "a scheduled break is not over",
            }
        },
    )
    RACE_OUT_OF_ORDER = (
        "race_out_of_order",
        "A card of a chip race went to a seat that was not due it",
        {"due": {"later": "the seat's turn comes later", "none": "the seat is due no card"}},
    )
    BUTTON_WRONG = (
        "button_wrong",
        "The button is at the wrong seat",
        {
            "moved": {
                "not_moved": "where it was in the hand before",
                "two_places": "moved two places",
                "elsewhere": "at any other wrong seat",
                "not_drawn": "nowhere yet: a new game that draws for it",
            },
            **_SUFFICIENT,
        },
    )
    TOO_FEW_PLAYERS = (
        "too_few_players",
        "Too few players",
        {
            "deal": {
                "first": "at the table's first deal",
                "later": "at a later deal",
                "unbalanced": "with the table short and the big blind at an empty seat",
            }
        },
    )
    COMMISSION_MISMATCH = "commission_mismatch", "The chips dropped are not the commission due"
    DROPBOX_UNSAFE = "dropbox_unsafe", "The drop box is missing or unlocked"
    COLOUR_CHANGE_UNWITNESSED = "colour_change_unwitnessed", "Commission was changed up unwitnessed"


ANY_IRREGULARITY: Final = "*"
"""The name of a row for every irregularity without a row of its own."""
_ANY_WORDS: Final = "Anything else"

SHOE_MATTERS: Final = frozenset({Irregularity.SHOE_UNAVAILABLE, Irregularity.SHOE_MALFUNCTION})
"""Irregularities whose alarm is that of the shoe's own fault, where it has one."""


def irregularity_in_words(irregularity: Irregularity | str) -> str:
    """Return the words of a row's irregularity, or of the row `*`.

    Raises ValueError for an unknown name.
    """
    return _ANY_WORDS if irregularity == ANY_IRREGULARITY else Irregularity(irregularity).words

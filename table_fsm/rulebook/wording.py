"""The vocabulary of rulebooks in plain words, for books that are printed."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from table_fsm.rulebook.vocabulary import ANY_IRREGULARITY, Irregularity, Outcome

IRREGULARITY_WORDS: Final[Mapping[Irregularity, str]] = MappingProxyType(
    {
        Irregularity.CUT_EXPOSED: "A card was shown in the cut",
        Irregularity.CUT_MISSING: "The cards were not cut",
        Irregularity.CUT_WRONG_PLAYER: "The wrong player cut",
        Irregularity.CUT_TOO_THIN: "The cut was too near the end",
        Irregularity.NOT_SHUFFLED: "The cards were not shuffled",
        Irregularity.DECK_UNCHECKED: "The deck was not checked",
        Irregularity.SHORT_DECK: "The deck is short",
        Irregularity.FOREIGN_CARD: "A card does not belong to the deck",
        Irregularity.DUPLICATE_CARD: "A card came twice",
        Irregularity.WRONG_DECK: "The wrong deck is in use",
        Irregularity.SHOE_MALFUNCTION: "The shoe failed in a round",
        Irregularity.SHOE_UNAVAILABLE: "A device the game needs is not ready",
        Irregularity.CARD_NOT_FROM_SHOE: "A card did not come from the shoe",
        Irregularity.INSUFFICIENT_CARDS: "The cards do not suffice",
        Irregularity.HOLE_EXPOSED: "A hole card was exposed",
        Irregularity.HOLE_EXPOSED_IN_DRAW: "A hole card was exposed in the draw",
        Irregularity.FINAL_HOLE_EXPOSED: "The last hole card was exposed",
        Irregularity.FIRST_CARD_UP: "The first card came face up",
        Irregularity.DEALT_OUT_OF_TURN: "A card was dealt out of turn",
        Irregularity.DEALT_WRONG_FIRST_SEAT: "The first card went to the wrong seat",
        Irregularity.PLAYER_MISSED: "A player was missed",
        Irregularity.EXTRA_HAND: "A seat not in the deal got a card",
        Irregularity.EXCESS_CARD: "A player got a card too many",
        Irregularity.WRONG_CARD_COUNT: "A hand has the wrong number of cards",
        Irregularity.CARDS_MIXED: "Cards of two hands were mixed",
        Irregularity.CARD_LEFT_TABLE: "A card left the table",
        Irregularity.MUCKED_CARD_RETURNED: "A discarded card came back",
        Irregularity.BOXED_CARD: "A card lay face up in the pack",
        Irregularity.DEAL_REVEALED: "A card was seen during the deal",
        Irregularity.DEALER_HAND_EXPOSED: "A card of the dealer's hand was seen",
        Irregularity.HAND_WITHOUT_WAGER: "A box without wagers got a hand",
        Irregularity.BOARD_PREMATURE: "A board card came before the betting ended",
        Irregularity.BOARD_EARLY: "A board card came before the betting began",
        Irregularity.BOARD_OVERDEALT: "The board got a card too many",
        Irregularity.BURN_MISSING: "No card was burnt",
        Irregularity.BURN_EXTRA: "A card too many was burnt",
        Irregularity.BURN_EXPOSED: "The burn card was shown",
        Irregularity.WAGER_AFTER_DEAL: "A wager was changed after the first card",
        Irregularity.WAGER_INVALID: "A wager is not as the rules have it",
        Irregularity.NO_DECISION: "A player did not decide in time",
        Irregularity.CLOCK_EXPIRED: "A player's clock ran out",
        Irregularity.ACTION_OUT_OF_TURN: "A player acted out of turn",
        Irregularity.ACTION_ILLEGAL: "An action is not open to the player",
        Irregularity.RAISE_LIMIT: "A raise above the number allowed",
        Irregularity.BET_BETWEEN: "More than a call, less than a raise",
        Irregularity.BET_SHORT: "Less than a call",
        Irregularity.BET_OVER_LIMIT: "A bet above the limit",
        Irregularity.BETTING_INCOMPLETE: "The betting was closed too early",
        Irregularity.PLAYER_EXPOSED: "A player showed their own cards",
        Irregularity.FOLD_EXPOSED: "Folded cards were passed wrongly",
        Irregularity.NOT_TABLED: "Hands that must be open lie face down",
        Irregularity.NOT_RELEASED: "A card or hand came before it was released",
        Irregularity.BUTTON_WRONG: "The button is at the wrong seat",
        Irregularity.TOO_FEW_PLAYERS: "Too few players",
        Irregularity.COMMISSION_MISMATCH: "The chips dropped are not the commission due",
        Irregularity.DROPBOX_UNSAFE: "The drop box is missing or unlocked",
        Irregularity.COLOUR_CHANGE_UNWITNESSED: "Commission was changed up unwitnessed",
    }
)

FACT_WORDS: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {
        ("noticed", "first_card"): "noticed at the first card",
        ("noticed", "first_bet"): "noticed at the first bet",
        ("noticed", "before_wager"): "noticed before the first wager",
        ("noticed", "after_wager"): "noticed after the first wager",
        ("noticed", "deal"): "noticed in the deal",
        ("noticed", "betting"): "noticed once betting has begun",
        ("noticed", "showdown"): "noticed at the showdown",
        ("noticed", "fault"): "as the fault is reported",
        ("noticed", "start"): "as a round would start",
        ("deal", "first"): "at the table's first deal",
        ("deal", "later"): "at a later deal",
        ("pack", "deck"): "the whole deck",
        ("pack", "stub"): "the undealt cards",
        ("pack", "sorted"): "the order of the cards seen",
        ("found", "between"): "found by a count between rounds",
        ("found", "count_in_round"): "found by a count in a round",
        ("found", "identity"): "seen by the readers in a round",
        ("found", "readers"): "the shoe gave a card that no reader saw",
        ("found", "over_rounds"): "by what was seen over many rounds",
        ("during", "deal"): "in the initial deal",
        ("during", "later"): "after the initial deal",
        ("sufficient", "yes"): "after sufficient action",
        ("sufficient", "no"): "before sufficient action",
        ("which", "first_two"): "one of the first two cards of the deal",
        ("which", "other"): "neither of the first two nor the last card of the deal",
        ("which", "last"): "the last card of the deal",
        ("by", "dealer"): "by the dealer",
        ("by", "player"): "by a player",
        ("hand", "button_one_card"): "the player on the button holds one card",
        ("hand", "other"): "any other wrong number, or another player",
        ("fault", "jam"): "jam",
        ("fault", "misfeed"): "misfeed",
        ("fault", "double_feed"): "double feed",
        ("fault", "power"): "power",
        ("fault", "motor"): "motor",
        ("fault", "sensor"): "sensor",
        ("fault", "cards_damaged"): "damaged cards",
        ("fault", "shuffle_failed"): "shuffle failed",
        ("fault", "lid_open"): "lid open",
        ("fault", "comms"): "no answer from the shoe",
        ("burn", "on"): "cards are burnt",
        ("burn", "off"): "no cards are burnt",
        ("exposed", "one"): "it is the only one",
        ("exposed", "same_player"): "another of that player's was seen before",
        ("exposed", "other_player"): "another player's was seen before",
        ("looked", "no"): "nobody looked",
        ("looked", "yes"): "somebody looked",
        ("looked", "unknown"): "the table cannot tell a look",
        ("play_wager", "none"): "no play wager made",
        ("play_wager", "made"): "a play wager made",
        ("facing_bet", "yes"): "there is a bet to meet",
        ("facing_bet", "no"): "there is no bet to meet",
        ("facing_bet", "unknown"): "the table cannot tell a bet",
        ("begun", "no"): "the betting on the card before had not begun",
        ("begun", "unknown"): "the table cannot tell whether that betting had begun",
        ("clock", "called"): "on a clock that was called",
        ("clock", "action"): "on the action clock",
        ("replaced", "yes"): "replacement cards",
        ("replaced", "no"): "no replacement cards",
        ("earlier", "same"): "the players before changed nothing",
        ("earlier", "more"): "a player before bet or raised",
        ("passed_over", "acted"): "a player before checked, called or bet",
        ("passed_over", "folded"): "all players before folded",
        ("action", "bet"): "a bet or raise",
        ("action", "check"): "a check",
        ("action", "wager"): "a wager in a game the house banks",
        ("limits", "fixed"): "fixed or structured limits",
        ("limits", "open"): "pot limit or no limit",
        ("kind", "check_facing_bet"): "a check with a bet to meet",
        ("kind", "check_in_first_round"): "a check in the first round",
        ("kind", "raise_not_reopened"): "a raise where the betting was not reopened",
        ("kind", "raise_while_restricted"): "a raise by a player who may only call or fold",
        ("kind", "trips_alone"): "trips without ante and blind",
        ("kind", "ante_unlike_blind"): "ante and blind not equal",
        ("kind", "below_minimum"): "below the minimum",
        ("kind", "wrong_multiple"): "a play wager of a wrong multiple",
        ("kind", "second_play"): "a second play wager",
        ("kind", "not_allowed"): "no wager is open to this player",
        ("kind", "too_early"): "before all cards have been dealt",
    }
)

OUTCOME_WORDS: Final[Mapping[Outcome, str]] = MappingProxyType(
    {
        Outcome.MISDEAL: "misdeal",
        Outcome.VOID_ROUND: "the round is void",
        Outcome.VOID_HAND: "that hand is void",
        Outcome.DEAD_HAND: "the hand is dead",
        Outcome.FOLD_HAND: "the hand is folded",
        Outcome.CHECK_HAND: "the player has checked",
        Outcome.PLAY_ON: "play on",
        Outcome.WARN: "tell the dealer, play on",
        Outcome.RECONSTRUCT: "put the cards where they belong",
        Outcome.REPLACE_WITH_FIRST_BURN: "replace the card with the first burn card",
        Outcome.NO_BURN_BEFORE_FLOP: "no burn before the flop",
        Outcome.NEXT_CARDS_DOWN: "the player's next two cards come face down",
        Outcome.CLOSED_CARD_NEXT_ROUND: "the card stands, the next comes face down",
        Outcome.TWO_CONSECUTIVE_CARDS: "the last to receive gets two cards in a row",
        Outcome.DEAL_MISSING_CARD: "deal the missing card",
        Outcome.USE_IN_SEQUENCE: "the card stays and is used in its turn",
        Outcome.TAKE_CARD: "the player whose turn it is takes the card",
        Outcome.RESHUFFLE_INTO_STUB: "shuffle the card into the undealt cards",
        Outcome.BURN_TO_PLAYER_COUNT: "burn as many cards as there are active players",
        Outcome.CAP_BETS_AT_LARGEST: "no bet above the largest already made",
        Outcome.CAP_BETS_AT_MINIMUM: "no bet above the table minimum",
        Outcome.OPEN_FINAL_ROUND: "the player opens the last betting round",
        Outcome.FINAL_CARD_COMMUNAL: "one open card is everyone's last card",
        Outcome.RANDOM_FLOP_FROM_FOUR: "the floor draws the flop from the four",
        Outcome.TREAT_AS_BURN: "the card becomes the burn, the next takes its place",
        Outcome.KEEP_AND_BURN_NEXT: "the cards stand, the next becomes their burn",
        Outcome.SHOW_CARD: "show the card to the table",
        Outcome.CHECK_DECK: "count and check the deck before its next use",
        Outcome.REPLACE_SHOE: "the shoe may be replaced, with new cards",
        Outcome.RETURN_BET: "return the bet",
        Outcome.RETURN_EXCESS: "return what is too much",
        Outcome.BINDING: "the action stands",
        Outcome.MAY_CALL_OR_FOLD: "the player may call or fold",
        Outcome.ALL_OPTIONS: "everything is open to the player",
        Outcome.TREAT_AS_CALL: "it is a call",
        Outcome.COMPLETE_RAISE: "it is made a full raise",
        Outcome.ADD_OR_FOLD: "the player adds what is missing, or folds",
        Outcome.PENALTY_FLOOR: "play on, the floor may penalise",
        Outcome.CALL_FLOOR: "stop, a person decides",
        Outcome.STOP_TABLE: "deal nothing until it is cleared",
    }
)


def irregularity_in_words(irregularity: Irregularity | str) -> str:
    """What went wrong, as the beginning of a sentence."""
    if irregularity == ANY_IRREGULARITY:
        return "Anything else"
    return IRREGULARITY_WORDS[Irregularity(irregularity)]


def fact_in_words(fact: str, values: tuple[str, ...], domain: tuple[str, ...]) -> str:
    """A condition: one of `values`; where only a few of a long `domain` are left out, those are named."""
    rest = tuple(value for value in domain if value not in values)
    if len(domain) > 4 and 0 < len(rest) < len(values):
        return f"not: {' or '.join(FACT_WORDS[fact, value] for value in rest)}"
    return " or ".join(FACT_WORDS[fact, value] for value in values)


def count_in_words(number: int) -> str:
    """`one` to `five` as words, other numbers as figures."""
    words = ("no", "one", "two", "three", "four", "five")
    return words[number] if 0 <= number < len(words) else str(number)

"""The betting and the showdown of a book between players, as a regulator reads them."""

from collections.abc import Iterator
from typing import Final

from feltd.books.print.numbers import count_in_words
from table_fsm.rulebook.book import Rulebook
from table_fsm.rulebook.model import BettingRules
from toml_text.words import values_in_words

_LEAST_BETS: Final = {
    "ante": "No bet or raise is less than the ante",
    "blind": "No bet or raise is less than the option table_min, else the last blind, else the ante",
    "table_minimum": "No bet or raise is less than the option table_min, else the last blind",
}


def betting_sentences(rulebook: Rulebook) -> Iterator[str]:
    """What a book between players says of betting and the showdown, a sentence each."""
    yield from _raises(rulebook.betting)
    yield from _checks_and_bets(rulebook.betting)
    yield from _pots_and_hands(rulebook)
    yield from _out_of_turn(rulebook.betting)
    yield from _all_in(rulebook)
    yield from _showdown(rulebook)


def _raises(betting: BettingRules) -> Iterator[str]:
    if betting.raise_cap is not None:
        but = f", but for {values_in_words(betting.uncapped_streets)}" if betting.uncapped_streets else ""
        lifted = "; between two players without limit" if betting.cap_lifted_heads_up else ""
        if betting.cap_lifted_for_last_two:
            lifted += "; between the last two of a tournament without limit"
        antes = "" if betting.cap_on_antes else ", not on antes"
        games = values_in_words(betting.capped).replace("_", " ")
        yield f"At most {betting.raise_cap} raises in a betting round{but}, in games of: {games}{antes}{lifted}"


def _checks_and_bets(betting: BettingRules) -> Iterator[str]:
    if betting.first_round_check == "last_blind_only":
        yield "In the first round nobody checks but a blind that meets the bet"
    if betting.first_round_check == "nobody":
        yield "In the first round nobody checks"
    if betting.last_check == "beats_open_cards":
        yield "After a check in the last round only who can beat that player's open cards may check too"
    if betting.ante == "table_minimum":
        yield "Every player antes the table minimum before the deal"
    if betting.least_bet != "any":
        yield _LEAST_BETS[betting.least_bet]
    if betting.least_raise == "amount_to_call":
        yield "A raise is no less than what its player had to add to call"
    if betting.under_raise == "completed":
        yield "At fixed or structured limits an under-raise may be raised to the structured level"


def _pots_and_hands(rulebook: Rulebook) -> Iterator[str]:
    if rulebook.book.showdown.awarded_first == "side_pots":
        yield "Players in a side pot show first, and side pots are awarded before the main pot"
    if rulebook.book.showdown.no_right_hand == "last_fold_wins":
        yield "Where nobody left holds the right number of cards, the last player to fold wins"
    if rulebook.book.dealing.burn_stays:
        yield "A burn made before a board card that came too soon stays the burn of that street"
    if rulebook.betting.after_misdeal == "all_back":
        yield "After a misdeal blinds and antes go back too"
    if rulebook.book.dealing.boxed_counts:
        yield "A boxed card that comes to a player in the initial deal counts as an exposed hole card"
    if rulebook.book.dealing.excess_from > 1:
        too_many = count_in_words(rulebook.book.dealing.excess_from)
        yield f"{too_many.capitalize()} cards too many are an excess; fewer are a hand with the wrong number of cards"


def _out_of_turn(betting: BettingRules) -> Iterator[str]:
    if betting.action_changed_by == "any_bet":
        yield "An action out of turn is changed by any bet or raise before it"
    if betting.out_of_turn_folds == "ruled":
        yield "A fold out of turn stands, and brings a ruling as its turn comes"
    if betting.out_of_turn_stands == "after_sufficient_action":
        yield "Actions out of turn stand once sufficient action has followed a player who was skipped"
    if betting.mucked_raise == "uncalled_goes_back":
        yield "A raise that nobody has called goes back when its player's hand is mucked with no fold"
    if betting.out_of_turn_chips == "go_back":
        yield "Chips put in out of turn go back at once where the action has changed"


def _all_in(rulebook: Rulebook) -> Iterator[str]:
    twice = rulebook.book.run_twice
    if twice.used:
        yield (
            f"All in with a pot above {twice.above_big_blinds} big blinds the board may be run twice; that needs, "
            f"in the last {twice.witness_seconds} seconds, one badge of: {', '.join(twice.roles)}"
        )
    if rulebook.showdown.all_in == "before_the_next_card":
        yield "All in and nothing more to bet: hands are tabled before the next card of the board"
    if rulebook.betting.short_all_in == "reopens":
        yield "After an all-in short of a raise those who have acted may raise again"
    else:
        yield "After an all-in short of a raise those who have acted may only call"


def _showdown(rulebook: Rulebook) -> Iterator[str]:
    showdown = rulebook.showdown
    made = {
        "any_five": "any five of own and communal cards",
        "two_of_four": "two of four own cards and three communal ones",
        "two_of_three": "two of three own cards and three communal ones",
        "five_held": "the five own cards",
    }
    yield f"A hand is made of {made[rulebook.book.hands.selection]}"
    first = {
        "last_aggressor": "the last to bet or raise",
        "last_street_aggressor": "the last to bet or raise on the last street, else the first after the button,",
        "last_called": "the player called in the last betting round, else the first after the button,",
        "after_button": "the first after the button",
    }
    blind = ", the big blind counting as a bet" if showdown.blind_is_aggressive else ""
    yield f"At the showdown {first[showdown.first]} shows first{blind}"
    yield "An odd amount goes to the first winner after the button"
    if showdown.cards_hidden == "until_won":
        yield "Once a hand has won, players may show their cards"

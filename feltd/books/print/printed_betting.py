"""The betting and the showdown of a book between players, as a regulator reads them."""

from collections.abc import Iterator

from feltd.books.print.phrases import (
    GAMES,
    LEAST_BETS,
    MADE_OF,
    SHOWS_FIRST,
    count_in_words,
    listed,
    named,
    people_words,
    street_words,
)
from feltd.text.catalogue import say
from table_fsm.rulebook.book import Rulebook
from table_fsm.rulebook.model import BettingRules


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
        streets = ", ".join(map(street_words, betting.uncapped_streets))
        but = say(", but for {streets}", streets=streets) if streets else ""
        lifted = say("; between two players without limit") if betting.cap_lifted_heads_up else ""
        if betting.cap_lifted_for_last_two:
            lifted += say("; between the last two of a tournament without limit")
        antes = "" if betting.cap_on_antes else say(", not on antes")
        counted = say(
            "At most {count} raises in a betting round{but}, in games of: {games}",
            count=betting.raise_cap,
            but=but,
            games=listed(GAMES, betting.capped),
        )
        yield f"{counted}{antes}{lifted}"


def _checks_and_bets(betting: BettingRules) -> Iterator[str]:
    if betting.first_round_check == "last_blind_only":
        yield say("In the first round nobody checks but a blind that meets the bet")
    if betting.first_round_check == "nobody":
        yield say("In the first round nobody checks")
    if betting.last_check == "beats_open_cards":
        yield say("After a check in the last round only who can beat that player's open cards may check too")
    if betting.ante == "table_minimum":
        yield say("Every player antes the table minimum before the deal")
    if betting.least_bet != "any":
        yield named(LEAST_BETS, betting.least_bet)
    if betting.least_raise == "amount_to_call":
        yield say("A raise is no less than what its player had to add to call")
    if betting.under_raise == "completed":
        yield say("At fixed or structured limits an under-raise may be raised to the structured level")


def _pots_and_hands(rulebook: Rulebook) -> Iterator[str]:
    if rulebook.book.showdown.awarded_first == "side_pots":
        yield say("Players in a side pot show first, and side pots are awarded before the main pot")
    if rulebook.book.showdown.no_right_hand == "last_fold_wins":
        yield say("Where nobody left holds the right number of cards, the last player to fold wins")
    if rulebook.book.dealing.burn_stays:
        yield say("A burn made before a board card that came too soon stays the burn of that street")
    if rulebook.betting.after_misdeal == "all_back":
        yield say("After a misdeal blinds and antes go back too")
    if rulebook.book.dealing.boxed_counts:
        yield say("A boxed card that comes to a player in the initial deal counts as an exposed hole card")
    if rulebook.book.dealing.excess_from > 1:
        too_many = count_in_words(rulebook.book.dealing.excess_from)
        yield say(
            "{count} cards too many are an excess; fewer are a hand with the wrong number of cards",
            count=too_many.capitalize(),
        )


def _out_of_turn(betting: BettingRules) -> Iterator[str]:
    if betting.action_changed_by == "any_bet":
        yield say("An action out of turn is changed by any bet or raise before it")
    if betting.out_of_turn_folds == "ruled":
        yield say("A fold out of turn stands, and brings a ruling as its turn comes")
    if betting.out_of_turn_stands == "after_sufficient_action":
        yield say("Actions out of turn stand once sufficient action has followed a player who was skipped")
    if betting.mucked_raise == "uncalled_goes_back":
        yield say("A raise that nobody has called goes back when its player's hand is mucked with no fold")
    if betting.out_of_turn_chips == "go_back":
        yield say("Chips put in out of turn go back at once where the action has changed")


def _all_in(rulebook: Rulebook) -> Iterator[str]:
    twice = rulebook.book.run_twice
    if twice.used:
        yield say(
            "All in with a pot above {blinds} big blinds the board may be run twice; that needs, "
            "in the last {seconds} seconds, one badge of: {roles}",
            blinds=twice.above_big_blinds,
            seconds=twice.witness_seconds,
            roles=people_words(twice.roles),
        )
    if rulebook.showdown.all_in == "before_the_next_card":
        yield say("All in and nothing more to bet: hands are tabled before the next card of the board")
    if rulebook.betting.short_all_in == "reopens":
        yield say("After an all-in short of a raise those who have acted may raise again")
    else:
        yield say("After an all-in short of a raise those who have acted may only call")


def _showdown(rulebook: Rulebook) -> Iterator[str]:
    showdown = rulebook.showdown
    yield say("A hand is made of {cards}", cards=named(MADE_OF, rulebook.book.hands.selection))
    blind = say(", the big blind counting as a bet") if showdown.blind_is_aggressive else ""
    yield say("At the showdown {who} shows first", who=named(SHOWS_FIRST, showdown.first)) + blind
    yield say("An odd amount goes to the first winner after the button")
    if showdown.cards_hidden == "until_won":
        yield say("Once a hand has won, players may show their cards")

"""The checker: one fault put into a good book at a time, each found and named."""

from typing import Any

import pytest

from table_fsm.rulebook import Rulebook, check_book
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Book
from tests.table_fsm.some_gravity import GRAVITY

LAST = {
    "irregularity": "*",
    "outcome": "call_floor",
    "authority": "supervisor",
    "rule": "9",
    "text": "Call the supervisor.",
}
FOLD = {
    "irregularity": "clock_expired",
    "when": {"facing_bet": "yes"},
    "outcome": "fold_hand",
    "rule": "1",
    "text": "Fold.",
}
CHECK = {"irregularity": "clock_expired", "outcome": "check_hand", "rule": "2", "text": "Check."}
HOLE = [{"name": "pre_flop", "deal": [{"to": "seats", "cards": 2}]}]
GOOD: dict[str, Any] = {
    "id": "good",
    "title": "A good book",
    "amounts": {"unit": "points"},
    "streets": [*HOLE, {"name": "flop", "burn": True, "deal": [{"to": "board", "cards": 3, "face": "up"}]}],
    "rulings": [FOLD, CHECK, LAST],
    "precedence": GRAVITY,
    "behaviours": [{"rule": "3", "text": "The table does this."}],
}
HOUSE: dict[str, Any] = GOOD | {
    "banked": "house",
    "streets": [
        {
            "name": "pre_flop",
            "deal": [
                {"to": "board", "cards": 3, "at_a_time": 3},
                {"to": "boxes", "cards": 2},
                {"to": "dealer", "cards": 2},
            ],
            "play_multiples": [3, 4],
        },
        {"name": "flop", "turn": ["board:1", "board:2", "board:3"], "play_multiples": [2]},
    ],
}


def check(book: dict[str, Any], *row_sources: str) -> list[str]:
    return check_book(Rulebook(Book.model_validate(book), row_sources or None))


@pytest.mark.parametrize("book", [GOOD, HOUSE])
def test_a_good_book_has_no_fault(book: dict[str, Any]) -> None:
    assert check(book) == []


# --- complete


def test_an_irregularity_without_a_row_is_a_gap_with_its_cases() -> None:
    found = check(GOOD | {"rulings": [FOLD]})
    cases = " | ".join(
        f"facing_bet = {bet}; clock = {clock}" for bet in ("no", "unknown") for clock in ("called", "action")
    )
    assert f"rulings: no row answers clock_expired ({cases}); add one, or a row '*'" in found
    assert "rulings: no row answers deal_revealed (always); add one, or a row '*'" in found
    cut = "noticed = first_card | noticed = first_bet | noticed = stub"
    assert any(f"no row answers cut_missing ({cut})" in fault for fault in found)


def test_a_book_without_a_row_for_the_rest_is_complete_when_it_answers_all() -> None:
    rows = [{"irregularity": each.value, "outcome": "warn", "rule": "1", "text": "Go on."} for each in Irregularity]
    assert check(GOOD | {"rulings": rows}) == []
    assert check(GOOD | {"rulings": [*rows, LAST]}) == [
        f"rulings (row {len(rows) + 1}, *, 9): dead row: every case has a row already; leave it out, or narrow those"
    ]


# --- dead rows


def test_a_row_below_one_that_takes_all_is_dead() -> None:
    assert check(GOOD | {"rulings": [CHECK, FOLD, LAST]}) == [
        "rulings (row 2, clock_expired, 1): dead row: the rows above it (2) take every case of clock_expired it would; "
        "leave it out, or narrow those"
    ]


def test_a_row_whose_cases_several_rows_share_is_dead() -> None:
    other = FOLD | {"when": {"facing_bet": ["no", "unknown"]}, "rule": "1(b)"}
    found = check(GOOD | {"rulings": [FOLD, other, CHECK, LAST]})
    assert [fault.split(": ")[1] for fault in found] == ["dead row"]
    assert "the rows above it (1, 1(b)) take every case" in found[0]


def test_a_second_row_for_the_rest_is_dead() -> None:
    assert "(row 4, *, 9): dead row" in check(GOOD | {"rulings": [FOLD, CHECK, LAST, LAST]})[0]


def test_a_row_below_the_row_for_the_rest_stands_wrong() -> None:
    assert check(GOOD | {"rulings": [FOLD, LAST, CHECK]}) == [
        "rulings (row 3, clock_expired, 2): stands below the row '*', which takes whatever is left; move '*' to the end"
    ]


def test_rows_of_a_base_that_are_overridden_do_not_count() -> None:
    book = GOOD | {"rulings": [CHECK, FOLD, LAST]}
    assert check(book, "good", "a-base", "a-base") == []
    assert len(check(book, "good", "good", "a-base")) == 1


def test_a_row_for_the_rest_has_no_conditions() -> None:
    assert check(GOOD | {"rulings": [FOLD, CHECK, LAST | {"when": {"looked": "yes"}}]})[0] == (
        "rulings.when (row 3, *, 9): the row '*' takes whatever is left and has no conditions; leave `when` out"
    )


# --- authority


@pytest.mark.parametrize("outcome", ["call_floor", "stop_table"])
@pytest.mark.parametrize("where", ["outcome", "also"])
def test_where_a_person_decides_it_is_not_the_dealer(outcome: str, where: str) -> None:
    row = CHECK | ({"outcome": outcome} if where == "outcome" else {"also": [outcome]})
    assert check(GOOD | {"rulings": [FOLD, row, LAST]}) == [
        f"rulings.authority (row 2, clock_expired, 2): a person other than the dealer decides after {outcome}; "
        "allowed: supervisor, director"
    ]
    for person in ("supervisor", "director"):
        assert check(GOOD | {"rulings": [FOLD, row | {"authority": person}, LAST]}) == []


def test_rows_of_a_base_are_looked_at_too() -> None:
    row = CHECK | {"text": "No stop"}
    assert len(check(GOOD | {"rulings": [FOLD, row, LAST]}, "good", "a-base", "a-base")) == 1


# --- texts


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Stop the game", '"Stop the game" does not end with a stop; each sentence does'),
        ("One. Two. Three. Four.", "4 sentences; a dealer reads at most 3"),
        ("One. two.", '"two." begins a sentence and has no capital letter'),
        ("Stop the  game.", "stray blanks or lines; write it in one line with one blank between the words"),
        ("Stop\nthe game.", "stray blanks or lines; write it in one line with one blank between the words"),
        (" Stop it.", "stray blanks or lines; write it in one line with one blank between the words"),
    ],
)
def test_texts_are_plain_sentences(text: str, says: str) -> None:
    assert check(GOOD | {"rulings": [FOLD, CHECK | {"text": text}, LAST]}) == [
        f"rulings.text (row 2, clock_expired, 2): {says}"
    ]
    assert check(GOOD | {"behaviours": [{"rule": "3", "text": text}]}) == [f"behaviours.text: {says}"]


def test_a_clause_in_brackets_within_a_sentence_is_no_end_of_one() -> None:
    assert check(GOOD | {"rulings": [FOLD, CHECK | {"text": "By 19.1(c) it is so. By 7.2 too. And by 3."}, LAST]}) == []


# --- streets and the rest of the book


def with_streets(*streets: dict[str, Any], of: dict[str, Any] = GOOD) -> dict[str, Any]:
    return of | {"streets": list(streets)}


BOARD = {"to": "board", "cards": 3, "face": "up"}
DOWN = {"to": "board", "cards": 3}
HANDS = HOLE[0]


@pytest.mark.parametrize(
    ("book", "says"),
    [
        (with_streets(), "streets: the book has no streets: say what is dealt, in one [[streets]] or more"),
        (with_streets(HANDS, HANDS), 'streets.name: "pre_flop" is the name'),
        (
            with_streets({"name": "pre_flop", "deal": [{"to": "seats", "cards": 2, "at_a_time": 3}]}),
            "streets.deal.at_a_time: 3 at a time of 2; allowed: 1 to 2",
        ),
        (
            with_streets({"name": "pre_flop", "deal": [{"to": "boxes", "cards": 2}]}),
            'streets.deal.to: "boxes" is dealt to in games that the house banks; allowed: seats, board',
        ),
        (
            with_streets({"name": "pre_flop", "deal": [{"to": "dealer", "cards": 2}]}),
            'streets.deal.to: "dealer" is dealt to in games',
        ),
        (
            with_streets(HANDS | {"play_multiples": [2]}),
            "streets.play_multiples: play wagers belong to games that the house banks",
        ),
        (
            with_streets(HANDS | {"play_multiples": [0]}, of=HOUSE),
            "streets.play_multiples: [0] is not allowed; allowed: whole numbers from 1",
        ),
        (
            with_streets(HANDS, {"name": "flop", "deal": [BOARD]}, {"name": "turn", "deal": [BOARD]}),
            "streets.deal: the board's card 6 is dealt; it has 5 zones, and each is dealt once",
        ),
        (
            with_streets(HANDS, {"name": "flop", "deal": [DOWN, DOWN]}),
            "streets.deal: the board's card 6 is dealt; it has 5 zones, and each is dealt once",
        ),
        (
            with_streets(HANDS, {"name": "flop", "turn": ["board:1"]}),
            "streets.turn: board:1 does not lie face down here",
        ),
        (
            with_streets(HANDS, {"name": "flop", "deal": [BOARD], "turn": ["board:1"]}),
            "streets.turn: board:1 does not lie face down here",
        ),
        (
            with_streets(
                HANDS | {"deal": [DOWN]}, {"name": "flop", "turn": ["board:1", "board:2", "board:3", "board:1"]}
            ),
            "streets.turn: board:1 does not lie face down here",
        ),
        (
            with_streets(HANDS | {"deal": [DOWN]}, {"name": "flop", "turn": ["board:1"]}),
            "streets: no street turns board:2, board:3, dealt face down",
        ),
        (
            with_streets(
                {"name": "pre_flop", "deal": [{"to": "seats", "cards": 5}]},
                {"name": "flop", "burn": True, "deal": [BOARD]},
            ),
            "streets: a round of 10 seats takes 54 cards, the deck has 52; take fewer",
        ),
        (GOOD | {"deck": {"size": 50}}, "deck.size: 50 is not allowed; allowed: 52, 48, 44, 40, 36, 32"),
        (
            GOOD | {"options": {"deck": {"kind": "number", "values": [52, 30]}}},
            "options.deck.values: 30 is not allowed; allowed: 52, 48, 44, 40, 36, 32",
        ),
        (
            GOOD | {"options": {"seats_max": {"kind": "number", "default": 11}}},
            "options.seats_max.default: 11 is not allowed; allowed: 2 to 10",
        ),
        (
            GOOD | {"options": {"burn": {"kind": "number", "values": [0], "default": 1}}},
            "options.burn.default: 1 is not allowed; allowed: 0",
        ),
        (
            GOOD | {"seats": {"most": 4, "least_players": 5}},
            "seats.least_players: 5 players are asked for at 4 seats; allowed: 1 to 4",
        ),
        (
            GOOD | {"deck": {"replacement_badges": ["superviser"]}},
            'deck.replacement_badges: "superviser" is not allowed; allowed: supervisor, inspector, ',
        ),
        (GOOD | {"box": {"witness_roles": ["guest"]}}, 'box.witness_roles: "guest" is not allowed'),
        (
            GOOD | {"betting": {"uncapped_streets": ["rivr"]}},
            'betting.uncapped_streets: "rivr" is not allowed; allowed: pre_flop, flop',
        ),
        (
            GOOD | {"clock": {"seconds": 30, "warnings": [10, 30]}},
            "clock.warnings: 30 seconds left is no moment of this clock; allowed: 1 to 29",
        ),
        (GOOD | {"clock": {"warnings": [0]}}, "clock.warnings: 0 seconds left is no moment of this clock; allowed: 1"),
    ],
)
def test_one_fault_is_found_and_it_alone(book: dict[str, Any], says: str) -> None:
    found = check(book)
    assert len(found) == 1, found
    assert found[0].startswith(says)


def test_the_largest_burn_counts_towards_the_cards_needed() -> None:
    streets = [{"name": "pre_flop", "burn": True, "deal": [{"to": "seats", "cards": 5}]}]
    book = GOOD | {"streets": streets, "options": {"burn": {"kind": "number", "values": [0, 3], "default": 0}}}
    assert "takes 53 cards, the deck has 52" in check(book)[0]
    assert "takes 53 cards" not in str(check(book | {"deck": {"joker": True}}))


def test_the_decks_default_size_is_what_the_deal_must_fit() -> None:
    book = GOOD | {"options": {"deck": {"kind": "number", "values": [52, 32], "default": 32}}, "seats": {"most": 10}}
    assert check(book) == []
    four_each = [{"name": "pre_flop", "deal": [{"to": "seats", "cards": 4}]}]
    assert "takes 40 cards, the deck has 32" in check(book | {"streets": four_each})[0]


def test_a_book_that_says_what_happens_when_cards_run_out_may_deal_more() -> None:
    row = {
        "irregularity": "insufficient_cards",
        "outcome": "final_card_communal",
        "rule": "4",
        "text": "One card for all.",
    }
    streets = [
        {"name": "third", "deal": [{"to": "seats", "cards": 5}]},
        {"name": "fourth", "deal": [{"to": "seats", "cards": 2}]},
    ]
    assert check(GOOD | {"streets": streets, "rulings": [row, LAST], "seats": {"most": 8}}) == []


def test_an_abstract_book_need_not_be_complete() -> None:
    assert check(GOOD | {"abstract": True, "streets": [], "rulings": [FOLD]}) == []
    assert len(check(GOOD | {"abstract": True, "streets": [], "rulings": [CHECK, FOLD]})) == 1

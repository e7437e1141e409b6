"""Which of the faults of one event are ruled on: the law by itself, and that it is one for every book."""

from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from random import Random
from typing import Any

import pytest

from table_fsm.rulebook import Rulebook, check_book
from table_fsm.rulebook.irregularities import ANY_IRREGULARITY, Irregularity
from table_fsm.rulebook.model import Book, PrecedenceRules, Row, StandsRow
from table_fsm.rulebook.outcomes import Outcome
from table_fsm.rulebook.precedence import Precedence
from table_fsm.rulebook.precedence_checks import precedence_faults, stands_faults
from table_fsm.rulebook.subjects import SUBJECT_OF
from tests.table_fsm.some_gravity import GRAVITY
from tests.table_fsm.streams import books

BOOKS = [
    "act-2001-draw",
    "act-2001-manila",
    "act-2001-omaha",
    "act-2001-stud7",
    "act-2019-uth",
    "onyx-tournament",
    "star-2025-holdem",
    "tas-2018-holdem",
    "tas-2018-stud5",
]


@dataclass(frozen=True, eq=False)
class Found:
    """A fault as the law sees it."""

    irregularity: Irregularity
    row: Row
    seat: int | None = None
    deck: str | None = None


def found(irregularity: Irregularity, outcome: Outcome, seat: int | None = None, *also: Outcome) -> Found:
    row = Row(irregularity=irregularity, outcome=outcome, also=also, rule="1", text="A text.")
    return Found(irregularity, row, seat)


def book(**rules: Any) -> Book:
    return Book.model_validate({"id": "b", "title": "B", "precedence": GRAVITY, **rules})


def ruled(*faults: Found, earlier: tuple[Found, ...] = (), **rules: Any) -> list[str]:
    standing = Precedence.of(book(**rules)).standing(faults, earlier)
    return [fault.irregularity.value for fault in standing]


MISDEAL = found(Irregularity.HOLE_EXPOSED, Outcome.MISDEAL, 2)
THIN = found(Irregularity.CUT_TOO_THIN, Outcome.WARN)
RECONSTRUCT = found(Irregularity.DEALT_OUT_OF_TURN, Outcome.RECONSTRUCT, 2)
UNCHECKED = found(Irregularity.DECK_UNCHECKED, Outcome.STOP_TABLE)


def test_every_irregularity_has_a_subject() -> None:
    assert set(SUBJECT_OF) == set(Irregularity)


def test_what_ends_the_round_hides_what_only_that_round_needs() -> None:
    assert ruled(RECONSTRUCT, MISDEAL) == ["hole_exposed"]


def test_a_warning_stands_beside_a_misdeal_and_before_it() -> None:
    assert ruled(MISDEAL, THIN) == ["cut_too_thin", "hole_exposed"]


def test_a_stop_for_the_pack_outlasts_a_misdeal() -> None:
    assert ruled(UNCHECKED, MISDEAL) == ["deck_unchecked", "hole_exposed"]


def test_two_that_end_the_round_are_one_and_the_pack_is_checked() -> None:
    joker = found(Irregularity.FOREIGN_CARD, Outcome.MISDEAL, None, Outcome.CHECK_DECK)
    assert ruled(MISDEAL, joker) == ["foreign_card"]
    assert ruled(MISDEAL, found(Irregularity.CUT_MISSING, Outcome.MISDEAL)) == ["cut_missing"]


def test_one_subject_at_one_seat_is_one_matter() -> None:
    missed = found(Irregularity.PLAYER_MISSED, Outcome.RECONSTRUCT, 2)
    dead = found(Irregularity.WRONG_CARD_COUNT, Outcome.FOLD_HAND, 2)
    assert ruled(missed, dead) == ["wrong_card_count"]
    elsewhere = found(Irregularity.WRONG_CARD_COUNT, Outcome.FOLD_HAND, 3)
    assert ruled(missed, elsewhere) == ["player_missed", "wrong_card_count"]


def test_one_fault_found_twice_is_ruled_on_once() -> None:
    assert ruled(RECONSTRUCT, found(Irregularity.DEALT_OUT_OF_TURN, Outcome.RECONSTRUCT, 2)) == ["dealt_out_of_turn"]


def test_another_pack_is_another_matter() -> None:
    row = found(Irregularity.SHORT_DECK, Outcome.STOP_TABLE).row
    assert ruled(*(Found(Irregularity.SHORT_DECK, row, None, deck) for deck in ("blue", "red"))) == ["short_deck"] * 2


def test_different_subjects_of_one_card_stand_beside_each_other() -> None:
    seen = found(Irregularity.HOLE_EXPOSED, Outcome.REPLACE_WITH_FIRST_BURN, 2)
    assert ruled(seen, RECONSTRUCT) == ["hole_exposed", "dealt_out_of_turn"]


def test_a_warning_hides_nothing_of_its_own_subject() -> None:
    warned = found(Irregularity.PLAYER_EXPOSED, Outcome.PENALTY_FLOOR, 2)
    told = found(Irregularity.FOLD_EXPOSED, Outcome.PLAY_ON, 2)
    assert ruled(warned, told) == ["player_exposed", "fold_exposed"]


def test_what_was_ruled_on_before_on_the_event_counts() -> None:
    assert ruled(RECONSTRUCT, earlier=(MISDEAL,)) == []
    assert ruled(MISDEAL, earlier=(RECONSTRUCT,)) == ["hole_exposed"]


def test_a_book_sets_a_milder_fault_over_a_graver_one_or_both_beside_each_other() -> None:
    rule = {"irregularity": "dealt_out_of_turn", "rule": "1", "text": "The text says so."}
    assert ruled(MISDEAL, RECONSTRUCT, stands=[rule | {"over": ["hole_exposed"]}]) == ["dealt_out_of_turn"]
    both = ["dealt_out_of_turn", "hole_exposed"]
    assert ruled(MISDEAL, RECONSTRUCT, stands=[rule | {"beside": ["hole_exposed"]}]) == both


def test_two_rows_of_one_irregularity_stand_at_one_seat_where_the_book_says_so() -> None:
    rule = {"irregularity": "wager_invalid", "rule": "1", "text": "Each is told.", "beside": ["wager_invalid"]}
    unlike, small = (found(Irregularity.WAGER_INVALID, outcome, 1) for outcome in (Outcome.WARN, Outcome.RETURN_BET))
    assert ruled(unlike, small) == ["wager_invalid"]
    assert ruled(unlike, small, stands=[rule]) == ["wager_invalid", "wager_invalid"]
    assert ruled(unlike, unlike, stands=[rule]) == ["wager_invalid"]


def test_a_rule_of_precedence_may_hold_for_one_outcome_alone() -> None:
    rule = {"irregularity": "dealt_out_of_turn", "over": ["hole_exposed"], "rule": "1", "text": "The text says so."}
    of_reconstruct, of_misdeal = ([rule | {"outcome": outcome}] for outcome in ("reconstruct", "misdeal"))
    assert ruled(MISDEAL, RECONSTRUCT, stands=of_reconstruct) == ["dealt_out_of_turn"]
    assert ruled(MISDEAL, RECONSTRUCT, stands=of_misdeal) == ["hole_exposed"]


def _said(faults: list[Found]) -> set[tuple[Any, ...]]:
    return {
        (fault.irregularity, fault.seat, row.outcome, row.also, row.authority, row.rule, row.text)
        for fault in faults
        for row in (fault.row,)
    }


@pytest.mark.parametrize("name", BOOKS)
def test_any_two_faults_of_a_book_have_one_order(name: str) -> None:
    law, rows = books()[name].precedence, books()[name].rulings
    named = [(Irregularity(row.irregularity), row) for row in rows if row.irregularity != ANY_IRREGULARITY]
    for (one, first), (other, second) in combinations_with_replacement(named, 2):
        for seat, beside in product((None, 1), (None, 1, 2)):
            pair = [Found(one, first, seat), Found(other, second, beside)]
            forth, back = law.standing(pair), law.standing(pair[::-1])
            assert forth, "two faults hide each other"
            assert _said(forth) == _said(back), (one, other, seat, beside)


# -- the checker


def all_faults(rows: list[dict[str, Any]]) -> list[str]:
    rest = {"irregularity": "*", "outcome": "warn", "rule": "1", "text": "Play on."}
    streets = [{"name": "pre_flop", "deal": [{"to": "seats", "cards": 2}]}]
    return check_book(Rulebook(book(streets=streets, rulings=[*rows, rest])))


def faults(**rules: Any) -> list[str]:
    row = {"irregularity": "*", "outcome": "warn", "rule": "1", "text": "Play on."}
    own = [row | {"irregularity": name} for name in ("boxed_card", "hole_exposed", "burn_extra")]
    streets = [{"name": "pre_flop", "deal": [{"to": "seats", "cards": 2}]}]
    told = check_book(Rulebook(book(**({"streets": streets, "rulings": [*own, row]} | rules))))
    return [fault for fault in told if "precedence" in fault or "stands" in fault]


def test_an_outcome_left_out_of_the_gravity_is_named() -> None:
    without = [outcome for outcome in GRAVITY["gravity"] if outcome != "misdeal"]
    assert faults(precedence={"gravity": without}) == [
        "precedence.gravity: leaves out misdeal; name every outcome once, or extend every-table"
    ]
    twice = [*GRAVITY["gravity"], "warn"]
    assert faults(precedence={"gravity": twice}) == ['precedence.gravity: "warn" stands here 2 times; name it once']


@pytest.mark.parametrize(
    ("over", "beside", "told"),
    [
        ([], [], "stands: names nothing that boxed_card stands over or beside; add `over` or `beside`"),
        (["boxed_card"], [], "stands: sets boxed_card over itself; name another irregularity"),
        (
            ["burn_extra"],
            ["burn_extra"],
            'stands: "burn_extra" stands here 2 times; name it once, under `over` or under `beside`',
        ),
        (
            ["cards_mixed"],
            [],
            "stands: the book has no row for cards_mixed but '*'; leave it out",
        ),
    ],
)
def test_a_rule_of_precedence_with_a_fault_says_which(over: list[str], beside: list[str], told: str) -> None:
    rule = {"irregularity": "boxed_card", "over": over, "beside": beside, "rule": "1", "text": "The text says so."}
    assert told in faults(stands=[rule])


def test_a_rule_of_precedence_for_an_outcome_that_never_comes_is_found() -> None:
    rule = {"irregularity": "boxed_card", "over": ["burn_extra"], "rule": "1", "text": "The text says so."}
    assert faults(stands=[rule | {"outcome": "warn"}]) == []
    told = "stands: boxed_card is never ruled misdeal in this book; leave it out"
    assert faults(stands=[rule | {"outcome": "misdeal"}]) == [told]


def test_rules_that_set_each_other_over_each_other_are_found() -> None:
    rule = {"rule": "1", "text": "The text says so."}
    circle = [
        rule | {"irregularity": "boxed_card", "over": ["hole_exposed"]},
        rule | {"irregularity": "hole_exposed", "over": ["burn_extra"]},
        rule | {"irregularity": "burn_extra", "over": ["boxed_card"]},
    ]
    told = "stands: boxed_card stands over hole_exposed, and by other rules hole_exposed over it; keep one"
    assert told in faults(stands=circle)
    assert faults(stands=circle[:2]) == []


def test_a_pair_is_over_or_beside_and_not_both() -> None:
    rule = {"irregularity": "boxed_card", "rule": "1", "text": "The text says so."}
    two = [rule | {"over": ["burn_extra"]}, rule | {"beside": ["burn_extra"]}]
    assert faults(stands=two) == [
        "stands: boxed_card stands over burn_extra by one rule and beside it by another; keep one"
    ]


def test_two_rows_that_only_chance_would_choose_between_are_found() -> None:
    row: dict[str, Any] = {"irregularity": "boxed_card", "rule": "1", "text": "Burn it.", "authority": "supervisor"}
    seen: dict[str, Any] = {"when": {"during": "deal"}, "outcome": "call_floor"}
    alike = [row | seen, row | {"outcome": "call_floor", "authority": "director"}]
    told = [fault for fault in all_faults(alike) if "equally grave" in fault]
    assert told == [
        "rulings (row 2, boxed_card, 1): two rows of boxed_card have clause 1, one text and outcomes equally grave, "
        "and are not the same; give each its own text"
    ]
    changes: list[dict[str, Any]] = [
        {"text": "Burn that."},
        {"rule": "2"},
        {"outcome": "misdeal"},
        {"authority": "supervisor"},
    ]
    for change in changes:
        assert not [fault for fault in all_faults([alike[0], alike[1] | change]) if "equally grave" in fault]


def test_what_is_hidden_hides_nothing_by_a_row() -> None:
    rule = {"irregularity": "boxed_card", "over": ["cut_too_thin"], "rule": "1", "text": "The text says so."}
    boxed = found(Irregularity.BOXED_CARD, Outcome.WARN, 2, Outcome.RECONSTRUCT)
    assert ruled(boxed, THIN, stands=[rule]) == ["boxed_card"]
    assert ruled(boxed, THIN, MISDEAL, stands=[rule]) == ["cut_too_thin", "hole_exposed"]
    assert ruled(MISDEAL, THIN, boxed, stands=[rule]) == ["cut_too_thin", "hole_exposed"]


def _mutated(name: str, chance: Random) -> Book:
    """A book with random rules of precedence and a random order of gravity, of those that the checker takes."""
    rules = books()[name].book
    rows = [row for row in rules.rulings if row.irregularity != ANY_IRREGULARITY]
    named = sorted({Irregularity(row.irregularity) for row in rows})
    while True:
        stands = [
            StandsRow.model_validate(
                {
                    "irregularity": chance.choice(named),
                    chance.choice(("over", "beside")): tuple(chance.sample(named, 3)),
                    "rule": "1",
                    "text": "The text says so.",
                }
            )
            for _ in range(4)
        ]
        gravity = chance.sample(list(Outcome), len(Outcome))
        mutated = rules.model_copy(
            update={"stands": tuple(stands), "precedence": PrecedenceRules(gravity=tuple(gravity))}
        )
        if not [fault for row in stands for fault in stands_faults(row)] and not list(precedence_faults(mutated)):
            return mutated


@pytest.mark.parametrize("name", BOOKS)
def test_no_book_that_the_checker_takes_leaves_the_order_to_chance(name: str) -> None:
    chance = Random(name)
    for _ in range(5):
        mutated = _mutated(name, chance)
        law = Precedence.of(mutated)
        rows = [row for row in mutated.rulings if row.irregularity != ANY_IRREGULARITY]
        for _ in range(60):
            drawn = chance.choices(rows, k=chance.randint(2, 4))
            several = [Found(Irregularity(row.irregularity), row, chance.choice((None, 1, 2))) for row in drawn]
            stand = law.standing(several)
            shuffled = chance.sample(several, len(several))
            assert stand, "all hide each other"
            assert _said(stand) == _said(law.standing(shuffled)), drawn

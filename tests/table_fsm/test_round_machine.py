"""The round's states, built from the rulebook: what moves it, and what does not fit is not fired."""

import pytest

from table_fsm.core.machine import RoundMachine, transitions_of
from table_fsm.felt import BETWEEN_ROUNDS
from tests.table_fsm.streams import HOLDEM, UTH, books
from tests.table_fsm.stud_streams import STUD7

HOLDEM_ROUND = [
    ("shuffled", "cutting"),
    ("cut", "waiting"),
    ("begin", "dealing"),
    ("dealt", "betting.pre_flop"),
    ("closed", "board.flop"),
    ("dealt", "betting.flop"),
    ("closed", "board.turn"),
    ("dealt", "betting.turn"),
    ("closed", "board.river"),
    ("dealt", "betting.river"),
    ("closed", "showdown"),
    ("won", "settling"),
    ("finish", "complete"),
    ("shuffled", "cutting"),
]
UTH_ROUND = [
    ("shuffled", "waiting"),
    ("begin", "dealing"),
    ("dealt", "betting.pre_flop"),
    ("closed", "board.flop"),
    ("dealt", "betting.flop"),
    ("closed", "board.river"),
    ("dealt", "betting.river"),
    ("closed", "showdown"),
    ("won", "settling"),
    ("finish", "complete"),
]
STUD_ROUND = [
    ("shuffled", "cutting"),
    ("cut", "waiting"),
    ("begin", "dealing"),
    ("dealt", "betting.third"),
    ("closed", "dealing.fourth"),
    ("dealt", "betting.fourth"),
    ("closed", "dealing.fifth"),
    ("dealt", "betting.fifth"),
    ("closed", "dealing.sixth"),
    ("dealt", "betting.sixth"),
    ("closed", "dealing.seventh"),
    ("dealt", "betting.seventh"),
    ("closed", "showdown"),
    ("won", "settling"),
    ("finish", "complete"),
]
TRIGGERS = {"shuffled", "cards_checked", "cut", "begin", "dealt", "closed", "won", "finish", "misdeal", "void"}


def machine(book: str = HOLDEM) -> RoundMachine:
    return RoundMachine(books()[book].book)


def states(book: str = HOLDEM) -> list[str]:
    return sorted({state for _, source, dest in transitions_of(books()[book].book) for state in (source, dest)})


@pytest.mark.parametrize(("book", "path"), [(HOLDEM, HOLDEM_ROUND), (UTH, UTH_ROUND), (STUD7, STUD_ROUND)])
def test_a_round_in_good_order(book: str, path: list[tuple[str, str]]) -> None:
    made = machine(book)
    assert made.state == "waiting"
    for trigger, state in path:
        assert made.fire(trigger)
        assert made.state == state


def test_phase_and_street_are_the_halves_of_a_state() -> None:
    made = machine()
    assert (made.phase, made.street) == ("waiting", None)
    made.rest("betting.turn")
    assert (made.phase, made.street) == ("betting", "turn")


@pytest.mark.parametrize("book", [HOLDEM, UTH])
@pytest.mark.parametrize("trigger", sorted(TRIGGERS))
def test_a_trigger_moves_where_the_book_says_and_nowhere_else(book: str, trigger: str) -> None:
    moves = {source: dest for name, source, dest in transitions_of(books()[book].book) if name == trigger}
    for state in states(book):
        made = machine(book)
        made.rest(state)
        assert made.fire(trigger) is (state in moves)
        assert made.state == moves.get(state, state)


def test_an_unknown_trigger_is_not_fired() -> None:
    made = machine()
    assert not made.fire("burn")
    assert made.state == "waiting"


@pytest.mark.parametrize("book", [HOLDEM, UTH])
def test_no_state_has_two_ways_out_by_one_trigger(book: str) -> None:
    moves = transitions_of(books()[book].book)
    assert len({(trigger, source) for trigger, source, _ in moves}) == len(moves)
    assert {trigger for trigger, _, _ in moves} == TRIGGERS


@pytest.mark.parametrize("book", [HOLDEM, UTH])
@pytest.mark.parametrize(("trigger", "end"), [("misdeal", "misdeal"), ("void", "void"), ("finish", "complete")])
def test_a_round_can_end_from_every_state_of_it(book: str, trigger: str, end: str) -> None:
    for state in states(book):
        made = machine(book)
        made.rest(state)
        made.fire(trigger)
        assert made.state == end


@pytest.mark.parametrize("rest", BETWEEN_ROUNDS)
def test_a_first_card_begins_a_round_whatever_was_left_undone_before_it(rest: str) -> None:
    made = machine()
    made.rest(rest)
    assert made.fire("begin")
    assert made.phase == "dealing"


def test_a_cut_asked_for_does_not_replace_the_check_of_the_cards() -> None:
    made = machine()
    made.rest("checking_cards")
    assert not made.fire("cut")
    assert made.fire("cards_checked")
    assert made.state == "waiting"

"""Face-up cards beside which one left without a name: they lie open again, or it is asked for whether they do."""

import pytest

from table_fsm.felt import full_deck
from table_fsm.outputs import Kind
from table_fsm.poker.cards.places import Leaves
from table_fsm.poker.cards.tracker import CardTracker
from tests.table_fsm.streams import HOLDEM, Play

SEAT = "seat:2"


def hand(*open_cards: str | None, down: int = 3) -> CardTracker:
    """A hand of cards that nobody has read, and then the open ones."""
    tracker = CardTracker(full_deck())
    for card in (*[None] * down, *open_cards):
        tracker.leave_shoe(None, "blue", boxed=False)
        tracker.place(SEAT, card, up=len(tracker.zones.get(SEAT, ())) >= down)
    return tracker


def lift(tracker: CardTracker, cards: int = 1) -> None:
    for _ in range(cards):
        tracker.lift(SEAT, None, Leaves.ANY)


def lay(tracker: CardTracker, cards: int = 1, *, zone: str = SEAT, up: bool = False, moves: bool = True) -> None:
    for _ in range(cards):
        tracker.place(zone, None, up=up, moves=moves)


@pytest.mark.parametrize("looked_at", [1, 2, 3])
def test_cards_that_are_looked_at_leave_the_open_one_open(looked_at: int) -> None:
    tracker = hand("As")
    lift(tracker, looked_at)
    assert tracker.ups(SEAT) == 0
    lay(tracker, looked_at)
    assert tracker.shown(SEAT) == ["As"]
    assert tracker.where == {"As": SEAT}
    lift(tracker)
    lay(tracker)
    assert tracker.shown(SEAT) == ["As"]


def test_an_open_card_without_a_name_lies_open_again() -> None:
    tracker = hand("As", None)
    lift(tracker)
    lay(tracker)
    assert (tracker.shown(SEAT), tracker.ups(SEAT)) == (["As"], 2)


def test_a_hand_that_is_taken_up_whole_lies_as_it_is_laid_down() -> None:
    tracker = hand("As")
    lift(tracker, 4)
    lay(tracker, 4)
    assert tracker.ups(SEAT) == 0
    assert tracker.may_lie_open(SEAT) == []


def test_a_card_that_comes_back_face_up_is_the_open_one() -> None:
    tracker = hand("As")
    lift(tracker)
    lay(tracker, up=True)
    assert tracker.ups(SEAT) == 1


def test_a_name_that_was_read_elsewhere_is_not_given_back() -> None:
    tracker = hand("As")
    lift(tracker)
    tracker.leave_shoe("As", "blue", boxed=False)
    tracker.place("seat:1", "As", up=False)
    lay(tracker)
    assert (tracker.shown(SEAT), tracker.ups(SEAT)) == ([], 1)


@pytest.mark.parametrize("replaced", [False, True])
def test_beside_cards_that_were_given_up_it_may_lie_there_or_not(replaced: bool) -> None:
    tracker = hand("As")
    lift(tracker)
    lay(tracker, zone="muck")
    if replaced:
        tracker.leave_shoe(None, "blue", boxed=False)
        lay(tracker)
    others = ("2c", "3c", "4c")[: 2 + replaced]
    for card in others:
        assert tracker.may_lie_open(SEAT) == []
        tracker.turn(SEAT, card, True)
    assert tracker.may_lie_open(SEAT) == ["As"]
    lift(tracker)
    lay(tracker)
    assert tracker.ups(SEAT) == 0


def test_at_a_table_without_a_shoe_a_card_that_comes_may_be_another_one() -> None:
    tracker = CardTracker(full_deck())
    lay(tracker)
    tracker.place(SEAT, "As", up=True)
    lift(tracker)
    lay(tracker, moves=False)
    assert tracker.ups(SEAT) == 0


@pytest.mark.parametrize(("up", "asked"), [(True, []), (False, ["As"])])
def test_only_one_that_lies_open_elsewhere_does_not_lie_there(up: bool, asked: list[str]) -> None:
    tracker = hand("As")
    lift(tracker)
    tracker.place("muck", "As", up=up)
    for card in ("2c", "3c", "4c")[: 3 if asked == [] else 2]:
        tracker.turn(SEAT, card, True)
    assert tracker.may_lie_open(SEAT) == asked
    assert tracker.is_elsewhere(SEAT, "As")


def test_one_that_is_told_where_it_lies_is_asked_for_until_it_lies_open() -> None:
    tracker = hand("As")
    lift(tracker)
    lay(tracker, zone="muck")
    for card in ("2c", "3c"):
        tracker.turn(SEAT, card, True)
    tracker.see(SEAT, "As")
    assert tracker.may_lie_open(SEAT) == ["As"]
    assert not tracker.is_elsewhere(SEAT, "As")
    tracker.turn(SEAT, "As", True)
    assert tracker.may_lie_open(SEAT) == []


def test_which_of_two_open_ones_still_lies_there_is_not_known() -> None:
    tracker = hand("As", "Kd")
    lift(tracker)
    lay(tracker, zone="muck")
    for card in ("2c", "3c", "4c"):
        tracker.turn(SEAT, card, True)
    assert tracker.may_lie_open(SEAT) == []


def test_one_that_is_exposed_later_is_in_doubt_beside_the_first() -> None:
    tracker = hand("As")
    lift(tracker)
    lay(tracker, zone="muck")
    tracker.leave_shoe(None, "blue", boxed=False)
    tracker.place(SEAT, "Kd", up=True)
    lift(tracker)
    lay(tracker)
    for card in ("2c", "3c"):
        tracker.turn(SEAT, card, True)
    assert tracker.may_lie_open(SEAT) == ["As", "Kd"]


def test_a_zone_of_which_no_side_is_in_doubt_asks_nothing() -> None:
    assert hand("As").may_lie_open(SEAT) == []


def test_the_dealers_word_does_not_count_where_no_card_is_in_doubt() -> None:
    play = Play(HOLDEM)
    play.open((1, 2), button=1, blinds=[100, 200])
    (error,) = play.send("hand.shown", seat=1).of(Kind.ERROR)
    assert "or where the table asks for it" in error["reason"]

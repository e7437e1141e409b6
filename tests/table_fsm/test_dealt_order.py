"""The order in which the cards left the shoe, and what of it is known."""

from math import factorial

from hypothesis import given
from hypothesis import strategies as st

from table_fsm.felt import full_deck
from table_fsm.poker.cards.dealt_order import MOST_ARRANGEMENTS, DealtOrder
from table_fsm.poker.cards.tracker import CardTracker


def tracker() -> CardTracker:
    return CardTracker(full_deck())


def dealt(made: CardTracker, zone: str, card: str | None, *, shoe: str | None = None, up: bool = False) -> None:
    """A card out of the mouth, named `shoe` there, comes to rest and is named `card`."""
    made.leave_shoe(shoe, "blue", boxed=False)
    made.place(zone, card, up)


def test_cards_are_numbered_as_they_leave_the_shoe_whoever_names_them() -> None:
    made = tracker()
    dealt(made, "seat:1", None, shoe="As")
    dealt(made, "seat:2", "Kd")
    dealt(made, "seat:1", None)
    assert made.order.cards == ["As", "Kd", None]
    assert (made.order.by_chance, made.order.named) == ({"As", "Kd"}, 2)


def test_two_cards_out_of_the_mouth_before_they_rest_keep_their_places() -> None:
    made = tracker()
    made.leave_shoe(None, "blue", boxed=False)
    made.leave_shoe("Kd", "blue", boxed=False)
    made.place("seat:1", "As", up=False)
    made.place("seat:2", "Kd", up=False)
    assert made.order.cards == ["As", "Kd"]


def test_with_no_shoe_sensor_they_are_numbered_as_they_come_to_rest() -> None:
    made = tracker()
    for zone, card in (("seat:1", "As"), ("seat:2", None), ("burn", "Kd")):
        made.place(zone, card, up=False)
    made.place("muck", "Qc", up=False)
    assert made.order.cards == ["As", None, "Kd"]


def test_a_card_that_the_shoe_did_not_give_has_no_place_in_its_order() -> None:
    made = tracker()
    dealt(made, "seat:1", "As")
    made.place("seat:2", "Kd", up=False)
    assert made.order.cards == ["As"]
    assert made.order.by_chance == {"As"}


def test_a_board_card_turned_is_read_by_chance_and_a_hand_tabled_is_not() -> None:
    made = tracker()
    dealt(made, "board:1", None)
    dealt(made, "dealer", None)
    dealt(made, "seat:1", None)
    made.turn("board:1", "7h", up=True)
    made.turn("dealer", "8h", up=True)
    made.turn("seat:1", "As", up=True)
    assert made.order.cards == ["7h", "8h", "As"]
    assert made.order.by_chance == {"7h", "8h"}


def test_a_card_keeps_its_number_when_it_is_taken_up_and_laid_elsewhere() -> None:
    made = tracker()
    dealt(made, "seat:1", None)
    dealt(made, "seat:2", "Kd")
    made.lift("seat:1", None)
    made.place("seat:3", None, up=False)
    made.turn("seat:3", "As", up=True)
    assert made.order.cards == ["As", "Kd"]


def test_what_another_reader_denies_has_no_name() -> None:
    made = tracker()
    dealt(made, "seat:1", "Kd", shoe="As")
    assert made.order.cards == [None]
    assert made.order.by_chance == set()


def test_once_the_undealt_cards_are_shuffled_what_comes_has_no_place() -> None:
    made = tracker()
    dealt(made, "board:1", "As", up=True)
    made.lift("board:1", "As")
    made.return_lifted_to_stub()
    dealt(made, "board:1", "Kd", up=True)
    assert made.order.cards == ["As"]
    assert made.order.by_chance == {"As"}


def test_a_foreign_or_doubled_card_holds_its_place_without_a_name() -> None:
    made = tracker()
    dealt(made, "seat:1", None, shoe="As")
    dealt(made, "seat:2", None, shoe="As")
    dealt(made, "seat:3", None, shoe="Jo")
    assert made.order.cards == ["As", None, None]


# -- hands that were turned: which card came first


def test_of_two_cards_turned_at_one_seat_nobody_knows_which_came_first() -> None:
    made = tracker()
    dealt(made, "seat:1", None)
    dealt(made, "seat:2", None)
    dealt(made, "seat:1", None)
    made.turn("seat:1", "As", up=True)
    made.turn("seat:1", "Kd", up=True)
    ways, orders = made.order.arrangements(52)
    assert ways == 2
    assert sorted(orders, key=str) == [["As", None, "Kd"], ["Kd", None, "As"]]


def test_cards_named_as_they_came_have_one_order() -> None:
    made = tracker()
    dealt(made, "seat:1", "As")
    dealt(made, "seat:1", "Kd")
    made.turn("seat:1", "Kd", up=True)
    made.turn("seat:1", "As", up=True)
    assert made.order.arrangements(52)[0] == 1


def test_hands_that_nobody_turned_have_no_ways_to_try() -> None:
    made = tracker()
    for _ in range(9):
        dealt(made, "seat:1", None)
        dealt(made, "seat:1", None)
        made.lift("seat:1", None)
        made.lift("seat:1", None)
    assert made.order.arrangements(52)[0] == 1


@given(st.lists(st.integers(2, 5), max_size=8))
def test_never_more_ways_than_are_tried_and_each_has_the_same_cards(sizes: list[int]) -> None:
    names = iter(sorted(full_deck()))
    order = DealtOrder()
    for size in sizes:
        numbers = [order.come(None) for _ in range(size)]
        for at, number in enumerate(numbers):
            order.group(list(numbers[at:]))
            order.name(number, next(names), by_chance=False)
    ways, orders = order.arrangements(52)
    found = [tuple(cards) for cards in orders]
    assert ways == len(found) == len(set(found)) <= MOST_ARRANGEMENTS
    assert len({frozenset(cards) for cards in found}) == 1
    assert ways == 1 or any(factorial(size) <= ways for size in sizes)


def test_hands_turned_are_not_asked_where_the_other_cards_are_enough() -> None:
    made = tracker()
    for card in ("2h", "9c", "Jd"):
        dealt(made, "board:1", card, up=True)
    for seat, cards in (("seat:1", ("As", "Kd")), ("seat:2", ("3s", "4d"))):
        dealt(made, seat, None)
        dealt(made, seat, None)
        for card in cards:
            made.turn(seat, card, up=True)
    assert [made.order.arrangements(enough)[0] for enough in (3, 5, 6)] == [1, 2, 4]
    assert next(made.order.arrangements(3)[1]) == ["2h", "9c", "Jd", None, None, None, None]

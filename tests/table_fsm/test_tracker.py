"""The card tracker: shoe and readers are matched, a face is never guessed, and no card is in two places."""

from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from table_fsm.felt import full_deck
from table_fsm.poker.cards.places import Doubt, Origin, Placement
from table_fsm.poker.cards.tracker import CardTracker


def tracker(*shoe: str | None) -> CardTracker:
    """A tracker after these cards have left the shoe."""
    made = CardTracker(full_deck())
    for card in shoe:
        made.leave_shoe(card, "blue", boxed=False)
    return made


# -- from the shoe


def test_a_card_from_the_mouth_comes_to_rest_in_order() -> None:
    made = tracker(None, None)
    assert made.place("seat:1", "As", up=False) == Placement(Origin.SHOE, "As")
    assert made.place("seat:2", "Kd", up=False) == Placement(Origin.SHOE, "Kd")
    assert made.where == {"As": "seat:1", "Kd": "seat:2"}
    assert not made.mouth
    assert made.left_shoe == 2


def test_a_reader_that_reads_no_face_takes_the_name_from_the_shoe() -> None:
    made = tracker("As")
    assert made.place("seat:1", None, up=False) == Placement(Origin.SHOE, "As")
    assert made.names("seat:1") == ["As"]


def test_two_cards_out_of_the_mouth_may_come_to_rest_in_either_order_when_both_are_named() -> None:
    made = tracker("As", "Kd")
    assert made.place("seat:1", "Kd", up=False).card == "Kd"
    assert made.place("seat:2", "As", up=False).card == "As"
    assert made.where == {"Kd": "seat:1", "As": "seat:2"}


def test_a_card_neither_shoe_nor_reader_named_stays_nameless() -> None:
    made = tracker(None)
    assert made.place("seat:1", None, up=False) == Placement(Origin.SHOE, None)
    assert made.names("seat:1") == [None]
    assert made.holds("seat:1") == 1
    assert made.where == {}


def test_a_boxed_card_is_known_as_one_where_it_comes_to_rest() -> None:
    made = CardTracker(full_deck())
    made.leave_shoe("As", "blue", boxed=True)
    assert made.place("seat:1", "As", up=True) == Placement(Origin.SHOE, "As", boxed=True)


def test_another_card_than_the_shoe_named_is_unexpected_and_the_named_one_is_unseen_again() -> None:
    made = tracker("As")
    placement = made.place("seat:1", "Kd", up=False)
    assert placement == Placement(Origin.SHOE, "Kd", doubt=Doubt.UNEXPECTED)
    assert made.where == {"Kd": "seat:1"}
    assert made.leave_shoe("As", "blue", boxed=False) is None


@pytest.mark.parametrize(("card", "doubt"), [("Kd", Doubt.DUPLICATE), ("Jo", Doubt.FOREIGN)])
def test_a_doubtful_card_in_place_of_the_named_one_is_given_no_name(card: str, doubt: Doubt) -> None:
    made = tracker("Kd", "As")
    made.place("seat:1", "Kd", up=False)
    assert made.place("seat:2", card, up=False) == Placement(Origin.SHOE, None, doubt=doubt)
    assert made.names("seat:2") == [None]
    assert made.where == {"Kd": "seat:1"}


@pytest.mark.parametrize(
    ("card", "doubt"), [("As", Doubt.DUPLICATE), ("Jo", Doubt.FOREIGN), (None, None), ("2c", None)]
)
def test_the_shoe_s_own_word_is_doubted_when_it_leaves_the_mouth(card: str | None, doubt: Doubt | None) -> None:
    made = tracker("As")
    assert made.leave_shoe(card, "blue", boxed=False) is doubt


@pytest.mark.parametrize(
    ("zone", "origin", "doubt"),
    [
        ("muck", Origin.LIFTED, None),
        ("seat:1", Origin.LIFTED, None),
        ("seat:2", Origin.SHOE, Doubt.DUPLICATE),
    ],
)
def test_a_card_at_the_mouth_that_no_reader_saw_is_not_the_one_that_was_lifted(
    zone: str, origin: Origin, doubt: Doubt | None
) -> None:
    made = tracker("As")
    made.place("seat:1", "As", up=False)
    made.leave_shoe(None, "blue", boxed=False)
    made.lift("seat:1", "As")
    placed = made.place(zone, "As", up=False)
    assert (placed.origin, placed.doubt) == (origin, doubt)


def test_a_lifted_card_that_is_read_as_one_of_another_place_is_a_doubt_once() -> None:
    made = tracker("As", "Kd", "2c", "3c")
    for zone in ("seat:1", "seat:1", "seat:2", "seat:2"):
        made.place(zone, None, up=False)
    for _ in range(2):
        made.lift("seat:2", None)
    assert made.place("seat:2", "As", up=True).doubt is Doubt.UNEXPECTED
    assert made.place("seat:2", "Kd", up=True) == Placement(Origin.LIFTED, "Kd", "seat:2")
    assert (made.names("seat:1"), made.names("seat:2")) == ([None, None], ["As", "Kd"])
    made.lift("seat:1", None)
    assert made.place("seat:1", "As", up=True) == Placement(Origin.LIFTED, None, "seat:1", doubt=Doubt.DUPLICATE)


def test_a_lifted_card_that_is_read_as_a_boxed_one_which_still_waits_is_no_doubt() -> None:
    made = tracker(None)
    made.place("seat:2", None, up=False)
    made.leave_shoe("As", "blue", boxed=True)
    made.leave_shoe(None, "blue", boxed=False)
    made.place("burn", None, up=False)  # the boxed card waits in the dealer's hand
    made.lift("seat:2", None)
    made.mouth.clear()
    assert made.place("seat:2", "As", up=True) == Placement(Origin.LIFTED, "As", "seat:2")


def test_a_boxed_card_that_waits_takes_its_name_back_from_the_card_that_passed_for_it() -> None:
    made = tracker()
    made.leave_shoe("As", "blue", boxed=True)
    made.leave_shoe("Kd", "blue", boxed=False)
    made.place("burn", None, up=False)
    assert made.place("board:1", "As", up=True) == Placement(Origin.SHOE, "As", boxed=True)
    assert made.where == {"As": "board:1", "Kd": "burn"}
    assert (made.names("burn"), list(made.mouth)) == (["Kd"], [])


def test_a_boxed_card_that_was_read_where_it_lies_is_a_double_elsewhere() -> None:
    made = tracker()
    made.leave_shoe("As", "blue", boxed=True)
    made.leave_shoe("Kd", "blue", boxed=False)
    made.place("burn", "As", up=True)
    assert made.place("board:1", "As", up=True).doubt is Doubt.DUPLICATE


def test_a_card_doubted_at_the_mouth_is_not_doubted_again_where_it_comes_to_rest() -> None:
    made = tracker("As")
    made.place("seat:1", "As", up=False)
    made.leave_shoe("As", "blue", boxed=False)
    assert made.place("seat:2", "As", up=False) == Placement(Origin.SHOE, None, doubted=True)


@pytest.mark.parametrize(("card", "doubt"), [("As", Doubt.DUPLICATE), ("Jo", Doubt.FOREIGN)])
def test_an_unnamed_card_of_the_shoe_is_judged_where_a_reader_names_it(card: str, doubt: Doubt) -> None:
    made = tracker(None, None)
    made.place("seat:1", "As", up=False)
    assert made.place("seat:2", card, up=False) == Placement(Origin.SHOE, None, doubt=doubt)


def test_a_reduced_deck_has_foreign_cards_of_its_own() -> None:
    made = CardTracker(full_deck(32))
    assert made.leave_shoe("2c", None, boxed=False) is Doubt.FOREIGN
    assert made.leave_shoe("7c", None, boxed=False) is None


# -- taken up, and from nowhere


def test_a_card_taken_up_comes_to_rest_elsewhere() -> None:
    made = tracker("As")
    made.place("seat:3", "As", up=False)
    assert made.lift("seat:3", "As") is None
    assert made.where == {"As": "lifted"}
    assert made.place("seat:2", "As", up=False) == Placement(Origin.LIFTED, "As", "seat:3")
    assert made.where == {"As": "seat:2"}
    assert made.holds("seat:3") == 0


def test_a_named_card_taken_up_goes_before_another_one_still_in_the_mouth() -> None:
    made = tracker("As")
    made.place("seat:3", "As", up=False)
    made.lift("seat:3", "As")
    made.leave_shoe("Kd", "blue", boxed=False)
    assert made.place("seat:2", "As", up=False).origin is Origin.LIFTED
    assert made.place("seat:3", "Kd", up=False) == Placement(Origin.SHOE, "Kd")


def test_a_nameless_card_placed_is_the_oldest_one_taken_up() -> None:
    made = tracker("As", "Kd")
    made.place("seat:1", "As", up=False)
    made.place("seat:2", "Kd", up=False)
    made.lift("seat:1", None)
    made.lift("seat:2", None)
    assert made.place("burn", None, up=False) == Placement(Origin.LIFTED, "As", "seat:1")


def test_a_nameless_card_taken_up_may_show_its_face_where_it_comes_to_rest() -> None:
    made = tracker(None)
    made.place("seat:1", None, up=False)
    made.lift("seat:1", None)
    assert made.place("board:1", "Kd", up=True) == Placement(Origin.LIFTED, "Kd", "seat:1")
    assert made.where == {"Kd": "board:1"}


def test_a_nameless_card_taken_up_that_turns_out_to_lie_elsewhere_is_a_duplicate() -> None:
    made = tracker("Kd", None)
    made.place("seat:1", "Kd", up=False)
    made.place("seat:2", None, up=False)
    made.lift("seat:2", None)
    assert made.place("seat:3", "Kd", up=False) == Placement(Origin.LIFTED, None, "seat:2", Doubt.DUPLICATE)


def test_a_card_that_neither_the_shoe_gave_nor_a_zone_lost_comes_from_nowhere() -> None:
    made = tracker()
    assert made.place("board:1", "As", up=True) == Placement(Origin.NOWHERE, "As")
    assert made.place("board:2", None, up=False) == Placement(Origin.NOWHERE, None)
    assert made.place("board:3", "As", up=True) == Placement(Origin.NOWHERE, None, doubt=Doubt.DUPLICATE)
    assert made.place("board:4", "Jo", up=True) == Placement(Origin.NOWHERE, None, doubt=Doubt.FOREIGN)


# -- lifting, turning, seeing


def hand(*cards: str | None, zone: str = "seat:1") -> CardTracker:
    made = tracker(*cards)
    for card in cards:
        made.place(zone, card, up=False)
    return made


def test_a_nameless_lift_from_a_hand_of_several_leaves_no_name_to_guess() -> None:
    made = hand("As", "Kd")
    assert made.lift("seat:1", None) is None
    assert made.names("seat:1") == [None]
    assert made.where == {}
    assert made.place("seat:2", "Kd", up=False).card == "Kd"  # named there, it is known again


def test_a_nameless_lift_of_the_only_card_is_that_card() -> None:
    made = hand("As")
    made.lift("seat:1", None)
    assert made.where == {"As": "lifted"}


def test_a_nameless_lift_beside_a_card_that_shows_is_not_guessed_either() -> None:
    made = hand("As", "Kd", "2c")
    made.turn("seat:1", "As", up=True)
    made.lift("seat:1", None)
    assert "lifted" not in made.where.values()


def test_lifting_a_nameless_card_by_name_names_it() -> None:
    made = hand(None, "Kd")
    assert made.lift("seat:1", "As") is None
    assert made.where == {"As": "lifted", "Kd": "seat:1"}


@pytest.mark.parametrize(
    ("card", "doubt"), [("As", None), ("2c", Doubt.UNEXPECTED), ("Jo", Doubt.FOREIGN), (None, None)]
)
def test_what_is_read_in_a_hand_whose_cards_all_have_names(card: str | None, doubt: Doubt | None) -> None:
    assert hand("As", "Kd").see("seat:1", card) is doubt
    assert hand("As", "Kd").turn("seat:1", card, up=True) is doubt
    assert hand("As", "Kd").lift("seat:1", card) is doubt


def test_a_name_read_that_lies_elsewhere_is_a_duplicate_and_not_entered() -> None:
    made = hand(None)
    made.leave_shoe("As", "blue", boxed=False)
    made.place("seat:2", "As", up=False)
    assert made.see("seat:1", "As") is Doubt.DUPLICATE
    assert made.names("seat:1") == [None]


def test_turning_names_and_shows_a_card() -> None:
    made = hand(None, None)
    assert made.ups("seat:1") == 0
    assert made.turn("seat:1", "As", up=True) is None
    assert (made.shown("seat:1"), made.ups("seat:1")) == (["As"], 1)
    assert made.turn("seat:1", None, up=True) is None  # the other one, unread
    assert (made.shown("seat:1"), made.ups("seat:1")) == (["As"], 2)


def test_turning_nameless_takes_one_that_lies_the_other_way() -> None:
    made = hand("As", "Kd")
    made.turn("seat:1", "Kd", up=True)
    made.turn("seat:1", None, up=True)
    assert sorted(made.shown("seat:1")) == ["As", "Kd"]
    made.turn("seat:1", None, up=False)
    assert made.ups("seat:1") == 1


def test_seeing_leaves_a_card_as_it_lay() -> None:
    made = hand(None)
    assert made.see("seat:1", "As") is None
    assert made.ups("seat:1") == 0
    assert made.names("seat:1") == ["As"]
    assert made.shown("seat:1") == []


def test_an_empty_zone_holds_and_shows_nothing() -> None:
    made = tracker()
    assert (made.holds("dealer"), made.ups("dealer"), made.shown("dealer"), made.names("dealer")) == (0, 0, [], [])


# -- discards and the stub


def test_what_was_taken_up_from_a_folded_hand_lies_in_the_discards() -> None:
    made = hand("As", None)
    made.leave_shoe("Kd", "blue", boxed=False)
    made.place("seat:2", "Kd", up=False)
    made.lift("seat:1", "As")
    made.lift("seat:1", None)
    made.lift("seat:2", "Kd")
    made.discard_lifted("seat:1")
    assert made.names("muck") == ["As", None]
    assert made.where == {"As": "muck", "Kd": "lifted"}


@pytest.mark.parametrize(("read", "left"), [("Qs", "seat:1"), (None, None)])
def test_a_discard_that_no_reader_names_may_be_a_named_card_taken_up_elsewhere(
    read: str | None, left: str | None
) -> None:
    made = hand(None)
    made.leave_shoe("Kd", "blue", boxed=False)
    made.place("seat:2", "Kd", up=False)
    made.lift("seat:1", None)
    made.lift("seat:2", "Kd")
    made.discard_lifted("seat:1")
    told = made.tell_discard(read, up=True)
    assert told is not None
    assert told.left == left


def test_what_was_shuffled_into_the_stub_may_come_again() -> None:
    made = hand("As", None)
    made.lift("seat:1", "As")
    made.lift("seat:1", None)
    made.return_lifted_to_stub()
    assert made.lifted == []
    assert made.where == {}
    assert made.leave_shoe("As", "blue", boxed=False) is None


def test_a_named_card_seen_in_the_discards_has_left_its_zone_unreported() -> None:
    made = hand("As", "Kd")
    assert made.move_named("Kd", "muck") == "seat:1"
    assert made.where == {"As": "seat:1", "Kd": "muck"}
    assert made.names("seat:1") == ["As"]


def test_only_a_card_that_lies_in_a_zone_can_be_moved_by_name() -> None:
    made = hand("As")
    made.lift("seat:1", "As")
    assert made.move_named("As", "muck") is None
    assert made.move_named("2c", "muck") is None


# -- whatever happens


NAMES = st.one_of(st.none(), st.sampled_from(["As", "Kd", "2c", "7h", "Jo"]))
ZONE = st.sampled_from(["seat:1", "seat:2", "board:1", "burn"])


class AnyTable(RuleBasedStateMachine):
    """Cards leave the shoe, come to rest, are turned, taken up and put back, with or without their names read."""

    def __init__(self) -> None:
        super().__init__()
        self.tracker = CardTracker(frozenset({"As", "Kd", "2c", "7h"}))
        self.cards = 0

    @rule(card=NAMES, boxed=st.booleans())
    def leave_shoe(self, card: str | None, boxed: bool) -> None:
        self.tracker.leave_shoe(card, None, boxed)
        self.cards += 1

    @rule(zone=ZONE, card=NAMES, up=st.booleans())
    def place(self, zone: str, card: str | None, up: bool) -> None:
        placement = self.tracker.place(zone, card, up)
        self.cards += placement.origin is Origin.NOWHERE
        assert placement.doubt in {None, Doubt.UNEXPECTED} or placement.card is None
        assert (placement.zone_before is not None) == (placement.origin is Origin.LIFTED)

    @precondition(lambda self: any(self.tracker.zones.values()))
    @rule(zone=ZONE, card=NAMES, up=st.booleans(), how=st.sampled_from(["lift", "turn", "see"]))
    def touch(self, zone: str, card: str | None, up: bool, how: str) -> None:
        if not self.tracker.holds(zone):
            return
        held = self.tracker.holds(zone)
        if how == "lift":
            self.tracker.lift(zone, card)
            assert self.tracker.holds(zone) == held - 1
        elif how == "turn":
            self.tracker.turn(zone, card, up)
        else:
            self.tracker.see(zone, card)

    @rule(zone=ZONE)
    def discard(self, zone: str) -> None:
        self.tracker.discard_lifted(zone)

    @rule(card=st.sampled_from(["As", "Kd"]))
    def seen_in_the_muck(self, card: str) -> None:
        self.tracker.move_named(card, "muck")

    @rule()
    def shuffle_stub(self) -> None:
        self.cards -= len(self.tracker.lifted)
        self.tracker.return_lifted_to_stub()

    @invariant()
    def every_card_is_somewhere_once(self) -> None:
        made = self.tracker
        lying = [held.card for cards in made.zones.values() for held in cards]
        under_way = [card.card for card in made.mouth] + [card.card for card in made.lifted]
        assert len(lying) + len(under_way) == self.cards
        named = Counter(card for card in (*lying, *under_way) if card is not None)
        assert all(number == 1 for number in named.values())
        assert set(named) == set(made.where)
        assert set(made.where) <= made.deck
        for zone, cards in made.zones.items():
            assert all(made.where[held.card] == zone for held in cards if held.card is not None)


AnyTable.TestCase.settings = settings(max_examples=150, stateful_step_count=30, deadline=None)
test_any_table = AnyTable.TestCase

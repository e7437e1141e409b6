"""House-banked rounds (ACT UTH): boxes, the deal in legs, decisions in any order, the dealer's hand, settlement."""

from collections.abc import Callable
from typing import Any

import pytest

from table_fsm.outputs import Kind
from table_fsm.table import Table
from tests.table_fsm.streams import UTH, Answer, Play, books, uth, uth_dealt

BOARD = tuple(f"board:{n}" for n in range(1, 6))
COUNT = ["wrong_card_count: misdeal"]
SEEN = ["deal_revealed: misdeal"]


def deal(play: Play, *zones: str) -> Answer:
    return play.all(play.card(zone) for zone in zones)


def dealt(seats: tuple[int, ...] = (1, 2), **options: Any) -> Play:
    return uth_dealt(uth(seats, **options))


def known(seats: dict[int, tuple[str, str]], dealer: tuple[str, str], board: tuple[str, ...]) -> Play:
    play = uth(tuple(seats), ante=500, trips=100)
    for zone, card in zip(BOARD, board, strict=True):
        play.card(zone, card)
    for seat, cards in seats.items():
        for card in cards:
            play.card(f"seat:{seat}", card)
    for card in dealer:
        play.card("dealer", card)
    return play


def to_dealer(play: Play) -> Answer:
    """Board turned street by street, then the dealer's hand."""
    return play.turn("board:1", "board:2", "board:3", "board:4", "board:5", "dealer")


# -- the deal


def test_the_deal_is_complete_with_the_dealer_s_second_card() -> None:
    play = uth((1, 2))
    assert deal(play, *BOARD, "seat:2", "seat:2", "seat:1", "seat:1", "dealer").told == []
    assert play.phase == "dealing"
    deal(play, "dealer")
    assert play.phase == "betting.pre_flop"


@pytest.mark.parametrize(
    "zones",
    [
        (*BOARD[:4], "seat:1"),
        (*BOARD, "board:5"),
        (*BOARD, "seat:1", "seat:1", "seat:1"),
        (*BOARD, "seat:1", "seat:1", "seat:2", "dealer"),
        (*BOARD, "seat:1", "seat:1", "dealer"),
        (*BOARD, "seat:1", "seat:1", "seat:2", "seat:2", "dealer", "dealer", "dealer"),
        (*BOARD, "seat:1", "seat:1", "seat:2", "seat:2", "dealer", "dealer", "seat:1"),
    ],
    ids=["board short", "board over", "box over", "box short", "box missed", "dealer over", "after the deal"],
)
def test_a_wrong_number_to_the_board_a_box_or_the_dealer_is_a_misdeal(zones: tuple[str, ...]) -> None:
    play = uth((1, 2))
    assert deal(play, *zones[:-1]).told == []
    assert deal(play, zones[-1]).told == COUNT


@pytest.mark.parametrize("cards", [0, 1], ids=["none", "one"])
@pytest.mark.parametrize("how", ["the flop is turned", "the hand is ended", "the pack is shuffled"])
def test_a_dealer_s_hand_is_short_for_good_when_no_card_can_come(cards: int, how: str) -> None:
    play = uth((1, 2))
    deal(play, *BOARD, "seat:1", "seat:1", "seat:2", "seat:2", *["dealer"] * cards)
    assert play.acts("1 fold").told == []
    later: dict[str, Callable[[], Answer]] = {
        "the flop is turned": lambda: play.turn("board:1"),
        "the hand is ended": play.end,
        "the pack is shuffled": lambda: play.shuffle(cut=False),
    }
    assert later[how]().told == COUNT


def test_keys_between_the_dealer_s_two_cards_leave_the_deal_alone() -> None:
    play = uth((1, 2, 3))
    deal(play, *BOARD, "seat:1", "seat:1", "seat:2", "seat:2", "seat:3", "seat:3", "dealer")
    assert play.acts("1 fold").told == []
    assert play.wager(2, "play", 1500).told == ["wager_invalid: warn"]  # too early: it stands
    assert play.close().refusal == "no betting round is open: the cards are being dealt"
    assert play.acts("3 check").refusal == "seat 3: check, and no decision is asked"
    assert deal(play, "dealer").told == []
    assert play.prompt == {"decide": [3]}


def test_before_the_dealer_s_own_hand_is_begun_nobody_plays() -> None:
    play = uth((1, 2))
    deal(play, *BOARD, "seat:1", "seat:1")
    assert play.wager(1, "play", 1500).told == ["wager_invalid: warn"]
    assert deal(play, "seat:2", "seat:2", "dealer", "dealer").told == []


def test_where_no_wager_is_reported_the_boxes_are_those_that_got_cards() -> None:
    play = uth((1, 2, 3), ante=0)
    assert deal(play, *BOARD, "seat:1", "seat:1", "seat:3", "seat:3", "dealer", "dealer").told == []
    assert play.phase == "betting.pre_flop"


@pytest.mark.parametrize("how", ["placed up", "boxed", "turned", "exposed", "on the shoe"])
def test_any_card_seen_during_the_deal_is_a_misdeal(how: str) -> None:
    play = uth((1, 2))
    play.card("board:1")
    answers = {
        "placed up": lambda: play.card("board:2", face="up"),
        "boxed": lambda: play.send("shoe.card", face="up"),
        "turned": lambda: play.turn("board:1"),
        "exposed": lambda: play.expose("board:1"),
        "on the shoe": lambda: play.expose("shoe"),
    }
    assert answers[how]().told == SEEN


def test_a_burn_has_no_place_in_this_game() -> None:
    assert dealt().burn().told == ["burn_extra: call_floor"]


def test_a_card_from_the_shoe_to_the_discards_is_no_matter_here() -> None:
    assert dealt().card("muck").told == []


def test_a_card_the_shoe_did_not_give() -> None:
    play = uth((1, 2))
    play.card("board:1")
    ruling = play.place("board:2").rulings[0]
    assert (ruling["rule"], ruling["outcome"]) == ("2.2", "call_floor")


# -- hands without wager


@pytest.mark.parametrize(
    ("options", "look", "outcome"),
    [({}, False, "void_round"), ({}, True, "void_hand"), ({"look_sensor": False}, False, "call_floor")],
)
def test_a_hand_to_a_box_without_ante_and_blind(options: dict[str, Any], look: bool, outcome: str) -> None:
    play = Play(UTH)
    play.open((1, 2), **options)
    play.shuffle(cut=False)
    play.wager(1, "ante", 500)
    play.wager(1, "blind", 500)
    deal(play, *BOARD, "seat:1", "seat:1")
    if look:
        play.look(1)
    assert deal(play, "seat:2").told == [f"hand_without_wager: {outcome}"]


def test_its_second_card_is_the_same_fault() -> None:
    play = Play(UTH)
    play.open((1, 2))
    play.shuffle(cut=False)
    play.wager(1, "ante", 500)
    play.wager(1, "blind", 500)
    deal(play, *BOARD, "seat:1", "seat:1")
    play.look(1)
    deal(play, "seat:2")
    assert deal(play, "seat:2", "dealer", "dealer").told == []
    assert play.prompt == {"decide": [1]}


# -- wagers


def box(play: Play, seat: int) -> dict[str, int]:
    found: dict[str, int] = next(s["wagers"] for s in play.view["seats"] if s["seat"] == seat)
    return found


@pytest.mark.parametrize(
    ("wagers", "kind"),
    [
        ({"trips": 100}, "4.3"),
        ({"ante": 500, "trips": 100}, "4.3"),
        ({"ante": 500, "blind": 400}, "4.2"),
        ({"ante": 500}, "4.2"),
        ({"ante": 50, "blind": 50}, "5.4"),
        ({"ante": 500, "blind": 500, "trips": 50}, "5.4"),
        ({"ante": 500, "blind": 500}, None),
    ],
)
def test_the_boxes_as_they_lie_at_no_more_bets(wagers: dict[str, int], kind: str | None) -> None:
    play = Play(UTH)
    play.open((1, 2), table_min=100)
    play.shuffle(cut=False)
    for name, cents in wagers.items():
        play.wager(1, name, cents)
    rules = [ruling["rule"] for ruling in play.send("deal.start").rulings]
    assert rules == ([kind] if kind else [])
    later = [ruling["irregularity"] for ruling in play.card("board:1").rulings]
    assert "wager_invalid" not in later


def test_each_box_has_its_own_ruling() -> None:
    play = uth((1, 2))
    play.wager(1, "blind", 100)
    play.wager(2, "ante", 100)
    assert [ruling["seat"] for ruling in play.send("deal.start").rulings] == [1, 2]


def test_nothing_but_a_play_wager_changes_after_the_first_card() -> None:
    play = uth((1, 2))
    play.card("board:1")
    assert play.wager(1, "ante", 500).told == []  # as it lies
    assert play.wager(1, "ante", 600).told == ["wager_after_deal: warn"]
    assert box(play, 1)["ante"] == 500


def test_a_wager_taken_away_before_the_first_card_was_never_there() -> None:
    play = uth((1, 2))
    for name in ("ante", "blind"):
        play.wager(2, name, 0)
    assert deal(play, *BOARD, "seat:1", "seat:1", "dealer", "dealer").told == []


@pytest.mark.parametrize(("cents", "told"), [(1500, []), (2000, []), (1000, ["wager_invalid: warn"])])
def test_three_or_four_times_the_ante_before_the_flop(cents: int, told: list[str]) -> None:
    play = dealt(ante=500)
    assert play.wager(1, "play", cents).told == told
    assert box(play, 1)["play"] == cents
    assert play.prompt == {"decide": [2]}


@pytest.mark.parametrize(
    ("streets", "cents", "rule"), [(1, 1000, None), (1, 1500, "13.7"), (2, 500, None), (2, 1000, "13.7")]
)
def test_twice_after_the_flop_and_once_at_the_river(streets: int, cents: int, rule: str | None) -> None:
    play = dealt(ante=500)
    for zones in (BOARD[:3], BOARD[3:])[:streets]:
        play.turn(*zones)
    assert [ruling["rule"] for ruling in play.wager(1, "play", cents).rulings] == ([rule] if rule else [])


def test_a_play_wager_may_be_keyed_as_a_bet() -> None:
    play = dealt(ante=500)
    assert play.acts("1 bet 1500", "2 raise 2000").told == []
    assert (box(play, 1)["play"], box(play, 2)["play"]) == (1500, 2000)


def test_one_play_wager_a_round() -> None:
    play = dealt(ante=500)
    play.wager(1, "play", 1500)
    ruling = play.wager(1, "play", 2000).ruling
    assert (ruling["rule"], ruling["outcome"]) == ("8.3", "warn")
    assert box(play, 1)["play"] == 1500


def test_a_play_wager_taken_back_is_a_change_after_the_deal() -> None:
    play = dealt(ante=500)
    play.wager(1, "play", 1500)
    assert play.wager(1, "play", 0).told == ["wager_after_deal: warn"]


def test_a_play_wager_with_no_hand_to_play() -> None:
    play = dealt((1, 2))
    play.acts("1 fold")
    assert play.wager(1, "play", 1500).ruling["rule"] == "8.6"
    assert play.wager(1, "play", 0).told == []
    assert uth((1, 2)).wager(1, "play", 1500).ruling["rule"] == "8.6"


def test_wagers_for_the_next_round_may_lie_before_the_shuffle() -> None:
    play = dealt((1, 2))
    play.decide("misdeal")
    for seat in (1, 2):
        for name in ("ante", "blind"):
            assert play.wager(seat, name, 500).told == []
    play.shuffle(cut=False)
    assert uth_dealt(play).phase == "betting.pre_flop"


def test_wagers_laid_before_the_end_of_a_round_outlive_a_restart() -> None:
    play = dealt((1, 2, 3))
    play.acts("1 fold", "2 fold", "3 fold")
    for seat in (1, 2, 3):
        for name in ("ante", "blind"):
            play.wager(seat, name, 0)
            assert play.wager(seat, name, 1000).told == []
    play.send("seat.out", seat=3)
    play.end()
    restored = Table.restore(books(), play.table.snapshot())
    assert restored._core.round.house.boxes == play.core.round.house.boxes
    assert {seat: box.ante for seat, box in play.core.round.house.boxes.items()} == {1: 1000, 2: 1000}


def test_paying_and_taking_is_no_change_of_wagers() -> None:
    play = dealt((1, 2))
    play.wager(1, "play", 1500)
    play.wager(2, "play", 1500)
    to_dealer(play)
    play.turn("seat:2")
    for name in ("blind", "play"):
        assert play.wager(2, name, 0).told == []
        assert play.wager(1, name, 0).told == ["wager_after_deal: warn"]  # that hand is not open yet


@pytest.mark.parametrize("name", ["ante", "blind", "trips", "play"])
def test_without_a_pair_of_the_dealer_s_the_antes_go_back_before_the_hands_are_turned(name: str) -> None:
    play = known({1: ("As", "Ad"), 2: ("7h", "7c")}, ("8d", "3s"), ("2s", "6c", "9h", "Jc", "Ks"))
    play.wager(1, "play", 1500)
    play.wager(2, "play", 1500)
    to_dealer(play)
    assert play.wager(1, name, 0).told == ([] if name == "ante" else ["wager_after_deal: warn"])


def test_each_late_change_is_a_fault_of_its_own() -> None:
    play = dealt((1, 2), ante=500)
    late = ["wager_after_deal: warn"]
    assert play.wager(1, "trips", 100).told == late
    assert play.wager(1, "trips", 100).told == []  # the sensor repeats itself
    assert play.wager(1, "trips", 0).told == []  # put back
    assert play.wager(1, "trips", 200).told == late
    assert play.wager(1, "ante", 600).told == late
    assert play.wager(1, "ante", 700).told == late


def test_a_late_player_s_ante_blind_and_trips_are_one_fault_until_the_chips_are_back() -> None:
    play = Play(UTH)
    play.open((1, 2))
    play.shuffle(cut=False)
    play.wager(1, "ante", 500)
    play.wager(1, "blind", 500)
    play.card("board:1")
    for _ in "12":
        assert play.wager(2, "ante", 500).told == ["wager_after_deal: warn"]
        assert play.wager(2, "blind", 500).told == []
        assert play.wager(2, "trips", 100).told == []
        assert [play.wager(2, name, 0).told for name in ("ante", "blind", "trips")] == [[], [], []]


def test_the_boxes_of_a_folded_hand_are_its_player_s_again_once_they_are_empty() -> None:
    play = dealt((1, 2), ante=500)
    play.acts("1 fold")
    assert play.wager(1, "trips", 100).told == ["wager_after_deal: warn"]
    assert [play.wager(1, name, 0).told for name in ("trips", "ante", "blind")] == [[], [], []]
    assert play.wager(1, "ante", 500).told == []  # for the round to come


@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
@pytest.mark.parametrize(("street", "cents"), [(0, 2000), (1, 1000), (2, 500)])
def test_a_play_wager_is_of_its_street_until_the_next_cards_show(closed: bool, street: int, cents: int) -> None:
    play = dealt((1, 2), ante=500)
    play.turn(*BOARD[: (0, 3, 5)[street]])
    play.acts("2 fold")
    if closed:
        play.close()
    assert play.wager(1, "play", cents).told == []
    assert box(play, 1)["play"] == cents
    assert play.wager(1, "play", cents * 2).ruling["rule"] == "8.3"


@pytest.mark.parametrize("zone", ["board:1", "board:4", "dealer"])
def test_a_play_wager_once_the_next_cards_show_is_late(zone: str) -> None:
    play = dealt((1, 2), ante=500)
    turned = {"board:1": (), "board:4": BOARD[:3], "dealer": BOARD}[zone]
    play.turn(*turned)
    play.send("card.turned", zone=zone)
    assert play.wager(1, "play", 500).told == ["wager_after_deal: warn"]
    assert box(play, 1)["play"] == 0


def test_a_play_wager_left_from_a_misdeal_is_none_of_the_next_round() -> None:
    play = uth((1, 2))
    assert play.send("shoe.card", face="up").told == SEEN
    assert play.wager(1, "play", 2000).told == []
    play.shuffle("red", cut=False)
    for name in ("ante", "blind"):
        play.wager(1, name, 500)
    for zone in (*BOARD, "seat:1", "seat:1", "dealer", "dealer"):
        play.card(zone, deck="red")
    assert box(play, 1)["play"] == 0
    play.acts("1 fold")
    settled = {"seat": 1, "hand": None, "ante": -500, "blind": -500, "trips": None, "play": None}
    assert play.end().of(Kind.SETTLEMENT) == [settled]


# -- who wagers first, in a tournament


def ordered(start: int = 2) -> Play:
    play = Play(UTH)
    play.open((1, 2, 3), tournament=True)
    play.shuffle(cut=False)
    play.send("marker.placed", marker="start", seat=start)
    return play


def test_from_the_starting_marker_clockwise() -> None:
    play = ordered()
    for seat in (2, 3, 1):
        assert play.wager(seat, "ante", 500).told == []
        assert play.wager(seat, "blind", 500).told == []


def test_out_of_order_is_a_warning_once_a_player() -> None:
    play = ordered()
    assert play.wager(3, "ante", 500).told == ["action_out_of_turn: warn"]
    assert play.wager(3, "blind", 500).told == []
    assert play.wager(2, "ante", 500).told == []
    assert play.wager(3, "trips", 500).told == []


def test_a_player_s_opportunity_ends_with_the_next_one_s() -> None:
    play = ordered()
    play.wager(2, "ante", 500)
    play.wager(3, "ante", 500)
    assert play.wager(2, "blind", 500).told == ["action_out_of_turn: warn"]


def test_without_a_marker_or_a_tournament_any_order_will_do() -> None:
    play = Play(UTH)
    play.open((1, 2, 3), tournament=True)
    play.shuffle(cut=False)
    assert play.wager(3, "ante", 500).told == []


# -- decisions


def test_players_decide_in_any_order() -> None:
    play = dealt((1, 2, 3))
    assert play.acts("3 check", "1 fold", "2 check").told == []
    assert play.prompt == {"turn": ["board:1", "board:2", "board:3"]}


def test_turning_the_flop_with_somebody_to_decide_calls_the_floor_where_checks_are_keyed() -> None:
    play = dealt((1, 2))
    play.acts("1 check")
    ruling = play.turn("board:1").ruling
    assert (ruling["irregularity"], ruling["outcome"], ruling["seat"]) == ("betting_incomplete", "call_floor", 2)
    assert dealt((1, 2)).turn("board:1").told == []  # no checks keyed: nobody knows


def test_at_the_river_one_plays_or_folds() -> None:
    play = dealt((1, 2))
    play.turn(*BOARD)
    assert play.acts("1 check").told == ["action_illegal: warn"]


def test_folding_twice_is_folding_once() -> None:
    play = dealt((1, 2))
    play.acts("1 fold")
    assert play.acts("1 fold").errors == ["seat 1 has no hand in play"]


def test_the_turn_and_river_before_the_flop_are_premature() -> None:
    assert dealt().turn("board:4").told == ["board_premature: call_floor"]


def test_a_flop_turned_after_everybody_folded_is_for_show() -> None:
    play = dealt((1, 2))
    play.acts("1 fold", "2 fold")
    assert play.turn(*BOARD, "dealer").told == []


# -- cards that wander


def test_cards_exchanged_between_seats() -> None:
    play = dealt((1, 2))
    play.fetch("seat:1")
    ruling = play.place("seat:2", None).ruling
    assert (ruling["rule"], ruling["outcome"]) == ("12.2", "call_floor")


def test_a_card_put_back_or_the_five_spread_out_are_no_matter() -> None:
    play = dealt((1, 2))
    play.fetch("seat:1")
    assert play.place("seat:1", None).told == []
    play.fetch("board:1")
    assert play.place("board:2", None).told == []


def test_cards_brought_to_the_discards_are_a_fold() -> None:
    play = dealt((1, 2))
    play.fetch("seat:1")
    assert play.place("muck", None).told == []
    assert play.view["seats"][0]["folded"]


def test_folded_cards_do_not_come_back() -> None:
    play = dealt((1, 2))
    play.acts("1 fold")
    play.fetch("seat:1")
    play.fetch("muck")
    ruling = play.place("seat:2", None).ruling
    assert (ruling["rule"], ruling["outcome"], ruling["seat"]) == ("8.6", "dead_hand", 2)


# -- seen after the deal


@pytest.mark.parametrize(("played", "outcome"), [(False, "misdeal"), (True, "play_on")])
@pytest.mark.parametrize("how", ["expose", "turn"])
def test_a_card_of_the_dealer_s_seen_before_its_time(played: bool, outcome: str, how: str) -> None:
    play = dealt((1, 2))
    if played:
        play.wager(1, "play", 1500)
    answer = play.expose("dealer") if how == "expose" else play.send("card.turned", zone="dealer")
    assert answer.told == [f"dealer_hand_exposed: {outcome}"]
    if played:
        assert play.expose("dealer").told == []


def test_the_dealer_s_hand_once_open_is_no_secret() -> None:
    play = dealt((1, 2))
    play.wager(1, "play", 1500)
    play.wager(2, "play", 1500)
    to_dealer(play)
    assert play.expose("dealer").told == []


@pytest.mark.parametrize(
    ("zone", "by", "told"),
    [
        ("board:1", "dealer", "board_premature: call_floor"),
        ("seat:1", "player", "player_exposed: penalty_floor"),
        ("seat:1", "dealer", "hole_exposed: call_floor"),
        ("shoe", "dealer", "boxed_card: call_floor"),
    ],
)
def test_other_cards_seen_after_the_deal(zone: str, by: str, told: str) -> None:
    play = dealt((1, 2))
    assert play.expose(zone, by=by).told == [told]
    if by == "player":
        assert play.expose(zone, by=by).told == []


def test_a_card_of_the_discards_seen() -> None:
    play = dealt((1, 2))
    play.acts("1 fold")
    play.fetch("seat:1")
    assert play.expose("muck").told == ["fold_exposed: call_floor"]


@pytest.mark.parametrize("how", ["expose", "fetch", "turn"])
def test_another_card_than_lay_there_voids_the_round(how: str) -> None:
    play = known({1: ("As", "Ad")}, DEALER, TABLE)
    answers = {
        "expose": lambda: play.expose("seat:1", card="Jo"),
        "fetch": lambda: play.fetch("seat:1", "Jo"),
        "turn": lambda: play.send("card.turned", zone="seat:1", card="Jo"),
    }
    assert answers[how]().told == ["foreign_card: void_round"]


def test_the_board_turned_with_the_dealer_s_own_hand_forgotten() -> None:
    play = uth((1, 2))
    deal(play, *BOARD, "seat:1", "seat:1", "seat:2", "seat:2")
    assert play.turn("board:1").told == COUNT


def test_a_communal_card_left_closed_may_be_turned_at_the_end() -> None:
    play = dealt((1,))
    play.wager(1, "play", 1500)
    play.close()
    play.turn(*BOARD[:3])
    play.close()
    play.turn("board:4")
    play.close()
    assert play.turn("board:5").told == []


def test_a_card_turned_in_the_discards_is_no_matter() -> None:
    play = dealt((1, 2))
    play.acts("1 fold")
    play.fetch("seat:1")
    assert play.send("card.turned", zone="muck").told == []


def test_a_third_play_wager_is_not_told_again() -> None:
    play = dealt(ante=500)
    play.wager(1, "play", 1500)
    play.wager(1, "play", 2000)
    assert play.wager(1, "play", 2000).told == []
    play.wager(1, "play", 0)
    assert play.wager(1, "play", 0).told == []


def test_a_fold_overruled_gives_the_hand_back() -> None:
    play = dealt((1, 2), decision_time=30)
    play.wager(1, "play", 1500)
    assert play.wait(30).ruling["seat"] == 2
    play.decide("overrule", ruling=1, outcome="play_on")
    assert not play.view["seats"][1]["folded"]


# -- settlement


HANDS = {1: ("As", "Ad"), 2: ("9h", "4d"), 3: ("Kc", "2d")}
DEALER = ("Qs", "Jd")
TABLE = ("Qd", "7h", "5c", "3s", "8d")


def test_hands_are_settled_as_they_are_opened_and_a_fold_loses_all() -> None:
    play = known(HANDS, DEALER, TABLE)
    play.wager(1, "play", 2000)
    play.acts("2 fold")
    play.wager(3, "play", 1500)
    opened = to_dealer(play)
    assert opened.of(Kind.SETTLEMENT) == [
        {"seat": 2, "hand": None, "ante": -500, "blind": -500, "trips": -100, "play": None},
    ]
    third = play.turn("seat:3")
    assert third.of(Kind.SETTLEMENT) == [
        {"seat": 3, "hand": "high card", "ante": -500, "blind": -500, "trips": -100, "play": -1500},
    ]
    first = play.turn("seat:1")
    assert first.of(Kind.SETTLEMENT) == [
        {"seat": 1, "hand": "one pair", "ante": 500, "blind": 0, "trips": -100, "play": 2000},
    ]
    assert first.phase == "settling"


def test_a_dealer_who_does_not_qualify_pushes_the_ante() -> None:
    play = known({1: ("As", "Ad")}, ("Kh", "2d"), TABLE)
    play.wager(1, "play", 2000)
    to_dealer(play)
    assert play.turn("seat:1").of(Kind.SETTLEMENT)[0]["ante"] == 0


def test_a_hand_folded_after_the_dealer_s_hand_is_open_is_settled_at_once() -> None:
    play = known({1: ("As", "Ad"), 2: ("9h", "4d")}, DEALER, TABLE)
    play.wager(1, "play", 2000)
    to_dealer(play)
    answer = play.send("seat.out", seat=2)
    assert [given["seat"] for given in answer.of(Kind.SETTLEMENT)] == [2]


def test_hands_shown_before_the_dealer_s_are_settled_with_it() -> None:
    play = known({1: ("As", "Ad")}, DEALER, TABLE)
    play.wager(1, "play", 2000)
    play.turn(*BOARD)
    assert play.turn("seat:1").of(Kind.SETTLEMENT) == []
    assert [given["seat"] for given in play.turn("dealer").of(Kind.SETTLEMENT)] == [1]


def test_a_hand_whose_cards_were_never_read_is_not_settled_by_guess() -> None:
    play = uth((1,))
    for zone in (*BOARD, "seat:1", "seat:1", "dealer", "dealer"):
        play.card(zone, None)
    play.wager(1, "play", 1500)
    to_dealer(play)
    assert play.turn("seat:1").of(Kind.SETTLEMENT) == []
    assert play.end().of(Kind.SETTLEMENT) == []


def test_a_returned_wager_that_is_reported_again_is_no_new_one() -> None:
    play = uth((1, 2), ante=50, table_min=100)
    assert play.send("deal.start").told == ["wager_invalid: warn"] * 2
    deal(play, *BOARD, "seat:1", "seat:1", "seat:2", "seat:2", "dealer", "dealer")
    play.acts("1 fold", "2 fold")
    play.end()
    play.shuffle(cut=False)
    for name in ("ante", "blind"):
        play.wager(1, name, 50)
    assert play.send("deal.start").told == ["wager_invalid: return_bet"]
    assert play.wager(1, "ante", 50).told == []  # the sensor repeats what the dealer has still to return
    assert box(play, 1) == {"ante": 0, "blind": 0, "trips": 0, "play": 0}
    for name in ("ante", "blind"):
        play.wager(1, name, 60)
    assert play.send("deal.start").told == ["wager_invalid: return_bet"]
    for name in ("ante", "blind"):
        play.wager(1, name, 100)
    assert play.send("deal.start").told == []
    assert box(play, 1)["ante"] == 100


def test_chips_fetched_after_the_round_are_no_wager_out_of_order() -> None:
    play = ordered()
    for seat in (2, 3, 1):
        for name in ("ante", "blind"):
            play.wager(seat, name, 500)
    uth_dealt(play)
    play.acts("1 fold", "2 fold", "3 fold")
    play.end()
    assert [play.wager(seat, name, 0).told for seat in (1, 3) for name in ("ante", "blind")] == [[]] * 4
    play.shuffle("red", cut=False)
    assert [play.wager(seat, "ante", 500).told for seat in (2, 3, 1)] == [[]] * 3

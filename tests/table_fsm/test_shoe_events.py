"""The shoe and its decks: shuffles counted, full checks, changed cards, faults latched until a person has seen them."""

from typing import Any

import pytest

from table_fsm.outputs import Kind
from tests.table_fsm.streams import UTH, Answer, Play, holdem, uth, uth_dealt


def fault(play: Play, kind: str = "jam", deck: str | None = None) -> Answer:
    return play.send("shoe.fault", kind=kind, deck=deck)


def cleared(play: Play, kind: str = "jam", deck: str | None = None) -> Answer:
    return play.send("shoe.cleared", kind=kind, deck=deck)


def check(play: Play, deck: str | None = "blue", count: int = 52, **found: Any) -> Answer:
    return play.send("shoe.deck_checked", deck=deck, count=count, **found)


def opened() -> Play:
    play = Play()
    play.open()
    return play


# -- counted by the shuffle


@pytest.mark.parametrize(
    ("count", "told"),
    [(52, []), (None, []), (51, ["short_deck: stop_table"]), (36, ["short_deck: stop_table"]),
     (53, ["foreign_card: stop_table"])],
)  # fmt: skip
def test_a_shuffle_counts_the_deck_where_the_shoe_counts(count: int | None, told: list[str]) -> None:
    assert opened().shuffle(count=count, cut=False).told == told


def test_a_deck_found_short_is_dealt_no_more_until_checked_and_found_whole() -> None:
    play = opened()
    ruling = play.shuffle(count=51, cut=False).ruling
    assert ruling["also"] == ["check_deck"]
    assert play.shuffle(count=52).told == []  # a count is no check
    assert play.pending == ["short_deck"]
    assert play.phase == "halted"
    check(play)
    assert play.pending == []
    assert play.send("deal.start").told == []


def test_one_deck_that_is_not_whole_gives_one_ruling() -> None:
    play = opened()
    play.shuffle(count=51, cut=False)
    assert play.shuffle(count=51, cut=False).told == []
    assert check(play, count=51, missing=["As"]).told == []


def test_a_shuffle_of_the_pack_in_play_ends_its_round() -> None:
    play = holdem()
    play.hands()
    answer = play.shuffle()
    assert play.table.round_number == 1
    assert answer.of(Kind.BUTTON) == [{"seat": 1}]
    assert play.phase == "waiting"


def test_a_shuffle_before_the_opening_counts_for_the_first_round() -> None:
    play = Play()
    play.send("shoe.shuffled", deck="blue", count=52)
    play.open()
    play.send("cut", depth=20)
    assert play.send("deal.start").told == []


def test_a_shuffle_asked_for_a_cut_and_a_book_without_one_waits_for_wagers() -> None:
    assert opened().shuffle(cut=False).phase == "cutting"
    play = Play(UTH)
    play.open()
    assert play.shuffle(cut=False).prompt == {"wagers": True}


# -- checked card by card


@pytest.mark.parametrize(
    ("count", "found", "irregularity"),
    [
        (51, {"missing": ["As"]}, "short_deck"),
        (52, {"missing": ["As"], "duplicate": ["Kd"]}, "short_deck"),
        (53, {"foreign": ["Jo"]}, "foreign_card"),
        (53, {"duplicate": ["Kd"]}, "duplicate_card"),
        (51, {}, "short_deck"),
        (53, {}, "foreign_card"),
    ],
)
def test_what_a_check_finds_wrong(count: int, found: dict[str, Any], irregularity: str) -> None:
    play = opened()
    answer = check(play, count=count, **found)
    assert answer.told == [f"{irregularity}: stop_table"]
    assert answer.of(Kind.ALARM)[0]["deck"] == "blue"
    assert check(play).alarms == [f"{irregularity} cleared"]


@pytest.mark.parametrize(("deck", "told"), [("blue", "void_round"), (None, "void_round"), ("red", "stop_table")])
def test_a_check_in_a_round_is_of_the_pack_in_play_or_of_the_other(deck: str | None, told: str) -> None:
    play = uth_dealt(uth())
    assert check(play, deck, count=51).told == [f"short_deck: {told}"]


def test_the_other_pack_s_stop_does_not_halt_the_round_in_play() -> None:
    play = uth_dealt(uth())
    check(play, "red", count=51)
    assert play.phase == "betting.pre_flop"
    assert play.prompt == {"decide": [1, 2, 3]}


def test_a_deck_found_wrong_before_the_opening_is_ruled_on_as_the_table_opens() -> None:
    play = Play()
    assert check(play, count=51).told == []
    answer = play.open(checked=False)
    assert answer.told == ["short_deck: stop_table"]
    assert answer.of(Kind.ALARM)[0]["deck"] == "blue"


def test_a_deck_never_checked_stops_the_first_round() -> None:
    play = Play()
    assert play.open(checked=False).phase == "checking_cards"
    assert play.prompt == {"check": None}
    play.shuffle()
    assert play.send("deal.start").told == ["deck_unchecked: stop_table"]
    check(play)
    assert play.pending == []


def test_a_deck_checked_first_of_all_needs_no_name() -> None:
    play = Play()
    play.open(deck=None)
    play.shuffle()
    assert play.send("deal.start").told == []


# -- changed


def changed(play: Play) -> Play:
    play.send("deck.changed", deck="blue")
    return play


def test_changed_cards_are_unchecked() -> None:
    play = changed(opened())
    play.shuffle()
    assert play.send("deal.start").told == ["deck_unchecked: stop_table"]


def test_replacement_cards_need_a_check_and_a_second_person() -> None:
    play = changed(opened())
    play.shuffle()
    check(play)
    assert play.send("deal.start").told == ["deck_unchecked: stop_table"]
    play.send("badge", staff="s1", role="dealer")  # not one of the roles
    assert play.pending == ["deck_unchecked"]
    play.send("badge", staff="s1", role="surveillance")
    assert play.pending == []


def test_a_badge_up_to_a_minute_before_counts() -> None:
    play = opened()
    play.send("badge", staff="s1", role="supervisor")
    play.wait(30)
    changed(play)
    check(play)
    play.shuffle()
    assert play.send("deal.start").told == []


def test_a_badge_long_before_does_not() -> None:
    play = opened()
    play.send("badge", staff="s1", role="supervisor")
    play.wait(61)
    changed(play)
    check(play)
    play.shuffle()
    assert play.send("deal.start").told == ["deck_unchecked: stop_table"]


def test_a_badge_alone_is_no_check() -> None:
    play = changed(opened())
    play.send("badge", staff="s1", role="supervisor")
    play.shuffle()
    assert play.send("deal.start").told == ["deck_unchecked: stop_table"]


def test_cards_brought_before_the_opening_need_the_check_only() -> None:
    play = Play()
    changed(play)
    play.open()
    play.shuffle()
    assert play.send("deal.start").told == []


# -- faults


def test_a_fault_between_rounds_stops_the_table_until_cleared_and_acknowledged() -> None:
    play = holdem()
    answer = fault(play)
    assert answer.told == ["shoe_unavailable: stop_table"]
    assert answer.alarms == ["jam raised"]
    assert answer.of(Kind.SHOE) == ["lock"]
    assert cleared(play).alarms == ["jam cleared"]
    assert play.pending == ["shoe_unavailable"]
    assert play.view["faults"] == [{"kind": "jam", "deck": None, "present": False, "acknowledged": False}]
    seen = play.decide("acknowledge")
    assert seen.of(Kind.SHOE) == ["unlock"]
    assert (play.pending, play.view["faults"], play.view["alarms"]) == ([], [], [])


def test_acknowledging_first_ends_it_with_the_clearing() -> None:
    play = holdem()
    fault(play)
    play.decide("acknowledge")
    assert play.view["faults"][0]["present"]
    cleared(play)
    assert (play.pending, play.view["faults"]) == ([], [])


def test_a_fault_is_latched_over_a_restart() -> None:
    play = holdem()
    play.hands()
    play.to_showdown()
    fault(play, "comms")
    play.end()
    again = type(play.table).restore(play.core.rulebooks, play.table.snapshot())
    assert again.view()["faults"] == play.view["faults"] != []


def test_the_same_fault_going_on_is_no_news() -> None:
    play = holdem()
    fault(play)
    assert fault(play).outputs == ()
    assert len(play.view["faults"]) == 1


def test_another_fault_between_rounds_is_ruled_on_too_and_all_stops_end_with_the_last_fault() -> None:
    play = holdem()
    fault(play)
    answer = fault(play, "power")
    assert answer.alarms == ["power raised"]
    assert answer.told == ["shoe_unavailable: stop_table"]
    cleared(play)
    play.decide("acknowledge")
    assert play.pending == ["shoe_unavailable", "shoe_unavailable"]
    cleared(play, "power")
    assert play.pending == []


def test_a_fault_that_comes_back_raises_its_alarm_again() -> None:
    play = holdem()
    fault(play)
    cleared(play)
    assert fault(play).alarms == ["jam raised"]
    play.decide("acknowledge")
    assert [alarm["kind"] for alarm in play.view["alarms"]] == ["jam"]


@pytest.mark.parametrize("kind", ["jam", "comms"])
def test_in_a_hold_em_round_a_person_decides(kind: str) -> None:
    play = holdem()
    play.hands()
    assert fault(play, kind).told == ["shoe_malfunction: call_floor"]


@pytest.mark.parametrize(("kind", "outcome"), [("jam", "void_round"), ("lid_open", "call_floor")])
def test_in_the_house_s_game_the_book_decides_by_the_kind(kind: str, outcome: str) -> None:
    assert fault(uth_dealt(uth()), kind).told == [f"shoe_malfunction: {outcome}"]


def test_a_fault_of_the_idle_deck_lets_the_round_play_on_and_no_new_one_start() -> None:
    play = uth_dealt(uth())
    answer = fault(play, deck="red")
    assert answer.told == []
    assert answer.of(Kind.ALARM)[0]["deck"] == "red"
    assert answer.of(Kind.SHOE) == []
    play.end()
    play.shuffle("red", cut=False)
    assert play.send("deal.start").told == ["shoe_unavailable: stop_table", "deck_unchecked: stop_table"]


def test_a_fault_that_names_the_deck_in_play_is_its_fault() -> None:
    assert fault(uth_dealt(uth()), deck="blue").told == ["shoe_malfunction: void_round"]


def test_a_clearing_that_names_a_deck_clears_that_deck_s_faults_and_the_unnamed() -> None:
    play = uth()
    fault(play, deck="red")
    fault(play, deck="blue")
    cleared(play, deck="red")
    assert [(f["deck"], f["present"]) for f in play.view["faults"]] == [("red", False), ("blue", True)]
    cleared(play)
    assert [f["present"] for f in play.view["faults"]] == [False, False]


def test_acknowledging_the_shoe_s_ruling_acknowledges_its_faults() -> None:
    play = holdem()
    play.hands()
    fault(play, "comms")
    play.decide("acknowledge", ruling=1)
    assert play.view["faults"][0]["acknowledged"]


def test_a_fault_before_the_opening_stops_the_first_round() -> None:
    play = Play()
    assert fault(play).told == []
    play.open()
    play.shuffle()
    assert play.send("deal.start").told == ["shoe_unavailable: stop_table"]


# -- two packs that take turns


def two_rounds() -> Play:
    play = uth_dealt(uth())
    check(play, "red")
    play.send("shoe.shuffled", deck="red", count=52)
    return play


def test_the_idle_pack_is_shuffled_while_the_other_is_in_play() -> None:
    play = two_rounds()
    assert play.phase == "betting.pre_flop"
    play.end()
    for box in ("ante", "blind"):
        play.wager(1, box, 500)
    assert play.send("shoe.card", deck="red").told == []
    assert play.view["deck"] == "red"


def test_the_pack_of_the_last_round_again_is_the_wrong_one() -> None:
    play = two_rounds()
    play.end()
    play.send("shoe.shuffled", deck="blue", count=52)
    assert play.send("shoe.card", deck="blue").told == ["wrong_deck: warn"]


def test_but_not_after_a_misdeal() -> None:
    play = two_rounds()
    play.decide("misdeal")
    play.send("shoe.shuffled", deck="blue", count=52)
    assert play.send("shoe.card", deck="blue").told == []


@pytest.mark.parametrize("how", ["fault", "fouled", "replaced"])
def test_nor_while_the_other_is_out_of_service(how: str) -> None:
    play = two_rounds()
    if how == "fault":
        fault(play, "comms", "red")
    elif how == "fouled":
        check(play, "red", count=51)
    else:
        play.send("deck.changed", deck="red")
    play.end()
    play.send("shoe.shuffled", deck="blue", count=52)
    assert "wrong_deck: warn" not in play.send("shoe.card", deck="blue").told

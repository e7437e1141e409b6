"""Drop box, float and commission (B 1.1, C 1.1): what is due and taken, and whether the box is safe."""

from typing import Any

import pytest

from table_fsm.outputs import Kind
from tests.table_fsm.streams import Answer, Play, holdem, uth

MISMATCH = ["commission_mismatch: call_floor"]
UNSAFE = ["dropbox_unsafe: stop_table"]
UNWITNESSED = ["colour_change_unwitnessed: call_floor"]


def table(**options: Any) -> Play:
    """In a round, commission by scale one: ten per cent, rounded down to $1, from $20 on, at most $15."""
    play = holdem(**{"commission": "one", **options})
    play.hands()
    return play


def chip(play: Play, cents: int) -> Answer:
    return play.send("dropbox.chip", cents=cents)


def finish(play: Play) -> Answer:
    """The round ends and the next deal starts: what was taken is judged now."""
    return play.all([play.to_showdown(), play.end(), play.shuffle(), play.send("deal.start")])


# -- what is due


def test_a_counted_pot_says_what_is_due_and_what_was_dropped() -> None:
    play = table()
    assert play.send("pot", cents=5000).of(Kind.COMMISSION) == [{"due": 500, "dropped": 0, "pot": 1}]
    chip(play, 300)
    assert play.send("pot", cents=7000, pot=2).of(Kind.COMMISSION) == [{"due": 700, "dropped": 300, "pot": 2}]


def test_a_pot_counted_again_is_the_same_pot() -> None:
    play = table()
    play.send("pot", cents=5000)
    play.send("pot", cents=6000)
    chip(play, 600)
    assert finish(play).told == []


def test_where_the_table_was_not_told_a_scale_nothing_is_judged() -> None:
    play = holdem()
    play.hands()
    assert play.send("pot", cents=5000).of(Kind.COMMISSION) == []
    assert chip(play, 5000).told == []
    assert finish(play).told == []


@pytest.mark.parametrize("options", [{"commission": "none"}, {"tournament": True}])
def test_where_none_is_due_any_chip_is_a_mismatch(options: dict[str, Any]) -> None:
    play = table(**options)
    assert play.send("pot", cents=5000).of(Kind.COMMISSION) == [{"due": 0, "dropped": 0, "pot": 1}]
    assert chip(play, 100).told == MISMATCH


def test_a_house_banked_table_has_no_commission() -> None:
    play = uth()
    assert play.send("pot", cents=5000).of(Kind.COMMISSION) == []


def test_a_pot_counted_in_collection_is_not_taken() -> None:
    play = table()
    play.decide("misdeal")
    assert play.send("pot", cents=5000).outputs == ()


# -- what was taken


def test_the_right_commission_is_no_matter() -> None:
    play = table()
    play.send("pot", cents=5000)
    chip(play, 200)
    chip(play, 300)
    assert finish(play).told == []


def test_too_much_shows_at_once_and_once() -> None:
    play = table()
    play.send("pot", cents=5000)
    assert chip(play, 500).told == []
    assert chip(play, 100).told == MISMATCH
    assert chip(play, 100).told == []
    assert finish(play).told == []


def test_too_little_shows_at_the_next_deal_s_start() -> None:
    play = table()
    play.send("pot", cents=5000)
    chip(play, 400)
    ended = play.all([play.to_showdown(), play.end(), play.shuffle()])
    assert ended.told == []
    assert play.send("deal.start").told == MISMATCH


def test_or_at_the_first_card_or_as_the_table_closes() -> None:
    play = table()
    play.send("pot", cents=5000)
    play.to_showdown()
    play.end()
    assert play.send("table.close").told == MISMATCH


def test_chips_before_the_pots_are_counted_are_judged_when_they_are() -> None:
    play = table()
    assert chip(play, 600).told == []
    assert play.send("pot", cents=5000).told == MISMATCH


def test_each_round_has_an_account_of_its_own() -> None:
    play = table()
    play.send("pot", cents=5000)
    chip(play, 500)
    finish(play)
    play.hands()
    play.send("pot", cents=3000)
    assert chip(play, 300).told == []


def test_a_mismatch_outlives_the_round_and_waits_for_a_person() -> None:
    play = table()
    play.send("pot", cents=5000)
    chip(play, 900)
    play.to_showdown()
    play.end()
    assert play.pending == ["commission_mismatch"]
    play.decide("confirm", ruling=1)
    assert play.pending == []


# -- the float


def floating(**options: Any) -> Play:
    return table(commission_handling="float", **options)


def test_commission_is_laid_in_the_float_where_the_table_opened_so() -> None:
    play = floating()
    play.send("pot", cents=5000)
    assert play.send("float.commission", cents=500).told == []
    assert play.send("float.commission", cents=100).told == MISMATCH


def laid_aside() -> Play:
    """A round whose commission of $5 lies in the float."""
    play = floating()
    play.send("pot", cents=5000)
    play.send("float.commission", cents=500)
    return play


def test_the_method_is_fixed_from_opening_to_closing() -> None:
    assert table().send("float.commission", cents=500).told == MISMATCH
    assert chip(floating(), 500).told == MISMATCH


@pytest.mark.parametrize(
    ("role", "wait", "told"),
    [("supervisor", 59.5, []), ("inspector", 1.0, []), ("supervisor", 60.5, UNWITNESSED), ("dealer", 1.0, UNWITNESSED)],
)
def test_a_colour_change_needs_an_inspector_or_supervisor_in_the_last_minute(
    role: str, wait: float, told: list[str]
) -> None:
    play = laid_aside()
    play.send("badge", staff="s1", role=role)
    assert play.send("float.colour_change", after=wait, cents=500).told == told


def test_a_colour_change_that_nobody_saw() -> None:
    assert laid_aside().send("float.colour_change", cents=500).told == UNWITNESSED


def changed() -> Play:
    play = laid_aside()
    play.send("badge", staff="s1", role="supervisor")
    play.send("float.colour_change", cents=500)
    return play


def test_what_was_changed_up_goes_through_the_slot() -> None:
    play = changed()
    assert chip(play, 300).told == []
    assert chip(play, 200).told == []
    assert finish(play).told == []


def test_more_than_was_changed_up_is_a_mismatch_at_once() -> None:
    play = changed()
    chip(play, 500)
    assert chip(play, 100).told == MISMATCH


def test_less_than_was_changed_up_is_one_at_the_next_deal() -> None:
    play = changed()
    chip(play, 300)
    assert finish(play).told == MISMATCH


def test_more_changed_up_than_was_laid_aside_is_a_mismatch_in_a_later_round_too() -> None:
    play = changed()
    chip(play, 500)
    assert finish(play).told == []
    assert play.send("float.colour_change", cents=100).told == MISMATCH


# -- the box itself


@pytest.mark.parametrize(("present", "locked"), [(False, True), (True, False), (False, False)])
def test_a_box_missing_or_unlocked_stops_the_table_until_it_is_back(present: bool, locked: bool) -> None:
    play = table()
    assert play.send("dropbox.state", present=present, locked=locked).told == UNSAFE
    assert play.phase == "halted"
    assert play.send("dropbox.state", present=False, locked=False).told == []
    play.send("dropbox.state", present=True, locked=True)
    assert play.pending == []
    assert play.phase == "betting.pre_flop"


def test_a_box_that_was_not_there_before_the_opening_is_judged_at_it() -> None:
    play = Play()
    assert play.send("dropbox.state", present=False, locked=True).told == []
    assert play.open().told == UNSAFE


def test_without_a_word_the_box_is_in_place_and_locked() -> None:
    assert Play().open().told == []


def test_a_house_banked_table_has_no_box_to_mind() -> None:
    play = uth()
    assert play.send("dropbox.state", present=False, locked=False).told == []

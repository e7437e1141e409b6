"""Who cuts, when the cards must have been cut, and what is ruled where they were not."""

from functools import cache

import pytest

from feltd.books.shipped import rulebook_sources
from table_fsm.rulebook import Rulebook, load_rulebooks
from table_fsm.table import Table
from tests.table_fsm.streams import HOLDEM, Play, holdem

BY_THE_RIGHT = """
id = "cut-by-the-right"
title = "Hold'em, cut by the player on the right of the first"
extends = ["tas-2018-holdem"]

[cut]
by = "right_of_first"
late = false
least_depth = 0

[[rulings]]
irregularity = "cut_missing"
when = { noticed = "first_card" }
outcome = "misdeal"
rule = "10.2(c)"
text = "The cards were not offered for cutting: misdeal. Shuffle and cut."

[[rulings]]
irregularity = "cut_missing"
when = { noticed = "first_bet" }
outcome = "play_on"
rule = "10.2(c)"
text = "The cards were not offered for cutting and the betting has begun: play on."

[[rulings]]
irregularity = "cut_wrong_player"
when = { noticed = "before_wager" }
outcome = "misdeal"
rule = "10.2(b)"
text = "The wrong player cut: misdeal. Shuffle and cut again."

[[rulings]]
irregularity = "cut_wrong_player"
outcome = "play_on"
rule = "10.2(b)"
text = "The wrong player cut and a wager was made since: play on."
"""


WARNED = """
id = "warned-uncut"
title = "Hold'em, cut before the deal only, and uncut cards are a warning"
extends = ["tas-2018-holdem"]

[cut]
late = false
"""


@cache
def books() -> dict[str, Rulebook]:
    return load_rulebooks(rulebook_sources() | {"own.toml": BY_THE_RIGHT, "warned.toml": WARNED})


def shuffled(*, checked: bool = True, button: int = 5, book: str = "cut-by-the-right") -> Play:
    """Seats 1 to 5, the cards shuffled and not cut; seat 1 gets the first card behind the button at seat 5."""
    play = Play(book)
    play.table = Table(books())
    play.open(button=button, checked=checked)
    play.shuffle(cut=False)
    return play


def cut(play: Play, by: str, **fields: int) -> list[str]:
    return play.send("cut", by=by, **fields).told


def test_the_prompt_names_the_player_on_the_right_of_the_first() -> None:
    assert shuffled().prompt == {"cut": True, "by": "seat:5"}
    assert shuffled(button=2).prompt == {"cut": True, "by": "seat:2"}


@pytest.mark.parametrize("by", ["seat:5", "dealer"])
def test_that_player_cuts_or_the_dealer(by: str) -> None:
    play = shuffled()
    assert cut(play, by) == []
    assert play.to(1).told == []


def test_any_other_player_is_the_wrong_one() -> None:
    for by in ("seat:1", "seat:4"):
        assert cut(shuffled(), by) == ["cut_wrong_player: misdeal"]


def test_a_seat_nobody_sits_at_is_the_wrong_one_too() -> None:
    assert cut(shuffled(), "seat:9") == ["cut_wrong_player: misdeal"]


def test_a_card_shown_by_the_wrong_player_is_one_misdeal() -> None:
    assert cut(shuffled(), "seat:4", exposed=1) == ["cut_exposed: misdeal"]


def test_a_second_cut_is_told() -> None:
    play = shuffled()
    cut(play, "seat:5")
    assert cut(play, "dealer") == ["cut_again: warn"]


def test_after_the_misdeal_the_same_player_cuts() -> None:
    play = shuffled()
    cut(play, "seat:4")
    play.shuffle(cut=False)
    assert play.prompt == {"cut": True, "by": "seat:5"}
    assert cut(play, "seat:5") == []


def test_with_the_button_player_away_the_one_before_may_cut_too() -> None:
    for by in ("seat:4", "seat:5"):
        play = shuffled()
        play.send("seat.away", seat=5)
        assert cut(play, by) == []
    assert cut(shuffled(), "seat:4") != []


def test_with_the_first_player_away_the_cut_may_be_theirs_or_the_button_players() -> None:
    for by, told in (("seat:5", []), ("seat:1", []), ("seat:2", ["cut_wrong_player: misdeal"])):
        play = shuffled()
        play.send("seat.away", seat=1)
        assert cut(play, by) == told, by


def test_where_the_button_is_reported_elsewhere_either_players_cut_is_good() -> None:
    for by, told in (("seat:5", []), ("seat:2", []), ("seat:3", ["cut_wrong_player: misdeal"])):
        play = shuffled()
        play.send("marker.placed", marker="button", seat=2)
        assert cut(play, by) == told, by


def test_uncut_cards_are_a_misdeal_at_the_first_card_even_where_the_button_is_wrong() -> None:
    play = shuffled()
    play.send("marker.placed", marker="button", seat=2)
    assert play.to(1).told == ["button_wrong: warn", "cut_missing: misdeal"]


def test_uncut_cards_of_an_unchecked_deck_are_a_misdeal_and_the_deck_waits_for_its_check() -> None:
    play = shuffled(checked=False)
    assert play.to(1).told == ["deck_unchecked: stop_table", "cut_missing: misdeal"]
    assert [pending.irregularity for pending in play.core.standing.pending] == ["deck_unchecked"]


def test_the_deal_once_begun_the_dealer_cuts_no_more() -> None:
    play = shuffled(book="warned-uncut")
    assert play.to(1).told == ["cut_missing: warn"]
    assert play.send("cut", by="dealer").told == ["cut_in_deal: call_floor"]


def ready(book: str) -> Play:
    play = Play(book)
    play.open((1, 2, 3, 4), button=4, blinds=[100, 200])
    play.shuffle()
    return play


@pytest.mark.parametrize("book", ["onyx-cash", "star-2025-holdem", "act-2001-holdem-limit", HOLDEM])
@pytest.mark.parametrize("exposed", [0, 1])
def test_cards_cut_once_before_the_deal_are_not_cut_in_it(book: str, exposed: int) -> None:
    play = ready(book)
    play.to(1 if book != "act-2001-holdem-limit" else 4)
    told = play.send("cut", by="dealer", depth=20, exposed=exposed).told
    shown = "misdeal" if book in {HOLDEM, "act-2001-holdem-limit"} else "call_floor"
    assert told == [f"cut_exposed: {shown}" if exposed else "cut_in_deal: call_floor"]


def test_cards_cut_after_the_first_bet_are_for_the_supervisor_though_one_was_shown() -> None:
    play = holdem((1, 2, 3, 4), blinds=[100, 200])
    play.hands()
    play.acts("3 call 200")
    assert play.send("cut", by="dealer", depth=20, exposed=1).told == ["cut_in_deal: call_floor"]


def test_from_the_showdown_on_a_cut_is_the_next_round_s() -> None:
    play = holdem((1, 2, 3, 4), blinds=[100, 200])
    play.hands()
    play.to_showdown()
    assert play.send("cut", by="dealer", depth=20).refusal.startswith("the round is decided")


def test_undealt_cards_that_were_shuffled_may_be_cut_where_no_cut_is_asked_for() -> None:
    play = ready("onyx-cash")
    play.to(1, 2, 3, 4, 1, 2, 3, 4)
    play.send("stub.shuffled", count=44)
    assert play.send("cut", by="dealer", depth=20).outputs == ()
    assert play.send("cut", by="dealer", depth=20).told == ["cut_in_deal: call_floor"]


def test_a_player_who_cuts_in_the_round_is_wrong_and_after_a_wager_it_is_played_on() -> None:
    play = shuffled()
    cut(play, "dealer")
    play.to(1)
    assert cut(play, "seat:3") == ["cut_wrong_player: misdeal"]
    play = shuffled()
    cut(play, "dealer")
    play.hands()
    play.acts("3 raise 600")
    assert cut(play, "seat:3") == ["cut_wrong_player: play_on"]


def test_where_the_dealer_cuts_a_player_who_does_is_told() -> None:
    play = holdem()
    play.shuffle(cut=False)
    assert play.prompt == {"cut": True}
    assert cut(play, "seat:2", depth=20) == ["cut_wrong_player: warn"]

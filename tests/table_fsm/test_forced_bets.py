"""Blinds and antes that are not as they are due: what is told, when, and what the betting counts."""

import json
from dataclasses import replace
from typing import Any

import pytest

from table_fsm.rulebook import Rulebook
from table_fsm.structures.structure import Breaks, Level, ReEntry, SeatLimits, Structure
from table_fsm.table import Table
from tests.table_fsm.streams import HOLDEM, Play, books, holdem

STAR = "star-2025-holdem"
ONYX = "onyx-tournament"
STUD = "tas-2018-stud5"
ACT = "act-2001-holdem-no-limit"
DRAW = "act-2001-draw"
BLINDS = [100, 200]


def ready(book: str, seats: tuple[int, ...] = (1, 2, 3, 4), **options: Any) -> Play:
    """A table of a book, shuffled and cut, with nothing posted."""
    play = Play(book)
    play.open(seats, button=max(seats), **options)
    play.shuffle()
    return play


def told_with_first_card(play: Play) -> list[tuple[int, str, str]]:
    """Seat, clause and outcome of the forced bets ruled on as the first card comes."""
    rulings = play.send("shoe.card", deck="blue").rulings
    play.place(f"seat:{play.order[0]}")
    return [(one["seat"], one["rule"], one["outcome"]) for one in rulings if one["irregularity"] == "forced_bet"]


def rest_of_hands(play: Play) -> None:
    """The other cards of the deal, after the first."""
    play.to(*(play.order * 2)[1:])


def totals(play: Play) -> dict[int, int | None]:
    betting = play.core.round.betting
    assert betting is not None
    return {seat: player.total for seat, player in betting.players.items()}


# -- who is asked for what


def test_posts_in_order_raise_nothing_at_the_first_card_or_the_first_action() -> None:
    play = ready(STAR, blinds=BLINDS)
    play.acts("1 post 100", "2 post 200")
    assert told_with_first_card(play) == []
    rest_of_hands(play)
    assert play.acts("3 call 200", "4 fold", "1 call 100", "2 check").told == []


@pytest.mark.parametrize(("book", "rule"), [(STAR, "7.14"), (ONYX, "Blinds 1"), (HOLDEM, "5.2(c)")])
def test_a_blind_that_nobody_owes_goes_back(book: str, rule: str) -> None:
    play = ready(book, blinds=BLINDS)
    play.acts("1 post 100", "2 post 200", "3 post 200")
    assert told_with_first_card(play) == [(3, rule, "return_bet")]
    rest_of_hands(play)
    assert play.prompt == {"act": 3, "owes": 200}


@pytest.mark.parametrize("book", [ACT, DRAW])
def test_a_blind_that_nobody_owes_goes_back_where_no_over_blinds_are_played(book: str) -> None:
    play = ready(book, blinds=BLINDS)
    play.acts("4 post 100", "1 post 200", "2 post 400")  # the buck is at seat 4
    rulings = play.to(4).rulings
    assert [(one["seat"], one["rule"], one["outcome"]) for one in rulings] == [(2, "4.3(f)", "return_bet")]


def test_a_blind_that_nobody_owes_goes_back_after_the_deal_too() -> None:
    play = ready(HOLDEM, blinds=BLINDS)
    play.acts("1 post 100", "2 post 200")
    play.hands()
    play.acts("4 post 200")
    assert play.acts("3 call 200").told == ["forced_bet: return_bet"]
    assert play.prompt == {"act": 4, "owes": 200}


def test_a_second_post_of_a_seat_takes_the_place_of_its_first() -> None:
    play = ready(HOLDEM, blinds=BLINDS)
    play.acts("1 post 100", "2 post 100", "2 post 200", "2 post 200")
    assert told_with_first_card(play) == []
    rest_of_hands(play)
    assert totals(play) == {1: 100, 2: 200, 3: 0, 4: 0}


def test_who_joins_a_cash_game_may_post_what_they_do_not_owe() -> None:
    play = ready("onyx-cash", blinds=BLINDS)
    play.acts("1 post 100", "2 post 200", "3 post 200")
    assert told_with_first_card(play) == []
    rest_of_hands(play)
    assert totals(play)[3] == 200


@pytest.mark.parametrize("book", [STAR, ONYX, HOLDEM, ACT, "onyx-cash"])
def test_a_table_whose_posts_nobody_keys_hears_nothing(book: str) -> None:
    play = ready(book, blinds=BLINDS)
    rulings = play.hands().rulings
    assert [one for one in rulings if one["irregularity"] == "forced_bet"] == []
    first = play.prompt
    assert first is not None
    assert play.acts(f"{first['act']} call 200").told == []


def test_blinds_whose_amounts_nobody_has_told_are_judged_by_their_seats_alone() -> None:
    play = ready(HOLDEM)
    play.acts("2 post 300")
    assert told_with_first_card(play) == [(1, "10.2", "warn")]


def test_one_blind_alone_may_be_the_games_only_one() -> None:
    play = ready(HOLDEM)
    play.acts("1 post 300")
    assert told_with_first_card(play) == []


def test_the_blinds_of_a_button_at_a_wrong_seat_are_judged_once_the_deal_shows_it() -> None:
    play = ready(HOLDEM, blinds=BLINDS)
    play.send("marker.placed", marker="button", seat=1)
    play.acts("2 post 100", "3 post 200")
    assert play.send("shoe.card", deck="blue").told == ["button_wrong: warn"]
    play.place("seat:2")
    play.to(3, 4, 1, 2, 3, 4, 1)
    assert play.acts("4 call 200").told == []


def test_a_blind_still_missing_at_the_first_action_is_not_told_again() -> None:
    play = ready(STAR, blinds=BLINDS)
    play.acts("1 post 100")
    assert told_with_first_card(play) == [(2, "7.14", "warn")]
    rest_of_hands(play)
    assert play.acts("3 call 200").told == []


def test_a_post_by_the_wrong_seat_in_the_deal_is_told_at_the_first_action() -> None:
    play = ready(STAR, blinds=BLINDS)
    play.hands()
    assert play.acts("1 post 100").told == ["forced_bet: warn"]
    assert play.acts("3 post 200").told == []
    assert totals(play) == {1: 100, 2: 200, 3: 200, 4: 0}
    assert [(one["seat"], one["outcome"]) for one in play.acts("3 call 200").rulings] == [(3, "return_bet")]
    assert totals(play) == {1: 100, 2: 200, 3: 200, 4: 0}


def test_a_missing_blind_and_a_short_one_of_two_seats_are_both_told() -> None:
    play = ready(STAR, blinds=BLINDS, ante=200)
    play.acts("2 post 150", "2 ante 200")
    assert sorted(told_with_first_card(play)) == [(1, "7.14", "warn"), (2, "7.14", "warn")]


def test_a_blind_missing_in_a_misdeal_is_asked_for_again() -> None:
    play = ready(HOLDEM, blinds=BLINDS)
    play.acts("1 post 100")
    assert told_with_first_card(play) == [(2, "10.2", "warn")]
    play.decide("misdeal")
    play.shuffle()
    assert play.prompt == {"post": {"2": 200}}
    play.acts("2 post 200")
    assert told_with_first_card(play) == []


def test_a_first_card_face_up_in_the_pack_is_ruled_on_beside_a_missing_blind() -> None:
    play = ready(STAR, blinds=BLINDS)
    play.acts("1 post 100")
    assert play.send("shoe.card", deck="blue", face="up").told == ["forced_bet: warn", "boxed_card: call_floor"]


def test_a_misdeal_of_the_first_card_hides_no_missing_blind() -> None:
    play = ready(ONYX, blinds=BLINDS)
    play.acts("1 post 100")
    assert play.send("shoe.card", deck="blue", face="up").told == ["forced_bet: warn", "boxed_card: misdeal"]


# -- newcomers


def test_a_newcomer_posts_beside_the_blinds() -> None:
    play = holdem((1, 2, 3, 4), blinds=BLINDS)
    play.hands()
    play.acts("3 fold", "4 fold", "1 fold")
    play.end()
    play.send("seat.in", seat=5)
    play.shuffle()
    play.acts("2 post 100", "3 post 200", "5 post 200")
    play.order = [2, 3, 4, 5, 1]
    assert told_with_first_card(play) == []


def joined_between_the_blinds(**options: Any) -> Play:
    """The round after seat 3 sat down between seats 2 and 4, who have the blinds; shuffled, nothing posted."""
    play = holdem((1, 2, 4, 5), **options)
    play.hands()
    play.acts("4 fold", "5 fold", "1 fold")
    play.end()
    play.send("seat.in", seat=3)
    play.shuffle()
    play.order = [2, 3, 4, 5, 1]
    return play


def test_blinds_without_known_amounts_stay_where_they_were_posted() -> None:
    play = joined_between_the_blinds()
    play.acts("2 post 100", "4 post 200")
    assert play.hands().told == []
    assert play.acts("5 call 200", "1 call 200", "2 call 100", "3 call 200", "4 check").told == []


def test_who_posts_as_the_cards_come_does_so_beside_a_missing_big_blind() -> None:
    play = joined_between_the_blinds(blinds=BLINDS)
    play.acts("2 post 100")
    assert told_with_first_card(play) == [(4, "10.2", "warn")]
    rest_of_hands(play)
    play.acts("3 post 200")
    assert play.acts("5 call 200", "1 call 200", "2 call 100").told == []
    assert play.prompt == {"act": 3, "owes": 0}
    assert play.acts("3 fold", "4 check").told == []


def test_where_the_blinds_need_who_has_just_come_that_player_owes_one() -> None:
    play = holdem((1, 2, 3), blinds=BLINDS)
    play.hands()
    play.acts("3 fold", "1 fold")
    play.end()
    play.send("seat.out", seat=1)
    play.send("seat.out", seat=3)
    play.send("seat.in", seat=4)
    play.shuffle()
    play.acts("2 post 100")
    play.to(4, 2, 4, 2)
    told = [(one["seat"], one["rule"]) for one in play.acts("4 call 100").rulings]
    assert told == [(4, "10.2"), (2, "5.2(e)")]


def test_who_was_to_wait_has_been_dealt_in_and_the_big_blind_is_the_one_of_the_round() -> None:
    play = joined_between_the_blinds(blinds=BLINDS)
    play.acts("2 post 100", "4 post 200")
    play.hands()
    play.acts("5 fold", "1 fold", "2 fold", "3 fold")
    play.end()
    assert play.core.standing.last_big_blind == 4
    assert not play.core.standing.seats[3].newcomer


# -- a blind is missing beside a post that its player may put in


def onyx_cash(*seats: int) -> Play:
    """An Onyx cash game of two blinds after its first hand: seat 1 has the button, seats 2 and 3 the blinds."""
    play = ready("onyx-cash", seats, blinds=BLINDS)
    play.hands()
    play.acts("3 fold", "4 fold", "1 fold")
    play.end()
    return play


@pytest.mark.parametrize("post", ["4 post 200", "4 post 100", "4 post"])
@pytest.mark.parametrize(("blind", "missing"), [("2 post 100", 3), ("3 post 200", 2)], ids=["the big", "the small"])
def test_a_post_of_who_comes_back_stands_beside_a_missing_blind(post: str, blind: str, missing: int) -> None:
    play = onyx_cash(1, 2, 3, 4)
    play.send("seat.away", seat=4)
    play.shuffle()
    play.send("seat.back", seat=4)
    play.acts(blind, post)
    play.order = [2, 3, 4, 1]
    assert told_with_first_card(play) == [(missing, "Blinds 1", "warn")]
    assert 4 in play.core.round.forced.posts


@pytest.mark.parametrize("version", ["of now", "of before it kept who comes in"])
@pytest.mark.parametrize(("seat", "told"), [(5, []), (4, [(4, "Blinds 1", "return_bet")])])
def test_who_joined_before_a_snapshot_may_post_behind_it(
    version: str, seat: int, told: list[tuple[int, str, str]]
) -> None:
    play = ready("onyx-cash", blinds=BLINDS)
    play.hands()
    play.send("seat.in", seat=5)
    play.acts("3 fold", "4 fold", "1 fold")
    play.end()
    snapshot = json.loads(play.table.snapshot())
    if version != "of now":
        told = []  # nobody knows who has been there
        for record in snapshot["seats"].values():
            del record["comes_in"]
    play.table = Table.restore(play.core.rulebooks, json.dumps(snapshot))
    play.shuffle()
    play.acts("2 post 100", "3 post 200", f"{seat} post 200")
    play.order = [2, 3, 4, 5, 1]
    assert told_with_first_card(play) == told


def test_a_snapshot_of_before_who_comes_in_was_kept_lets_nobody_post_where_the_book_does_not() -> None:
    play = ready(STAR, blinds=BLINDS)
    play.hands()
    play.acts("3 fold", "4 fold", "1 fold")
    play.end()
    snapshot = json.loads(play.table.snapshot())
    for record in snapshot["seats"].values():
        del record["comes_in"]
    again = Table.restore(play.core.rulebooks, json.dumps(snapshot))
    assert again.digest() == play.table.digest()


def test_a_missing_blind_put_in_by_who_has_been_there_goes_back_beside_a_post_of_who_joins() -> None:
    play = onyx_cash(1, 2, 3, 4)
    play.send("seat.in", seat=5)
    play.shuffle()
    play.acts("2 post 100", "4 post 200", "5 post 200")
    play.order = [2, 3, 4, 5, 1]
    assert told_with_first_card(play) == [(4, "Blinds 1", "return_bet")]


@pytest.mark.parametrize(
    ("posts", "told"),
    [
        (["1 post 100", "3 post 200"], (3, "Blinds 1", "return_bet")),
        (["2 post 200", "3 post 200"], (1, "Blinds 1", "warn")),
    ],
    ids=["of the missing blind's amount", "of another amount"],
)
def test_in_the_first_hand_a_post_of_the_missing_blinds_amount_is_that_blind(
    posts: list[str], told: tuple[int, str, str]
) -> None:
    play = ready("onyx-cash", blinds=BLINDS)
    play.acts(*posts)
    assert told_with_first_card(play) == [told]


@pytest.mark.parametrize(
    ("posts", "told"),
    [
        (["5 post 100", "3 post 400"], (1, "8.8", "warn")),
        (["5 post 100", "3 post"], (1, "8.8", "warn")),
        (["5 post 100", "3 post 200"], (3, "8.8", "return_bet")),
    ],
    ids=["more", "amount not keyed", "of the missing blind's amount"],
)
def test_an_over_blind_stands_beside_a_missing_blind(posts: list[str], told: tuple[int, str, str]) -> None:
    play = ready(ACT, (1, 2, 3, 4, 5), blinds=BLINDS, over_blind=True)
    play.acts(*posts)
    play.order = [5, 1, 2, 3, 4]
    assert told_with_first_card(play) == [told]


# -- all in with less


def test_a_short_blind_is_made_full_and_its_player_acts_on() -> None:
    play = ready(STAR, blinds=BLINDS)
    play.acts("1 post 50", "2 post 150")
    assert told_with_first_card(play) == [(1, "7.14", "warn"), (2, "7.14", "warn")]
    rest_of_hands(play)
    assert totals(play) == {1: 100, 2: 200, 3: 0, 4: 0}
    assert play.acts("3 call 200", "4 fold", "1 call 100", "2 raise 400").errors == []


def test_who_makes_a_short_blind_full_puts_nothing_in_twice() -> None:
    play = ready(STAR, blinds=BLINDS)
    play.acts("1 post 100", "2 post 150")
    told_with_first_card(play)
    rest_of_hands(play)
    assert play.acts("2 post 50").told == []
    assert totals(play) == {1: 100, 2: 200, 3: 0, 4: 0}


@pytest.mark.parametrize("in_place", [True, False], ids=["in place of the post", "after the post"])
def test_all_in_for_less_than_the_blind_is_keyed(in_place: bool) -> None:
    play = ready(STAR, blinds=BLINDS)
    play.acts("1 post 100", *(["2 all_in 120"] if in_place else ["2 post 100", "2 all_in 20"]))
    assert told_with_first_card(play) == []
    rest_of_hands(play)
    assert totals(play) == {1: 100, 2: 120, 3: 0, 4: 0}
    assert play.prompt == {"act": 3, "owes": 200}
    assert play.acts("3 call 200", "4 call 200", "1 call 100").prompt == {"close": "betting"}


def test_all_in_for_less_is_taken_back_from_the_blind_until_the_first_action() -> None:
    play = ready(STAR, blinds=BLINDS, ante=200)
    play.acts("1 post 100", "2 post 150")
    told_with_first_card(play)
    rest_of_hands(play)
    assert play.core.round.betting is not None
    assert play.core.round.betting.dead == 200
    assert play.acts("2 all_in").errors == []
    assert totals(play) == {1: 100, 2: 150, 3: 0, 4: 0}
    assert play.core.round.betting.dead == 0  # 7.14: the blind comes before the ante
    assert "all in" in play.acts("3 call 200", "2 raise 400").errors[0]


def test_all_in_out_of_turn_by_a_player_who_owes_no_blind_is_a_bet() -> None:
    play = ready(STAR, blinds=BLINDS)
    play.acts("1 post 100", "2 post 200")
    told_with_first_card(play)
    rest_of_hands(play)
    play.acts("4 all_in 150")
    betting = play.core.round.betting
    assert betting is not None
    assert list(betting.out_of_turn.held) == [4]


def test_all_in_before_the_cards_by_a_player_who_owes_nothing_is_refused() -> None:
    play = ready(STAR, blinds=BLINDS)
    assert "cards are not dealt yet" in play.acts("3 all_in 100").refusal
    assert "cards are not dealt yet" in play.acts("2 all_in 300").refusal


def test_a_stack_counted_shorter_than_the_blind_is_no_fault() -> None:
    play = ready(STAR, blinds=BLINDS, ante=200)
    play.send("stack", seat=2, cents=120)
    play.acts("1 post 100", "2 post 120")
    assert told_with_first_card(play) == []
    rest_of_hands(play)
    assert totals(play) == {1: 100, 2: 120, 3: 0, 4: 0}


def test_all_in_with_the_blind_stands_after_a_misdeal() -> None:
    play = ready(HOLDEM, blinds=BLINDS)
    play.acts("1 post 100", "2 all_in 120")
    play.to(1)
    play.decide("misdeal")
    play.shuffle()
    assert play.prompt == {"deal": "seat:1", "face": "down"}
    assert told_with_first_card(play) == []
    rest_of_hands(play)
    assert totals(play) == {1: 100, 2: 120, 3: 0, 4: 0}


def test_antes_that_only_the_posts_show_are_judged_by_their_seats() -> None:
    play = ready(STUD)
    play.acts("1 ante", "2 ante", "4 ante")
    assert told_with_first_card(play) == [(3, "5.4", "warn")]


# -- the level before


def test_an_operators_structure_in_onyx_tells_the_amount_of_the_level_before() -> None:
    level = Level(1, (100, 200), 200, True, 600.0, None, None, "ours")
    structure = Structure(
        "club", "Club", "ours", (level, replace(level, number=2, blinds=(200, 400), ante=400)), None, Breaks.DIRECTOR,
        None, ReEntry.NONE, None, None, SeatLimits(2, 10, None, "ours"), None,
    )  # fmt: skip
    play = Play(ONYX)
    play.table = Table({ONYX: Rulebook(books()[ONYX].book, structures={"club": structure})})
    play.open((1, 2, 3, 4), button=4, structure="club")
    play.send("tournament.clock", running=True, elapsed=601.0)
    play.shuffle()
    play.acts("2 ante 400", "1 post 100", "2 post 400")
    assert told_with_first_card(play) == [(1, "Blinds 2", "warn")]


# -- over-blinds: the buck is at the highest seat, whose player posts the first blind


def over_blinds(*posts: str) -> Play:
    """A table of five that plays over-blinds, with two blinds and these posts, dealt."""
    play = ready(ACT, (1, 2, 3, 4, 5), blinds=BLINDS, over_blind=True)
    play.acts("5 post 100", "1 post 200", *posts)
    assert play.to(5).rulings == []
    play.to(1, 2, 3, 4, 5, 1, 2, 3, 4)
    return play


@pytest.mark.parametrize(
    ("posts", "first", "owes"),
    [
        (["3 post 400"], 4, 400),
        (["2 post 400", "3 post 400"], 4, 400),
        (["2 post 400", "4 post 800"], 5, 700),
        (["2 post 150"], 2, 50),
        (["2 post 200"], 2, 0),
        (["2 post"], 2, None),
    ],
    ids=["one", "equal ones: the last", "the largest", "less than the last blind", "as much", "amount not keyed"],
)
def test_the_largest_over_blind_is_the_last_blind(posts: list[str], first: int, owes: int | None) -> None:
    prompt = over_blinds(*posts).prompt
    assert prompt is not None
    assert prompt["act"] == first
    assert prompt.get("owes") == owes


def test_who_bet_the_over_blind_may_check_and_the_big_blind_may_not() -> None:
    play = over_blinds("2 post 400")
    assert play.acts("3 call 400", "4 fold", "5 fold").told == []
    assert [one["rule"] for one in play.acts("1 check").rulings] == ["10.1"]
    play = over_blinds("2 post 400")
    assert play.acts("3 call 400", "4 fold", "5 fold", "1 call 200", "2 check").told == []


LIMIT = "act-2001-holdem-limit"
MANILA = "act-2001-manila"


@pytest.mark.parametrize(
    ("book", "raises", "told"),
    [
        (ACT, 700, ["bet_between: treat_as_call"]),
        (ACT, 800, []),
        (LIMIT, 600, []),
        (LIMIT, 800, ["bet_over_limit: return_excess"]),
        (MANILA, 600, []),
        (MANILA, 800, []),
        (MANILA, 900, ["bet_over_limit: return_excess"]),
    ],
)
def test_a_raise_over_an_over_blind_keeps_to_it_or_to_limits_in_blinds(book: str, raises: int, told: list[str]) -> None:
    play, order = ready(book, (1, 2, 3, 4, 5), blinds=BLINDS, over_blind=True), (5, 1, 2, 3, 4)
    play.acts("5 post 100", "1 post 200", "2 post 400")
    if book == MANILA:
        play.to(*(seat for seat in order for _ in "12"), *order)
        play.card("board:1", face="up")
    else:
        play.to(*order * 2)
    assert play.prompt == {"act": 3, "owes": 400}
    assert play.acts(f"3 raise {raises}").told == told


def test_an_over_blind_beside_blinds_of_unknown_amounts_leaves_the_bet_unknown() -> None:
    play = ready(ACT, (1, 2, 3, 4, 5), over_blind=True)
    play.acts("5 post", "1 post", "3 post 400")
    assert [one for one in play.to(5).rulings if one["irregularity"] == "forced_bet"] == []
    play.to(1, 2, 3, 4, 5, 1, 2, 3, 4)
    assert play.acts("2 call").told == []


def test_a_late_over_blind_goes_back_once_the_cards_are_dealt_too() -> None:
    play = over_blinds()
    assert play.acts("3 post 400").told == ["forced_bet: return_bet"]
    assert play.prompt == {"act": 2, "owes": 200}
    assert totals(play)[3] == 0


@pytest.mark.parametrize(
    ("posts", "again", "first", "owes", "least"),
    [
        (["2 post 400"], "2 post 400", 3, 400, 800),
        (["2 post 400"], "2 post 600", 3, 600, 1200),
        (["2 post 800"], "2 post 400", 3, 400, 800),
        (["2 post 800"], "2 post 200", 2, 0, 400),
        (["2 post 800", "3 post 400"], "2 post 200", 4, 400, 800),
        (["3 post 400"], "3 post", 2, 200, 400),
    ],
    ids=["as it was", "more", "less", "the last blind's amount", "another is the largest", "amount not keyed"],
)
def test_an_over_blind_made_in_time_is_corrected_once_the_cards_are_dealt(
    posts: list[str], again: str, first: int, owes: int, least: int
) -> None:
    play = over_blinds(*posts)
    assert play.acts(again).told == []
    assert play.prompt == {"act": first, "owes": owes}
    betting, seat, _, *amount = play.core.round.betting, *again.split()
    assert betting is not None
    assert totals(play)[int(seat)] == (int(amount[0]) if amount else None)
    assert (betting.level or 0) + betting.step == least


def test_an_over_blind_made_in_time_is_corrected_in_the_deal() -> None:
    play = ready(ACT, (1, 2, 3, 4, 5), blinds=BLINDS, over_blind=True)
    play.acts("5 post 100", "1 post 200", "3 post 400")
    play.to(5)
    assert play.acts("3 post 400").told == []
    play.to(1, 2, 3, 4, 5, 1, 2, 3, 4)
    assert play.prompt == {"act": 4, "owes": 400}
    assert totals(play)[3] == 400


def test_an_over_blind_above_its_level_is_corrected_to_it() -> None:
    play = ready(ACT, (1, 2, 3, 4, 5), blinds=BLINDS, over_blind=True, over_blind_times=2)
    play.acts("5 post 100", "1 post 200", "3 post 500")
    assert play.to(5, 1, 2, 3, 4, 5, 1, 2, 3, 4).told == ["forced_bet: return_excess"]
    assert play.acts("3 post 600").told == []
    assert play.prompt == {"act": 4, "owes": 400}
    assert totals(play)[3] == 400


def test_an_over_blind_of_unknown_blinds_is_corrected() -> None:
    play = ready(ACT, (1, 2, 3, 4, 5), over_blind=True)
    play.acts("5 post", "1 post", "3 post 400")
    play.to(5, 1, 2, 3, 4, 5, 1, 2, 3, 4)
    assert play.acts("3 post 600").told == []
    assert totals(play)[3] == 600


@pytest.mark.parametrize("options", [{}, {"ante": 50}], ids=["nothing known", "an ante known"])
def test_late_blinds_whose_amounts_nobody_has_told_are_no_over_blinds(options: dict[str, int]) -> None:
    play = ready(ACT, (1, 2, 3, 4, 5), structure=None, over_blind=True, **options)
    play.to(5)
    told = [one for post in ("5 post 100", "1 post 200") for one in play.acts(post).rulings]
    assert "return_bet" not in [one["outcome"] for one in told]
    assert list(play.core.round.forced.posts) == [5, 1]


def test_a_post_beside_the_blinds_is_corrected_once_the_cards_are_dealt() -> None:
    play = ready("onyx-cash", blinds=BLINDS)
    play.acts("1 post 100", "2 post 200", "4 post 200")
    told_with_first_card(play)
    rest_of_hands(play)
    assert play.acts("4 post 200").told == []
    assert totals(play)[4] == 200

"""Over-blinds of players who have no more: what they count, and that nothing is ruled (ACT 2001, 4.3(g), 8.8)."""

from typing import Any

import pytest

from tests.table_fsm.streams import Play
from tests.table_fsm.test_forced_bets import ACT, BLINDS, ready, totals

FIVE = (1, 2, 3, 4, 5)
ANTES = ("5 ante 10", "1 ante 10", "2 ante 10", "3 ante 10", "4 ante 10")
POSTS = ("5 post 100", "1 post 200")


def dealt(*acts: str, stack: int | None = None, told: list[str], **options: Any) -> Play:
    """A dealt table of five with over-blinds. `stack`: the counted one of seat 2. `told`: what is ruled."""
    play = ready(ACT, FIVE, blinds=BLINDS, over_blind=True, **options)
    if stack is not None:
        play.send("stack", seat=2, cents=stack)
    play.acts(*POSTS, *acts)
    assert play.to(5, 1, 2, 3, 4, 5, 1, 2, 3, 4).told == told
    return play


def is_all_in(play: Play) -> bool:
    betting = play.core.round.betting
    assert betting is not None
    return betting.players[2].all_in


@pytest.mark.parametrize(
    ("acts", "stack", "options"),
    [
        ((*ANTES, "2 post 290"), 300, {"ante": 10}),
        (("2 post 290",), 290, {}),
        (("2 all_in 290",), None, {}),
        ((*ANTES, "2 all_in 290"), None, {"ante": 10}),
        ((*ANTES[:2], *ANTES[3:], "2 all_in 300"), None, {"ante": 10}),
        (("2 post 290", "2 all_in"), None, {}),
        (("2 post 200", "2 all_in 90"), None, {}),
    ],
    ids=["counted with an ante", "counted", "keyed", "keyed behind the ante", "keyed with the ante", "then", "more"],
)
@pytest.mark.parametrize("times", [2, None], ids=["level known", "no level"])
def test_an_over_blind_of_all_chips_is_what_the_player_has(
    acts: tuple[str, ...], stack: int | None, options: dict[str, int], times: int | None
) -> None:
    known = {} if times is None else {"over_blind_times": times}
    play = dealt(*acts, stack=stack, told=[], **options, **known)
    assert totals(play)[2] == 290 + options.get("ante", 0)
    assert is_all_in(play)
    assert play.prompt == {"act": 3, "owes": 290}


def test_who_has_more_than_a_short_over_blind_is_told_so() -> None:
    play = dealt(*ANTES, "2 post 290", stack=301, told=["forced_bet: warn"], ante=10, over_blind_times=2)
    assert totals(play)[2] == 301
    more = dealt(*ANTES, "2 post 290", stack=2000, told=["forced_bet: warn"], ante=10, over_blind_times=2)
    assert totals(more)[2] == 410
    assert not is_all_in(more)


def test_an_over_blind_above_the_level_is_the_level_and_not_all_in() -> None:
    play = dealt("2 post 500", stack=500, told=["forced_bet: return_excess"], over_blind_times=2)
    assert totals(play)[2] == 400
    assert not is_all_in(play)


def test_an_all_in_of_unknown_cents_leaves_the_bet_unknown() -> None:
    play = dealt("2 all_in", told=[], over_blind_times=2)
    assert totals(play)[2] is None
    assert is_all_in(play)


@pytest.mark.parametrize(
    ("acts", "options"),
    [
        (("2 all_in 401",), {"blinds": BLINDS, "over_blind": True, "over_blind_times": 2}),
        (("2 all_in 290",), {"blinds": BLINDS}),
    ],
    ids=["above the level", "no over-blinds"],
)
def test_an_all_in_before_the_cards_that_is_no_over_blind_is_refused(
    acts: tuple[str, ...], options: dict[str, Any]
) -> None:
    play = ready(ACT, FIVE, **options)
    play.acts(*POSTS)
    assert "the cards are not dealt yet" in str(play.acts(*acts).errors)


def test_the_big_blind_goes_all_in_with_more_than_it_owes_only_once_the_cards_are_dealt() -> None:
    play = ready(ACT, FIVE, blinds=BLINDS, over_blind=True)
    play.acts("5 post 100")
    assert "the cards are not dealt yet" in str(play.acts("1 all_in 300").errors)

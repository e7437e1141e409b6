"""Betting: whose turn it is, who owes what, what an action turns out to be; chips are kept, and a round always ends."""

from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from table_fsm.poker.betting import early as betting_early
from table_fsm.poker.betting.acting import Finding, act
from table_fsm.poker.betting.least_bets import LeastBets
from table_fsm.poker.betting.limits import half_pot_limit
from table_fsm.poker.betting.state import Betting
from table_fsm.poker.betting.terms import Terms

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine too


def betting(
    ring: tuple[int, ...] = (1, 2, 3, 4),
    blinds: tuple[int | None, ...] = (100, 200),
    *,
    capped: bool = False,
    raise_cap: int | None = 3,
    aggressive: bool = True,
) -> Betting:
    """The first street, open; the blinds from the ring's first seat on."""
    made = Betting(list(ring), Terms(raise_cap=raise_cap))
    made.open_street("pre_flop", capped=capped)
    due = dict(zip(ring, blinds, strict=False))
    if due:
        made.post_blinds(due, list(due)[-1], aggressive=aggressive)
    return made


def acts(made: Betting, *actions: str) -> list[Finding]:
    """Actions as "seat action [cents]"; gives all findings."""
    found = []
    for action in actions:
        seat, what, *cents = action.split()
        if what == "fold":
            made.fold(int(seat))
        else:
            found += act(made, int(seat), what, int(cents[0]) if cents else None)
    return found


def totals(made: Betting) -> list[int | None]:
    return [player.total for player in made.players.values()]


# -- turn order


def test_the_first_street_opens_after_the_last_blind() -> None:
    assert betting().to_act() == 3


def test_heads_up_the_first_after_the_last_blind_is_the_other() -> None:
    assert betting(ring=(1, 2)).to_act() == 1


def test_without_blinds_the_ring_s_first_seat_opens() -> None:
    made = betting(blinds=())
    assert made.to_act() == 1
    assert made.owed(1) == 0
    assert not made.bet_made


def test_everyone_acts_once_and_the_big_blind_last() -> None:
    made = betting()
    turns = []
    while (seat := made.to_act()) is not None:
        turns.append(seat)
        assert act(made, seat, "call" if made.owes(seat) else "check", None) == []
    assert turns == [3, 4, 1, 2]
    assert totals(made) == [200] * 4


def test_the_big_blind_may_raise_when_nobody_has() -> None:
    made = betting()
    assert acts(made, "3 call 200", "4 call 200", "1 call 100", "2 raise 400") == []
    assert made.to_act() == 3
    assert made.owed(3) == 400


def test_a_raise_gives_everybody_else_another_turn() -> None:
    made = betting()
    acts(made, "3 raise 600", "4 call 600", "1 fold", "2 call 400")
    assert made.to_act() is None
    assert totals(made) == [100, 600, 600, 600]


def test_a_street_opens_with_the_first_live_seat_of_the_ring() -> None:
    made = betting()
    acts(made, "3 call 200", "4 call 200", "1 fold", "2 check")
    made.close_street()
    assert made.to_act() is None
    made.open_street("flop", capped=False)
    assert made.to_act() == 2
    assert made.owed(2) == 0


def test_a_fold_in_turn_passes_the_turn_and_one_out_of_turn_does_not() -> None:
    made = betting()
    acts(made, "1 fold")
    assert made.to_act() == 3
    acts(made, "3 fold")
    assert made.to_act() == 4
    assert made.fold_order == [1, 3]


def test_folding_twice_is_folding_once() -> None:
    made = betting()
    acts(made, "3 fold", "3 fold")
    assert made.fold_order == [3]
    assert made.live == [1, 2, 4]


def test_the_last_live_seat_has_nothing_to_decide() -> None:
    made = betting()
    acts(made, "3 fold", "4 fold", "1 fold")
    assert made.to_act() is None
    assert not made.contested


# -- blinds


def test_a_blind_counts_toward_the_call() -> None:
    made = betting()
    assert [made.owed(seat) for seat in (1, 2, 3, 4)] == [100, 0, 200, 200]
    assert [made.owes(seat) for seat in (1, 2, 3, 4)] == [True, False, True, True]


def test_one_who_posted_as_much_as_the_big_blind_owes_nothing_and_keeps_the_turn() -> None:
    made = betting(blinds=(100, 200))
    made.post_blinds({4: 200}, None, aggressive=False)
    assert made.owed(4) == 0
    assert acts(made, "3 call 200") == []
    assert made.to_act() == 4


def test_a_blind_of_unknown_size_leaves_the_bet_unknown_but_made() -> None:
    made = betting(blinds=(None, None))
    assert made.level is None
    assert made.owed(3) is None
    assert made.owes(3)
    assert not made.owes(2)
    assert made.to_act() == 3


def test_blinds_known_only_in_part_are_not_known() -> None:
    made = betting(blinds=(None, 200))
    assert made.owed(1) is None
    assert made.level is None


def test_the_last_blind_is_aggressive_only_where_the_book_says_so() -> None:
    assert betting().aggressor == 2
    assert betting(aggressive=False).aggressor is None


def test_a_blind_of_a_seat_not_in_the_round_is_not_taken() -> None:
    made = betting()
    made.post_blinds({9: 200}, 9, aggressive=True)
    assert made.aggressor == 2
    assert 9 not in made.players


# -- what an action is


@pytest.mark.parametrize(
    ("action", "findings"),
    [
        ("3 call 200", []),
        ("3 call", []),
        ("3 raise 400", []),
        ("3 raise", []),
        ("3 call 150", [Finding.SHORT]),
        ("3 raise 150", [Finding.SHORT]),
        ("3 call 300", [Finding.CALL_ABOVE]),
        ("3 raise 399", [Finding.HALF_RAISE]),
        ("3 raise 200", []),  # a call by another name
        ("3 check", [Finding.CHECK_FACING_BET]),
        ("3 all_in 50", []),
        ("3 all_in 300", []),
        ("3 all_in 1000", []),
    ],
)
def test_an_action_facing_the_big_blind(action: str, findings: list[Finding]) -> None:
    assert acts(betting(), action) == findings


def test_a_raise_must_be_as_much_as_the_last_one() -> None:
    made = betting()
    acts(made, "3 raise 700")  # a raise by 500
    assert acts(made, "4 raise 1199") == [Finding.HALF_RAISE]
    assert made.players[4].total == 700  # it is a call; the rest goes back
    assert acts(made, "1 raise 1100") == []
    assert made.level == 1200


def test_a_call_of_a_whole_raise_is_no_bet_between() -> None:
    made = betting()
    assert acts(made, "3 call 400") == []
    assert made.players[3].total == 200


def test_a_short_call_stays_in_and_the_turn_waits_until_it_is_made_up() -> None:
    made = betting()
    assert acts(made, "3 call 150") == [Finding.SHORT]
    assert made.to_act() == 3
    assert made.owed(3) == 50
    assert acts(made, "3 call 50") == []
    assert made.players[3].total == 200
    assert made.to_act() == 4


def test_a_short_call_that_is_folded_is_lost() -> None:
    made = betting()
    acts(made, "3 call 150", "3 fold")
    assert made.players[3].total == 150
    assert made.to_act() == 4


def test_a_check_facing_a_bet_keeps_the_turn() -> None:
    made = betting()
    acts(made, "3 check")
    assert made.to_act() == 3


def test_the_opening_bet_of_a_street_sets_the_least_raise() -> None:
    made = betting(blinds=())
    assert acts(made, "1 bet 500", "2 raise 900") == [Finding.HALF_RAISE]
    assert acts(made, "3 raise 1000") == []
    assert made.aggressor == 3
    assert made.raises == 1


def test_a_fold_taken_back_holds_a_hand_again() -> None:
    made = betting()
    acts(made, "3 fold", "4 fold")
    made.reinstate(3)
    made.reinstate(1)
    assert made.live == [1, 2, 3]
    assert made.fold_order == [4]


# -- the cap


@pytest.mark.parametrize(("ring", "capped", "limited"), [((1, 2, 3), True, True), ((1, 2, 3), False, False)])
def test_three_raises_in_a_capped_street(ring: tuple[int, ...], capped: bool, limited: bool) -> None:
    made = betting(ring=ring, capped=capped)
    assert acts(made, "3 raise 400", "1 raise 500", "2 raise 600") == []
    assert acts(made, "3 raise 600") == ([Finding.RAISE_LIMIT] if limited else [])
    assert made.players[3].total == (800 if limited else 1000)


def test_two_players_raise_as_often_as_they_like() -> None:
    made = betting(ring=(1, 2), capped=True)
    assert acts(made, "1 raise 300", "2 raise 400", "1 raise 400", "2 raise 400") == []
    assert made.raises == 4


def test_the_opening_bet_is_no_raise() -> None:
    made = betting(ring=(1, 2, 3), blinds=(), capped=True)
    assert acts(made, "1 bet 100", "2 raise 200", "3 raise 300", "1 raise 300", "2 raise 400") == [Finding.RAISE_LIMIT]


# -- all in


def test_an_all_in_below_the_bet_is_a_call_for_less() -> None:
    made = betting()
    acts(made, "3 all_in 150", "4 call 200", "1 call 100", "2 check")
    assert made.to_act() is None
    assert totals(made) == [200, 200, 150, 200]
    assert made.able == [1, 2, 4]


def test_an_all_in_short_of_a_raise_leaves_those_who_acted_the_call_only() -> None:
    made = betting()
    acts(made, "3 raise 600", "4 call 600", "1 all_in 700")  # 800 in all: 200 above, a raise is 400
    assert made.owed(3) == 200
    assert acts(made, "2 call 600") == []
    assert acts(made, "3 raise 600") == [Finding.RAISE_NOT_REOPENED]
    assert made.players[3].total == 800
    assert acts(made, "4 call 200") == []
    assert made.to_act() is None


def test_after_a_short_all_in_one_who_has_not_acted_may_raise_and_that_opens_it_for_all() -> None:
    made = betting()
    acts(made, "3 raise 600", "4 all_in 700")
    assert acts(made, "1 raise 1100") == []
    assert acts(made, "2 fold", "3 raise 1500") == []
    assert made.aggressor == 3


def test_an_all_in_of_a_whole_raise_is_a_raise() -> None:
    made = betting()
    acts(made, "3 call 200", "4 all_in 400")
    assert made.aggressor == 4
    assert made.call_only == set()
    assert made.raises == 1


def test_an_all_in_that_opens_is_a_bet_of_any_size() -> None:
    made = betting(blinds=())
    acts(made, "1 all_in 30")
    assert made.owed(2) == 30
    assert made.aggressor == 1


def test_one_with_chips_against_all_ins_only_meets_the_bet() -> None:
    made = betting(ring=(1, 2))
    acts(made, "1 all_in 1000")
    assert made.to_act() == 2
    assert made.contested
    acts(made, "2 call 900")
    assert made.to_act() is None
    assert not made.contested


def test_an_all_in_of_unknown_size_leaves_open_who_owes_what() -> None:
    made = betting()
    acts(made, "3 all_in")
    assert not made.certain
    assert made.to_act() is None
    assert made.owed(4) is None
    assert made.aggressor is None
    assert acts(made, "4 check", "1 call", "2 fold") == []  # nothing can be judged
    made.close_street()
    assert not made.trusted


def test_the_next_street_is_certain_again() -> None:
    made = betting()
    acts(made, "3 all_in", "4 call", "1 call", "2 call")
    made.close_street()
    made.open_street("flop", capped=False)
    assert made.certain
    assert made.to_act() == 1
    assert made.able == [1, 2, 4]


@pytest.mark.parametrize("short", [True, False])
def test_a_player_who_may_only_call_does_not_raise_by_going_all_in(short: bool) -> None:
    made = betting()
    acts(made, "3 raise 600", "4 all_in 700", "1 fold", "2 fold")
    assert made.to_act() == 3
    assert made.owed(3) == 100
    acts(made, "3 all_in 60" if short else "3 all_in 2000")
    assert made.players[3].total == (660 if short else 700)


# -- unknown amounts


def test_turn_and_debt_are_known_without_amounts() -> None:
    made = betting(blinds=(None, None))
    acts(made, "3 raise", "4 call", "1 fold")
    assert made.to_act() == 2
    assert made.owes(2)
    assert acts(made, "2 check") == [Finding.CHECK_FACING_BET]
    acts(made, "2 call")
    assert made.to_act() is None
    assert totals(made) == [None] * 4


def test_after_a_raise_of_unknown_size_amounts_are_not_judged() -> None:
    made = betting()
    acts(made, "3 raise")
    assert made.owed(4) is None
    assert acts(made, "4 call 1", "1 raise 2") == []


def test_a_call_without_an_amount_is_of_what_is_owed() -> None:
    made = betting()
    acts(made, "3 call")
    assert made.players[3].total == 200


def test_a_call_by_one_whose_post_was_not_counted_meets_the_bet() -> None:
    made = betting()
    made.post_blinds({4: None}, None, aggressive=False)
    assert made.owed(4) is None
    assert acts(made, "3 call 200", "4 call 200") == []
    assert made.owed(4) == 0
    assert made.players[4].total is None


# -- out of turn


def test_an_action_out_of_turn_waits_for_its_turn() -> None:
    made = betting()
    assert acts(made, "4 call 200") == []
    assert made.to_act() == 3
    assert made.players[4].total == 0
    assert betting_early.at_turn(made) is None
    acts(made, "3 call 200")
    found = betting_early.at_turn(made)
    assert found is not None
    seat, early = found
    assert (seat, early.action, early.cents, early.level) == (4, "call", 200, 200)
    assert betting_early.at_turn(made) is None


@pytest.mark.parametrize(
    ("early", "then", "outbid"),
    [
        ("4 call 200", "3 call 200", False),
        ("4 call 200", "3 raise 600", True),
        ("4 raise 600", "3 raise 600", False),
        ("4 raise 600", "3 raise 700", True),
        ("4 raise", "3 call", False),
        ("4 raise", "3 raise", True),
        ("4 call", "3 raise 600", True),
        ("4 call 150", "3 fold", False),
        ("4 call 150", "3 call 200", True),
    ],
)
def test_whether_the_players_before_have_bet_more_since(early: str, then: str, outbid: bool) -> None:
    made = betting()
    acts(made, early, then)
    found = betting_early.at_turn(made)
    assert found is not None
    assert betting_early.outbid(made, found[1], 4) is outbid


def test_an_early_action_is_forgotten_with_a_fold_and_with_the_street() -> None:
    made = betting()
    acts(made, "4 call", "1 call", "4 fold")
    assert list(made.out_of_turn.held) == [1]
    made.close_street()
    assert made.out_of_turn.held == {}


def test_one_restricted_may_call_or_fold_and_a_raise_counts_as_a_call() -> None:
    made = betting()
    acts(made, "3 call 200")
    made.restrict(4)
    assert acts(made, "4 raise 600") == [Finding.RAISE_WHILE_RESTRICTED]
    assert made.players[4].total == 200
    assert made.out_of_turn.restricted is None
    assert made.to_act() == 1
    assert not made.trusted


def test_a_restricted_call_is_not_judged_by_its_amount_again() -> None:
    made = betting()
    acts(made, "3 call 200")
    made.restrict(4)
    assert acts(made, "4 call 5") == []
    assert made.players[4].total == 200


def test_where_play_goes_on_the_restricted_player_has_called() -> None:
    made = betting()
    acts(made, "3 call 200")
    made.restrict(4)
    assert acts(made, "1 call 100") == []
    assert made.players[4].total == 200
    assert made.to_act() == 2


def test_nobody_acts_before_a_restricted_player_who_must_add_chips() -> None:
    made = betting()
    acts(made, "3 raise 600")
    made.restrict(4, adds=True)
    assert acts(made, "1 call 500") == []
    assert made.to_act() == 4
    assert (made.players[1].total, made.out_of_turn.held[1].cents) == (100, 500)
    assert acts(made, "4 call 400") == []
    assert betting_early.at_turn(made) is not None


def test_a_restricted_player_who_folds_is_restricted_no_more() -> None:
    made = betting()
    acts(made, "3 call 200")
    made.restrict(4)
    acts(made, "4 fold")
    assert made.out_of_turn.restricted is None
    assert made.to_act() == 1


@pytest.mark.parametrize(("cents", "findings"), [("5000", [Finding.RAISE_WHILE_RESTRICTED]), ("100", [])])
def test_an_all_in_raises_no_more_than_a_raise_does_while_restricted(cents: str, findings: list[Finding]) -> None:
    made = betting()
    acts(made, "3 call 200")
    made.restrict(4)
    assert acts(made, f"4 all_in {cents}") == findings
    assert made.level == 200


def test_an_all_in_above_the_call_by_one_who_may_only_call_is_a_raise_not_reopened() -> None:
    made = betting()
    acts(made, "3 raise 600", "4 all_in 700", "1 fold", "2 fold")
    assert acts(made, "3 all_in 2000") == [Finding.RAISE_NOT_REOPENED]
    assert made.players[3].total == 700
    assert not made.players[3].all_in


def test_an_all_in_above_the_cap_is_a_raise_too_many() -> None:
    made = betting(capped=True)
    acts(made, "3 raise 400", "4 raise 600", "1 raise 700")
    assert acts(made, "2 all_in 5000") == [Finding.RAISE_LIMIT]


# -- whether the amounts of the round can be relied on


def test_a_street_played_out_with_amounts_is_trusted() -> None:
    made = betting()
    acts(made, "3 call 200", "4 call 200", "1 call 100", "2 check")
    made.close_street()
    assert made.trusted


@pytest.mark.parametrize("actions", [(), ("3 call 200",)])
def test_a_street_not_keyed_or_not_finished_is_not(actions: tuple[str, ...]) -> None:
    made = betting()
    acts(made, *actions)
    made.close_street()
    assert not made.trusted


def test_a_street_with_nothing_to_bet_about_needs_no_keys() -> None:
    made = betting(ring=(1, 2))
    acts(made, "1 all_in 500", "2 all_in 400")
    made.close_street()
    made.open_street("flop", capped=False)
    assert made.to_act() is None
    made.close_street()
    assert made.trusted


# -- any betting round


ACTIONS = st.tuples(
    st.integers(1, 5),
    st.sampled_from(["check", "call", "bet", "raise", "fold", "all_in"]),
    st.one_of(st.none(), st.integers(0, 2000)),
)


@UNHURRIED
@given(ring=st.permutations([1, 2, 3, 4, 5]), actions=st.lists(ACTIONS, max_size=30))
@example(  # the turn comes to one of those whose actions out of turn bind together
    ring=[1, 4, 3, 5, 2],
    actions=[(1, "check", None), (3, "fold", None), (4, "check", None), (2, "all_in", 1), (5, "fold", None)],
)
def test_the_turn_is_always_a_live_seat_with_chips(ring: list[int], actions: list[Any]) -> None:
    made = betting(ring=tuple(ring), capped=True)
    for seat, action, cents in actions:
        if not made.is_live(seat) or made.players[seat].all_in:
            continue
        if action == "fold":
            made.fold(seat)
        else:
            act(made, seat, action, cents)
        if (run := betting_early.sufficient_run(made)) and len(run) % 2:  # some books let them stand
            assert [seat for seat, _, _ in betting_early.bind(made, run)] == run
        turn = made.to_act()
        assert turn is None or turn in made.able
        assert made.out_of_turn.restricted is None
        if betting_early.at_turn(made) is not None and turn is not None:
            made.restrict(turn)
            act(made, turn, "call", None)


@UNHURRIED
@given(ring=st.permutations([1, 2, 3, 4, 5]), data=st.data(), capped=st.booleans())
def test_an_orderly_betting_round_ends_and_every_chip_is_someone_s(
    ring: list[int], data: st.DataObject, capped: bool
) -> None:
    made = betting(ring=tuple(ring), capped=capped)
    stacks = {seat: data.draw(st.integers(200, 3000)) - (made.players[seat].total or 0) for seat in ring}
    put_in = 300
    for _ in range(400):
        seat = made.to_act()
        if seat is None:
            break
        owed = made.owed(seat)
        assert owed is not None
        least = owed + made.step
        choices = ["fold", "call" if owed else "check", "all_in"]
        may_raise = seat not in made.call_only and not (made.capped and made.raises >= 3 and len(made.live) > 2)
        if stacks[seat] > least and may_raise:
            choices.append("raise" if made.bet_made else "bet")
        choice = data.draw(st.sampled_from(choices))
        if choice == "fold":
            made.fold(seat)
            continue
        if choice == "all_in" or owed >= stacks[seat]:
            if not may_raise and stacks[seat] > owed:
                choice, cents = "call" if owed else "check", owed
            else:
                choice, cents = "all_in", stacks[seat]
        else:
            cents = data.draw(st.integers(least, stacks[seat])) if choice in {"bet", "raise"} else owed
        assert act(made, seat, choice, cents) == []
        stacks[seat] -= cents
        put_in += cents
    assert made.to_act() is None
    assert sum(total for total in totals(made) if total is not None) == put_in
    assert None not in totals(made)
    made.close_street()
    assert made.trusted


# -- a raise no less than what its player had to add to call


def on_antes(*, pot_known: bool = True, **rules: Any) -> Betting:
    """The first street, open, with nothing to meet."""
    made = Betting([1, 2, 3, 4], Terms(**rules), pot_known=pot_known)
    made.open_street("1", capped=False)
    return made


def test_by_that_rule_the_raise_before_does_not_count_but_the_amount_to_call() -> None:
    made = on_antes(raise_as_call=True)
    assert acts(made, "1 bet 100", "2 raise 300") == []  # 100 to call, 200 more
    assert acts(made, "3 raise 500") == [Finding.HALF_RAISE]  # 300 to call, and 200 more is too little
    assert acts(made, "4 raise 600") == []
    assert acts(made, "1 raise 1000") == []  # 500 to call, 500 more


def test_by_the_other_rule_that_raise_is_high_enough() -> None:
    assert acts(on_antes(), "1 bet 100", "2 raise 300", "3 raise 500") == []


def test_by_that_rule_an_all_in_of_too_little_more_reopens_nothing() -> None:
    made = on_antes(raise_as_call=True)
    assert acts(made, "1 bet 100", "2 raise 300", "3 all_in 550", "4 call 550", "1 call 450") == []
    assert acts(made, "2 raise 900") == [Finding.RAISE_NOT_REOPENED]


# -- antes


def test_antes_are_in_what_a_player_has_put_in_and_owe_nothing() -> None:
    made = on_antes()
    made.put_antes(dict.fromkeys((1, 2, 3, 4), 50), 50)
    assert totals(made) == [50, 50, 50, 50]
    assert [made.owed(seat) for seat in made.ring] == [0, 0, 0, 0]


def test_a_player_with_less_than_the_ante_is_all_in() -> None:
    made = on_antes()
    made.put_antes({1: 50, 2: 20, 3: 50, 4: 50}, 50)
    acts(made, "1 bet 100")
    assert made.to_act() == 3


def test_with_antes_of_an_unknown_amount_no_bet_is_above_the_limit() -> None:
    made = on_antes(limit=half_pot_limit, pot_known=False)
    assert acts(made, "1 bet 5000") == []
    made = on_antes(limit=half_pot_limit)
    made.put_antes(dict.fromkeys((1, 2, 3, 4), 100), 100)
    assert acts(made, "1 bet 201") == [Finding.OVER_LIMIT]


# -- who was passed over by an action out of turn


@pytest.mark.parametrize(
    ("between", "folded"),
    [(("1 fold", "2 fold"), True), (("1 fold", "2 check"), False), (("1 check", "2 fold"), False)],
)
def test_whether_all_who_should_have_acted_before_have_folded(between: tuple[str, ...], folded: bool) -> None:
    made = on_antes()
    acts(made, "3 bet 100", *between)
    found = betting_early.at_turn(made)
    assert found is not None
    assert betting_early.all_folded(made, found[1]) is folded


def test_a_player_all_in_is_nobody_to_be_passed_over() -> None:
    made = on_antes()
    made.players[2].all_in = True
    acts(made, "3 bet 100", "1 fold")
    found = betting_early.at_turn(made)
    assert found is not None
    assert betting_early.all_folded(made, found[1])


# -- openers by the cards showing, least bets, and a check that taps out


def stud(*, least: int = 0) -> Betting:
    made = Betting([1, 2, 3, 4], Terms(least=LeastBets(least, 2 * least)))
    made.open_street("fourth", capped=False)
    return made


def test_the_seat_that_opens_is_the_first_to_act() -> None:
    made = stud()
    made.first_to_act(3)
    assert made.to_act() == 3
    assert acts(made, "3 check", "4 check", "1 check", "2 check") == []
    assert made.to_act() is None


def test_with_an_unknown_opener_whoever_acts_first_has_opened() -> None:
    made = stud()
    made.first_to_act(None)
    assert made.to_act() is None
    assert acts(made, "2 check") == []
    assert made.to_act() == 3


def test_an_unknown_opener_is_forgotten_with_the_next_street() -> None:
    made = stud()
    made.first_to_act(None)
    made.open_street("fifth", capped=False)
    assert made.to_act() == 1


def test_a_bet_below_the_least_is_made_up() -> None:
    made = stud(least=500)
    assert acts(made, "1 bet 300") == [Finding.BELOW_LEAST]
    assert made.to_act() == 1
    assert acts(made, "1 bet 200") == []
    assert made.owed(2) == 500
    assert totals(made) == [500, 0, 0, 0]


def test_the_least_of_the_last_street_is_its_own() -> None:
    made = stud(least=500)
    made.open_street("seventh", capped=False, last=True)
    assert acts(made, "1 bet 500") == [Finding.BELOW_LEAST]
    assert acts(made, "1 bet 500") == []
    assert made.owed(2) == 1000


def test_a_bet_below_the_least_is_no_action_yet() -> None:
    made = stud(least=500)
    acts(made, "1 check", "2 bet 300")
    assert made.actions.sufficient_fact == "no"


def test_a_bet_below_the_least_goes_back_with_a_fold() -> None:
    made = stud(least=500)
    acts(made, "1 bet 300", "1 fold")
    assert totals(made) == [0, 0, 0, 0]


def test_a_raise_over_a_short_all_in_is_no_less_than_the_least() -> None:
    made = stud(least=500)
    assert acts(made, "1 all_in 200", "2 raise 400") == [Finding.BETWEEN]
    assert acts(made, "3 raise 700") == []


def test_a_check_that_taps_out_leaves_the_player_in_the_pot_and_out_of_the_betting() -> None:
    made = stud()
    made.first_to_act(2)
    made.taps_out = 2
    acts(made, "2 check", "3 bet 100")
    assert made.is_live(2)
    assert 2 not in made.able
    acts(made, "4 call 100", "1 call 100")
    assert made.to_act() is None
    assert made.owes(2)

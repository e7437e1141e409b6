"""The croupier: clean rounds raise nothing, every mistake is made and ruled on, the same seed gives the same stream."""

import json
import os
import random

import pytest

from devices.simulated.errors import CroupierStuckError
from devices.simulated.people import blunders
from devices.simulated.people.croupier import Croupier
from devices.simulated.people.mistakes import OCCASIONS, Mistake, MistakePlan, possible
from devices.simulated.people.motions import Reply
from devices.simulated.people.players import Act, PokerPlayers
from table_fsm.events import event_to_dict, parse_event
from table_fsm.felt import PlayerAction
from tests.devices.direct_play import BOOKS, DRAW, HOLDEM, STUD5, STUD7, UTH, game, play

CLEAN_ROUNDS = int(os.environ.get("FELTD_CLEAN_ROUNDS", "12"))
"""Rounds of each book with each keypad and seating; `make soak` plays more."""

RULED: dict[Mistake, set[str]] = {
    Mistake.SHOE_JAM: {"shoe_malfunction", "shoe_unavailable"},
    Mistake.LID_OPEN: {"shoe_malfunction", "shoe_unavailable"},
    Mistake.BOXED_CARD: {"boxed_card", "deal_revealed"},
    Mistake.MISSING_CARD: {"short_deck"},
    Mistake.FOREIGN_CARD: {"foreign_card"},
    Mistake.NO_SHUFFLE: {"not_shuffled"},
    Mistake.SAME_DECK_AGAIN: {"wrong_deck"},
    Mistake.CARD_FROM_NOWHERE: {"card_not_from_shoe"},
    Mistake.NO_CUT: {"cut_missing"},
    Mistake.CUT_EXPOSES_CARD: {"cut_exposed"},
    Mistake.THIN_CUT: {"cut_too_thin"},
    Mistake.FLASH_CARD: {"hole_exposed", "first_card_up", "deal_revealed"},
    Mistake.DEAL_FACE_UP: {"hole_exposed", "first_card_up", "deal_revealed"},
    Mistake.DEAL_OUT_OF_TURN: {"dealt_out_of_turn"},
    Mistake.MISS_PLAYER: {"player_missed"},
    Mistake.EXTRA_CARD: {"excess_card"},
    Mistake.THREE_CARDS: {"wrong_card_count"},
    Mistake.EXTRA_HAND: {"extra_hand", "hand_without_wager"},
    Mistake.MIX_CARDS: {"cards_mixed"},
    Mistake.WRONG_BUTTON: {"button_wrong"},
    Mistake.STREET_BEFORE_CLOSE: {"board_premature"},
    Mistake.FLASH_REPLACEMENT: {"hole_exposed_in_draw"},
    Mistake.REPLACEMENT_OUT_OF_TURN: {"dealt_out_of_turn"},
    Mistake.REPLACEMENT_BEFORE_DRAW: {"wrong_card_count"},
    Mistake.FLOP_BEFORE_CLOSE: {"board_premature"},
    Mistake.NO_BURN: {"burn_missing"},
    Mistake.EXTRA_BURN: {"burn_extra"},
    Mistake.BURN_FACE_UP: {"burn_exposed"},
    Mistake.CLOSE_TOO_EARLY: {"betting_incomplete"},
    Mistake.ACT_OUT_OF_TURN: {"action_out_of_turn"},
    Mistake.BET_BETWEEN: {"bet_between"},
    Mistake.SHORT_CALL: {"bet_short"},
    Mistake.CHECK_FACING_BET: {"action_illegal"},
    Mistake.PLAYER_SHOWS_CARD: {"player_exposed"},
    Mistake.FLASH_DEALER_CARD: {"dealer_hand_exposed"},
    Mistake.BLIND_UNLIKE_ANTE: {"wager_invalid"},
    Mistake.TRIPS_ALONE: {"wager_invalid"},
    Mistake.LATE_WAGER: {"wager_after_deal"},
    Mistake.WRONG_PLAY_WAGER: {"wager_invalid"},
    Mistake.WRONG_COMMISSION: {"commission_mismatch"},
    Mistake.BOX_UNLOCKED: {"dropbox_unsafe"},
}
"""What the table rules on each mistake. A doubled card shows only when both come out."""


@pytest.mark.parametrize("rulebook", BOOKS)
@pytest.mark.parametrize("keypad", [True, False])
@pytest.mark.parametrize(("seed", "seats"), [(0, (1, 2, 4, 5, 7, 8)), (1, (2, 3, 5, 8)), (2, (1, 2, 3, 4, 5, 6, 7, 8))])
def test_clean_rounds_raise_nothing(rulebook: str, keypad: bool, seed: int, seats: tuple[int, ...]) -> None:
    played = play(game(rulebook, keypad=keypad, seed=seed, seats=seats, rounds=CLEAN_ROUNDS))
    assert played.rounds == CLEAN_ROUNDS
    if len(seats) == 8 and rulebook == STUD7:  # seven cards for each of eight are more than a pack has (D 4.4)
        played.rulings.pop("insufficient_cards final_card_communal", None)
    if (
        rulebook == "star-2025-holdem" and keypad
    ):  # the level goes up between the blinds and the deal, which has the new one (7.20)
        played.rulings.pop("forced_bet warn", None)
    assert played.rulings == {}
    assert played.refused == []


@pytest.mark.parametrize("burn", [0, 2])
def test_clean_rounds_at_every_number_of_burns(burn: int) -> None:
    played = play(game(HOLDEM, rounds=20), burn=burn)
    assert (played.rulings, played.refused) == ({}, [])


def test_pots_are_counted_and_commission_dropped_without_a_keypad() -> None:
    played = play(game(HOLDEM, rounds=20, keypad=False))
    assert (played.rulings, played.refused) == ({}, [])
    assert {"pot", "dropbox.chip"} <= {event.ev for event in played.events}


def test_clean_rounds_without_a_look_sensor_and_three_players() -> None:
    played = play(game(HOLDEM, rounds=20, look_sensor=False, seats=(2, 5, 8), button=8))
    assert (played.rulings, played.refused) == ({}, [])


@pytest.mark.parametrize("rulebook", [HOLDEM, UTH])
def test_the_stream_is_of_table_events_and_the_seed_decides_it(rulebook: str) -> None:
    first, again, other = (play(game(rulebook, seed=seed, mistake_rate=0.7, rounds=8)) for seed in (4, 4, 5))
    lines = [json.dumps(event_to_dict(event)) for event in first.events]
    assert [parse_event(line) for line in lines] == first.events
    assert first.events == again.events
    assert first.outputs == again.outputs
    assert first.events != other.events


def kinds(rulebook: str) -> tuple[Mistake, ...]:
    return possible(game(rulebook).kind, keypad=True, decks=2)


NO_MISTAKE = {(STUD5, Mistake.THIN_CUT)}
"""Part B of the Tasmanian rules asks for no depth of a cut."""


@pytest.mark.parametrize(
    ("rulebook", "mistake"),
    [
        (book, mistake)
        for book in (HOLDEM, UTH, STUD7, STUD5, DRAW)
        for mistake in kinds(book)
        if mistake in RULED and (book, mistake) not in NO_MISTAKE
    ],
)
def test_each_mistake_is_made_ruled_on_and_survived(rulebook: str, mistake: Mistake) -> None:
    played = play(game(rulebook, mistake_rate=1.0, kinds=(mistake,), rounds=6, seed=2, decks=("blue", "red")))
    assert played.rounds == 6
    assert mistake in played.made
    assert RULED[mistake] & {ruling.split()[0] for ruling in played.rulings}


def test_a_doubled_card_is_found_in_the_end() -> None:
    played = play(game(HOLDEM, mistake_rate=1.0, kinds=(Mistake.DOUBLED_CARD,), rounds=40))
    assert any(ruling.startswith("duplicate_card") for ruling in played.rulings)


@pytest.mark.parametrize(("rulebook", "least"), [(HOLDEM, 20), (UTH, 12), (STUD7, 15), (STUD5, 15), (DRAW, 15)])
def test_a_long_evening_with_every_mistake(rulebook: str, least: int) -> None:
    played = play(game(rulebook, mistake_rate=0.8, rounds=80))
    assert played.rounds == 80
    assert len({ruling.split()[0] for ruling in played.rulings}) >= least


def test_there_is_an_occasion_and_a_way_for_every_mistake() -> None:
    assert set(OCCASIONS) == set(Mistake) == set(blunders._MADE)
    assert len(Mistake) >= 12


def test_a_plan_makes_every_kind_before_it_repeats() -> None:
    plan = MistakePlan(random.Random(1), 1.0, (Mistake.NO_CUT, Mistake.THIN_CUT, Mistake.CUT_EXPOSES_CARD))
    seen = []
    for _ in range(3):
        plan.new_round()
        mistake = plan.due("cut")
        assert mistake is not None
        seen.append(mistake)
        plan.made()
    assert len(set(seen)) == 3
    assert plan.due("cut") is None


def test_a_mistake_without_an_occasion_makes_room() -> None:
    plan = MistakePlan(random.Random(1), 1.0, (Mistake.NO_CUT, Mistake.THIN_CUT))
    seen = set()
    for _ in range(12):
        plan.new_round()
        seen.add(plan._armed)
    assert seen == {Mistake.NO_CUT, Mistake.THIN_CUT}


def test_a_rate_is_a_share() -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        MistakePlan(random.Random(1), 1.5, ())


def test_a_table_that_says_nothing_is_given_up() -> None:
    hands = Croupier(game(HOLDEM)).motions()
    assert next(hands).role is None

    def stare() -> None:
        for _ in range(1000):
            hands.send(Reply())

    with pytest.raises(CroupierStuckError, match="nothing comes of it"):
        stare()


def test_side_pots_and_an_uncalled_bet() -> None:
    players = PokerPlayers((1, 2, 3, 4), random.Random(1), unit=200)
    players.live = {1, 2, 3}
    players.pot.put_in = {1: 500, 2: 2000, 3: 2600, 4: 200}
    stack = players.stacks[3]
    assert players.pots() == [4 * 200 + 3 * 300, 2 * 1500]
    assert players.stacks[3] == stack + 600


def test_bets_go_back_after_a_misdeal_and_blinds_stand() -> None:
    players = PokerPlayers((1, 2, 3), random.Random(1), unit=200)
    players.stacks = dict.fromkeys((1, 2, 3), 20000)
    players.post(1, 100)
    players.post(2, 200)
    players.take(3, Act(PlayerAction.RAISE, 600))
    players.new_hand(posts_stand=True)
    assert players.pot.put_in == {1: 100, 2: 200}
    assert players.stacks == {1: 19900, 2: 19800, 3: 20000}
    assert players.round.level == 200


def test_a_tournament_goes_on_after_each_break_of_its_schedule() -> None:
    table_game = game("star-2025-holdem", rounds=80)
    played = play(table_game)
    first = table_game.breaks[0]
    assert first.after_seconds < played.events[-1].t, "the rounds reach the first break"
    assert "not_released call_floor" not in played.rulings
    assert played.refused == []

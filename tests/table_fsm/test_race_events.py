"""Chip races at the table: between rounds, from the pack in use."""

from typing import Any

import pytest

from table_fsm.outputs import Kind
from tests.table_fsm.streams import Answer, Play

NO_LIMIT, STAR = "act-2001-holdem-no-limit", "star-2025-holdem"


def race(play: Play, **fields: Any) -> Answer:
    return play.send("race.start", **{"chip": 2500, "new_chip": 10000, "odd": {"1": 2, "2": 3}, **fields})


def table(book: str = NO_LIMIT, *, shuffled: bool = True) -> Play:
    play = Play(book)
    play.open((1, 2, 3, 4), button=1, blinds=[2500, 5000])
    if shuffled:
        play.shuffle()
    return play


def test_it_is_decided_when_the_last_card_lies() -> None:
    play = table()
    assert race(play).prompt == {"deal": "race:1", "face": "up"}
    assert play.card("race:1", "Kh", "up").of(Kind.RACE) == []
    assert play.card("race:2", "As", "up").of(Kind.RACE) == [{"winners": {"2": 1}, "removed": 10000}]
    assert play.prompt == {"shuffle": "blue"}


def test_an_unshuffled_pack_is_asked_to_be_shuffled_and_its_lack_is_no_fault() -> None:
    play = table(shuffled=False)
    assert race(play).errors == []
    assert play.prompt == {"shuffle": None}
    play.card("race:1", "Kh", "up")
    assert play.card("race:2", "As", "up").told == []


def test_without_a_shoe_sensor_the_cards_come_from_nowhere() -> None:
    play = table()
    race(play)
    play.place("race:1", "Kh", "up")
    assert play.place("race:2", "As", "up").of(Kind.RACE) != []


def test_the_card_that_the_shoe_named_counts_where_no_reader_read_it() -> None:
    play = table()
    race(play)
    play.send("shoe.card", card="Kh", deck="blue")
    play.place("race:1", None, "up")
    assert play.card("race:2", "As", "up").of(Kind.RACE) == [{"winners": {"2": 1}, "removed": 10000}]


def test_a_card_face_down_is_nobodys_until_it_is_turned() -> None:
    play = table()
    race(play)
    play.card("race:1", "Kh", "down")
    answer = play.card("race:2", "Qs", "up")
    assert answer.of(Kind.RACE) == []
    assert answer.alarms == ["race_undecided raised"]
    assert "Kh" not in str(play.view)
    assert play.send("card.turned", zone="race:1", card="Kh").of(Kind.RACE) == [{"winners": {"1": 1}, "removed": 10000}]


def test_a_race_nobody_can_tell_is_settled_by_a_person() -> None:
    play = table()
    race(play)
    play.card("race:1", None, "up")
    play.card("race:2", "Qs", "up")
    assert play.prompt == {"wait": "floor"}
    play.decide("play_on")
    assert play.core.standing.tournament.race is None
    play.shuffle()
    assert play.to(1).told == []


def test_a_card_of_the_joker_has_no_rank() -> None:
    play = table()
    race(play)
    play.send("shoe.card", card="Jo", deck="blue")
    assert "the joker has no rank" in play.place("race:1", "Jo", "up").errors[0]


def test_a_card_taken_back_is_due_again() -> None:
    play = table()
    race(play)
    play.card("race:1", "Kh", "up")
    assert play.send("card.removed", zone="race:1", card="Kh").prompt == {"deal": "race:1", "face": "up"}


def test_the_race_zones_hold_cards_in_a_race_only() -> None:
    play = table()
    assert "no chip race is in progress" in play.place("race:1", "Kh", "up").refusal
    assert "no chip race is in progress" in play.send("card.turned", zone="race:1", card="Kh").refusal
    assert play.send("card.removed", zone="race:1").errors == []


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"odd": {"7": 1}}, "seat '7' has no player"),
        ({"odd": {"one": 1}}, "seat 'one' has no player"),
        ({"odd": {"1": 4}}, "change them for 10000 first"),
        ({"chip": 10000, "new_chip": 2500}, "must be worth more"),
        ({"last": [3]}, "seat 3 has no odd chips"),
    ],
)
def test_chips_that_make_no_race_are_refused(fields: dict[str, Any], reason: str) -> None:
    play = table()
    assert reason in race(play, **fields).refusal
    assert play.core.standing.tournament.race is None


def test_one_race_at_a_time_and_none_in_a_round() -> None:
    play = table()
    race(play)
    assert "a race is in progress, seat 1 is due" in race(play).refusal
    other = table()
    other.to(1)
    assert "between two rounds" in race(other).refusal


def test_a_book_without_races_refuses_one() -> None:
    play = Play("tas-2018-holdem")
    play.open((1, 2, 3), tournament=True)
    assert "has no meaning under tas-2018-holdem" in race(play).refusal


def test_a_round_begun_sets_the_race_aside_and_gets_the_card() -> None:
    play = table()
    race(play)
    play.send("shoe.card", card=None, deck="blue")
    answer = play.place("seat:1", "2c")
    assert answer.told == ["not_released: call_floor"]
    assert play.core.standing.tournament.race is None
    assert play.to(2, 3, 4).told == []


def test_what_was_raced_off_is_due_no_more() -> None:
    play = Play(NO_LIMIT)
    play.open((1, 2, 3, 4), button=1)
    play.send("tournament.clock", running=True, elapsed=280 * 60 - 30.0)
    play.shuffle()
    play.hands()
    play.end()
    play.wait(60.0)
    assert play.view["tournament"]["race_offs"] == [2500]
    race(play, odd={"1": 1})
    assert play.view["tournament"]["race_offs"] == []

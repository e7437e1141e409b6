"""A sorted deck, a card missing or doubled, a card that no reader saw: told through the table."""

from random import Random

import pytest

from table_fsm.felt import clockwise, full_deck
from table_fsm.play.button.button import expected_button
from table_fsm.table import Table
from tests.table_fsm.simulate_odds import by_ranks, cut, new_deck
from tests.table_fsm.streams import UTH, Play, books, holdem

CARDS = sorted(full_deck())
SORTED = "not_shuffled: call_floor"
MISSING = "short_deck: stop_table"
LOST = "short_deck: call_floor"


def table(cards: list[str], seats: int = 5) -> Play:
    """Open, checked, shuffled and cut, with this pack to deal."""
    play = Play()
    play.open(range(1, seats + 1))
    play.shuffle(count=None)
    play.pack = iter(cards)
    return play


def next_round(play: Play, cards: list[str] | None = None) -> None:
    """Shuffled and cut, and dealt from behind the button wherever it is now."""
    button = expected_button(play.core)
    assert button is not None
    play.order = clockwise(play.seats, button)
    play.shuffle(count=None)
    play.pack = iter(cards) if cards is not None else play.pack


def hand(play: Play, cards: list[str] | None = None) -> list[str]:
    """A whole round of Hold'em whose cards only the readers name; what was ruled."""
    if cards is not None:
        next_round(play, cards)
    dealt = [play.place(f"seat:{seat}") for seat in play.order * 2]
    streets = [(1, 2, 3), (4,), (5,)]
    for boards in streets:
        dealt += [play.close(), play.place("burn")]
        dealt += [play.place(f"board:{n}", face="up") for n in boards]
    return play.all([*dealt, play.close(), play.end()]).told


# -- sorted


@pytest.mark.parametrize("cards", [new_deck(), by_ranks()[::-1], cut(new_deck("dchs"), 30)])
def test_a_sorted_deck_is_told_once_a_round_and_names_no_card(cards: list[str]) -> None:
    play = table(cards)
    answer = play.hands()
    assert answer.told == [SORTED]
    assert "cards" not in answer.ruling
    assert not any(card in answer.ruling["text"].split() for card in CARDS)
    assert play.to_showdown().told + play.end().told == []
    assert play.pending == ["not_shuffled"]


def test_its_alarm_names_the_deck_and_the_gate_is_locked_until_a_person_decides() -> None:
    play = table(new_deck())
    play.hands()
    assert play.view["alarms"][0]["deck"] == "blue"
    play.to_showdown()
    play.end()
    assert play.view["pending"]
    play.decide("confirm")
    assert play.pending == []


def test_a_misdeal_declared_of_one_s_own_motion_settles_it() -> None:
    play = table(new_deck())
    play.hands()
    play.decide("misdeal")
    assert play.pending == []


def test_a_deck_that_was_not_shuffled_is_not_told_of_as_sorted_too() -> None:
    play = table(new_deck())
    play.hands()
    play.to_showdown()
    play.end()
    play.decide("confirm")
    play.pack = iter(new_deck())
    play.order = play.order[1:] + play.order[:1]
    assert play.hands().told == ["cut_missing: warn", "not_shuffled: stop_table"]


def test_while_a_sorted_deck_waits_a_deal_with_no_shuffle_is_told_all_the_same() -> None:
    play = table(new_deck())
    play.hands()
    play.to_showdown()
    play.end()
    play.order = play.order[1:] + play.order[:1]
    assert "not_shuffled: stop_table" in play.send("deal.start").told


def test_what_comes_after_the_undealt_cards_were_shuffled_is_judged_no_more() -> None:
    cards = new_deck()
    play = table(cards, seats=3)
    play.hands()
    play.close()
    play.send("stub.shuffled", count=None)
    assert (play.flop().told, play.close().told, play.street(4).told) == ([], [], [])


def test_with_two_packs_of_the_house_s_game_the_alarm_is_about_the_sorted_one() -> None:
    play = Play(UTH)
    play.open((1, 2, 3), deck="blue")
    play.send("shoe.deck_checked", deck="red", count=52)
    play.shuffle("red", cut=False)
    play.pack = iter(new_deck())
    for seat in play.seats:
        play.wager(seat, "ante", 500)
        play.wager(seat, "blind", 500)
    zones = [*(f"board:{n}" for n in range(1, 6)), *(f"seat:{s}" for s in play.seats for _ in "12"), *["dealer"] * 2]
    answer = play.all(play.card(zone, deck="red") for zone in zones)
    assert answer.told == [SORTED]
    assert play.view["alarms"][0]["deck"] == "red"


# -- unseen, doubled


def test_sixteen_missing_cards_are_told_and_named_when_the_round_is_over() -> None:
    rng, play = Random(46), table([], seats=9)
    gone, left = set(CARDS[::3][:16]), [card for card in CARDS if card not in set(CARDS[::3][:16])]
    for _ in range(6):
        rng.shuffle(left)
        next_round(play, left)
        for seat in play.order * 2:
            play.place(f"seat:{seat}")
        for boards in ((1, 2, 3), (4,), (5,)):
            play.close()
            play.place("burn")
            for n in boards:
                play.place(f"board:{n}", face="up")
        assert play.close().told == []
        answer = play.end()
        if answer.rulings:
            break
    assert answer.told == [MISSING]
    assert gone <= set(answer.ruling["cards"])
    assert answer.ruling["also"] == ["check_deck"]
    assert play.view["phase"] == "halted"


def short_of(play: Play, gone: int, rng: Random) -> None:
    """Rounds with a deck that lacks some cards, until it is told."""
    left = CARDS[gone:]
    for _ in range(40):
        rng.shuffle(left)
        if hand(play, left):
            return
    raise AssertionError("never told")


def test_it_is_told_once_until_the_deck_has_been_checked_and_then_all_begins_anew() -> None:
    rng, play = Random(5), table([], seats=9)
    short_of(play, 16, rng)
    play.decide("resume")
    left = CARDS[16:]
    told = []
    for _ in range(3):
        rng.shuffle(left)
        told += hand(play, left)
        play.decide("resume")
    assert MISSING not in told
    play.send("shoe.deck_checked", deck="blue", count=52)
    record = play.core.standing.decks["blue"]
    assert (record.seen, record.doubted) == (None, [])
    short_of(play, 16, rng)


@pytest.mark.parametrize("event", ["shoe.deck_checked", "deck.changed"])
def test_what_was_seen_is_forgotten_with_the_deck(event: str) -> None:
    play = table(Random(1).sample(CARDS, 52))
    hand(play)
    assert play.core.standing.decks["blue"].seen is not None
    play.send(event, deck="blue", **({"count": 52} if event == "shoe.deck_checked" else {}))
    assert play.core.standing.decks["blue"].seen is None


def test_a_check_that_finds_it_short_forgets_nothing() -> None:
    play = table(Random(1).sample(CARDS, 52))
    hand(play)
    play.send("shoe.deck_checked", deck="blue", count=51)
    assert play.core.standing.decks["blue"].seen is not None


def test_hands_shown_prove_that_their_cards_are_there_and_count_for_nothing_else() -> None:
    """Players show aces: that is no chance. Only the board is read here."""
    play = table([])
    cards = Random(9).sample(CARDS, 52)
    for seat in play.order * 2:
        play.place(f"seat:{seat}", None)
    play.pack = iter(cards)
    for boards in ((1, 2, 3), (4,), (5,)):
        play.close()
        play.place("burn", None)
        for n in boards:
            play.place(f"board:{n}", face="up")
    play.close()
    for card in cards[10:12]:
        play.send("card.turned", zone="seat:1", card=card, face="up")
    play.end()
    seen = play.core.standing.decks["blue"].seen
    assert seen is not None
    assert (seen.read_in_all, seen.rounds) == (5, 1)
    there = {card for card, waited in seen.waited.items() if not waited}
    assert there == {*cards[:5], *cards[10:12]}


def test_a_misdeal_counts_for_nothing_but_its_cards_are_there() -> None:
    play = table(Random(2).sample(CARDS, 52))
    play.to(*play.order)
    play.decide("misdeal")
    seen = play.core.standing.decks["blue"].seen
    assert seen is not None
    assert (seen.rounds, sum(seen.came.values())) == (0, 0)


def test_the_same_cards_round_after_round_are_no_deck_with_cards_missing() -> None:
    """A demonstration deals the same cards each time: no reader says that the others are not there."""
    play, cards = table([]), Random(3).sample(CARDS, 52)
    assert [told for _ in range(20) for told in hand(play, cards)] == []


def test_what_was_seen_is_in_the_snapshot() -> None:
    play = table(Random(1).sample(CARDS, 52))
    hand(play)
    again = Table.restore(books(), play.table.snapshot())
    assert again.digest() == play.table.digest()
    assert again._core.standing.decks["blue"].seen == play.core.standing.decks["blue"].seen


# -- shoe and readers


def round_with_a_card_lost(play: Play) -> None:
    play.hands()
    play.close()
    play.flop()
    play.send("shoe.card", deck="blue")
    play.close()
    play.street(4)
    play.close()
    play.street(5)
    play.close()


def test_a_card_that_left_the_shoe_and_that_no_reader_saw_is_told_as_the_round_ends() -> None:
    play = holdem()
    round_with_a_card_lost(play)
    answer = play.end()
    assert answer.told == [LOST]
    assert answer.ruling["rule"] == "F identity"
    assert answer.ruling["pending"]
    assert play.core.standing.decks["blue"].fouled


def test_it_waits_for_a_person_through_the_next_round() -> None:
    play = holdem()
    round_with_a_card_lost(play)
    play.end()
    next_round(play)
    play.hands()
    play.to_showdown()
    play.end()
    assert "short_deck" in play.pending
    play.decide("confirm")
    assert "short_deck" not in play.pending


def test_where_a_reader_was_away_nothing_is_said_of_cards_it_may_have_missed() -> None:
    play = holdem()
    play.send("device.state", device="reader:board", online=False, reason="silent")
    play.send("device.state", device="reader:board", online=True)
    round_with_a_card_lost(play)
    away_before = play.end().told
    next_round(play)
    play.hands()
    play.send("device.state", device="reader:seat", online=False, reason="silent")
    play.send("device.state", device="reader:seat", online=True)
    play.send("shoe.card", deck="blue")
    play.to_showdown()
    assert (away_before, play.end().told) == ([LOST], [])


def test_cards_put_right_by_hand_are_not_reckoned() -> None:
    play = holdem()
    play.hands()
    assert play.send("shoe.card", deck="blue", face="up").told == ["boxed_card: call_floor"]
    play.decide("play_on")
    play.to_showdown()
    assert play.end().told == []


def test_more_cards_than_the_deck_has_are_told_at_the_first_too_many() -> None:
    play = holdem()
    play.hands()
    answers = [play.send("shoe.card", deck="blue") for _ in range(42)]
    assert play.all(answers).told == []
    assert play.send("shoe.card", deck="blue").told == ["foreign_card: stop_table"]
    assert play.send("shoe.card", deck="blue").told == []


def test_the_first_back_a_reader_knows_is_the_pack_s() -> None:
    play = Play()
    play.open(deck=None)
    play.shuffle(None, count=None)
    play.send("card.placed", zone="seat:1", card=None, face="down")
    play.send("card.placed", zone="seat:2", card=None, face="down", deck="blue")
    assert play.send("card.placed", zone="seat:3", card=None, face="down", deck="red").told == [
        "foreign_card: call_floor"
    ]

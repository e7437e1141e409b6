"""Tables whose readers know no side of a card: a hand lies open once the dealer has keyed it."""

from typing import Any

import pytest

from feltd.table.links.display_words import notice_in_words
from feltd.text.language import Language
from table_fsm.outputs import Kind
from table_fsm.view.indicators import all_now
from tests.table_fsm.streams import HOLDEM, UTH, Answer, Play, books

SEATS = (1, 2, 3)
STUD5 = "tas-2018-stud5"
HANDS = {1: ("Ah", "Ad"), 2: ("Ks", "Kh"), 3: ("7c", "2d")}
BOARD = ("3c", "8d", "9h", "Jc", "4s")


def blind(book: str = HOLDEM, *, faces: bool | None = False) -> Play:
    """A table without faces, its hands dealt face down and read."""
    play = Play(book)
    options: dict[str, Any] = {} if faces is None else {"faces": faces}
    play.open(SEATS, button=3, blinds=[100, 200], burn=1, look_sensor=False, **options)
    play.shuffle()
    play.post(100, 200)
    for n in (0, 1):
        for seat in SEATS:
            assert not play.card(f"seat:{seat}", HANDS[seat][n]).told
    return play


def to_showdown(play: Play) -> Play:
    """All call, and check to the end."""
    play.acts("3 call 200", "1 call 100", "2 check")
    for cards in (BOARD[:3], BOARD[3:4], BOARD[4:]):
        play.close()
        play.burn()
        at = 1 + BOARD.index(cards[0])
        for n, card in enumerate(cards, start=at):
            assert not play.card(f"board:{n}", card, face="up").told
        play.acts("1 check", "2 check", "3 check")
    play.close()
    assert play.phase == "showdown"
    return play


def shown(play: Play, seat: int) -> Answer:
    return play.send("hand.shown", seat=seat)


def tabled(play: Play) -> dict[int, list[str] | None]:
    """The cards of each player that anybody sees."""
    return {seat["seat"]: seat["tabled"] for seat in play.view["seats"]}


NOBODY = dict.fromkeys(SEATS)


def test_a_contested_hand_is_shown_by_the_key_and_the_pot_is_decided() -> None:
    play = to_showdown(blind())
    assert play.prompt == {"show": [2, 3, 1], "by_key": True}
    assert tabled(play) == NOBODY
    assert not shown(play, 2).told
    assert tabled(play) == {**NOBODY, 2: ["Ks", "Kh"]}
    assert play.prompt == {"show": [3, 1], "by_key": True}
    shown(play, 3)
    (won,) = shown(play, 1).of(Kind.SHOWDOWN)
    assert (won["winners"], won["hand"]) == ([1], "one pair")
    assert not play.end().told
    assert play.phase == "complete"


def test_the_lamp_and_the_display_ask_for_the_key() -> None:
    play = to_showdown(blind())
    asks = "Hands to show: {}. Press the key for each that lies open."
    assert play.core.standing.shown_lamps["attention"]
    assert [said["text"] for said in shown(play, 2).of(Kind.DISPLAY)] == [asks.format("3, 1")]
    assert all_now(play.core)[-1].to_dict()["display"] == {"text": asks.format("3, 1"), "rule": None}
    german = notice_in_words(asks.format("3, 1"), Language.GERMAN)
    assert german == "Zu zeigende Hände: 3, 1. Für jede offen liegende die Taste drücken."
    shown(play, 3)
    last = shown(play, 1)
    assert [said["text"] for said in last.of(Kind.DISPLAY)] == [""]
    assert [lamp for lamp in last.of(Kind.LAMP) if lamp["name"] == "attention"] == [{"name": "attention", "on": False}]


def test_an_alarm_keeps_the_lamp_and_the_display_asks_no_more() -> None:
    play = to_showdown(blind())
    play.send("floor.called", by="dealer")
    last = play.all(shown(play, seat) for seat in (2, 3, 1))
    assert last.of(Kind.DISPLAY)[-1]["text"] == ""
    assert play.core.standing.shown_lamps["attention"]


def shown_fold(play: Play) -> Answer:
    """Seat 3 gives its hand up and shows a card of it."""
    play.fetch("seat:3", "7c")
    play.acts("3 fold")
    return play.place("muck", "7c", face="up")


def test_a_ruling_that_is_settled_gives_the_display_back_to_the_hands_to_show() -> None:
    play = to_showdown(blind("onyx-cash"))
    ruled = shown_fold(play)
    assert ruled.told == ["fold_exposed: show_card"]
    assert ruled.of(Kind.DISPLAY)[-1]["text"] != ""
    asks = {"text": "Hands to show: 1, 2. Press the key for each that lies open.", "rule": None}
    assert play.decide("confirm").of(Kind.DISPLAY) == [asks]
    assert all_now(play.core)[-1].to_dict()["display"] == asks
    assert not play.decide("confirm").of(Kind.DISPLAY)


def test_a_mucked_hand_needs_no_showing() -> None:
    play = to_showdown(blind())
    shown(play, 2)
    play.acts("3 fold")
    play.all(play.fetch("seat:3", card) for card in HANDS[3])
    assert play.prompt == {"show": [1], "by_key": True}
    assert shown(play, 1).of(Kind.SHOWDOWN)[0]["winners"] == [1]
    assert tabled(play)[3] is None
    assert not play.end().told


def test_the_key_opens_nothing_before_the_hand_is_to_be_shown() -> None:
    play = blind()
    for _ in range(2):
        assert "not to be shown now" in shown(play, 1).refusal
        assert tabled(play) == NOBODY
        play.acts("3 call 200", "1 call 100")
    play.acts("2 check")
    play.close()
    assert "not to be shown now" in shown(play, 1).refusal  # the board is due, and nobody is all in
    assert tabled(play) == NOBODY


def test_a_hand_that_has_won_by_folds_is_not_opened() -> None:
    play = blind()
    play.acts("3 fold", "1 fold")
    assert "not to be shown now" in shown(play, 2).refusal
    assert "not to be shown now" in shown(play, 1).refusal
    play.end()
    assert "not to be shown now" in shown(play, 2).refusal
    assert tabled(play) == NOBODY


def test_the_key_at_the_first_and_the_last_moment() -> None:
    play = blind()
    play.acts("3 call 200", "1 call 100", "2 check")
    for at in (1, 4, 5):
        play.close()
        play.burn()
        play.all(play.card(f"board:{n}", BOARD[n - 1], face="up") for n in ((1, 2, 3) if at == 1 else (at,)))
        play.acts("1 check", "2 check")
        assert "not to be shown now" in shown(play, 1).refusal  # seat 3 has still to act
        play.acts("3 check")
    assert not shown(play, 1).told  # the last bet is made, and nobody has closed the betting
    shown(play, 2)
    assert not shown(play, 2).outputs  # pressed once more
    assert [won["winners"] for won in shown(play, 3).of(Kind.SHOWDOWN)] == [[1]]  # the open hands have ended it
    assert not play.close().told
    assert "not to be shown now" in shown(play, 3).refusal  # the pot is decided


def test_hands_are_opened_before_the_next_card_once_a_player_is_all_in() -> None:
    play = Play("onyx-tournament")
    play.open(SEATS, button=3, faces=False, look_sensor=False, structure=None, blinds=[100, 200])
    play.shuffle()
    play.post(100, 200)
    play.hands()
    play.acts("3 fold", "1 all_in 4900", "2 call 4800")
    play.close()
    assert play.prompt == {"show": [1, 2], "by_key": True}
    shown(play, 1)
    assert play.prompt == {"show": [2], "by_key": True}
    assert not shown(play, 2).told
    assert play.prompt == {"burn": 1}


def test_a_round_that_is_ended_without_the_key_waits_for_a_person() -> None:
    play = to_showdown(blind("onyx-cash"))
    assert play.end().told == ["round_unfinished: call_floor"]
    play.decide("play_on", reason="the dealer forgot the key")
    assert play.end().errors == []


def test_a_second_fault_at_the_showdown_is_ruled_on_beside_the_first() -> None:
    play = to_showdown(blind())
    play.fetch("seat:1", "Ad")
    play.send("card.left_table", zone="seat:1", card="Ad", by="player")
    shown(play, 2)
    shown(play, 3)
    assert shown(play, 1).told == ["wrong_card_count: fold_hand"]
    assert play.end().errors == []


def test_a_card_of_a_shown_hand_that_is_taken_up_lies_open_where_it_comes_back() -> None:
    play = to_showdown(blind())
    shown(play, 2)
    play.all(play.fetch("seat:2", card) for card in HANDS[2])
    play.place("seat:2", "Kh")
    play.place("seat:2", None)
    assert tabled(play)[2] == ["Kh", "Ks"]


def test_a_card_that_was_down_stays_down_where_it_comes_back() -> None:
    play = to_showdown(blind())
    play.fetch("seat:3", "7c")
    play.place("seat:3", "7c")
    play.fetch("seat:1", "Ah")
    play.place("seat:1", None)
    assert tabled(play) == NOBODY


def test_a_hand_that_is_taken_up_whole_cannot_be_opened() -> None:
    play = to_showdown(blind())
    play.all(play.fetch("seat:1", card) for card in HANDS[1])
    assert "lay the hand back there" in shown(play, 1).refusal
    assert play.prompt == {"show": [2, 3, 1], "by_key": True}


def test_a_hand_with_a_card_that_nobody_read_is_shown_and_people_say_who_wins() -> None:
    play = Play(HOLDEM)
    play.open(SEATS, button=3, blinds=[100, 200], faces=False)
    play.shuffle()
    play.post(100, 200)
    play.all(play.card(f"seat:{seat}", None) for seat in (*SEATS, *SEATS))
    to_showdown(play)
    play.all(shown(play, seat) for seat in SEATS)
    assert play.prompt == {"collect": True}
    assert not play.end().told


@pytest.mark.parametrize("book", [HOLDEM, "onyx-cash"])
@pytest.mark.parametrize("cards", [1, 3])
def test_the_key_is_the_sight_of_the_hand(book: str, cards: int) -> None:
    """A hand of the wrong number of cards is ruled on as where a reader sees each card turned."""
    told = []
    for faces in (False, None):
        play = blind(book, faces=faces)
        if cards == 3:
            play.place("seat:3", "5d")
        else:
            play.fetch("seat:3", "7c")
            play.send("card.left_table", zone="seat:3", card="7c", by="player")
        to_showdown(play)
        for seat in SEATS:
            told += [play.turn(f"seat:{seat}") if faces is None else shown(play, seat)]
    half = len(told) // 2
    assert [answer.told for answer in told[:half]] == [play.all([answer]).told for answer in told[half:]]


def test_hand_for_hand_the_key_waits_for_the_director() -> None:
    play = Play("onyx-tournament")
    play.open(SEATS, button=3, faces=False, look_sensor=False, structure=None, blinds=[100, 200])
    play.send("tournament.hand_for_hand", on=True)
    play.send("tournament.go")
    play.shuffle()
    play.post(100, 200)
    play.hands()
    play.acts("3 fold", "1 all_in 4900", "2 call 4800")
    play.close()
    assert "not to be shown now" in shown(play, 1).refusal
    play.send("tournament.go")
    assert not shown(play, 1).told


def test_the_key_means_nothing_at_a_table_whose_readers_see_faces_or_no_hands() -> None:
    for options in ({}, {"faces": True}, {"built": "no_seat_readers", "faces": False}):
        play = Play(HOLDEM)
        play.open(SEATS, button=3, blinds=[100, 200], **options)
        assert "opened with faces = false" in shown(play, 1).refusal
    assert "no seat 11" in shown(blind(), 11).refusal


@pytest.mark.parametrize("book", [UTH, STUD5, "act-2001-stud7"])
def test_a_game_of_open_cards_is_not_opened(book: str) -> None:
    answer = Play(book).send("table.open", rulebook=book, seats=[1, 2, 3], button=None, options={"faces": False})
    assert answer.refusal.startswith("option faces: false: cards that lie open")


def test_the_button_is_drawn_for_by_hand() -> None:
    play = Play("onyx-cash")
    assert "draw for the button by hand" in play.open(SEATS, checked=False, faces=False).refusal
    assert "no reader of this table sees" in blind("onyx-cash").send("button.draw").refusal


def test_the_view_says_that_the_readers_know_no_side() -> None:
    assert blind().view["faces"] is False
    for options in ({}, {"faces": True}, {"built": "board_only", "faces": False}):
        play = Play(HOLDEM)
        play.open(SEATS, button=3, blinds=[100, 200], **options)
        assert "faces" not in play.view
    assert "faces" not in Play(HOLDEM).view


def test_a_table_that_says_nothing_of_it_keeps_its_state_as_it_was() -> None:
    play = Play(HOLDEM)
    play.open(SEATS, blinds=[100, 200])
    assert "faces" not in play.core.standing.options


@pytest.mark.parametrize("book", sorted(books()))
def test_every_book_takes_the_option(book: str) -> None:
    assert books()[book].options["faces"].default is None

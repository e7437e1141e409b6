"""Tables that are built with less: what nobody sees lies where it is due, and what cannot be judged is refused."""

import pytest

from tests.table_fsm.streams import HOLDEM, UTH, Play, books

SEATS = (1, 2, 3)


def built(how: str, book: str = HOLDEM) -> Play:
    """A table that is built so, ready for the first card."""
    play = Play(book)
    play.open(SEATS, button=3, blinds=[100, 200], burn=1, built=how)
    play.shuffle()
    play.post(100, 200)
    return play


def out_of_shoe(play: Play, count: int) -> None:
    """So many cards leave the shoe, and no reader tells where they come to rest."""
    for _ in range(count):
        assert not play.send("shoe.card", deck="blue").told


def hands(play: Play) -> list[int]:
    """Cards before each player, as anybody sees the table."""
    return [seat["cards"] for seat in play.view["seats"]]


def test_without_readers_at_the_seats_each_card_of_the_deal_lies_where_it_was_due() -> None:
    play = built("no_seat_readers")
    out_of_shoe(play, 4)
    assert hands(play) == [2, 1, 1]
    assert play.prompt == {"deal": "seat:2", "face": "down"}
    out_of_shoe(play, 2)
    assert hands(play) == [2, 2, 2]
    assert play.phase == "betting.pre_flop"
    assert play.core.round.tracker.where == {}  # no card before a player has a name
    assert not play.core.round.tracker.mouth


def test_the_card_after_the_deal_waits_for_the_reader_that_sees_it() -> None:
    play = built("no_seat_readers")
    out_of_shoe(play, 6)
    assert not play.acts("3 call 200", "1 call 100", "2 check").told
    assert not play.flop().told
    assert play.phase == "betting.flop"
    assert hands(play) == [2, 2, 2]
    assert play.view["burn"] == 1


def test_a_premature_flop_is_told_there_too() -> None:
    play = built("no_seat_readers")
    out_of_shoe(play, 6)
    play.acts("3 call 200")
    assert [told.split(":")[0] for told in play.flop().told] == ["board_premature"]


def test_with_a_board_alone_the_announcement_is_the_whole_deal() -> None:
    play = built("board_only")
    assert not play.send("deal.start").told
    assert hands(play) == [2, 2, 2]
    assert play.phase == "betting.pre_flop"
    assert not play.acts("3 call 200", "1 call 100", "2 check").told
    assert not play.close().told
    assert play.prompt == {"deal": "board:1", "face": "up"}  # a burn that nobody sees is not asked for
    assert not play.all(play.place(f"board:{n}", face="up") for n in (1, 2, 3)).told
    assert play.phase == "betting.flop"


def test_a_deal_that_waits_for_a_person_does_not_go_round_for_ever() -> None:
    play = Play(HOLDEM)
    play.open(SEATS, button=3, blinds=[100, 200], built="board_only", checked=False)
    play.shuffle(cut=False)
    before = play.core.standing.round_number
    told = play.send("deal.start").told
    assert told  # the cards were not checked
    assert play.core.standing.round_number == before
    assert hands(play) == [0, 0, 0]


def test_a_board_card_before_the_announcement_begins_no_round() -> None:
    play = built("board_only")
    assert "press the key for the deal" in play.place("board:1", face="up").refusal
    assert play.view["board"] == [None] * 5
    play.send("deal.start")
    assert [told.split(":")[0] for told in play.place("board:1", face="up").told] == ["board_premature"]


def test_announcing_twice_deals_once() -> None:
    play = built("board_only")
    play.send("deal.start")
    assert play.send("deal.start").refusal == "a round is in progress: it ends with hand.end"
    assert hands(play) == [2, 2, 2]


@pytest.mark.parametrize("how", ["no_seat_readers", "board_only"])
def test_hands_are_shown_to_people_alone_and_the_round_ends(how: str) -> None:
    play = built(how)
    if how == "board_only":
        play.send("deal.start")
    else:
        out_of_shoe(play, 6)
    play.acts("3 call 200", "1 call 100", "2 check")
    for street in ((1, 2, 3), (4,), (5,)):
        play.close()
        if how == "no_seat_readers":
            play.burn()
        for n in street:
            answer = play.place(f"board:{n}", face="up") if how == "board_only" else play.card(f"board:{n}", face="up")
            assert not answer.told
        play.acts("1 check", "2 check", "3 check")
    assert not play.close().told
    assert play.prompt == {"collect": True}
    assert not play.end().told
    assert play.phase == "complete"


def test_a_hand_in_the_discards_names_no_card_of_the_shoe() -> None:
    play = built("no_seat_readers")
    out_of_shoe(play, 6)
    play.acts("3 fold")
    assert not play.place("muck", "As").told
    assert "As" not in play.core.round.tracker.where


def test_an_event_of_a_device_that_is_not_there_is_refused() -> None:
    seats, board, shoeless = built("no_seat_readers"), built("board_only"), built("no_shoe")
    assert "opened with built = no_seat_readers" in seats.place("seat:1").refusal
    assert "opened with built = board_only" in board.place("burn").refusal
    assert "opened with built = board_only" in board.send("shoe.card", deck="blue").refusal
    assert "opened with built = no_shoe" in shoeless.send("shoe.card", deck="blue").refusal
    assert "no reader of this table sees" in built("board_only", "onyx-cash").send("button.draw").refusal
    undrawn = Play("onyx-cash").open(SEATS, checked=False, built="board_only")
    assert "draw for the button by hand" in undrawn.refusal
    assert "key the stacks" in seats.send("race.start", chip=25, new_chip=100, odd={"1": 2}, last=[]).refusal


def test_a_table_without_a_shoe_takes_cards_as_they_come_to_rest() -> None:
    play = built("no_shoe")
    answers = play.all(play.place(f"seat:{seat}") for seat in (1, 2, 3, 1, 2, 3))
    assert not answers.told
    assert play.phase == "betting.pre_flop"


@pytest.mark.parametrize(
    ("book", "how"),
    [
        (UTH, "no_shoe"),
        (UTH, "board_only"),
        (UTH, "no_seat_readers"),
        ("act-2001-stud7", "no_seat_readers"),
        ("tas-2018-stud5", "board_only"),
        ("act-2001-draw", "board_only"),
    ],
)
def test_a_game_that_such_a_table_cannot_judge_is_not_opened(book: str, how: str) -> None:
    answer = Play(book).send("table.open", rulebook=book, seats=[1, 2, 3], button=None, options={"built": how})
    assert answer.refusal.startswith(f"option built: {how}: ")
    assert "open it at a table" in answer.refusal


def test_the_view_says_how_a_table_is_built_and_is_silent_of_a_whole_one() -> None:
    assert built("board_only").view["built"] == "board_only"
    assert "built" not in built("full").view
    play = built("no_shoe")
    play.send("table.close")
    assert "built" not in play.view


def test_a_table_that_is_not_said_to_be_built_with_less_keeps_its_state_as_it_was() -> None:
    play = Play(HOLDEM)
    play.open(SEATS, blinds=[100, 200])
    assert "built" not in play.core.standing.options


@pytest.mark.parametrize("book", sorted(books()))
def test_every_book_takes_the_option(book: str) -> None:
    assert books()[book].options["built"].values == ("full", "no_shoe", "no_seat_readers", "board_only")

"""Hands for a broadcast: those that the table has let go, with what each was worth, and no other."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from devices.simulated.direct import play_rounds
from feltd.broadcast import equities as broadcast_equities
from feltd.broadcast.course import Course, Held, Street, _Began
from feltd.broadcast.equities import Own, equities
from feltd.broadcast.files import JSON_FILE, PAGE_FILE, as_page
from feltd.broadcast.hands import BroadcastHand, LetGo
from feltd.cli import cli
from feltd.record import EntryKind, HostEntry, Span
from feltd.record.rows import JournalRows
from feltd.simulated.games import game_for, options_for
from feltd.table.keeper.deliveries import Delivery
from table_fsm.events import Event, parse_event
from table_fsm.outputs import Output
from table_fsm.poker.hands.order import HandOrder, Selection, Winner
from table_fsm.table import Table as RealTable
from tests.feltd.history_support import record
from tests.feltd.seal_support import key_file
from tests.feltd.table_support import BOOKS
from tests.feltd.test_broadcast import DELAY, TV, Table, table
from tests.identity.drills import read_drill

ORDINARY = HandOrder()
FEW = 300
DRILLS = Path(__file__).parents[1] / "drills"
TV_LINE = f"feltd-unseal-private 1 {bytes(range(50, 82)).hex()} {TV.fingerprint}\n"


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is drawn for an equity costs most of the time here; two tests draw as many as a broadcast does."""
    monkeypatch.setattr(broadcast_equities, "SAMPLES", FEW)


def test_hands_come_with_every_card_once_the_table_has_let_them_go(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        it.turn_on()
        it.play(rounds=3)
        it.pass_(0.0)
        it.bench.journal.flush_blocking(10)
        hands = LetGo(BOOKS)
        with JournalRows(it.bench.journal.path, TV) as record:
            assert not hands.catch_up(record)
        it.pass_(60.0 * DELAY)
        it.bench.journal.flush_blocking(10)
        with JournalRows(it.bench.journal.path, TV) as record:
            assert hands.catch_up(record)
            assert not hands.catch_up(record)
        assert hands.problems == {}
        assert len(hands.hands) == 3
        for hand in hands.hands.values():
            cards = [card for held in hand.held for card in held.cards]
            assert None not in cards
            assert len(set(cards)) == len(cards) == 2 * len(hand.held) > 4
            assert hand.streets[0].board == ()
            for street in hand.streets:
                assert abs(sum(street.equities.values()) - 1.0) < 1e-9
        assert any(held.folded for hand in hands.hands.values() for held in hand.held)
        with JournalRows(it.bench.journal.path) as record:  # without the key there are folded hands that nobody reads
            shut = LetGo(BOOKS)
            shut.catch_up(record)
        unread = [hand for hand in shut.hands.values() if any(None in held.cards for held in hand.held)]
        assert unread
        assert [hand.streets[0].equities for hand in unread] == [{}] * len(
            unread
        )  # not all of it to those that are read


def test_the_newest_alone_are_kept(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        it.turn_on()
        it.play(rounds=3)
        it.pass_(0.0)
        it.pass_(60.0 * DELAY)
        it.bench.journal.flush_blocking(10)
        hands = LetGo(BOOKS, most=2)
        with JournalRows(it.bench.journal.path, TV) as record:
            hands.catch_up(record)
        assert len(hands.hands) == 2


def test_a_round_whose_cards_were_checked_after_its_end_has_no_card_of_the_next(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        it.turn_on()
        record(it.bench, rounds=9, mistakes=1.0, seed=5)
        it.pass_(0.0)
        it.pass_(60.0 * DELAY)
        it.bench.journal.flush_blocking(10)
        hands = LetGo(BOOKS)
        with JournalRows(it.bench.journal.path, TV) as rows:
            hands.catch_up(rows)
            ends = [entry.round for entry in rows.entries(Span(kind=EntryKind.HOST, name=HostEntry.ROUND_END))]
    assert len(set(ends)) < len(ends), "no round has a second end: the test shows nothing"
    for hand in hands.hands.values():
        held = {card for one in hand.held for card in one.cards if card is not None}
        assert not any(held & set(street.board) for street in hand.streets)
    results = {hand.result for hand in hands.hands.values()}
    assert {"complete", "misdeal"} <= results <= {"complete", "misdeal", "void"}


def play_elsewhere(it: Table, book: str, rounds: int) -> None:
    """Rounds of another game, without a mistake."""
    options = options_for(BOOKS[book])
    game = game_for(BOOKS[book], (1, 2, 3, 5), options, rounds=rounds, mistake_rate=0.0, seed=3)
    said: list[Output] = []
    it.bench.keeper.on_outputs(lambda _, outputs: said.extend(outputs))
    start = it.bench.clock.now()

    def apply(event: Event) -> list[dict[str, Any]]:
        said.clear()
        it.bench.time.pass_(max(0.0, start + event.t - it.bench.clock.now()))
        it.bench.keeper.deliver(Delivery("test", lambda t: [replace(event, t=t)]))
        return [output.to_dict() for output in said]

    play_rounds(game, apply, options=options, button=game.button)


@pytest.mark.parametrize(
    ("book", "cards", "streets"),
    [
        ("act-2001-stud7", (3, 4, 5, 6, 7), ("third", "fourth", "fifth", "sixth", "seventh")),
        ("tas-2018-stud5", (2, 3, 4, 5), ("1", "2", "3", "4")),
        ("act-2001-draw", (5,), ("1", "2")),
        ("act-2001-manila", (3,), ("1", "2", "3", "4", "5")),
        ("act-2001-omaha", (4,), ("pre_flop", "flop", "turn", "river")),
    ],
)
def test_stud_draw_and_manila_have_equities_too(
    tmp_path: Path, book: str, cards: tuple[int, ...], streets: tuple[str, ...]
) -> None:
    with table(tmp_path) as it:
        it.turn_on()
        play_elsewhere(it, book, rounds=2)
        it.pass_(0.0)
        it.pass_(60.0 * DELAY)
        it.bench.journal.flush_blocking(10)
        hands = LetGo(BOOKS)
        with JournalRows(it.bench.journal.path, TV) as record:
            hands.catch_up(record)
    assert hands.problems == {}
    assert len(hands.hands) == 2
    for hand in hands.hands.values():
        assert {len(held.cards) for held in hand.held} <= set(cards)
        names = tuple(street.name for street in hand.streets)
        assert names == streets[: len(names)]
        assert names
        for street in hand.streets:
            assert street.equities
            assert abs(sum(street.equities.values()) - 1.0) < 1e-9
        if "draw" in book:
            before, behind = hand.streets
            folded = {held.seat for held in hand.held if held.folded}
            assert folded
            assert before.equities.keys() == {held.seat for held in hand.held} - folded, "what would they have drawn?"
            assert behind.equities.keys() == before.equities.keys()


def in_draw(came: tuple[int, ...] | None, live: tuple[int, ...] = (1, 2, 3)) -> Course:
    """A draw game on its first street, these players in it; `came`: who of them came to the draw; None: nobody did."""
    course = Course(BOOKS["act-2001-draw"])
    hands = {1: "As Ah Ad Ac 2d", 2: "Kc Kd 3h 4h 8c", 3: "2s 5s 9s Js Qd"}
    course._order = HandOrder(selection=Selection.FIVE_HELD)
    course._own = {seat: tuple(cards.split()) for seat, cards in hands.items()}
    seen = frozenset(" ".join(hands.values()).split())
    course._began[0] = _Began((), dict(course._own), frozenset(live), seen, twice=False)
    course._drew = {} if came is None else {"2": frozenset(came)}
    return course


@pytest.mark.parametrize(
    ("came", "equities"),
    [((1, 2, 3), {1: 1.0, 2: 0.0, 3: 0.0}), ((2, 3), {2: 1.0, 3: 0.0}), ((1,), {}), (None, {})],
)
def test_who_folds_before_the_draw_has_no_share_before_it(
    came: tuple[int, ...] | None, equities: dict[int, float]
) -> None:
    [street] = in_draw(came).told()
    assert street.equities == equities


def worth(
    board: Sequence[str], coming: int, *hands: str, order: HandOrder = ORDINARY, own: int = 2, gone: str = ""
) -> list[float]:
    """By hands like "As Ah", of `own` cards in the end."""
    live = {seat: Own(tuple(cards.split()), own - len(cards.split())) for seat, cards in enumerate(hands)}
    return list(equities(order, board, coming, live, gone.split()).values())


def test_equities_are_those_that_everybody_knows() -> None:
    assert 0.77 < worth((), 5, "As Ah", "Kd Kc")[0] < 0.87
    assert worth(("Ks", "2h", "3d", "9c", "Jd"), 0, "As Ah", "Kd Kc") == [0.0, 1.0]
    assert worth(("Ks", "2h", "3d"), 2, "Kd Kc") == [1.0]
    assert worth(("Ts", "Js", "Qs", "Ks", "As"), 0, "2c 3c", "2d 3d") == [0.5, 0.5]
    omaha = HandOrder(selection=Selection.TWO_OF_FOUR)
    assert worth(("6h", "5h", "2h", "Ac", "Jd"), 0, "As Ah Kd 2c", "7h 8h 9d Tc", order=omaha, own=4) == [0.0, 1.0]


@pytest.mark.parametrize(
    ("hands", "first"),
    # By pokerkit's calculate_equities over 20,000 boards.
    [(("As Kd", "Qh Qc"), 0.432), (("2s 2h", "As Kd"), 0.525), (("7h 6h", "As Kd"), 0.421)],
)
def test_equities_before_the_flop_are_right_within_one_in_a_hundred(
    monkeypatch: pytest.MonkeyPatch, hands: tuple[str, ...], first: float
) -> None:
    monkeypatch.undo()
    assert abs(worth((), 5, *hands)[0] - first) < 0.01


def test_in_stud_each_ones_own_cards_come() -> None:
    sure = worth((), 0, "As Ks Qs Js Ts 2c 3d", "Ah Ac Ad Kd Kc 4d", own=7)
    assert sure == [1.0, 0.0]
    rolled_up = worth((), 0, "As Ah Ad", "2c 7d 9h", own=7)
    assert rolled_up[0] > 0.85
    low = HandOrder(winner=Winner.LOW)
    assert worth((), 0, "As 2h 3d", "Kc Kd Kh", own=7, order=low)[0] > 0.95


def test_where_high_and_low_split_each_half_is_divided_by_itself() -> None:
    both = HandOrder(winner=Winner.HIGH_LOW_EIGHT)
    assert worth((), 0, "As 2h 3d 4c 6h Td Jd", "Kc Kd Kh Qc Qd 9s 8s", own=7, order=both) == [0.5, 0.5]
    assert worth((), 0, "Ts Jh 3d 4c 6h Td Js", "Kc Kd Kh Qc Qd 9s 8s", own=7, order=both) == [0.0, 1.0]


def test_in_draw_a_player_keeps_what_they_kept_and_gets_as_many_cards_as_they_drew() -> None:
    draw = HandOrder(selection=Selection.FIVE_HELD)
    assert worth((), 0, "As Ah Ad Ac 2d", "Kc Kd", own=5, order=draw)[0] == 1.0
    flush = worth((), 0, "2s 5s 9s Js", "Kc Kd 3h 4h 8c", own=5, order=draw)[0]
    assert 8 / 43 < flush < 12 / 43  # nine spades of 43 cards make it, and no other card wins
    spades = "3s 4s 6s 7s 8s Ts Qs Ks As"
    assert worth((), 0, "2s 5s 9s Js", "Kc Kd 3h 4h 8c", own=5, order=draw, gone=spades) == [0.0, 1.0]


def test_a_hand_of_the_wrong_count_has_no_equity() -> None:
    draw = HandOrder(selection=Selection.FIVE_HELD)
    assert worth((), 0, "As Ah Ad Ac 2d 3d", "Kc Kd 2c 3c 4c", own=5, order=draw) == []
    assert worth((), 0, "As Ah Ad Ac", "Kc Kd 2c 3c 4c", own=4, order=draw) == []


def test_a_folded_card_comes_on_no_board() -> None:
    assert worth(("2c", "7d", "9h", "Jc"), 1, "As Ah", "Kd Kc", gone="Kh Ks") == [1.0, 0.0]


def test_the_page_shows_the_hand_and_no_text_of_others_as_markup() -> None:
    hand = BroadcastHand(
        7, 0.0, "<Hold'em>", (Held(1, ("As", "Td"), folded=False), Held(2, ("2c", None), folded=True)),
        (Street((), {1: 0.8, 2: 0.2}), Street(("2h", "3d", "4c"), {1: 1.0})),
    )  # fmt: skip
    page = as_page(hand)
    for words in ("A♠", "10♦", "80 %", "100 %", "seat 1", "round 7", "&lt;Hold", "<b>?</b>", 'http-equiv="refresh"'):
        assert words in page
    assert "<Hold" not in page
    assert "Misdeal" not in page
    assert "round 7: Misdeal" in as_page(replace(hand, result="misdeal"))
    assert "<section" not in as_page(None)


def test_the_command_writes_both_files_and_another_key_opens_nothing(tmp_path: Path) -> None:
    (tmp_path / "tv.key").write_text(TV_LINE, encoding="ascii")
    folder = tmp_path / "obs"
    folder.mkdir()
    (tmp_path / "at").mkdir()
    with table(tmp_path / "at") as it:
        it.turn_on()
        it.play()
        it.pass_(0.0)
        it.pass_(60.0 * DELAY)
        it.bench.journal.flush_blocking(10)
        path = it.bench.journal.path

        def run(key: Path) -> str:
            done = CliRunner().invoke(cli, ["broadcast", str(path), "--key", str(key), "--into", str(folder), "--once"])
            assert done.exit_code == 0, done.output
            return (folder / JSON_FILE).read_text(encoding="utf-8")

        told = json.loads(run(tmp_path / "tv.key"))
        assert [hand["round"] for hand in told] == sorted((hand["round"] for hand in told), reverse=True)
        assert all(None not in held["cards"] for hand in told for held in hand["held"])
        assert "♠" in (folder / PAGE_FILE).read_text(encoding="utf-8")
        read_by_surveillance = json.loads(run(key_file(tmp_path)))  # which leaves a note when it reads, and not here
        assert [hand["round"] for hand in read_by_surveillance] == [hand["round"] for hand in told]
        assert [held for hand in read_by_surveillance for held in hand["held"] if None in held["cards"]]
        with closing(sqlite3.connect(path)) as record_:
            record_.execute("VACUUM INTO ?", [str(tmp_path / "copy.journal")])
        path = tmp_path / "copy.journal"  # as it is brought to the machine that makes the stream
        assert json.loads(run(tmp_path / "tv.key")) == told


def test_a_copy_that_is_away_or_torn_is_looked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tv.key").write_text(TV_LINE, encoding="ascii")
    (tmp_path / "at").mkdir()
    folder = tmp_path / "obs"
    folder.mkdir()
    with table(tmp_path / "at") as it:
        it.turn_on()
        it.play()
        it.pass_(0.0)
        it.pass_(60.0 * DELAY)
        it.bench.journal.flush_blocking(10)
        copy = tmp_path / "copy.journal"
        with closing(sqlite3.connect(it.bench.journal.path)) as rows:
            rows.execute("VACUUM INTO ?", [str(copy)])
    whole = copy.read_bytes()

    class EnoughError(Exception):
        """The test has seen what it wants."""

    def away() -> None:
        assert (folder / PAGE_FILE).exists()
        copy.unlink()

    def torn() -> None:
        copy.write_bytes(whole[: len(whole) // 3])

    def whole_again() -> None:
        copy.write_bytes(whole)

    def enough() -> None:
        raise EnoughError

    between = iter([away, lambda: None, torn, whole_again, enough])
    monkeypatch.setattr("time.sleep", lambda _: next(between)())
    done = CliRunner().invoke(cli, ["broadcast", str(copy), "--key", str(tmp_path / "tv.key"), "--into", str(folder)])
    assert isinstance(done.exception, EnoughError), done.output
    assert done.output.count("looks again every 2 seconds") == 2  # once while it was away, once while it was torn


def without_who_folds(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events of a drill in which seats 1 and 2 post and fold, as seats 3 and 4 play it alone."""
    left: list[dict[str, Any]] = []
    for event in events:
        if event.get("action") == "fold":
            continue
        if event.get("zone") in {"seat:1", "seat:2"}:
            left.pop()  # the shoe's word of that card
            continue
        changed: dict[str, Any] = {"seats": [3, 4]} if event["ev"] == "table.open" else {}
        changed |= {"seat": {1: 4, 2: 3}[event["seat"]]} if event.get("action") == "post" else {}
        left.append(event | changed)
    first, second = (at for at, event in enumerate(left) if event.get("action") == "all_in")
    for at, seat in ((first, 4), (second, 3)):  # the button acts first
        left[at] = left[at] | {"seat": seat}
    return left


def run_twice(drill_of: str, *, heads_up: bool = False) -> tuple[Course, tuple[str, ...]]:
    """A drill as a broadcast sees it, and the second board's own cards before they were collected.

    `heads_up`: seats 3 and 4 play it alone, and nobody folds.
    """
    drill = read_drill((DRILLS / f"onyx-cash/{drill_of}.jsonl").read_text(encoding="utf-8"), "")
    table, course = RealTable(BOOKS), Course(BOOKS["onyx-cash"])
    own: tuple[str, ...] = ()
    for raw in without_who_folds(drill.events) if heads_up else drill.events:
        table.apply(parse_event(json.dumps(raw)))
        course.see(table)
        lying = tuple(card for card in table.view()["board2"] or () if card is not None)
        own = max(own, lying, key=len)
    return course, own


@pytest.mark.parametrize(
    ("drill_of", "heads_up", "agreed_on"),
    [("cash-17-leg-by-leg", False, 0), ("cash-17-leg-by-leg", True, 0), ("cash-17-on-the-turn", False, 2)],
)
def test_both_boards_of_a_run_twice_are_shown_with_what_each_gives(
    drill_of: str, heads_up: bool, agreed_on: int
) -> None:
    """The cards before the agreement are of both; from it on each equity is the share of its board's half."""
    course, own = run_twice(drill_of, heads_up=heads_up)
    told = course.told()
    assert [street.name for street in told] == ["pre_flop", "flop", "turn", "river"]
    for at, street in enumerate(told):
        assert sum(street.equities.values()) == pytest.approx(1.0)
        if at <= agreed_on:
            assert (street.board2, street.equities2) == ((), {})
            continue
        assert len(street.board2) == len(street.board)
        assert sum(street.equities2.values()) == pytest.approx(1.0)
    shared = told[agreed_on].board
    assert told[-1].board2 == shared + own
    assert told[-1].board[: len(shared)] == shared
    for ended in (told[-1].equities, told[-1].equities2):
        assert set(ended.values()) <= {0.0, 0.5, 1.0}, "nothing is to come"


def test_the_cards_of_one_board_come_on_the_other_no_more() -> None:
    """On the turn of the second board all of the first lie there, or as many as were dealt: each way is counted."""
    course, _ = run_twice("cash-17-leg-by-leg")
    turn = next(street for street in course.told() if street.name == "turn")
    began, second = course._began[2], course._second[2]
    assert set(second.board) & second.seen == set()
    assert set(began.board) <= second.seen
    assert course._order is not None
    live = {held.seat: Own(tuple(card for card in held.cards if card)) for held in course.held() if not held.folded}
    assert turn.equities2 == equities(course._order, second.board, 1, live, {*second.seen, *began.board})


def test_a_second_board_that_was_not_dealt_gives_no_equities_of_half_a_pot() -> None:
    course, _ = run_twice("cash-17-collected-without-the-second-board")
    told = course.told()
    assert [(street.board2, street.equities2) for street in told] == [((), {})] * len(told)
    assert [bool(street.equities) for street in told].count(False) > 0


def test_the_page_of_a_hand_shows_both_boards_one_below_the_other() -> None:
    street = Street(("As",), {1: 0.25, 2: 0.75}, "river", ("Kd",), {1: 1.0, 2: 0.0})
    page = as_page(BroadcastHand(1, 0.0, "Hold'em", (Held(1, ("2c",), False), Held(2, ("3c",), False)), (street,)))
    assert '<th><b>A♠</b><br><b class="red">K♦</b></th>' in page
    assert "<td>25 %<br>100 %</td>" in page
    assert "<td>75 %<br>0 %</td>" in page

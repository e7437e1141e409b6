"""Hands for a broadcast: those that the table has let go, with what each was worth, and no other."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from click.testing import CliRunner

from feltd.broadcast.files import JSON_FILE, PAGE_FILE, as_page
from feltd.broadcast.hands import BroadcastHand, Held, LetGo, Street, _equities
from feltd.cli import cli
from feltd.record.rows import JournalRows
from tests.feltd.seal_support import key_file
from tests.feltd.table_support import BOOKS
from tests.feltd.test_broadcast import DELAY, TV, table

TV_LINE = f"feltd-unseal-private 1 {bytes(range(50, 82)).hex()} {TV.fingerprint}\n"


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
        assert [held for hand in shut.hands.values() for held in hand.held if None in held.cards]


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


def test_equities_are_those_that_everybody_knows() -> None:
    holes: dict[int, tuple[str | None, ...]] = {1: ("As", "Ah"), 2: ("Kd", "Kc"), 3: ("2c", "7d")}
    before = _equities((), [1, 2], holes, "any_five")
    assert 0.77 < before[1] < 0.87
    river = _equities(("Ks", "2h", "3d", "9c", "Jd"), [1, 2], holes, "any_five")
    assert river == {1: 0.0, 2: 1.0}
    assert _equities(("Ks", "2h", "3d"), [2], holes, "any_five") == {2: 1.0}
    assert _equities((), [1, 2], holes, "five_held") == {}
    omaha: dict[int, tuple[str | None, ...]] = {1: ("As", "Ah", "Kd", "2c"), 2: ("7h", "8h", "9d", "Tc")}
    assert _equities(("6h", "5h", "2h", "Ac", "Jd"), [1, 2], omaha, "two_of_four") == {1: 0.0, 2: 1.0}
    split = _equities(("Ts", "Js", "Qs", "Ks", "As"), [1, 2], {1: ("2c", "3c"), 2: ("2d", "3d")}, "any_five")
    assert split == {1: 0.5, 2: 0.5}


def test_a_folded_card_comes_on_no_board() -> None:
    holes: dict[int, tuple[str | None, ...]] = {1: ("As", "Ah"), 2: ("Kd", "Kc"), 3: ("Kh", "Ks")}
    board = ("2c", "7d", "9h", "Jc")
    assert _equities(board, [1, 2], holes, "any_five") == {1: 1.0, 2: 0.0}


def test_the_page_shows_the_hand_and_no_text_of_others_as_markup() -> None:
    hand = BroadcastHand(
        7, 0.0, "<Hold'em>", (Held(1, ("As", "Td"), folded=False), Held(2, ("2c", None), folded=True)),
        (Street((), {1: 0.8, 2: 0.2}), Street(("2h", "3d", "4c"), {1: 1.0})),
    )  # fmt: skip
    page = as_page(hand)
    for words in ("A♠", "10♦", "80 %", "100 %", "seat 1", "round 7", "&lt;Hold", "<b>?</b>", 'http-equiv="refresh"'):
        assert words in page
    assert "<Hold" not in page
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
        with closing(sqlite3.connect(path)) as record:
            record.execute("VACUUM INTO ?", [str(tmp_path / "copy.journal")])
        path = tmp_path / "copy.journal"  # as it is brought to the machine that makes the stream
        assert json.loads(run(tmp_path / "tv.key")) == told

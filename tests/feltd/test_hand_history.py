"""Finished hands in the poker hand history format: what the format's own reader makes of them is what was played."""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pokerkit import HandHistory

from devices.simulated.direct import DirectTable
from devices.simulated.people.game import Game
from feltd.cli import cli
from feltd.page.history.phh import NotToldError, hand_history
from feltd.page.history.search import FoundRound, Wanted, find_rounds
from feltd.record.rows import JournalRows
from feltd.simulated.games import FLOOR
from feltd.table.keeper.deliveries import Delivery
from table_fsm.events import Event, parse_event
from tests.feltd.page_support import index_of
from tests.feltd.table_support import BOOKS, Bench

TABLE = "Table 7"
BLINDS = {"blinds": [100, 200]}
Told = Callable[..., str]


async def keep(folder: Path, events: Callable[[Callable[[Event], list[dict[str, Any]]]], None]) -> None:
    bench = Bench(folder)
    said: list[Any] = []
    bench.keeper.on_outputs(lambda _, outputs: said.extend(outputs))

    def apply(event: Event) -> list[dict[str, Any]]:
        said.clear()
        if bench.journal.health.backlog > 1000:
            bench.journal.flush_blocking()  # beside a slow disk the keeper would hold what is dealt on
        bench.time.pass_(max(0.0, event.t - bench.clock.now()))
        bench.keeper.deliver(Delivery("test", lambda t: [replace(event, t=t)]))
        return [output.to_dict() for output in said]

    events(apply)
    await bench.synced()
    bench.journal.close()


@contextmanager
def recorded(folder: Path) -> Iterator[tuple[list[FoundRound], Told]]:
    """The rounds of a record, the first one first, and what tells one of them."""
    journal = folder / "table.journal"
    index = index_of(journal)
    index.catch_up()
    with JournalRows(journal) as record:
        yield (
            find_rounds(index, Wanted(limit=500))[::-1],
            lambda found, **how: hand_history(record, found, BOOKS, table=TABLE, **how),
        )
    index.close()


def simulate(folder: Path, book: str, options: dict[str, Any], seats: tuple[int, ...], **game: Any) -> None:
    def play(apply: Callable[[Event], list[dict[str, Any]]]) -> None:
        made = Game(rulebook=book, floor=FLOOR, seats=seats, button=seats[-1], seed=7, **game)
        for _ in DirectTable(made, apply, options=options, button=made.button).play():
            pass

    asyncio.run(keep(folder, play))


def last_state(text: str) -> Any:
    """The hand as the format's reader plays it, without mending anything: every step of it is one that is written."""
    states = list(HandHistory.loads(text).state_actions)
    assert all(action is not None for _, action in states[1:])
    assert states[-1][0].status is False
    return states[-1][0]


GAMES = [
    ("tas-2018-holdem", BLINDS, (1, 2, 3, 5), "NT"),
    ("tas-2018-holdem", BLINDS, (2, 7), "NT"),
    ("act-2001-omaha", {**BLINDS, "ace": "high_low"}, (1, 2, 3, 5), "PO"),
    ("onyx-cash", {**BLINDS, "betting": "limit"}, (1, 4, 9), "FT"),
    ("star-2025-holdem", {**BLINDS, "ante": 200}, (1, 2, 3), "NT"),
]


@pytest.mark.parametrize(("book", "options", "seats", "variant"), GAMES)
def test_a_hand_reads_back_as_it_was_played(
    tmp_path: Path, book: str, options: dict[str, Any], seats: tuple[int, ...], variant: str
) -> None:
    simulate(tmp_path, book, options, seats, rounds=4)
    with recorded(tmp_path) as (rounds, told):
        finished = [found for found in rounds if found.result == "complete" and not found.rulings]
        assert finished
        for found in finished:
            text = told(found)
            history = HandHistory.loads(text)
            assert (history.variant, history.hand, history.table) == (variant, found.number, TABLE)
            assert sorted(history.seats or []) == list(found.seats)
            assert sum(last_state(text).payoffs) == 0
            assert history.antes.count(200) == (1 if "ante" in options else 0)


def line(t: float, ev: str, **fields: Any) -> Event:
    return parse_event(json.dumps({"t": t, "ev": ev, **fields}))


def by_hand(folder: Path, acts: Sequence[dict[str, Any]], **opened: Any) -> None:
    """One round of Hold'em of seats 1 to 3, the button at 3: these events between its opening and its end."""
    opening = {"rulebook": "tas-2018-holdem", "seats": [1, 2, 3], "options": BLINDS, "button": 3, **opened}
    events = [
        line(0.0, "table.open", **opening),
        line(1.0, "shoe.deck_checked", deck="blue", count=52),
        line(2.0, "shoe.shuffled", deck="blue", count=52),
        line(3.0, "cut", by="dealer", depth=20),
        *(line(4.0 + number, **act) for number, act in enumerate(acts)),
    ]

    def play(apply: Callable[[Event], list[dict[str, Any]]]) -> None:
        for event in events:
            answers = apply(event)
            assert not any("error" in answer for answer in answers), (event, answers)

    asyncio.run(keep(folder, play))


def acts(words: str) -> Iterator[dict[str, Any]]:
    """`2 call 200`, `board Ah`, `seat:1 7c`, `show 1 7c`, `burn 3c`, or a bare name of an event."""
    for said in words.split(", "):
        match said.split():
            case ["show", seat, card]:
                yield {"ev": "card.turned", "zone": f"seat:{seat}", "card": card, "face": "up"}
            case [zone, card] if zone.startswith(("seat:", "board:", "burn")):
                face = "up" if zone.startswith("board:") else "down"
                yield {"ev": "shoe.card", "card": card, "deck": "blue"}
                yield {"ev": "card.placed", "zone": zone, "card": card, "face": face, "deck": "blue"}
            case [seat, action, *cents]:
                yield {
                    "ev": "action",
                    "seat": int(seat),
                    "action": action,
                    **({"cents": int(cents[0])} if cents else {}),
                }
            case [name]:
                yield {"ev": name}


DEALT = "1 post 100, 2 post 200, seat:1 7c, seat:2 As, seat:3 2d, seat:1 7h, seat:2 Ac, seat:3 9s"
FLOP = "burn 3c, board:1 7d, board:2 Kh, board:3 4s"
REST = "burn 5c, board:4 Jd, burn 6c, board:5 Qs"
ALL_IN = f"{DEALT}, 3 fold, 1 all_in 900, 2 call 800, betting.closed, {FLOP}, {REST}"


def test_who_goes_all_in_had_what_they_put_in_and_nobody_knows_of_the_others(tmp_path: Path) -> None:
    by_hand(tmp_path, [*acts(f"{ALL_IN}, show 1 7c, show 1 7h, show 2 As, show 2 Ac, hand.end")])
    with recorded(tmp_path) as ([found], told):
        history = HandHistory.loads(told(found))
        assert [str(stack) for stack in history.starting_stacks] == ["10", "Infinity", "Infinity"]
        assert history.actions[3:] == [
            "p3 f", "p1 cbr 10", "p2 cc", "p1 sm 7c7h", "p2 sm AsAc", "d db 7dKh4s", "d db Jd", "d db Qs",
        ]  # fmt: skip
        assert last_state(told(found)).payoffs == [10, -10, 0]


def test_cents_are_written_as_money_of_the_books_currency(tmp_path: Path) -> None:
    by_hand(tmp_path, [*acts(f"{DEALT}, 3 call 200, 1 fold, 2 raise 450, 3 fold, hand.end")])
    with recorded(tmp_path) as ([found], told):
        text = told(found)
        history = HandHistory.loads(text)
    assert (history.currency, history.currency_symbol) == ("AUD", "$")
    assert (history.blinds_or_straddles, history.min_bet) == ([1, 2, 0], 2)
    assert "p2 cbr 6.50" in history.actions
    assert "_amounts" not in history.user_defined_fields
    assert last_state(text).payoffs == [-1, 3, -2]


def test_a_blind_in_odd_cents_is_written_to_the_cent(tmp_path: Path) -> None:
    blinds = {"options": {"blinds": [125, 250]}}
    dealt = DEALT.replace("100", "125").replace("200", "250")
    by_hand(tmp_path, [*acts(f"{dealt}, 3 fold, 1 fold, hand.end")], **blinds)
    with recorded(tmp_path) as ([found], told):
        history = HandHistory.loads(told(found))
    assert [str(blind) for blind in history.blinds_or_straddles or ()] == ["1.25", "2.50", "0"]


@pytest.mark.parametrize(
    "opened",
    [
        {"rulebook": "tas-2018-holdem", "options": {**BLINDS, "tournament": True}},
        {"rulebook": "onyx-tournament", "options": BLINDS},
    ],
)
def test_points_are_written_as_they_are_and_without_a_currency(tmp_path: Path, opened: dict[str, Any]) -> None:
    by_hand(tmp_path, [*acts(f"{DEALT}, 3 call 200, 1 fold, 2 raise 450, 3 fold, hand.end")], **opened)
    with recorded(tmp_path) as ([found], told):
        text = told(found)
        history = HandHistory.loads(text)
    assert (history.currency, history.currency_symbol) == (None, None)
    assert history.user_defined_fields["_amounts"] == "points"
    assert "p2 cbr 650" in history.actions
    assert last_state(text).payoffs == [-100, 300, -200]


def test_cards_that_were_never_shown_are_left_out_for_who_may_not_see_them(tmp_path: Path) -> None:
    by_hand(tmp_path, [*acts(f"{DEALT}, 3 call 200, 1 fold, 2 raise 400, 3 fold, hand.end")])
    with recorded(tmp_path) as ([found], told):
        whole, public = told(found), told(found, see_cards=False)
        assert HandHistory.loads(whole).actions[:3] == ["d dh p1 ????", "d dh p2 ????", "d dh p3 ????"]
        assert HandHistory.loads(public).actions[:3] == ["d dh p1 ????", "d dh p2 ????", "d dh p3 ????"]
        assert last_state(public).payoffs == last_state(whole).payoffs == [-1, 3, -2]


UNTELLABLE = {
    "what the players did was not keyed": f"{DEALT}, betting.closed, {FLOP}, betting.closed, burn 5c, board:4 Jd, "
    "betting.closed, burn 6c, board:5 Qs, betting.closed, show 1 7c, show 1 7h, show 2 As, show 2 Ac, show 3 2d, "
    "show 3 9s, hand.end",
    "an amount was not keyed": f"{DEALT}, 3 raise, 1 fold, 2 fold, hand.end",
    "is not over": DEALT,
}


@pytest.mark.parametrize("why", UNTELLABLE)
def test_what_cannot_be_told_is_refused_with_the_reason(tmp_path: Path, why: str) -> None:
    by_hand(tmp_path, [*acts(UNTELLABLE[why])])
    with recorded(tmp_path) as ([found], told), pytest.raises(NotToldError, match=why):
        told(found)


def test_a_hand_that_another_order_of_hands_has_won_is_refused(tmp_path: Path) -> None:
    """ACT 2001, option `ace`: the ace is high only unless announced; to the format A 2 3 4 5 is always a straight."""
    simulate(tmp_path, "act-2001-omaha", BLINDS, (1, 2, 3, 5), rounds=4)  # in the fourth seat 3 holds 2 and 4
    with recorded(tmp_path) as (rounds, told), pytest.raises(NotToldError, match="orders hands in another way"):
        told(rounds[3])


@pytest.mark.parametrize(
    ("book", "options", "why"),
    [
        ("act-2019-uth", {}, "played against the house"),
        ("act-2001-manila", BLINDS, "no word for this game"),
        ("act-2001-stud7", {"ante": 100}, "no word for this game"),
        ("act-2001-draw", BLINDS, "no word for this game"),
        ("tas-2018-stud5", {"ante": 100}, "no word for this game"),
        ("tas-2018-holdem", {**BLINDS, "betting": "structured"}, "no word for this game"),
    ],
)
def test_a_game_that_the_format_does_not_know_is_named(
    tmp_path: Path, book: str, options: dict[str, Any], why: str
) -> None:
    def opened(apply: Callable[[Event], list[dict[str, Any]]]) -> None:
        answers = apply(line(0.0, "table.open", rulebook=book, seats=[1, 2], options=options, button=2))
        assert not any("error" in answer for answer in answers), answers

    asyncio.run(keep(tmp_path, opened))
    with recorded(tmp_path) as (rounds, told):
        assert rounds == []
        found = FoundRound(1, 0, 1, 10, 0.0, 1.0, book, None, "complete", None, (1, 2), 0)
        with pytest.raises(NotToldError, match=why):
            told(found)


def test_rounds_that_went_wrong_are_told_truly_or_not_at_all(tmp_path: Path) -> None:
    simulate(tmp_path, "tas-2018-holdem", BLINDS, (1, 2, 3, 5), rounds=8, mistake_rate=0.8)
    with recorded(tmp_path) as (rounds, told):
        refused = []
        for found in rounds:
            try:
                last_state(told(found))
            except NotToldError as why:
                refused.append(str(why))
        assert 0 < len(refused) < len(rounds)
        assert any("misdeal" in why or "ruling changed" in why or "dealt again" in why for why in refused)


def test_the_command_writes_one_and_says_why_it_does_not(tmp_path: Path) -> None:
    by_hand(tmp_path, [*acts(f"{DEALT}, 3 fold, 1 fold, hand.end")])
    journal = str(tmp_path / "table.journal")
    fine = CliRunner().invoke(cli, ["journal", "phh", journal, "--round", "1", "--table", TABLE])
    assert fine.exit_code == 0
    assert last_state(fine.output).payoffs == [-1, 1, 0]
    assert "????" in CliRunner().invoke(cli, ["journal", "phh", journal, "--round", "1", "--public"]).output
    other = tmp_path / "other"
    other.mkdir()
    by_hand(other, [*acts(DEALT)])
    unfit = CliRunner().invoke(cli, ["journal", "phh", str(other / "table.journal"), "--round", "1"])
    assert (unfit.exit_code, "is not over" in unfit.output) == (1, True)

"""Cards whose chips are of several packs in use: two packs in one round are told, a change between rounds is not."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from table_fsm.events import CardPlaced, Event, HandEnd, ShoeCard, parse_event
from table_fsm.outputs import Output
from table_fsm.table import Table
from tests.table_fsm.streams import Play, books, holdem
from tests.table_fsm.test_built import built

CLEAN = sorted(Path("tests/drills").glob("*/clean*.jsonl"))
OF_TWO_DECKS = "clean-the-other-deck-is-shuffled-in-the-round"
"""Where nobody tells a pack's name, that shuffle is one of the cards in play, and the round is not clean."""
PLAYED = [
    pytest.param(file, names, id=f"{file.parent.name}/{file.stem}-{'names' if names else 'no-names'}")
    for file in CLEAN[::4]
    for names in (True, False)
    if names or file.stem != OF_TWO_DECKS
]
PACKS = ("blue-1", "red-1")


def drilled(file: Path, *, names: bool) -> Iterator[Event]:
    """The events of a drill; without `names` nobody tells a pack's name."""
    header, *lines = file.read_text(encoding="utf-8").splitlines()
    step, t = json.loads(header).get("step", 1.0), 0.0
    for line in lines:
        said = json.loads(line)
        if "ev" in said:
            t = said.get("t", t + step)
            nameless = {"deck": None} if "deck" in said and not names else {}
            yield parse_event(json.dumps({**said, **nameless, "t": t}))


def with_packs(events: Iterator[Event]) -> Iterator[Event]:
    """The same cards as chips: each round is dealt from the other pack."""
    rounds = 0
    for event in events:
        rounds += isinstance(event, HandEnd)
        yield replace(event, pack=PACKS[rounds % 2]) if isinstance(event, CardPlaced | ShoeCard) else event


def answers(events: Iterator[Event]) -> list[list[Output]]:
    table = Table(books())
    return [list(table.apply(event)) for event in events]


@pytest.mark.parametrize(("file", "names"), PLAYED)
def test_a_clean_change_of_packs_changes_no_answer(file: Path, names: bool) -> None:
    assert answers(with_packs(drilled(file, names=names))) == answers(drilled(file, names=names))


def round_of(play: Play, packs: list[str | None], *, shoe: bool) -> list[str]:
    """Two cards to each seat, each of the pack named; the rulings."""
    told: list[str] = []
    for seat, pack in zip(play.order * 2, packs, strict=True):
        if shoe:
            told += play.send("shoe.card", pack=pack).told
        told += play.send("card.placed", zone=f"seat:{seat}", card=next(play.pack), pack=pack).told
    return told


@pytest.mark.parametrize("shoe", [True, False])
@pytest.mark.parametrize("deck", ["blue", None])
def test_two_packs_in_one_round_are_told_once_and_the_next_round_is_clean(shoe: bool, deck: str | None) -> None:
    play = Play()
    play.open((1, 2, 3), deck=deck)
    play.shuffle(deck)
    told = round_of(play, ["blue-1", "blue-1", None, "red-1", "red-1", "blue-1"], shoe=shoe)
    assert [one.partition(":")[0] for one in told] == ["foreign_card"]
    for ruling in play.view["pending"]:
        play.decide("misdeal", ruling=ruling["id"])
    play.send("shoe.deck_checked", deck=deck, count=52)
    play.shuffle(deck)
    assert round_of(play, ["red-1"] * 6, shoe=shoe) == []


def test_the_same_card_of_another_pack_is_no_doubled_card() -> None:
    play = holdem((1, 2, 3))
    play.send("card.placed", zone="seat:1", card="As", pack="blue-1")
    assert play.send("card.placed", zone="seat:2", card="As", pack="red-1").told == ["foreign_card: call_floor"]


def test_the_first_card_on_the_board_of_a_table_that_sees_nothing_else_sets_the_pack() -> None:
    play = built("board_only")
    play.send("deal.start")
    play.acts("3 call 200", "1 call 100", "2 check")
    play.close()
    told = [
        play.send("card.placed", zone=f"board:{place}", face="up", card=next(play.pack), pack=pack).told
        for place, pack in ((1, "blue-1"), (2, "red-1"))
    ]
    assert told[0] == []
    assert [one.partition(":")[0] for one in told[1]] == ["foreign_card"]

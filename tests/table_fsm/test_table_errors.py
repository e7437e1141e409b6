"""What cannot be is answered with an `error` that names the thing and what to do, and leaves the state as it was."""

import math
import re
from collections.abc import Callable
from typing import Any

import pytest

from table_fsm.core.core import Core
from table_fsm.errors import RulebookError, TableError, UnknownEventError
from table_fsm.events import DropboxState, Tick
from table_fsm.outputs import Alarm, AlarmState, Kind, Refusal
from table_fsm.table import _HANDLERS, FAULT_OF_OURS, Table
from tests.table_fsm.streams import HOLDEM, UTH, Play, books, holdem, uth, uth_dealt


def closed() -> Play:
    return Play()


def fresh() -> Play:
    """Ready for the first card."""
    return holdem(blinds=[100, 200])


def dealing() -> Play:
    play = fresh()
    play.to(1, 2)
    return play


def dealt() -> Play:
    """Seat 3 to act; seat 5 has the button."""
    play = fresh()
    play.hands()
    return play


def acted() -> Play:
    play = dealt()
    play.acts("3 fold", "4 all_in 500")
    return play


def all_acted() -> Play:
    play = dealt()
    play.acts("3 fold", "4 fold", "5 call 200", "1 call 100", "2 check")
    return play


def between_streets() -> Play:
    play = all_acted()
    play.close()
    return play


def misdealt() -> Play:
    play = dealing()
    play.decide("misdeal")
    return play


def over() -> Play:
    play = dealt()
    play.to_showdown()
    play.end()
    return play


def ruled_and_over() -> Play:
    """A round with one ruling, over."""
    play = fresh()
    play.hands()
    play.expose("seat:1", by="player")
    play.to_showdown()
    play.end()
    return play


def faulty() -> Play:
    play = fresh()
    play.send("shoe.fault", kind="jam")
    return play


def house() -> Play:
    return uth()


def house_dealing() -> Play:
    play = uth()
    play.card("board:1")
    return play


def house_dealt() -> Play:
    return uth_dealt(uth())


def house_flop_owed() -> Play:
    play = house_dealt()
    play.close()
    return play


NO_SEAT = r"there is no seat 11: 1 to 10"
NO_CARD = r"'Zz' is no card: rank 23456789TJQKA and suit shdc, or Jo"
NO_ZONE = r"there is no zone 'table': seat:1 to seat:10, dealer, board:1 to board:5, burn, muck, shoe"
CLOSED = r"the table is closed: send table\.open first"
OPEN = {"rulebook": HOLDEM, "seats": [1, 2, 3]}
OVERRULE_FIRST = {"staff": "s", "decision": "overrule", "outcome": "play_on", "ruling": 1}
ACT = {"seat": 3, "action": "call"}

Case = tuple[Callable[[], Play], str, dict[str, Any], str]
CASES: list[Case] = [
    # the table and its seats
    (fresh, "table.open", OPEN, r"the table is open already, with tas-2018-holdem"),
    (closed, "table.open", {**OPEN, "rulebook": "whist"}, r"no rulebook 'whist': act-20"),
    (closed, "table.open", {**OPEN, "options": {"burns": 1}}, r"option burns: .*allowed: .*burn"),
    (closed, "table.open", {**OPEN, "options": {"burn": 7}}, r"option burn: 7 is not allowed; allowed: 0, 1, 2"),
    (closed, "table.open", {**OPEN, "seats": [1, 11]}, NO_SEAT),
    (closed, "table.open", {**OPEN, "seats": [1, 9], "options": {"seats_max": 8}}, r"seat 9: this table has 8"),
    (closed, "table.open", {**OPEN, "seats": [1, 2, 2]}, r"a seat is named twice"),
    (closed, "table.open", {**OPEN, "button": 11}, r"button 11: seats are 1 to 10"),
    (dealing, "table.close", {}, r"a round is in progress: it ends with hand\.end, a misdeal or void"),
    (fresh, "seat.in", {"seat": 1}, r"seat 1 is taken"),
    (fresh, "seat.in", {"seat": 11}, NO_SEAT),
    (lambda: holdem((1, 2, 3), seats_max=6), "seat.in", {"seat": 7}, r"seat 7: this table has 6"),
    (fresh, "seat.out", {"seat": 9}, r"seat 9 has no player"),
    (fresh, "seat.away", {"seat": 9}, r"seat 9 has no player"),
    (fresh, "seat.back", {"seat": 9}, r"seat 9 has no player"),
    (fresh, "stack", {"seat": 1, "cents": -5}, r"stack: cents, 0 or more"),
    (fresh, "stack", {"seat": 9, "cents": 5}, r"seat 9 has no player"),
    (fresh, "penalty", {"seat": 1}, r"penalty: no tournament is played here"),
    # people and devices
    (fresh, "badge", {"staff": "s", "role": "clown"}, r"role 'clown': dealer, director, inspector, .*supervisor"),
    (fresh, "supervisor", {"staff": "s", "decision": "guess"}, r"decision 'guess': acknowledge, .*, void"),
    (fresh, "supervisor", {"staff": "s", "decision": "confirm", "ruling": 99}, r"there is no ruling 99"),
    (fresh, "supervisor", {"staff": "s", "decision": "confirm", "ruling": 0}, r"there is no ruling 0"),
    (
        faulty,
        "supervisor",
        {"staff": "s", "decision": "overrule", "outcome": "wish"},
        r"overrule needs an outcome: 'wish'",
    ),
    (faulty, "supervisor", {"staff": "s", "decision": "overrule", "outcome": "play_on"}, r"overrule: say which ruling"),
    (faulty, "supervisor", {"staff": "s", "decision": "resume"}, r"fault stands: jam \(present\)"),
    (misdealt, "supervisor", {"staff": "s", "decision": "void"}, r"the round is over already"),
    (over, "supervisor", {"staff": "s", "decision": "misdeal"}, r"no round is in progress: the last one is over and"),
    (ruled_and_over, "supervisor", OVERRULE_FIRST, r"ruling 1 is of a round that is over: it stays in the record"),
    (fresh, "floor.called", {"by": "seat:11"}, r"by 'seat:11': dealer or seat:1 to seat:10"),
    # shoe and deck
    (fresh, "shoe.deck_checked", {"count": 51, "missing": ["Zz"]}, NO_CARD),
    (fresh, "shoe.deck_checked", {"count": -1}, r"shoe\.deck_checked: count is a number of cards, 0 or more"),
    (fresh, "shoe.shuffled", {"count": -1}, r"shoe\.shuffled: count is a number of cards, 0 or more"),
    (fresh, "shoe.fault", {"kind": "hiccups"}, r"fault 'hiccups': cards_damaged, .*, shuffle_failed"),
    (fresh, "shoe.cleared", {"kind": "hiccups"}, r"fault 'hiccups': cards_damaged, .*, shuffle_failed"),
    (faulty, "shoe.cleared", {"kind": "power"}, r"fault 'power' was not reported: nothing to clear"),
    (fresh, "cut", {"by": "seat:11"}, r"cut by 'seat:11': dealer or seat:1 to seat:10"),
    (fresh, "cut", {"depth": -1}, r"cut: depth and exposed are numbers of cards, 0 or more"),
    (fresh, "cut", {"exposed": -1}, r"cut: depth and exposed are numbers of cards, 0 or more"),
    (fresh, "cut.offered", {"to": "dealer"}, r"cut offered to 'dealer': seat:1 to seat:10"),
    # cards
    (fresh, "shoe.card", {"card": "Zz"}, NO_CARD),
    (fresh, "shoe.card", {"face": "sideways"}, r"face 'sideways': down or up"),
    (fresh, "card.placed", {"zone": "table"}, NO_ZONE),
    (fresh, "card.placed", {"zone": "seat:1", "card": "Zz"}, NO_CARD),
    (fresh, "card.placed", {"zone": "seat:1", "face": "sideways"}, r"face 'sideways': down or up"),
    (fresh, "card.placed", {"zone": "dealer"}, r"zone 'dealer' holds no cards in this game"),
    (fresh, "card.placed", {"zone": "board2:1"}, r"zone 'board2:1' is not used by this rulebook"),
    (fresh, "card.placed", {"zone": "race:1"}, r"zone 'race:1': no chip race is in progress"),
    (dealing, "card.turned", {"zone": "table"}, NO_ZONE),
    (dealing, "card.turned", {"zone": "seat:1", "card": "Zz"}, NO_CARD),
    (dealing, "card.turned", {"zone": "seat:1", "face": "sideways"}, r"face 'sideways': down or up"),
    (dealing, "card.turned", {"zone": "board:1"}, r"no card lies in board:1: nothing has been placed there"),
    (dealing, "card.exposed", {"zone": "table"}, NO_ZONE),
    (dealing, "card.exposed", {"zone": "seat:1", "card": "Zz"}, NO_CARD),
    (dealing, "card.exposed", {"zone": "seat:1", "by": "wind"}, r"by 'wind': dealer, player or shoe"),
    (dealing, "card.exposed", {"zone": "seat:5"}, r"no card lies in seat:5"),
    (dealing, "card.removed", {"zone": "table"}, NO_ZONE),
    (dealing, "card.removed", {"zone": "seat:1", "card": "Zz"}, NO_CARD),
    (dealing, "card.removed", {"zone": "seat:5"}, r"no card lies in seat:5"),
    (dealing, "card.left_table", {"zone": "table"}, NO_ZONE),
    (dealing, "card.left_table", {"card": "Zz"}, NO_CARD),
    (fresh, "stub.shuffled", {}, r"no round is in progress: a whole deck's shuffle is shoe\.shuffled"),
    (dealing, "hand.looked", {"seat": 11}, NO_SEAT),
    (dealing, "hand.looked", {"seat": 5}, r"no card lies in seat:5"),
    # markers, keys, clocks
    (fresh, "marker.placed", {"marker": "hat", "seat": 1}, r"marker 'hat': button, buck or start"),
    (fresh, "marker.placed", {"marker": "button", "seat": 11}, NO_SEAT),
    (fresh, "button.draw", {}, r"button\.draw has no meaning under tas-2018-holdem"),
    (dealing, "deal.start", {}, r"a round is in progress: it ends with hand\.end"),
    (fresh, "hand.end", {}, r"no round is in progress: nothing to end"),
    (dealt, "clock.called", {"seat": 3, "by": "nobody"}, r"by 'nobody': dealer, supervisor, director or seat:1"),
    (dealt, "clock.called", {"seat": 11}, NO_SEAT),
    (house_dealt, "clock.called", {"seat": 1}, r"this rulebook puts no clock on a player"),
    (dealing, "clock.called", {"seat": 1}, r"seat 1 has nothing to decide now: no clock"),
    (acted, "clock.called", {"seat": 3}, r"seat 3 has nothing to decide now: no clock"),
    (acted, "clock.called", {"seat": 4}, r"seat 4 has nothing to decide now: no clock"),
    (acted, "clock.called", {"seat": 1}, r"seat 1 is not to act: it is seat 5's turn"),
    (between_streets, "clock.called", {"seat": 1}, r"seat 1 has nothing to decide now: no clock"),
    (dealt, "clock.start", {"seat": 3}, r"there is no action clock at this table: use clock\.called"),
    # actions
    (dealt, "action", {"seat": 3, "action": "sing"}, r"action 'sing': all_in, ante, bet, .*, time_bank"),
    (dealt, "action", {"seat": 11, "action": "call"}, NO_SEAT),
    (dealt, "action", {**ACT, "cents": -1}, r"cents: what the player put in with this action, 0 or more"),
    (dealt, "action", {"seat": 3, "action": "bet", "cents": 0}, r"seat 3: bet of nothing: give its cents, or none"),
    (dealt, "action", {"seat": 3, "action": "time_bank"}, r"there are no time banks at this table"),
    (fresh, "action", {"seat": 9, "action": "post", "cents": 5}, r"seat 9 has no player: a post or ante needs one"),
    (acted, "action", {"seat": 1, "action": "post", "cents": 5}, r"betting has begun: blinds and antes come before it"),
    (fresh, "action", ACT, r"seat 3: call, and the cards are not dealt yet"),
    (dealing, "action", ACT, r"seat 3: call, and the cards are still being dealt"),
    (dealt, "action", {"seat": 9, "action": "call"}, r"seat 9 is not in this round"),
    (acted, "action", ACT, r"seat 3 has folded"),
    (acted, "action", {"seat": 4, "action": "bet"}, r"seat 4 is all in and acts no more"),
    (all_acted, "action", {"seat": 1, "action": "bet"}, r"seat 1: bet, and everybody has acted: close the betting"),
    (between_streets, "action", {"seat": 1, "action": "bet"}, r"seat 1: bet, and no betting round is open"),
    (fresh, "betting.closed", {}, r"no betting round is open"),
    (dealing, "betting.closed", {}, r"betting closed, and the cards are still being dealt"),
    (between_streets, "betting.closed", {}, r"no betting round is open"),
    (dealt, "draw", {"seat": 3, "count": 1}, r"draw has no meaning under tas-2018-holdem"),
    (dealt, "run_twice", {}, r"run_twice has no meaning under tas-2018-holdem"),
    # the house's game
    (dealt, "wager", {"seat": 1, "box": "ante", "cents": 5}, r"wagers in boxes are for house-banked games"),
    (house, "wager", {"seat": 1, "box": "hat", "cents": 5}, r"box 'hat': ante, blind, trips or play"),
    (house, "wager", {"seat": 9, "box": "ante", "cents": 5}, r"seat 9 has no player: a wager needs one"),
    (house, "wager", {"seat": 1, "box": "ante", "cents": -5}, r"wager: cents, 0 or more"),
    (
        house_dealt,
        "action",
        {"seat": 1, "action": "call"},
        r"action 'call': this game knows fold, check, and the play wager",
    ),
    (house, "action", {"seat": 1, "action": "fold"}, r"seat 1: fold, and no round is in progress"),
    (house_dealt, "action", {"seat": 1, "action": "bet"}, r"a play wager needs its amount"),
    (house_dealt, "action", {"seat": 9, "action": "fold"}, r"seat 9 has no hand in play"),
    (house_flop_owed, "action", {"seat": 1, "action": "check"}, r"seat 1: check, and no decision is asked"),
    (house_flop_owed, "betting.closed", {}, r"no betting round is open"),
    # money
    (dealt, "pot", {"cents": -1}, r"pot: cents 0 or more, pots are numbered from 1"),
    (dealt, "pot", {"cents": 5, "pot": 0}, r"pot: cents 0 or more, pots are numbered from 1"),
    (fresh, "dropbox.chip", {"cents": 0}, r"dropbox\.chip: cents above 0"),
    (fresh, "float.commission", {"cents": 0}, r"float\.commission: cents above 0"),
    (fresh, "float.colour_change", {"cents": 0}, r"float\.colour_change: cents above 0"),
    # tournaments
    (fresh, "tournament.clock", {"running": True, "elapsed": 1.0}, r"tournament\.clock: no tournament is played here"),
    (fresh, "tournament.hand_for_hand", {"on": True}, r"tournament\.hand_for_hand: no tournament is played here"),
    (fresh, "tournament.go", {}, r"tournament\.go: no tournament is played here"),
    (fresh, "race.start", {"chip": 5, "new_chip": 10, "odd": {}}, r"race\.start: no tournament is played here"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1]} {case[3][:40]}")
def test_a_refusal_names_the_thing_and_leaves_the_state_as_it_was(case: Case) -> None:
    setup, ev, fields, reason = case
    play = setup()
    before, view = play.table.digest(), play.view
    answer = play.send(ev, **fields)
    assert answer.of(Kind.ERROR)[0]["ev"] == ev
    assert re.search(reason, answer.refusal), answer.refusal
    assert play.table.digest() == before
    assert play.view == view
    assert play.table.last_t < play.t  # not taken: what comes next may have the same time


NEED_AN_OPEN_TABLE: list[tuple[str, dict[str, Any]]] = [
    ("table.close", {}),
    ("seat.in", {"seat": 1}),
    ("seat.out", {"seat": 1}),
    ("seat.away", {"seat": 1}),
    ("seat.back", {"seat": 1}),
    ("stack", {"seat": 1, "cents": 1}),
    ("supervisor", {"decision": "misdeal", "staff": "s"}),
    ("cut", {"depth": 20}),
    ("cut.offered", {"to": "seat:1"}),
    ("shoe.card", {}),
    ("card.placed", {"zone": "seat:1"}),
    ("card.turned", {"zone": "seat:1"}),
    ("card.exposed", {"zone": "seat:1"}),
    ("card.removed", {"zone": "seat:1"}),
    ("card.left_table", {}),
    ("stub.shuffled", {}),
    ("hand.looked", {"seat": 1}),
    ("deal.start", {}),
    ("wager", {"seat": 1, "box": "ante", "cents": 1}),
    ("action", {"seat": 1, "action": "fold"}),
    ("betting.closed", {}),
    ("floor.called", {}),
    ("clock.called", {"seat": 1}),
    ("clock.start", {"seat": 1}),
    ("clock.stop", {"seat": 1}),
    ("pot", {"cents": 5}),
    ("hand.end", {}),
    ("dropbox.chip", {"cents": 5}),
    ("float.commission", {"cents": 5}),
    ("float.colour_change", {"cents": 5}),
]


@pytest.mark.parametrize("again", [False, True], ids=["before opening", "after closing"])
@pytest.mark.parametrize(
    ("ev", "fields"), NEED_AN_OPEN_TABLE, ids=lambda value: value if isinstance(value, str) else ""
)
def test_on_a_closed_table_play_is_refused(ev: str, fields: dict[str, Any], again: bool) -> None:
    play = over() if again else closed()
    if again:
        play.send("table.close")
    before = play.table.digest()
    assert play.send(ev, **fields).refusal == "the table is closed: send table.open first"
    assert play.table.digest() == before


@pytest.mark.parametrize("t", [-1.0, 0.9, math.nan, math.inf, -math.inf])
def test_time_does_not_run_backwards_nor_to_its_end(t: float) -> None:
    table = Table(books())
    table.apply(Tick(t=1.0))
    before = table.digest()
    (only,) = table.apply(Tick(t=t))
    assert only.value == Refusal("tick", f"time runs backwards: {t} after 1.0")
    assert table.digest() == before
    assert table.last_t == 1.0


def test_two_events_may_have_the_same_time() -> None:
    table = Table(books())
    table.apply(Tick(t=1.0))
    assert [output.kind for output in table.apply(Tick(t=1.0))] == []


def test_what_fell_due_is_told_even_where_the_event_itself_is_refused() -> None:
    play = dealt()
    play.send("clock.called", seat=3)
    answer = play.send("action", after=90.5, seat=11, action="call")
    assert answer.told == ["clock_expired: fold_hand"]
    assert answer.errors == ["there is no seat 11: 1 to 10"]
    assert play.table.last_t == play.t


# -- snapshots


def test_a_snapshot_is_refused_in_a_round() -> None:
    with pytest.raises(TableError, match=r"right after the event that ended a round \(at_round_boundary\)"):
        dealing().table.snapshot()


def test_a_snapshot_of_a_book_that_is_not_here_is_refused_by_name() -> None:
    play = over()
    assert play.table.at_round_boundary
    only_uth = {UTH: books()[UTH]}
    with pytest.raises(TableError, match=r"rulebook 'tas-2018-holdem', which is not here"):
        Table.restore(only_uth, play.table.snapshot())


def test_a_snapshot_of_a_closed_table_needs_no_book() -> None:
    play = over()
    snapshot = play.table.snapshot()
    play.send("table.close")
    closed_again = Table.restore({}, snapshot.replace('"open":true', '"open":false'))
    assert closed_again.rulebook is None


# -- the errors themselves


def test_a_rulebook_s_problems_are_listed_one_a_line() -> None:
    error = RulebookError(["one.toml:1: a", "two.toml:2: b"])
    assert error.problems == ["one.toml:1: a", "two.toml:2: b"]
    assert str(error) == "one.toml:1: a\ntwo.toml:2: b"
    assert isinstance(error, TableError)


def test_an_unknown_event_says_its_name_and_keeps_its_time() -> None:
    error = UnknownEventError(2.5, "seat.inn")
    assert (error.t, error.ev, str(error)) == (2.5, "seat.inn", "unknown event 'seat.inn': see the list of events")


def test_a_fault_of_the_controller_is_told_and_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(core: Core, event: Tick) -> None:
        raise ZeroDivisionError("As")

    table = Table(books())
    monkeypatch.setitem(_HANDLERS, Tick, broken)
    refusal, alarm, *_ = [output.value for output in table.apply(Tick(t=1.0))]
    assert refusal == Refusal("tick", f"{FAULT_OF_OURS} (ZeroDivisionError): call the supervisor")
    assert alarm == Alarm("controller_fault", None, None, AlarmState.RAISED)
    assert table.last_t == 1.0
    assert table.apply(DropboxState(t=2.0, present=True, locked=True)) is not None

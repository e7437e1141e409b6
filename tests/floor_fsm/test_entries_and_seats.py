"""Entries, the draw, late seats, moves and broken tables: what is taken, and what is refused and why."""

from typing import Any

import pytest
from pydantic import ValidationError

from floor_fsm.core.event import By, Cause
from floor_fsm.drawing import Place, commitment_of, drawn, seed_of
from floor_fsm.errors import Reason, Refused
from floor_fsm.lines import from_line
from floor_fsm.messages.draw import AssociatesNamed, DrawCommitted, DrawTold, SeatsDrawn
from floor_fsm.messages.entries import (
    EntryCorrected,
    EntryGivenUp,
    EntryHandedOn,
    EntryOut,
    EntryTaken,
    EntryWithdrawn,
    LateClosed,
    LateEntryOver,
    LevelBegan,
)
from floor_fsm.messages.people import PersonLeft
from floor_fsm.messages.seating import Moved, Seated, SeatFree, SeatLate, TableBroken, TableGone, Why
from floor_fsm.state.entries import Entries, Standing
from floor_fsm.state.seating import Seating
from floor_fsm.tournament import Tournament
from tests.floor_fsm.support import DIRECTOR, FEE, HOUSE, SECRET, Desk, laws, reason_of


def entered(_desk: Desk, entry: int, person: str, paid: int = FEE + HOUSE) -> dict[str, Any]:
    return {"entry": entry, "person": person, "name": person, "paid": paid}


def test_everything_begins_with_the_opening_and_only_once() -> None:
    tournament = Tournament(laws()["onyx"])
    with pytest.raises(Refused, match="open the tournament first"):
        tournament.apply(LateClosed(t=1, by=DIRECTOR))
    desk = Desk()
    line = '{"ev":"tournament.open","t":3,"by":{"who":"lea","why":"again"},"name":"x","fee":1,"stack":1,'
    first = from_line(line + '"tables":[{"table":"A","seats":[1,2]}]}')
    with pytest.raises(Refused) as error:
        desk.tournament.apply(first)
    assert error.value.reason is Reason.OPEN_ALREADY


def test_a_step_that_is_a_person_s_needs_who_and_why() -> None:
    desk = Desk()
    with pytest.raises(Refused, match="say who, and why"):
        desk.say(LateClosed, by=None)
    assert By(who="lea", why="as announced") == DIRECTOR


def test_who_decided_on_an_old_picture_decides_anew() -> None:
    desk = Desk()
    seen = desk.tournament.seq
    desk.say(EntryTaken, expected=seen, **entered(desk, 1, "A"))
    with pytest.raises(Refused) as error:
        desk.say(EntryTaken, expected=seen, **entered(desk, 2, "B"))
    assert error.value.reason is Reason.MOVED_ON
    assert desk.tournament.seq == seen + 1


def test_a_fact_of_a_table_is_taken_once_and_time_never_runs_back() -> None:
    desk = Desk()
    [entry, _, _, _] = desk.enter("A", "B", "C", "D")
    desk.draw()
    cause = Cause(journal="ab" * 16, seq=7)
    desk.say(EntryOut, by=None, cause=cause, entry=entry)
    with pytest.raises(Refused) as error:
        desk.say(EntryOut, by=None, cause=cause, entry=entry)
    assert error.value.reason is Reason.CAUSE_IS_KNOWN
    with pytest.raises(Refused) as error:
        desk.tournament.apply(LateClosed(t=1, by=DIRECTOR))
    assert error.value.reason is Reason.TIME_RUNS_BACK


def test_an_entry_is_one_person_s_one_number_and_the_whole_price() -> None:
    desk = Desk(most=2)
    desk.enter("A")
    assert reason_of(desk, EntryTaken, **entered(desk, 1, "B"))[0] is Reason.NUMBER_IS_TAKEN
    assert reason_of(desk, EntryTaken, **entered(desk, 2, "A"))[0] is Reason.IN_PLAY_ALREADY
    assert reason_of(desk, EntryTaken, **entered(desk, 2, "B", FEE))[0] is Reason.WRONG_AMOUNT
    desk.enter("B")
    assert reason_of(desk, EntryTaken, **entered(desk, 3, "C"))[0] is Reason.FULL


@pytest.mark.parametrize(
    ("law", "re_entries", "times", "clause"),
    [
        ("act-2001", None, 1, "8.1"),
        ("onyx", 0, 1, "Formats; Seating 4"),
        ("onyx", 1, 2, "Formats; Seating 4"),
        ("star-2025", 2, 3, "6.4, 6.5, 7.21"),
    ],
)
def test_who_is_out_enters_again_as_often_as_the_book_and_the_opening_say(
    law: str, re_entries: int | None, times: int, clause: str
) -> None:
    desk = Desk(law, seats=9, re_entries=re_entries)
    desk.enter("B", "C", "D", "E")
    mine = desk.enter("A")[0]
    desk.draw()
    for _ in range(times - 1):
        desk.out(mine)
        mine = desk.enter("A")[0]
        desk.late(mine)
    desk.out(mine)
    assert reason_of(desk, EntryTaken, **entered(desk, 99, "A")) == (Reason.NO_RE_ENTRY, clause)


def test_onyx_seats_who_enters_again_at_another_table_wherever_possible() -> None:
    desk = Desk("onyx", tables=2, seats=4)
    desk.enter("A", "B", "C", "D", "E", "F")
    desk.draw()
    place = desk.tournament.parts.of(Seating).places[1]
    desk.out(1)
    again = desk.enter("A")[0]
    [seated] = desk.late(again)
    assert isinstance(seated, Seated)
    assert seated.place.table != place.table
    full = Desk("onyx", tables=1, seats=4)
    full.enter("A", "B", "C", "D")
    full.draw()
    full.out(1)
    [seated] = full.late(full.enter("A")[0])
    assert isinstance(seated, Seated), "where there is no other table it is the last one"


def test_a_player_gives_up_the_rest_and_enters_again() -> None:
    desk = Desk("star-2025")
    desk.enter("A", "B", "C", "D")
    desk.draw()
    [free] = desk.say(EntryGivenUp, entry=1)
    assert isinstance(free, SeatFree)
    assert desk.enter("A") == [5]


def test_the_star_hands_an_entry_on_before_play_to_who_has_none_and_the_others_do_not() -> None:
    star = Desk("star-2025", seats=9)
    star.enter("A", "B")
    assert reason_of(star, EntryHandedOn, entry=1, person="B", name="B") == (Reason.ENTERED_ALREADY, "6.4, 6.5, 7.21")
    star.say(EntryHandedOn, entry=1, person="C", name="C")
    assert star.tournament.parts.of(Entries).by_number[1].person == "C"
    star.enter("D", "E", "F")
    star.draw()
    assert reason_of(star, EntryHandedOn, entry=1, person="Z", name="Z")[0] is Reason.NO_TRANSFER
    onyx = Desk("onyx")
    onyx.enter("A")
    assert reason_of(onyx, EntryHandedOn, entry=1, person="B", name="B")[0] is Reason.NO_TRANSFER


def test_what_was_written_down_wrongly_is_corrected_by_an_event_also_in_play() -> None:
    """A wrong card at the counter: the right person has the entry, and all that they may still enter follows."""
    desk = Desk("onyx", re_entries=1)
    one, two = desk.enter("A", "B")
    desk.draw()
    assert reason_of(desk, EntryCorrected, entry=one, person="B", name="B")[0] is Reason.IN_PLAY_ALREADY
    desk.say(EntryCorrected, entry=one, person="A", name="Anna")
    assert desk.tournament.parts.of(Entries).by_number[one].name == "Anna"
    desk.out(one)
    desk.out(two)
    desk.enter("A")
    desk.say(EntryCorrected, entry=one, person="C", name="Cleo")
    entries = desk.tournament.parts.of(Entries)
    assert [(entry.person, entry.again) for entry in entries.by_number.values()] == [("C", 1), ("B", 1), ("A", 1)]
    desk.say(EntryCorrected, entry=two, person="C", name="Cleo")
    assert [entry.again for entry in desk.tournament.parts.of(Entries).of_person("C")] == [1, 2]
    late = desk.enter("D")[0]
    assert reason_of(desk, EntryCorrected, entry=late, person="C", name="Cleo")[0] is Reason.NO_RE_ENTRY
    desk.say(EntryWithdrawn, entry=late)
    assert reason_of(desk, EntryCorrected, entry=late, person="E", name="E")[0] is Reason.ENTRY_IS_OVER


def test_late_entry_ends_with_its_level_or_by_the_director() -> None:
    desk = Desk(late_until=7)
    desk.enter("A")
    assert desk.say(LevelBegan, by=None, level=6) == []
    assert LateEntryOver(1) in desk.say(LevelBegan, by=None, level=7)
    assert reason_of(desk, EntryTaken, **entered(desk, 2, "B"))[0] is Reason.LATE_ENTRY_IS_OVER
    assert reason_of(desk, LateClosed)[0] is Reason.LATE_ENTRY_IS_OVER
    assert desk.say(LevelBegan, by=None, level=8) == []
    by_hand = Desk()
    assert LateEntryOver(0) in by_hand.say(LateClosed)
    never = Desk(late_until=None)
    assert LateEntryOver(0) in never.say(LevelBegan, by=None, level=1)


def test_who_never_came_forfeits_and_who_cancelled_is_paid_back() -> None:
    desk = Desk()
    desk.enter("A", "B", "C", "D", "E")
    desk.say(EntryWithdrawn, entry=1)
    desk.say(EntryWithdrawn, entry=2, refund=True)
    assert desk.tournament.parts.of(Entries).counted == 4, "what was forfeited stays in the pool"
    desk.enter("A")
    assert reason_of(desk, EntryWithdrawn, entry=77)[0] is Reason.UNKNOWN_ENTRY
    assert reason_of(desk, EntryWithdrawn, entry=1)[0] is Reason.ENTRY_IS_OVER


def test_the_draw_is_committed_before_entries_close_and_is_what_anybody_draws_again() -> None:
    desk = Desk("star-2025", tables=3, seats=4, committed=False)
    assert reason_of(desk, SeatsDrawn, secret=SECRET.hex())[0] is Reason.NOT_COMMITTED
    desk.say(DrawCommitted, commitment=commitment_of(SECRET))
    assert reason_of(desk, DrawCommitted, commitment="0" * 64)[0] is Reason.COMMITTED_ALREADY
    assert reason_of(desk, SeatsDrawn, secret=SECRET.hex())[0] is Reason.UNKNOWN_ENTRY
    entries = desk.enter(*"ABCDEFGH")
    assert reason_of(desk, SeatsDrawn, secret="0" * 64)[0] is Reason.NOT_AS_COMMITTED
    told, *seats = desk.say(SeatsDrawn, secret=SECRET.hex())
    persons = dict(zip(entries, "ABCDEFGH", strict=True))
    seed = seed_of(SECRET, persons)
    assert told == DrawTold(SECRET.hex(), seed.hex(), 8)
    free = {"T1": (1, 2, 3, 4), "T2": (1, 2, 3, 4)}
    assert seats == [Seated(entry, place, Why.DRAWN) for entry, place in sorted(drawn(seed, entries, free, {}).items())]
    assert reason_of(desk, SeatsDrawn, secret=SECRET.hex())[0] is Reason.DRAWN_ALREADY
    late = Desk(committed=False)
    late.enter("A")
    assert reason_of(late, DrawCommitted, commitment="0" * 64)[0] is Reason.COMMITTED_TOO_LATE


def test_a_table_of_the_star_begins_with_four_and_nobody_is_drawn_without_a_seat() -> None:
    seven = Desk("star-2025", tables=2, seats=4)
    seven.enter(*"ABCDEFG")
    assert reason_of(seven, SeatsDrawn, secret=SECRET.hex())[0] is Reason.TOO_MANY_ENTRIES
    assert len(seven.say(SeatsDrawn, secret=SECRET.hex(), short_tables=True)) == 8, "7.7: unless otherwise directed"
    nine = Desk("star-2025", tables=2, seats=4)
    nine.enter(*"ABCDEFGHI")
    assert reason_of(nine, SeatsDrawn, secret=SECRET.hex())[0] is Reason.TOO_MANY_ENTRIES


def test_families_are_drawn_apart_where_the_book_says_so() -> None:
    desk = Desk("onyx", tables=2, seats=3)
    desk.enter(*"ABCDEF")
    desk.say(AssociatesNamed, persons=("A", "B"))
    desk.draw()
    places = desk.tournament.parts.of(Seating).places
    assert places[1].table != places[2].table
    assert reason_of(desk, AssociatesNamed, persons=("C", "D"))[0] is Reason.DRAWN_ALREADY
    act = Desk("act-2001")
    assert reason_of(act, AssociatesNamed, persons=("C", "D"))[0] is Reason.NOT_IN_THE_BOOK


def test_alternates_sit_before_who_enters_again() -> None:
    desk = Desk("onyx", tables=1, seats=2)
    desk.enter("A", "B")
    desk.draw()
    [alternate] = desk.enter("C")
    assert reason_of(desk, SeatLate, entry=alternate, secret=desk.secrets[0])[0] is Reason.FULL
    desk.out(1)
    [again] = desk.enter("A")
    assert reason_of(desk, SeatLate, entry=again, secret=desk.secrets[0]) == (
        Reason.OTHERS_WAIT_LONGER,
        "Alternates 1",
    )
    desk.late(alternate)
    assert reason_of(desk, SeatLate, entry=again, secret=desk.secrets[0])[0] is Reason.FULL
    assert reason_of(desk, SeatLate, entry=alternate, secret=desk.secrets[0])[0] is Reason.SEATED_ALREADY
    before = Desk()
    before.enter("A")
    assert reason_of(before, SeatLate, entry=1, secret=before.secrets[0])[0] is Reason.NOT_COMMITTED


def test_a_move_goes_to_a_free_seat_that_there_is() -> None:
    desk = Desk(tables=2, seats=3)
    desk.enter("A", "B", "C", "D")
    desk.draw()
    places = desk.tournament.parts.of(Seating).places
    here, there = places[1], places[2]
    assert reason_of(desk, Moved, entry=1, table=there.table, seat=there.seat)[0] is Reason.SEAT_IS_TAKEN
    assert reason_of(desk, Moved, entry=1, table="T9", seat=1)[0] is Reason.UNKNOWN_TABLE
    assert reason_of(desk, Moved, entry=1, table="T1", seat=9)[0] is Reason.NO_SUCH_SEAT
    assert reason_of(desk, Moved, entry=9, table="T1", seat=1)[0] is Reason.NOT_SEATED
    free = next(seat for seat in (1, 2, 3) if Place("T2", seat) not in places.values())
    assert desk.say(Moved, entry=1, table="T2", seat=free) == [Seated(1, Place("T2", free), Why.GIVEN, here)]


def test_a_broken_table_seats_each_of_its_players_once_and_deals_no_more() -> None:
    desk = Desk(tables=2, seats=4)
    desk.enter("A", "B", "C", "D", "E")
    desk.draw()
    seating = desk.tournament.parts.of(Seating)
    leaving = sorted(seating.at("T2").values())
    free = [seat for seat in (1, 2, 3, 4) if seat not in seating.at("T1")]
    desk.out(sorted(seating.at("T1").values())[0])
    seating = desk.tournament.parts.of(Seating)
    free = [seat for seat in (1, 2, 3, 4) if seat not in seating.at("T1")]
    to = tuple((entry, "T1", seat) for entry, seat in zip(leaving, free, strict=False))
    assert reason_of(desk, TableBroken, table="T2", to=to[:1])[0] is Reason.NOT_SEATED
    same = tuple((entry, "T1", free[0]) for entry in leaving)
    assert reason_of(desk, TableBroken, table="T2", to=same)[0] is Reason.SEAT_IS_TAKEN
    onto_itself = tuple((entry, "T2", 4) for entry in leaving)
    assert reason_of(desk, TableBroken, table="T2", to=onto_itself)[0] is Reason.TABLE_IS_BROKEN
    outputs = desk.say(TableBroken, table="T2", to=to)
    assert outputs[-1] == TableGone("T2")
    assert len(desk.tournament.parts.of(Seating).at("T1")) == 4
    assert reason_of(desk, TableBroken, table="T2", to=())[0] is Reason.TABLE_IS_BROKEN
    assert reason_of(desk, TableBroken, table="T7", to=())[0] is Reason.UNKNOWN_TABLE


def test_the_standings_are_a_partition_of_the_entries() -> None:
    desk = Desk(tables=1, seats=3)
    desk.enter("A", "B", "C")
    desk.draw()
    desk.enter("D")
    desk.out(2)
    found = [number for standing in Standing for number in desk.standing(standing)]
    assert sorted(found) == [1, 2, 3, 4]


def test_a_card_is_one_persons_however_it_is_spelled() -> None:
    desk = Desk("star-2025", tables=1, seats=6, re_entries=0)
    one, _ = desk.enter("AB-1", "C")
    paid = FEE + HOUSE
    assert reason_of(desk, EntryTaken, entry=9, person="ab-1", name="Ann", paid=paid)[0] is Reason.IN_PLAY_ALREADY
    assert reason_of(desk, EntryHandedOn, entry=2, person="Ab-1", name="Ann")[0] is Reason.ENTERED_ALREADY
    desk.say(EntryCorrected, entry=one, person="ab-1", name="Ann")
    desk.enter("D", "E")
    desk.draw()
    [late] = desk.enter("F")
    desk.say(PersonLeft, entry=one, why="harm", chips=30_000)
    assert reason_of(desk, EntryHandedOn, entry=late, person="AB-1", name="Ann")[0] is Reason.BARRED
    desk.say(EntryCorrected, entry=one, person="AB-1", name="Ann")


@pytest.mark.parametrize("name", ["  ", "a\nb", "a\0", "a\u202eb"])
def test_a_name_is_a_line_with_letters(name: str) -> None:
    with pytest.raises(ValidationError, match="a name has letters"):
        EntryTaken(t=1.0, entry=1, person="A", name=name, paid=1)
    EntryTaken(t=1.0, entry=1, person="A", name="Zoë van\u00a0Dijk", paid=1)


def test_who_comes_late_sits_at_a_table_that_plays_until_all_of_them_are_full() -> None:
    """T3 is opened and nobody was drawn there: late entrants sat there alone while T2 had free seats."""
    desk = Desk("onyx", tables=3, seats=4)
    desk.enter(*(f"P{number}" for number in range(6)))
    desk.draw()
    late = desk.enter(*(f"L{number}" for number in range(4)))
    for entry in late:
        desk.late(entry)
    places = desk.tournament.parts.of(Seating).places
    assert sorted(places[entry].table for entry in late) == ["T1", "T2", "T3", "T3"]
    assert [places[entry].table for entry in late[2:]] == ["T3", "T3"]

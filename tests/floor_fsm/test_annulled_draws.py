"""A draw is one for each secret: nobody draws again before a hand, but where two people have annulled the draw."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feltd.books.shipped import tournament_sources
from floor_fsm.core.event import By, Event
from floor_fsm.drawing import Place, commitment_of
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import load_laws
from floor_fsm.lines import from_line, to_line
from floor_fsm.messages.chips import RaceOrdered
from floor_fsm.messages.draw import (
    Committed,
    DrawAnnulled,
    DrawCommitted,
    DrawObjected,
    Keeper,
    NotStanding,
    SeatsDrawn,
)
from floor_fsm.messages.entries import EntryWithdrawn, Rebuy
from floor_fsm.messages.hands import HandOver
from floor_fsm.messages.people import AbsenceTold, Carried
from floor_fsm.messages.seating import Moved, Redrawn, Seated, SeatFree, SeatGiven, TableBreaks, TableGone, Why
from floor_fsm.messages.sessions import SessionBegan, SessionEnded
from floor_fsm.messages.tables import BreakingOrder, HandBegan
from floor_fsm.messages.undone import RebuyTakenBack, TableReady, TableTakenBack
from floor_fsm.state.draw import Draw, Said
from floor_fsm.state.entries import Standing
from floor_fsm.state.floor import Stacks
from floor_fsm.state.seating import Seating
from floor_fsm.tournament import Tournament
from tests.floor_fsm.support import DIRECTOR, SECRETS, Desk, laws, reason_of
from tests.floor_fsm.test_session_events import bag, flight

BEN = By(who="Ben", why="I saw it too")
SEATING = "Seating 2, 7"
FINAL: Any = {"occasion": "final_table", "tables": ("T1",)}


def annul(desk: Desk, table: str | None = None) -> list[Any]:
    desk.say(DrawObjected, table=table)
    return desk.say(DrawAnnulled, by=BEN, table=table)


def hand(desk: Desk, table: str = "T1", number: int = 1) -> None:
    seat = min(desk.tournament.parts.of(Seating).at(table))
    desk.say(HandBegan, by=None, table=table, hand=number, big_blind=seat)


def seated(law: str = "onyx", people: int = 5, **terms: Any) -> Desk:
    desk = Desk(law, **terms)
    desk.enter(*(f"P{number}" for number in range(people)))
    desk.by_draw(SeatsDrawn, short_tables=True)
    return desk


def test_two_people_annul_a_first_draw_and_the_next_secret_draws_again() -> None:
    desk = seated()
    first, before = desk.tournament.parts.of(Seating).places, desk.tournament.parts.of(Stacks).ledger
    told = annul(desk)
    assert told[0] == NotStanding(SECRETS[0].hex(), "lea", "Ben")
    assert [one for one in told if isinstance(one, SeatFree)] == [SeatFree(one, first[one]) for one in sorted(first)]
    parts = desk.tournament.parts
    assert (parts.of(Seating).places, parts.of(Stacks).ledger.in_play) == ({}, 0)
    assert desk.standing(Standing.WAITING) == [1, 2, 3, 4, 5]
    desk.say(EntryWithdrawn, entry=5, refund=True)
    desk.enter("late")
    assert reason_of(desk, SeatsDrawn, secret=SECRETS[0].hex())[0] is Reason.NOT_AS_COMMITTED, "one for each secret"
    desk.draw()
    parts = desk.tournament.parts
    assert set(parts.of(Seating).places) == {1, 2, 3, 4, 6}
    assert parts.of(Stacks).ledger == before
    draw = parts.of(Draw)
    one, two = draw.drawn
    assert one.annulled == Said("Ben", "I saw it too", one.annulled.t if one.annulled else 0)
    assert one.objected is not None
    assert (one.objected.who, one.objected.why, two.annulled) == ("lea", "as announced", None)
    assert (one.secret, two.secret) == (SECRETS[0].hex(), SECRETS[1].hex())
    assert (draw.seed, draw.undealt) != (None, ())


def test_nobody_draws_again_before_a_hand_and_nobody_alone_annuls() -> None:
    desk = seated(people=3)
    secret = desk.secrets[0]
    assert reason_of(desk, Redrawn, **FINAL, secret=secret) == (Reason.DRAWN_ALREADY, SEATING)
    assert reason_of(desk, SeatsDrawn, secret=secret)[0] is Reason.DRAWN_ALREADY
    assert reason_of(desk, DrawAnnulled) == (Reason.NOT_DECIDED, SEATING)
    desk.say(DrawObjected)
    assert reason_of(desk, DrawObjected) == (Reason.WRONG_STATE, SEATING)
    assert reason_of(desk, DrawAnnulled) == (Reason.ONE_PERSON, SEATING)
    assert reason_of(desk, DrawAnnulled, by=By(who="LEA", why="again")) == (Reason.ONE_PERSON, SEATING)
    hand(desk)
    assert reason_of(desk, DrawAnnulled, by=BEN) == (Reason.WRONG_STATE, SEATING), "a hand was dealt by it"
    desk.by_draw(Redrawn, **FINAL)
    assert reason_of(desk, DrawAnnulled, by=BEN)[0] is Reason.NOT_DECIDED, "it is another draw"
    annul(desk)
    assert reason_of(desk, DrawObjected) == (Reason.WRONG_STATE, SEATING)


def test_an_annulled_redraw_leaves_all_where_they_sat_and_its_tables_stand_ready() -> None:
    desk = seated(seats=6)
    hand(desk)
    desk.say(AbsenceTold, entry=1, absent=True)
    before = desk.tournament.parts.of(Seating)
    desk.by_draw(Redrawn, **FINAL)
    desk.out(5)
    told = annul(desk)
    assert TableReady("T2") in told
    now = desk.tournament.parts.of(Seating)
    assert now.places == {one: place for one, place in before.places.items() if one != 5}
    assert now.broken == ()
    sat = [one for one in told if isinstance(one, Seated)]
    assert {one.why for one in sat} == {Why.GIVEN}
    assert all(one.come_from is not None and one.come_from.table == "T1" for one in sat)
    moved = 1 in now.moved
    assert any(isinstance(one, Carried) and one.entry == 1 for one in told) is moved
    assert TableGone("T2") in desk.by_draw(Redrawn, **FINAL)
    hand(desk)
    assert desk.tournament.parts.of(Seating).redrawn is None


def test_who_has_come_since_a_redraw_keeps_the_seat_and_is_moved_first() -> None:
    desk = seated(people=3, seats=6)
    hand(desk)
    before = desk.tournament.parts.of(Seating).places
    desk.by_draw(Redrawn, **FINAL)
    now = desk.tournament.parts.of(Seating).places
    free = next(place for place in before.values() if place not in now.values() and place.table == "T1")
    [late] = desk.enter("late")
    desk.say(SeatGiven, entry=late, table=free.table, seat=free.seat)
    desk.say(DrawObjected)
    assert reason_of(desk, DrawAnnulled, by=BEN) == (Reason.SEAT_IS_TAKEN, SEATING)
    taken = {*now.values(), *before.values()}
    other = next(Place("T1", seat) for seat in range(1, 7) if Place("T1", seat) not in taken)
    desk.say(Moved, entry=late, table=other.table, seat=other.seat)
    desk.say(DrawAnnulled, by=BEN)
    assert desk.tournament.parts.of(Seating).places == {**before, late: other}


def test_a_table_is_not_broken_again_by_another_draw_unless_two_people_say_so() -> None:
    desk = Desk(tables=3, seats=4)
    desk.enter(*"ABCDEFGH")
    desk.draw()
    desk.say(BreakingOrder, tables=("T2",))
    assert reason_of(desk, DrawObjected, table="T2") == (Reason.WRONG_STATE, SEATING)
    desk.by_draw(TableBreaks, table="T2")
    desk.say(DrawObjected, table="T2")
    assert reason_of(desk, DrawAnnulled, by=BEN, table="T2") == (Reason.TABLE_IS_BROKEN, SEATING)
    desk.say(TableTakenBack, table="T2", players="back")
    assert reason_of(desk, TableBreaks, table="T2", secret=desk.secrets[0]) == (Reason.DRAWN_ALREADY, SEATING)
    [told] = desk.say(DrawAnnulled, by=BEN, table="T2")
    assert isinstance(told, NotStanding)
    desk.by_draw(TableBreaks, table="T2")
    assert [one.annulled is None for one in desk.tournament.parts.of(Draw).drawn] == [True, False, True]
    desk.say(TableTakenBack, table="T2", players="back")
    hand(desk, "T2")
    desk.by_draw(TableBreaks, table="T2")


def test_in_a_later_session_who_waits_again_has_the_chips_that_were_carried() -> None:
    desk = Desk("onyx", tables=2, seats=4)
    people = desk.enter("A", "B", "C")
    flight(desk, "1A", tuple(people))
    bag(desk, dict.fromkeys(people, 30_000))
    desk.say(SessionEnded)
    desk.say(SessionBegan, session="2")
    before = desk.tournament.parts.of(Stacks).ledger
    desk.draw()
    annul(desk)
    assert desk.standing(Standing.WAITING) == people
    assert desk.tournament.parts.of(Stacks).ledger == before
    desk.draw()
    assert desk.tournament.parts.of(Stacks).ledger == before


def test_chips_that_were_bought_a_race_and_hand_for_hand_come_first() -> None:
    desk = seated(re_entries=0, rebuy={"price": 10_000, "chips": 20_000, "until_level": 3})
    desk.say(Rebuy, entry=1, paid=10_000, stake=500)
    desk.say(DrawObjected)
    assert reason_of(desk, DrawAnnulled, by=BEN) == (Reason.WRONG_STATE, SEATING)
    desk.say(RebuyTakenBack, entry=1)
    desk.say(RaceOrdered, chip=25, new_chip=100)
    assert reason_of(desk, DrawAnnulled, by=BEN) == (Reason.WRONG_STATE, SEATING)


def test_a_hand_that_a_table_tells_of_its_end_alone_was_dealt_too() -> None:
    desk = seated()
    desk.say(HandOver, by=None, table="T1")
    assert reason_of(desk, DrawObjected)[0] is Reason.WRONG_STATE


def test_a_book_of_before_lets_its_director_draw_again_as_it_did() -> None:
    """A tournament keeps the text that it began under: what was taken once is taken again."""
    desk = Kept("onyx", seats=6)
    desk.enter("A", "B", "C")
    desk.draw()
    hand(desk)
    desk.by_draw(Redrawn, **FINAL)
    without = [event for event in desk.kept if not isinstance(event, HandBegan)]
    texts = {file: text.replace('again = "after_a_hand"\n', "") for file, text in tournament_sources().items()}
    old, new = Tournament(load_laws(texts)["onyx"]), Tournament(laws()["onyx"])
    for event in without[:-1]:
        old.apply(event)
        new.apply(event)
    old.apply(without[-1])
    assert old.parts.of(Seating).places == desk.tournament.parts.of(Seating).places
    with pytest.raises(Refused, match="no hand was dealt since"):
        new.apply(without[-1])


class Kept(Desk):
    """A desk that keeps its events as lines, and reads them again."""

    def __init__(self, law: str, **terms: Any) -> None:
        self.kept: list[Event] = []
        super().__init__(law, **terms)

    def say(self, kind: type[Event], by: By | None = DIRECTOR, expected: int | None = None, **fields: Any) -> list[Any]:
        """Take an event."""
        outputs = super().say(kind, by, expected, **fields)
        self.kept.append(from_line(to_line(kind(t=self.t, by=by, **fields))))
        return outputs


def test_a_commitment_says_who_keeps_the_secrets_and_one_of_before_does_not() -> None:
    desk = Desk(committed=False)
    told = desk.say(DrawCommitted, commitment=commitment_of(SECRETS[0]), kept_by="director")
    assert told == [Committed(commitment_of(SECRETS[0]), Keeper.DIRECTOR)]
    assert desk.tournament.parts.of(Draw).kept_by is Keeper.DIRECTOR
    assert Desk().tournament.parts.of(Draw).kept_by is None


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(("onyx", "star-2025", "act-2001")), st.lists(st.integers(0, 9), min_size=4, max_size=25))
def test_no_two_draws_of_the_same_seats_without_a_hand_or_two_people_between(law: str, steps: list[int]) -> None:
    desk = Kept(law, seats=6)
    desk.enter("A", "B", "C")
    since: str | None = None
    for step in steps:
        kinds: dict[int, tuple[type[Event], dict[str, Any]]] = {
            0: (DrawObjected, {}), 1: (DrawAnnulled, {}),
            2: (DrawAnnulled, {"by": BEN}), 3: (DrawObjected, {"by": BEN}),
        }  # fmt: skip
        drawn = len(desk.tournament.parts.of(Draw).drawn)
        try:
            if step in kinds:
                kind, fields = kinds[step]
                desk.say(kind, **fields)
                since = "annulled" if kind is DrawAnnulled else since
            elif step < 7:
                desk.by_draw(Redrawn, **FINAL) if step % 2 else desk.by_draw(SeatsDrawn, short_tables=True)
            elif desk.tournament.parts.of(Seating).at("T1"):
                hand(desk, number=desk.t.__trunc__())
                since = "hand"
        except Refused:
            continue
        if len(desk.tournament.parts.of(Draw).drawn) > drawn:
            assert not drawn or since is not None
            since = None
    annulled = [one for one in desk.tournament.parts.of(Draw).drawn if one.annulled is not None]
    assert all(one.objected is not None and one.objected.who != one.annulled.who for one in annulled if one.annulled)
    again = Tournament(laws()[law])
    for event in desk.kept:
        again.apply(event)
    assert again.digest() == desk.tournament.digest()

"""Waiting lists of cash games: called in order, seats held, people passed over, taken off, moved, with the clauses."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltd.books.shipped import clause_sources, waiting_sources
from floor_fsm.core.event import By
from floor_fsm.core.output import Output
from floor_fsm.errors import LawError, Reason, Refused
from floor_fsm.lines import from_line, to_line
from floor_fsm.waiting.book import load_waiting_books
from floor_fsm.waiting.messages import End, SeatFree, SeatHeld, WaitOver, Waits
from floor_fsm.waiting.room import GAMES_MOST, KINDS, WAITS_MOST, WaitingRoom, lists_of

BOOK = load_waiting_books(waiting_sources())["onyx-cash"]
LEA = By(who="Lea", why="at the desk", role="supervisor")
HOLD = 300.0


class Desk:
    """A desk of a room with two games."""

    def __init__(self) -> None:
        self.room = WaitingRoom(BOOK)
        self.t = 0.0
        self.say("game.listed", game="nl-1-2", name="Hold'em 1/2")
        self.say("game.listed", game="plo-2-5", name="Omaha 2/5", hold_minutes=2)

    def say(self, ev: str, after: float = 0.0, **fields: Any) -> tuple[Output, ...]:
        """A step so many seconds later."""
        self.t += after
        return self.room.apply(KINDS[ev](t=self.t, by=LEA, **fields))

    def refused(self, ev: str, after: float = 0.0, **fields: Any) -> tuple[Reason, str, str | None]:
        """A step that is refused, and changes nothing."""
        before = (self.room.lists, self.room.seq, self.room.t)
        with pytest.raises(Refused) as refusal:
            self.room.apply(KINDS[ev](t=self.t + after, by=LEA, **fields))
        assert (self.room.lists, self.room.seq, self.room.t) == before
        return refusal.value.reason, refusal.value.words, refusal.value.clause

    def join(self, *names: str, game: str = "nl-1-2", **fields: Any) -> None:
        """People wait."""
        for name in names:
            self.say(
                "waiting.joined", number=self.room.lists.last + 1, person=f"c-{name}", name=name, game=game, **fields
            )

    def names(self, game: str = "nl-1-2") -> list[str]:
        """Who waits, in order."""
        return [one.name for one in self.room.lists.of_game(game)]


def test_people_are_called_in_the_order_in_which_they_reported_and_the_seat_is_held() -> None:
    desk = Desk()
    desk.join("Anna", "Ben")
    assert desk.say("waiting.joined", number=3, person="c-Cleo", name="Cleo", game="nl-1-2") == (Waits(3, "nl-1-2", 3),)
    assert desk.refused("waiting.called", number=2, table="T1", seat=4) == (
        Reason.OTHERS_WAIT_LONGER, "Anna (number 1) waits longer: call them first, or pass them over", "ours",
    )  # fmt: skip
    assert desk.say("waiting.called", after=60, number=1, table="T1", seat=4) == (SeatHeld(1, "T1", 4, 60 + HOLD),)
    assert desk.refused("waiting.called", number=2, table="T1", seat=4) == (
        Reason.SEAT_IS_TAKEN, "seat 4 of T1 is held for Anna", "ours",
    )  # fmt: skip
    assert desk.refused("waiting.called", number=1, table="T1", seat=5) == (
        Reason.SEATED_ALREADY, "seat 4 of T1 is held for Anna: take the call back first", "ours",
    )  # fmt: skip
    desk.say("waiting.called", number=2, table="T1", seat=5)
    assert desk.say("waiting.sat_down", after=30, number=1) == (WaitOver(1, End.SAT_DOWN),)
    assert desk.names() == ["Ben", "Cleo"]
    assert desk.refused("waiting.sat_down", number=3)[0] is Reason.NOT_SEATED
    assert desk.refused("waiting.sat_down", number=1)[0] is Reason.UNKNOWN_ENTRY


def test_who_does_not_come_goes_to_the_end_once_and_is_taken_off_the_next_time() -> None:
    desk = Desk()
    desk.join("Anna", "Ben")
    desk.say("waiting.called", number=1, table="T1", seat=4)
    assert desk.refused("waiting.passed_over", after=299, number=1) == (
        Reason.NOT_ALLOWED, "the seat is held for Anna for 1 seconds more, unless they decline it", "ours",
    )  # fmt: skip
    assert desk.say("waiting.passed_over", after=HOLD, number=1) == (SeatFree("T1", 4), Waits(1, "nl-1-2", 2))
    assert desk.names() == ["Ben", "Anna"]
    desk.say("waiting.taken_off", number=2)
    desk.say("waiting.called", number=1, table="T1", seat=4)
    assert desk.say("waiting.passed_over", number=1, declined=True) == (
        SeatFree("T1", 4), WaitOver(1, End.PASSED_OVER),
    )  # fmt: skip
    assert desk.names() == []
    assert desk.refused("waiting.passed_over", number=1)[0] is Reason.UNKNOWN_ENTRY


def test_a_games_own_time_is_held_and_who_comes_late_sits_down_while_nobody_passed_them_over() -> None:
    desk = Desk()
    desk.join("Anna", game="plo-2-5")
    assert desk.say("waiting.called", number=1, table="T7", seat=1) == (SeatHeld(1, "T7", 1, 120.0),)
    desk.say("waiting.sat_down", after=600, number=1)
    assert desk.names("plo-2-5") == []


def test_a_call_is_taken_back_and_the_place_stays() -> None:
    desk = Desk()
    desk.join("Anna", "Ben")
    desk.say("waiting.called", number=1, table="T1", seat=4)
    assert desk.say("call.taken_back", number=1) == (SeatFree("T1", 4),)
    assert desk.names() == ["Anna", "Ben"]
    assert desk.refused("call.taken_back", number=1)[0] is Reason.NOT_SEATED


def test_who_sits_changes_tables_by_approval_alone_and_keeps_nobody_waiting_meanwhile() -> None:
    desk = Desk()
    desk.join("Anna", from_table="T2", from_seat=3)
    desk.join("Ben")
    assert desk.refused("waiting.called", number=1, table="T1", seat=4) == (
        Reason.NOT_DECIDED, "Anna changes tables: a supervisor approves it first", "Cash 14",
    )  # fmt: skip
    desk.say("waiting.called", number=2, table="T1", seat=4)
    desk.say("transfer.approved", number=1)
    assert desk.refused("transfer.approved", number=1) == (
        Reason.WRONG_STATE, "Anna has the approval already", "Cash 14",
    )  # fmt: skip
    assert desk.refused("transfer.approved", number=2)[1] == "Ben needs no approval"
    desk.say("waiting.called", number=1, table="T1", seat=5)
    assert desk.refused("waiting.joined", number=3, person="x", name="X", game="nl-1-2", from_seat=2)[0] is (
        Reason.NO_SUCH_SEAT
    )


def test_who_waits_for_two_games_and_sits_down_at_one_changes_tables_for_the_other() -> None:
    desk = Desk()
    desk.join("Anna")
    desk.join("Anna", "Ben", game="plo-2-5")
    desk.say("waiting.called", number=1, table="T1", seat=4)
    assert desk.refused("waiting.called", number=2, table="T7", seat=1) == (
        Reason.SEATED_ALREADY, "seat 4 of T1 is held for Anna", "ours",
    )  # fmt: skip
    desk.say("waiting.called", number=3, table="T7", seat=1)  # she keeps nobody waiting behind her
    desk.say("waiting.sat_down", number=1)
    assert desk.refused("waiting.called", number=2, table="T7", seat=2)[2] == "Cash 14"
    desk.say("transfer.approved", number=2)
    desk.say("waiting.called", number=2, table="T7", seat=2)


def test_a_corrected_card_gives_nobody_a_second_seat_or_a_change_of_tables_without_approval() -> None:
    desk = Desk()
    desk.join("Anna")
    desk.join("Ben", game="plo-2-5")
    desk.say("waiting.called", number=1, table="T1", seat=3)
    desk.say("waiting.called", number=2, table="T2", seat=5)
    held = (Reason.SEATED_ALREADY, "seat 5 of T2 is held for Ben: take the call back first", "ours")
    assert desk.refused("waiting.corrected", number=2, person="C-ANNA", name="Anna") == held
    desk.say("waiting.corrected", number=2, person="c-ben2", name="Ben")
    desk.join("Cleo", from_table="T9")
    assert desk.refused("waiting.corrected", number=2, person="c-cleo", name="Cleo") == held
    desk.say("call.taken_back", number=2)
    desk.say("waiting.corrected", number=2, person="c-cleo", name="Cleo")
    assert desk.refused("waiting.called", number=2, table="T2", seat=5)[2] == "Cash 14"


def test_an_approval_is_for_one_game() -> None:
    desk = Desk()
    desk.join("Anna", from_table="T2")
    desk.say("transfer.approved", number=1)
    desk.say("waiting.moved", number=1, game="plo-2-5")
    assert desk.refused("waiting.called", number=1, table="T7", seat=1)[2] == "Cash 14"


def test_nobody_waits_twice_for_a_game_however_the_card_is_spelled() -> None:
    desk = Desk()
    desk.join("Anna")
    again = desk.refused("waiting.joined", number=2, person="C-ANNA", name="Anna", game="nl-1-2")
    assert again == (Reason.ENTERED_ALREADY, "Anna waits for Hold'em 1/2 already, under number 1", "Cash 1")
    desk.join("Ben")
    assert desk.refused("waiting.corrected", number=2, person="c-anna", name="Ben")[0] is Reason.ENTERED_ALREADY
    desk.say("waiting.corrected", number=2, person="c-ben2", name="Benno")
    assert desk.names() == ["Anna", "Benno"]
    assert desk.refused("waiting.joined", number=7, person="x", name="X", game="nl-1-2")[0] is Reason.NUMBER_IS_TAKEN
    assert desk.refused("waiting.joined", number=3, person="x", name="X", game="stud")[1] == (
        "there is no list stud; there are: nl-1-2, plo-2-5"
    )


def test_somebody_goes_to_the_end_of_another_games_list() -> None:
    desk = Desk()
    desk.join("Anna", "Ben")
    desk.join("Cleo", game="plo-2-5")
    assert desk.say("waiting.moved", number=1, game="plo-2-5") == (Waits(1, "plo-2-5", 2),)
    assert (desk.names(), desk.names("plo-2-5")) == (["Ben"], ["Cleo", "Anna"])
    desk.say("waiting.called", number=2, table="T1", seat=4)
    assert desk.refused("waiting.moved", number=2, game="plo-2-5")[1] == (
        "seat 4 of T1 is held for Ben: take the call back first"
    )
    assert desk.say("waiting.taken_off", number=2) == (SeatFree("T1", 4), WaitOver(2, End.TAKEN_OFF))


def test_the_tables_of_a_game_are_named_and_nobody_is_called_to_another_one() -> None:
    desk = Desk()
    desk.join("Anna", "Ben")
    tables = [{"table": "T1", "seats": [1, 2, 3]}, {"table": "T2", "seats": [1, 2]}]
    desk.say("game.tables", game="nl-1-2", tables=tables)
    [game, other] = desk.room.lists.games
    assert ([(one.table, one.seats) for one in game.tables], other.tables) == ([("T1", (1, 2, 3)), ("T2", (1, 2))], ())
    assert desk.refused("waiting.called", number=1, table="T9", seat=1)[:2] == (
        Reason.UNKNOWN_TABLE, "T9 is no table of Hold'em 1/2: name it as one of them first",
    )  # fmt: skip
    assert desk.refused("waiting.called", number=1, table="T2", seat=3)[0] == Reason.NO_SUCH_SEAT
    desk.say("waiting.called", number=1, table="T1", seat=3)
    assert desk.room.lists.held_at("T1") == {3}
    assert lists_of(desk.room.told()) == desk.room.lists


def test_a_table_is_one_games_and_is_not_taken_from_a_list_while_a_seat_is_held_there() -> None:
    desk = Desk()
    desk.join("Anna")
    named = [{"table": "T1", "seats": [1, 2, 3]}]
    assert desk.refused("game.tables", game="nl-1-2", tables=named * 2)[0] == Reason.NAMED_TWICE
    desk.say("game.tables", game="nl-1-2", tables=named)
    assert desk.refused("game.tables", game="plo-2-5", tables=named)[:2] == (
        Reason.NAMED_TWICE, "T1 is a table of Hold'em 1/2: take it from that list first",
    )  # fmt: skip
    desk.say("waiting.called", number=1, table="T1", seat=3)
    for tables in ([], [{"table": "T1", "seats": [1, 2]}]):
        assert desk.refused("game.tables", game="nl-1-2", tables=tables) == (
            Reason.WRONG_STATE, "seat 3 of T1 is held for Anna: take the call back first", "ours",
        )  # fmt: skip
    desk.say("call.taken_back", number=1)
    desk.say("game.tables", game="nl-1-2", tables=[])
    desk.say("game.tables", game="plo-2-5", tables=named)
    desk.say("waiting.called", number=1, table="T1", seat=3)


def test_lists_and_the_room_are_closed_once_nobody_waits() -> None:
    desk = Desk()
    desk.join("Anna")
    assert desk.refused("game.listed", game="nl-1-2", name="again")[0] is Reason.NUMBER_IS_TAKEN
    assert desk.refused("game.closed", game="nl-1-2")[0] is Reason.WRONG_STATE
    assert desk.refused("room.closed")[0] is Reason.WRONG_STATE
    desk.say("game.closed", game="plo-2-5")
    desk.say("waiting.taken_off", number=1)
    desk.say("room.closed")
    assert desk.refused("game.listed", game="stud", name="Stud")[0] is Reason.WRONG_STATE
    empty = WaitingRoom(BOOK)
    with pytest.raises(Refused, match="there are: none yet"):
        empty.apply(KINDS["game.closed"].model_validate({"t": 0.0, "by": LEA, "game": "stud"}))


def test_lists_have_bounds() -> None:
    desk = Desk()
    for number in range(GAMES_MOST - 2):
        desk.say("game.listed", game=f"g{number}", name="Game")
    assert desk.refused("game.listed", game="more", name="More")[0] is Reason.FULL
    desk.join(*(f"P{number}" for number in range(WAITS_MOST)))
    assert desk.refused("waiting.joined", number=WAITS_MOST + 1, person="x", name="X", game="g1")[0] is Reason.FULL


def test_each_step_is_a_persons_in_its_time() -> None:
    desk = Desk()
    desk.t = 5.0
    desk.join("Anna")
    with pytest.raises(Refused) as nobody:
        desk.room.apply(KINDS["waiting.taken_off"].model_validate({"t": 5.0, "number": 1}))
    assert nobody.value.reason is Reason.NOBODY_DECIDES
    desk.t = 4.0
    assert desk.refused("waiting.taken_off", number=1)[0] is Reason.TIME_RUNS_BACK


def test_each_clause_of_the_book_is_in_the_source_and_a_book_with_a_fault_is_named_by_line() -> None:
    text = clause_sources()[f"{BOOK.clauses}.toml"]
    cited = {section.clause for _, section in BOOK.sections()} - {"ours"}
    assert cited == {"Cash 1", "Alternates 1", "Cash 14"}
    assert [clause for clause in cited if f'clause = "{clause}"' not in text] == []
    with pytest.raises(LawError, match=r"b\.toml:\d+: hold\.minutes"):
        load_waiting_books({"b.toml": waiting_sources()["onyx-cash.toml"].replace("minutes = 5", "minutes = 500")})


_STEPS = st.lists(
    st.tuples(
        st.sampled_from([kind for kind in KINDS if kind not in ("room.closed", "game.listed", "game.closed")]),
        st.integers(1, 9), st.integers(1, 4), st.integers(0, 400), st.booleans(),
        st.sampled_from(["nl-1-2", "plo-2-5"]),
    ),
    max_size=60,
)  # fmt: skip


@given(_STEPS)
def test_whatever_is_said_a_seat_is_one_persons_and_nobody_is_on_a_list_twice(
    steps: list[tuple[str, int, int, int, bool, str]],
) -> None:
    desk = Desk()
    lines = []
    for ev, number, seat, after, yes, game in steps:
        desk.t += after
        said: dict[str, Any] = {"number": number, "table": "T1", "seat": seat, "declined": yes, "game": game,
                                "person": f"p{seat}", "name": f"Mx {seat}",
                                "from_table": "T9" if yes else None,
                                "tables": [{"table": f"T{number}", "seats": [1, 2, 3]}] * yes}  # fmt: skip
        if ev == "waiting.joined":
            said["number"] = desk.room.lists.last + 1
        event = KINDS[ev](t=desk.t, by=LEA, **{name: said[name] for name in KINDS[ev].model_fields if name in said})
        before = desk.room.lists
        try:
            desk.room.apply(event)
        except Refused:
            assert desk.room.lists is before
            continue
        lines.append(to_line(event))
        lists = desk.room.lists
        held = [(one.held.table, one.held.seat) for one in lists.waits if one.held is not None]
        assert len(held) == len(set(held))
        seated = [one.person for one in lists.waits if one.held is not None]
        assert len(seated) == len(set(seated))
        tables = [one.table for each in lists.games for one in each.tables]
        assert len(tables) == len(set(tables)), "a table is of two games"
        assert len({(one.person, one.game) for one in lists.waits}) == len(lists.waits)
        assert [one.number for one in lists.waits if one.held is not None and one.needs_approval] == []
        if ev == "waiting.called":
            longer = [one for one in before.of_game(lists.wait(number).game) if one.held is None]  # type: ignore[union-attr]
            assert number in {one.number for one in longer}
    again = Desk()
    for line in lines:
        again.room.apply(from_line(line, KINDS))
    assert again.room.lists == desk.room.lists
    assert lists_of(again.room.told()) == again.room.lists

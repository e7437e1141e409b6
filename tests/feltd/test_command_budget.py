"""What commands of the page may write: whoever floods, and whether it is refused or taken, others decide."""

import asyncio
import os
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from devices.drivers.trials import TrialKind
from feltd.door import CommandRefused, DecisionRequest, ExportFact, Person, UnknownDeviceError
from feltd.door.asking.socket_door import SocketDoor
from feltd.door.serving.allowance import Allowance
from feltd.door.serving.budget import (
    ALL_A_MINUTE,
    ALL_IN_A_ROW,
    KEPT_FOR_DECISIONS,
    LEFT_MOST,
    ONE_A_MINUTE,
    ONE_IN_A_ROW,
    OWN_A_MINUTE,
    PEOPLE_MOST,
    CommandBudget,
    Giver,
    Taken,
)
from feltd.door.serving.listener import listening
from feltd.door.serving.requests import giver_of
from feltd.door.serving.visit import Served
from feltd.door.together import StepKind
from feltd.door.wire.calls import EndedTest, TakenStep, ToldStep
from feltd.page.access.roles import Role
from feltd.page.api.app import Parts, make_api
from feltd.page.api.on_record import OnRecord
from feltd.page.app import make_app
from feltd.page.opening import unwell
from feltd.record.access import Part
from table_fsm.events import SeatAway, SeatBack, Stack
from tests.feltd.door_support import Apart, apart
from tests.feltd.page_support import HOSTS, Browser
from tests.feltd.test_door_serving import Time
from tests.running import eventually, running

DINA: Final = Person("D7", "dina", "director", "192.0.2.5")
CHECK_DECK: Final = DecisionRequest("check_deck", None, None, None)
TOO_MANY: Final = re.compile(
    r"too many commands have come (by (the programs of )?[a-z0-9_]+|to this table): again in \d+ seconds"
)


def taken(budget: CommandBudget, who: str, *, decides: bool = True) -> bool:
    try:
        budget.take(Giver(who), decides=decides)
    except CommandRefused as refusal:
        return TOO_MANY.fullmatch(str(refusal)) is None
    return True


def in_a_row(budget: CommandBudget, who: str, *, decides: bool = True) -> int:
    count = 0
    while taken(budget, who, decides=decides):
        count += 1
    return count


# -- the budget alone


def test_one_account_has_so_many_in_a_row_and_each_minute_and_is_told_when_it_goes_on() -> None:
    time = Time()
    budget = CommandBudget(time)
    assert in_a_row(budget, "anna") == ONE_IN_A_ROW
    with pytest.raises(CommandRefused, match=f"by anna: again in {int(60 / ONE_A_MINUTE) + 1} seconds"):
        budget.take(Giver("anna"), decides=True)
    written = 0
    for _ in range(3600):
        time.now += 1.0
        written += in_a_row(budget, "anna")
    assert written == pytest.approx(60 * ONE_A_MINUTE, abs=1)


def test_all_accounts_together_have_so_many_however_many_they_are() -> None:
    time = Time()
    budget = CommandBudget(time)
    written = sum(in_a_row(budget, f"one{number}") for number in range(2 * PEOPLE_MOST))
    assert written <= ALL_IN_A_ROW
    for second in range(3600):
        time.now += 1.0
        written += sum(taken(budget, f"one{second}x{number}") for number in range(10))
    assert written == pytest.approx(ALL_IN_A_ROW + 60 * ALL_A_MINUTE, abs=1)


def test_what_is_no_decision_leaves_some_for_decisions() -> None:
    budget = CommandBudget(Time())
    for number in range(PEOPLE_MOST):
        in_a_row(budget, f"one{number}", decides=False)
    with pytest.raises(CommandRefused, match="to this table"):
        budget.take(Giver("dina"), decides=False)
    left = 0
    for number in range(KEPT_FOR_DECISIONS):
        left += taken(budget, f"decider{number}")
    assert left == KEPT_FOR_DECISIONS


def test_what_the_table_refuses_takes_nothing_from_others_and_from_its_account_all() -> None:
    time = Time()
    budget = CommandBudget(time)
    for number in range(20):
        giver = Giver(f"one{number}")
        for _ in range(ONE_IN_A_ROW):
            budget.give_back(budget.take(giver, decides=True))
        with pytest.raises(CommandRefused, match=f"by one{number}"):
            budget.take(giver, decides=True)
    assert in_a_row(budget, "dina") == ONE_IN_A_ROW
    budget.give_back(Taken(Giver("dina"), own=False))
    time.now += 3600.0
    budget.give_back(Taken(Giver("nobody"), own=False))
    assert sum(taken(budget, f"new{number}") for number in range(2 * ALL_IN_A_ROW)) == ALL_IN_A_ROW


@pytest.mark.parametrize(("floods", "each_seconds"), [(1, 5), (2, 7), (5, 13), (10, 24), (25, 56), (40, 90)])
def test_beside_any_number_of_accounts_that_flood_each_has_its_equal_part(floods: int, each_seconds: int) -> None:
    time = Time()
    budget = CommandBudget(time)
    refused = written = 0
    for second in range(2 * 3600):
        for number in range(floods):
            written += in_a_row(budget, f"one{number}")
        if second % each_seconds == each_seconds - 1:
            refused += not taken(budget, "dina")
        time.now += 1.0
    assert refused == 0
    assert written <= ALL_IN_A_ROW + 2 * 60 * (ALL_A_MINUTE + OWN_A_MINUTE)


@pytest.mark.parametrize(("floods", "at_once"), [(1, 60), (5, 20), (10, 12), (40, 3)])
def test_who_was_quiet_has_some_at_once_beside_accounts_that_flood(floods: int, at_once: int) -> None:
    time = Time()
    budget = CommandBudget(time)
    for _ in range(3600):
        for number in range(floods):
            in_a_row(budget, f"one{number}")
        time.now += 1.0
    assert in_a_row(budget, "dina") >= at_once
    assert LEFT_MOST + KEPT_FOR_DECISIONS < ALL_IN_A_ROW


def test_whose_commands_the_table_refused_comes_before_who_gave_as_many() -> None:
    budget = CommandBudget(Time())
    for _ in range(60):
        budget.give_back(budget.take(Giver("anna"), decides=True))
    for number in range(3):
        in_a_row(budget, f"one{number}")
    assert in_a_row(budget, "anna") >= 20


@pytest.mark.parametrize(("floods", "longest"), [(3, 15), (10, 40)])
@pytest.mark.parametrize("decide", [True, False])
def test_who_has_worked_much_decides_while_fresh_accounts_flood(floods: int, longest: int, decide: bool) -> None:
    time = Time()
    budget = CommandBudget(time)
    for _ in range(150):
        assert taken(budget, "anna")
        time.now += 8.0
    since = most = 0
    for _ in range(600):
        for number in range(floods):
            in_a_row(budget, f"one{number}", decides=decide)
        since = 0 if taken(budget, "anna") else since + 1
        most = max(most, since)
        time.now += 1.0
    assert most <= longest


def test_a_decision_of_ones_own_that_the_table_refused_is_there_again() -> None:
    time = Time()
    budget = CommandBudget(time)
    anna = Giver("anna")
    in_a_row(budget, "anna")
    time.now += 40.0
    for number in range(3):
        in_a_row(budget, f"one{number}")
    for _ in range(5):
        again = budget.take(anna, decides=True)
        assert again.own
        budget.give_back(again)
    assert in_a_row(budget, "anna") == 2
    with pytest.raises(CommandRefused, match=r"to this table: again in \d\d? seconds"):
        budget.take(anna, decides=True)


def test_the_programs_of_an_account_take_nothing_from_its_owner() -> None:
    budget = CommandBudget(Time())
    programs = Giver("dina", programs=True)
    for _ in range(ONE_IN_A_ROW):
        budget.take(programs, decides=False)
    with pytest.raises(CommandRefused, match="by the programs of dina: again in 5 seconds"):
        budget.take(programs, decides=True)
    assert in_a_row(budget, "dina") == ONE_IN_A_ROW


def test_whose_account_gives_a_command_is_said_by_its_values() -> None:
    assert giver_of("x", TakenStep(Person("s", "root", "machine", "-"), StepKind.UPDATE, "a")) == Giver("root")
    assert giver_of("x", ToldStep(Person("s", "anna a1b2", "director", "-"), 1, None)) == Giver("anna", programs=True)
    assert giver_of("end_test", EndedTest("shoe", Person("s", "anna", "technician", "-"))) == Giver("anna")
    assert giver_of("end_test", EndedTest("shoe")) == Giver(" end_test")  # of a page of before 0.12.0


# -- over the door


@asynccontextmanager
async def served(folder: Path, time: Time) -> AsyncIterator[tuple[Apart, SocketDoor]]:
    """A table whose page's commands have a clock of the test's, and the page's end of its door."""
    async with apart(folder) as at:
        at.bench.open_table()
        await at.bench.synced()
        allowance = Allowance(time, time.sleep, work=lambda: 0.0)
        at.reception.served = Served(at.page.door, allowance, refused=at.page.door.refused, budget=CommandBudget(time))
        async with listening(folder / "other.sock", os.getuid(), at.reception):
            door = SocketDoor(folder / "other.sock")
            async with running(door.run()):
                await eventually(lambda: door.away is None)
                yield at, door


Flood = Callable[[SocketDoor, Person, int], Awaitable[object]]


async def _seats(door: SocketDoor, person: Person, number: int) -> object:
    return await door.act(person, "w" * 500, (SeatAway if number % 2 else SeatBack)(t=0.0, seat=1))


async def _tests(door: SocketDoor, person: Person, number: int) -> object:
    if number % 8 == 7:
        await door.end_test(person, "shoe")
        return None
    return await door.begin_test(person, "indicators", TrialKind.LAMP, lamp="status")


async def _steps(door: SocketDoor, person: Person, number: int) -> object:
    return await door.ask_step(person, StepKind.DEVICE_KEY, ("shoe", "none")[number % 2], "why")


FLOODS: Final[Mapping[str, tuple[str, Flood]]] = {
    "badges": ("observer", lambda door, person, _: door.ask_for_badge(person, CHECK_DECK)),
    "withdrawals": ("observer", lambda door, person, number: door.withdraw(person, number)),
    "tests": ("technician", _tests),
    "steps": ("technician", _steps),
    "accepting": ("technician", lambda door, person, _: door.accept(person, "shoe")),
    "seats": ("supervisor", _seats),
    "decisions": ("supervisor", lambda door, person, _: door.decide(person, CHECK_DECK)),
    "late decisions": (
        "supervisor",
        lambda door, person, _: door.decide(person, DecisionRequest("resume", 9, None, None)),
    ),
}


@pytest.mark.parametrize("accounts", [1, 3])
@pytest.mark.parametrize("kind", FLOODS)
def test_whoever_floods_a_director_decides(tmp_path: Path, kind: str, accounts: int) -> None:
    role, flood = FLOODS[kind]
    people = [Person(f"F{number}", f"flood{number}", role, "192.0.2.9") for number in range(accounts)]

    async def scene() -> None:
        time = Time()
        async with served(tmp_path, time) as (at, door):
            at.page.bridge.slots["indicators"].online = False
            answers: Counter[bool] = Counter()
            for number in range(160):
                time.now += 1.0
                for person in people:
                    try:
                        await flood(door, person, number)
                    except UnknownDeviceError:
                        continue
                    except CommandRefused as refusal:
                        answers[TOO_MANY.fullmatch(str(refusal)) is not None] += 1
                if number % 8 == 0:
                    await door.decide(DINA, CHECK_DECK)
            assert answers[True], "nothing bounds this flood"

    asyncio.run(scene())


def test_who_has_a_token_keeps_its_owner_from_nothing(tmp_path: Path) -> None:
    async def scene() -> None:
        time = Time()
        async with served(tmp_path, time) as (_, door):
            program = Person("D7", "dina 0a1b2c3d", "director", "192.0.2.9")
            refused: list[str] = []
            for number in range(300):
                time.now += 1.0
                try:
                    await door.act(program, "count", Stack(t=0.0, seat=1, cents=1000 + number))
                except CommandRefused as refusal:
                    refused.append(str(refusal))
                if number % 7 == 3:
                    await door.decide(DINA, CHECK_DECK)
            assert len(refused) > 100
            assert all("by the programs of dina: " in words for words in refused)

    asyncio.run(scene())


def test_a_flood_of_valid_commands_writes_so_much_and_people_still_decide(tmp_path: Path) -> None:
    """Each name is one that the page has made up: who has its user may do so, and writes no more by it."""

    async def scene() -> None:
        time = Time()
        async with served(tmp_path, time) as (at, door):
            refused: list[str] = []
            before = at.bench.journal.health.appended
            for number in range(2 * ALL_IN_A_ROW):
                try:
                    await _seats(door, Person("F", f"one{number % 20}", "supervisor", "192.0.2.9"), number)
                except CommandRefused as refusal:
                    refused.append(str(refusal))
            assert all(map(TOO_MANY.fullmatch, refused))
            taken_all = 2 * ALL_IN_A_ROW - len(refused)
            assert taken_all < ALL_IN_A_ROW
            assert at.bench.journal.health.appended - before <= 3 * taken_all
            assert (await door.counters()).door_refused == {"budget": len(refused)}
            assert (await door.decide(DINA, CHECK_DECK)).refusal is None
            assert await door.note_export(DINA, ExportFact(Part.ALARMS, 1.0))

    asyncio.run(scene())


def over_http(at: Apart, door: SocketDoor) -> Callable[[Role, str], Browser]:
    """Browsers of a page whose every command goes through this door."""
    page = at.page

    def wall() -> float:
        return page.bench.time.wall

    exports = OnRecord(door, page._clock, wall)
    parts = Parts(
        page.guard, door, page.hub, page.feed, page.desk, page.places, exports, page.deliveries, page.news,
        wall, page._clock,
    )  # fmt: skip
    page.app = make_app(
        make_api(parts), page.guard, page._state, page.desk, exports,
        metrics=page._metrics, unwell=lambda: unwell(door), hosts=HOSTS,
    )  # fmt: skip
    return lambda role, name: Browser(page, page.session(role, name))


def test_an_observer_who_asks_for_a_badge_without_end_keeps_nobody_at_the_page_from_deciding(tmp_path: Path) -> None:
    async def scene() -> None:
        time = Time()
        async with served(tmp_path, time) as (at, door):
            at.page.bridge.slots["indicators"].online = False
            browser = over_http(at, door)
            olga, anna = browser(Role.OBSERVER, "olga"), browser(Role.SUPERVISOR, "anna")
            asked: Counter[str] = Counter()
            for number in range(400):
                time.now += 0.2
                badge = {"decision": "check_deck", "signature": "badge"}
                answer = await olga.ask("post", "/api/v1/decisions", None, badge)
                assert answer.status_code == 409
                asked[answer.json()["detail"].partition(":")[0]] += 1
                if number % 40 == 39:
                    done = await anna.ask("post", "/api/v1/decisions", None, {"decision": "check_deck"})
                    assert done.status_code == 200
            assert asked["too many commands have come by olga"] > 200
            seated = await anna.ask("post", "/api/v1/seats/1", None, {"change": "away"})
            assert seated.status_code == 200

    asyncio.run(scene())

"""Whose badge counts is the table's own list: it works while the page is dead, and its changes are in the record."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from feltd.door import (
    Away,
    BadgeHolder,
    CommandRefused,
    DecisionRequest,
    NotOnDiskError,
    Person,
    SignatureState,
    StaffMember,
)
from feltd.door.asking import socket_line
from feltd.door.decisions import STAFF_MOST
from feltd.page.access.roles import Role
from feltd.page.access.staff import CONSOLE, StaffTeller
from feltd.record import JournalReader, Span
from feltd.record.notes import BY_HAND_NOTE
from feltd.table.keeper.signatures import ONCE_MORE_AFTER, Signatures
from feltd.table.keeper.staff import BadgeRefusedError, ListedBadges, StaffError, StaffList
from feltd.table.keeper.staff_changes import AT_ONCE, StaffChanges
from table_fsm.events import Badge, ShoeShuffled
from table_fsm.felt import StaffRole
from tests.feltd.door_support import apart, connected
from tests.feltd.page_support import SECRET, Page
from tests.running import eventually, running

ANNA = StaffMember("S7", "anna", "supervisor", True)
OTTO = StaffMember("S8", "otto", "observer", True)
GONE = StaffMember("S9", "gert", "director", False)
EYE = StaffMember("E1", "eva", "surveillance", True)


def test_who_may_decide_is_an_open_account_of_the_floor() -> None:
    listed = ListedBadges((ANNA, OTTO, GONE, EYE))
    assert listed.holder("S7") == BadgeHolder("anna", None)
    assert listed.holder("S8") == BadgeHolder("otto", "the account of this badge may not decide")
    assert listed.holder("S9") == BadgeHolder("gert", "the account of this badge is shut")
    assert listed.holder("E1") == BadgeHolder("eva", "who has the role surveillance does not decide")
    for other in ("s7", "S7 ", "S", "S77", "\uff337", ""):
        assert listed.holder(other) == BadgeHolder(other, "this badge is not on the table's list"), other
    assert (len(listed.deciding), len(listed)) == (1, 4)


@pytest.mark.parametrize(
    ("written", "badge", "role"),
    [
        ({}, "S7", "supervisor"),
        ({}, "E1", "surveillance"),
        ({"I1": StaffRole.INSPECTOR}, "I1", "inspector"),
        ({"S8": StaffRole.INSPECTOR}, "S8", "inspector"),
        ({"S7": StaffRole.SUPERVISOR}, "S7", "supervisor"),
    ],
)
def test_a_badge_counts_by_its_account_or_by_the_readers_settings(
    written: dict[str, StaffRole], badge: str, role: str
) -> None:
    assert ListedBadges((ANNA, OTTO, GONE, EYE), written).role_of(badge) == role


@pytest.mark.parametrize(
    ("written", "badge", "why"),
    [
        ({}, "S8", "may not decide"),
        ({"S8": StaffRole.DIRECTOR}, "S8", "may not decide"),
        ({"S9": StaffRole.DIRECTOR}, "S9", "is shut"),
        ({"S7": StaffRole.DIRECTOR}, "S7", "its account says supervisor, the table's file says director"),
        ({"I1": StaffRole.INSPECTOR}, "i1", "not on the table's list"),
    ],
)
def test_the_readers_settings_open_nothing_that_the_account_does_not(
    written: dict[str, StaffRole], badge: str, why: str
) -> None:
    listed = ListedBadges((ANNA, OTTO, GONE, EYE), written)
    with pytest.raises(BadgeRefusedError, match=why):
        listed.role_of(badge)
    assert why in (listed.holder(badge).refusal or "")


def test_a_table_without_a_badge_that_decides_says_so(tmp_path: Path) -> None:
    staff = StaffList(tmp_path / "staff.json")
    assert "no badge on this table's list may decide" in (staff.nobody_decides or "")
    asyncio.run(staff.keep([OTTO, GONE]))
    assert "feltd user add NAME" in (staff.nobody_decides or "")
    asyncio.run(staff.keep([ANNA]))
    assert staff.nobody_decides is None
    assert StaffList(tmp_path / "none.json", {"S1": StaffRole.DIRECTOR}).nobody_decides is None


def test_the_list_outlives_the_process_and_is_for_it_alone(tmp_path: Path) -> None:
    path = tmp_path / "staff.json"
    assert StaffList(path).members == ()
    asyncio.run(StaffList(path).keep([ANNA, GONE]))
    assert StaffList(path).members == (ANNA, GONE)
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(StaffError, match="cannot be written"):
        asyncio.run(StaffList(tmp_path / "none" / "staff.json").keep([ANNA]))


@pytest.mark.parametrize(
    "text", ["", "[]", '{"staff": 5}', '{"staff": [{"badge": "S7"}]}', "[" * 100_000,
             '{"staff": [{"badge": "S7", "account": "a", "role": "director", "enabled": 1}]}'],
)  # fmt: skip
def test_a_list_that_cannot_be_read_lets_nobody_sign_until_it_is_sent_anew(tmp_path: Path, text: str) -> None:
    path = tmp_path / "staff.json"
    path.write_text(text)
    staff = StaffList(path)
    assert staff.members is None
    with pytest.raises(StaffError, match="the page sends it anew"):
        staff.holder("S7")
    assert "the page sends it anew" in (staff.nobody_decides or "")
    asyncio.run(staff.keep([ANNA]))
    assert staff.holder("S7") == BadgeHolder("anna", None)


def test_a_badge_twice_and_too_many_people_are_refused(tmp_path: Path) -> None:
    staff = StaffList(tmp_path / "staff.json")
    with pytest.raises(CommandRefused, match="twice"):
        list(staff.changes([ANNA, StaffMember("S7", "otto", "director", True)]))
    with pytest.raises(CommandRefused, match=f"more than {STAFF_MOST}"):
        list(staff.changes([StaffMember(str(n), "x", "observer", True) for n in range(STAFF_MOST + 1)]))


def test_each_change_is_in_the_record_with_who_and_why(tmp_path: Path) -> None:
    async def scene() -> list[dict[str, Any]]:
        page = Page(tmp_path)
        await page.door.keep_staff(CONSOLE, "a new list", (ANNA, OTTO))
        await page.door.keep_staff(CONSOLE, "the same", (ANNA, OTTO))
        await page.door.keep_staff(CONSOLE, "changed", (StaffMember("S7", "anna", "supervisor", False),))
        page.close()
        with JournalReader.open(tmp_path / "table.journal") as reader:
            return [entry.body for entry in reader.entries(Span(name="note")) if entry.body["note"] == BY_HAND_NOTE]

    told = asyncio.run(scene())
    assert [(one["what"], one["who"], one["why"], one.get("badge"), one.get("allowed")) for one in told] == [
        ("staff", "console", "a new list", "S7", "supervisor"),
        ("staff", "console", "a new list", "S8", "observer"),
        ("staff.kept", "console", "a new list", None, None),
        ("staff", "console", "changed", "S7", "shut"),
        ("staff", "console", "changed", "S8", "removed"),
        ("staff.kept", "console", "changed", None, None),
    ]


def test_the_entries_of_a_change_are_on_the_disk_before_the_list(tmp_path: Path) -> None:
    async def scene() -> None:
        page = Page(tmp_path)

        async def full() -> None:
            raise NotOnDiskError("no room")

        with pytest.raises(NotOnDiskError):
            await StaffChanges(page.staff, page.bench.keeper, full).keep(CONSOLE, "a new list", (ANNA,))
        assert not (tmp_path / "staff.json").exists()
        assert page.staff.members == ()
        page.close()

    asyncio.run(scene())


def test_a_list_that_the_disk_does_not_take_is_said_behind_its_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> list[str]:
        page = Page(tmp_path)

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("feltd.table.keeper.staff.replace_atomically", full)
        with pytest.raises(StaffError, match="No space left"):
            await page.door.keep_staff(CONSOLE, "a new list", (ANNA,))
        assert page.staff.members == ()
        page.close()
        with JournalReader.open(tmp_path / "table.journal") as reader:
            notes = [entry.body for entry in reader.entries(Span(name="note"))]
        return [note["what"] for note in notes if note["note"] == BY_HAND_NOTE]

    assert asyncio.run(scene()) == ["staff", "staff.lost"]


def many(role: str) -> tuple[StaffMember, ...]:
    """As many people as there may be."""
    return tuple(StaffMember(f"S{n}", "a", role, True) for n in range(STAFF_MOST))


def test_lists_that_are_changed_again_and_again_fill_no_record_and_hold_up_nothing(tmp_path: Path) -> None:
    """All of them at once, and all once more; then the list says no, and writes nothing, until time has passed."""

    async def scene() -> None:
        page = Page(tmp_path)
        journal, turns_between, over = page.bench.journal, [0], False

        async def look() -> None:
            before = journal.health.appended
            while not over:
                await asyncio.sleep(0)
                turns_between.append(journal.health.appended - before)
                before = journal.health.appended

        looking = asyncio.ensure_future(look())
        await page.door.keep_staff(CONSOLE, "all", many("supervisor"))
        await page.door.keep_staff(CONSOLE, "all", many("director"))
        over = True
        await looking
        assert max(turns_between) <= 8, "the table looks at its devices in between"
        before = journal.health.appended
        assert before >= AT_ONCE
        for again in range(3):
            with pytest.raises(CommandRefused, match=rf"changed too often: {STAFF_MOST} more changes wait for \d+ s"):
                await page.door.keep_staff(CONSOLE, "all", many(f"observer {again}"))
        await page.door.keep_staff(CONSOLE, "the same", many("director"))
        assert journal.health.appended == before
        assert page.staff.members == many("director")
        shut = (*many("director")[1:], StaffMember("S0", "a", "director", False))
        with pytest.raises(CommandRefused, match=r"wait for [67] seconds"):
            await page.door.keep_staff(CONSOLE, "one", shut)
        page.bench.time.pass_(7.0)
        await page.door.keep_staff(CONSOLE, "one", shut)
        assert journal.health.appended == before + 2, "the change, and that the list has it"
        page.close()

    asyncio.run(scene())


def test_an_empty_list_takes_the_place_of_one_that_cannot_be_read(tmp_path: Path) -> None:
    async def scene() -> None:
        page = Page(tmp_path)
        (tmp_path / "staff.json").write_text("[]")
        page.staff = StaffList(tmp_path / "staff.json")
        changes = StaffChanges(page.staff, page.bench.keeper, page.bench.synced)
        found = page.staff.members
        assert found is None
        assert await changes.keep(CONSOLE, "anew", ())
        assert page.staff.members == ()
        page.close()

    asyncio.run(scene())


def test_with_the_page_dead_a_listed_badge_signs_and_a_shut_one_does_not(tmp_path: Path) -> None:
    async def scene() -> None:
        page = Page(tmp_path)
        page.bench.open_table()
        page.bench.take(ShoeShuffled, deck="blue", count=36)
        await page.staff.keep([ANNA, GONE])
        staff = StaffList(tmp_path / "staff.json")  # as after a restart, with nobody to ask
        signatures = Signatures(page.bench.keeper, page.bridge.indicating, staff, lambda: None, lambda what: what())
        [pending] = page.state()["table"]["pending"]
        asked = signatures.ask(
            Person("otto", "otto", "observer", "x"), DecisionRequest("play_on", pending["id"], None, None)
        )
        page.bench.take(Badge, staff="S9", role="director")
        assert (asked.state, asked.detail) == (SignatureState.WAITING, "S9: the account of this badge is shut")
        page.bench.take(Badge, staff="S7", role="supervisor")
        page.bench.time.pass_(ONCE_MORE_AFTER)
        page.bench.take(Badge, staff="S7", role="supervisor")
        assert str(asked.state) == "done"
        page.close()

    asyncio.run(scene())


# -- the page tells


def test_a_change_at_the_console_reaches_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feltd.page.access.staff.LOOK_EVERY", 0.002)
    monkeypatch.setattr(socket_line, "AGAIN_AFTER", 0.005)

    async def scene() -> None:
        async with apart(tmp_path) as at:
            accounts = at.page.accounts
            accounts.add("anna", Role.SUPERVISOR, SECRET, "S7")
            accounts.add("nobody", Role.OBSERVER, SECRET)
            async with connected(at) as door, running(StaffTeller(accounts, door).run()):
                await eventually(lambda: at.page.staff.members == (ANNA,))
                accounts.change("anna", enabled=False)
                await eventually(lambda: at.page.staff.members == (StaffMember("S7", "anna", "supervisor", False),))
                assert await door.staff() == at.page.staff.members
                accounts.remove("anna")
                await eventually(lambda: at.page.staff.members == ())
            assert json.loads((tmp_path / "staff.json").read_text()) == {"staff": []}

    asyncio.run(scene())


class FakeDoor:
    """A table that refuses a list twice, and may be away."""

    away: Away | None = None

    def __init__(self) -> None:
        self.asked = 0
        self.kept: list[tuple[StaffMember, ...]] = []
        self.turned: list[Any] = []

    def on_changed(self, listener: Any) -> None:
        self.turned.append(listener)

    async def staff(self) -> None:
        self.asked += 1

    async def keep_staff(self, _person: Person, _why: str, members: tuple[StaffMember, ...]) -> None:
        if self.asked < 3:
            raise CommandRefused("not now")
        self.kept.append(members)


def test_a_refused_list_is_sent_again_and_the_reason_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scene() -> None:
        page = Page(tmp_path)
        door = FakeDoor()
        teller = StaffTeller(page.accounts, door)  # type: ignore[arg-type]  # what is used of one
        for _ in range(5):
            await teller.tell()
        assert door.kept == [()]
        assert caplog.text.count("not now") == 1
        door.away = Away("gone")
        [turned] = door.turned
        turned()
        await teller.tell()
        assert door.kept == [(), ()], "it may be another table that comes back"
        page.close()

    asyncio.run(scene())

"""Accounts that two people make, give another code, shut or open at the page: each gets half of the code."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from feltd.door import TableAwayError
from feltd.door.together import APPROVED_SECONDS, StepKind
from feltd.page.access.account_steps import AccountAct, AccountStepRefused, AccountSteps, AccountWish
from feltd.page.access.accounts import AccountBook, AccountError
from feltd.page.access.first_codes import CODE_DAYS, is_right
from feltd.page.access.roles import Right, Role
from feltd.page.access.tokens import DAY
from feltd.record.notes import BY_HAND_NOTE
from feltd.text.errors import JournalDisk
from tests.feltd.page_support import SECRET, Browser, Page
from tests.feltd.test_access_record import told

ACCOUNTS: Final = "/api/v1/accounts"
TOGETHER: Final = "/api/v1/together"
WHY: Final = "new since monday"
OWN: Final = "four words of my choice"
MAKE: Final = {"act": "make", "name": "bert", "role": "supervisor", "reason": WHY}


class People:
    """A table's page with a technician and a supervisor."""

    def __init__(self, folder: Path) -> None:
        self.page = asyncio.run(self._made(folder))
        self.accounts = self.page.accounts
        self.technician, self.supervisor = self.somebody(Role.TECHNICIAN), self.somebody(Role.SUPERVISOR)

    async def _made(self, folder: Path) -> Page:
        page = Page(folder)
        page.bench.open_table()
        await page.bench.synced()
        return page

    def somebody(self, role: Role, name: str | None = None) -> Browser:
        return Browser(self.page, self.page.session(role, name))

    def ask(self, by: Browser | None = None, status: int = 201, **wanted: Any) -> dict[str, Any]:
        answer = (by or self.technician).post(ACCOUNTS, {**MAKE, **wanted})
        assert answer.status_code == status, answer.text
        return dict(answer.json())

    def change(self, act: str, name: str, status: int = 201) -> dict[str, Any]:
        answer = self.technician.post(ACCOUNTS, {"act": act, "name": name, "reason": WHY})
        assert answer.status_code == status, answer.text
        return dict(answer.json())

    def approve(self, number: int, by: Browser | None = None, status: int = 200) -> dict[str, Any]:
        answer = (by or self.supervisor).post(f"{TOGETHER}/{number}/approval", {"password": SECRET})
        assert answer.status_code == status, answer.text
        return dict(answer.json())

    def comes(self, name: str, code: str, new: str | None = OWN) -> int:
        asked = {"name": name, "password": code, **({} if new is None else {"new": new})}
        return Browser(self.page).post("/api/v1/session", asked).status_code

    def states(self) -> list[tuple[str, str | None]]:
        return [(step["state"], step["second"]) for step in self.technician.get(TOGETHER).json()]

    def by_hand(self) -> list[dict[str, Any]]:
        entries = self.page.bench.journal.reader.entries()
        return [dict(entry.body) for entry in entries if entry.name == "note" and entry.body["note"] == BY_HAND_NOTE]

    def told(self) -> list[dict[str, Any]]:
        return [fact for fact in told(self.page) if fact["what"] == "account_changed"]


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    made = People(tmp_path)
    yield made
    made.page.close()


def test_two_people_make_an_account_and_its_person_signs_in_with_both_halves_alone(people: People) -> None:
    asked = people.ask(badge="S1042")
    assert (asked["kind"], asked["about"], asked["state"]) == ("account", "make bert supervisor S1042", "waiting")
    assert people.accounts.get("bert") is None
    done = people.approve(asked["id"])
    account = people.accounts.get("bert")
    assert account is not None
    assert (account.role, account.staff, account.enabled) == (Role.SUPERVISOR, "S1042", True)
    assert account.code_until is not None
    for one_half in (asked["half"], done["half"]):
        assert people.comes("bert", one_half) == 401
    assert people.comes("bert", asked["half"] + done["half"]) == 200
    assert people.comes("bert", OWN, None) == 200
    assert (done["state"], people.states()) == ("done", [("done", "supervisor")])
    people.approve(asked["id"], status=409)


def test_no_half_of_a_code_comes_a_second_time_or_goes_on_record(people: People) -> None:
    asked = people.ask()
    listed = people.technician.get(TOGETHER)
    done = people.approve(asked["id"])
    for half in (asked["half"], done["half"]):
        assert half not in listed.text + people.technician.get(TOGETHER).text + people.technician.get(ACCOUNTS).text
        assert half not in str([entry.body for entry in people.page.bench.journal.reader.entries()])


def test_both_names_the_reason_and_the_change_are_on_record(people: People) -> None:
    people.approve(people.ask()["id"])
    notes = [entry.body for entry in people.page.bench.journal.reader.entries() if entry.name == "note"]
    asked, approved = [note for note in notes if str(note.get("what", "")).startswith("together.")]
    assert (asked["who"], asked["why"], asked["about"]) == ("technician", WHY, "make bert supervisor")
    assert (approved["who"], approved["asked_by"]) == ("supervisor", "technician")
    [made] = [fact for fact in people.told() if fact["who"] == "bert"]
    assert (made["change"], made["role"], made["from"]) == ("created", "supervisor", approved["from"])
    people.page.news.look()
    assert [fact["who"] for fact in people.told()].count("bert") == 1, "it is told once"


def test_another_code_ends_the_password_of_who_has_forgotten_it(people: People) -> None:
    people.somebody(Role.DIRECTOR, "dora")
    asked = people.change("code", "dora", status=409)
    assert "could approve it" in asked["detail"], "neither the technician nor the supervisor leads tournaments"
    people.somebody(Role.SUPERVISOR, "vera")
    asked = people.change("code", "vera")
    done = people.approve(asked["id"])
    assert people.comes("vera", SECRET, None) == 401
    assert people.comes("vera", asked["half"] + done["half"]) == 200
    account = people.accounts.get("vera")
    assert account is not None
    assert account.code_until is None


def test_an_account_is_shut_and_opened_and_no_code_comes_of_that(people: People) -> None:
    vera = people.somebody(Role.SUPERVISOR, "vera")
    for act, enabled in (("shut", False), ("open", True)):
        asked = people.change(act, "vera")
        assert asked["half"] is None
        assert people.approve(asked["id"])["half"] is None
        account = people.accounts.get("vera")
        assert account is not None
        assert account.enabled is enabled
        assert vera.get(ACCOUNTS).status_code == 401, "the session of before is over"
        people.change(act, "vera", status=409)


def test_the_list_has_who_there_is_and_no_secret(people: People) -> None:
    people.approve(people.ask(badge="S1042")["id"])
    listed = people.supervisor.get(ACCOUNTS).json()
    assert [row["name"] for row in listed] == ["bert", "supervisor", "technician"]
    bert = listed[0]
    assert bert.pop("code_until") == pytest.approx(people.page.bench.time.wall + CODE_DAYS * DAY)
    assert bert == {
        "name": "bert", "role": "supervisor", "badge": "S1042", "enabled": True, "second_factor": False,
    }  # fmt: skip
    assert listed[1]["code_until"] is None


def test_what_the_console_changed_meanwhile_is_not_on_record_as_the_second_persons(people: People) -> None:
    people.somebody(Role.SUPERVISOR, "vera")
    people.page.news.look()
    step = people.change("shut", "vera")["id"]
    console = AccountBook(people.accounts.path)
    console.put_second_factor("vera", "A" * 32)
    console.add_token("vera", "x", Role.OBSERVER, [Right.SEE], 1, people.page.bench.time.wall)
    people.approve(step)
    people.page.news.look()
    changes = [(fact["change"], "from" in fact) for fact in told(people.page) if fact.get("who") == "vera"]
    assert changes[-3:] == [("second_factor", False), ("token", False), ("shut", True)]


@pytest.mark.parametrize("role", [Role.OBSERVER, Role.SURVEILLANCE])
def test_who_only_looks_neither_asks_nor_sees_the_accounts(people: People, role: Role) -> None:
    browser = people.somebody(role)
    people.ask(by=browser, status=403)
    assert browser.get(ACCOUNTS).status_code == 403


def test_who_asked_does_not_approve(people: People) -> None:
    people.approve(people.ask()["id"], by=people.technician, status=409)
    assert people.accounts.get("bert") is None


def test_nobody_gives_a_right_that_neither_of_the_two_has(people: People) -> None:
    assert "nobody else" in people.ask(role="director", status=409)["detail"]
    people.somebody(Role.DIRECTOR, "dora")
    asked = people.ask(role="director")
    assert "may all that director may (tournament, wish)" in people.approve(asked["id"], status=409)["detail"]
    assert people.accounts.get("bert") is None
    people.approve(asked["id"], by=people.somebody(Role.DIRECTOR, "dora"))


@pytest.mark.parametrize(("role", "name"), [(Role.TECHNICIAN, "technician"), (Role.DIRECTOR, "dora")])
def test_two_supervisors_shut_the_only_account_of_a_role_and_open_it_not(people: People, role: Role, name: str) -> None:
    people.somebody(role, name)
    asker = people.somebody(Role.SUPERVISOR, "vera")
    wish: dict[str, Any] = {"name": name, "role": None}
    people.approve(people.ask(by=asker, act="shut", **wish)["id"])
    account = people.accounts.get(name)
    assert account is not None
    assert not account.enabled
    assert "neither of the two has" in people.ask(by=asker, status=409, act="open", **wish)["detail"]


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"name": "supervisor"}, "there is an account"),
        ({"role": None}, "needs a role"),
        ({"act": "code", "name": "supervisor", "role": "director"}, "for a new account alone"),
        ({"act": "code", "name": "nobody", "role": None}, 'no account "nobody"'),
        ({"act": "code", "name": "technician", "role": None}, "two others"),
        ({"badge": "supervisor"}, "the name of another account"),
        ({"name": "b" * 32, "badge": "S" * 40}, "too long together"),
    ],
)
def test_what_cannot_be_done_is_refused_before_a_second_person_is_asked(
    people: People, wanted: dict[str, Any], words: str
) -> None:
    assert words in people.ask(status=409, **wanted)["detail"]
    assert people.supervisor.get(TOGETHER).json() == []


@pytest.mark.parametrize("badge", ["S1042 ", " S1042", "S\u200b1042", "S  1042", "Ѕ1042", ""])
def test_a_badge_that_reads_like_anothers_is_not_asked_for(people: People, badge: str) -> None:
    people.ask(badge=badge, status=422)


def test_nobody_approves_a_code_for_themselves(people: People) -> None:
    people.somebody(Role.SUPERVISOR, "vera")
    asked = people.change("code", "vera")
    own = people.approve(asked["id"], by=people.somebody(Role.SUPERVISOR, "vera"), status=409)
    assert "your own account" in own["detail"]


def test_an_account_that_is_another_one_meanwhile_is_asked_for_anew(people: People) -> None:
    people.somebody(Role.SUPERVISOR, "vera")
    asked = people.change("code", "vera")
    people.accounts.change("vera", role=Role.OBSERVER)
    assert "another role now" in people.approve(asked["id"], status=409)["detail"]
    asked = people.ask()
    people.accounts.add("bert", Role.OBSERVER, SECRET)
    assert "there is an account" in people.approve(asked["id"], status=409)["detail"]


def test_an_asker_who_is_gone_is_told_as_such(people: People) -> None:
    asked = people.ask()
    people.accounts.remove("technician")
    assert "no account any more" in people.approve(asked["id"], status=409)["detail"]


def test_a_file_that_cannot_be_written_is_told_after_the_approval(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = people.ask()

    def full(*_: object) -> None:
        raise AccountError("accounts.json: cannot be written: No space left on device")

    monkeypatch.setattr(people.accounts, "_write", full)
    assert "approved, but not done: accounts.json" in people.approve(asked["id"], status=409)["detail"]
    assert people.states() == [("failed", "supervisor")], "nobody reads that it was done"
    over = people.by_hand()[-1]
    assert (over["what"], over["who"], over["how"], over["asked_by"], over["number"]) == (
        "together.over", "supervisor", "failed", "technician", asked["id"],
    )  # fmt: skip
    assert "No space left on device" in over["fault"]


def test_an_approval_that_is_not_on_the_disk_is_not_shown_as_done(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = people.ask()

    async def fails() -> int:
        raise JournalDisk("input/output error", "/x", "Look at the disk")

    with monkeypatch.context() as broken:
        broken.setattr(people.page.bench.journal, "flush", fails)
        people.approve(asked["id"], status=503)
    assert people.accounts.get("bert") is None
    assert people.states() == [("approved", "supervisor")]
    people.page.bench.time.pass_(APPROVED_SECONDS[StepKind.ACCOUNT] + 1.0)
    people.page.workshop.beat()
    assert people.states() == [("expired", "supervisor")]


def test_a_half_is_not_lost_where_the_table_is_not_told_that_it_was_done(
    people: People, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def away(*_: object) -> None:
        raise TableAwayError("the table does not answer")

    monkeypatch.setattr(people.page.door, "tell_step", away)
    asked = people.ask()
    done = people.approve(asked["id"])
    assert done["state"] == "approved"
    assert people.comes("bert", asked["half"] + done["half"]) == 200
    assert "was not told how it went: the table does not answer" in caplog.text
    for by in (people.technician, people.supervisor):
        refused = by.request("delete", f"{TOGETHER}/{asked['id']}")
        assert refused.status_code == 409, "the record would say that it was refused, and it was done"


class TestAtThePage:
    """What the page remembers of a step."""

    def steps(self, accounts: AccountBook) -> AccountSteps:
        return AccountSteps(accounts, lambda _: False, lambda: self.wall, lambda: self.now)

    now, wall = 100.0, 1_800_000_000.0

    @pytest.fixture
    def accounts(self, tmp_path: Path) -> AccountBook:
        accounts = AccountBook(tmp_path / "accounts.json")
        for name, role in (("anna", Role.TECHNICIAN), ("sara", Role.SUPERVISOR)):
            accounts.add_kept_code(name, role, "$argon2id$", self.wall)
        return accounts

    def approvable(self, accounts: AccountBook, steps: AccountSteps, number: int, about: str) -> str | None:
        sara = accounts.get("sara")
        assert sara is not None
        return steps.require_approvable("anna", sara, number, about)

    def test_a_page_that_was_started_anew_has_no_half_and_says_so(self, accounts: AccountBook) -> None:
        with pytest.raises(AccountStepRefused, match="started anew"):
            self.approvable(accounts, self.steps(accounts), 7, "make bert supervisor")

    def test_a_half_is_forgotten_once_its_step_is_over(self, accounts: AccountBook) -> None:
        steps = self.steps(accounts)
        steps.first_half(7, "make bert supervisor")
        self.now += 3600.0
        half = steps.first_half(8, "make carl supervisor")
        assert self.approvable(accounts, steps, 8, "make carl supervisor") == half
        with pytest.raises(AccountStepRefused, match="started anew"):
            self.approvable(accounts, steps, 7, "make bert supervisor")

    def test_a_clock_that_is_put_forward_takes_no_half_away(self, accounts: AccountBook) -> None:
        steps = self.steps(accounts)
        half = steps.first_half(7, "make bert supervisor")
        self.wall += 30 * DAY
        steps.first_half(8, "make carl supervisor")
        assert self.approvable(accounts, steps, 7, "make bert supervisor") == half

    def test_a_half_that_is_forgotten_while_the_table_writes_makes_the_code_all_the_same(
        self, accounts: AccountBook
    ) -> None:
        steps = self.steps(accounts)
        first = steps.first_half(7, "make bert supervisor")
        half = self.approvable(accounts, steps, 7, "make bert supervisor")
        self.now += 3600.0
        steps.first_half(8, "make carl supervisor")
        account, second = asyncio.run(steps.carry_out(7, half, "make bert supervisor"))
        assert second is not None
        assert is_right(account.password, f"{first}-{second}", code=True)
        assert not is_right(account.password, f"{second}-{first}", code=True)

    @pytest.mark.parametrize(
        "wish",
        [
            AccountWish(AccountAct.MAKE, "bert", Role.SUPERVISOR, "S 10 42"),
            AccountWish(AccountAct.SHUT, "bert", Role.OBSERVER),
        ],
    )
    def test_what_a_step_is_about_is_read_as_it_was_said(self, wish: AccountWish) -> None:
        assert AccountWish.read(wish.about) == wish

"""Steps that take two people: one asks, another approves in time, and both names are on record with the reason."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from feltd.door import CommandRefused, Person
from feltd.door.together import APPROVED_SECONDS, ASKED_SECONDS, StepKind, StepState
from feltd.page.access.roles import Right, Role
from feltd.table.keeper.together import (
    ASKS_AT_ONCE,
    OPEN_MOST,
    OPEN_OF_ONE,
    TOLD_SECONDS,
    StepNotTaken,
    Together,
    new_number,
)
from feltd.table.workshop.device_keys import make_key, write_key
from feltd.table.workshop.workshop import KEY_FILE_NOTE, KEY_MARKS, Workshop
from tests.feltd.page_support import SECRET, Browser, devices_in
from tests.feltd.test_api_devices import DEVICES, Bench

TOGETHER = "/api/v1/together"
WHY = "the reader was opened"


class Two(Bench):
    """A technician who asks, and a supervisor who may approve."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(folder, monkeypatch)
        self.supervisor = self.somebody(Role.SUPERVISOR)

    def somebody(self, role: Role, name: str | None = None) -> Browser:
        return Browser(self.page, self.page.session(role, name))

    def ask(self, device: str = "shoe", by: Browser | None = None, status: int = 201) -> dict[str, Any]:
        answer = (by or self.technician).post(TOGETHER, {"device": device, "reason": WHY})
        assert answer.status_code == status, answer.text
        return dict(answer.json())

    def approve(self, number: int, by: Browser | None = None, status: int = 200, **more: Any) -> dict[str, Any]:
        answer = (by or self.supervisor).post(f"{TOGETHER}/{number}/approval", {"password": SECRET, **more})
        assert answer.status_code == status, answer.text
        return dict(answer.json())

    def change(self, device: str = "shoe", status: int = 200) -> dict[str, Any]:
        answer = self.technician.post(f"{DEVICES}/{device}/key", {})
        assert answer.status_code == status, answer.text
        return dict(answer.json())

    def end(self, number: int, by: Browser) -> int:
        return by.request("delete", f"{TOGETHER}/{number}").status_code

    def key(self, device: str = "shoe") -> bytes:
        return self.page.workshop.key_file(device).read()


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Two]:
    made = Two(tmp_path, monkeypatch)
    yield made
    made.page.close()


def test_one_asks_another_approves_and_then_it_is_done_once(two: Two) -> None:
    before = two.key()
    assert "two people" in two.change(status=409)["detail"]
    step = two.ask()
    assert (step["asked_by"], step["second"], step["state"]) == ("technician", None, "waiting")
    assert "has not approved" in two.change(status=409)["detail"]
    assert two.key() == before
    approved = two.approve(step["id"])
    assert (approved["second"], approved["state"]) == ("supervisor", "approved")
    made = two.change()["key"]
    assert two.key().hex() == made
    two.change(status=409)
    assert two.key().hex() == made, "an approval counts once"
    assert [one["state"] for one in two.supervisor.get(TOGETHER).json()] == ["done"]


def test_both_names_and_the_reason_are_on_record_and_no_key(two: Two) -> None:
    step = two.ask()
    two.approve(step["id"])
    made = two.change()["key"]
    asked, approved, done = two.by_hand()[-3:]
    assert (asked["what"], asked["who"], asked["why"]) == ("together.asked", "technician", WHY)
    assert (approved["what"], approved["who"], approved["asked_by"]) == (
        "together.approved",
        "supervisor",
        "technician",
    )
    assert (done["what"], done["who"], done["approved_by"], done["why"]) == (
        "device.key", "technician", "supervisor", WHY,
    )  # fmt: skip
    assert {note["number"] for note in (asked, approved, done)} == {step["id"]}
    assert made not in str(two.notes())


def test_who_asked_does_not_approve_and_a_program_neither_asks_nor_approves(two: Two) -> None:
    step = two.ask()
    assert "another person" in two.approve(step["id"], by=two.technician, status=409)["detail"]
    two.page.accounts.change("technician", role=Role.SUPERVISOR)  # another role makes nobody another person
    two.approve(step["id"], by=two.somebody(Role.SUPERVISOR, "technician"), status=409)
    two.page.accounts.change("technician", role=Role.TECHNICIAN)
    scope, now = {Right.SEE, Right.DEVICES}, two.page.bench.time.wall
    _, _, text = two.page.accounts.add_token("technician", "a program", Role.TECHNICIAN, scope, 1, now)
    program = Browser(two.page, {"authorization": f"Bearer {text}"})
    assert two.approve(step["id"], by=program, status=403)
    two.ask("keys", by=program, status=403)


@pytest.mark.parametrize("role", [Role.OBSERVER, Role.SURVEILLANCE])
def test_who_only_looks_approves_nothing_and_reads_no_reason(two: Two, role: Role) -> None:
    step = two.ask()
    browser = two.somebody(role)
    two.approve(step["id"], by=browser, status=403)
    assert browser.get(TOGETHER).status_code == 403
    assert two.end(step["id"], browser) == 403
    assert WHY not in browser.get("/api/v1/state").text


@pytest.mark.parametrize("role", [Role.SUPERVISOR, Role.DIRECTOR, Role.OBSERVER, Role.SURVEILLANCE])
def test_only_a_technician_asks(two: Two, role: Role) -> None:
    two.ask(by=two.somebody(role), status=403)


def test_another_technician_may_approve(two: Two) -> None:
    two.approve(two.ask()["id"], by=two.somebody(Role.TECHNICIAN, "tess"))
    two.change()


def test_approving_takes_the_password_and_a_wrong_one_approves_nothing(two: Two) -> None:
    step = two.ask()
    two.approve(step["id"], status=409, password="something else, and long")
    two.change(status=409)


def test_approving_takes_the_second_factor_of_who_has_one(two: Two) -> None:
    step = two.ask()
    secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    two.page.accounts.put_second_factor("supervisor", secret)
    assert "second factor" in two.approve(step["id"], status=409)["detail"]
    two.change(status=409)


def test_an_approval_of_an_asker_who_counts_no_more_is_refused(two: Two) -> None:
    step = two.ask()
    two.page.accounts.change("technician", role=Role.OBSERVER)
    assert "another role" in two.approve(step["id"], status=409)["detail"]
    two.page.accounts.change("technician", role=Role.TECHNICIAN, enabled=False)
    assert "is shut" in two.approve(step["id"], status=409)["detail"]
    two.page.accounts.remove("technician")
    assert "no account any more" in two.approve(step["id"], status=409)["detail"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [({"enabled": False}, "is shut"), ({"role": Role.OBSERVER}, "another role"), (None, "no account any more")],
)
def test_an_approval_counts_no_more_once_its_person_does_not(
    two: Two, changed: dict[str, Any] | None, words: str
) -> None:
    before = two.key()
    two.approve(two.ask()["id"])
    if changed is None:
        two.page.accounts.remove("supervisor")
    else:
        two.page.accounts.change("supervisor", **changed)
    assert words in two.change(status=409)["detail"]
    assert two.technician.request("delete", f"{DEVICES}/shoe/key").status_code == 409
    assert two.key() == before


@pytest.mark.parametrize(
    ("approved", "seconds"), [(False, ASKED_SECONDS), (True, APPROVED_SECONDS[StepKind.DEVICE_KEY])]
)
def test_a_step_that_took_too_long_counts_no_more(two: Two, approved: bool, seconds: float) -> None:
    step = two.ask()
    if approved:
        two.approve(step["id"])
    two.page.bench.time.pass_(seconds + 1.0)
    if not approved:
        late = two.somebody(Role.SUPERVISOR)  # the other session only looks by now
        assert "this is over" in two.approve(step["id"], by=late, status=409)["detail"]
    two.technician = two.somebody(Role.TECHNICIAN)
    two.change(status=409)
    two.page.workshop.beat()
    assert [one["state"] for one in two.page.state()["steps"]] == ["expired"]
    two.page.bench.time.pass_(TOLD_SECONDS)
    two.page.workshop.beat()
    assert two.page.state()["steps"] == []
    two.ask()


@pytest.mark.parametrize("approved", [False, True])
@pytest.mark.parametrize(("who", "state"), [("technician", "withdrawn"), ("supervisor", "refused")])
def test_either_may_end_it_until_it_is_done_and_the_record_says_who(
    two: Two, approved: bool, who: str, state: str
) -> None:
    step = two.ask()
    if approved:
        two.approve(step["id"])
    assert two.end(step["id"], getattr(two, who)) == 200
    two.change(status=409)
    two.approve(step["id"], status=409)
    over = two.by_hand()[-1]
    assert (over["what"], over["who"], over["how"], over["asked_by"]) == ("together.over", who, state, "technician")


def test_an_approval_is_for_its_device_alone(two: Two) -> None:
    two.approve(two.ask("shoe")["id"])
    two.change("keys", status=409)
    two.approve(two.ask("keys")["id"])
    two.change("shoe")
    two.change("keys")


def test_what_the_table_refuses_then_leaves_the_approval(two: Two) -> None:
    """A badge reader gets no key in a round: who asked does it after the round, if there is time left."""
    two.approve(two.ask("badge")["id"])
    two.page.bench.journal.begin_round(1)
    assert "between two rounds" in two.change("badge", status=409)["detail"]
    assert [one["state"] for one in two.page.state()["steps"]] == ["approved"]


def test_a_device_that_there_is_not_or_whose_key_is_not_changed_here_is_not_asked_for(two: Two) -> None:
    assert "no device" in two.ask("nothing", status=404)["detail"]
    two.ask("shoe")
    assert "asked for this already" in two.ask("shoe", by=two.somebody(Role.TECHNICIAN, "tess"), status=409)["detail"]


def test_a_table_with_one_person_says_so_at_once_and_names_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = Bench(tmp_path, monkeypatch)
    answer = alone.technician.post(TOGETHER, {"device": "shoe", "reason": WHY})
    assert answer.status_code == 409
    assert "feltd user add" in answer.json()["detail"]
    assert "feltd device key" in answer.json()["detail"]
    alone.page.accounts.add("olga", Role.OBSERVER, SECRET)
    alone.page.accounts.add("sam", Role.SUPERVISOR, SECRET)
    alone.page.accounts.change("sam", enabled=False)
    assert alone.technician.post(TOGETHER, {"device": "shoe", "reason": WHY}).status_code == 409
    alone.page.accounts.change("sam", enabled=True)
    assert alone.technician.post(TOGETHER, {"device": "shoe", "reason": WHY}).status_code == 201
    alone.page.close()


def test_a_key_that_was_changed_by_its_file_is_on_record_and_one_that_two_people_changed_is_not_told_twice(
    two: Two,
) -> None:
    two.approve(two.ask("keys")["id"])
    two.change("keys")
    two.page.workshop.beat()
    assert [note for note in two.notes() if note["note"] == KEY_FILE_NOTE] == []
    write_key("shoe", two.page.workshop.key_file("shoe"), make_key())
    two.page.workshop.beat()
    two.page.workshop.beat()
    [told] = [note for note in two.notes() if note["note"] == KEY_FILE_NOTE]
    assert told["device"] == "shoe"


def test_a_key_that_was_changed_while_the_table_was_stopped_is_on_record_once(two: Two) -> None:
    def start_again() -> list[str]:
        """Another workshop at the same record, as after a restart."""
        devices = devices_in(two.page.bench.journal.path.parent)
        keys = {one.name: one.wire_key.read() for one in devices if one.wire_key is not None}
        workshop = Workshop(devices, keys, two.page.bench.keeper, two.bridge, two.page.bench.journal)
        workshop.beat()
        return [note["device"] for note in two.notes() if note["note"] == KEY_FILE_NOTE]

    assert start_again() == [], "a table that starts for the first time knows no key before"
    write_key("shoe", two.page.workshop.key_file("shoe"), make_key())
    assert start_again() == ["shoe"]
    assert start_again() == ["shoe"]
    marks = two.page.bench.journal.path.with_name(KEY_MARKS)
    assert two.key().hex() not in marks.read_text()
    marks.write_text("torn")
    assert start_again() == ["shoe"], "marks that cannot be read begin anew, and accuse nobody"


@pytest.mark.parametrize("wanted", [{}, {"device": "shoe", "update": "0.9.0"}, {"update": "the newest"}])
def test_one_thing_is_asked_for_at_a_time_and_a_version_is_three_numbers(two: Two, wanted: dict[str, str]) -> None:
    assert two.technician.post(TOGETHER, {**wanted, "reason": WHY}).status_code == 422


class TestAtTheTable:
    """What the table holds itself, whatever its page says."""

    ANNA = Person("anna", "anna", "technician", "10.0.0.4")
    BERT = Person("S1", "bert", "supervisor", "10.0.0.5")

    @pytest.fixture
    def together(self, two: Two) -> Together:
        return two.page.workshop.together

    def test_the_same_account_does_not_approve_from_elsewhere(self, together: Together) -> None:
        step = together.ask(self.ANNA, StepKind.DEVICE_KEY, "shoe", WHY)
        with pytest.raises(StepNotTaken, match="another person"):
            together.approve(Person("S9", "anna", "director", "10.0.0.9"), step.number)
        assert step.state is StepState.WAITING

    def test_nobody_does_what_somebody_else_has_asked_for(self, together: Together) -> None:
        step = together.ask(self.ANNA, StepKind.DEVICE_KEY, "shoe", WHY)
        together.approve(self.BERT, step.number)
        with pytest.raises(StepNotTaken):
            together.approved(self.BERT, StepKind.DEVICE_KEY, "shoe")
        with pytest.raises(StepNotTaken):
            together.approved(self.ANNA, StepKind.UPDATE, "shoe")
        assert together.approved(self.ANNA, StepKind.DEVICE_KEY, "shoe") is step

    def test_only_who_approved_a_change_of_an_account_tells_how_it_went_and_once(self, together: Together) -> None:
        step = together.ask(self.ANNA, StepKind.ACCOUNT, "shut carl observer", WHY)
        key = together.ask(self.ANNA, StepKind.DEVICE_KEY, "shoe", WHY)
        together.approve(self.BERT, key.number)
        for teller, number in ((self.BERT, step.number), (self.BERT, key.number)):
            with pytest.raises(StepNotTaken, match="tells how it went"):
                together.tell(teller, number, None)
        together.approve(self.BERT, step.number)
        with pytest.raises(StepNotTaken, match="tells how it went"):
            together.tell(self.ANNA, step.number, None)
        assert together.tell(self.BERT, step.number, None).state is StepState.DONE
        with pytest.raises(StepNotTaken, match="this is over"):
            together.tell(self.BERT, step.number, "another word")

    def test_an_update_is_the_machines_to_do_once_within_a_day(self, two: Two, together: Together) -> None:
        root = Person("root", "root", "console", "console")
        step = together.ask(self.ANNA, StepKind.UPDATE, "0.9.0", WHY)
        with pytest.raises(StepNotTaken, match="have not allowed"):
            together.take(root, StepKind.UPDATE, "0.9.0")
        together.approve(self.BERT, step.number)
        two.page.bench.time.pass_(APPROVED_SECONDS[StepKind.UPDATE] - 1.0)
        with pytest.raises(StepNotTaken):
            together.take(root, StepKind.UPDATE, "0.9.1")
        together.take(root, StepKind.UPDATE, "0.9.0")
        with pytest.raises(StepNotTaken):
            together.take(root, StepKind.UPDATE, "0.9.0")
        done = two.by_hand()[-1]
        assert (done["what"], done["who"], done["asked_by"], done["approved_by"], done["why"]) == (
            "together.done", "root", "anna", "bert", WHY,
        )  # fmt: skip

    def test_an_approval_meant_for_a_step_before_a_restart_approves_no_other(self, two: Two) -> None:
        def started() -> Together:
            return Together(two.page.bench.keeper, two.bridge.changed)

        seen = started().ask(self.ANNA, StepKind.DEVICE_KEY, "shoe", WHY)
        again = started()
        other = again.ask(self.ANNA, StepKind.UPDATE, "9.9.9", WHY)
        with pytest.raises(StepNotTaken, match="this is over"):
            again.approve(self.BERT, seen.number)
        with pytest.raises(StepNotTaken, match="this is over"):
            again.end(self.BERT, seen.number)
        assert other.state is StepState.WAITING

    def test_the_numbers_of_steps_are_whole_in_a_browser_and_taken_by_the_page(self) -> None:
        made = {new_number() for _ in range(1000)}
        assert len(made) == 1000
        assert max(made) < 2**53
        assert {len(str(number)) for number in made} == {16}, "an answer's length must not differ by chance"

    def test_the_machine_gives_no_device_a_key(self, together: Together) -> None:
        together.approve(self.BERT, together.ask(self.ANNA, StepKind.DEVICE_KEY, "shoe", WHY).number)
        with pytest.raises(StepNotTaken):
            together.take(Person("root", "root", "console", "console"), StepKind.DEVICE_KEY, "shoe")

    def test_nobody_fills_the_record_by_asking(self, two: Two, together: Together) -> None:
        entries = len(two.by_hand())
        for number in range(ASKS_AT_ONCE):
            together.end(self.ANNA, together.ask(self.ANNA, StepKind.DEVICE_KEY, f"d{number}", WHY).number)
        with pytest.raises(CommandRefused, match="ask again in"):
            together.ask(self.ANNA, StepKind.DEVICE_KEY, "shoe", WHY)
        assert len(two.by_hand()) == entries + 2 * ASKS_AT_ONCE

    def test_one_account_leaves_places_for_others_and_a_token_counts_as_its_owner(self, together: Together) -> None:
        token = Person("anna", "anna 0123abcd", "technician", "10.0.0.4")
        for number in range(OPEN_OF_ONE):
            together.ask(self.ANNA if number % 2 else token, StepKind.DEVICE_KEY, f"d{number}", WHY)
        for person in (self.ANNA, token):
            with pytest.raises(StepNotTaken, match="4 steps of yours wait"):
                together.ask(person, StepKind.DEVICE_KEY, "shoe", WHY)
        step = together.ask(self.BERT, StepKind.UPDATE, "0.9.0", WHY)
        together.end(self.BERT, step.number)
        together.end(self.ANNA, together.shown()[-1].id)
        together.ask(self.ANNA, StepKind.DEVICE_KEY, "shoe", WHY)

    def test_only_so_many_wait_at_once(self, together: Together) -> None:
        for number in range(OPEN_MOST):
            who = Person("x", f"x{number}", "technician", "10.0.0.4")
            together.ask(who, StepKind.DEVICE_KEY, f"d{number}", WHY)
        with pytest.raises(StepNotTaken, match="wait for a second person already"):
            together.ask(self.ANNA, StepKind.DEVICE_KEY, "shoe", WHY)

"""A badge at the table signs what was asked for at the page: in its holder's name, once, in time, and recorded."""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from devices.drivers.indicators import IndicatorsDriver
from feltd.door import DecisionRequest, Person, SignatureState
from feltd.page.access.roles import Role
from feltd.page.api.signature_models import detail_in_words
from feltd.record import JournalReader, Span
from feltd.record.notes import BY_HAND_NOTE
from feltd.table.keeper.badge_pins import PinsWanted
from feltd.table.keeper.signatures import (
    ASKS_A_MINUTE,
    ASKS_AT_ONCE,
    ONCE_MORE_AFTER,
    ONCE_MORE_WITHIN,
    WAITS_SECONDS,
    Signatures,
)
from feltd.text.catalogue import word
from feltd.text.language import Language, speaking
from table_fsm.events import Badge, ShoeShuffled
from table_fsm.rulebook.outcomes import Outcome
from tests.feltd.page_support import SECRET, Browser, Page

DECIDE = "/api/v1/decisions"


class Scene:
    """A table with a ruling that waits, and somebody who may only look."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lines: list[list[str]] = []
        self.page = asyncio.run(self._made(folder))
        link = self.page.workshop.bridge.slots["indicators"].link

        def post(name: str, args: Mapping[str, Any]) -> None:
            if name == "display":
                self.lines.append(list(args["lines"]))

        monkeypatch.setattr(link, "post", post)
        self.observer = self.browser(Role.OBSERVER)

    async def _made(self, folder: Path) -> Page:
        page = Page(folder, pins=PinsWanted.WHERE_GIVEN)
        page.bench.open_table()
        page.bench.take(ShoeShuffled, deck="blue", count=36)
        await page.bench.synced()
        return page

    def browser(self, role: Role, name: str | None = None) -> Browser:
        return Browser(self.page, self.page.session(role, name))

    @property
    def ruling(self) -> int:
        [pending] = self.page.state()["table"]["pending"]
        return int(pending["id"])

    def ask(self, browser: Browser | None = None, **more: Any) -> dict[str, Any]:
        body = {"decision": "play_on", "ruling": self.ruling, "signature": "badge", **more}
        answer = (browser or self.observer).post(DECIDE, body)
        assert answer.status_code == 202, answer.text
        return dict(answer.json())

    def badge(self, staff: str, role: str) -> None:
        self.page.bench.take(Badge, staff=staff, role=role)

    def sign(self, staff: str, role: str) -> None:
        """The badge is shown, and once more."""
        self.badge(staff, role)
        self.page.bench.time.pass_(ONCE_MORE_AFTER)
        self.badge(staff, role)

    def display(self, rows: int, columns: int, language: Language) -> None:
        """Another display than the usual one."""
        slot = self.page.workshop.bridge.slots["indicators"]
        slot.driver = IndicatorsDriver("indicators", {"rows": rows, "columns": columns})
        self.page.bridge.indicating.language = language

    def told(self, number: int) -> dict[str, Any]:
        return dict(self.observer.get(f"{DECIDE}/{number}").json())

    def record(self, name: str) -> list[dict[str, Any]]:
        asyncio.run(self.page.bench.synced())
        with JournalReader.open(self.page.bench.journal.path) as reader:
            return [entry.body for entry in reader.entries(Span(name=name))]

    def by_hand(self) -> list[dict[str, Any]]:
        return [note for note in self.record("note") if note["note"] == BY_HAND_NOTE]


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    made = Scene(tmp_path, monkeypatch)
    yield made
    made.page.close()


def test_a_supervisors_badge_carries_it_out_in_their_name(scene: Scene) -> None:
    ruling = scene.ruling
    asked = scene.ask(reason="counted by hand")
    assert (asked["state"], asked["asked_by"], asked["seconds_left"]) == ("waiting", "observer", WAITS_SECONDS)
    assert "Badge to sign: play on" in " ".join(scene.lines[-1])
    scene.sign("S1042", "supervisor")
    told = scene.told(asked["id"])
    assert (told["state"], told["signed_by"], told["detail"]) == ("done", "S1042", None)
    assert scene.page.state()["table"]["pending"] == []
    [decided] = scene.record("supervisor")
    assert (decided["staff"], decided["ruling"], decided["reason"]) == ("S1042", ruling, "counted by hand")
    ask, done = scene.by_hand()[-2:]
    assert (ask["who"], ask["what"], ask["decision"]) == ("observer", "signature.asked", "play_on")
    assert (done["who"], done["role"], done["from"], done["asked_by"]) == (
        "S1042", "supervisor", "badge at the table", "observer",
    )  # fmt: skip
    assert told["entry"] > 0
    assert "Badge to sign" not in " ".join(scene.lines[-1])


def test_the_account_of_a_badge_is_who_signs(scene: Scene) -> None:
    scene.page.accounts.add("anna", Role.DIRECTOR, SECRET, "S7")
    scene.ask()
    scene.sign("S7", "director")
    assert scene.by_hand()[-1]["who"] == "anna"
    assert scene.record("supervisor")[-1]["staff"] == "S7"


@pytest.mark.parametrize(
    ("staff", "role", "why"),
    [
        ("D1", "dealer", "D1: who has the role dealer does not decide"),
        ("I1", "inspector", "I1: who has the role inspector does not decide"),
        ("T1", "supervisor", "T1: the account of this badge may not decide"),
        ("X1", "supervisor", "X1: the account of this badge is shut"),
        ("s1042", "supervisor", "s1042: this badge is not on the table's list"),
        ("Q9", "director", "Q9: this badge is not on the table's list"),
    ],
)
def test_another_badge_signs_nothing_and_it_goes_on_waiting(scene: Scene, staff: str, role: str, why: str) -> None:
    scene.page.accounts.add("tina", Role.TECHNICIAN, SECRET, "T1")
    scene.page.accounts.add("xaver", Role.SUPERVISOR, SECRET, "X1")
    scene.page.accounts.change("xaver", enabled=False)
    asked = scene.ask()
    scene.badge(staff, role)
    told = scene.told(asked["id"])
    assert (told["state"], told["detail"]) == ("waiting", why)
    assert scene.record("supervisor") == []
    scene.sign("S1", "supervisor")
    assert scene.told(asked["id"])["state"] == "done"


def test_a_badge_that_comes_too_late_signs_nothing(scene: Scene) -> None:
    asked = scene.ask()
    scene.page.bench.time.pass_(WAITS_SECONDS)
    scene.sign("S1", "supervisor")
    told = scene.told(asked["id"])
    assert (told["state"], told["detail"]) == ("expired", "no badge came in time")
    assert scene.record("supervisor") == []
    assert (scene.by_hand()[-1]["what"], scene.by_hand()[-1]["why"]) == ("signature.unsigned", "expired")


def test_it_ends_by_itself_where_nobody_asks_how_it_ended(scene: Scene) -> None:
    scene.ask()
    scene.page.bench.time.pass_(WAITS_SECONDS)
    scene.page.signatures.expire()
    assert scene.by_hand()[-1]["what"] == "signature.unsigned"
    assert "Badge to sign" not in " ".join(scene.lines[-1])


def test_everybody_who_looks_is_told_and_for_a_moment_how_it_ended(scene: Scene) -> None:
    asked = scene.ask()
    [shown] = scene.page.state()["signatures"]
    assert (shown["id"], shown["state"]) == (asked["id"], "waiting")
    scene.sign("S1", "supervisor")
    [shown] = scene.page.state()["signatures"]
    assert (shown["state"], shown["signed_by"]) == ("done", "S1")
    scene.page.bench.time.pass_(60)
    assert scene.page.state()["signatures"] == []


def test_one_waits_at_a_time(scene: Scene) -> None:
    scene.ask()
    other = scene.browser(Role.SUPERVISOR)
    second = other.post(DECIDE, {"decision": "check_deck", "signature": "badge"})
    assert second.status_code == 409
    assert second.json()["detail"].startswith("observer waits for a badge already, for: play on ruling")


def test_whoever_asked_may_take_it_back_and_nobody_else(scene: Scene) -> None:
    number = scene.ask()["id"]
    other = scene.browser(Role.SUPERVISOR).request("delete", f"{DECIDE}/{number}")
    assert other.status_code == 409
    assert scene.observer.request("delete", f"{DECIDE}/{number}").status_code == 204
    assert scene.told(number)["state"] == "withdrawn"
    assert scene.observer.request("delete", f"{DECIDE}/{number}").status_code == 409
    scene.sign("S1", "supervisor")
    assert scene.record("supervisor") == []


def test_what_somebody_else_has_decided_meanwhile_is_not_decided_twice(scene: Scene) -> None:
    ruling, number = scene.ruling, scene.ask()["id"]
    supervisor = scene.browser(Role.SUPERVISOR)
    assert supervisor.post(DECIDE, {"decision": "confirm", "ruling": ruling}).status_code == 200
    scene.sign("S1", "director")
    told = scene.told(number)
    assert (told["state"], told["detail"]) == ("refused", f"ruling {ruling}: supervisor has decided it already")
    again = scene.observer.post(DECIDE, {"decision": "play_on", "ruling": ruling, "signature": "badge"})
    assert again.status_code == 409


def test_what_the_table_refuses_is_told_with_its_reason(scene: Scene) -> None:
    asked = scene.ask(decision="overrule", ruling=99, outcome="warn", reason="counted")
    scene.sign("S1", "supervisor")
    told = scene.told(asked["id"])
    assert (told["state"], told["detail"]) == ("refused", "there is no ruling 99")
    assert told["entry"] is None


def test_nothing_is_asked_for_without_signing_in(scene: Scene) -> None:
    assert Browser(scene.page).post(DECIDE, {"decision": "acknowledge", "signature": "badge"}).status_code == 401
    assert scene.observer.post(DECIDE, {"decision": "acknowledge"}).status_code == 403
    without_token = Browser(scene.page, {"cookie": scene.page.session(Role.OBSERVER, "o2")["cookie"]})
    assert without_token.post(DECIDE, {"decision": "acknowledge", "signature": "badge"}).status_code == 403
    assert scene.observer.get(f"{DECIDE}/77").status_code == 404


def test_in_the_running_loop_the_decision_comes_after_the_badge_has_been_taken(tmp_path: Path) -> None:
    async def play() -> None:
        page = Page(tmp_path)
        page.bench.open_table()
        page.bench.take(ShoeShuffled, deck="blue", count=36)
        signatures = Signatures(page.bench.keeper, page.bridge.indicating, page.staff, lambda: None)
        told: list[str] = []
        page.bench.keeper.on_outputs(lambda event, _: told.append(event.ev))
        [pending] = page.state()["table"]["pending"]
        asker = Person("otto", "otto", "observer", "127.0.0.1")
        asked = signatures.ask(asker, DecisionRequest("play_on", pending["id"], None, None))
        page.bench.take(Badge, staff="S1", role="supervisor")
        await asyncio.sleep(0)
        page.bench.time.pass_(ONCE_MORE_AFTER)
        page.bench.take(Badge, staff="S1", role="supervisor")
        assert asked.state is SignatureState.WAITING
        await asyncio.sleep(0)
        assert str(asked.state) == "done"
        assert told == ["badge", "badge", "supervisor"]
        page.close()

    asyncio.run(play())


def test_a_badge_that_is_shown_once_signs_nothing_and_the_display_says_what_it_would(scene: Scene) -> None:
    asked = scene.ask()
    scene.badge("S1", "supervisor")
    told = scene.told(asked["id"])
    assert (told["state"], told["detail"]) == ("waiting", "S1: to be shown once more to sign")
    assert "S1 signs: play on" in " ".join(scene.lines[-1])
    assert scene.record("supervisor") == []


@pytest.mark.parametrize(
    ("detail", "german"),
    [
        ("S1: to be shown once more to sign", "S1: Zum Unterschreiben noch einmal zeigen"),
        ("S1: its PIN is to be keyed to sign", "S1: Zum Unterschreiben ist seine PIN einzugeben"),
        ("S1: its PIN is wrong", "S1: Seine PIN ist falsch"),
        ("it waits for nobody any more", "Es wartet auf niemanden mehr"),
        (
            "S1: /x/staff.pins: no list of PINs; move it away, and set them anew: feltd user pin BADGE",
            "S1: /x/staff.pins: keine Liste von PINs; die Datei wegschieben und die PINs neu setzen: feltd user pin "
            "BADGE",
        ),
        (None, None),
    ],
)
def test_what_became_of_a_signature_is_told_in_german_behind_its_badge(detail: str | None, german: str | None) -> None:
    with speaking(Language.GERMAN):
        assert detail_in_words(detail) == german
    assert detail_in_words(detail) == detail


def test_the_state_and_the_answer_about_a_signature_are_in_the_readers_language(scene: Scene) -> None:
    asked, german = scene.ask(), {"accept-language": "de"}
    scene.badge("S1", "supervisor")
    told = "S1: Zum Unterschreiben noch einmal zeigen"
    assert scene.observer.get(f"{DECIDE}/{asked['id']}", german).json()["detail"] == told
    assert scene.observer.get("/api/v1/state", german).json()["signatures"][0]["detail"] == told


def test_a_badge_that_lies_on_its_reader_signs_nothing(scene: Scene) -> None:
    asked = scene.ask()
    for _ in range(int(WAITS_SECONDS / (ONCE_MORE_AFTER / 2)) - 1):
        scene.badge("S1", "supervisor")
        scene.page.bench.time.pass_(ONCE_MORE_AFTER / 2)
    assert scene.told(asked["id"])["state"] == "waiting"
    assert scene.record("supervisor") == []


def test_a_badge_that_comes_again_too_late_or_is_another_one_is_shown_for_the_first_time(scene: Scene) -> None:
    asked = scene.ask()
    scene.badge("S1", "supervisor")
    scene.page.bench.time.pass_(ONCE_MORE_WITHIN + 1)
    scene.page.signatures.expire()
    assert "Badge to sign:" in " ".join(scene.lines[-1])
    scene.badge("S1", "supervisor")
    scene.page.bench.time.pass_(ONCE_MORE_AFTER)
    scene.badge("S1042", "supervisor")
    assert scene.told(asked["id"])["state"] == "waiting"
    scene.page.bench.time.pass_(ONCE_MORE_AFTER)
    scene.badge("S1042", "supervisor")
    assert scene.told(asked["id"])["signed_by"] == "S1042"


def test_what_the_table_shows_meanwhile_makes_a_badge_be_shown_twice_again(scene: Scene) -> None:
    asked = scene.ask()
    scene.badge("S1", "supervisor")
    scene.page.bridge.indicating.set_again()  # as where a device comes back
    scene.page.bench.time.pass_(ONCE_MORE_AFTER)
    scene.badge("S1", "supervisor")
    assert scene.told(asked["id"])["state"] == "waiting"
    assert "S1 signs:" in " ".join(scene.lines[-1])
    scene.page.bench.time.pass_(ONCE_MORE_AFTER)
    scene.badge("S1", "supervisor")
    assert scene.told(asked["id"])["state"] == "done"


def test_a_badge_that_does_not_count_makes_one_that_does_be_shown_twice_again(scene: Scene) -> None:
    asked = scene.ask()
    scene.badge("S1", "supervisor")
    scene.badge("Q9", "supervisor")
    scene.page.bench.time.pass_(ONCE_MORE_AFTER)
    scene.badge("S1", "supervisor")
    assert scene.told(asked["id"])["state"] == "waiting"


def test_without_a_display_nothing_is_asked_for_and_nothing_signed(scene: Scene) -> None:
    asked, slot = scene.ask(), scene.page.bridge.slots["indicators"]
    slot.online = False
    scene.sign("S1", "supervisor")
    told = scene.told(asked["id"])
    assert told["state"] == "waiting"
    assert "no display at this table is online" in told["detail"]
    assert scene.observer.request("delete", f"{DECIDE}/{asked['id']}").status_code == 204
    again = scene.observer.post(DECIDE, {"decision": "play_on", "ruling": scene.ruling, "signature": "badge"})
    assert again.status_code == 409
    assert "no display at this table is online" in again.json()["detail"]


def test_who_asks_again_and_again_is_told_to_wait_and_what_is_signed_does_not_count(scene: Scene) -> None:
    for _ in range(ASKS_AT_ONCE):
        number = scene.ask()["id"]
        assert scene.observer.request("delete", f"{DECIDE}/{number}").status_code == 204
    entries = len(scene.by_hand())
    body = {"decision": "play_on", "ruling": scene.ruling, "signature": "badge"}
    refused = scene.observer.post(DECIDE, body)
    assert refused.status_code == 409
    assert refused.json()["detail"] == "a badge was asked for too often: ask again in 61 seconds"
    assert len(scene.by_hand()) == entries, "what is refused is no entry"
    scene.page.bench.time.pass_(60 / ASKS_A_MINUTE)
    scene.ask()
    scene.sign("S1", "supervisor")
    assert scene.observer.post(DECIDE, {"decision": "check_deck", "signature": "badge"}).status_code == 202


def test_a_technician_asks_for_no_badge(scene: Scene) -> None:
    refused = scene.browser(Role.TECHNICIAN).post(DECIDE, {"decision": "check_deck", "signature": "badge"})
    assert refused.status_code == 403


@pytest.mark.parametrize(
    ("rows", "columns", "language"),
    [(4, 20, Language.ENGLISH), (4, 20, Language.GERMAN), (2, 40, Language.ENGLISH), (2, 40, Language.GERMAN)],
)
def test_the_usual_displays_say_whole_what_a_badge_signs(
    scene: Scene, rows: int, columns: int, language: Language
) -> None:
    scene.display(rows, columns, language)
    said = set()
    for outcome in ("misdeal", "void_round"):
        asked = scene.ask(decision="overrule", outcome=outcome, reason="a wrong count")
        scene.badge("S1042", "supervisor")
        with speaking(language):
            what = word(Outcome(outcome))
        assert what.replace(" ", "") in "".join(scene.lines[-1]).replace(" ", "")
        said.add(tuple(scene.lines[-1]))
        scene.observer.request("delete", f"{DECIDE}/{asked['id']}")
    assert len(said) == 2


@pytest.mark.parametrize(("rows", "columns"), [(2, 20), (1, 40)])
def test_a_display_that_cuts_off_what_is_signed_signs_nothing(scene: Scene, rows: int, columns: int) -> None:
    scene.display(rows, columns, Language.ENGLISH)
    body = {"decision": "overrule", "outcome": "misdeal", "ruling": scene.ruling, "signature": "badge"}
    body["reason"] = "a wrong count"
    refused = scene.observer.post(DECIDE, body)
    assert refused.status_code == 409, refused.text
    assert "a display of this table is too small" in refused.json()["detail"]


def test_a_badge_signs_nothing_on_a_smaller_display_that_took_the_place_of_the_first(scene: Scene) -> None:
    scene.display(4, 20, Language.ENGLISH)
    asked = scene.ask(decision="overrule", outcome="misdeal", reason="a wrong count")
    scene.display(2, 20, Language.ENGLISH)
    scene.sign("S1042", "supervisor")
    told = scene.told(asked["id"])
    assert told["state"] == "waiting"
    assert "too small" in told["detail"]

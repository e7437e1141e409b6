"""The technician who is signed in for an acceptance: what a listening test has shown, the page's certificate, a table
that refuses."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from devices.pins.on_mock import CHIP
from feltd.acceptance.run import StepFailedError
from feltd.acceptance.steps import Act, Listening, Message, Motion
from feltd.acceptance.technician import SignedIn, TechnicianError, judged, page_of
from feltd.door.devices import TrialKind
from feltd.page import certificate
from tests.feltd.acceptance_support import ANNA, SECRET, played, write_table

PINS = """
[pins]
factory = "mock"
[[pins.key]]
name = "deal_start"
line = 17
[[pins.lamp]]
name = "play"
line = 12
"""


def seen(event: str, place: str | None = None, read: bool | None = None, **said: Any) -> dict[str, Any]:
    return {"event": event, "place": place, "read": read, "said": said}


FOLD = Listening("keys:pins", (Message(("action",), {"seat": 3, "action": "fold"}),), alone=True)
CARD = Listening(
    "reader", (Message(("placed",), {"zone": "seat:3"}, read=True), Message(("looked",), {"zone": "seat:3"}))
)


@pytest.mark.parametrize(
    ("listening", "heard", "wrong"),
    [
        (FOLD, [], None),
        (FOLD, [seen("action", "seat:3", seat=3, action="fold")], ""),
        (FOLD, [seen("action", "seat:3", seat=3, action="call")],
         "keys:pins said action (seat 3, action call) where action (seat 3, action fold) was to come"),
        (FOLD, [seen("action", "seat:3", seat=3, action="fold"), seen("hand_end")],
         "keys:pins said hand_end where nothing more was to come"),
        (CARD, [seen("placed", "seat:3", True)], None),
        (CARD, [seen("placed", "seat:3", True), seen("looked", "seat:3")], ""),
        (CARD, [seen("placed", "seat:2", True), seen("placed", "seat:3", True), seen("looked", "seat:3")], ""),
        (CARD, [seen("placed", "seat:3", False), seen("looked", "seat:3")], None),
        (CARD, [seen("looked", "seat:3"), seen("placed", "seat:3", True)], None),
        (Listening("keys", (Message(("pot", "hand_end")),)), [seen("hand_end")], ""),
    ],
)  # fmt: skip
def test_what_was_heard_is_judged(listening: Listening, heard: list[Mapping[str, Any]], wrong: str | None) -> None:
    assert judged(listening, list(heard)) == wrong


class Page:
    """Answers as a table does."""

    def __init__(self, *answers: tuple[int, Any]) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[str, str, Any]] = []

    def ask(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        self.asked.append((method, path.removeprefix("/api/v1"), None if body is None else json.loads(body)))
        status, told = self._answers.pop(0)
        if isinstance(told, OSError):
            raise told
        return status, {"set-cookie": "feltd=1; path=/"}, json.dumps(told).encode()


IN = (200, {"csrf": "token", "rights": ["see", "devices"], "role": "technician"})


def trial(number: int, *heard: Mapping[str, Any], over: str | None = None) -> tuple[int, Any]:
    return 200, {"test": {"number": number, "device": "keys:pins", "over": over, "seen": list(heard)}}


def test_a_test_that_runs_out_is_begun_anew_and_forgets_nothing() -> None:
    first, second = seen("placed", "seat:3", True), seen("looked", "seat:3")
    page = Page(
        IN, (200, {"number": 1}), trial(1, first, over="its time is over"), (200, {"number": 2}), trial(2, second)
    )
    technician = SignedIn(page.ask, ANNA, SECRET)
    technician.listen(CARD)
    assert technician.heard(CARD) is None
    assert technician.heard(CARD) == ""


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (trial(7), "somebody else has begun another test"),
        (trial(1, over="a round began"), "the test was ended: a round began"),
        ((401, {"detail": "sign in first"}), "the table says: sign in first; the session is over"),
        ((0, ConnectionRefusedError("refused")), "the table's page cannot be asked"),
    ],
)
def test_a_test_that_somebody_ends_has_failed(told: tuple[int, Any], words: str) -> None:
    technician = SignedIn(Page(IN, (200, {"number": 1}), told).ask, ANNA, SECRET)
    technician.listen(FOLD)
    with pytest.raises(StepFailedError, match=words):
        technician.heard(FOLD)


def test_test_mode_that_cannot_be_ended_is_told() -> None:
    page = Page(IN, (200, {}), (503, {"detail": "the record cannot be kept"}), (204, {}))
    technician = SignedIn(page.ask, ANNA, SECRET)
    technician.do(Motion(Act.BEGIN_TESTS, ""))
    said = technician.leave()
    assert said is not None
    assert said.startswith("the table is still in test mode (the table says: the record cannot be kept)")
    assert page.asked[-1][:2] == ("DELETE", "/session")


def test_what_is_no_table_is_told() -> None:
    def other(*_: Any) -> tuple[int, Mapping[str, str], bytes]:
        return 200, {}, b"<html>"

    with pytest.raises(TechnicianError, match="does another program listen there"):
        SignedIn(other, ANNA, SECRET)


@pytest.fixture
def fresh_pins() -> Iterator[None]:
    CHIP.pins.clear()
    yield
    CHIP.pins.clear()


@pytest.mark.usefixtures("fresh_pins")
def test_a_page_under_tls_is_believed_by_its_own_certificate_and_by_no_other(tmp_path: Path) -> None:
    made = certificate.made(tmp_path, ("pit.example",))
    words = f'certificate = "{made.file}"\ncertificate_key = "{made.key}"'
    with played(write_table(tmp_path, PINS, page=words)) as table:
        technician = SignedIn(page_of(table.config), ANNA, SECRET)
        assert {one["name"] for one in technician.devices()["devices"]} == {"keys:pins", "indicators:pins"}
        with pytest.raises(StepFailedError, match="devices are tested in test mode only"):
            technician.do(Motion(Act.TEST, "", device="indicators:pins", test=TrialKind.LAMP, lamp="play"))
        technician.leave()
        (tmp_path / "other").mkdir()
        other = certificate.made(tmp_path / "other", ("pit.example",))
        page = table.config.page.model_copy(update={"certificate": other.file})
        with pytest.raises(TechnicianError, match=r"cannot be asked: .*certificate"):
            SignedIn(page_of(table.config.model_copy(update={"page": page})), ANNA, SECRET)

"""Only a badge that the table lists counts: as a signature, as a witness, as the card behind a key's decision."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from feltd.door import DecisionRequest, Person, SignatureState, StaffMember
from feltd.record import JournalReader, Span
from feltd.record.notes import BAD_MESSAGE_NOTE
from feltd.table.daemon.daemon import say_if_nobody_signs
from feltd.table.keeper.badge_pins import PinsWanted, put_pin
from feltd.table.keeper.badges import signing_roles
from feltd.table.keeper.signatures import NOTICE_SECONDS, SignatureRefused, Signatures
from feltd.table.keeper.staff import StaffList
from table_fsm.events import ShoeShuffled
from tests.feltd.page_support import Page
from tests.feltd.table_support import BOOKS, BOOT, KEY

OTTO = Person("otto", "otto", "observer", "x")
NOT_LISTED = "this badge is not on the table's list"


class Scene:
    """A table with a ruling that waits, and its devices' messages."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.page = Page(folder)
        self.journal = folder / "table.journal"
        self.lines: list[str] = []
        self.page.bench.open_table()
        self.page.bench.take(ShoeShuffled, deck="blue", count=36)
        self._seq = 0

        def post(name: str, args: Mapping[str, Any]) -> None:
            if name == "display":
                self.lines.append(" ".join(args["lines"]))

        monkeypatch.setattr(self.page.bridge.slots["indicators"].link, "post", post)

    def says(self, device: str, **body: Any) -> None:
        self._seq += 1
        self.page.bridge.on_event(device, BOOT, self._seq, body)

    def badge(self, staff: str, role: str) -> None:
        self.says("badge", ev="badge", staff=staff, role=role)

    def pass_(self, seconds: float) -> None:
        """Time goes by, with the table's beat."""
        self.page.bench.time.pass_(seconds)
        self.page.signatures.expire()

    async def record(self, name: str) -> list[dict[str, Any]]:
        await self.page.bench.synced()
        with JournalReader.open(self.journal) as reader:
            return [entry.body for entry in reader.entries(Span(name=name))]

    async def refused(self) -> list[str]:
        return [note["fault"] for note in await self.record("note") if note["note"] == BAD_MESSAGE_NOTE]

    def ask(self) -> int:
        [pending] = self.page.state()["table"]["pending"]
        decision = DecisionRequest("play_on", pending["id"], None, None)
        return self.page.signatures.ask(OTTO, decision).number

    def asked(self, number: int) -> tuple[SignatureState, str | None]:
        signature = self.page.signatures.find(number)
        assert signature is not None
        return signature.state, signature.detail


def played(folder: Path, monkeypatch: pytest.MonkeyPatch, what: Callable[[Scene], Awaitable[None]]) -> None:
    async def play() -> None:
        scene = Scene(folder, monkeypatch)
        try:
            await what(scene)
        finally:
            scene.page.close()

    asyncio.run(play())


@pytest.mark.parametrize(
    ("staff", "role", "why"),
    [
        ("Q9", "supervisor", NOT_LISTED),
        ("s1042", "supervisor", NOT_LISTED),
        ("S10422", "director", NOT_LISTED),
        ("Q9", "inspector", NOT_LISTED),
        ("Q9", "surveillance", NOT_LISTED),
        ("S1042", "director", "the card says director, the table's list says supervisor"),
        ("I1", "supervisor", "the card says supervisor, the table's list says inspector"),
        ("X1", "supervisor", "the account of this badge is shut"),
    ],
)
def test_a_badge_that_does_not_count_is_no_event_of_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, staff: str, role: str, why: str
) -> None:
    async def scene(at: Scene) -> None:
        await at.page.staff.keep([StaffMember("X1", "xaver", "supervisor", False)])
        number = at.ask()
        at.badge(staff, role)
        assert at.asked(number) == (SignatureState.WAITING, f"{staff}: {why}")
        assert await at.record("badge") == []
        assert await at.record("supervisor") == []
        [told] = await at.refused()
        assert why in told
        assert staff not in told.replace(why, "")
        assert at.page.bench.indicators.acknowledged[-1] == ("badge", 1), "the device may forget it: the record has it"
        at.badge("S1042", "supervisor")
        assert [badge["staff"] for badge in await at.record("badge")] == ["S1042"]

    played(tmp_path, monkeypatch, scene)


def test_a_dealers_badge_signs_nothing_and_says_who_deals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(at: Scene) -> None:
        at.badge("Q17", "dealer")
        assert [badge["staff"] for badge in await at.record("badge")] == ["Q17"]
        assert await at.refused() == []

    played(tmp_path, monkeypatch, scene)


def test_a_role_that_a_book_of_ones_own_asks_for_is_one_that_signs() -> None:
    books = list(BOOKS.values())
    assert "dealer" not in signing_roles(books)
    [book] = [book for book in books if book.book.deck.replacement_badges][:1]
    deck = book.book.deck.model_copy(update={"replacement_badges": ("dealer",)})

    class OfOnesOwn:
        """A book that takes a dealer's badge for the check of new cards."""

        book = books[0].book.model_copy(update={"deck": deck})

    assert "dealer" in signing_roles([OfOnesOwn()])  # type: ignore[list-item]  # what is read of one


@pytest.mark.parametrize(("staff", "why"), [("Q9", NOT_LISTED), ("I1", "the role inspector does not decide")])
def test_a_decision_by_key_needs_a_listed_card_that_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, staff: str, why: str
) -> None:
    async def scene(at: Scene) -> None:
        ruling = at.page.state()["table"]["pending"][0]["id"]
        at.says("keys", ev="decision", decision="play_on", ruling=ruling, staff=staff)
        assert await at.record("supervisor") == []
        [told] = await at.refused()
        assert why in told
        at.says("keys", ev="decision", decision="play_on", ruling=ruling, staff="S1042")
        assert [decided["staff"] for decided in await at.record("supervisor")] == ["S1042"]

    played(tmp_path, monkeypatch, scene)


def test_the_display_says_why_for_a_moment_and_then_what_it_said_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(at: Scene) -> None:
        at.ask()
        assert "Badge to sign:" in at.lines[-1]
        at.badge("Q9", "supervisor")
        assert at.lines[-1].startswith(f"Badge not taken: {NOT_LISTED}")
        at.pass_(NOTICE_SECONDS)
        assert "Badge to sign:" in at.lines[-1]
        shown = len(at.lines)
        at.badge("Q9", "supervisor")  # a card that is held again and again covers nothing
        assert not any("not taken" in line for line in at.lines[shown:])
        at.pass_(NOTICE_SECONDS)
        at.badge("Q9", "supervisor")
        assert "Badge not taken" in at.lines[-1]
        at.badge("S1", "supervisor")
        await asyncio.sleep(0)
        assert "Badge" not in at.lines[-1]

    played(tmp_path, monkeypatch, scene)


def test_where_nobody_may_decide_no_badge_is_asked_for_and_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(at: Scene) -> None:
        page = at.page
        none = StaffList(tmp_path / "none.json")
        signatures = Signatures(page.bench.keeper, page.bridge.indicating, none, lambda: None)
        [pending] = page.state()["table"]["pending"]
        with pytest.raises(SignatureRefused, match="no badge on this table's list may decide; list one: feltd user"):
            signatures.ask(OTTO, DecisionRequest("play_on", pending["id"], None, None))
        say_if_nobody_signs(page.bridge, none, page.pins)
        assert "no badge on this table's list may decide" in page.bridge.faults[0].text
        for wanted, said in (
            (PinsWanted.OF_WEIGHT, "badge: no badge signs overrule, misdeal, void, exclude, shelve, because none that"),
            (PinsWanted.EACH, "badge: no badge decides, because none that may has a PIN: decide at the page, or"),
        ):
            monkeypatch.setattr(page.pins, "_wanted", wanted)
            say_if_nobody_signs(page.bridge, page.staff, page.pins)
            assert page.bridge.faults[0].text.startswith(said)
        put_pin(page.pins_file, KEY, "I77", "70952")  # of a badge that is not on the list: it signs nothing
        page.pins.look()
        say_if_nobody_signs(page.bridge, page.staff, page.pins)
        told = len(page.bridge.faults)
        assert page.bridge.faults[0].text.startswith(said)
        put_pin(page.pins_file, KEY, "S1042", "70951")
        page.pins.look()
        say_if_nobody_signs(page.bridge, page.staff, page.pins)
        assert len(page.bridge.faults) == told

    played(tmp_path, monkeypatch, scene)

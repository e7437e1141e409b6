"""Cards for a broadcast: two persons, a delay that the table keeps, and nobody reads one in the record sooner."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from feltd.door import CommandRefused, Person
from feltd.door.together import ASKED_SECONDS, StepKind
from feltd.page.access.roles import Right, Role
from feltd.record import EntryKind, JournalReader, Reveal, Seal, Span
from feltd.record.notes import BROADCAST_NOTE, BROADCAST_OFF_NOTE, BROADCAST_ON_NOTE, BY_HAND_NOTE
from feltd.record.unseal_keys import PrivateKey
from feltd.record.verify import verify
from feltd.table.keeper.broadcast import Broadcast, BroadcastTo
from feltd.table.keeper.deliveries import Delivery
from feltd.table.keeper.together import APPROVED_NOTE, ASKED_NOTE, Together
from table_fsm.events import ShoeDeckChecked
from tests.feltd.history_support import record
from tests.feltd.page_support import SECRET, Browser, Page
from tests.feltd.seal_support import PRIVATE, PUBLIC
from tests.feltd.table_support import KEY, Bench
from tests.feltd.test_seal import FACE_DOWN, take

TV = PrivateKey(bytes(range(50, 82)))
DELAY = 15
BROADCAST = "/api/v1/broadcast"
TOGETHER = "/api/v1/together"
WANTS = {"on": True, "password": SECRET}


def person(account: str) -> Person:
    return Person(f"{account} (supervisor)", account, "supervisor", "192.0.2.7")


ANNA, OTTO = person("anna"), person("otto")


class Table:
    """A table with a record for surveillance and a broadcast."""

    def __init__(self, folder: Path, **journal: Any) -> None:
        self.bench = Bench(folder, sealed_to=PUBLIC, **journal)
        self.together = Together(self.bench.keeper, lambda: None)
        self.broadcast = Broadcast(
            self.bench.keeper, self.bench.journal, self.together, BroadcastTo(TV.public, DELAY),
            lambda: self.bench.time.monotonic,
        )  # fmt: skip

    def turn_on(self) -> None:
        self.broadcast.want(ANNA, on=True)
        self.broadcast.want(OTTO, on=True)

    def turn_off_and_on(self) -> None:
        self.broadcast.want(ANNA, on=False)
        self.turn_on()

    def play(self, rounds: int = 2, seed: int = 3) -> None:
        record(self.bench, rounds=rounds, mistakes=0.0, seed=seed)

    def deal(self, number: int, middle: Callable[[], object] = lambda: None) -> None:
        """A round of two cards that nobody is shown, past the table; `middle`: between the two."""
        journal = self.bench.journal
        journal.begin_round(number)
        take(journal, FACE_DOWN[2], number)
        middle()
        take(journal, FACE_DOWN[5], number)
        journal.end_round(number)

    def pass_(self, seconds: float) -> None:
        self.bench.time.pass_(seconds)
        self.broadcast.beat()

    def shut(self) -> list[int]:
        """The entries with a card that the holder of the broadcast's private half cannot read now, of rounds over."""
        self.bench.journal.flush_blocking(10)
        with JournalReader.open(self.bench.journal.path, unseal=TV) as reader:
            entries = list(reader.entries(Span(kind=EntryKind.EVENT)))
        assert not [entry for entry in entries if entry.seal is Seal.BROKEN]
        return [entry.seq for entry in entries if entry.round and entry.seal in (Seal.NEVER_SHOWN, Seal.CLOSED)]

    def notes(self, words: str) -> list[Any]:
        self.bench.journal.flush_blocking(10)
        with JournalReader.open(self.bench.journal.path) as reader:
            found = reader.entries(Span(kind=EntryKind.HOST), reveal=Reveal.NOTHING)
            return [entry.body for entry in found if entry.body.get("note") == words]


@contextmanager
def table(folder: Path, **journal: Any) -> Iterator[Table]:
    async def make() -> Table:
        return Table(folder, **journal)

    made = asyncio.run(make())
    try:
        yield made
    finally:
        made.bench.journal.close()


def test_its_cards_open_after_the_delay_and_no_second_sooner(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        it.turn_on()
        it.play()
        it.pass_(0.0)
        shut = it.shut()
        assert shut, "a round whose every card was shown proves nothing"
        it.pass_(60.0 * DELAY - 1.0)
        assert it.shut() == shut
        assert it.notes(BROADCAST_NOTE) == []
        files = b"".join(file.read_bytes() for file in sorted(tmp_path.iterdir()) if file.is_file())
        assert BROADCAST_NOTE.encode() not in files
        it.pass_(1.0)
        assert it.shut() == []
        assert {len(note["box"]) for note in it.notes(BROADCAST_NOTE)} == {160}
        assert {note["to"] for note in it.notes(BROADCAST_NOTE)} == {TV.fingerprint}
        with JournalReader.open(it.bench.journal.path, unseal=PRIVATE) as reader:  # surveillance has its own as before
            entries = list(reader.entries(Span(kind=EntryKind.EVENT)))
        assert {entry.seal for entry in entries if entry.seq in shut} == {Seal.OPENED}
    # once it is closed: the table's clock has gone on by minutes, and the signer's thread may be behind it until then
    with JournalReader.open(it.bench.journal.path, KEY) as reader:
        assert verify(reader).sound


def test_one_person_alone_turns_nothing_on(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        it.broadcast.want(ANNA, on=True)
        with pytest.raises(CommandRefused, match="who asked does not approve: another person must"):
            it.broadcast.want(ANNA, on=True)
        it.play()
        it.pass_(60.0 * DELAY)
        it.pass_(60.0 * DELAY)
        assert it.notes(BROADCAST_NOTE) == []
        assert it.broadcast.facts is not None
        assert (it.broadcast.facts.on, it.broadcast.facts.asked) == (False, None)


def test_a_wish_waits_a_quarter_of_an_hour_for_the_second_person(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        it.broadcast.want(ANNA, on=True)
        it.bench.time.pass_(ASKED_SECONDS)
        it.broadcast.want(OTTO, on=True)  # a wish of their own now
        facts = it.broadcast.facts
        assert facts is not None
        assert (facts.on, facts.asked) == (False, "otto")
        it.broadcast.want(ANNA, on=True)
        facts = it.broadcast.facts
        assert facts is not None
        assert (facts.on, facts.by, facts.to, facts.delay_minutes) == (True, ("otto", "anna"), TV.fingerprint, DELAY)
        with pytest.raises(CommandRefused, match="is on already"):
            it.broadcast.want(OTTO, on=True)


def test_who_turned_it_on_and_off_is_on_record(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        it.turn_on()
        it.broadcast.want(ANNA, on=False)
        with pytest.raises(CommandRefused, match="is off already"):
            it.broadcast.want(ANNA, on=False)
        told = [(note["who"], note["what"]) for note in it.notes(BY_HAND_NOTE)]
        assert told == [
            ("anna", ASKED_NOTE), ("otto", APPROVED_NOTE), ("otto", BROADCAST_ON_NOTE), ("anna", BROADCAST_OFF_NOTE),
        ]  # fmt: skip
        asked, approved, on, _ = it.notes(BY_HAND_NOTE)
        assert {note["step"] for note in (asked, approved)} == {StepKind.BROADCAST}
        assert (approved["asked_by"], on["asked_by"], on["key"]) == ("anna", "anna", TV.fingerprint)


def test_off_nobody_gets_what_was_held_back_nor_what_comes(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        it.turn_on()
        it.play()
        it.pass_(1.0)
        it.broadcast.want(ANNA, on=False)
        it.deal(99)
        for _ in range(3):
            it.pass_(60.0 * DELAY)
        assert it.notes(BROADCAST_NOTE) == []
        assert it.shut()


def test_a_round_in_which_it_was_turned_on_or_off_and_on_again_is_not_broadcast(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        it.deal(1, it.turn_on)
        it.deal(2, it.turn_off_and_on)
        it.deal(3)
        it.pass_(0.0)
        it.pass_(60.0 * DELAY)
        assert [note["round"] for note in it.notes(BROADCAST_NOTE)] == [3]


def test_a_round_counts_by_how_it_began_and_not_by_when_its_first_card_came(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        journal = it.bench.journal
        journal.begin_round(1)
        journal.broadcast_to(TV.public)  # without the notes of two persons, which the round's key seals words of
        take(journal, FACE_DOWN[2], 1)
        journal.end_round(1)
        assert journal.take_boxed() == []
        journal.begin_round(2)
        journal.broadcast_to(None)
        journal.broadcast_to(TV.public)
        take(journal, FACE_DOWN[2], 2)
        journal.end_round(2)
        assert journal.take_boxed() == []


def test_what_comes_for_a_round_after_its_end_is_not_broadcast(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        journal = it.bench.journal
        it.deal(1)  # it was off for all of this round
        it.turn_on()
        take(journal, FACE_DOWN[4], 1)  # a late card
        journal.end_round(1)
        it.deal(2)
        take(journal, FACE_DOWN[4], 2)
        journal.begin_round(3)
        take(journal, FACE_DOWN[3], 2)
        for number in (2, 3):
            journal.end_round(number)
        assert [boxed.number for boxed in journal.take_boxed()] == [2]


def test_a_check_of_the_pack_between_two_rounds_tells_nobody_the_cards_of_the_round_before(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        it.play()  # it was off for all of these rounds
        it.turn_on()
        it.bench.keeper.deliver(
            Delivery("test", lambda t: [ShoeDeckChecked(t=t, count=50, deck="blue", missing=["As", "7d"])])
        )
        for number in it.bench.journal.open_rounds:
            it.bench.journal.end_round(number)
        it.pass_(0.0)
        it.pass_(60.0 * DELAY)
        assert it.notes(BROADCAST_NOTE) == []


def test_a_start_finds_it_off_and_has_forgotten_what_was_held_back(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        it.turn_on()
        it.play()
        it.pass_(1.0)
        before = it.shut()
    with table(tmp_path) as it:
        facts = it.broadcast.facts
        assert facts is not None
        assert (facts.on, facts.waiting) == (False, 0)
        for _ in range(3):
            it.pass_(60.0 * DELAY)
        assert it.shut() == before


def test_a_wall_clock_that_is_set_changes_no_delay(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        it.turn_on()
        it.play()
        it.pass_(0.0)
        it.bench.time.wall += 86_400.0
        it.pass_(1.0)
        assert it.notes(BROADCAST_NOTE) == []


def test_while_the_record_cannot_be_kept_nothing_is_let_go(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        it.turn_on()
        it.play()
        it.pass_(0.0)
        it.bench.keeper.stopped = "the disk is full"
        it.pass_(60.0 * DELAY)
        assert it.broadcast.facts is not None
        assert it.broadcast.facts.waiting > 0
        it.bench.keeper.stopped = None
        it.pass_(1.0)
        assert it.broadcast.facts.waiting == 0


def test_who_wants_it_is_one_of_the_steps_that_take_two_and_who_may_see_cards_approves_it_there(tmp_path: Path) -> None:
    async def scene(page: Page) -> None:
        assert (await post_as(page, Role.SURVEILLANCE, WANTS)).status_code == 204
        [step] = (await Browser(page, page.session(Role.TECHNICIAN)).ask("get", TOGETHER)).json()
        assert (step["kind"], step["about"], step["asked_by"]) == ("broadcast", TV.fingerprint, "surveillance")
        approval = f"{TOGETHER}/{step['id']}/approval"
        technician = Browser(page, page.session(Role.TECHNICIAN))
        assert (await technician.ask("post", approval, None, {"password": SECRET})).status_code == 403
        facts = page.door.now().broadcast
        assert facts is not None
        assert not facts.on
        director = Browser(page, page.session(Role.DIRECTOR))
        assert (await director.ask("post", approval, None, {"password": SECRET})).status_code == 200
        facts = page.door.now().broadcast
        assert facts is not None
        assert (facts.on, facts.by, facts.asked) == (True, ("surveillance", "director"), None)
        assert (await director.ask("post", approval, None, {"password": SECRET})).status_code == 409

    at_the_page(tmp_path, scene)


def test_a_wish_that_is_taken_back_waits_no_more(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        it.broadcast.want(ANNA, on=True)
        it.broadcast.want(OTTO, on=False)
        assert it.broadcast.facts is not None
        assert it.broadcast.facts.asked is None
        with pytest.raises(CommandRefused, match="is off already"):
            it.broadcast.want(OTTO, on=False)


def test_a_token_is_no_other_person_than_its_owner(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        for first, second in (("anna", "anna token 0123abcd"), ("otto token 0123abcd", "otto token 4567abcd")):
            it.broadcast.want(person(first), on=True)
            with pytest.raises(CommandRefused, match="another person must"):
                it.broadcast.want(person(second), on=True)
            it.broadcast.want(ANNA, on=False)


def at_the_page(folder: Path, scene: Callable[[Page], Coroutine[Any, Any, None]]) -> None:
    """A page whose table has a broadcast."""

    async def all_of_it() -> None:
        page = Page(folder, open_here=False)
        try:
            to = BroadcastTo(TV.public, DELAY)
            together = page.workshop.together
            page.door.broadcasting = Broadcast(page.bench.keeper, page.bench.journal, together, to)
            page.bench.open_table()
            await scene(page)
        finally:
            page.close()

    asyncio.run(all_of_it())


async def post_as(page: Page, role: Role, body: dict[str, Any]) -> httpx.Response:
    return await Browser(page, page.session(role)).ask("post", BROADCAST, None, body)


def test_no_token_wants_it_agrees_or_turns_it_off(tmp_path: Path) -> None:
    async def scene(page: Page) -> None:
        assert (await post_as(page, Role.SUPERVISOR, WANTS)).status_code == 204
        page.session(Role.DIRECTOR)
        for name in ("supervisor", "director"):
            role = Role(name)
            scope, now = {Right.SEE, Right.SEE_CARDS}, page.bench.time.wall
            _, _, text = page.accounts.add_token(name, "a program", role, scope, 1, now)
            program = Browser(page, {"authorization": f"Bearer {text}"})
            for body in (WANTS, {"on": False}):
                assert (await program.ask("post", BROADCAST, None, body)).status_code == 403
        facts = page.door.now().broadcast
        assert facts is not None
        assert (facts.on, facts.asked) == (False, "supervisor")

    at_the_page(tmp_path, scene)


def test_wanting_it_and_agreeing_take_password_and_second_factor(tmp_path: Path) -> None:
    async def scene(page: Page) -> None:
        wrong = {"on": True, "password": "something else, and long"}
        for role in (Role.SUPERVISOR, Role.DIRECTOR):
            assert (await post_as(page, role, {"on": True})).status_code == 422
            assert "password is wrong" in (await post_as(page, role, wrong)).json()["detail"]
            page.accounts.put_second_factor(role.value, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
            assert "second factor" in (await post_as(page, role, WANTS)).json()["detail"]
            page.accounts.put_second_factor(role.value, None)
            facts = page.door.now().broadcast
            assert facts is not None
            assert (facts.on, facts.asked) == (False, None if role is Role.SUPERVISOR else "supervisor")
            assert (await post_as(page, role, WANTS)).status_code == 204
        facts = page.door.now().broadcast
        assert facts is not None
        assert facts.by == ("supervisor", "director")

    at_the_page(tmp_path, scene)


@pytest.mark.parametrize("change", [{"enabled": False}, {"role": Role.OBSERVER}], ids=["shut", "another role"])
def test_a_wish_counts_no_more_once_its_account_may_not_have_it(tmp_path: Path, change: dict[str, Any]) -> None:
    async def scene(page: Page) -> None:
        assert (await post_as(page, Role.SUPERVISOR, WANTS)).status_code == 204
        page.accounts.change("supervisor", **change)
        refused = await post_as(page, Role.DIRECTOR, WANTS)
        assert refused.status_code == 409
        assert "ask for it again" in refused.json()["detail"]
        assert (await post_as(page, Role.DIRECTOR, WANTS)).status_code == 204
        facts = page.door.now().broadcast
        assert facts is not None
        assert (facts.on, facts.asked) == (False, "director")

    at_the_page(tmp_path, scene)


def test_two_accounts_turn_it_on_at_the_page_and_everybody_there_sees_it(tmp_path: Path) -> None:
    async def said(page: Page) -> None:
        async def post(role: Role, on: bool) -> int:
            return (await post_as(page, role, WANTS if on else {"on": False})).status_code

        assert await post(Role.OBSERVER, True) == await post(Role.TECHNICIAN, True) == 403
        assert await post(Role.DIRECTOR, True) == 204
        assert await post(Role.DIRECTOR, True) == 409
        state = (await Browser(page, page.session(Role.OBSERVER)).ask("get", "/api/v1/state")).json()
        assert (state["broadcast"]["on"], state["broadcast"]["asked"]) == (False, "director")
        assert await post(Role.SURVEILLANCE, True) == 204
        observer = Browser(page, page.session(Role.OBSERVER))
        state = (await observer.ask("get", "/api/v1/state")).json()
        assert state["broadcast"]["by"] == ["director", "surveillance"]
        shown = (await observer.ask("get", "/devices")).text
        banner = shown[shown.index('id="broadcast"') :].split(">", 1)[0]
        assert "hidden" not in banner
        assert (await observer.ask("get", "/broadcast")).status_code == 200
        assert await post(Role.SUPERVISOR, False) == 204
        assert await post(Role.SUPERVISOR, False) == 409

    at_the_page(tmp_path, said)


def test_a_table_whose_file_names_no_key_has_none(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        without = Broadcast(it.bench.keeper, it.bench.journal, it.together, None)
        without.beat()
        assert without.facts is None
        with pytest.raises(CommandRefused, match=r"names no key for one \(\[broadcast\]\)"):
            without.want(ANNA, on=True)


def test_a_box_that_was_changed_or_is_another_rounds_opens_nothing(tmp_path: Path) -> None:
    with table(tmp_path) as it:
        it.turn_on()
        it.play()
        it.pass_(0.0)
        shut = it.shut()
        for boxed in it.broadcast._held:
            object.__setattr__(boxed.boxed, "box", bytes(80))
        it.pass_(60.0 * DELAY)
        assert it.shut() == shut
        assert {note["box"] for note in it.notes(BROADCAST_NOTE)} == {"00" * 80}

"""Tables of earlier versions under this one: refused in the middle of a round, taken over between two rounds.

The recordings were made by the code of those versions (`editions/README.md`). This version rules otherwise on some
events, and the texts of its rulebooks are others: a round that an earlier version began is ended there.
"""

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from devices.simulated.direct import DirectTable
from feltd.launcher.page_process import settings_of
from feltd.launcher.trouble import known_of, trouble_of
from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from feltd.page.opening import served
from feltd.page.out_of_order import make_app
from feltd.record import EntryKind, HostEntry, JournalReader, Span
from feltd.record.findings import Anchor, Elsewhere
from feltd.record.notes import START_NOTE
from feltd.record.verify import anchor_of, verify
from feltd.simulated.games import game_for
from feltd.table.check.check import check_file
from feltd.table.daemon.assembly import Daemon
from feltd.table.daemon.daemon import opened
from feltd.table.keeper.deliveries import Delivery
from feltd.table.keeper.edition import RecoveryError, software
from table_fsm.events import Event, TableClose, TableOpen
from table_fsm.outputs import Output
from tests.feltd.edition_support import PASSWORD, RECORDINGS, Installed, Recording, differences_of, feltd


@pytest.fixture(params=RECORDINGS, ids=str)
def installed(request: pytest.FixtureRequest, tmp_path: Path) -> Installed:
    """A table that was killed in the middle of a round."""
    recording: Recording = request.param
    return recording.unpack(tmp_path)


@pytest.fixture
def rested(installed: Installed) -> Installed:
    """The same table after the earlier version had ended the round."""
    installed.end_the_round()
    return installed


@asynccontextmanager
async def taken_over(installed: Installed) -> AsyncIterator[Daemon]:
    """This version's table on what the earlier one left, with no device at work."""
    config = installed.config
    with opened(config) as daemon:
        yield daemon


async def start(installed: Installed) -> None:
    async with taken_over(installed):
        pass


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def starts(reader: JournalReader) -> list[Mapping[str, Any]]:
    notes = reader.entries(Span(kind=EntryKind.HOST, name=HostEntry.NOTE))
    return [entry.body for entry in notes if entry.body["note"] == START_NOTE]


def test_this_is_another_version() -> None:
    assert software() not in {recording.version for recording in RECORDINGS}, (
        "an editable installation keeps its version until `make setup`"
    )


# -- in the middle of a round


def refusal(installed: Installed) -> RecoveryError:
    with pytest.raises(RecoveryError) as caught:
        asyncio.run(start(installed))
    return caught.value


def words_of_refusal(installed: Installed) -> tuple[str, str]:
    """What is wrong, and the remedy."""
    writer, number = installed.recording.version, installed.stopped["round_in_progress"]
    return (
        f"feltd {writer} wrote the round in progress (round {number}) under another text of "
        f"{installed.recording.book}, and feltd {software()} would rule on it otherwise",
        f"Start feltd {writer} again and end the round, or have a supervisor void it there; then change the version "
        "between two rounds",
    )


def test_a_round_of_another_text_is_refused_and_the_record_stays_as_it_was(installed: Installed) -> None:
    def left() -> tuple[object, ...]:
        with installed.reader() as reader:
            entries, anchor = list(reader.rows_with_chain(Span())), str(anchor_of(reader))
        stopped = installed.journal.parent.iterdir()
        others = {file.name: file.read_bytes() for file in stopped if not file.name.startswith("table.journal")}
        return entries, anchor, others

    before = left()
    assert before[1] == installed.stopped["anchor"]
    fault = refusal(installed)
    assert (fault.what, fault.remedy) == words_of_refusal(installed)
    assert str(fault) == f"{installed.journal}: {fault.what}. {fault.remedy}"
    refusal(installed)
    assert left() == before


def test_the_page_that_stands_in_its_place_says_why_and_what_to_do(installed: Installed) -> None:
    fault = refusal(installed)
    what, remedy = words_of_refusal(installed)
    trouble = trouble_of(fault, installed.file)
    assert trouble.may_pass

    async def asked(at: str) -> httpx.Response:
        transport = httpx.ASGITransport(make_app("Table", lambda: trouble, "0.0.0.0"), client=(at, 4000))
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{at}") as browser:
            return await browser.get("/")

    here, elsewhere = asyncio.run(asked("127.0.0.1")), asyncio.run(asked("192.168.20.9"))
    assert (here.status_code, elsewhere.status_code) == (503, 503)
    assert what in here.text
    assert what in elsewhere.text
    assert remedy in here.text
    known = known_of(installed.file, fault)
    assert known.devices is not None, "the devices are held at a stop"


def test_check_says_it_before_a_start_does(installed: Installed) -> None:
    found = check_file(installed.file)
    what, remedy = words_of_refusal(installed)
    assert [problem.text for problem in found.problems if problem.key == "journal.path"] == [f"{what}. {remedy}"]
    [note] = [note for note in found.notes if "is in progress" in note]
    assert note.startswith(f"round {installed.stopped['round_in_progress']} is in progress")


# -- between two rounds


def told_before(now: Any, before: Any) -> Any:
    """What is told now, without the fields that the earlier version did not have: fields are only added."""
    if isinstance(now, dict) and isinstance(before, dict):
        return {name: told_before(value, before[name]) for name, value in now.items() if name in before}
    if isinstance(now, list) and isinstance(before, list) and len(now) == len(before):
        return [told_before(one, other) for one, other in zip(now, before, strict=True)]
    return now


def test_between_two_rounds_it_is_taken_over_as_it_stood(rested: Installed) -> None:
    async def take_over() -> None:
        async with taken_over(rested) as daemon:
            went_on = rested.went_on["view"]
            assert told_before(as_json(daemon.keeper.table.view()), went_on) == went_on
            assert daemon.keeper.between_rounds is True
            reader = daemon.journal.reader
            assert reader.round_in_progress() is None
            assert sum(1 for _ in reader.events_since(0)) == rested.went_on["events"]
            assert daemon.recovered.replayed < rested.went_on["events"], "it began at the earlier version's snapshot"

    found = check_file(rested.file)
    assert not [problem for problem in found.problems if problem.key == "journal.path"]
    assert not [note for note in found.notes if "is in progress" in note]
    asyncio.run(take_over())


def test_the_change_of_version_is_said_in_the_record_and_in_the_log(
    rested: Installed, caplog: pytest.LogCaptureFixture
) -> None:
    asyncio.run(start(rested))
    writer = rested.recording.version
    remark = f"feltd {writer} wrote the record up to here, and feltd {software()} goes on with it, between two rounds"
    assert remark in caplog.messages
    caplog.clear()
    asyncio.run(start(rested))
    assert not [line for line in caplog.messages if "wrote the record" in line], "the second start is of one version"
    with rested.reader() as reader:
        *_, before, first, second = starts(reader)
    assert before.get("software", "0.1.0") == writer
    assert first["software"] == second["software"] == software()
    assert remark in first["remarks"]
    assert first["rulebooks"][rested.recording.book] != before["rulebooks"][rested.recording.book]
    assert first["state"] == second["state"]


def play_a_round(daemon: Daemon, installed: Installed) -> None:
    """Close the table, open it again, and have one more round dealt, with no mistake in it."""
    table, answers = installed.config.table, list[dict[str, Any]]()

    def listen(_: Event, outputs: Sequence[Output]) -> None:
        answers.extend(as_json(output.to_dict()) for output in outputs)

    def apply(event: Event) -> list[dict[str, Any]]:
        if isinstance(event, TableOpen):
            daemon.keeper.deliver(Delivery("test", lambda _: [TableClose(t=event.t)]))
        answers.clear()
        daemon.keeper.deliver(Delivery("test", lambda _: [event]))
        return list(answers)

    daemon.on_outputs(listen)
    game = game_for(daemon.books[table.rulebook], tuple(table.seats), table.options, seed=7, rounds=1)
    dealt = DirectTable(game, apply, options=table.options, button=game.button)
    assert daemon.recovered.last_t is not None
    dealt.t = daemon.recovered.last_t + 1
    played = [output for _, outputs in dealt.play() for output in outputs]
    assert not [output for output in played if "error" in output or "ruling" in output]


def test_the_next_round_is_played_and_the_record_is_one(rested: Installed, tmp_path: Path) -> None:
    """Verified across the change, with the earlier version's anchors; what this version wrote gives no difference."""

    async def go_on() -> None:
        async with taken_over(rested) as daemon:
            play_a_round(daemon, rested)
            assert daemon.keeper.between_rounds is True
            assert daemon.keeper.table.round_number == rested.went_on["view"]["round"] + 1
            await daemon.journal.flush()

    asyncio.run(go_on())
    anchors = [Anchor.parse(rested.stopped["anchor"]), Anchor.parse(rested.went_on["anchor"])]
    with rested.reader() as reader:
        assert reader.round_in_progress() is None
        verdict = verify(reader, Elsewhere(tuple(anchors)))
    assert verdict.sound, verdict.faults
    assert verdict.authenticated is True
    kept = tmp_path / "anchors"
    kept.write_text("".join(f"{anchor}\n" for anchor in anchors), encoding="utf-8")
    verified = feltd("journal", "verify", rested.journal, "--anchors", kept, "--key", rested.key_file)
    assert verified.exit_code == 0
    assert "entries, sound" in verified.stdout
    assert differences_of(rested.journal).stdout == rested.recording.differences.read_text(encoding="utf-8")


def test_replay_plays_the_whole_record_twice_alike(rested: Installed, tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    played = feltd("journal", "replay", rested.journal)
    events.write_text(feltd("journal", "replay", rested.journal, "--events").stdout, encoding="utf-8")
    again = feltd("replay", events)
    assert (played.exit_code, again.exit_code) == (0, 0)
    assert played.stdout == again.stdout
    assert len(events.read_text(encoding="utf-8").splitlines()) == rested.went_on["events"]


def test_people_sign_in_and_the_page_shows_the_table(rested: Installed) -> None:
    async def serve() -> None:
        settings = replace(settings_of(rested.config), port=0)
        async with taken_over(rested) as daemon, served(settings, daemon.door, daemon.books, None) as address:
            await asyncio.to_thread(look, address.rstrip("/"))

    def look(address: str) -> None:
        assert ask(address, "anna", PASSWORD)["role"] == Role.SUPERVISOR
        assert ask(address, "bert", PASSWORD)["role"] == Role.OBSERVER
        with pytest.raises(urllib.error.HTTPError, match="401"):
            ask(address, "anna", "another word than hers")
        with urllib.request.urlopen(f"{address}/api/v1/state") as answer:
            table = json.load(answer)["table"]
        then = rested.went_on["view"]
        assert {name: table[name] for name in ("rulebook", "round", "phase", "prompt", "board", "seats")} == {
            name: then[name] for name in ("rulebook", "round", "phase", "prompt", "board", "seats")
        }

    asyncio.run(serve())
    accounts = {account.name: account for account in AccountBook(rested.config.accounts_file)}
    assert {name: (account.role, account.staff) for name, account in accounts.items()} == {
        "anna": (Role.SUPERVISOR, "S1042"),
        "bert": (Role.OBSERVER, None),
    }


def ask(address: str, name: str, password: str) -> Mapping[str, Any]:
    """Sign in at the page; what it says of the account."""
    body = json.dumps({"name": name, "password": password}).encode()
    headers = {"Content-Type": "application/json", "Origin": address}
    with urllib.request.urlopen(urllib.request.Request(f"{address}/api/v1/session", body, headers)) as answer:
        account: Mapping[str, Any] = json.load(answer)
    return account


# -- the differences


def test_the_differences_of_a_recording_are_those_that_were_read(installed: Installed) -> None:
    """`python -m tests.feltd.edition_support` writes them; each change there is a ruling that changes."""
    found = differences_of(installed.gone_on)
    expected = installed.recording.differences.read_text(encoding="utf-8")
    assert found.stdout == expected
    assert found.exit_code == (1 if expected else 0)
    events, differing = installed.went_on["events"], len(expected.splitlines())
    assert found.stderr.splitlines()[0] == f"{events} events, {differing} answered otherwise"
    assert {json.loads(line)["written_by"] for line in expected.splitlines()} <= {installed.recording.version}


def test_in_the_middle_of_a_round_the_key_opens_the_rest(installed: Installed) -> None:
    expected = [
        line
        for line in installed.recording.differences.read_text(encoding="utf-8").splitlines()
        if json.loads(line)["entry"] <= installed.stopped_at
    ]
    shut = differences_of(installed.journal)
    number = installed.stopped["round_in_progress"]
    assert shut.stdout.splitlines() == [line for line in expected if json.loads(line)["round"] < number]
    assert shut.stderr.endswith(f"its cards are sealed until round {number} is over\n")
    whole = differences_of(installed.journal, "--key", installed.key_file)
    assert whole.stdout.splitlines() == expected
    assert whole.stderr.startswith(f"{installed.stopped['events']} events, ")

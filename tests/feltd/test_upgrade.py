"""A table of feltd 0.1.0 that was killed in the middle of a round: this version takes it over, and nothing is lost.

The recordings were made by the code of 0.1.0 (`editions/README.md`). What 0.1.0 itself answered to the rest of the
round, after it was started again, is what this version has to answer.
"""

import asyncio
import json
import tarfile
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner

from feltd.cli import cli
from feltd.launcher.running import settings_of
from feltd.page.access.accounts import AccountBook
from feltd.page.access.badge_holders import badge_holders
from feltd.page.access.roles import Role
from feltd.page.opening import served
from feltd.record import EntryKind, HostEntry, JournalReader, RecordedEvent, Span
from feltd.record.notes import START_NOTE
from feltd.record.verify import Anchor, verify
from feltd.table.config.config import TableConfig, load_config
from feltd.table.config.key_files import read_key
from feltd.table.daemon.daemon import Daemon, opened
from feltd.table.keeper.deliveries import Delivery
from feltd.table.keeper.edition import software
from table_fsm.events import Event, event_to_dict
from table_fsm.outputs import Output

EDITION: Final = Path(__file__).with_name("editions") / "0.1.0"
TABLES: Final = ("tas-2018-holdem", "tas-2018-stud5", "act-2019-uth")
PASSWORD: Final = "thrown away with the test"
Answers = list[tuple[dict[str, Any], list[dict[str, Any]]]]
"""Events with what the table answered to each, as JSON data."""


@dataclass(frozen=True)
class Installed:
    """What 0.1.0 left on the disk, copied, and what it said of it."""

    folder: Path
    stopped: Mapping[str, Any]
    went_on: Mapping[str, Any]

    @property
    def config(self) -> TableConfig:
        return load_config(self.folder / "stopped" / "table.toml")

    @property
    def journal(self) -> Path:
        return self.folder / "stopped" / "table.journal"

    @property
    def gone_on(self) -> Path:
        return self.folder / "went_on.journal"

    @property
    def key_file(self) -> Path:
        return self.folder / "stopped" / "journal.key"

    @property
    def stopped_at(self) -> int:
        """The last entry that 0.1.0 wrote before it was killed."""
        return Anchor.parse(self.stopped["anchor"]).seq

    def reader(self, journal: Path | None = None) -> JournalReader:
        return JournalReader.open(journal or self.journal, read_key(self.key_file))


@pytest.fixture(params=TABLES)
def installed(request: pytest.FixtureRequest, tmp_path: Path) -> Installed:
    with tarfile.open(EDITION / f"{request.param}.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / request.param
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    return Installed(folder, facts["stopped"], facts["went_on"])


@asynccontextmanager
async def taken_over(installed: Installed) -> AsyncIterator[Daemon]:
    """This version's table on what 0.1.0 left, with no device at work."""
    config = installed.config
    with opened(config, badge_holders(AccountBook(config.accounts_file))) as daemon:
        yield daemon


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def starts(reader: JournalReader) -> list[Mapping[str, Any]]:
    notes = reader.entries(Span(kind=EntryKind.HOST, name=HostEntry.NOTE))
    return [entry.body for entry in notes if entry.body["note"] == START_NOTE]


def recorded_answers(reader: JournalReader, after: int) -> Answers:
    """The events after an entry, with the outputs that the record has as answers to each."""
    answers: dict[int, list[dict[str, Any]]] = {}
    for entry in reader.entries(Span(after=after, kind=EntryKind.OUTPUT)):
        assert entry.answers is not None
        answers.setdefault(entry.answers, []).append(entry.body)
    return [(event_to_dict(event.event), answers.get(event.seq, [])) for event in reader.events_since(after)]


def play(daemon: Daemon, events: Sequence[RecordedEvent]) -> Answers:
    """Deliver events to the keeper as devices do; the answers of the table."""
    answers: Answers = []

    def listen(event: Event, outputs: Sequence[Output]) -> None:
        answers.append((event_to_dict(event), [as_json(output.to_dict()) for output in outputs]))

    daemon.on_outputs(listen)
    for recorded in events:
        daemon.keeper.deliver(Delivery("0.1.0", lambda _t, event=recorded.event: [event], recorded.source))  # type: ignore[misc]
    return answers


def feltd(*arguments: str | Path) -> str:
    """What a command prints on its standard output; it must end well."""
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_this_is_another_version() -> None:
    assert software() != "0.1.0", "an editable installation keeps its version until `make setup`"


def test_the_round_stands_where_it_was_left(installed: Installed) -> None:
    async def take_over() -> None:
        async with taken_over(installed) as daemon:
            assert as_json(daemon.keeper.table.view()) == installed.stopped["view"]
            assert daemon.keeper.between_rounds is False
            reader = daemon.journal.reader
            assert reader.round_in_progress() == installed.stopped["round_in_progress"]
            assert sum(1 for _ in reader.events_since(0)) == installed.stopped["events"]
            assert daemon.recovered.replayed < installed.stopped["events"], "it began at the snapshot of 0.1.0"

    asyncio.run(take_over())


def test_the_change_of_version_is_said_in_the_record_and_in_the_log(
    installed: Installed, caplog: pytest.LogCaptureFixture
) -> None:
    async def start() -> None:
        async with taken_over(installed):
            pass

    asyncio.run(start())
    remark = (
        f"feltd 0.1.0 wrote the record up to here, and feltd {software()} goes on with it in the middle of round "
        f"{installed.stopped['round_in_progress']}: the events of that round were played again"
    )
    assert remark in caplog.messages
    caplog.clear()
    asyncio.run(start())
    assert not [line for line in caplog.messages if "wrote the record" in line], "the second start is of one version"
    with installed.reader() as reader:
        before, first, second = starts(reader)
    assert "software" not in before
    assert first["software"] == second["software"] == software()
    assert remark in first["remarks"]
    assert first["rulebooks"] == before["rulebooks"], "no rulebook has another text"
    assert first["state"] == second["state"]


def test_the_round_goes_on_to_its_end_with_the_answers_of_0_1_0(installed: Installed) -> None:
    with installed.reader(installed.gone_on) as reader:
        rest = list(reader.events_since(installed.stopped_at))
        answered = recorded_answers(reader, installed.stopped_at)
    assert not any(event.sealed for event in rest)
    assert sum(len(outputs) for _, outputs in answered) > len(TABLES)

    async def go_on() -> None:
        async with taken_over(installed) as daemon:
            assert play(daemon, rest) == answered
            assert as_json(daemon.keeper.table.view()) == installed.went_on["view"]
            await daemon.journal.flush()

    asyncio.run(go_on())
    with installed.reader() as reader:
        assert reader.round_in_progress() is None
        assert recorded_answers(reader, 0)[-len(rest) :] == answered
        anchors = [Anchor.parse(installed.stopped["anchor"])]
        verdict = verify(reader, anchors=anchors)
    assert verdict.sound, verdict.faults
    assert verdict.authenticated is True


def test_verify_and_replay_work_across_the_change(installed: Installed, tmp_path: Path) -> None:
    with installed.reader(installed.gone_on) as reader:
        rest = list(reader.events_since(installed.stopped_at))

    async def go_on() -> None:
        async with taken_over(installed) as daemon:
            play(daemon, rest)
            await daemon.journal.flush()

    asyncio.run(go_on())
    anchors, events = tmp_path / "anchors", tmp_path / "events.jsonl"
    anchors.write_text(installed.stopped["anchor"] + "\n", encoding="utf-8")
    verdict = feltd("journal", "verify", installed.journal, "--anchors", anchors, "--key", installed.key_file)
    assert "entries, sound" in verdict
    with installed.reader() as reader:
        outputs = [entry.body for entry in reader.entries(Span(kind=EntryKind.OUTPUT))]
    assert [json.loads(line) for line in feltd("journal", "replay", installed.journal).splitlines()] == outputs
    events.write_text(feltd("journal", "replay", installed.journal, "--events"), encoding="utf-8")
    assert [json.loads(line) for line in feltd("replay", events).splitlines()] == outputs


def test_people_sign_in_and_the_page_shows_the_round(installed: Installed) -> None:
    async def serve() -> None:
        settings = replace(settings_of(installed.config), port=0)
        async with taken_over(installed) as daemon, served(settings, daemon.door, daemon.books, None) as address:
            await asyncio.to_thread(look, address.rstrip("/"))

    def look(address: str) -> None:
        assert ask(address, "anna", PASSWORD)["role"] == Role.SUPERVISOR
        assert ask(address, "bert", PASSWORD)["role"] == Role.OBSERVER
        with pytest.raises(urllib.error.HTTPError, match="401"):
            ask(address, "anna", "another word than hers")
        with urllib.request.urlopen(f"{address}/api/v1/state") as answer:
            table = json.load(answer)["table"]
        then = installed.stopped["view"]
        assert {name: table[name] for name in ("rulebook", "round", "phase", "prompt", "board", "seats")} == {
            name: then[name] for name in ("rulebook", "round", "phase", "prompt", "board", "seats")
        }

    asyncio.run(serve())
    accounts = {account.name: account for account in AccountBook(installed.config.accounts_file)}
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

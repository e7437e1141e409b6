"""`feltd journal`: a table's record, read by people."""

import json
import os
import pwd
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from feltd.cli import cli, journal_commands
from feltd.record import Source
from feltd.table.journal import Journal
from table_fsm.events import CardExposed, CardPlaced, Event, SeatIn, ShoeDeckChecked, TableOpen, Tick
from tests.feltd.seal_support import PUBLIC, key_file
from tests.some_outputs import ruling

DIGEST = "ab" * 32
KEY = os.urandom(32)
RULING = ruling(3.0)


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(cli, ["journal", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., Path]:
    """Writes a journal of one round, ended or not, and gives its path."""

    def write(*events: Event, ended: bool) -> Path:
        path = tmp_path / "table.journal"
        journal = Journal.open(path, KEY, sealed_to=PUBLIC, wall=lambda: 1_700_000_000.0)
        journal.begin_round(1)
        for number, event in enumerate(events):
            source = Source("reader:seats", b"boot-one", number) if isinstance(event, CardPlaced) else None
            journal.append_event(event, source=source, round_number=1, rulebook_digest=DIGEST)
        journal.append_output(RULING, round_number=1, rulebook_digest=DIGEST)
        if ended:
            journal.end_round(1)
        journal.flush_blocking(10)
        journal.close()
        return path

    return write


OPENED = TableOpen(t=0.0, rulebook="tas-2018-holdem", seats=[1, 2, 3], button=3)
CARD = CardPlaced(t=2.0, zone="seat:1", card="As", face="down")


def test_show_is_one_line_an_entry(record: Callable[..., Path]) -> None:
    path = record(OPENED, CARD, ended=True)
    result = run("show", str(path), "--kind", "event")
    assert result.exit_code == 0
    first, second = result.output.splitlines()
    assert "2023-11-14 22:13:20Z  round 1     event   table.open  " in first
    assert 'card.placed [reader:seats]  {"t":2.0,"ev":"card.placed"' in second


def test_show_takes_a_part_and_speaks_json(record: Callable[..., Path]) -> None:
    path = record(OPENED, CARD, ended=True)
    (ruling,) = [json.loads(line) for line in run("show", str(path), "--name", "ruling", "--json").output.splitlines()]
    assert ruling["body"] == RULING.to_dict()
    everything = [json.loads(line)["seq"] for line in run("show", str(path), "--json").output.splitlines()]
    assert everything == list(range(1, len(everything) + 1))
    newest = [json.loads(line)["seq"] for line in run("show", str(path), "--json", "--last", "2").output.splitlines()]
    assert newest == everything[-2:]
    (card,) = run("show", str(path), "--device", "reader:seats").output.splitlines()
    assert "card.placed" in card
    assert run("show", str(path), "--round", "2").output == ""
    after = run("show", str(path), "--json", "--after", str(everything[-2]))
    assert [json.loads(line)["seq"] for line in after.output.splitlines()] == everything[-1:]


def test_a_face_down_card_is_shown_once_its_round_is_over_and_not_before(record: Callable[..., Path]) -> None:
    assert "As" not in run("show", str(record(OPENED, CARD, ended=False))).output


def test_a_card_that_its_round_showed_is_shown_once_it_is_over(record: Callable[..., Path]) -> None:
    seen = CardExposed(t=3.0, zone="seat:1", card="As")
    assert run("show", str(record(OPENED, CARD, seen, ended=True))).output.count('"card":"As"') == 2


def test_a_card_that_its_round_did_not_show_stays_sealed_and_the_entry_says_to_whom(
    record: Callable[..., Path], tmp_path: Path
) -> None:
    path = record(OPENED, CARD, ended=True)
    [line] = run("show", str(path), "--name", "card.placed", "--json").output.splitlines()
    entry = json.loads(line)
    assert (entry["body"]["card"], entry["sealed"], entry["sealed_to"]) == (None, "never shown", PUBLIC.fingerprint)
    events = run("replay", str(path), "--events")
    assert "As" not in events.stdout
    assert "1 events stand without cards that no round showed" in events.stderr
    played = run("replay", str(path))
    assert played.exit_code == 0
    assert "not played: entries from 4 on (round 1): cards that no round showed are sealed" in played.stderr
    unseal = str(key_file(tmp_path))
    whole = run("replay", str(path), "--unseal", unseal)
    assert (whole.exit_code, whole.stderr) == (0, "")
    verified = run("verify", str(path), "--unseal", unseal)
    assert "sealed parts opened with the private key: 1" in verified.output


def test_replay_plays_the_events_again(record: Callable[..., Path]) -> None:
    path = record(OPENED, SeatIn(t=1.0, seat=4), ended=True)
    result = run("replay", str(path))
    assert result.exit_code == 0
    outputs = [json.loads(line) for line in result.stdout.splitlines()]
    assert outputs
    assert not any("error" in output for output in outputs)
    assert run("replay", str(path), "--rulings").stdout == ""


def test_replay_gives_the_events_as_feltd_replay_reads_them(record: Callable[..., Path], tmp_path: Path) -> None:
    path = record(OPENED, CARD, Tick(t=2.5), ended=True)
    events = run("replay", str(path), "--events", "--unseal", str(key_file(tmp_path)))
    assert [json.loads(line)["ev"] for line in events.stdout.splitlines()] == ["table.open", "card.placed", "tick"]
    (tmp_path / "events.jsonl").write_text(events.stdout)
    again = CliRunner().invoke(cli, ["replay", str(tmp_path / "events.jsonl")])
    assert again.exit_code == 0
    assert again.stdout == run("replay", str(path), "--unseal", str(key_file(tmp_path))).stdout
    assert len(run("replay", str(path), "--events", "--until", "2").stdout.splitlines()) == 1


def test_a_replay_ends_before_the_cards_of_a_round_in_progress(record: Callable[..., Path]) -> None:
    path = record(OPENED, ShoeDeckChecked(t=1.0, count=51, missing=["As"]), CARD, ended=False)
    result = run("replay", str(path), "--events")
    assert result.exit_code == 0
    assert [json.loads(line)["ev"] for line in result.stdout.splitlines()] == ["table.open"]
    assert result.stderr.endswith(": its cards are sealed until round 1 is over\n")


def test_with_the_journals_key_a_round_in_progress_is_replayed_but_not_shown(
    record: Callable[..., Path], tmp_path: Path
) -> None:
    path = record(OPENED, ShoeDeckChecked(t=1.0, count=51, missing=["As"]), CARD, ended=False)
    (tmp_path / "journal.key").write_bytes(KEY)
    result = run("replay", str(path), "--key", str(tmp_path / "journal.key"))
    assert (result.exit_code, result.stderr) == (0, "")
    assert {json.loads(line)["t"] for line in result.stdout.splitlines()} >= {0.0, 1.0}
    assert run("replay", str(path), "--events", "--key", str(tmp_path / "journal.key")).exit_code == 2
    (tmp_path / "journal.key").write_bytes(b"short")
    assert "wrong length: 5 bytes" in run("replay", str(path), "--key", str(tmp_path / "journal.key")).stderr


def test_a_broken_seal_ends_the_replay_with_1(record: Callable[..., Path]) -> None:
    path = record(OPENED, CARD, CardExposed(t=3.0, zone="seat:1", card="As"), ended=True)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE entries SET sealed = zeroblob(length(sealed)) WHERE name = 'card.placed'")
    database.close()
    result = run("replay", str(path), "--events")
    assert result.exit_code == 1
    assert "its seal is broken" in result.stderr


def test_verify_says_that_all_is_well_and_gives_an_anchor(record: Callable[..., Path], tmp_path: Path) -> None:
    path = record(OPENED, CARD, ended=True)
    result = run("verify", str(path))
    assert result.exit_code == 0
    sound, signed, anchor = result.stdout.splitlines()
    assert sound.endswith("entries, sound")
    first_key = re.fullmatch(r"signed heads: \d+, up to entry \d+, first key ([0-9a-f]{64})", signed)
    assert first_key is not None
    assert "only if the first key is the one that was printed then" in result.stderr
    assert anchor.startswith("feltd-anchor 1 ")
    assert "nobody vouches for the end" in result.stderr
    (tmp_path / "anchors").write_text(f"{anchor}\n\n")
    (tmp_path / "journal.key").write_bytes(KEY)
    kept = ["--anchors", str(tmp_path / "anchors"), "--key", str(tmp_path / "journal.key")]
    again = run("verify", str(path), *kept, "--first-key", first_key[1])
    [note] = again.stderr.splitlines()
    assert "the file alone does" in note
    assert (again.exit_code, again.stdout) == (0, result.stdout)


def test_verify_names_the_entry_that_was_changed_and_ends_with_1(record: Callable[..., Path]) -> None:
    path = record(OPENED, CARD, ended=True)
    with sqlite3.connect(path) as database:
        (seq,) = database.execute("SELECT seq FROM entries WHERE name = 'table.open'").fetchone()
        database.execute("UPDATE entries SET wall = wall + 1 WHERE seq = ?", [seq])
    database.close()
    result = run("verify", str(path))
    assert result.exit_code == 1
    assert result.stdout.startswith(f"{path}: entry {seq}: changed: ")
    assert "feltd-anchor" not in result.stdout


def test_verify_shows_how_far_it_is() -> None:
    with CliRunner().isolation() as (_, told, _):
        journal_commands._show_progress(1000, 3000)
        journal_commands._show_progress(3000, 3000)
        assert told.getvalue() == b"\r1000/3000 entries\r"  # the rest is for terminals only


def test_an_anchor_that_is_none_is_2(record: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "anchors").write_text("feltd-anchor 1 nonsense\n")
    result = run("verify", str(record(OPENED, ended=True)), "--anchors", str(tmp_path / "anchors"))
    assert result.exit_code == 2
    assert "not an anchor" in result.stderr


def test_an_export_carries_its_proof(record: Callable[..., Path], tmp_path: Path) -> None:
    path = record(OPENED, CARD, ended=True)
    anchor = run("verify", str(path)).stdout.splitlines()[-1]
    for part in ([], ["--round", "1"], ["--from", "2", "--to", "3", "--through", anchor.split()[3]]):
        exported = run("export", str(path), *part)
        assert exported.exit_code == 0
        (tmp_path / "part.jsonl").write_text(exported.stdout)
        (tmp_path / "anchors").write_text(anchor)
        proved = run("verify", str(tmp_path / "part.jsonl"), "--anchors", str(tmp_path / "anchors"))
        assert proved.exit_code == 0
        assert "sound up to its anchor" in proved.stdout
    assert "proof only if this anchor equals one" in run("verify", str(tmp_path / "part.jsonl")).stderr


def test_an_export_ends_before_a_round_that_is_not_over_and_says_so(
    record: Callable[..., Path], tmp_path: Path
) -> None:
    path = record(OPENED, CARD, ended=True)
    closed = run("export", str(path)).stdout
    journal = Journal.open(path, KEY)
    journal.begin_round(2)
    journal.append_event(CARD, source=None, round_number=2, rulebook_digest=DIGEST)
    journal.close()
    exported = run("export", str(path))
    note = "note: it ends before round 2, which was not over"
    assert note in exported.stderr
    assert exported.stdout.splitlines()[1:] == closed.splitlines()[1:], "all but the line that says so is as it was"
    (tmp_path / "part.jsonl").write_text(exported.stdout)
    proved = run("verify", str(tmp_path / "part.jsonl"))
    assert (proved.exit_code, note in proved.stderr) == (0, True)
    open_round = run("export", str(path), "--round", "2")
    assert open_round.exit_code == 2
    assert "of round 2, which is not over" in open_round.stderr


def test_an_export_that_was_changed_does_not_hold(record: Callable[..., Path], tmp_path: Path) -> None:
    exported = run("export", str(record(OPENED, CARD, ended=True))).stdout
    (tmp_path / "part.jsonl").write_text(exported.replace("tas-2018", "tas-2081"))
    result = run("verify", str(tmp_path / "part.jsonl"))
    assert result.exit_code == 1
    assert "is not as it was written" in result.stdout


def test_an_export_of_what_is_not_there_is_2(record: Callable[..., Path]) -> None:
    path = record(OPENED, ended=True)
    assert "there is no round 7" in run("export", str(path), "--round", "7").stderr
    assert run("export", str(path), "--from", "3", "--to", "2000").exit_code == 2
    assert "name the entries once" in run("export", str(path), "--round", "1", "--from", "1").stderr


def test_questions_that_do_not_go_together_are_refused(record: Callable[..., Path]) -> None:
    assert run("replay", str(record(OPENED, ended=True)), "--events", "--rulings").exit_code == 2


def test_what_is_no_journal_is_2(tmp_path: Path) -> None:
    (tmp_path / "no.journal").write_text("nothing of the kind")
    for command in ("show", "replay", "verify", "export"):
        result = run(command, str(tmp_path / "no.journal"))
        assert result.exit_code == 2
        assert result.stderr.startswith(f"feltd: {tmp_path}/no.journal: ")


def test_a_journal_robbed_of_its_own_tables_is_1(record: Callable[..., Path]) -> None:
    path = record(OPENED, ended=True)
    with closing(sqlite3.connect(path)) as database:
        database.execute("delete from meta")
        database.commit()
    result = run("verify", str(path))
    assert result.exit_code == 1
    assert "not as it was written" in result.stdout


def table_file(path: Path) -> Path:
    """The file of this journal's table."""
    path.with_name("sealing.key").write_bytes(KEY)
    file = path.with_name("table.toml")
    file.write_text(
        '[table]\nname = "T"\nrulebook = "tas-2018-holdem"\nseats = [1, 2]\n'
        f'[journal]\npath = "{path}"\nsealing_key_file = "sealing.key"\n',
        encoding="utf-8",
    )
    return file


@pytest.mark.parametrize(
    ("part", "says"),
    [
        (("--round", "1"), {"of": "round", "round": 1}),
        (("--from", "2", "--to", "4"), {"of": "entries", "first": 2, "last": 4}),
        ((), {"of": "entries", "first": 1, "last": 6}),
    ],
)
def test_an_export_is_put_on_record_at_a_table_that_is_stopped(
    record: Callable[..., Path], part: tuple[str, ...], says: dict[str, str | int]
) -> None:
    path = record(OPENED, CARD, ended=True)
    plain = run("export", str(path), *part)
    assert "no record says that this part was handed out" in plain.stderr
    told = run("export", str(path), *part, "--on-record", str(table_file(path)), "A. Berg")
    assert (told.exit_code, told.stdout) == (0, plain.stdout)
    assert "no record" not in told.stderr
    [entry] = [
        json.loads(line)["body"] for line in run("show", str(path), "--name", "access", "--json").output.splitlines()
    ]
    user = pwd.getpwuid(os.getuid()).pw_name
    assert entry.pop("at") > 0
    assert entry == {"what": "exported", "by": "console", "who": "A. Berg", "user": user, **says}
    assert run("verify", str(path)).exit_code == 0
    assert json.loads(run("show", str(path), "--last", "1", "--json").output)["name"] == "access"


def test_an_export_that_cannot_be_put_on_record_is_not_written(record: Callable[..., Path], tmp_path: Path) -> None:
    path = record(OPENED, CARD, ended=True)
    file = table_file(path)
    journal = Journal.open(path, KEY)  # the table runs
    try:
        running = run("export", str(path), "--on-record", str(file), "A. Berg")
    finally:
        journal.close()
    assert (running.exit_code, running.stdout) == (2, "")
    assert "another process writes this journal" in running.stderr
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    Journal.open(elsewhere / "table.journal", KEY).close()
    other = run("export", str(path), "--on-record", str(table_file(elsewhere / "table.journal")), "A. Berg")
    assert (other.exit_code, other.stdout) == (2, "")
    assert "is of another record than" in other.stderr
    nothing = run("export", str(path), "--round", "7", "--on-record", str(file), "A. Berg")
    assert nothing.exit_code == 2
    assert run("show", str(path), "--name", "access").output == ""


def test_export_by_time_is_what_was_written_then(record: Callable[..., Path]) -> None:
    path = record(OPENED, CARD, ended=True)
    whole = run("export", str(path))
    assert run("export", str(path), "--since", "2023-11-14", "--until", "2023-11-16").output == whole.output
    nothing = run("export", str(path), "--since", "2024-01-01")
    assert (nothing.exit_code, "nothing was written in this time" in nothing.output) == (2, True)
    assert run("export", str(path), "--since", "2023-11-14", "--round", "1").exit_code == 2

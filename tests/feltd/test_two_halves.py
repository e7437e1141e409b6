"""`feltd record half`, `agree` and `unseal --agreed`: a key that two people hold, and one of them opens no card."""

import json
import re
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import assume, given
from hypothesis import strategies as st

from feltd.cli import cli
from feltd.record import JournalReader, Span
from feltd.record.export import export_round
from feltd.record.two_halves import BothHalves, Half, agreement, read_half
from feltd.record.unseal_keys import PrivateKey, PublicKey
from feltd.table.journal import Journal
from feltd.text.errors import UnsealKeyError
from table_fsm.events import CardExposed, CardPlaced
from tests.feltd.seal_support import KEY_LINE, PUBLIC

KEY = bytes(range(32))
JOURNAL = bytes(16)


def run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(cli, ["record", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def refused(result: Result) -> str:
    assert result.exit_code == 2, result.output
    return result.stderr


def made(file: Path) -> str:
    """Make a half there; its line."""
    said = run("half", file)
    assert said.exit_code == 0, said.output
    return said.stdout.strip()


@pytest.fixture
def halves(tmp_path: Path) -> tuple[Path, Path]:
    """The files of two people who have joined their halves."""
    a, b = tmp_path / "berg.half", tmp_path / "chan.half"
    lines = made(a), made(b)
    joined = run("half", a, "--with", lines[1]), run("half", b, "--with", lines[0])
    assert joined[0].stdout == joined[1].stdout
    return a, b


@pytest.fixture
def path(tmp_path: Path, halves: tuple[Path, Path]) -> Path:
    """A journal of two rounds that are over, sealed to both; in each a card that was exposed and one that was not."""
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY, sealed_to=read_half(halves[0]).joined)
    for number in (1, 2):
        journal.begin_round(number)
        for event in (
            CardPlaced(t=1.0, zone="seat:2", card="Kd"),
            CardExposed(t=2.0, zone="seat:1", card="As"),
        ):
            journal.append_event(event, source=None, round_number=number, rulebook_digest=None)
        journal.end_round(number)
    journal.close()
    return path


def agree(record: Path, half: Path, *rounds: int) -> Result:
    wanted = [argument for number in rounds for argument in ("--round", str(number))]
    into = half.with_suffix(".json")
    return run("agree", record, "--half", half, *wanted, "--who", "A. Berg", "--why", "dispute 4711", "--into", into)


def unseal(record: Path, half: Path, agreed: Path | None, *rounds: int) -> Result:
    wanted = [argument for number in rounds for argument in ("--round", str(number))]
    by_two: list[str | Path] = [] if agreed is None else ["--agreed", agreed]
    note = record.parent / "note.json"
    return run(
        "unseal", record, "--key", half, *by_two, *wanted, "--who", "B. Chan", "--why", "order 12", "--note", note,
        "--json",
    )  # fmt: skip


def cards(result: Result) -> list[str]:
    assert result.exit_code == 0, result.output
    return [json.loads(line)["body"]["card"] for line in result.stdout.splitlines()]


# -- the halves


def test_each_half_is_written_once_for_its_owner_alone_and_both_make_one_public_key(halves: tuple[Path, Path]) -> None:
    for file in halves:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        before = file.read_bytes()
        assert "is there already" in refused(run("half", file))
        assert file.read_bytes() == before
    first, second = map(read_half, halves)
    assert first.joined is not None
    assert second.joined is not None
    assert str(first.joined) == str(second.joined)
    assert PublicKey.parse(str(first.joined)).fingerprint not in (first.fingerprint, second.fingerprint)


def test_what_is_printed_has_no_private_half(tmp_path: Path) -> None:
    file, other = tmp_path / "a.half", Half(bytes(range(7, 39)))
    said = run("half", file)
    joined = run("half", file, "--with", other.line)
    secret = file.read_text("ascii").split()[2]
    assert secret not in said.output + joined.output
    assert repr(read_half(file)) == f"Half({read_half(file).fingerprint})"


def test_a_half_joins_once_since_another_answer_could_open_a_box(halves: tuple[Path, Path], path: Path) -> None:
    with JournalReader.open(path) as reader:
        [end, _] = reader.entries(Span(name="round.end"))
    box = Half(KEY)
    box.bytes = bytes.fromhex(end.body["box"])[:32]  # its public point in the form of a person's line
    before = halves[0].read_bytes()
    assert "has joined another half already" in refused(run("half", halves[0], "--with", box.line))
    assert "has joined another half already" in refused(run("half", halves[0], "--with", Half(KEY).line))
    assert halves[0].read_bytes() == before
    again = run("half", halves[0], "--with", read_half(halves[1]).line)
    assert again.exit_code == 0
    assert str(read_half(halves[0]).joined) in again.stdout


WEAK = Half(KEY)
WEAK.bytes = bytes(32)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (str(PUBLIC), "this is no such key: it must begin with feltd-unseal-half-public"),
        (Half(KEY).line[:-1] + "x", "its fingerprint does not belong to its key"),
        (" ".join(Half(KEY).line.split()[:3]), "the line is not whole"),
        ("", "this is no such key"),
        (WEAK.line, "the other person's line: "),
    ],
)
def test_a_line_that_is_none_joins_nothing(tmp_path: Path, line: str, problem: str) -> None:
    file = tmp_path / "a.half"
    own = made(file)
    before = file.read_bytes()
    assert problem in refused(run("half", file, "--with", line))
    assert "the line of this half itself" in refused(run("half", file, "--with", own))
    assert "somebody's half itself" in refused(run("half", file, "--with", before.decode("ascii")))
    assert file.read_bytes() == before


def test_a_half_or_its_line_is_no_key_for_a_table(halves: tuple[Path, Path]) -> None:
    for line in (read_half(halves[0]).line, halves[0].read_text("ascii").splitlines()[0]):
        with pytest.raises(ValueError, match="one person's half") as caught:
            PublicKey.parse(line)
        assert line.split()[2] not in str(caught.value)


# -- the cards


def test_two_people_read_the_rounds_that_both_want_and_no_others(path: Path, halves: tuple[Path, Path]) -> None:
    berg, chan = halves
    assert agree(path, berg, 1).exit_code == 0
    agreed = berg.with_suffix(".json")
    assert stat.S_IMODE(agreed.stat().st_mode) == 0o600
    assert not re.search(r"Kd|As", agreed.read_text("utf-8"))
    assert "A. Berg has not agreed to round 2" in refused(unseal(path, chan, agreed, 1, 2))
    assert not (path.parent / "note.json").exists()
    assert cards(unseal(path, chan, agreed, 1)) == ["Kd", "As"]


def test_the_first_may_agree_to_an_export_and_either_may_be_the_first(
    tmp_path: Path, path: Path, halves: tuple[Path, Path]
) -> None:
    export = tmp_path / "round-2.jsonl"
    with JournalReader.open(path) as reader:
        export.write_text("\n".join(export_round(reader, 2)), encoding="utf-8")
    berg, chan = halves
    assert agree(export, chan, 2).exit_code == 0
    assert cards(unseal(export, berg, chan.with_suffix(".json"), 2)) == ["Kd", "As"]


def test_one_half_alone_opens_nothing_at_any_command(path: Path, halves: tuple[Path, Path]) -> None:
    berg = halves[0]
    for result in (
        unseal(path, berg, None, 1),
        CliRunner().invoke(cli, ["journal", "verify", str(path), "--unseal", str(berg)]),
        CliRunner().invoke(cli, ["journal", "replay", str(path), "--unseal", str(berg)]),
    ):
        assert result.exit_code == 2
        assert "this is one of two halves, which opens nothing by itself" in result.output
    assert agree(path, berg, 1).exit_code == 0
    assert "is of this half itself" in refused(unseal(path, berg, berg.with_suffix(".json"), 1))
    assert not (path.parent / "note.json").exists()


@given(st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=32))
def test_a_box_opens_for_both_and_for_neither(a: bytes, b: bytes, secret: bytes) -> None:
    first, second = Half(a), Half(b)
    assume(first.bytes != second.bytes)
    public = first.public_with(second.bytes)
    assert public.bytes == second.public_with(first.bytes).bytes
    first, second = Half(a, public), Half(b, public)
    box = public.box(JOURNAL, 7, secret)
    agreed = agreement(first, JOURNAL, {7: box}, (1,), "A", "why")
    assert BothHalves(second, agreed).open(JOURNAL, 7, box) == secret
    for alone in (PrivateKey(a), PrivateKey(b)):
        assert alone.open(JOURNAL, 7, box) is None
    assert BothHalves(second, agreed).open(JOURNAL, 8, box) is None
    another = public.box(JOURNAL, 7, secret)
    assert BothHalves(second, agreed).open(JOURNAL, 7, another) is None  # agreed to one box, not to its round's name
    stranger = Half(bytes(x ^ 0x55 for x in b), public)
    assert BothHalves(stranger, agreed).open(JOURNAL, 7, box) is None
    unlike = agreement(Half(bytes(x ^ 0x55 for x in a), public), JOURNAL, {7: box}, (1,), "A", "why")
    assert BothHalves(second, unlike).open(JOURNAL, 7, box) is None


def test_agreements_of_other_keys_other_records_and_changed_ones_are_named(
    tmp_path: Path, path: Path, halves: tuple[Path, Path]
) -> None:
    berg, chan = halves
    assert agree(path, berg, 1).exit_code == 0
    agreed = berg.with_suffix(".json")
    whole = tmp_path / "whole.key"
    whole.write_text(KEY_LINE, encoding="ascii")
    assert "this is a whole key" in refused(unseal(path, whole, agreed, 1))
    others = tmp_path / "x.half", tmp_path / "y.half"
    lines = [made(file) for file in others]
    assert "this half has joined no other yet" in refused(agree(path, others[0], 1))
    for file, line in zip(others, reversed(lines), strict=True):
        assert run("half", file, "--with", line).exit_code == 0
    assert "is sealed to the key" in refused(agree(path, others[0], 1))
    assert "and this half is of the key" in refused(unseal(path, others[0], agreed, 1))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    journal = Journal.open(elsewhere / "table.journal", KEY, sealed_to=read_half(berg).joined)
    journal.begin_round(1)
    journal.append_event(CardPlaced(t=1.0, zone="seat:1", card="As"), source=None, round_number=1, rulebook_digest=None)
    journal.end_round(1)
    journal.close()
    assert "is for another record" in refused(unseal(elsewhere / "table.journal", chan, agreed, 1))
    agreed.write_text(agreed.read_text("utf-8").replace("A. Berg", "C. Dorn"), encoding="utf-8")
    assert "was changed after it was written" in refused(unseal(path, chan, agreed, 1))
    agreed.write_text("[]", encoding="utf-8")
    assert "is no agreement, or not whole" in refused(unseal(path, chan, agreed, 1))
    assert not (path.parent / "note.json").exists()


def test_the_note_names_both_and_the_record_keeps_it(path: Path, halves: tuple[Path, Path]) -> None:
    berg, chan = halves
    assert agree(path, berg, 1).exit_code == 0
    agreed = berg.with_suffix(".json")
    assert unseal(path, chan, agreed, 1).exit_code == 0
    path.with_name("sealing.key").write_bytes(KEY)
    file = path.with_name("table.toml")
    file.write_text(
        '[table]\nname = "T"\nrulebook = "tas-2018-holdem"\nseats = [1, 2]\n'
        f'[journal]\npath = "{path}"\nsealing_key_file = "sealing.key"\n'
        f'[record]\nsealed_to = "{read_half(chan).joined}"\n',
        encoding="utf-8",
    )
    entered = run("enter", path.parent / "note.json", file)
    assert entered.exit_code == 0, entered.output
    with JournalReader.open(path) as reader:
        [note] = reader.entries(Span(name="note"))
    assert (note.body["who"], note.body["agreed_by"]) == ("B. Chan", "A. Berg")
    assert note.body["agreement"] == json.loads(agreed.read_text("utf-8"))["sha256"]


def test_a_file_that_is_no_half_is_named(tmp_path: Path, halves: tuple[Path, Path]) -> None:
    with pytest.raises(UnsealKeyError, match=r"none\.half: no such key file; each of the two makes a half"):
        read_half(tmp_path / "none.half")
    text = halves[0].read_text("ascii")
    words = text.split()
    words[2] = "00" * 32
    halves[0].write_text(" ".join(words), encoding="ascii")
    with pytest.raises(UnsealKeyError, match=r"berg\.half: "):
        read_half(halves[0])

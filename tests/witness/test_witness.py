"""A witness over a real connection: it takes heads, and what contradicts them, and silence, it alarms."""

import asyncio
import contextlib
import json
import logging
import os
from pathlib import Path

import pytest

from feltd.record.signed_heads import read_heads, size_of
from feltd.witness import ledger as ledger_module
from feltd.witness.errors import WitnessError
from feltd.witness.sending import table_at
from feltd.witness.serving import CALLERS_MOST, Witness
from feltd.witness.silences import FILE
from feltd.witness.wire import Address
from tests.feltd.door_support import apart
from tests.running import eventually, running
from tests.witness.witness_support import NOW, Clock, Table, at_work, listening, said, sender, sent, witness_of

HELLO = "feltd-witness 1 send"


def alarms(folder: Path, table: str = "7") -> list[str]:
    file = folder / f"{table}.alarms"
    return [json.loads(line)["kind"] for line in file.read_text().splitlines()] if file.exists() else []


def kept(folder: Path, table: str = "7") -> list[str]:
    file = folder / f"{table}.heads"
    return file.read_text().splitlines() if file.exists() else []


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "witness"


def test_what_a_table_signs_comes_to_the_witness_as_it_is_signed_and_again_after_a_restart(
    table: Table, folder: Path
) -> None:
    table.sign(3, 9, 9, 12)
    assert sent(folder, table) == [""]
    assert kept(folder) == table.lines
    table.sign(20)
    assert sent(folder, table) == [""]
    assert kept(folder) == table.lines
    heads = read_heads(folder / "7.heads")
    assert heads is not None
    assert (heads.broken, len(heads.heads)) == (None, 5)
    assert alarms(folder) == []


def test_a_head_that_is_signed_meanwhile_follows_on_the_same_connection(
    table: Table, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("feltd.witness.sending.LOOK_EVERY", 0.01)
    table.sign(3)

    async def work(address: Address) -> None:
        one = sender(table, address)
        async with running(one.run()):
            await eventually(lambda: one.why == "")
            table.sign(5)
            await eventually(lambda: kept(folder) == table.lines)

    at_work(witness_of(folder, table), work)


def test_two_tables_are_kept_apart(tmp_path: Path, table: Table, folder: Path) -> None:
    other = Table(tmp_path, "8")
    table.sign(3)
    other.sign(4, 5)
    assert sent(folder, table, other) == ["", ""]
    assert (kept(folder, "7"), kept(folder, "8")) == (table.lines, other.lines)


def test_a_copied_card_that_plays_on_is_a_fork_and_the_witness_keeps_its_own(table: Table, folder: Path) -> None:
    table.sign(3, 9, 12)
    assert sent(folder, table) == [""]
    before = kept(folder)
    table.put_back(1)
    table.sign(8, 11, 15, 17, history="another")
    [why] = sent(folder, table)
    assert "two heads are signed with one key" in why
    assert "feltd journal set-aside" in why
    assert kept(folder) == before
    assert alarms(folder) == ["fork"]
    evidence = json.loads((folder / "7.alarms").read_text())
    assert (evidence["line"], evidence["at"]) == (table.lines[2], NOW)


def test_a_fork_whose_lines_have_other_lengths_is_found_too(table: Table, folder: Path) -> None:
    table.sign(3, 9, 12)
    assert sent(folder, table) == [""]
    table.put_back(1)
    table.sign(100_000, 100_001, 100_002, 100_003, history="another")
    assert "two heads are signed with one key" in sent(folder, table)[0]
    assert alarms(folder) == ["fork"]


def test_a_record_that_was_put_back_is_shorter(table: Table, folder: Path) -> None:
    table.sign(3, 9, 12)
    assert sent(folder, table) == [""]
    before = kept(folder)
    table.put_back(2)
    assert "it was put back" in sent(folder, table)[0]
    assert (kept(folder), alarms(folder)) == (before, ["shorter"])


def test_a_record_that_is_put_back_under_a_sender_at_work_is_found_at_its_next_beat(
    table: Table, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("feltd.witness.sending.BEAT_EVERY", 0.0)
    table.sign(3, 9)

    async def work(address: Address) -> None:
        one = sender(table, address)
        async with running(one.run()):
            await eventually(lambda: one.why == "")
            table.put_back(1)
            await eventually(lambda: "put back" in one.why)

    at_work(witness_of(folder, table), work)
    assert alarms(folder) == ["shorter"]


def test_a_line_that_was_changed_is_foreign(table: Table, folder: Path) -> None:
    table.sign(3, 9, 12)
    assert sent(folder, table) == [""]
    table.lines[2] = table.lines[2].replace("9 9000", "8 9000")
    table.file.write_text("".join(f"{line}\n" for line in table.lines))
    assert sent(folder, table) == [""], "the witness has its last line; a change before it is `verify`'s"
    table.lines[3] = table.lines[3].replace("12 12000", "13 12000")
    table.file.write_text("".join(f"{line}\n" for line in table.lines))
    assert "is not as it was signed" in sent(folder, table)[0]
    assert alarms(folder) == ["foreign"]


def test_a_new_head_that_no_key_of_the_record_signed_is_not_taken(table: Table, folder: Path) -> None:
    table.sign(3)
    assert sent(folder, table) == [""]
    before = kept(folder)
    table.lines.append(table.lines[1])
    table.file.write_text("".join(f"{line}\n" for line in table.lines))
    assert "not signed by the key" in sent(folder, table)[0]
    assert (kept(folder), alarms(folder)) == (before, ["foreign"])


def test_a_torn_last_line_is_cut_off_at_the_start_and_taken_anew(table: Table, folder: Path) -> None:
    table.sign(3, 9)
    assert sent(folder, table) == [""]
    with (folder / "7.heads").open("a") as file:
        file.write("12 12000 00")
    table.sign(12)
    assert sent(folder, table) == [""]
    assert kept(folder) == table.lines


def test_nobody_names_a_journal_before_its_key_has_signed(table: Table, folder: Path) -> None:
    table.sign(3)
    forged = str(table.first).replace(table.first.journal_id.hex(), "ee" * 16)
    size = size_of([forged])

    async def work(address: Address) -> None:
        answers = await said(address, HELLO, forged, f"line 0 {forged}", f"line {size} {table.lines[1]}")
        assert [answer.split(" ")[0] for answer in answers] == ["has", "has", "contradiction"]
        one = sender(table, address)
        async with running(one.run()):
            await eventually(lambda: one.why == "")

    at_work(witness_of(folder, table), work)
    assert kept(folder) == table.lines


def test_a_record_with_another_first_key_is_refused_and_so_is_one_without_a_head(
    tmp_path: Path, table: Table, folder: Path
) -> None:
    other = Table(tmp_path, "8")

    async def work(address: Address) -> None:
        one = sender(other, address)
        async with running(one.run()):
            await eventually(lambda: "no table of this witness has this first key" in one.why)
        assert "`feltd check`" in one.why
        other.file.write_text("")
        async with running(one.run()):
            await eventually(lambda: "no signed head yet" in one.why)

    at_work(witness_of(folder, table), work)
    assert kept(folder) == []


def test_silence_is_alarmed_once_and_ends_when_what_agrees_is_heard(table: Table, folder: Path) -> None:
    clock = Clock()
    witness = witness_of(folder, table, clock=clock)
    table.sign(3)

    async def work(address: Address) -> None:
        clock.now = 60.0
        witness.look()
        assert alarms(folder) == []
        clock.now = 61.0
        witness.look()
        witness.look()
        assert alarms(folder) == ["silent"]
        one = sender(table, address)
        async with running(one.run()):
            await eventually(lambda: one.why == "")
        assert alarms(folder) == ["silent", "heard"]
        clock.now = 200.0
        witness.look()
        assert alarms(folder) == ["silent", "heard", "silent"]

    at_work(witness, work)


@pytest.mark.parametrize("heads_alone", [False, True])
def test_a_stranger_who_knows_the_files_length_passes_for_the_table_unless_heads_alone_count(
    table: Table, folder: Path, heads_alone: bool
) -> None:
    table.sign(3)
    assert sent(folder, table) == [""]
    clock = Clock()
    witness = witness_of(folder, table, clock=clock, heads_alone=heads_alone)
    before = (folder / "7.heads").stat().st_mtime_ns

    async def work(address: Address) -> None:
        clock.now = 61.0
        size = table.file.stat().st_size
        known = f"line {len(str(table.first)) + 1} {table.lines[1]}"
        answers = await said(address, HELLO, str(table.first), known, f"ends {size}")
        assert [answer.split()[0] for answer in answers] == ["has"] * 3
        witness.look()
        assert alarms(folder) == (["silent"] if heads_alone else [])
        assert ((folder / "7.heads").stat().st_mtime_ns == before) is heads_alone, "of which `status` tells"

    at_work(witness, work)


def test_where_heads_alone_count_a_head_of_the_same_entry_signed_again_is_a_sign_of_life(
    table: Table, folder: Path
) -> None:
    clock = Clock()
    witness = witness_of(folder, table, clock=clock, heads_alone=True)
    table.sign(3, later=NOW - 3)

    async def work(address: Address) -> None:
        one = sender(table, address)
        async with running(one.run()):
            await eventually(lambda: kept(folder) == table.lines)
            clock.now = 61.0
            witness.look()
            assert alarms(folder) == ["silent"]
            table.sign(3, later=NOW)
            await eventually(lambda: alarms(folder) == ["silent", "heard"])
            assert kept(folder) == table.lines

    at_work(witness, work)


def test_heads_that_were_held_back_and_are_let_go_one_by_one_hide_no_silence(table: Table, folder: Path) -> None:
    """The newest ends it: so does a table that catches up behind a lost link."""
    clock = Clock()
    witness = witness_of(folder, table, clock=clock, heads_alone=True, wall=lambda: NOW + clock.now)
    for late in range(0, 101, 20):
        table.sign(3, later=NOW + late)

    async def released(address: Address, number: int, at: float) -> list[str]:
        clock.now = at
        place = size_of(table.lines[:number])
        await said(address, HELLO, str(table.first), f"line {place} {table.lines[number]}")
        witness.look()
        return alarms(folder)

    async def work(address: Address) -> None:
        assert await released(address, 1, 0.0) == []
        assert await released(address, 2, 55.0) == []
        assert await released(address, 3, 110.0) == []
        assert await released(address, 4, 130.0) == ["silent"]
        assert "signed 67 s before it came" in (folder / "7.alarms").read_text()
        assert (folder / "7.heads").stat().st_mtime == NOW + 63, "of which `status` tells"
        assert await released(address, 5, 145.0) == ["silent"]
        assert await released(address, 6, 150.0) == ["silent", "heard"]
        assert kept(folder) == table.lines

    at_work(witness, work)


@pytest.mark.parametrize(
    ("again_at", "alone"),
    [
        ((20.0, 40.0), True),
        ((31.0, 51.0, 82.0, 102.0), False),
        ((0.0, 0.0), False),
        ((600.0, 610.0, 1210.0), False),  # each ten minutes, by a clock that was set back once
        ((600.0, 610.0, 1210.0, 1230.0, 1250.0), True),
    ],
)
def test_of_a_table_that_has_signed_at_rest_a_new_head_alone_counts_from_then_on_and_over_starts(
    table: Table, folder: Path, again_at: tuple[float, ...], alone: bool
) -> None:
    """Where nobody has set it: an older table, or one that signs too seldom, is not called silent falsely."""
    table.sign(3)
    clock = Clock()
    witness = witness_of(folder, table, clock=clock, heads_alone=None, wall=lambda: 3.0 + clock.now)

    async def beats(address: Address, at: float) -> list[str]:
        clock.now = at
        await said(address, HELLO, str(table.first), f"ends {table.file.stat().st_size}")
        witness.look()
        return alarms(folder)

    async def work(address: Address) -> None:
        await said(address, HELLO, str(table.first), f"line {len(str(table.first)) + 1} {table.lines[1]}")
        assert await beats(address, 61.0) == [], "no head at rest yet"
        for later in again_at:
            at = table.file.stat().st_size
            table.sign(3, later=later)
            await said(address, HELLO, str(table.first), f"line {at} {table.lines[-1]}")
        assert kept(folder) == table.lines
        assert await beats(address, 122.0) == (["silent"] if alone else [])

    at_work(witness, work)
    again, clock.now = witness_of(folder, table, clock=clock, heads_alone=None, wall=lambda: 3.0 + clock.now), 0.0

    async def later_on(address: Address) -> None:
        clock.now = 300.0
        await said(address, HELLO, str(table.first), f"ends {table.file.stat().st_size}")
        again.look()
        assert alarms(folder)[-1:] == (["silent"] if alone else [])

    at_work(again, later_on)


def test_a_callers_word_keeps_a_table_quiet_for_an_hour_behind_its_newest_head_and_over_starts(
    table: Table, folder: Path
) -> None:
    """Of a table that has never signed at rest: nobody who reaches the port can do so for longer."""
    clock = Clock()
    table.sign(3, later=NOW - 3)
    first = len(str(table.first)) + 1

    def again() -> Witness:
        return witness_of(folder, table, clock=clock, heads_alone=None, wall=lambda: NOW + clock.now)

    async def heard_at(at: float, *lines: str) -> list[str]:
        clock.now = at
        witness = again()
        async with listening(witness) as address:
            await said(address, HELLO, str(table.first), *lines, f"ends {table.file.stat().st_size}")
            clock.now = at + 59.0
            witness.look()
        witness.close()
        return alarms(folder)

    assert asyncio.run(heard_at(0.0, f"line {first} {table.lines[1]}")) == []
    assert json.loads((folder / FILE).read_text())["brought"] == {"7": "127.0.0.1"}
    assert asyncio.run(heard_at(3600.0)) == [], "it was heard at the beginning"
    assert asyncio.run(heard_at(3660.0)) == ["silent"]
    assert (
        "for 60 s, and a caller's word that there is none counts only for 3600 s" in (folder / "7.alarms").read_text()
    )


def test_the_word_of_another_address_than_the_newest_heads_keeps_no_table_quiet(table: Table, folder: Path) -> None:
    """Of a table that has never signed at rest; a program that reaches the port would else do so for an hour."""
    clock = Clock()
    table.sign(3, later=NOW - 3)
    assert sent(folder, table) == [""]
    kept = json.loads((folder / FILE).read_text())
    (folder / FILE).write_text(json.dumps({**kept, "brought": {"7": "192.168.20.7"}}))
    witness = witness_of(folder, table, clock=clock, heads_alone=None, wall=lambda: NOW + clock.now)

    async def work(address: Address) -> None:
        clock.now = 50.0
        await said(address, HELLO, str(table.first), f"ends {table.file.stat().st_size}")
        clock.now = 61.0
        witness.look()
        assert alarms(folder) == ["silent"]
        assert "from the address that brought it" in (folder / "7.alarms").read_text()

    at_work(witness, work)


def test_behind_a_witness_of_before_the_first_whole_word_says_whose_the_head_was(table: Table, folder: Path) -> None:
    """Its file names no address; each table at rest would be alarmed at the upgrade."""
    clock = Clock()
    table.sign(3, later=NOW - 3)
    assert sent(folder, table) == [""]
    kept = json.loads((folder / FILE).read_text())
    (folder / FILE).write_text(json.dumps({name: kept[name] for name in ("closed", "seconds", "alarmed")}))
    witness = witness_of(folder, table, clock=clock, heads_alone=None, wall=lambda: NOW + clock.now)

    async def work(address: Address) -> None:
        for now in (50.0, 100.0):
            clock.now = now
            await said(address, HELLO, str(table.first), f"ends {table.file.stat().st_size}")
            witness.look()
        assert alarms(folder) == []

    at_work(witness, work)
    assert json.loads((folder / FILE).read_text())["brought"] == {"7": "127.0.0.1"}


def test_nothing_is_a_sign_of_life_of_a_table_that_has_signed_nothing_yet(table: Table, folder: Path) -> None:
    clock = Clock()
    witness = witness_of(folder, table, clock=clock)

    async def work(address: Address) -> None:
        clock.now = 61.0
        await said(address, HELLO, str(table.first), f"ends {len(str(table.first)) + 1}")
        witness.look()
        assert alarms(folder) == ["silent"]

    at_work(witness, work)


def test_a_sender_that_contradicts_is_no_sign_of_life(table: Table, folder: Path) -> None:
    table.sign(3, 9)
    assert sent(folder, table) == [""]
    table.put_back(1)
    clock = Clock()
    witness = witness_of(folder, table, clock=clock)

    async def work(address: Address) -> None:
        clock.now = 61.0
        one = sender(table, address)
        async with running(one.run()):
            await eventually(lambda: "put back" in one.why)
        witness.look()

    at_work(witness, work)
    assert sorted(set(alarms(folder))) == ["shorter", "silent"]


def test_who_calls_again_and_again_fills_no_disk(table: Table, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module, "KEPT", 2)
    table.sign(3, 9, 12)
    assert sent(folder, table) == [""]

    async def work(address: Address) -> None:
        for size in (0, 0, 1, 2, 3):
            assert (await said(address, HELLO, str(table.first), f"ends {size}"))[-1].startswith("contradiction")

    at_work(witness_of(folder, table), work)
    assert alarms(folder) == ["shorter", "shorter"]


def test_what_anybody_can_bring_about_takes_no_room_of_a_fork(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module, "KEPT", 2)
    folder.mkdir()
    kinds = ledger_module.AlarmKind
    ledger = ledger_module.Ledger(folder, "7", bytes(32), lambda: 1.0, 60.0)
    for words in "abc":
        ledger.tell(kinds.SHORTER, words)
    for words in "abc":
        ledger.tell(kinds.FORK, words)
    assert alarms(folder) == ["shorter", "shorter", "fork", "fork"]


def test_an_alarm_that_the_disk_does_not_take_is_written_once_it_does(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ledger_module, "KEPT", 2)
    folder.mkdir()
    kinds = ledger_module.AlarmKind
    ledger = ledger_module.Ledger(folder, "7", bytes(32), lambda: 1.0, 60.0)
    with monkeypatch.context() as broken:
        broken.setattr(ledger_module, "_append", full)
        for _ in range(3):
            ledger.tell(kinds.SILENT, "nothing was heard")
            ledger.tell(kinds.HEARD, "it is back")
        ledger.tell(kinds.FORK, "two heads")
        waits = ledger.unwritten
        assert waits
        assert caplog.text.count("its alarms wait for it") == 1, "not at each attempt"
    assert alarms(folder) == []
    ledger.write_out()
    waits = ledger.unwritten
    assert waits is False
    assert alarms(folder) == ["silent", "heard", "silent", "heard", "fork"], "in their order, so many of a kind"


def test_a_silence_that_the_disk_did_not_take_is_on_it_later_and_no_other_table_waits(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    witness = witness_of(folder, Table(tmp_path, "7"), Table(tmp_path, "8"), clock=clock)
    append = ledger_module._append

    def but_7(file: Path, content: bytes) -> None:
        if file.name == "7.alarms":
            raise OSError(5, "Input/output error")
        append(file, content)

    clock.now = 61.0
    with monkeypatch.context() as broken:
        broken.setattr(ledger_module, "_append", but_7)
        witness.look()
        witness.look()
    assert (alarms(folder), alarms(folder, "8")) == ([], ["silent"])
    assert json.loads((folder / FILE).read_text())["alarmed"] == ["8"]
    witness.look()
    assert (alarms(folder), alarms(folder, "8")) == (["silent"], ["silent"])
    assert json.loads((folder / FILE).read_text())["alarmed"] == ["7", "8"]
    witness.close()


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["GET / HTTP/1.1"], "refused this is a witness of feltd"),
        (["feltd-witness 1 take"], "refused this is a witness of feltd"),
        (["feltd-witness 1 give 9"], "refused this witness has no heads of a table '9'"),
        (["feltd-witness 1 give 7"], "refused this witness has no heads of a table '7'"),
        ([HELLO, "feltd-heads 1"], ""),
        ([HELLO, "{first}", "what"], "refused neither"),
        ([HELLO, "{first}", "ends -1"], "has "),
        ([HELLO, "{first}", "ends 9999999999999999"], "has "),
        ([HELLO, "{first}", "line 0 " + "x" * 600], "has "),
        ([HELLO, "{first}", "line 0 other"], "differs"),
        ([HELLO, "{first}", "line 7 other"], "differs"),
        ([HELLO, "{first}", "line 5000 other"], "has "),
        ([HELLO, "\x80"], ""),
    ],
)
def test_what_is_no_message_ends_in_an_answer_or_in_nothing(
    table: Table, folder: Path, lines: list[str], answer: str
) -> None:
    async def work(address: Address) -> None:
        answers = await said(address, *(line.format(first=table.first) for line in lines))
        assert "".join(answers[-1:]).startswith(answer)

    at_work(witness_of(folder, table), work)
    assert (kept(folder), alarms(folder)) == ([], [])


def test_more_callers_than_there_are_places_are_let_go(table: Table, folder: Path) -> None:
    async def work(address: Address) -> None:
        open_ones = [await asyncio.open_connection(address.host, address.port) for _ in range(CALLERS_MOST)]
        for _, writer in open_ones:
            writer.write(f"{HELLO}\n{table.first}\n".encode())
        for reader, _ in open_ones:
            assert (await reader.readline()).startswith(b"has ")
        assert await said(address, HELLO) == []
        for _, writer in open_ones:
            writer.close()

    at_work(witness_of(folder, table), work)


async def greeted(
    address: Address, table: Table, of: str = "127.0.0.1"
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A sender's connection from an address, which the witness has answered."""
    reader, writer = await asyncio.open_connection(address.host, address.port, local_addr=(of, 0))
    writer.write(f"{HELLO}\n{table.first}\n".encode())
    assert (await reader.readline()).startswith(b"has ")
    return reader, writer


def test_one_machine_that_takes_all_places_keeps_no_other_out(table: Table, folder: Path) -> None:
    async def work(address: Address) -> None:
        hog = [await greeted(address, table) for _ in range(CALLERS_MOST)]
        other = await greeted(address, table, "127.0.0.2")
        with contextlib.suppress(ConnectionError):
            assert await hog[0][0].read() == b"", "the oldest of the machine with most places"
        for _, writer in [*hog, other]:
            writer.close()

    at_work(witness_of(folder, table), work)


def test_one_machine_with_many_addresses_of_ipv6_keeps_no_other_out(
    table: Table, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = asyncio.StreamWriter.get_extra_info

    def peer(writer: asyncio.StreamWriter, name: str, default: object = None) -> object:
        told = real(writer, name, default)
        if name != "peername":
            return told
        host, port = told
        return (f"2001:db8:0:1::{port:x}" if host == "127.0.0.1" else "2001:db8:0:2::1", port, 0, 0)

    monkeypatch.setattr(asyncio.StreamWriter, "get_extra_info", peer)

    async def work(address: Address) -> None:
        hog = [await greeted(address, table) for _ in range(CALLERS_MOST)]
        other = await greeted(address, table, "127.0.0.2")
        for _, writer in [*hog, other]:
            writer.close()

    at_work(witness_of(folder, table), work)


def test_who_asks_for_heads_and_takes_none_is_let_go(
    table: Table, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("feltd.witness.serving.PATIENCE", 0.2)

    async def work(address: Address) -> None:
        (folder / "7.heads").write_bytes(b"x" * 50_000_000)
        witness = witnesses[0]
        witness._ledgers["7"].size = 50_000_000
        reader, writer = await asyncio.open_connection(address.host, address.port)
        writer.write(b"feltd-witness 1 give 7\n")
        assert await reader.readline() == b"size 50000000\n"
        await eventually(lambda: not witness._writers)
        writer.transport.abort()

    table.sign(3, 9)
    sent(folder, table)
    witnesses = [witness_of(folder, table)]
    at_work(witnesses[0], work)


def test_a_file_of_heads_that_became_shorter_ends_the_answer(
    table: Table, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(address: Address) -> None:
        witnesses[0]._ledgers["7"].size += 100
        reader, writer = await asyncio.open_connection(address.host, address.port)
        writer.write(b"feltd-witness 1 give 7\n")
        size, content = await reader.readline(), await reader.read()
        assert int(size.split()[1]) == len(content) + 100
        writer.transport.abort()

    table.sign(3, 9)
    sent(folder, table)
    caplog.set_level(logging.INFO, "feltd.witness")
    witnesses = [witness_of(folder, table)]
    at_work(witnesses[0], work)
    assert "7.heads is shorter than it was" in caplog.text


def test_a_sender_asks_the_tables_own_door(tmp_path: Path, folder: Path) -> None:
    async def work() -> None:
        async with apart(tmp_path) as at:
            heads = await asyncio.to_thread(
                at.bench.journal.path.with_name(at.bench.journal.path.name + ".heads").read_text
            )
            source = await asyncio.to_thread(table_at(at.place))
            lines = (await asyncio.to_thread(source.heads, 0, 10)).lines
            source.close()
            assert heads.splitlines()[0] == lines[0]

    asyncio.run(work())


def test_one_witness_works_in_a_folder_and_what_is_damaged_there_is_named(table: Table, folder: Path) -> None:
    table.sign(3, 9, 12)
    assert sent(folder, table) == [""]
    witness = witness_of(folder, table)
    with pytest.raises(WitnessError, match="another witness works in it"):
        witness_of(folder, table)
    witness.close()
    with pytest.raises(WitnessError, match="it is of another record"):
        Witness(folder, {"7": bytes(32)}, 60.0, wall=lambda: NOW, steady=Clock())
    file = folder / "7.heads"
    content = file.read_text()
    file.write_text(content.replace("\n9 ", "\n8 ", 1))
    with pytest.raises(WitnessError, match="is not as it was signed"):
        witness_of(folder, table)
    with pytest.raises(WitnessError, match="Make the folder"):
        Witness(folder / "none", {}, 60.0, wall=lambda: NOW, steady=Clock())


def test_a_disk_that_takes_nothing_keeps_the_witness_as_it_was(
    table: Table, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.sign(3)
    assert sent(folder, table) == [""]
    before = (folder / "7.heads").read_bytes()
    table.sign(9)

    synced = os.fdatasync

    def refuse(descriptor: int) -> None:
        if os.readlink(f"/proc/self/fd/{descriptor}") == str(folder / "7.heads"):
            raise OSError(5, "Input/output error")
        synced(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", refuse)
        assert "is not reached" in sent(folder, table)[0]
    assert (folder / "7.heads").read_bytes() == before
    assert sent(folder, table) == [""]
    assert kept(folder) == table.lines

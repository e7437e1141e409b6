"""What the floor signs: a table that knows its key takes nothing else, each once, and nothing after its time."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from feltd.cli import cli
from feltd.custody.errors import CertificateWrongError
from feltd.custody.messages import Answer, Command, Result, from_bytes
from feltd.door import CommandRefused
from feltd.door.floor_signing import is_signed
from feltd.door.obeying import SignedCommand
from feltd.floor.commanding import Desk, Patience, Reach
from feltd.floor.memory import MemoryEngine
from feltd.floor.signing import FloorKey, make_signing_key
from feltd.record.notes import FLOOR_MAY_NOT_NOTE
from feltd.record.weak_keys import is_weak
from feltd.table.config.config import ConfigError, read_config
from feltd.table.keeper.floor_memory import memory_file_of
from feltd.table.keeper.obeying import CLOCKS_APART
from feltd.uplink.obeying import obey
from tests.floor.test_orders import ACKNOWLEDGE, ID, Obeyer, at_the_door, order_of


@pytest.fixture
def key(tmp_path: Path) -> FloorKey:
    (tmp_path / "floor").mkdir()
    return make_signing_key(tmp_path / "floor")[1]


@pytest.fixture
def table(tmp_path: Path, key: FloorKey) -> Obeyer:
    (tmp_path / "next").mkdir()
    return Obeyer(tmp_path, keys=(make_signing_key(tmp_path / "next")[1].public, key.public))


def signed(
    table: Obeyer, key: FloorKey, number: str = ID, *, age: float = 0.0, journal: bytes | None = None
) -> SignedCommand:
    """A command that the floor made `age` seconds ago and that holds for five."""
    made, order = table.page.bench.time.wall - age, order_of(ACKNOWLEDGE)
    here = table.page.bench.journal.reader.journal_id if journal is None else journal
    ticks = round(made * 1e6)
    return SignedCommand(
        number, order, made + 5.0, ticks, key.command(number, here, ticks, made + 5.0, order), offset=0.0
    )


def test_a_signed_command_acts_once_also_after_a_restart_and_an_unsigned_one_never(
    table: Obeyer, key: FloorKey
) -> None:
    async def work() -> None:
        command = signed(table, key)
        first = await table.obey_signed(command)
        assert first == await table.obey_signed(command)
        table.again()
        assert await table.obey_signed(command) == first
        for _ in range(2):
            with pytest.raises(CommandRefused, match="obeys nothing else"):
                await table.take(table.command(number="1" * 32))
        await table.page.bench.synced()
        done, asked = table.notes()
        assert (done["who"], done["command"], done["made"]) == ("lea", ID, command.made)
        assert (asked["what"], asked["who"]) == (FLOOR_MAY_NOT_NOTE, "unknown"), (
            "what it says of itself is worth nothing"
        )

    asyncio.run(work())


def test_what_is_changed_or_is_for_another_table_is_refused(table: Obeyer, key: FloorKey, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    _, other = make_signing_key(tmp_path / "other")

    async def work() -> None:
        good = signed(table, key)
        for wrong in (
            replace(good, until=good.until + 1.0),
            replace(good, made=good.made + 1),
            replace(good, id="1" * 32),
            replace(good, order=good.order.replace("lea", "ben")),
            replace(good, signature=""),
            replace(good, signature="no digits"),
            replace(good, signature="00" * 64),
            signed(table, key, journal=bytes(16)),
            signed(table, other),
        ):
            with pytest.raises(CommandRefused, match="no key of the floor"):
                await table.obey_signed(wrong)
        await table.page.bench.synced()
        assert [note["what"] for note in table.notes()] == [FLOOR_MAY_NOT_NOTE], "told once, or it could fill the card"
        assert (await table.obey_signed(good)).refusal is None

    asyncio.run(work())


def test_a_command_that_was_held_back_is_refused_though_the_tables_clock_is_put_back(
    table: Obeyer, key: FloorKey
) -> None:
    async def work() -> None:
        held = signed(table, key, "1" * 32)
        table.page.bench.time.pass_(40.0)
        await table.obey_signed(signed(table, key))
        table.page.bench.time.wall -= 40.0
        table.again()
        with pytest.raises(CommandRefused, match=r"came 35\.0 s too late"):
            await table.obey_signed(held)
        with pytest.raises(CommandRefused, match="too late"):
            await table.obey_signed(signed(table, key, "2" * 32, age=60.0))

    asyncio.run(work())


def test_the_time_that_an_uplink_speaks_of_lets_nothing_in_late_and_keeps_nothing_out(
    table: Obeyer, key: FloorKey
) -> None:
    async def work() -> None:
        late = signed(table, key, age=20.0)
        for offset in (-CLOCKS_APART - 1.0, CLOCKS_APART + 1.0):
            with pytest.raises(CommandRefused, match="set the clock that is wrong"):
                await table.obey_signed(replace(late, offset=offset))
        with pytest.raises(CommandRefused, match="too late"):
            await table.obey_signed(replace(late, offset=-CLOCKS_APART))
        with pytest.raises(CommandRefused, match="holds for longer"):
            await table.obey_signed(signed(table, key, "3" * 32, age=-86400.0))
        assert (await table.obey_signed(signed(table, key, "4" * 32))).refusal is None, "a far time poisons nothing"

    asyncio.run(work())


def test_a_file_that_is_not_the_tables_refuses_and_is_not_written_over(table: Obeyer, key: FloorKey) -> None:
    async def work() -> None:
        file = memory_file_of(table.page.bench.journal.path)
        for content in (
            "{",
            '{"made": -1, "wishes": {}}',
            '{"made": true, "wishes": {}}',
            '{"made": 1, "wishes": []}',
            "[]",
        ):
            file.write_text(content)
            with pytest.raises(CommandRefused, match="not what this table wrote"):
                await table.obey_signed(signed(table, key, f"{len(content):032d}"))
            assert file.read_text() == content
        file.unlink()
        assert (await table.obey_signed(signed(table, key))).refusal is None
        assert json.loads(file.read_text())["made"] > 0

    asyncio.run(work())


def test_the_floor_signs_with_rising_numbers_and_the_uplink_hands_it_on_as_it_is(
    table: Obeyer, key: FloorKey, tmp_path: Path
) -> None:
    async def work() -> None:
        sent: list[Command] = []
        journal = table.page.bench.journal.reader.journal_id
        engine = MemoryEngine(lambda: 0.0)
        desk = Desk(engine, lambda: table.page.bench.time.wall, Patience(), key)
        async with at_the_door(table, tmp_path) as place:

            async def send(data: bytes) -> None:
                command = from_bytes(data, {"command": Command})
                sent.append(command)
                await desk.answered("7", await obey(place, command, 0.0))

            desk.join("7", Reach(send, journal), obeys=True)
            done = [await desk.order("7", order_of(ACKNOWLEDGE)) for _ in range(3)]
        assert [one.result for one in done] == [Result.DONE] * 3
        made = [command.made for command in sent]
        assert made == sorted(set(made))

    asyncio.run(work())


def test_a_floor_without_a_key_is_refused_by_a_table_that_knows_one_and_obeyed_by_another(
    table: Obeyer, key: FloorKey, tmp_path: Path
) -> None:
    async def answer(to: Obeyer, *, sign: bool) -> Answer:
        async with at_the_door(to, tmp_path) as place:
            given = signed(to, key)
            made = (given.made, given.signature) if sign else ()
            return await obey(place, Command(ID, given.until, given.order, *made), 0.0)

    refused = asyncio.run(answer(table, sign=False))
    assert (refused.result, "signing_key" in refused.words) == (Result.REFUSED, True)
    (tmp_path / "b").mkdir()
    assert asyncio.run(answer(Obeyer(tmp_path / "b"), sign=True)).result == Result.DONE


def test_the_key_is_made_once_and_what_is_wrong_with_it_is_told(tmp_path: Path) -> None:
    made = CliRunner().invoke(cli, ["floor", "signing-key", str(tmp_path)])
    file = tmp_path / "signing.key"
    assert made.exit_code == 0
    assert FloorKey.load(file).public.hex() in made.output
    assert file.read_text() not in made.output
    assert file.stat().st_mode & 0o777 == 0o600
    with pytest.raises(CertificateWrongError, match="Nothing is written over"):
        make_signing_key(tmp_path)
    with pytest.raises(CertificateWrongError, match="cannot be written"):
        make_signing_key(tmp_path / "nowhere")
    with pytest.raises(CertificateWrongError, match="cannot be read"):
        FloorKey.load(tmp_path / "none")
    file.write_text("no key")
    with pytest.raises(CertificateWrongError, match="signing-key"):
        FloorKey.load(file)


def test_a_key_under_which_anybody_signs_is_known() -> None:
    weak = bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
    for key in (bytes(32), weak, b"\x01" + bytes(31)):
        forged = (b"\x01" + bytes(31) + bytes(32)).hex()
        assert any(is_signed(f"{n}".encode(), forged, [key]) for n in range(500)), "so it must be pinned nowhere"
        assert is_weak(key)


@pytest.mark.parametrize(
    "keys",
    ['["00"]', '["' + "00" * 32 + '"]', '["' + "g" * 64 + '"]', "[1]", str(["58" + "66" * 31] * 3).replace("'", '"')],
)
def test_a_tables_file_names_the_keys_in_full_and_two_at_most(tmp_path: Path, keys: str) -> None:
    with pytest.raises(ConfigError, match=r"floor\.keys"):
        read_config(f"[floor]\nkeys = {keys}\n", "table.toml", tmp_path)

"""The floor's wish at the table: signed, as far as the file lets it, on record, played between two rounds."""

import asyncio
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from feltd.cli import cli
from feltd.custody.certificates import context_of_floor
from feltd.door import CommandRefused, Person
from feltd.door.asking.pit_door import asked_once
from feltd.door.obeying import Obeyed, SignedCommand
from feltd.door.pit.wishes import SaidToWish
from feltd.door.serving.listener import listening
from feltd.door.wire.codec import to_json
from feltd.door.wishing import (
    BookPlay,
    Setting,
    TableSettings,
    WishCommand,
    WishedBook,
    WishedSettings,
    WishedVersion,
)
from feltd.floor.commanding import Desk
from feltd.floor.memory import MemoryEngine
from feltd.floor.pit_book import PitBook
from feltd.floor.pit_socket import Pit, PitReception
from feltd.floor.rolling import Rolling
from feltd.floor.serving import receiving
from feltd.floor.signing import FloorKey, make_signing_key
from feltd.record.notes import BY_HAND_NOTE, FLOOR_MAY_NOT_NOTE, WISH_NOTE, WISH_VERSION_NOTE
from feltd.record.rows import JournalRows
from feltd.table.config.config import ConfigError, read_config
from feltd.table.keeper.floor_memory import FloorMemory, memory_file_of
from feltd.table.keeper.noted_wishes import NotedWishes
from feltd.table.keeper.obeying import FloorMay, Obeying
from feltd.table.keeper.wished_settings import SettingWishes, TableWishes
from feltd.table.keeper.wished_version import floor_decides, wished_version
from feltd.table.keeper.wishes import BookWishes
from feltd.uplink.calling import Clocks
from table_fsm.events import (
    SeatIn,
    SeatOut,
    ShoeDeckChecked,
    ShoeShuffled,
    Supervisor,
    TableClose,
    TableOpen,
    TournamentClock,
)
from table_fsm.felt import Decision
from tests.feltd.table_support import BOOKS, HOLDEM, STAR, UTH, Bench, FakeTime, opening, tournament_opening
from tests.floor.test_orders import IN_FILE, Obeyer, at_the_door
from tests.floor.test_uplink import called
from tests.floor.tls_support import casino, own
from tests.running import eventually

LEA = Person("lea", "lea", "floor", "floor")
ROLES = frozenset({"shoe", "reader", "dropbox"})
OPTIONS = {"table_min": 500}
CONFIG = """\
[table]
name = "7"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
[journal]
path = "table.journal"
sealing_key_file = "k"
[floor]
keys = ["{key}"]
versions = true
"""
ID = "ab" * 16

FIRST = 4
"""The number of the first wish."""


class Wisher:
    """A table that knows the floor's key, and the floor's wishes for it."""

    def __init__(
        self, folder: Path, *, allowed: tuple[str, ...] = (UTH,), signed: bool = True, versions: bool = False
    ) -> None:
        self.versions = versions
        self.folder = folder
        (folder / "floor").mkdir()
        self.key: FloorKey = make_signing_key(folder / "floor")[1]
        self.keys = (self.key.public,) if signed else ()
        self.allowed = allowed
        self.roles: frozenset[str] = ROLES
        self.in_file = opening(HOLDEM)
        self.time = FakeTime()
        self.numbers = 0
        self.told: list[str] = []
        self.may_set: tuple[Setting, ...] = ()
        self.has: dict[Setting, Any] = {}
        """The settings that were put in force."""

    def start(self, opens: TableOpen | None = None) -> None:
        """The table's process starts, as `feltd.table.daemon` does it."""
        self.bench = Bench(self.folder, self.time)
        keeper, journal = self.bench.keeper, self.bench.journal
        memory = FloorMemory(memory_file_of(journal.path))
        self.wishes = BookWishes(BOOKS, self.allowed, self.in_file, self.roles, memory)
        self.settings = SettingWishes(self.may_set, IN_FILE, memory, self.has.__setitem__)
        self.settings.put_at_start(self.told.append)
        NotedWishes(memory, lambda: JournalRows(journal.path), journal.reader.journal_id).note_left_out(keeper)
        self.obeying = Obeying(
            keeper, FloorMay(keys=self.keys, versions=self.versions), lambda: self.time.wall,
            lambda: JournalRows(journal.path), self.bench.synced, memory, journal.reader.journal_id,
            TableWishes(self.wishes, self.settings),
        )  # fmt: skip
        first, wished = self.wishes.opening_at_start(keeper.standing.opening, self.told.append)
        keeper.open_with(opens or first, seats_stay=wished)

    def again(self) -> None:
        """It ends, and starts again."""
        self.bench.journal.close()
        self.start()

    def play(self, book: str = UTH, options: Mapping[str, Any] = OPTIONS) -> BookPlay:
        return BookPlay(book, BOOKS[book].digest, options)

    def signed(self, play: BookPlay | TableSettings | str, number: str = "", wished: int = 0) -> SignedCommand:
        """A wish that the floor signs: for a book, for settings, or for a version.

        `wished`: its number; 0 for the next one.
        """
        self.numbers += 1
        wished = wished or FIRST - 1 + self.numbers
        made, until = round(self.time.wall * 1e6) + self.numbers, self.time.wall + 5.0
        wish: dict[str, Any] = {"version": WishedVersion(wished, str(play))}
        if not isinstance(play, str):
            wish = (
                {"wish": WishedBook(wished, play)}
                if isinstance(play, BookPlay)
                else {"settings": WishedSettings(wished, play)}
            )
        order = to_json({"person": LEA, "why": f"wish {wished}, approved by ben: now", **wish}).decode()
        number = number or f"{self.numbers:032x}"
        journal = self.bench.journal.reader.journal_id
        return SignedCommand(number, order, until, made, self.key.command(number, journal, made, until, order), 0.0)

    async def take(self, play: BookPlay | TableSettings | str | None = None) -> Obeyed:
        return await self.obeying.take_signed(self.signed(play or self.play()))

    @property
    def now(self) -> tuple[str | None, list[int]]:
        """The book in force, and who sits there."""
        book, view = self.bench.keeper.table.rulebook, self.bench.keeper.table.view()
        return None if book is None else book.id, [seat["seat"] for seat in view["seats"]]

    def notes(self) -> list[Mapping[str, Any]]:
        with JournalRows(self.bench.journal.path) as record:
            return [entry.body for entry in record.entries() if entry.body.get("note") == BY_HAND_NOTE]


def test_a_table_says_which_wishes_it_remembers(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        memory = table.wishes.memory
        assert memory.wishes_known() == {}
        await table.take()
        memory.keep_wish("version", {"id": "x"})
        assert memory.wishes_known() == FloorMemory(memory_file_of(table.bench.journal.path)).wishes_known()
        assert memory.wishes_known() == {"book": 4}, "a version is no setting that a start has in force"
        memory_file_of(table.bench.journal.path).write_text("{}")
        assert FloorMemory(memory_file_of(table.bench.journal.path)).wishes_known() is None

    asyncio.run(work())


@pytest.fixture
def table(tmp_path: Path) -> Wisher:
    return Wisher(tmp_path)


def test_a_wish_is_on_record_and_played_at_once_between_two_rounds_with_who_sits_there(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        table.bench.take(SeatOut, seat=1)
        table.bench.take(SeatIn, seat=5)
        command = table.signed(table.play(), ID)
        done = await table.obeying.take_signed(command)
        assert (done.refusal, table.now) == (None, (UTH, [2, 3, 5]))
        [note] = table.notes()
        assert (note["what"], note["who"], note["command"], note["wish"]) == (WISH_NOTE, "lea", ID, 4)
        assert (note["why"], note["rulebook"]) == ("wish 4, approved by ben: now", UTH)
        assert (note["digest"], json.loads(note["options"])) == (BOOKS[UTH].digest, OPTIONS)
        assert await table.obeying.take_signed(command) == done
        table.again()
        assert await table.obeying.take_signed(command) == done, "the record knows the id after a restart"
        assert len(table.notes()) == 1

    asyncio.run(work())


def test_in_a_round_it_waits_until_that_is_over_also_over_a_restart(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        table.bench.take(ShoeDeckChecked, deck="blue", count=52)
        table.bench.take(ShoeShuffled, deck="blue", count=52)
        assert not table.bench.keeper.between_rounds
        await table.take()
        assert table.now[0] == HOLDEM
        table.again()
        assert table.now[0] == HOLDEM
        assert table.bench.keeper._opening is not None
        assert table.bench.keeper._opening.rulebook == UTH

    asyncio.run(work())


@pytest.mark.parametrize("again", [False, True])
def test_a_wish_for_what_is_played_takes_the_place_of_one_that_waits_for_the_end_of_the_round(
    table: Wisher, again: bool
) -> None:
    """`back` came in the round in which the book had come, and the table opened that book at the round's end."""

    async def work() -> None:
        table.start()
        table.bench.take(ShoeDeckChecked, deck="blue", count=52)
        table.bench.take(ShoeShuffled, deck="blue", count=52)
        await table.take()
        if again:
            table.again()
        assert table.bench.keeper._opening is not None
        done = await table.take(table.play(HOLDEM, {"blinds": [100, 200]}))
        assert done.refusal is None
        table.bench.keeper.act(LEA, "dealt wrongly", Supervisor(t=0.0, staff="s1", decision=Decision.MISDEAL))
        assert table.bench.keeper.between_rounds
        assert table.now[0] == HOLDEM
        table.again()
        assert (table.now[0], table.told) == (HOLDEM, [])

    asyncio.run(work())


def test_a_restart_goes_on_with_the_wish_and_reopens_nothing(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        await table.take()
        await table.bench.synced()
        entries = table.bench.journal.health.appended
        table.again()
        assert table.now == (UTH, [1, 2, 3])
        assert table.bench.journal.health.appended == entries, "it is open so already"
        assert table.told == []

    asyncio.run(work())


def test_whoever_changes_the_tables_own_file_has_the_last_word(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        await table.take()
        table.in_file = replace(table.in_file, options={"blinds": [200, 400]})
        table.again()
        assert table.now[0] == HOLDEM
        assert "changed since the floor wished" in table.told[0]
        table.in_file = opening(HOLDEM)
        table.allowed = ()
        table.again()
        assert table.now[0] == HOLDEM
        assert "lets it no more" in table.told[1]
        memory_file_of(table.bench.journal.path).write_text("{")
        table.again()
        assert table.now[0] == HOLDEM
        assert "is not known" in table.told[2]

    asyncio.run(work())


def test_what_stands_in_the_file_itself_may_always_be_brought_back(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        await table.take()
        await table.take(table.play(HOLDEM, {"blinds": [100, 200]}))
        assert table.now[0] == HOLDEM
        with pytest.raises(CommandRefused, match="may not wish"):
            await table.take(table.play(HOLDEM, {"blinds": [200, 400]}))

    asyncio.run(work())


def test_a_stolen_floor_wishes_what_the_file_names_alone_and_that_is_on_record(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        for _ in range(2):
            with pytest.raises(CommandRefused, match=r"\[floor\] books"):
                await table.take(table.play(STAR, {}))
        await table.bench.synced()
        [note] = table.notes()
        assert (note["what"], note["asked"]) == (FLOOR_MAY_NOT_NOTE, WISH_NOTE), "told once"
        for play, words in (
            (replace(table.play(), digest="00" * 32), "another text"),
            (replace(table.play(), options={"table_min": "much"}), "does not open"),
            (replace(table.play(), options={"built": "no_shoe"}), "made of"),
        ):
            with pytest.raises(CommandRefused, match=words):
                await table.take(play)
        assert table.now[0] == HOLDEM
        assert memory_file_of(table.bench.journal.path).read_text().endswith('"wishes":{}}'), "nothing is remembered"

    asyncio.run(work())


def test_a_book_that_is_not_here_or_needs_a_device_that_is_not_here_is_refused(tmp_path: Path) -> None:
    table = Wisher(tmp_path, allowed=(UTH, "our-own"))
    table.roles = frozenset({"reader"})

    async def work() -> None:
        table.start()
        with pytest.raises(CommandRefused, match="no rulebook our-own: bring it there"):
            await table.take(BookPlay("our-own", "00" * 32, {}))
        with pytest.raises(CommandRefused, match="without a shoe"):
            await table.take()

    asyncio.run(work())


def test_a_closed_table_opens_with_the_seats_of_its_file(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        table.bench.take(TableClose)
        await table.take()
        assert table.now == (UTH, [1, 2, 3])

    asyncio.run(work())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=9,
)
NAMES = sorted({name for book in (UTH, HOLDEM, STAR) for name in BOOKS[book].book.options})


@given(st.sampled_from([UTH, HOLDEM, STAR]), st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=9), JSON))
def test_whatever_options_a_stolen_floor_sends_the_table_opens_or_refuses(book: str, options: dict[str, Any]) -> None:
    with TemporaryDirectory() as folder:
        memory = FloorMemory(Path(folder) / "floor.json")
        wishes = BookWishes(BOOKS, (book,), opening(HOLDEM), ROLES, memory)
        wish = WishedBook(4, BookPlay(book, BOOKS[book].digest, options))
        with suppress(CommandRefused):
            made = wishes.opening_for(wish, [1, 2, 3])
            wishes.keep(wish, made)
            assert wishes.opening_at_start(None, lambda _: None) == (made, True)


def test_what_the_table_is_made_of_stays_as_its_file_says(table: Wisher) -> None:
    async def work() -> None:
        table.in_file = replace(table.in_file, options={"blinds": [100, 200], "built": "no_shoe"})
        table.roles = frozenset({"reader", "dropbox"})
        table.start()
        wish = WishedBook(4, table.play(HOLDEM, {"blinds": [200, 400]}))
        made = table.wishes.opening_for(wish, [1, 2, 3])
        assert made.options == {"blinds": [200, 400], "built": "no_shoe"}

    asyncio.run(work())


def test_a_tournament_under_way_is_not_ended_by_a_wish(table: Wisher) -> None:
    async def work() -> None:
        table.start(tournament_opening())
        assert table.now[0] == STAR
        table.bench.take(TournamentClock, running=True, elapsed=30.0)
        with pytest.raises(CommandRefused, match="tournament is under way"):
            await table.take()

    asyncio.run(work())


def test_nothing_unsigned_is_taken(tmp_path: Path) -> None:
    table = Wisher(tmp_path, signed=False)

    async def work() -> None:
        table.start()
        until = table.time.wall + 5.0
        command = WishCommand(ID, LEA, "wish 4", WishedBook(4, table.play()), until)
        with pytest.raises(CommandRefused, match="has not signed"):
            await table.obeying.take(command)
        with pytest.raises(CommandRefused, match="has not signed"):
            await table.take()
        assert table.now[0] == HOLDEM

    asyncio.run(work())


def test_a_version_is_remembered_for_who_installs_and_on_record(tmp_path: Path) -> None:
    table = Wisher(tmp_path, versions=True)

    async def work() -> None:
        table.start()
        with pytest.raises(CommandRefused, match="three numbers"):
            await table.take("newest")
        command = table.signed("0.9.0", ID)
        done = await table.obeying.take_signed(command)
        table.again()
        assert await table.obeying.take_signed(command) == done
        [note] = table.notes()
        assert (note["what"], note["version"], note["wish"]) == (WISH_VERSION_NOTE, "0.9.0", 5)
        config = tmp_path / "table.toml"
        config.write_text(CONFIG.format(key=table.key.public.hex()))
        assert (floor_decides(config), wished_version(config)) == (True, "0.9.0")
        await table.take(table.play())
        assert wished_version(config) == "0.9.0", "a book and a version are two wishes"
        config.write_text(CONFIG.format(key="ab" * 32))
        with pytest.raises(CommandRefused, match="no key of the floor"):
            wished_version(config)
        memory_file_of(table.bench.journal.path).unlink()
        assert wished_version(config) is None

    asyncio.run(work())


def test_no_version_is_wished_where_the_file_does_not_let_it(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        with pytest.raises(CommandRefused, match=r"\[floor\] versions = true"):
            await table.take("0.9.0")
        await table.bench.synced()
        [note] = table.notes()
        assert note["asked"] == WISH_VERSION_NOTE

    asyncio.run(work())


def test_a_file_that_lets_the_floor_wish_names_its_key(tmp_path: Path) -> None:
    text = (
        '[table]\nname = "7"\nrulebook = "tas-2018-holdem"\nseats = [1, 2]\n'
        '[journal]\npath = "j"\nsealing_key_file = "k"\n[floor]\nbooks = ["onyx-cash"]\n'
    )
    with pytest.raises(ConfigError, match="name its key"):
        read_config(text, "table.toml", tmp_path)
    (tmp_path / "floor").mkdir()
    key = make_signing_key(tmp_path / "floor")[1].public.hex()
    assert read_config(f'{text}keys = ["{key}"]\n', "table.toml", tmp_path).floor.books == ("onyx-cash",)


FLOOR = """\
[floor]
host = "127.0.0.1"
port = 7443
database = "postgresql:///floor"
certificate = "floor.pem"
key = "floor.key"
authority = "authority.pem"
socket = "pit"
"""


def test_from_the_shell_to_the_tables_record_and_back_to_the_floor(tmp_path: Path) -> None:
    folder = casino(tmp_path / "casino", "7")
    key = make_signing_key(folder)[1]
    table = Obeyer(tmp_path, keys=(key.public,), books=(UTH,))
    (tmp_path / "floor.toml").write_text(FLOOR)

    def shell(*words: str) -> Result:
        config = ("--config", str(tmp_path / "floor.toml"))
        return CliRunner().invoke(cli, ["floor", "wish", *words, *config])

    async def work() -> None:
        engine = MemoryEngine(lambda: 1000.0)
        wall = table.page.bench.time
        table.page.bench.open_table()
        desk, book = Desk(engine, lambda: wall.wall, key=key), PitBook(engine)
        rolling = Rolling(engine, desk, book)
        context = context_of_floor(own(folder, "floor"))
        async with (
            at_the_door(table, tmp_path) as place,
            receiving(engine, "127.0.0.1", 0, context, desk, book) as server,
            listening(tmp_path / "pit", os.getuid(), PitReception(Pit(desk, book, engine, rolling=rolling), book)),
        ):
            asked = ("book", UTH, "--table", "7", "--option", "table_min=500", "--reason", "as planned")
            made = await asyncio.to_thread(shell, *asked)
            assert made.exit_code == 0, made.output
            assert f"wish 1: {UTH} {BOOKS[UTH].digest[:12]} for 7, 7 first" in made.output
            same = await asyncio.to_thread(shell, "approve", "1", "--reason", "hurry")
            assert "second person" in same.output
            listed = await asyncio.to_thread(shell, "list")
            assert "wish 1: waits for a second person" in listed.output
            ben = Person("Ben", "ben", "director", "10.30.0.9")
            await asked_once(tmp_path / "pit", lambda door: door.say_to_wish(SaidToWish(1, True, ben, "seen")))
            await rolling.look()
            assert "7: away" in (await asyncio.to_thread(shell, "list")).output
            port = server.sockets[0].getsockname()[1]
            at = type("At", (), {"place": place})
            clocks = Clocks(lambda: wall.wall)
            async with called(at, f"wss://127.0.0.1:{port}", folder, clocks=clocks) as uplink:  # type: ignore[arg-type]
                await eventually(lambda: uplink._offset is not None)
                await eventually(lambda: (line := book.line("7")) is not None and line.is_current)
                await rolling.look()
                await rolling.asked()
                assert table.page.bench.keeper.table.rulebook == BOOKS[UTH]

                await eventually(lambda: (rolling.now("7").play or BookPlay("", "", {})).rulebook == UTH)
                told = (await asyncio.to_thread(shell, "list")).output
                assert "7: held" in told
                assert "approved by Ben (ben, director, 10.30.0.9): seen" in told
                assert f"plays {UTH} {BOOKS[UTH].digest[:12]} table_min=500" in told
            stopped = await asyncio.to_thread(shell, "stop", "1", "--reason", "players complain")
            assert (stopped.exit_code, "wish 1: stopped by" in stopped.output) == (0, True)
            assert "stopped by" in (await asyncio.to_thread(shell, "list", "--all")).output
            back = await asyncio.to_thread(shell, "back", "1", "--reason", "as it was")
            assert "wish 2: back from wish 1 for 7\n" in back.output
            assert "wished tas-2018-holdem" in (await asyncio.to_thread(shell, "list")).output
            of = ("--table", "7", "--reason", "case 4712")
            made = await asyncio.to_thread(shell, "settings", "gather_seconds=1.5", "language='de'", *of)
            assert 'wish 3: gather_seconds=1.5 language="de" for 7, 7 first' in made.output
            told = (await asyncio.to_thread(shell, "list")).output
            assert '7: waits (wished gather_seconds=1.5 language="de"; has not known)' in told
            made = await asyncio.to_thread(shell, "settings", *of)
            assert "wish 4: what the tables' own files say for 7" in made.output

    asyncio.run(work())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("book", UTH, "--reason", "why"), "name tables"),
        (("book", "nothing", "--table", "7", "--reason", "why"), "no rulebook"),
        (("book", UTH, "--table", "7", "--option", "blinds", "--reason", "why"), "NAME=VALUE"),
        (("book", UTH, "--table", "7", "--option", "a=[", "--reason", "why"), "NAME=VALUE"),
    ],
)
def test_a_wish_that_says_too_little_is_told_so(words: tuple[str, ...], told: str) -> None:
    done = CliRunner().invoke(cli, ["floor", "wish", *words])
    assert (done.exit_code, told in done.output) == (2, True), done.output

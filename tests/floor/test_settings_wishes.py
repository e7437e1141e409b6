"""Wishes for settings: as far as the table's file lets the floor, on record, in force at once, and the way back."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltd.door import CommandRefused
from feltd.door.pit.wishes import NewWish, WishBack
from feltd.door.wire.codec import parse
from feltd.door.wishing import Setting, TableSettings
from feltd.floor.engine import Engine
from feltd.floor.folding import Fold
from feltd.floor.groups import EVERYTHING
from feltd.floor.wishes import Stage, Wish, WishKind
from feltd.record import JournalReader, Span
from feltd.record.entries import Row, encode
from feltd.record.notes import FLOOR_MAY_NOT_NOTE, START_NOTE, WISH_SETTINGS_NOTE
from feltd.table.config.config import ConfigError, load_config, read_config
from feltd.table.daemon.daemon import opened
from feltd.table.keeper.floor_memory import FloorMemory, memory_file_of
from feltd.table.keeper.wished_settings import SettingWishes, settings_in
from feltd.text.language import Language
from tests.feltd.installed_support import own_table
from tests.floor.test_book_wishes import CONFIG, ID, Wisher
from tests.floor.test_orders import IN_FILE
from tests.floor.test_wishes import LEA, Floor, Run, stands

GATHERS = TableSettings({"gather_seconds": 1.5})
ALL = tuple(Setting)


@pytest.fixture
def table(tmp_path: Path) -> Wisher:
    made = Wisher(tmp_path)
    made.may_set = (Setting.GATHER, Setting.LANGUAGE)
    return made


# ---- at the table


def test_a_wish_is_on_record_and_in_force_at_once_and_after_a_start(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        assert table.has == {}, "the table began with what its file says"
        command = table.signed(GATHERS, ID)
        done = await table.obeying.take_signed(command)
        assert table.has == {**IN_FILE, Setting.GATHER: 1.5}
        [note] = table.notes()
        assert (note["what"], note["wish"], json.loads(note["settings"])) == (WISH_SETTINGS_NOTE, 4, GATHERS.values)
        assert (note["who"], note["why"]) == ("lea", "wish 4, approved by ben: now")
        table.has.clear()
        table.again()
        assert (table.has[Setting.GATHER], table.told) == (1.5, [])
        assert await table.obeying.take_signed(command) == done, "the record knows the id after a restart"
        assert len(table.notes()) == 1
        await table.take(TableSettings({"language": "de"}))
        assert table.has == {**IN_FILE, Setting.LANGUAGE: Language.GERMAN}, "what it does not name is as the file says"
        await table.take(TableSettings({}))
        assert table.has == IN_FILE

    asyncio.run(work())


def test_what_the_file_does_not_let_is_refused_and_on_record_what_stands_there_is_not(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        with pytest.raises(CommandRefused, match=r"\[floor\] settings"):
            await table.take(TableSettings({"short_loss_seconds": 5.0}))
        await table.bench.synced()
        [note] = table.notes()
        assert (note["what"], note["asked"]) == (FLOOR_MAY_NOT_NOTE, WISH_SETTINGS_NOTE)
        await table.take(TableSettings({"short_loss_seconds": 2}))
        for wrong, words in (
            ({"gather_seconds": 11}, "less than or equal to 10"),
            ({"gather_seconds": "1"}, "gather_seconds cannot be 1"),
            ({"language": "fr"}, "language cannot be fr"),
            ({"name": "8"}, "knows no setting name"),
        ):
            with pytest.raises(CommandRefused, match=words):
                await table.take(TableSettings(wrong))
        assert table.has == IN_FILE

    asyncio.run(work())


def test_whoever_changes_the_tables_own_file_has_the_last_word(tmp_path: Path) -> None:
    table = Wisher(tmp_path)
    table.may_set = ALL

    async def work() -> None:
        table.start()
        await table.take(GATHERS)
        memory = memory_file_of(table.bench.journal.path)
        kept = memory.read_text()
        table.has.clear()
        memory.write_text(kept.replace('"short_loss_seconds":2.0', '"short_loss_seconds":3.0'))
        table.again()
        memory.write_text(kept)
        table.may_set = ()
        table.again()
        memory.write_text(kept.replace('"values":{"gather_seconds":1.5}', '"values":7'))
        table.again()
        assert table.has == {}
        first, second, third = table.told[-3:]
        assert "was changed since the floor wished" in first
        assert "wish no gather_seconds any more" in second
        assert "is not known" in third

    asyncio.run(work())


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.lists(st.integers())


@given(st.dictionaries(st.sampled_from([one.value for one in Setting]) | st.text(max_size=9), VALUES))
def test_whatever_a_stolen_floor_sends_the_file_could_say_it_too_or_it_is_refused(values: dict[str, Any]) -> None:
    wishes = SettingWishes(ALL, IN_FILE, None, lambda setting, value: None)  # type: ignore[arg-type]  # nothing is kept
    try:
        found = wishes.checked(TableSettings(values)).values
    except CommandRefused:
        return
    text = CONFIG.format(key="ab" * 32)
    for name, value in found.items():
        section = {"language": "[table]", "short_loss_seconds": "[links]", "gather_seconds": "[journal]"}[name]
        line = f"{section}\n{name} = {json.dumps(value)}"
        text = text.replace(section, line) if section in text else f"{text}{line}\n"
    read = settings_in(read_config(text, "table.toml", Path()))
    assert {name: read[Setting(name)] for name in found} == found


def test_a_file_that_lets_the_floor_wish_settings_names_them_and_its_key(tmp_path: Path) -> None:
    text = CONFIG.format(key="ab" * 32)
    assert read_config(f'{text}settings = ["language"]\n', "t", tmp_path).floor.settings == (Setting.LANGUAGE,)
    without = "\n".join(line for line in text.splitlines() if not line.startswith(("keys", "versions")))
    with pytest.raises(ConfigError, match="name its key"):
        read_config(f'{without}\nsettings = ["language"]\n', "t", tmp_path)
    with pytest.raises(ConfigError, match="settings"):
        read_config(f'{text}settings = ["seats"]\n', "t", tmp_path)


def test_a_started_tables_parts_have_what_was_wished_and_its_record_tells_it(tmp_path: Path) -> None:
    file = own_table(tmp_path)
    file.write_text(f'{file.read_text()}\n[floor]\nkeys = ["{"ab" * 32}"]\nsettings = {json.dumps(list(Setting))}\n')
    config = load_config(file)
    wished = {"language": "de", "short_loss_seconds": 7.5, "gather_seconds": 0.5}
    in_file = {setting.value: value for setting, value in settings_in(config).items()}
    kept = {"number": 4, "values": wished, "instead_of": in_file}
    FloorMemory(memory_file_of(config.journal.path)).keep_wish("settings", kept)
    with opened(config) as daemon:
        assert daemon.bridge.indicating.language is Language.GERMAN
        assert daemon.bridge._presence._short.seconds == 7.5
        assert daemon.journal._writer._gathering.seconds == 0.5
        daemon.wishes.settings.put(TableSettings({}))
        assert daemon.bridge.indicating.language is config.table.language
        assert daemon.bridge._presence._short.seconds == config.links.short_loss_seconds
    with JournalReader.open(config.journal.path) as reader:
        [note] = [entry.body for entry in reader.entries(Span(name="note")) if entry.body["note"] == START_NOTE]
    assert note["settings"] == wished


# ---- at the floor


def test_the_record_says_which_settings_hold_by_a_wish() -> None:
    fold = Fold()

    def note(seq: int, text: str, fold: Fold = fold) -> None:
        fold.take(encode(Row(seq, "host", "note", None, 1.0, 2.0, 1, None, None, None, None, None, text, None, None)))

    note(1, '{"note":"feltd starts","software":"0.7.0"}', older := Fold())
    assert older.settings is None, "an older feltd does not say"
    note(1, '{"note":"feltd starts","software":"0.7.0"}')
    note(2, '{"note":"feltd starts","software":"0.8.0","settings":{"language":"de"}}')
    assert fold.settings == {"language": "de"}
    kept = {"note": "a person acted at the page", "what": WISH_SETTINGS_NOTE, "settings": '{"gather_seconds":1.0}'}
    note(3, json.dumps(kept))
    assert Fold.from_text(fold.to_text()).settings == {"gather_seconds": 1.0}
    note(4, json.dumps({**kept, "settings": "[1"}))
    assert '"settings":null' in fold.to_text()


def test_one_table_takes_them_first_and_each_goes_back_to_its_own() -> None:
    async def work() -> None:
        floor = Floor("7", "8")
        lines = floor.book._lines
        lines["7"].fold.settings, lines["8"].fold.settings = {}, {"language": "de"}
        asked = NewWish(LEA, None, ("7", "8"), (), "7", 60.0, "case 4712", settings=GATHERS)
        number = (await floor.wishing.wish(asked, EVERYTHING)).number
        await floor.approved(number)
        await floor.look()
        [(table, order)] = floor.tables.orders
        assert (table, parse(order.encode())["settings"]) == (
            "7", {"number": number, "settings": {"values": {"gather_seconds": 1.5}}},
        )  # fmt: skip
        assert stands(await floor.look()) == {"7": "taken", "8": "waits"}
        lines["7"].fold.settings = {"gather_seconds": 1.5}
        shown = await floor.look(1.0)
        assert (stands(shown), shown.left) == ({"7": "held", "8": "waits"}, 60.0)
        assert (shown.tables[0].wants, shown.tables[1].has) == (GATHERS, TableSettings({"language": "de"}))
        assert (await floor.look(60.0)).stage == Stage.ROLLING
        await floor.look(1.0)
        lines["8"].fold.settings = {"gather_seconds": 1.5}
        lines["8"].fold.taken["settings"] = {"number": number, "said": {}, "before": None, "starts": []}
        assert stands(await floor.look(1.0)) == {"7": "held", "8": "held"}
        back = (await floor.wishing.back(WishBack(number, LEA, "as it was"), EVERYTHING)).number
        await floor.approved(back)
        await floor.look(1.0)
        sent = {name: parse(order.encode())["settings"]["settings"] for name, order in floor.tables.orders[2:]}
        assert sent == {"7": {"values": {}}, "8": {"values": {"language": "de"}}}

    asyncio.run(work())


def test_what_is_no_setting_is_wished_of_nobody() -> None:
    async def work() -> None:
        floor = Floor("7")
        good = NewWish(LEA, None, ("7",), (), None, 0.0, "case 4712", settings=GATHERS)
        for wrong, words in (
            (replace(good, settings=TableSettings({"seats": 3})), "language, short_loss_seconds, gather_seconds are"),
            (replace(good, settings=TableSettings({"language": ["de"]})), "a number, or a text"),
            (replace(good, settings=TableSettings({"language": "x" * 99})), "a number, or a text"),
            (replace(good, version="0.9.0"), "for a book, for settings, or"),
            (replace(good, settings=None), "for a book, for settings, or"),
        ):
            with pytest.raises(CommandRefused, match=words):
                await floor.wishing.wish(wrong, EVERYTHING)

    asyncio.run(work())


def test_both_databases_keep_settings_by_table(engine: Run) -> None:
    wanted = {"7": GATHERS, "8": TableSettings({})}

    async def work(floor: Engine) -> None:
        wish = Wish(("7", "8"), "7", 60.0, {}, "Lea", "lea", "case 4712", settings=wanted)
        await floor.wishes.add(wish)
        for _ in range(2):
            [(kept, _)] = await floor.wishes.all(1)
            assert (kept.kind, kept.settings, kept.plays) == (WishKind.SETTINGS, wanted, {})

    engine(work)

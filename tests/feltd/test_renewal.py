"""Another version is installed while a table plays: it says so, plays its round to the end, and ends to start anew."""

import asyncio
import logging
import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from feltd.installed.manifest import PLACE
from feltd.installed.mark import PackageMark, SignatureState
from feltd.installed.upgrade import Upgrade, upgrade_in
from feltd.launcher import process as launcher_process
from feltd.launcher import table_process
from feltd.launcher.table_process import TheWayIn, run_table
from feltd.page.api.state import state_as_json
from feltd.table.check.running_table import upgrade_at
from feltd.table.daemon import renewal as module
from feltd.table.daemon.renewal import Renewal
from feltd.text.language import Language, speaking
from table_fsm.events import ShoeShuffled
from tests.feltd.page_support import Page
from tests.feltd.test_daemon_run import write
from tests.running import eventually

PLAYS = PackageMark("ab" * 32, SignatureState.UNSIGNED, None)
SOON = "as soon as no round is played, no device is tested and no pack is laid"
WORD = "0.12.0\n0.13.0\nabababababababab\n"


@pytest.fixture(autouse=True)
def _package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "running_package", lambda: PLAYS)


@pytest.mark.parametrize(
    "text", ["", "0.12.0\n", f"{WORD}more\n", "0.12.0\n0.13.0\n\xe4\n", "x" * 5000], ids=lambda text: text[:8]
)
def test_what_is_no_word_of_the_scripts_tells_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "word").write_text(text, encoding="utf-8")
    assert upgrade_in(tmp_path / "word") is None
    assert upgrade_in(tmp_path / "none") is None


def test_a_word_is_of_the_package_whose_manifest_it_names_and_of_no_other() -> None:
    told = Upgrade("0.12.0", "0.13.0", "abab")
    assert told.is_of(PLAYS)
    assert not told.is_of(None)  # a checkout
    assert not Upgrade("0.12.0", "0.13.0", "").is_of(PLAYS)
    assert not Upgrade("0.12.0", "0.13.0", "ff").is_of(PLAYS)


def test_the_table_ends_once_it_rests_and_says_beforehand_what_it_waits_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rests = False
    renewal, word = Renewal(lambda: rests), tmp_path / "word"
    assert not renewal.look()  # no place to look at
    renewal.hear(word)
    assert not renewal.look()
    word.write_text(WORD, encoding="ascii")
    with caplog.at_level(logging.WARNING):
        assert [renewal.look(), renewal.look()] == [False, False]
    assert [record.message for record in caplog.records] == [
        f"feltd 0.13.0 is installed, and this table runs 0.12.0: it starts anew {SOON}"
    ]
    assert renewal.upgrade == Upgrade("0.12.0", "0.13.0", "abababababababab")
    rests = True
    assert renewal.look()
    word.unlink()  # files change again: it must not start from half of them
    assert not renewal.look()
    assert renewal.upgrade is None


def test_a_word_that_an_earlier_start_has_left_starts_nothing_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "running_package", lambda: PackageMark("cd" * 32, SignatureState.UNSIGNED, None))
    (tmp_path / "word").write_text(WORD, encoding="ascii")
    renewal = Renewal(lambda: True)
    renewal.hear(tmp_path / "word")
    assert not renewal.look()


def test_a_table_rests_between_two_rounds_while_nobody_tests_a_device_or_lays_a_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        page = Page(tmp_path)
        try:
            page.bench.open_table()
            (tmp_path / "word").write_text(WORD, encoding="ascii")
            page.door.renewal.hear(tmp_path / "word")
            assert page.door.renewal.look()
            with monkeypatch.context() as laying:
                laying.setattr(page.workshop.packs, "_laying", object())
                assert not page.door.renewal.look()
            with monkeypatch.context() as testing:
                testing.setattr(type(page.workshop.tests), "running", object())
                assert not page.door.renewal.look()
            page.bench.take(ShoeShuffled, deck="blue", count=52)
            assert not page.door.renewal.look()
            state = await page.door.state()
            shown = state_as_json(state)["upgrade"]
            assert shown == f"feltd 0.13.0 is installed. This table runs 0.12.0. It starts anew {SOON}."
            again = replace(state, upgrade=Upgrade("0.12.0", "0.12.0", "ab"))
            assert state_as_json(again)["upgrade"] == f"feltd 0.12.0 is installed again. This table starts anew {SOON}."
            with speaking(Language.GERMAN):
                assert "startet neu, sobald keine Runde" in state_as_json(state)["upgrade"]
                assert "ist noch einmal installiert" in state_as_json(again)["upgrade"]
        finally:
            page.close()

    asyncio.run(scene())


def test_the_process_ends_to_be_started_anew_and_else_when_it_is_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher_process, "LOOK_EVERY", 0.01)
    rests = False

    async def scene() -> None:
        nonlocal rests
        (tmp_path / "word").write_text(WORD, encoding="ascii")
        table: Any = SimpleNamespace(door=SimpleNamespace(renewal=Renewal(lambda: rests)))
        stop = asyncio.Event()
        waits = asyncio.ensure_future(table_process._until_renewed(stop, table, tmp_path / "word"))
        await eventually(lambda: table.door.renewal.upgrade is not None)
        assert not waits.done()
        rests = True
        assert await waits is True
        stop.set()
        for upgraded in (None, tmp_path / "none"):
            assert await table_process._until_renewed(stop, table, upgraded) is False

    asyncio.run(scene())


def test_a_real_table_ends_so_and_its_record_says_that_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_process, "set_up_process", lambda: None)
    monkeypatch.setattr(table_process, "comes_first", lambda: None)
    monkeypatch.setattr(table_process, "comes_at_once", lambda: None)
    (tmp_path / "word").write_text(WORD, encoding="ascii")
    file, way_in = write(tmp_path, port=1), TheWayIn(tmp_path / "door", str(os.geteuid()))
    assert run_table(file, stand_by=False, way_in=way_in, upgraded=tmp_path / "word") is True


def test_what_stands_in_a_tables_place_is_tried_again_once_another_version_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    word, file = tmp_path / "word", tmp_path / "table.toml"
    file.write_text("nonsense", encoding="ascii")
    looks = 0

    async def waits(_: asyncio.Event, changed: Any, __: float | None) -> bool:
        nonlocal looks
        assert not changed()
        word.write_text(WORD, encoding="ascii")
        looks += 1
        return bool(changed())

    monkeypatch.setattr(table_process, "set_up_process", lambda: None)
    monkeypatch.setattr(table_process, "comes_at_once", lambda: None)
    monkeypatch.setattr(table_process, "worth_a_try", waits)
    way_in = TheWayIn(tmp_path / "door", str(os.geteuid()))
    assert run_table(file, stand_by=True, way_in=way_in, upgraded=word) is True
    assert looks == 1


def test_what_was_told_before_it_stood_in_the_tables_place_counts_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    word, file = tmp_path / "word", tmp_path / "table.toml"
    file.write_text("nonsense", encoding="ascii")
    word.write_text(WORD, encoding="ascii")
    monkeypatch.setattr(table_process, "set_up_process", lambda: None)
    monkeypatch.setattr(table_process, "comes_at_once", lambda: None)
    way_in = TheWayIn(tmp_path / "door", str(os.geteuid()))
    assert run_table(file, stand_by=True, way_in=way_in, upgraded=word) is True


@pytest.mark.parametrize("upgraded", [True, False])
def test_what_stands_in_a_tables_place_stays_where_nothing_is_told(
    upgraded: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "table.toml"
    file.write_text("nonsense", encoding="ascii")

    async def waits(_: asyncio.Event, changed: Any, __: float | None) -> bool:
        return bool(changed())

    monkeypatch.setattr(table_process, "set_up_process", lambda: None)
    monkeypatch.setattr(table_process, "comes_at_once", lambda: None)
    monkeypatch.setattr(table_process, "worth_a_try", waits)
    way_in, word = TheWayIn(tmp_path / "door", str(os.geteuid())), tmp_path / "word"
    assert run_table(file, stand_by=True, way_in=way_in, upgraded=word if upgraded else None) is False


def test_the_log_says_that_the_same_version_was_installed_again() -> None:
    assert Upgrade("0.12.0", "0.12.0", "ab").said_of("this table") == (
        "feltd 0.12.0 is installed again, and this table runs the files from before: it starts anew as soon as no "
        "round is played, no device is tested and no pack is laid"
    )


def test_a_check_finds_what_a_table_at_work_was_told(tmp_path: Path) -> None:
    word, tree = tmp_path / "felt-table@8.installed", tmp_path / "tree"
    (tree / PLACE).parent.mkdir(parents=True)
    (tree / PLACE).write_bytes(b"a manifest")
    (tmp_path / "felt-table@8").symlink_to(tree)
    word.write_text(f"0.12.0\n0.13.0\n{sha256(b'a manifest').hexdigest()[:16]}\n", encoding="ascii")
    for number, words in enumerate((f"feltd\0table\0--upgraded\0{word}\0/etc/t.toml\0", "feltd\0run\0/etc/t.toml\0")):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "cmdline").write_text(words, encoding="ascii")
    told = upgrade_at(0, tmp_path)
    assert told is not None
    assert told.installed == "0.13.0"
    assert upgrade_at(1, tmp_path) is None
    assert upgrade_at(2, tmp_path) is None  # it has just ended
    (tree / PLACE).write_bytes(b"another manifest")
    assert upgrade_at(0, tmp_path) is None
    (tmp_path / "felt-table@8").unlink()
    assert upgrade_at(0, tmp_path) is None

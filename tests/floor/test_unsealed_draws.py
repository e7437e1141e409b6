"""Secrets of draws that no timer has sealed are told on the pit page and in the log, and it is over once they are."""

import asyncio
import logging
import os
from pathlib import Path

import pytest

from feltd.cli.sealed_draws import keep_draws, open_draws, seal_draws
from feltd.floor.draws import Draws
from feltd.floor.memory import MemoryEngine
from feltd.floor.own_trouble import OwnTrouble
from feltd.floor.unsealed_draws import UnsealedDraws
from feltd.record.unseal_keys import PrivateKey, make_private_key

MADE = 1_764_500_000.0
HOUR = 3600.0


class Floord:
    """A floord that keeps secrets of draws, and a timer that seals into `into` where somebody has enabled it."""

    def __init__(self, folder: Path) -> None:
        self.draws, self.into = Draws(folder / "draws"), folder / "sealed"
        self.draws.folder.mkdir()
        self.into.mkdir()
        self.key: PrivateKey = make_private_key(folder / "key")
        self.now = MADE
        self.unsealed = UnsealedDraws(self.draws, str(self.key.public), self.into, lambda: self.now)

    def commits(self, tournament: str) -> None:
        """Somebody commits to the draws of a tournament."""
        self.draws.keep(tournament, self.draws.make())
        os.utime(self.draws.folder / f"{tournament}.secrets", (self.now, self.now))

    def timer(self, key: PrivateKey | None = None) -> None:
        """The timer runs."""
        keep_draws(self.draws.folder, self.into, str((key or self.key).public), 30, self.now)
        for file in self.into.iterdir():
            if file.stat().st_mtime > self.now:
                os.utime(file, (self.now, self.now))


@pytest.fixture
def floord(tmp_path: Path) -> Floord:
    return Floord(tmp_path)


def test_a_timer_that_does_not_run_is_told_after_two_hours(floord: Floord) -> None:
    assert floord.unsealed.look() == ()
    floord.commits("cup")
    floord.now = MADE + HOUR
    floord.commits("late")
    assert floord.unsealed.look() == ()
    floord.now = MADE + 5 * HOUR
    [words] = floord.unsealed.look()
    assert words.startswith(f"draws: for 5 h there have been secrets in {floord.draws.folder} that no file in ")
    assert "Enable feltd-floor-draws.timer" in words
    floord.into.rmdir()
    assert floord.unsealed.look() == (words,)
    floord.into.mkdir()
    floord.timer()
    assert floord.unsealed.look() == ()


def test_what_a_file_has_is_not_told_and_what_came_behind_it_is(floord: Floord) -> None:
    floord.commits("cup")
    floord.timer()
    floord.now = MADE + HOUR
    floord.commits("late")
    floord.now = MADE + 3.5 * HOUR
    [words] = floord.unsealed.look()
    assert words.startswith("draws: for 2 h ")
    (floord.draws.folder / "late.secrets").unlink()
    floord.now = MADE + 90 * HOUR
    assert floord.unsealed.look() == ()


def test_a_file_for_another_key_or_a_damaged_one_has_nothing(floord: Floord, tmp_path: Path) -> None:
    floord.commits("cup")
    floord.timer(make_private_key(tmp_path / "other"))
    floord.now = MADE + 3 * HOUR
    assert len(floord.unsealed.look()) == 1
    floord.timer()
    for file in floord.into.iterdir():
        file.write_text(file.read_text()[:-9])
    assert len(floord.unsealed.look()) == 1


def test_a_file_has_what_stands_in_it_whenever_it_was_copied(floord: Floord) -> None:
    floord.commits("one")
    floord.timer()
    floord.now = MADE + HOUR
    floord.commits("two")
    floord.now = MADE + 30 * HOUR
    [file] = floord.into.iterdir()
    os.utime(file, (floord.now, floord.now))  # brought back from a copy
    (floord.into / "draws-none.sealed").write_text(f"feltd sealed draws 1 {floord.key.public.fingerprint}\n")
    (floord.into / "draws-gone.sealed").symlink_to("nowhere")  # as one that the timer takes away meanwhile
    [words] = floord.unsealed.look()
    assert words.startswith("draws: for 29 h ")


def test_secrets_that_were_brought_back_are_those_of_the_file(floord: Floord, tmp_path: Path) -> None:
    floord.commits("cup")
    floord.timer()
    copy = tmp_path / "copy.sealed"
    seal_draws(floord.draws.folder, copy, floord.key.public)
    (floord.draws.folder / "cup.secrets").unlink()
    floord.now = MADE + 9 * HOUR
    open_draws(copy, floord.key, floord.draws.folder)
    os.utime(floord.draws.folder / "cup.secrets", (MADE + HOUR, MADE + HOUR))
    assert floord.unsealed.look() == ()


def test_what_cannot_be_looked_at_is_told_with_why(floord: Floord) -> None:
    (floord.draws.folder / "cup.secrets").write_text("5e5e")
    [words] = floord.unsealed.look()
    assert words.startswith("draws: nobody sees whether their secrets are sealed: ")
    assert "cup.secrets does not have 64 hexadecimal digits" in words
    floord.commits("cup")
    (floord.into / "draws-folder.sealed").mkdir()
    [words] = floord.unsealed.look()
    assert "draws-folder.sealed: cannot be read" in words


def test_without_secrets_or_without_a_key_in_floor_toml_nothing_is_looked_for(floord: Floord) -> None:
    floord.commits("cup")
    floord.now = MADE + 9 * HOUR
    for draws, line in ((None, str(floord.key.public)), (floord.draws, None)):
        assert UnsealedDraws(draws, line, floord.into, lambda: floord.now).look() == ()


def test_the_pit_and_the_log_are_told_once_and_that_it_is_over(
    floord: Floord, caplog: pytest.LogCaptureFixture
) -> None:
    floord.commits("cup")
    floord.now = MADE + 3 * HOUR
    looked = 0

    async def goes_on(_seconds: float) -> None:
        nonlocal looked
        looked += 1
        pit.look()
        floord.now += HOUR
        if looked == 2:
            floord.timer()
        if looked == 3:
            raise asyncio.CancelledError

    unsealed = UnsealedDraws(floord.draws, str(floord.key.public), floord.into, lambda: floord.now, goes_on)
    pit = OwnTrouble(MemoryEngine(lambda: floord.now), draws=lambda: unsealed.trouble)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(unsealed.run())
    assert [record.levelno for record in caplog.records] == [logging.ERROR, logging.WARNING]
    assert "the floor's draws: for 3 h" in caplog.messages[0]
    assert caplog.messages[1] == "the floor's draws is well again"

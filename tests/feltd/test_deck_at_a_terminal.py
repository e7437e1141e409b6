"""`feltd deck` at a terminal: nothing that a reader types is shown, and what is wrong is said at once."""

import io
import os
import pty
import re
import signal
import sys
import termios
from pathlib import Path

import pytest

from feltd.cli.deck_lines import laid_at_terminal
from feltd.door.packs import PackWanted, PackWork
from feltd.table.packs.laying import Enrolling
from feltd.table.packs.pack_list import PackError, PackList
from tests.feltd.test_packs import CONFIG, KEY, ORDER, RED, chips


class Clock:
    """Seconds, one more at each look; `gaps` has others by the look's number."""

    def __init__(self, gaps: dict[int, float] | None = None) -> None:
        self.gaps, self.looks, self.t = gaps or {}, 0, 0.0

    def __call__(self) -> float:
        self.looks += 1
        self.t += self.gaps.get(self.looks, 1.0)
        return self.t


def lay(lines: list[str], packs: PackList | None = None, clock: Clock | None = None) -> Enrolling:
    laying = Enrolling(packs or PackList(), PackWanted(PackWork.ENROL, "blue-1", "blue"), "")
    laid_at_terminal(io.StringIO("".join(f"{line}\n" for line in lines)), laying, clock or Clock())
    return laying


def test_a_reader_that_types_a_card_twice_costs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    laid = [number.hex() for number in chips(100)]
    pack = lay(
        [laid[0], laid[1], laid[1], "04:01", "", "08010203", chips(0)[9].hex(), *laid[2:]], PackList((RED,))
    ).pack()
    assert list(pack.cards.items()) == list(zip(chips(100), ORDER, strict=True))
    said = capsys.readouterr().err
    for words in (
        "card 3 of 52: 3s\n  this chip was laid already, as card 2: it counts once\ncard 3 of 52: 3s\n",
        "the chip was not read whole",
        "a chip whose number changes",
        'a card of the pack "red-1": two packs are mixed; take it out',
    ):
        assert words in said


def test_two_chips_that_come_at_once_do_not_count(capsys: pytest.CaptureFixture[str]) -> None:
    laid = [number.hex() for number in chips(100)]
    pack = lay([laid[0], laid[2], laid[1], *laid[1:]], clock=Clock({3: 0.1})).pack()
    assert list(pack.cards) == chips(100)
    assert "two chips came at once, and neither counts" in capsys.readouterr().err


def test_the_last_card_is_taken_back(capsys: pytest.CaptureFixture[str]) -> None:
    laid = [number.hex() for number in chips(100)]
    assert list(lay(["back", laid[1], "back", *laid]).pack().cards) == chips(100)
    assert "no card is laid yet" in capsys.readouterr().err


def test_a_terminal_that_ends_keeps_nothing() -> None:
    with pytest.raises(PackError, match="1 chips of 52 cards: nothing is kept"):
        lay([chips(0)[0].hex()])


@pytest.mark.slow  # it starts the command
def test_a_terminal_shows_no_number_and_is_as_before_afterwards(tmp_path: Path) -> None:
    (tmp_path / "journal.key").write_bytes(KEY)
    (tmp_path / "table.toml").write_text(CONFIG.format(folder=tmp_path, key=tmp_path / "journal.key"))
    words = ["deck", "enrol", "red-1", "--back", "red", "--config", str(tmp_path / "table.toml")]
    process, end = pty.fork()
    if process == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # who runs the tests behind a shell's `&` has it ignored
        os.execv(sys.executable, [sys.executable, "-m", "feltd.cli", *words])
    screen = ""

    def until(pattern: str) -> None:
        nonlocal screen
        while not re.search(pattern, screen):
            screen += os.read(end, 4096).decode()

    try:
        until("card 1 of 52: As")
        assert not termios.tcgetattr(end)[3] & termios.ECHO
        number = chips(0)[0].hex()
        os.write(end, f"{number}\n".encode())
        until("card 2 of 52: 2s")
        os.write(end, f"{number}\n".encode())
        until("laid already, as card 1")
        os.write(end, f"{number}\x03".encode())
        until("Aborted")
        assert number not in screen
        assert termios.tcgetattr(end)[3] & termios.ECHO
    finally:
        os.close(end)
        os.waitpid(process, 0)

"""How the table's process has ended: told by the package's script, and said by the page where nobody is at the door."""

import asyncio
import re
import socket
from pathlib import Path

import pytest

from feltd.door import Away
from feltd.door.asking.socket_door import SocketDoor
from feltd.page.ended import with_its_end

NOBODY = Away("the table does not answer at /run/x (nothing listens there)", nobody=True)


def told(folder: Path, text: str | bytes) -> Away:
    file = folder / "felt-table.ended"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    away = with_its_end(NOBODY, file)
    assert away is not None
    return away


@pytest.mark.parametrize(
    ("text", "words"), [
        ("exit-code exited 243", "systemd cannot hand over a key to the table (243/CREDENTIALS)"),
        ("exit-code exited 203", "the program of the table cannot be run (203/EXEC)"),
        ("exit-code exited 200", "systemd cannot begin the table's process (status 200)"),
        ("exit-code exited 245", "systemd cannot begin the table's process (status 245)"),
        ("resources - -", "systemd cannot begin the table's process"),
    ],
)  # fmt: skip
def test_a_process_that_systemd_cannot_begin_is_out_of_order(tmp_path: Path, text: str, words: str) -> None:
    away = told(tmp_path, f"{text}\n")
    assert (away.words, away.out_of_order, away.nobody) == (words, True, True)
    assert away.remedy


@pytest.mark.parametrize(
    ("text", "words"), [
        ("exit-code exited 1", "the program of the table has failed (exit code 1)"),
        ("exit-code exited 199", "the program of the table has failed (exit code 199)"),
        ("exit-code exited 246", "the program of the table has failed (exit code 246)"),
        ("protocol exited 0", "the program of the table has failed (exit code 0)"),
        ("signal killed KILL", "the table's process was ended by the signal KILL"),
        ("core-dump dumped SEGV", "the table's process was ended by the signal SEGV"),
        ("signal killed RTMIN+3", "the table's process was ended by the signal RTMIN+3"),
        ("watchdog dumped ABRT", "the table's process hung, and systemd has ended it"),
        ("timeout killed TERM", "the table's process took too long, and systemd has ended it"),
        ("oom-kill killed KILL", "the controller had no memory left, and the table's process was ended"),
        ("exec-condition - -", "the table's process has ended (exec-condition)"),
    ],
)  # fmt: skip
def test_one_that_ran_is_said_to_have_ended_and_not_to_be_unable_to_start(
    tmp_path: Path, text: str, words: str
) -> None:
    away = told(tmp_path, f"{text}\n")
    assert (away.words, away.out_of_order) == (words, False)
    assert away.remedy


@pytest.mark.parametrize("text", ["exit-code exited 243", "exit-code exited 1", "signal killed KILL", "resources - -"])
def test_what_to_do_names_the_unit_of_that_table(tmp_path: Path, text: str) -> None:
    file = tmp_path / "felt-table@8.ended"
    file.write_text(f"{text}\n", encoding="ascii")
    away = with_its_end(NOBODY, file)
    assert away is not None
    assert re.search(r"(journalctl -u|systemctl cat|systemctl status) felt-table@8\b", away.remedy)


@pytest.mark.parametrize(
    "text",
    [
        "", "exit-code exited 243", "exit-code exited 1\nx\n", "<b> exited 1\n", "exit-code exited 1243\n",
        b"\xff - -\n", "a" * 99,
    ],
)  # fmt: skip
def test_what_systemd_does_not_write_is_not_told(tmp_path: Path, text: str | bytes) -> None:
    assert told(tmp_path, text) == NOBODY


def test_where_nothing_is_written_or_can_be_read_the_page_says_what_it_sees(tmp_path: Path) -> None:
    for place in (tmp_path / "missing", tmp_path, None):
        assert with_its_end(NOBODY, place) == NOBODY


@pytest.mark.parametrize(
    "away", [None, Away("it says nothing"), Away("a fault", out_of_order=True), Away("round 3 of 9", starting=True)]
)
def test_an_earlier_end_is_not_told_of_a_process_that_is_there(tmp_path: Path, away: Away | None) -> None:
    file = tmp_path / "felt-table.ended"
    file.write_text("exit-code exited 243\n", encoding="ascii")
    assert with_its_end(away, file) is away


@pytest.mark.parametrize(
    ("left", "nobody"), [("nothing", True), ("its socket", True), ("a process that says nothing", False)]
)
def test_a_door_without_a_process_is_told_from_one_that_says_nothing(tmp_path: Path, left: str, nobody: bool) -> None:
    place = tmp_path / "door"
    with socket.socket(socket.AF_UNIX) as listener:
        if left != "nothing":
            listener.bind(str(place))
        if left == "a process that says nothing":
            listener.listen()

        async def away() -> Away | None:
            door = SocketDoor(place)
            running = asyncio.create_task(door.run())
            if left == "a process that says nothing":
                connection, _ = await asyncio.to_thread(listener.accept)
                connection.close()
            await door.reached()
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            return door.away

        seen = asyncio.run(away())
    assert seen is not None
    assert seen.nobody is nobody

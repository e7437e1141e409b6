"""Who comes while something is made waits for it, and finds it."""

import threading
from pathlib import Path

import pytest

from hil_tests.machine.made_once import made_once


def test_who_comes_second_waits_and_finds_what_the_first_one_made(tmp_path: Path) -> None:
    place = tmp_path / "folder/root.tar"
    entered, go_on = threading.Event(), threading.Event()
    found: list[str] = []

    def first() -> None:
        with made_once(place):
            entered.set()
            go_on.wait(600)
            place.write_text("made", encoding="ascii")

    def second() -> None:
        entered.wait(600)
        with made_once(place):
            found.append(place.read_text(encoding="ascii"))

    threads = [threading.Thread(target=who) for who in (first, second)]
    for thread in threads:
        thread.start()
    entered.wait(600)
    assert found == []
    go_on.set()
    for thread in threads:
        thread.join()
    assert found == ["made"]


def test_what_fails_lets_the_next_one_try(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no network"), made_once(tmp_path / "root.tar"):
        raise OSError("no network")
    with made_once(tmp_path / "root.tar"):
        pass

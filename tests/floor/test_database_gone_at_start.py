"""A floord whose database goes while it takes up what is there: it waits for it, and does not end."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from feltd.custody.errors import CustodyError, FloorAwayError, FloorDamagedError
from feltd.custody.settings import FloorSettings
from feltd.launcher import floor_process

GONE = FloorAwayError("connection was closed in the middle of operation", "here", "See that the server runs")


class Engine:
    """A database that was opened."""

    def __init__(self) -> None:
        self.closed = False

    async def close(self) -> None:
        self.closed = True


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Engine]]:
    """Starts a floord whose reading of the database ends with each of these faults in turn, then well; the databases
    that it opened."""

    def start(*faults: CustodyError, socket: bool = True) -> list[Engine]:
        opened: list[Engine] = []
        left = list(faults)

        async def an_engine(*_: object) -> Engine:
            opened.append(Engine())
            return opened[-1]

        async def at_work(*_: object) -> None:
            if left:
                raise left.pop(0)

        replaced: dict[str, Any] = {"_opened": an_engine, "_at_work": at_work, "context_of_floor": lambda *_: None}
        for name, one in replaced.items():
            monkeypatch.setattr(floor_process, name, one)
        monkeypatch.setattr(floor_process, "DATABASE_AGAIN", 0.0)
        settings = FloorSettings(
            certificate=tmp_path, key=tmp_path, authority=tmp_path, database="postgresql:///floor",
            socket=tmp_path / "pit" if socket else None,
        )  # fmt: skip
        try:
            asyncio.run(floor_process._run(settings))
        finally:
            assert all(engine.closed for engine in opened)
        return opened

    return start


def test_it_is_opened_anew(started: Callable[..., list[Engine]], caplog: pytest.LogCaptureFixture) -> None:
    assert len(started(GONE, GONE)) == 3
    assert [record.getMessage() for record in caplog.records if record.name == "feltd.floor"] == [str(GONE)] * 2


def test_without_a_pit_page_that_could_say_so_floord_ends(started: Callable[..., list[Engine]]) -> None:
    with pytest.raises(FloorAwayError, match="in the middle"):
        started(GONE, socket=False)


def test_what_no_waiting_mends_ends_it(started: Callable[..., list[Engine]]) -> None:
    with pytest.raises(FloorDamagedError):
        started(FloorDamagedError("the disk cannot be read", "here", "Let a standby be the primary"))
    with pytest.raises(CustodyError, match="listened"):
        started(CustodyError("cannot be listened at", "here", "Choose another port"))

"""A text that can wait covers nothing on the display that somebody waits for, and does not stay."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from feltd.table.daemon.at_rest import SHOWN_SECONDS, TextAtRest
from table_fsm.events import ShoeShuffled
from tests.feltd.page_support import Page

TEXT: Any = {"display": {"text": "call a technician", "rule": None}}


class Display:
    """A table's display, and what it was told."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.page = Page(folder)
        self.said: list[Any] = []
        self.signs = False
        indicating = self.page.bridge.indicating
        monkeypatch.setattr(indicating, "show", self.said.append)
        monkeypatch.setattr(indicating, "set_again", lambda: self.said.append("the table's own"))
        self.text = TextAtRest(self.page.bench.keeper, indicating, lambda: self.signs)
        self.page.bench.open_table()


def played(folder: Path, monkeypatch: pytest.MonkeyPatch, what: Callable[[Display], None]) -> None:
    async def play() -> None:
        at = Display(folder, monkeypatch)
        try:
            what(at)
        finally:
            at.page.close()

    asyncio.run(play())


def test_it_is_shown_for_a_while_and_then_the_table_has_its_display_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scene(at: Display) -> None:
        at.text.say("call a technician")
        at.text.beat()
        assert at.said == [TEXT]
        at.page.bench.time.pass_(SHOWN_SECONDS)
        at.text.beat()
        at.text.beat()
        assert at.said == [TEXT, "the table's own"]

    played(tmp_path, monkeypatch, scene)


def test_it_waits_while_play_is_stopped_and_while_somebody_is_to_sign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scene(at: Display) -> None:
        indicating, keeper = at.page.bridge.indicating, at.page.bench.keeper
        indicating.put_back = True
        at.text.say("call a technician")
        indicating.put_back, at.signs = False, True
        at.text.beat()
        at.signs = False
        assert keeper.stopped is None
        assert at.said == []
        at.text.beat()
        assert at.said == [TEXT]

    played(tmp_path, monkeypatch, scene)


def test_it_covers_no_ruling_that_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def scene(at: Display) -> None:
        at.page.bench.take(ShoeShuffled, deck="blue", count=36)
        assert at.page.bench.keeper.table.view()["pending"]
        at.said.clear()
        at.text.say("call a technician")
        assert at.said == []

    played(tmp_path, monkeypatch, scene)

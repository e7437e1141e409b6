"""What the writer's thread tells is true by the time that anybody hears it."""

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import TypeVarTuple

import pytest

from feltd.record.reports import Reports
from feltd.text.errors import JournalError

Values = TypeVarTuple("Values")


class AtOnce(asyncio.SelectorEventLoop):
    """A loop whose thread comes to what it is given before the one that gave it goes on."""

    def call_soon_threadsafe(
        self, callback: Callable[[*Values], object], *values: *Values, context: Context | None = None
    ) -> asyncio.Handle:
        callback(*values)
        return asyncio.Handle(callback, values, self, context)


@pytest.fixture
def reports() -> Reports:
    return Reports(0)


def heard(reports: Reports, register: Callable[..., None]) -> list[tuple[int, JournalError | None]]:
    """What a callback finds when it is called."""
    found: list[tuple[int, JournalError | None]] = []

    async def listen() -> None:
        register(lambda *_: found.append((reports.synced_to, reports.error)))

    loop = AtOnce()
    loop.run_until_complete(listen())
    loop.close()
    return found


def test_whoever_is_told_of_a_sync_finds_the_room_that_it_made(reports: Reports) -> None:
    found = heard(reports, reports.on_synced)
    reports.synced(7)
    assert found == [(7, None)]


def test_whoever_is_told_of_a_refusal_finds_it_and_of_its_end_that_it_is_over(reports: Reports) -> None:
    refused, recovered = heard(reports, reports.on_failed), heard(reports, reports.on_recovered)
    error = JournalError("the disk is full", "table.journal", "Make room.")
    reports.failed(error)
    reports.recovered()
    assert refused == [(0, error)]
    assert recovered == [(0, None)]

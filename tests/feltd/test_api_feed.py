"""Live answers: numbered as in the record, none lost and none twice after a cut, whoever is slow."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from feltd.door import Answer, NewAnswers
from feltd.page.api import feed as module
from feltd.page.api.feed import Feed, ReadBack
from feltd.record import EntryKind, JournalReader, Span
from table_fsm.events import ShoeShuffled
from tests.feltd.page_support import Page


def answers(*numbers: int) -> tuple[Answer, ...]:
    return tuple(Answer(number, 0.0, 1, "lamp", {"t": float(number), "lamp": {"name": "play"}}) for number in numbers)


def begun(read_back: ReadBack, after: int) -> Feed:
    """A feed that was told first up to where the record goes."""
    feed = Feed(read_back, wall=lambda: 100.0)
    feed.record(NewAnswers((), missed_until=after))
    return feed


async def heard(listening: AsyncIterator[str], count: int) -> list[int]:
    """The numbers of the next answers."""
    found: list[int] = []
    while len(found) < count:
        found += map(int, re.findall(r"^id: (\d+)$", await anext(listening), re.MULTILINE))
    return found


def nothing_older(_after: int, _until: int) -> list[Answer]:
    raise AssertionError("the record was asked for what is in memory")


def test_a_listener_hears_what_comes_and_after_a_cut_what_it_missed() -> None:
    async def scene() -> None:
        feed = begun(nothing_older, 10)
        feed.record(NewAnswers(answers(11, 12)))
        first = feed.listen(None)
        assert (await anext(first)).startswith("retry:")
        feed.record(NewAnswers(answers(14)))
        assert await heard(first, 1) == [14]
        await first.aclose()
        feed.record(NewAnswers(answers(15, 19)))
        assert await heard(feed.listen(12), 3) == [14, 15, 19]

    asyncio.run(scene())


def test_a_number_that_has_not_been_yet_is_the_latest() -> None:
    async def scene() -> None:
        feed = begun(nothing_older, 10)
        feed.record(NewAnswers(answers(11)))
        listening = feed.listen(10**17)
        await anext(listening)
        feed.record(NewAnswers(answers(12)))
        assert await heard(listening, 1) == [12]

    asyncio.run(scene())


def test_what_memory_has_forgotten_comes_from_the_record_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 8)

    async def scene() -> list[int]:
        def record(after: int, until: int) -> list[Answer]:
            return list(answers(*range(after + 1, until + 1))[:3])

        feed = begun(record, 5)
        for number in range(6, 26):
            feed.record(NewAnswers(answers(number)))
        listening = feed.listen(2)
        return await heard(listening, 23)

    assert asyncio.run(scene()) == list(range(3, 26))


def test_what_the_table_could_not_tell_comes_from_the_record() -> None:
    """The page was away, or did not keep up: what it missed is between what it has and what comes."""

    async def scene() -> list[int]:
        feed = begun(lambda after, until: list(answers(*range(after + 1, until + 1))), 5)
        feed.record(NewAnswers(answers(6, 7)))
        listening = feed.listen(5)
        assert await heard(listening, 2) == [6, 7]
        feed.record(NewAnswers(answers(12), missed_until=10))
        return await heard(listening, 4)

    assert asyncio.run(scene()) == [8, 9, 10, 12]


def test_a_listener_who_sleeps_costs_nothing_and_misses_nothing() -> None:
    async def scene() -> list[int]:
        feed = begun(nothing_older, 0)
        listening = feed.listen(None)
        await anext(listening)
        for number in range(1, 3000):
            feed.record(NewAnswers(answers(number)))
        return await heard(listening, 2999)

    assert asyncio.run(scene()) == list(range(1, 3000))


def test_closing_lets_every_listener_go() -> None:
    async def scene() -> None:
        feed = begun(nothing_older, 0)
        listening = [feed.listen(None) for _ in range(3)]
        for one in listening:
            await anext(one)
        feed.close()
        for one in listening:
            with pytest.raises(StopAsyncIteration):
                await anext(one)
        assert feed.listeners == 0

    asyncio.run(scene())


def test_an_answer_is_written_once_for_all_who_listen(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    as_event = module._as_event

    def counted(answer: Answer) -> str:
        written.append(answer.seq)
        return as_event(answer)

    monkeypatch.setattr(module, "_as_event", counted)

    async def scene() -> None:
        feed = begun(nothing_older, 0)
        listening = [feed.listen(None) for _ in range(50)]
        for one in listening:
            await anext(one)
        feed.record(NewAnswers(answers(1, 2)))
        for one in listening:
            assert await heard(one, 2) == [1, 2]

    asyncio.run(scene())
    assert written == [1, 2]


@pytest.mark.parametrize(("behind", "reloads"), [(0, False), (1, True)])
def test_who_is_too_many_entries_behind_loads_anew_and_the_record_is_not_read(behind: int, reloads: bool) -> None:
    async def scene() -> None:
        last = module.BEHIND_MOST + 7
        feed = begun(nothing_older if reloads else lambda after, until: list(answers(after + 1)), last)
        listening = feed.listen(7 - behind)
        assert (await anext(listening)).startswith("retry:")
        first = await anext(listening)
        assert first.startswith("id: 8\nevent: lamp\n") is not reloads
        assert (first == f'id: {last}\nevent: reload\ndata: {{"seq":{last}}}\n\n') is reloads
        if reloads:
            feed.record(NewAnswers(answers(last + 1)))
            assert await heard(listening, 1) == [last + 1]
        assert feed._refusals.counts["catch_up"] == reloads

    asyncio.run(scene())


@pytest.mark.parametrize(("age", "reloads"), [(module.OLDEST, False), (module.OLDEST + 1, True)])
def test_what_is_too_old_is_not_told_again(age: float, reloads: bool) -> None:
    async def scene() -> str:
        feed = Feed(lambda after, until: list(answers(after + 1)), wall=lambda: age)
        feed.record(NewAnswers((), missed_until=10))
        listening = feed.listen(3)
        await anext(listening)
        return await anext(listening)

    assert ("event: reload" in asyncio.run(scene())) is reloads


def test_one_who_falls_behind_while_listening_is_told_so() -> None:
    """A slow reader has no queue: what it did not fetch in time it does not get."""

    async def scene() -> None:
        feed = begun(nothing_older, 0)
        slow = feed.listen(None)
        await anext(slow)
        feed.record(NewAnswers(answers(1)))
        assert await heard(slow, 1) == [1]
        feed.record(NewAnswers(answers(module.BEHIND_MOST + 10), missed_until=module.BEHIND_MOST + 9))
        assert "event: reload" in await anext(slow)

    asyncio.run(scene())


def test_those_who_catch_up_take_turns() -> None:
    """One who reads back a long way with many streams does not keep another from the first piece."""

    async def scene() -> list[int]:
        read: list[int] = []

        def record(after: int, until: int) -> list[Answer]:
            read.append(until - after)
            return list(answers(after + 1))

        feed = begun(record, 1000)
        many = [feed.listen(0, "person anna") for _ in range(5)]
        other = feed.listen(900, "person berta")
        everybody = [asyncio.ensure_future(heard(one, 3)) for one in many]
        await asyncio.gather(asyncio.ensure_future(heard(other, 3)), *everybody)
        return [number for number, width in enumerate(read) if width <= 100]

    hers = asyncio.run(scene())
    assert hers[0] <= 1
    assert hers[2] - hers[0] <= 7, "in the order of their coming there were twelve"


def test_the_numbers_are_those_of_the_record_and_a_restart_loses_none(tmp_path: Path) -> None:
    async def scene() -> tuple[list[int], list[int]]:
        page = Page(tmp_path)
        page.bench.open_table()
        page.bench.take(ShoeShuffled, deck="blue", count=36)
        await page.bench.synced()
        with JournalReader.open(page.bench.journal.path) as reader:
            recorded = [entry.seq for entry in reader.entries(Span(kind=EntryKind.OUTPUT))]
        live = await heard(page.feed.listen(0), len(recorded))
        page.close()
        again = Page(tmp_path)
        back = await heard(again.feed.listen(0), len(recorded))
        again.close()
        assert live == recorded
        return recorded, back

    recorded, back = asyncio.run(scene())
    assert recorded
    assert back == recorded


def test_an_answer_is_the_tables_own_words(tmp_path: Path) -> None:
    async def scene() -> dict[str, Any]:
        page = Page(tmp_path)
        page.bench.open_table()
        page.bench.take(ShoeShuffled, deck="blue", count=36)
        async for said in page.feed.listen(0):
            if (ruling := re.search(r"^event: ruling\ndata: (.*)$", said, re.MULTILINE)) is not None:
                page.feed.close()
                await page.bench.synced()
                page.close()
                return dict(json.loads(ruling[1]))
        raise AssertionError

    said = asyncio.run(scene())
    assert said["ruling"]["irregularity"] == "short_deck"
    assert said["seq"] > 0

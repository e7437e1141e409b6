"""Work beside the loop: a piece of each person in turn, so many questions of one, and rests in which the loop runs."""

import asyncio
import threading
from pathlib import Path

import pytest

from feltd.page.access.roles import Role
from feltd.page.history import desk as desk_module
from feltd.page.limits import turns as module
from feltd.page.limits.refusals import Refusals
from feltd.page.limits.turns import OF_ONE, RESTS, WORKS, TooManyQuestionsError, Turns, paced
from tests.feltd.history_support import recorded_page
from tests.feltd.page_support import Browser


def test_each_person_has_a_turn_however_many_pieces_another_has() -> None:
    async def scene() -> list[str]:
        turns = Turns("test", Refusals())
        order: list[str] = []
        annas = [turns.turn("anna", lambda: order.append("anna")) for _ in range(20)]
        bertas = [turns.turn("berta", lambda: order.append("berta")) for _ in range(2)]
        await asyncio.gather(*annas, *bertas)
        turns.close()
        return order

    assert asyncio.run(scene())[:5] == ["anna", "berta", "anna", "berta", "anna"]


def test_the_last_question_of_a_person_is_taken_one_more_is_not_and_others_are() -> None:
    async def scene() -> None:
        refusals = Refusals()
        turns = Turns("test", refusals)
        held = [turns.question("anna") for _ in range(OF_ONE)]
        for one in held:
            one.__enter__()
        with (
            pytest.raises(TooManyQuestionsError, match="4 of your questions are not answered yet"),
            turns.question("anna"),
        ):
            raise AssertionError
        with turns.question("berta"):
            assert await turns.turn("berta", lambda: 7) == 7
        held[0].__exit__(None, None, None)
        with turns.question("anna"):
            assert refusals.counts["questions"] == 1
        turns.close()

    asyncio.run(scene())


def test_what_fails_fails_for_who_asked_and_who_has_gone_is_passed_over() -> None:
    async def scene() -> list[str]:
        turns = Turns("test", Refusals())
        done: list[str] = []
        begun, gate = threading.Event(), threading.Event()

        def slow() -> None:
            begun.set()
            gate.wait(600)

        first = asyncio.ensure_future(turns.turn("anna", slow))
        gone = asyncio.ensure_future(turns.turn("anna", lambda: done.append("gone")))
        bad = asyncio.ensure_future(turns.turn("berta", lambda: done[7]))
        good = asyncio.ensure_future(turns.turn("clara", lambda: done.append("good")))
        while not begun.is_set():  # noqa: ASYNC110 - another thread's event
            await asyncio.sleep(0)
        gone.cancel()
        gate.set()
        await asyncio.gather(first, good)
        with pytest.raises(IndexError):
            await bad
        turns.close()
        return done

    assert asyncio.run(scene()) == ["good"]


def test_a_thread_that_works_rests_and_one_that_does_not_never_waits() -> None:
    now, slept = 0.0, list[float]()

    def work() -> float:
        nonlocal now
        now += WORKS / 2
        return now

    assert list(paced(range(5), lambda: 0.0, slept.append)) == [0, 1, 2, 3, 4]
    assert slept == []
    assert list(paced(range(5), work, slept.append)) == [0, 1, 2, 3, 4]
    assert slept == [RESTS] * 2


def test_a_round_played_again_in_pieces_is_the_same_round(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = recorded_page(tmp_path, rounds=1)
    browser = Browser(page, page.session(Role.DIRECTOR))
    try:
        whole = browser.get("/api/v1/rounds/1/steps?most=500").json()
        assert len(whole) > 20
        turns = 0
        turn = Turns.turn

        async def counted(self: Turns, who: str, work: object) -> object:
            nonlocal turns
            turns += 1
            return await turn(self, who, work)  # type: ignore[arg-type]  # whatever it is, it is passed on

        monkeypatch.setattr(desk_module, "PIECE", 0.001)
        monkeypatch.setattr(module.Turns, "turn", counted)
        assert browser.get("/api/v1/rounds/1/steps?most=500").json() == whole
        assert turns > 5
        assert browser.get("/api/v1/rounds/1/steps?most=3&after=7").json() == whole[7:10]
        assert browser.get(f"/api/v1/rounds/1/steps?after={len(whole)}").json() == []
    finally:
        page.close()


def test_one_who_asks_much_waits_for_themselves(tmp_path: Path) -> None:
    page = recorded_page(tmp_path, rounds=1)
    observer, supervisor = (Browser(page, page.session(role)) for role in (Role.OBSERVER, Role.SUPERVISOR))

    async def scene() -> tuple[list[int], int]:
        steps = "/api/v1/rounds/1/steps?most=500"
        flood = [asyncio.ensure_future(observer.ask("get", steps)) for _ in range(OF_ONE + 3)]
        mine = await supervisor.ask("get", steps)
        answers = [answer.status_code for answer in await asyncio.gather(*flood)]
        refused = [answer for answer in await asyncio.gather(*flood) if answer.status_code == 429]
        assert refused[0].headers["retry-after"] == "1"
        return answers, mine.status_code

    try:
        answers, mine = asyncio.run(scene())
        assert (answers.count(200), answers.count(429), mine) == (OF_ONE, 3, 200)
    finally:
        page.close()

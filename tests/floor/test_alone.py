"""Two floords on one database: what one of them does, the other does not do again."""

import asyncio

import pytest

from feltd.custody.errors import FloorAwayError
from feltd.floor import alone
from feltd.floor.alone import MemoryAlone, PostgresAlone, one_at_a_time
from feltd.floor.engine import Engine
from feltd.floor.postgres import PostgresEngine
from feltd.floor.proving import Nightly
from feltd.floor.servers import Servers
from tests.floor.conftest import as_owner
from tests.floor.postgres_support import Server
from tests.floor.test_scenes import Run
from tests.running import eventually, running

NOW = 1_700_000_000.0


def test_two_floords_prove_one_night_once(engine: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(floor: Engine) -> None:
        begun = []

        async def proved_slowly(*_: object) -> tuple[object, list[object]]:
            begun.append(1)
            await second.turn()  # the other looks while this one is at it
            raise FloorAwayError("cut", "here", "wait")

        first, second = Nightly(floor, "04:00", lambda: NOW), Nightly(floor, "04:00", lambda: NOW)
        monkeypatch.setattr("feltd.floor.proving.prove_all", proved_slowly)
        with pytest.raises(FloorAwayError):
            await first.turn()
        assert begun == [1]
        monkeypatch.undo()
        await second.turn()  # what held it has ended
        proof = second.last
        await first.turn()
        assert first.last == proof is not None

    engine(work)


def test_a_lock_ends_with_its_connection_and_the_other_goes_on(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alone, "AGAIN_AFTER", 0.05)
    monkeypatch.setattr(alone, "LOOK_EVERY", 0.05)

    async def work() -> None:
        engine = await PostgresEngine.open(postgres.address("floord"))
        try:
            at_it: list[str] = []

            def worker(name: str) -> object:
                async def work() -> None:
                    at_it.append(name)
                    try:
                        await asyncio.Event().wait()
                    finally:
                        at_it.remove(name)

                return one_at_a_time(engine.alone, "webhook", work)

            async with running(worker("one")):  # type: ignore[arg-type]
                await eventually(lambda: at_it == ["one"])
                async with running(worker("other")):  # type: ignore[arg-type]
                    async with engine.alone.hold("proof") as held:
                        assert held is not None
                    assert at_it == ["one"]
                    await as_owner(
                        postgres,
                        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE classid = 6646471",
                    )
                    await eventually(lambda: len(at_it) == 1)
            await eventually(lambda: at_it == [])
        finally:
            await engine.close()
        nowhere = Servers(f"postgresql:///x?host={postgres.folder}/none")
        away = PostgresAlone(nowhere.connect, lambda _: FloorAwayError("a", "b", "c"))
        with pytest.raises(FloorAwayError):
            async with away.hold("proof"):
                raise AssertionError

    asyncio.run(work())


def test_what_is_held_in_memory_is_held_once() -> None:
    async def work() -> None:
        here = MemoryAlone()
        async with here.hold("proof") as one, here.hold("proof") as other, here.hold("webhook") as third:
            assert (one is not None, other, third is not None) == (True, None, True)
        async with here.hold("proof") as again:
            assert again is not None

    asyncio.run(work())

"""A table that nobody can type at: its display shows a code, and a person says it at the floor."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric import ec

from devices.drivers.indicators import IndicatorsDriver
from devices.simulated.things.models import IndicatorsModel
from feltd.cli import cli
from feltd.custody.certificates import context_of_table
from feltd.custody.errors import CustodyError, CustodyRefusedError, FloorAwayError, NotYetSaidError
from feltd.custody.messages import VERSION, Enrol
from feltd.custody.shown_codes import is_shown_code, shown_code_of
from feltd.door.commands import CommandRefused
from feltd.door.obeying import ShownCode
from feltd.floor.engine import AlarmKind, Engine
from feltd.floor.enrolment import SHOWN_A_MINUTE, Registrar, digest_of, new_code
from feltd.floor.memory import MemoryEngine
from feltd.table.daemon.shown import order_now
from feltd.table.links.bridge import TURN
from feltd.table.links.given_words import LASTS, enrolment_code
from feltd.text.language import Language
from feltd.uplink.enrolling import waiting_key
from feltd.uplink.showing import enrol_by_display
from table_fsm.events import DeviceState, ShoeDeckChecked, ShoeShuffled, TableClose
from tests.feltd.page_support import Page
from tests.floor.test_enrolment import Work, enrolling_floor, floor_folder, issuer_of, request_of, table_files
from tests.floor.test_orders import Obeyer, at_the_door

NOW = 1_700_000_000.0


def new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def test_a_code_is_of_one_key_and_no_code_of_the_floors_looks_like_it() -> None:
    keys = [new_key() for _ in range(50)]
    codes = [shown_code_of(key.public_key()) for key in keys]
    assert codes == [shown_code_of(key.public_key()) for key in keys]
    assert len(set(codes)) == 50
    assert all(is_shown_code(code) and is_shown_code(code.lower().replace("-", " ")) for code in codes)
    assert not any(is_shown_code(new_code()) for _ in range(50))
    assert not is_shown_code("7KQM-D2XF-9R!B")


def test_the_floor_gives_the_certificate_to_the_key_of_the_code_and_to_no_other(engine: Work, tmp_path: Path) -> None:
    issuer, mine, others = issuer_of(floor_folder(tmp_path)), new_key(), new_key()
    code = shown_code_of(mine.public_key())

    async def work(floor: Engine) -> None:
        registrar = Registrar(floor, issuer, lambda: NOW)

        async def ask(key: ec.EllipticCurvePrivateKey, typed: str = code) -> Any:
            return await registrar.enrol(Enrol(VERSION, typed, request_of(key)))

        for _ in range(3):
            with pytest.raises(NotYetSaidError, match="nobody has said yet"):
                await ask(mine)
        assert await floor.alarms() == [], "a table that waits is no alarm"
        await floor.add_code(digest_of(code.lower().replace("-", "")), "table-7", NOW + 600, "ada")
        with pytest.raises(CustodyRefusedError, match="none of the floor's"):
            await ask(others)  # somebody has read the display
        [alarm] = await floor.alarms()
        assert alarm.kind is AlarmKind.CODE
        await ask(mine)
        assert [(one.table, one.how) for one in await floor.certificates()] == [
            ("table-7", "enrolled by the code on its display")
        ]
        await floor.set_shut("table-7", shut=True, who="ada", why="stolen")
        with pytest.raises(CustodyError, match="shut"):
            await ask(mine)

    engine(work)


def test_tables_that_wait_cost_the_floor_so_many_questions_a_minute(tmp_path: Path) -> None:
    issuer, key, now = issuer_of(floor_folder(tmp_path)), new_key(), [NOW]
    asked = Enrol(VERSION, shown_code_of(key.public_key()), request_of(key))

    async def work() -> None:
        registrar = Registrar(MemoryEngine(lambda: NOW), issuer, lambda: now[0])
        for _ in range(SHOWN_A_MINUTE):
            with pytest.raises(NotYetSaidError):
                await registrar.enrol(asked)
        with pytest.raises(FloorAwayError, match="too many"):
            await registrar.enrol(asked)
        now[0] += 61.0
        with pytest.raises(NotYetSaidError):
            await registrar.enrol(asked)

    asyncio.run(work())


class _Showing(Obeyer):
    """A table that notes what its display is to show."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.codes: list[str] = []

    async def show_code(self, code: ShownCode) -> bool:
        self.codes.append(code.code)
        return True


def test_a_table_shows_its_code_until_it_is_said_and_has_its_certificate_then(tmp_path: Path) -> None:
    folder = floor_folder(tmp_path)
    files = table_files(folder, tmp_path)

    async def work() -> None:
        floor, paused = MemoryEngine(lambda: NOW), 0
        registrar = Registrar(floor, issuer_of(folder), time.time)
        table = _Showing(tmp_path)
        code = shown_code_of(waiting_key(files).public_key())

        async def pause(_seconds: float) -> None:
            nonlocal paused
            paused += 1
            if paused == 3:  # a person reads the display and goes to the floor's server
                assert table.codes == [code] * 3
                await floor.add_code(digest_of(table.codes[-1]), "table-7", NOW * 2, "ada")

        async with enrolling_floor(floor, folder, registrar) as address, at_the_door(table, tmp_path) as place:
            assert await enrol_by_display(place, files, [address], pause) == "table-7"
        assert table.codes == [code] * 4 + [""]
        context_of_table(files)
        assert floor.kept_alarms == []

    asyncio.run(work())


def test_neither_a_table_nor_a_floor_that_is_away_ends_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    files = table_files(floor_folder(tmp_path), tmp_path)

    class EnoughError(Exception):
        pass

    async def work() -> None:
        paused = 0

        async def pause(_seconds: float) -> None:
            nonlocal paused
            paused += 1
            if paused == 5:
                raise EnoughError

        with pytest.raises(EnoughError):
            await enrol_by_display(tmp_path / "no-door", files, ["wss://127.0.0.1:1"], pause)

    asyncio.run(work())
    assert len(caplog.records) == 2, "each trouble is logged once"


# -- the display


def test_the_simulated_display_shows_it_and_no_other_words_of_an_uplink(tmp_path: Path) -> None:
    async def work() -> None:
        page, display = Page(tmp_path), IndicatorsModel()
        try:
            page.bench.open_table()

            def shown() -> str:
                display.post("display", page.bridge.slots["indicators"].posted["display"])
                return " ".join(display.state()["display"])

            assert await page.door.show_code(ShownCode("7KQM-D2XF-9RAB"))
            assert shown().startswith("CODE 7KQM-D2XF-9RAB: tell it to the floor.")
            with pytest.raises(CommandRefused, match="no code of a table"):
                await page.door.show_code(ShownCode("DEAL THE NEXT CARD FACE UP"))
            assert "DEAL THE NEXT" not in shown()
            await page.door.show_code(ShownCode(""))
            assert "CODE" not in shown()
        finally:
            page.close()

    asyncio.run(work())


def test_it_is_shown_between_rounds_alone(tmp_path: Path) -> None:
    async def work() -> None:
        page = Page(tmp_path)
        try:
            page.bench.open_table()
            page.bridge.code.give("7KQM-D2XF-9RAB")
            table = page.bench.keeper.table

            def order() -> str:
                return order_now(table, Language.GERMAN, testing=False, first=page.bridge.first())

            assert order().startswith("CODE 7KQM-D2XF-9RAB: der Floor-Leitung durchsagen.")
            page.bench.take(ShoeDeckChecked, deck="blue", count=52)
            page.bench.take(ShoeShuffled, deck="blue", count=52)
            assert table.phase == "cutting"
            assert "CODE" not in order()
        finally:
            page.close()

    asyncio.run(work())


def test_it_is_shown_whatever_came_since_the_table_opened_and_again_after_a_round(tmp_path: Path) -> None:
    """A display's own coming is an event of the table, and the first one of a new board."""

    async def work() -> None:
        page, display, code = Page(tmp_path), IndicatorsModel(), ShownCode("7KQM-D2XF-9RAB")
        try:
            page.bench.open_table()
            page.bench.take(DeviceState, device="indicators", online=True)

            def shown() -> str:
                display.post("display", page.bridge.slots["indicators"].posted["display"])
                return " ".join(display.state()["display"])

            assert await page.door.show_code(code)
            assert shown().startswith("CODE 7KQM-D2XF-9RAB: tell it to the floor.")
            page.bench.take(DeviceState, device="keys", online=True)
            page.bridge.indicating.set_again()
            assert shown().startswith("CODE 7KQM-D2XF-9RAB"), "another device has come"
            page.bench.take(ShoeDeckChecked, deck="blue", count=52)
            page.bench.take(ShoeShuffled, deck="blue", count=52)
            assert await page.door.show_code(code)
            assert "CODE" not in shown()
            page.bench.take(TableClose)
            assert await page.door.show_code(code)
            assert shown().startswith("CODE 7KQM-D2XF-9RAB"), "the code is the one of before"
        finally:
            page.close()

    asyncio.run(work())


@pytest.mark.parametrize(("rows", "columns", "turns"), [(4, 40, 1), (2, 20, 2)])
def test_why_no_card_may_be_dealt_is_read_beside_it_or_in_a_turn_of_its_own(
    tmp_path: Path, rows: int, columns: int, turns: int
) -> None:
    """A code that nobody says at the floor is shown between all rounds of a table."""

    async def work() -> None:
        page = Page(tmp_path)
        try:
            driver = page.bridge.slots["indicators"].driver
            assert isinstance(driver, IndicatorsDriver)
            driver.settings = replace(driver.settings, rows=rows, columns=columns)
            now = [0.0]
            page.bridge.clock = lambda: now[0]
            page.bench.open_table()
            assert await page.door.show_code(ShownCode("7KQM-D2XF-9RAB"))
            read = ""
            for turn in range(turns):
                now[0] = turn * TURN
                assert page.bridge.first_ends() is (turn > 0)
                order = order_now(page.bench.keeper.table, Language.ENGLISH, testing=True, first=page.bridge.first())
                [(_, args)] = driver.commands({"display": {"text": order, "rule": None}})
                read += " ".join(args["lines"])
            assert "7KQM-D2XF-9RAB" in read
            assert "TEST MODE: devices" in read
        finally:
            page.close()

    asyncio.run(work())


def test_a_code_that_is_not_given_again_goes() -> None:
    now = [0.0]
    code = enrolment_code(lambda: now[0])
    assert code.give("7KQM-D2XF-9RAB")
    assert not code.give("7KQM-D2XF-9RAB"), "the display has it already"
    now[0] = LASTS - 0.1
    assert (code.now(), code.ends()) == ("7KQM-D2XF-9RAB", False)
    now[0] = LASTS
    assert (code.now(), code.ends(), code.ends()) == ("", True, False)


def test_the_command_takes_one_table_and_a_code_of_a_display() -> None:
    for words, why in ((["7", "8"], "of one TABLE"), (["7"], "no code of a display")):
        said = CliRunner().invoke(cli, ["floor", "enrol-code", "--shown", "7KQMD-2XF9R", *words])
        assert said.exit_code == 2
        assert why in said.output

"""The fingerprint of the page's own certificate on the dealer's display, until the first person has a password."""

import asyncio
import logging
import time
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from devices.drivers.indicators import IndicatorsDriver
from devices.simulated.things.models import IndicatorsModel
from feltd.door import Away, CommandRefused, TableDoor
from feltd.launcher.page_process import limits_of
from feltd.page.access import fingerprint as module
from feltd.page.access.accounts import AccountBook
from feltd.page.access.fingerprint import FingerprintTeller
from feltd.page.access.passwords import hash_password
from feltd.page.access.roles import Role
from feltd.page.certificate import certificate_for
from feltd.page.opening import served
from feltd.page.settings import PageSettings
from feltd.table.config.config import Page as PageSection
from feltd.table.daemon.shown import order_now
from feltd.table.links.bridge import TURN
from feltd.table.links.display_words import First
from feltd.table.links.given_words import LASTS, page_fingerprint
from feltd.text.language import Language
from table_fsm.events import ShoeDeckChecked, ShoeShuffled
from tests.feltd.page_support import Page

PAIRS = ":".join(f"{number:02X}" for number in range(0xA0, 0xC0))
GROUPS = " ".join(PAIRS.replace(":", "")[at : at + 4] for at in range(0, 64, 4))


class Display:
    """A door with a display, or without one. `fault`: what it refuses with."""

    def __init__(self) -> None:
        self.away: Away | None = None
        self.there = True
        self.fault: CommandRefused | None = None
        self.shown: list[str] = []

    async def show_fingerprint(self, fingerprint: str) -> bool:
        if self.fault is not None:
            raise self.fault
        self.shown.append(fingerprint)
        return self.there


class Told:
    """A page's accounts, the door, and who tells it."""

    def __init__(self, folder: Path) -> None:
        self.accounts = AccountBook(folder / "accounts.json")
        self.door = Display()
        self.now = 1_800_000_000.0
        self.teller = FingerprintTeller(self.accounts, cast(TableDoor, self.door), PAIRS, lambda: self.now)

    def tell(self) -> bool:
        return asyncio.run(self.teller.tell())

    def waits(self, name: str = "anna") -> None:
        self.accounts.add_by_code(name, Role.TECHNICIAN, self.now + 60.0)


def test_it_is_given_until_the_first_person_has_a_password_and_then_taken_back(tmp_path: Path) -> None:
    told = Told(tmp_path)
    assert told.tell()
    assert told.door.shown == [], "nobody is about to sign in"
    told.waits()
    told.waits("bert")
    assert told.tell()
    assert told.tell()
    assert told.door.shown == [GROUPS, GROUPS]
    account = told.accounts.get("anna")
    assert account is not None
    told.accounts.put_password(account, hash_password("four words of mine"))
    assert not told.tell()
    assert told.door.shown[2:] == [""]


def test_where_somebody_has_a_password_already_the_table_is_asked_nothing(tmp_path: Path) -> None:
    told = Told(tmp_path)
    told.accounts.add("anna", Role.TECHNICIAN, "four words of mine")
    assert not told.tell()
    assert told.door.shown == []


def test_what_keeps_it_from_being_shown_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    told = Told(tmp_path)
    told.waits()
    told.door.away = Away("it starts")
    with caplog.at_level(logging.WARNING):
        assert told.tell()
        assert caplog.records == [], "it comes"
        told.door.away, told.door.there = None, False
        assert told.tell()
        assert told.tell()
        told.door.fault = CommandRefused("no such call")
        assert told.tell()
    assert [record.getMessage() for record in caplog.records] == [
        "the table has no display with room for the fingerprint of the page's certificate",
        "the table does not show the fingerprint of the page's certificate: no such call",
    ]


def test_it_is_given_again_before_the_table_forgets_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 2 * module.EVERY < LASTS
    told, paused = Told(tmp_path), []
    told.waits()

    async def pause(seconds: float) -> None:
        paused.append(seconds)
        told.accounts.remove("anna")
        told.accounts.add("anna", Role.TECHNICIAN, "four words of mine")

    monkeypatch.setattr(asyncio, "sleep", pause)
    asyncio.run(told.teller.run())
    assert paused == [module.EVERY]
    assert told.door.shown == [GROUPS, ""]


@pytest.mark.parametrize("owners", [False, True])
def test_a_page_gives_that_of_the_certificate_which_it_has_made_and_none_of_its_owners(
    tmp_path: Path, owners: bool
) -> None:
    made = certificate_for("0.0.0.0", None, None, tmp_path)
    assert made is not None
    AccountBook(tmp_path / "accounts.json").add_by_code("anna", Role.TECHNICIAN, time.time() + 60.0)
    settings = PageSettings(
        "Table 7", "0.0.0.0", 0, tmp_path / "accounts.json", tmp_path, limits_of(PageSection()),
        certificate=made.file if owners else None, certificate_key=made.key if owners else None,
    )  # fmt: skip

    async def work() -> None:
        page = Page(tmp_path)
        page.bridge.clock = lambda: 0.0  # the turn of the fingerprint
        page.bench.open_table()
        async with served(settings, page.door, {}):
            if not owners:
                while not page.bridge.fingerprint.now():  # noqa: ASYNC110 - the page gives it at once
                    await asyncio.sleep(0)
        shown = page.bridge.first().fingerprint.replace(" ", "")
        assert shown == ("" if owners else made.fingerprint.replace(":", ""))
        page.close()

    asyncio.run(work())


def test_the_display_shows_it_between_rounds_and_no_other_words_of_a_page(tmp_path: Path) -> None:
    async def work() -> None:
        page, display = Page(tmp_path), IndicatorsModel()
        page.bridge.clock = lambda: 0.0  # the turn of the fingerprint
        try:
            page.bench.open_table()
            table = page.bench.keeper.table

            def shown() -> str:
                display.post("display", page.bridge.slots["indicators"].posted["display"])
                return " ".join(display.state()["display"])

            def order() -> str:
                return order_now(table, Language.GERMAN, testing=False, first=page.bridge.first())

            assert await page.door.show_fingerprint(GROUPS)
            assert shown().startswith(f"PAGE {GROUPS}: compare with the browser.")
            assert order().startswith(f"SEITE {GROUPS}: mit dem Browser vergleichen.")
            with pytest.raises(CommandRefused, match="no fingerprint"):
                await page.door.show_fingerprint("DEAL THE NEXT CARD FACE UP")
            page.bridge.code.give("7KQM-D2XF-9RAB")
            assert order().startswith("CODE 7KQM-D2XF-9RAB: der Floor-Leitung durchsagen. SEITE A0A1 ")
            page.bench.take(ShoeDeckChecked, deck="blue", count=52)
            page.bench.take(ShoeShuffled, deck="blue", count=52)
            assert table.phase == "cutting"
            assert "SEITE" not in order()
            assert not page.bridge.first_ends()
            await page.door.show_fingerprint("")
            assert page.bridge.first().fingerprint == ""
        finally:
            page.close()

    asyncio.run(work())


@pytest.mark.parametrize(("rows", "columns", "parts"), [(4, 40, 1), (4, 20, 2), (2, 20, 4), (2, 16, 4), (1, 24, 8)])
@pytest.mark.parametrize("language", list(Language))
def test_a_small_display_shows_all_of_it_in_parts_that_say_which_they_are(
    tmp_path: Path, rows: int, columns: int, parts: int, language: Language
) -> None:
    async def work() -> None:
        page = Page(tmp_path)
        try:
            driver = page.bridge.slots["indicators"].driver
            assert isinstance(driver, IndicatorsDriver)
            driver.settings = replace(driver.settings, rows=rows, columns=columns)
            page.bridge.indicating.language = language
            now = [0.0]
            page.bridge.clock = lambda: now[0]
            page.bench.open_table()
            assert await page.door.show_fingerprint(GROUPS)
            shown, lines = list[str](), list[str]()
            for turn in range(parts):
                now[0] = turn * TURN
                assert page.bridge.first_ends() is (turn > 0)
                first = page.bridge.first()
                assert (first.part, first.parts) == (turn + 1, parts)
                shown.append(first.fingerprint)
                order = order_now(page.bench.keeper.table, language, testing=False, first=first)
                [(_, args)] = driver.commands({"display": {"text": order, "rule": None}})
                lines.append("".join(args["lines"]).replace(" ", ""))
            assert " ".join(shown) == GROUPS
            assert all(part.replace(" ", "") in line for part, line in zip(shown, lines, strict=True)), lines
            now[0] = parts * TURN
            assert page.bridge.first_ends()
            assert page.bridge.first() == First(), "why no card may be dealt has a turn"
            page.bridge.code.give("7KQM-D2XF-9RAB")
            now[0] = 0.0
            assert page.bridge.first().code, "it takes its turn before them"
        finally:
            page.close()

    asyncio.run(work())


def test_a_display_without_room_for_a_group_shows_none_and_the_page_hears_so(tmp_path: Path) -> None:
    async def work() -> None:
        page = Page(tmp_path)
        driver = page.bridge.slots["indicators"].driver
        assert isinstance(driver, IndicatorsDriver)
        driver.settings = replace(driver.settings, rows=1, columns=16)
        page.bench.open_table()
        assert not await page.door.show_fingerprint(GROUPS)
        assert page.bridge.first() == First()
        page.close()

    asyncio.run(work())


def test_a_code_that_is_over_waits_for_nobody_and_another_one_does(tmp_path: Path) -> None:
    told = Told(tmp_path)
    told.waits()
    assert told.tell()
    told.now += 61.0
    assert told.tell()
    assert told.tell()
    assert told.door.shown == [GROUPS, ""], "nobody types it any more"
    told.waits("bert")
    assert told.tell()
    assert told.door.shown[2:] == [GROUPS]


def test_one_that_is_not_given_again_goes() -> None:
    now = [0.0]
    given = page_fingerprint(lambda: now[0])
    assert given.give(GROUPS)
    now[0] = LASTS
    assert (given.now(), given.ends(), given.ends()) == ("", True, False)

"""Wishes on the pit page: two directors, and how each table stands to what they wish."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from feltd.door.pit.state import PitSince
from feltd.door.serving.listener import listening
from feltd.floor.pit_socket import Pit, PitReception
from feltd.page.access.roles import Right, Role
from feltd.page.access.tokens import TokenError
from feltd.page.pit.opening import OpenPit, open_pit
from tests.feltd.page_support import SECRET
from tests.feltd.table_support import BOOKS, UTH
from tests.floor.desk_support import settings_in
from tests.floor.pit_support import Floor
from tests.floor.test_groups import Browser
from tests.running import eventually, running

WISH = {
    "rulebook": UTH, "options": {"table_min": 500}, "tables": ["7", "8"], "first": "8", "hold_minutes": 5,
    "reason": "from Monday on",
}  # fmt: skip


@asynccontextmanager
async def pit_of(folder: Path) -> AsyncIterator[tuple[Floor, OpenPit]]:
    """A floor with two tables, and its page."""
    floor = Floor(folder)
    await floor.sights.load()
    for name in ("7", "8"):
        await floor.table(name)
    page = open_pit(settings_in(folder), floor.door)
    pit = Pit(floor.desk, floor.book, floor.engine, sights=floor.sights)
    async with listening(folder / "pit", os.getuid(), PitReception(pit, floor.book)), running(floor.door.run()):
        await eventually(lambda: floor.door.away is None)
        assert (await floor.door.news(PitSince("", 0))).tables
        yield floor, page


def test_one_director_wishes_another_approves_and_stops_and_wishes_back(tmp_path: Path) -> None:
    async def work() -> None:
        async with pit_of(tmp_path) as (floor, page):
            lea, ben = (Browser(page, name, Role.DIRECTOR) for name in ("lea", "ben"))
            made = await lea.ask("POST", "/api/v1/wishes", WISH)
            assert (made.status_code, made.json()) == (201, {"number": 1, "tables": ["7", "8"], "first": "8"})
            [(kept, _)] = await floor.engine.wishes.all(9)
            assert kept.plays["7"].digest == BOOKS[UTH].digest
            assert (kept.account, kept.hold, kept.canary) == ("lea", 300.0, "8")
            word = {"number": 1, "reason": "seen"}
            approval = {**word, "password": SECRET}
            own = await lea.ask("POST", "/api/v1/wishes/approve", approval)
            assert (own.status_code, "second person" in own.text) == (409, True)
            [mine] = (await lea.ask("GET", "/api/v1/wishes")).json()
            [theirs] = (await ben.ask("GET", "/api/v1/wishes")).json()
            assert (mine["mine"], theirs["mine"], theirs["stage"]) == (True, False, "proposed")
            assert [table["holds"] for table in theirs["tables"]] == ["waits", "waits"]
            assert theirs["tables"][0]["wished"]["options"] == {"table_min": 500}
            assert (await ben.ask("POST", "/api/v1/wishes/approve", word)).status_code == 422
            wrong = await ben.ask(
                "POST", "/api/v1/wishes/approve", {**approval, "password": "something else, and long"}
            )
            assert (wrong.status_code, "password is wrong" in wrong.text) == (409, True)
            assert (await ben.ask("GET", "/api/v1/wishes")).json()[0]["stage"] == "proposed"
            assert (await ben.ask("POST", "/api/v1/wishes/approve", approval)).status_code == 204
            assert (await ben.ask("GET", "/api/v1/wishes")).json()[0]["stage"] == "canary"
            assert "no table has taken" in (await ben.ask("POST", "/api/v1/wishes/back", word)).text
            assert (await lea.ask("POST", "/api/v1/wishes/stop", word)).status_code == 204
            [stopped] = (await ben.ask("GET", "/api/v1/wishes")).json()
            assert (stopped["stopped_why"], stopped["approved_why"]) == ("seen", "seen")

    asyncio.run(work())


def test_a_token_neither_wishes_nor_approves_one_of_an_older_page_either(tmp_path: Path) -> None:
    async def work() -> None:
        async with pit_of(tmp_path) as (floor, page):
            lea = Browser(page, "lea", Role.DIRECTOR)
            accounts, wall = page.at.accounts, page.at.guard.signing_in.bearers.wall
            with pytest.raises(TokenError, match="a token wishes nothing"):
                accounts.add_token("lea", "screens", Role.DIRECTOR, [Right.WISH, Right.SEE], 30, wall())
            _, token, text = accounts.add_token("lea", "screens", Role.DIRECTOR, [Right.SEE], 30, wall())
            kept = replace(token, scope=frozenset({Right.WISH, Right.SEE}))
            assert kept.rights(Role.DIRECTOR) == {Right.SEE}, "an older page made it"
            await lea.ask("POST", "/api/v1/wishes", WISH)
            program = Browser(page, "lea", Role.DIRECTOR)
            program.headers = {"authorization": f"Bearer {text}"}
            said = {"number": 1, "reason": "seen", "password": SECRET}
            assert (await program.ask("POST", "/api/v1/wishes", WISH)).status_code == 403
            for word in ("approve", "stop", "back"):
                body = said if word == "approve" else {"number": 1, "reason": "seen"}
                assert (await program.ask("POST", f"/api/v1/wishes/{word}", body)).status_code == 403
            [(_, steps)] = await floor.engine.wishes.all(9)
            assert steps == []

    asyncio.run(work())


def test_approving_takes_the_second_factor_of_who_has_one(tmp_path: Path) -> None:
    async def work() -> None:
        async with pit_of(tmp_path) as (_, page):
            lea, ben = (Browser(page, name, Role.DIRECTOR) for name in ("lea", "ben"))
            await lea.ask("POST", "/api/v1/wishes", WISH)
            page.at.accounts.put_second_factor("ben", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
            ben = Browser(page, "ben", Role.DIRECTOR)
            said = {"number": 1, "reason": "seen", "password": SECRET}
            answer = await ben.ask("POST", "/api/v1/wishes/approve", said)
            assert (answer.status_code, "second factor" in answer.text) == (409, True)

    asyncio.run(work())


def test_who_may_not_and_what_is_no_wish_is_told_so(tmp_path: Path) -> None:
    async def work() -> None:
        async with pit_of(tmp_path) as (floor, page):
            lea, eva = Browser(page, "lea", Role.DIRECTOR), Browser(page, "eva", Role.SUPERVISOR)
            assert (await eva.ask("GET", "/api/v1/wishes")).json() == []
            for path in ("", "/approve", "/stop", "/back"):
                body = (
                    WISH
                    if not path
                    else {"number": 1, "reason": "seen", **({"password": SECRET} if path == "/approve" else {})}
                )
                assert (await eva.ask("POST", f"/api/v1/wishes{path}", body)).status_code == 403
            for wrong, status in (
                ({"rulebook": "nothing"}, 409),
                ({"tables": []}, 422),
                ({"options": {"x": {"y": 1}}}, 422),
                ({"reason": "x"}, 422),
                ({"first": "9"}, 409),
                ({"options": {"built": "no_shoe"}}, 409),
            ):
                assert (await lea.ask("POST", "/api/v1/wishes", {**WISH, **wrong})).status_code == status, wrong
            await floor.lets("person", "lea", everything=False)
            refused = await lea.ask("POST", "/api/v1/wishes", WISH)
            assert (refused.status_code, "none of the tables" in refused.text) == (409, True)

    asyncio.run(work())


def test_settings_and_versions_are_wished_too_and_what_is_none_is_told(tmp_path: Path) -> None:
    of = {"tables": ["7", "8"], "reason": "case 4712"}

    async def work() -> None:
        async with pit_of(tmp_path) as (_, page):
            lea = Browser(page, "lea", Role.DIRECTOR)
            for path, wrong in (
                ("settings", {"settings": {"seats": 3}}),
                ("settings", {"settings": {"language": ["de"]}}),
                ("settings", {}),
                ("version", {"version": "newest"}),
            ):
                assert (await lea.ask("POST", f"/api/v1/wishes/{path}", {**of, **wrong})).status_code == 422, wrong
            made = await lea.ask("POST", "/api/v1/wishes/settings", {**of, "settings": {"gather_seconds": 1.5}})
            assert (made.status_code, made.json()["first"]) == (201, "7")
            assert (await lea.ask("POST", "/api/v1/wishes/version", {**of, "version": "0.9.0"})).status_code == 201
            version, settings = (await lea.ask("GET", "/api/v1/wishes")).json()
            assert (version["version"], version["tables"][0]["wants"]) == ("0.9.0", None)
            assert [one["wants"] for one in settings["tables"]] == [{"values": {"gather_seconds": 1.5}}] * 2
            eva = Browser(page, "eva", Role.SUPERVISOR)
            for path, what in (("settings", {"settings": {}}), ("version", {"version": "0.9.0"})):
                assert (await eva.ask("POST", f"/api/v1/wishes/{path}", {**of, **what})).status_code == 403

    asyncio.run(work())


def test_the_page_offers_the_books_to_whoever_is_signed_in(tmp_path: Path) -> None:
    async def work() -> None:
        async with pit_of(tmp_path) as (_, page):
            lea = Browser(page, "lea", Role.DIRECTOR)
            shown = await lea.ask("GET", "/wishes")
            assert f"<option>{UTH}</option>" in shown.text
            lea.headers = {}
            assert (await lea.ask("GET", "/wishes")).headers["location"].startswith("/sign-in")

    asyncio.run(work())

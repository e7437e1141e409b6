"""Groups of tables by account: a person sees, hears and decides at theirs alone, at floord's socket and on the page."""

import asyncio
import json
import logging
import os
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from feltd.cli import cli
from feltd.cli.exits import FINE
from feltd.custody.errors import FloorAwayError
from feltd.door import CommandRefused, Person
from feltd.door.asking.pit_door import PitDoor
from feltd.door.decisions import DecisionRequest
from feltd.door.pit.directing import DecidedBy, Opening, Step, TournamentAsk
from feltd.door.pit.orders import Order
from feltd.door.pit.sight import SCREENS, OfAccount
from feltd.door.pit.standing import AlarmAnswered
from feltd.door.pit.state import PitSince
from feltd.door.serving.listener import listening
from feltd.floor.directing import Directing
from feltd.floor.engine import Alarm, AlarmKind, Engine
from feltd.floor.enrolment import NO_TABLE
from feltd.floor.groups import (
    EVERYBODY,
    EVERYTHING,
    NOTHING,
    MemoryGroups,
    Sight,
    SightKind,
    SightRow,
    Sights,
    people_of,
)
from feltd.floor.pit_socket import Pit, PitReception
from feltd.page.access.roles import Role
from feltd.page.api.guard import CSRF_HEADER
from feltd.page.pit.following import PitFollow
from feltd.page.pit.opening import OpenPit, open_pit
from feltd.text.catalogue import trouble
from feltd.text.language import Language, speaking
from tests.feltd.page_support import SECRET
from tests.floor.conftest import as_owner
from tests.floor.desk_support import settings_in
from tests.floor.directing_support import TERMS, directing, entry
from tests.floor.pit_support import Floor, alarm, ruling
from tests.floor.postgres_support import Server
from tests.floor.test_scenes import Run
from tests.running import eventually, running

RULING = ("output", "ruling", {"ruling": ruling(5)})
ALARM = ("output", "alarm", {"alarm": alarm()})
CONFIRM = DecisionRequest("confirm", 5, None, "seen", None)


def row(kind: str, name: str, *parts: str, everything: bool = False) -> SightRow:
    return SightRow(SightKind(kind), name, parts, everything, "berg (floor's shell)", "as planned")


def person(account: str, role: str = "supervisor") -> Person:
    return Person(account, account, role, "10.20.0.9")


def test_the_latest_row_of_a_name_holds_and_none_goes_away(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        sights = Sights(floor.groups)
        assert sights.of("lea") == NOTHING  # nothing was read yet
        await sights.load()
        assert sights.of("lea") == sights.of("") == EVERYTHING
        await floor.groups.set(row("person", "berg", everything=True))
        await floor.groups.set(row("group", "pit 2", "7", "8"))
        await floor.groups.set(row("person", "lea", "pit 2", "pit 9"))
        await sights.load()
        assert sights.of("berg") == EVERYTHING
        assert sights.of("lea") == Sight(frozenset({"7", "8"}))
        assert sights.of("lea token 0a1b2c3d") == sights.of("lea")
        assert [sights.of(name) for name in ("max", "", SCREENS, "le")] == [NOTHING] * 4
        await floor.groups.set(row("group", "pit 2", "8"))
        await floor.groups.set(row("person", "berg"))
        await sights.load()
        assert (sights.of("lea"), sights.of("berg")) == (Sight(frozenset({"8"})), NOTHING)
        assert [(one.kind, one.name, one.parts) for one in await floor.groups.rows()] == [
            ("group", "pit 2", ("8",)), ("person", "berg", ()), ("person", "lea", ("pit 2", "pit 9")),
        ]  # fmt: skip

    engine(work)


def test_no_role_changes_what_was_said_of_groups(postgres: Server) -> None:
    with pytest.raises(Exception, match="is refused: what is kept stays as it is"):
        asyncio.run(as_owner(postgres, "DELETE FROM floor.sight"))
    with pytest.raises(Exception, match="permission denied"):
        asyncio.run(as_owner(postgres, "SET ROLE floord", "INSERT INTO floor.sight DEFAULT VALUES"))


def test_a_database_that_is_away_changes_nothing_that_was_read() -> None:
    class Away:
        found: list[SightRow] | None = None

        async def set(self, row: SightRow) -> None: ...

        async def rows(self) -> list[SightRow]:
            if self.found is None:
                raise FloorAwayError("away", "here", "wait")
            return self.found

    async def work() -> None:
        away = Away()
        sights = Sights(away)
        async with running(sights.run()):
            await asyncio.sleep(0)
            assert sights.of("lea") == NOTHING
        away.found = [row("group", "2", "7"), row("person", "lea", "2")]
        await sights.load()
        away.found = None
        with pytest.raises(FloorAwayError):
            await sights.load()
        assert sights.of("lea") == Sight(frozenset({"7"}))

    asyncio.run(work())


def test_as_long_as_nobody_was_given_anything_the_pit_warns_and_everybody_can_be_given_all(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def work() -> None:
        groups = MemoryGroups()
        sights = Sights(groups)
        assert sights.trouble == (), "nothing was read yet"
        with caplog.at_level(logging.WARNING):
            await sights.load()
            await sights.load()
        assert (sights.of("lea"), sights.of(SCREENS)) == (EVERYTHING, EVERYTHING)
        words = str(*sights.trouble)
        assert words.startswith("groups: nobody has said who sees which tables")
        assert caplog.messages == [f"the floor's {words}"]
        with speaking(Language.GERMAN):
            assert "niemand hat gesagt" in trouble(words)
        await groups.set(row("group", "2", "7"))
        await groups.set(row("person", "lea", "2"))
        await groups.set(row("person", EVERYBODY, everything=True))
        await sights.load()
        assert (sights.trouble, len(caplog.messages)) == ((), 1)
        assert sights.of("lea") == Sight(frozenset({"7"})), "who is named sees what they were given"
        assert sights.of("max") == sights.of("max token 1a2b3c4d") == EVERYTHING
        assert sights.of(SCREENS) == sights.of("") == NOTHING, "nobody signs in there"

    asyncio.run(work())


def test_who_sees_the_same_has_the_same_mark_and_who_sees_none_has_one_too() -> None:
    people = people_of(
        [row("group", "a", "7", "8"), row("group", "b", "8", "7"), row("person", "lea", "a"), row("person", "max", "b")]
    )
    assert people is not None
    assert people["lea"].mark == people["max"].mark != NOTHING.mark != EVERYTHING.mark == ""


async def _two_pits(folder: Path) -> Floor:
    """Tables 1 and 2, each with a ruling and an alarm of custody; lea sees 2 alone, berg all."""
    at = Floor(folder)
    for table in ("1", "2"):
        await at.table(table, RULING, ALARM)
        await at.custody_alarm(table)
    await at.engine.raise_alarm(Alarm(NO_TABLE, bytes(16), AlarmKind.CODE, 0, "a wrong code"))
    await at.book.look_at_alarms()
    await at.lets("group", "pit 2", "2")
    await at.lets("person", "lea", "pit 2")
    await at.lets("person", "berg", everything=True)
    return at


def test_floord_answers_each_question_within_the_persons_tables(tmp_path: Path) -> None:
    async def work() -> None:
        at = await _two_pits(tmp_path)
        door, pit = PitDoor(tmp_path / "pit"), Pit(at.desk, at.book, at.engine, sights=at.sights)
        async with (
            listening(tmp_path / "pit", os.getuid(), PitReception(pit, at.book)),
            running(door.run()),
            running(at.book.run()),
        ):
            await eventually(lambda: door.away is None)

            async def seen(account: str) -> list[str]:
                return [table.name for table in (await door.news(PitSince("", 0, account))).tables]

            assert [await seen(name) for name in ("berg", "lea", "max", "")] == [[NO_TABLE, "1", "2"], ["2"], [], []]
            news = await door.news(PitSince("", 0, "lea"))
            assert (await door.news(PitSince(news.run, news.revision, "lea"))).whole is False
            assert (await door.news(PitSince(news.run, news.revision, "berg"))).whole is True
            await at.table("1", ALARM)
            assert (await door.news(PitSince(news.run, news.revision, "lea"))).tables == ()

            for account, role in (("lea", "director"), ("max", "supervisor"), ("root", "shell"), ("", "shell")):
                with pytest.raises(CommandRefused, match="none of the tables"):
                    await door.order(Order("1", person(account, role), CONFIRM))
            assert at.obeyed == []
            assert (await door.order(Order("2", person("lea token 0a1b2c3d"), CONFIRM))).result == "done"

            alarms = {one.alarm.table: one for one in await at.engine.standing.standing()}

            async def closes(account: str, table: str) -> None:
                await door.answer_alarm(AlarmAnswered(alarms[table].number, 1, "closed", person(account), "seen there"))

            for table in ("1", NO_TABLE):
                with pytest.raises(CommandRefused, match="no alarm of this number"):
                    await closes("lea", table)
            with pytest.raises(CommandRefused, match="no alarm of this number"):
                await door.answer_alarm(AlarmAnswered(99, 1, "closed", person("lea"), "seen there"))
            await closes("lea", "2")
            await closes("berg", NO_TABLE)
            assert {one.alarm.table for one in await at.engine.standing.standing()} == {"1"}

    asyncio.run(work())


def test_a_tournament_at_one_table_that_is_not_theirs_is_none_of_theirs(tmp_path: Path) -> None:
    async def work() -> None:
        at = Floor(tmp_path)
        floor: Directing = directing(at.engine.tournaments)
        pit = Pit(at.desk, at.book, at.engine, floor, sights=at.sights)
        await at.lets("group", "2", "T1", "T2")
        await at.lets("group", "1", "T1")
        await at.lets("person", "lea", "2")
        await at.lets("person", "max", "1")
        await at.lets("person", "berg", everything=True)
        lea, max_, berg = (DecidedBy(person(name, "director"), "as announced") for name in ("lea", "max", "berg"))
        with pytest.raises(CommandRefused, match="sees no table"):
            await pit.open(Opening("cup", "Cup", "onyx", DecidedBy(person("eve", "director"), "as announced")))
        await pit.open(Opening("cup", "Cup", "onyx", max_))
        with pytest.raises(CommandRefused, match="tables that you do not see"):
            await pit.step(Step("cup", 1, TERMS, max_))
        assert floor.fold("cup").seq == 1
        await pit.step(Step("cup", 1, TERMS, lea))
        with pytest.raises(CommandRefused, match="no tournament cup among those that max sees"):
            await pit.step(Step("cup", 2, entry(1), max_))
        await pit.step(Step("cup", 2, entry(1), berg))

        async def listed(account: str) -> list[str]:
            return [tile.id for tile in await pit.tournaments(OfAccount(account))]

        assert [await listed(name) for name in ("lea", "berg", "max", "eve", SCREENS)] == [["cup"], ["cup"], [], [], []]
        assert (await pit.tournament(TournamentAsk("cup", 0, "lea"))).seq == 3
        told = []
        for name in ("cup", "none"):
            with pytest.raises(CommandRefused) as refused:
                await pit.tournament(TournamentAsk(name, 0, "max"))
            told.append(str(refused.value).replace(name, "…"))
        assert told[0] == told[1]  # nobody learns which there are

    asyncio.run(work())


class Browser:
    """Somebody at the pit page."""

    def __init__(self, pit: OpenPit, name: str, role: Role) -> None:
        account = pit.at.accounts.get(name) or pit.at.accounts.add(name, role, SECRET)
        sessions = pit.at.guard.signing_in.sessions
        self.token, session = sessions.begin(account, "127.0.0.1")
        self.headers = {"cookie": f"feltd={self.token}", CSRF_HEADER: session.csrf}
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(app=pit.app), base_url="http://localhost")

    async def ask(self, method: str, path: str, body: Any = None) -> httpx.Response:
        return await self._client.request(method, path, json=body, headers=self.headers)


def test_the_page_shows_and_does_at_a_persons_tables_alone(tmp_path: Path) -> None:
    async def work() -> None:
        at = await _two_pits(tmp_path)
        pit = Pit(at.desk, at.book, at.engine, directing(at.engine.tournaments), sights=at.sights)
        await pit.open(Opening("cup", "Cup", "onyx", DecidedBy(person("berg", "director"), "as announced")))
        page = open_pit(settings_in(tmp_path), at.door)
        lea, berg = Browser(page, "lea", Role.DIRECTOR), Browser(page, "berg", Role.DIRECTOR)
        terms = {**TERMS, "tables": [{"table": "1", "seats": [1, 2]}, {"table": "2", "seats": [1, 2]}]}
        await pit.step(Step("cup", 1, terms, DecidedBy(person("berg", "director"), "as announced")))
        async with (
            listening(tmp_path / "pit", os.getuid(), PitReception(pit, at.book)),
            running(at.door.run()),
            running(at.book.run()),
        ):
            await eventually(lambda: at.door.away is None)

            async def tables(who: Browser) -> list[str]:
                return [one["name"] for one in (await who.ask("get", "/api/v1/pit")).json()["tables"]]

            assert (await tables(lea), await tables(berg)) == (["2"], [NO_TABLE, "1", "2"])
            shown = (await lea.ask("get", "/")).text
            assert '"name":"2"' in shown
            assert '"name":"1"' not in shown
            refused = await lea.ask(
                "post", "/api/v1/decisions", {"table": "1", "decision": "confirm", "ruling": 5, "reason": "seen"}
            )
            assert (refused.status_code, refused.json()["detail"]) == (409, "1 is none of the tables that you see")
            done = await lea.ask(
                "post", "/api/v1/decisions", {"table": "2", "decision": "confirm", "ruling": 5, "reason": "seen"}
            )
            assert done.json()["result"] == "done"
            assert {one["table"] for one in at.obeyed} == {"2"}
            for who, found in ((lea, []), (berg, ["cup"])):
                listed = (await who.ask("get", "/api/v1/tournaments")).json()["tournaments"]
                assert [one["id"] for one in listed] == found
            for address in ("", "/screen", "/results", "/payouts"):
                assert (await berg.ask("get", f"/api/v1/tournaments/cup{address}")).status_code == 200
                assert (await lea.ask("get", f"/api/v1/tournaments/cup{address}")).status_code == 404
            body = {"expected": 2, "event": entry(1), "why": "at the counter"}
            assert (await lea.ask("post", "/api/v1/tournaments/cup/steps", body)).status_code == 409
            sheet = {"expected": 2, "sheet": "name,paid\nAnna,25000\n", "why": "the list"}
            assert (await lea.ask("post", "/api/v1/tournaments/cup/entries", sheet)).status_code == 404

    asyncio.run(work())


def test_players_screens_show_what_a_person_lets_them(tmp_path: Path) -> None:
    async def work() -> None:
        at = Floor(tmp_path)
        pit = Pit(at.desk, at.book, at.engine, directing(at.engine.tournaments), sights=at.sights)
        await at.lets("person", "berg", everything=True)
        berg = DecidedBy(person("berg", "director"), "as announced")
        await pit.open(Opening("cup", "Cup", "onyx", berg))
        page = open_pit(settings_in(tmp_path, "short"), at.door)
        transport = httpx.ASGITransport(app=page.app)
        await pit.step(Step("cup", 1, TERMS, berg))
        async with (
            listening(tmp_path / "pit", os.getuid(), PitReception(pit, at.book)),
            running(at.door.run()),
            running(at.book.run()),
        ):
            await eventually(lambda: at.door.away is None)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as nobody:
                assert (await nobody.get("/api/v1/tournaments/cup/screen")).status_code == 404
                await at.lets("person", SCREENS, everything=True)
                assert (await nobody.get("/api/v1/tournaments/cup/screen")).status_code == 200

    asyncio.run(work())


def test_a_stream_goes_over_to_what_its_person_sees_now_and_ends_with_the_session(tmp_path: Path) -> None:
    async def work() -> None:
        at = await _two_pits(tmp_path)
        page = open_pit(settings_in(tmp_path), at.door)
        browser = Browser(page, "lea", Role.SUPERVISOR)
        pit = Pit(at.desk, at.book, at.engine, sights=at.sights)
        async with (
            listening(tmp_path / "pit", os.getuid(), PitReception(pit, at.book)),
            running(at.door.run()),
            running(at.book.run()),
        ):
            await eventually(lambda: at.door.away is None)
            now = 0.0
            follow = PitFollow(at.door, lambda: now)
            streams = {name: follow.admit(name) for name in ("lea", "max")}

            async def told(name: str) -> tuple[bool, list[str]]:
                text = await anext(streams[name])
                news = json.loads(text.partition("data: ")[2])
                return news["whole"], [table["name"] for table in news["tables"]]

            assert [await told(name) for name in ("lea", "max")] == [(True, ["2"]), (True, [])]
            follow.changed()
            assert await told("lea") == (False, [])
            await at.lets("group", "pit 2", "1")
            follow.changed()  # what floord said of lea is a moment old, and its answer says that it holds no longer
            assert await told("lea") == (True, ["1"])
            await at.lets("person", "lea")
            now = 1.0
            follow.changed()
            assert await told("lea") == (True, [])
            assert not await follow.sees("lea", "1")

            stream = _following(page, browser)
            assert "event: tables" in await anext(stream)
            page.at.guard.signing_in.sessions.end(browser.token)
            page.follow.changed()
            with pytest.raises(StopAsyncIteration):
                await anext(stream)

    asyncio.run(work())


async def _following(page: OpenPit, browser: Browser) -> AsyncGenerator[str, None]:
    """The stream's texts as the page sends them: without its transport, which would wait for the end."""
    from starlette.requests import Request

    from feltd.page.access.roles import Right

    request = Request({"type": "http", "method": "GET", "path": "/api/v1/stream", "client": ("127.0.0.1", 1),
                       "headers": [(b"cookie", browser.headers["cookie"].encode())]})  # fmt: skip
    async for text in page.at.guard.while_allowed(request, Right.SEE, page.follow.admit("lea")):
        yield text


def test_a_person_at_the_shell_says_who_sees_which(postgres: Server, tmp_path: Path) -> None:
    asyncio.run(as_owner(postgres, "SET session_replication_role = replica; TRUNCATE floor.sight"))
    file = tmp_path / "floor.toml"
    database = postgres.address("floord")
    file.write_text(f'[floor]\ncertificate = "c"\nkey = "k"\nauthority = "a"\ndatabase = "{database}"\n')

    def run(*command: str) -> tuple[int, str]:
        done = CliRunner().invoke(cli, ["floor", "group", *command, "--config", str(file)])
        return done.exit_code, done.output

    why = ("--reason", "room 2")
    assert run("list") == (FINE, "no group yet: everybody sees every table\n")
    code, told = run("set", "pit 2", "table-7", "table-8", *why)
    assert (code, told) == (FINE, "group pit 2: table-7, table-8\nnot called in yet: table-7, table-8\n")
    assert run("person", "lea", "--group", "pit 2", *why) == (FINE, "lea: pit 2\n")
    assert run("person", SCREENS, "--all", *why) == (FINE, f"{SCREENS}: every table\n")
    for wrong, said in (
        (("person", "lea", "--group", "pit 3", *why), 'there is no group "pit 3"; there are: pit 2'),
        (("person", "lea", "--group", "pit 2", "--all", *why), "--all sees every group"),
        (("person", "le a", *why), "no space in its name"),
        (("set", " ", *why), "1 to 64 printable characters"),
        (("set", "pit 2", "a/b", *why), "no name for a table"),
        (("person", "lea", "--reason", "x"), "3 to 500 printable"),
    ):
        code, told = run(*wrong)
        assert code != FINE
        assert said in told
    code, told = run("list")
    lines = told.splitlines()
    assert lines[0].startswith("group pit 2: table-7, table-8 (")
    assert lines[0].endswith(" (floor's shell): room 2)")
    assert [line.partition(" (")[0] for line in lines[1:3]] == [
        f"person {SCREENS}: every table".partition(" (")[0],
        "person lea: pit 2",
    ]
    assert lines[-1] == "who is not named sees no table"

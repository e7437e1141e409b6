"""The pit: each table's line folded from its rows alone, kept, caught up, and made anew after a floor was put back."""

import asyncio
import html
import os
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from feltd.cli import cli
from feltd.cli.exits import FINE, PROBLEMS
from feltd.cli.floor_decisions import _decisions
from feltd.custody.errors import CustodyWireError
from feltd.custody.messages import Answer, Beat, Result, Stand
from feltd.custody.settings import SettingsError, pit_settings
from feltd.door.asking.pit_door import PitDoor
from feltd.door.pit.state import PitAlarm, PitSince, PitTable
from feltd.door.serving.listener import listening
from feltd.floor.engine import Engine
from feltd.floor.folding import Fold
from feltd.floor.pit_book import Line, PitBook
from feltd.floor.pit_socket import Pit, PitReception
from feltd.launcher.pit_process import page_settings
from feltd.page.access.roles import Role
from feltd.page.api.band import Level
from feltd.page.pit.band import band_of_table
from feltd.page.pit.opening import open_pit
from feltd.page.pit.shown import table_as_json
from feltd.record import Source
from feltd.record.jumps import jump_body
from feltd.record.notes import BROADCAST_OFF_NOTE, BROADCAST_ON_NOTE, BY_HAND_NOTE, SETTLED_NOTE, START_NOTE
from feltd.text.errors import FeltdError
from feltd.text.zone import zone_name
from tests.floor.pit_support import NOW, Floor, alarm, entry, ruling
from tests.floor.test_groups import Browser
from tests.floor.test_scenes import Run
from tests.running import eventually, running


def folded(*rows: tuple[str, str, object]) -> Fold:
    """A fold of these rows; an output answers the row before it."""
    fold = Fold()
    for seq, (kind, name, body) in enumerate(rows, 1):
        fold.take(entry(seq, kind, name, body, answers=seq - 1 if kind == "output" else None))
    return fold


RULING = ("output", "ruling", {"ruling": ruling(5)})
CONFIRM = ("event", "supervisor", {"ruling": 5, "decision": "confirm"})


@pytest.mark.parametrize(
    ("rows", "waiting"),
    [
        ([RULING], [5]),
        ([RULING, CONFIRM], []),
        ([RULING, CONFIRM, ("output", "error", {"error": {"reason": "no"}})], [5]),
        ([RULING, ("event", "supervisor", {"ruling": 5, "decision": "check_deck"})], [5]),
        ([RULING, ("output", "ruling", {"ruling": ruling(6, supersedes=5, pending=False)})], []),
        ([RULING, ("host", "note", {"note": SETTLED_NOTE, "rulings": [5, "x"]})], []),
        ([RULING, ("host", "note", {"note": SETTLED_NOTE})], [5]),
    ],
)
def test_a_ruling_waits_until_the_record_says_that_it_does_not(
    rows: list[tuple[str, str, object]], waiting: list[int]
) -> None:
    assert [one.id for one in folded(*rows).shown_waiting()] == waiting


def test_an_alarm_stands_until_it_is_over_and_somebody_has_seen_it() -> None:
    raised = ("output", "alarm", {"alarm": alarm()})
    states = [("output", "alarm", {"alarm": alarm(state)}) for state in ("escalated", "cleared", "acknowledged")]
    [one] = folded(raised, *states[:2]).shown_alarms()
    assert (one.kind, one.device, one.since, one.escalated, one.over, one.acknowledged) == (
        "device_offline", "shoe", NOW, True, True, False,
    )  # fmt: skip
    assert folded(raised, *states).shown_alarms() == ()
    assert folded(states[0]).shown_alarms() == ()


def shelved(fold: Fold) -> list[tuple[str | None, float | None, int | None]]:
    return [(one.by, one.until, one.seat) for one in fold.shown_shelved()]


def test_what_is_shelved_is_counted_with_who_did_it_and_until_when() -> None:
    idle = [("output", "alarm", {"alarm": {**alarm(kind="seat_idle", device=None), "seat": seat}}) for seat in (2, 4)]
    on, off = ({**one[2]["alarm"], "state": state} for one, state in ((idle[0], "shelved"), (idle[0], "unshelved")))
    order = {"decision": "shelve", "alarm": "seat_idle", "seat": 2, "minutes": 30, "staff": "Anna"}
    fold = folded(*idle, ("event", "supervisor", order), ("output", "alarm", {"alarm": on}))
    assert shelved(fold) == [("Anna", NOW + 1800.0, 2)]
    [ends] = [(one.of_device, one.of_seat, one.ends) for one in fold.shown_shelved()]
    assert ends == (None, 2, True)
    assert [one.seat for one in fold.shown_alarms()] == [4]
    assert shelved(Fold.from_text(fold.to_text())) == shelved(fold)
    again = ("output", "alarm", {"alarm": {**on, "state": "raised"}})  # it comes again while it lies there
    for seq, row in enumerate((again, ("output", "alarm", {"alarm": on})), fold.seq + 1):
        fold.take(entry(seq, *row, answers=99))
    assert shelved(fold) == [("Anna", NOW + 1800.0, 2)]
    fold.take(entry(fold.seq + 1, "output", "alarm", {"alarm": off}))
    assert (shelved(fold), len(fold.shown_alarms())) == ([], 2)
    wide = {**order, "seat": None, "minutes": 15}
    refused = folded(*idle, ("event", "supervisor", wide), ("output", "error", {"error": {"reason": "no"}}))
    refused.take(entry(refused.seq + 1, "output", "alarm", {"alarm": on}, answers=99))
    assert shelved(refused) == [(None, None, 2)], "who shelved it is not known"
    assert not refused.shown_shelved()[0].ends


def test_a_broadcast_is_on_from_its_note_until_the_next_one_or_a_start() -> None:
    on = ("host", "note", {"note": BY_HAND_NOTE, "what": BROADCAST_ON_NOTE, "who": "anna"})
    off = ("host", "note", {"note": BY_HAND_NOTE, "what": BROADCAST_OFF_NOTE, "who": "otto"})
    start = ("host", "note", {"note": START_NOTE, "software": "feltd 1"})
    assert [folded(*rows).broadcast for rows in ((on,), (on, off), (on, start), (off, on), ())] == [
        True, False, False, True, False,
    ]  # fmt: skip
    again = Fold.from_text(folded(on).to_text())
    shown = Line("7", bytes(16), again).shown()
    assert shown.broadcast
    assert table_as_json(shown)["broadcast"] is True


def test_what_stops_play_is_folded_from_what_the_table_reports() -> None:
    fold = folded(
        ("output", "gate", {"gate": "lock"}),
        ("event", "test.mode", {"on": True}),
        ("event", "dropbox.state", {"present": True, "locked": False}),
    )
    assert (fold.locked, fold.testing, fold.box) == (True, True, "not_locked")
    again = Fold.from_text(fold.to_text())
    assert (again.locked, again.testing, again.box) == (True, True, "not_locked")
    for name, body in (("test.mode", {"on": False}), ("dropbox.state", {"present": True, "locked": True})):
        fold.take(entry(fold.seq + 1, "event", name, body))
    fold.take(entry(fold.seq + 1, "output", "gate", {"gate": "unlock"}))
    assert (fold.locked, fold.testing, fold.box) == (False, False, None)
    assert folded(("event", "dropbox.state", {"present": False, "locked": False})).box == "missing"


@pytest.mark.parametrize(
    ("page", "zone", "told"),
    [
        ("https://t7.example:8443", "Australia/Melbourne", ("https://t7.example:8443", "Australia/Melbourne")),
        (None, None, (None, None)),
        ("javascript:alert(1)", "Middle/Earth", (None, None)),
        ("https://casino.example/#/x\" onclick=\"", "../../etc/passwd", (None, None)),
        ("http://casino.example", 7, (None, None)),
        ("http://localhost", "UTC", (None, "UTC")),
        ("http://localhost:631", "UTC", (None, "UTC")),
        ("https://localhost:8443", "UTC", (None, "UTC")),
        ("https://a.localhost", "UTC", (None, "UTC")),
        ("https://localhost.localdomain", "UTC", (None, "UTC")),
        ("https://ip6-loopback", "UTC", (None, "UTC")),
        ("https://127.0.0.1", "UTC", (None, "UTC")),
        ("https://[::1]:8443", "UTC", (None, "UTC")),
        ("https://2130706433", "UTC", (None, "UTC")),
        ("https://0x7f000001", "UTC", (None, "UTC")),
        ("https://127.0.0.0x1", "UTC", (None, "UTC")),
        ("https://localhosts.example", "UTC", ("https://localhosts.example", "UTC")),
        (["https://casino.example"], "UTC", (None, "UTC")),
        ("https://" + "x" * 9000, "x" * 9000, (None, None)),
    ],
)  # fmt: skip
def test_a_table_says_where_its_page_is_and_its_zone_and_nothing_else_becomes_a_link(
    page: object, zone: object, told: tuple[str | None, str | None]
) -> None:
    start = {"note": START_NOTE, "software": "0.9.0", "page": page, "zone": zone}
    fold = folded(("host", "note", {**start, "page": "https://before.example", "zone": "UTC"}), ("host", "note", start))
    assert (fold.page, fold.zone, fold.unread) == (*told, 0)
    kept = Fold.from_text(fold.to_text())
    assert (kept.page, kept.zone) == told
    line = Line("7", bytes(16), fold=fold)
    shown = table_as_json(line.shown())
    there = None if told[1] == zone_name() else told[1]
    assert (shown["page"], shown["zone"]) == (told[0], there), "its own zone says nothing new"
    older = folded(("host", "note", {"note": START_NOTE, "software": "0.8.0"}))
    assert (older.page, older.zone) == (None, None)


def test_a_record_that_was_put_back_is_at_the_pit_with_its_remedy_until_a_person_accepts_it() -> None:
    """At each device: play is stopped until the last one."""

    def jump(device: str, *, put_back: bool = True) -> tuple[str, str, dict[str, Any]]:
        held, coming = Source(device, bytes(8), 5), Source(device, bytes(8), 9)
        return "host", "jump", jump_body(device, held, coming, held, put_back=put_back)

    fold = folded(jump("shoe", put_back=False), ("host", "jump", {"device": 5}))
    assert fold.shown_put_back() is None, "events are missing, and play goes on"
    fold.take(entry(fold.seq + 1, *jump("shoe")))
    fold.take(entry(fold.seq + 1, *jump("badge")))
    fold.take(entry(fold.seq + 1, *jump("shoe")))
    told = fold.shown_put_back()
    assert told is not None
    assert told.devices == ("badge", "shoe")
    assert Fold.from_text(fold.to_text()).shown_put_back() == told
    table = PitTable("7", True, NOW, 0, False, None, None, None, None, None, (), (), (), put_back=told)
    band = band_of_table(table)
    assert (band.level, band.words) == (Level.STOPPED, "The record was put back to an older state")
    shown = table_as_json(table)
    [item] = [one for one in shown["items"] if one["kind"] == "put_back"]
    assert shown["stopped"]
    assert (item["since"], item["priority"], item["note"]) == (told.since, "high", "by the memory of: badge, shoe")
    assert item["action"].endswith("A technician accepts it on the page Devices. 7's own page has its devices.")
    assert (item["alarm"], item["custody"]) == (None, None), "no button of the pit ends it"
    fold.take(entry(fold.seq + 1, "host", "jump", {"device": "shoe", "accepted": "tina"}))
    left = fold.shown_put_back()
    assert left is not None
    assert left.devices == ("badge",)
    fold.take(entry(fold.seq + 1, *jump("badge", put_back=False)))
    assert fold.shown_put_back() is None


def zone_state(zone: str, trouble: str | None, device: str = "reader:board") -> tuple[str, str, dict[str, Any]]:
    return "event", "zone.state", {"ev": "zone.state", "device": device, "zone": zone, "trouble": trouble}


def test_an_alarm_about_a_readers_zones_names_the_place() -> None:
    """As the table's own page does: the zones of that reader that have the trouble now."""
    weak = {**alarm(kind="zone_weak"), "device": "reader:board"}
    rows = [
        zone_state("board:2", "chip"), zone_state("board:2", "weak"), zone_state("burn", "weak"),
        zone_state("board:3", "chip"), zone_state("seat:3", "weak"), zone_state("nowhere", "weak"),
        zone_state("board:4", "weak"), zone_state("board:4", None), zone_state("board:5", "of a later version"),
        ("output", "alarm", {"alarm": weak}),
    ]  # fmt: skip
    fold = folded(*rows)
    [told] = fold.shown_alarms()
    assert told.zones == ("board:2", "burn")
    assert Fold.from_text(fold.to_text()).shown_alarms() == (told,)
    table = PitTable("7", True, NOW, 0, False, None, None, None, None, None, (), (told,), ())
    [item] = [one for one in table_as_json(table)["items"] if one["kind"] == "alarm"]
    assert item["text"] == "Card with too little power: reader:board, the board, second card, the burn pile"
    fold.take(entry(fold.seq + 1, "event", "device.state", {"device": "reader:board", "online": False}))
    assert [one.zones for one in fold.shown_alarms()] == [()]


def test_what_is_kept_goes_on_and_what_is_no_fold_is_made_anew() -> None:
    rows = [
        ("host", "round.begin", {}),
        ("output", "phase", {"phase": "betting", "street": "flop"}),
        ("output", "level", {"level": {"level": 4}}),
        ("event", "device.state", {"ev": "device.state", "device": "shoe", "online": True}),
        RULING,
        ("output", "alarm", {"alarm": alarm()}),
        ("output", "lamp", "on"),
    ]
    fold = folded(*rows)
    fold.take(b"of a newer kind")
    kept = Fold.from_text(fold.to_text())
    assert vars(kept) == vars(fold)
    assert (kept.seq, kept.phase, kept.street, kept.level, kept.round) == (8, "betting", "flop", 4, 7)
    assert folded(*rows, ("host", "round.end", {})).round_since is None
    for text in ("{}", "[]", "no", '{"format": 99}', '{"format": 1}'):
        with pytest.raises(CustodyWireError):
            Fold.from_text(text)


def test_floord_goes_on_from_what_was_kept_and_catches_up(engine: Run, tmp_path: Path) -> None:
    async def work(floor: Engine) -> None:
        at = Floor(tmp_path)
        at.engine, at.book = floor, PitBook(floor, lambda: NOW)  # type: ignore[assignment]
        await at.table("7", ("output", "phase", {"phase": "betting"}))
        await at.book.keep()
        await at.table("7", RULING)
        await at.custody_alarm("7")
        later = PitBook(floor, lambda: NOW)
        await later.load()
        assert [one.waiting for one in later.news(PitSince("", 0)).tables] == [()]
        await later.catch_up()
        await later.look_at_alarms()
        [table] = later.news(PitSince("", 0)).tables
        assert (table.phase, [one.id for one in table.waiting], table.connected) == ("betting", [5], False)
        assert [(one.kind, one.words) for one in table.custody] == [("wire", "the table is not understood")]
        shown = table_as_json(table)
        assert {one["kind"] for one in shown["items"]} == {"ruling", "custody", "link"}
        await floor.keep_pits([(at.journals["7"].journal_id, 1, "no fold")])
        anew = PitBook(floor, lambda: NOW)
        await anew.load()
        await anew.catch_up()
        assert [one.id for one in anew.news(PitSince("", 0)).tables[0].waiting] == [5]
        await floor.add_access("page", "[]")

    engine(work)


def test_a_line_is_kept_once_enough_of_its_table_has_been_folded(tmp_path: Path) -> None:
    async def work() -> None:
        at = Floor(tmp_path)
        engine, phase = at.engine, ("output", "phase", {"phase": "betting"})
        await at.table("7", *[phase] * 4)
        await at.table("8", *[phase] * 5)
        eight = at.journals["8"].journal_id
        await at.book.keep(5)
        assert set(engine.kept_pits) == {eight}
        first = engine.kept_pits[eight]
        await at.table("8", *[phase] * 4)
        await at.book.keep(5)
        assert engine.kept_pits == {eight: first}
        await at.table("8", phase)
        await at.book.keep(5)
        assert Fold.from_text(engine.kept_pits[eight]).seq == 10

    asyncio.run(work())


def test_a_floor_that_was_put_back_is_folded_anew_and_another_journal_begins_one(tmp_path: Path) -> None:
    async def work() -> None:
        at = Floor(tmp_path)
        await at.table("7", RULING)
        book, journal = at.book, at.journals["7"].journal_id
        before = book.news(PitSince("", 0))
        assert book.news(PitSince(before.run, before.revision)).tables == ()
        book.said("7", Stand(0, bytes(32)), Beat(NOW, 1))
        [table] = book.news(PitSince(before.run, before.revision)).tables
        assert (table.waiting, table.lag) == ((), 1)
        book.came("7", bytes(16), Stand(0, bytes(32)))
        assert book.news(PitSince("", 0)).tables[0].lag is None
        book.went("nobody")
        book.said("nobody", Stand(0, bytes(32)), None)
        assert journal != bytes(16)

    asyncio.run(work())


def test_a_person_at_the_shell_decides_and_is_told(tmp_path: Path) -> None:
    file = tmp_path / "floor.toml"
    words = 'certificate = "c"\nkey = "k"\nauthority = "a"\ndatabase = "postgresql:///floor"\n'
    file.write_text(f'[floor]\n{words}socket = "pit"\n')

    def run(*command: str) -> tuple[int, str]:
        done = CliRunner().invoke(cli, ["floor", *command, "--config", str(file)])
        return done.exit_code, done.output

    async def work() -> None:
        at = Floor(tmp_path)
        jam = ("output", "alarm", {"alarm": alarm(kind="jam")})
        called = {**alarm(kind="floor_called", device=None), "seat": 3}
        states = [("output", "alarm", {"alarm": {**called, "state": state}}) for state in ("raised", "cleared")]
        await at.table("7", RULING, jam, *states, ("output", "alarm", {"alarm": alarm()}),
                       ("output", "alarm", {"alarm": alarm("acknowledged")}))  # fmt: skip
        async with listening(tmp_path / "pit", os.getuid(), PitReception(Pit(at.desk, at.book, at.engine), at.book)):
            code, told = await asyncio.to_thread(run, "acknowledge", "7")
            assert (code, told.count("Aborted"), at.obeyed) == (1, 1, []), "nobody said yes"
            shown, called_line = told.splitlines()[:2]
            assert shown.endswith("Jam: shoe")
            assert called_line.endswith("Floor called: seat 3, its cause is over")
            code, told = await asyncio.to_thread(run, "acknowledge", "7", "--yes", "--reason", "seen")
            assert (code, told.count("7: done, entry 9")) == (FINE, 2)
            seen = [(one["decision"]["alarm"], one["decision"]["seen"]) for one in at.obeyed]
            assert seen == [
                ("jam", {"until": 1.0, "cleared": False, "devices": ["shoe"], "deck": None}),
                ("floor_called", {"until": 1.0, "cleared": True, "devices": [], "deck": None}),
            ]
            none = await asyncio.to_thread(run, "acknowledge", "7", "--alarm", "jam", "--seat", "3")
            assert none == (PROBLEMS, "7: no such alarm waits to be acknowledged\n")
            code, told = await asyncio.to_thread(run, "acknowledge", "8", "--yes")
            assert (code != FINE, "8 is none of the tables that" in told) == (True, True)
            at.answers = lambda command: Answer(command.id, Result.REFUSED, 0, "no")
            assert await asyncio.to_thread(run, "decide", "7", "confirm", "--ruling", "5") == (
                PROBLEMS,
                "7: refused: no\n",
            )
            at.answers = lambda command: Answer(command.id, Result.NOT_KNOWN, 0, "no disk")
            code, told = await asyncio.to_thread(run, "decide", "7", "play_on")
            assert (code, told) == (3, "7: not known: no disk: its record will tell what became of it\n")
            door = PitDoor(tmp_path / "pit")
            async with running(door.run()), running(at.book.run()):
                await eventually(lambda: door.away is None)
                changed = asyncio.Event()
                door.on_changed(changed.set)
                await door.tell_access("page", ())
                await changed.wait()
                assert at.engine.access == [("page", "[]")]

    asyncio.run(work())
    file.write_text(f"[floor]\n{words}")
    code, told = run("acknowledge", "7")
    assert code != FINE
    assert "names no `socket`" in told


def test_what_an_older_floord_tells_no_moment_of_is_not_acknowledged_at_the_shell() -> None:
    with pytest.raises(FeltdError, match="at the table's own page"):
        list(_decisions([PitAlarm("jam", None, "shoe", None, NOW)], None))


def test_the_file_of_the_pit_page_is_read_and_its_accounts_are_made_with_it(tmp_path: Path) -> None:
    file = tmp_path / "pit.toml"
    file.write_text('[pit]\nname = "Pit 3"\nfloor = "pit"\nfolder = "own"\n')
    (tmp_path / "own").mkdir()
    settings = page_settings(pit_settings(file))
    assert (settings.name, settings.accounts) == ("Pit 3", tmp_path / "own" / "accounts.json")
    command = ["user", "add", "lea", "--role", "supervisor", "--password-stdin", "--config", str(file)]
    assert CliRunner().invoke(cli, command, input="correct horse battery staple\n").exit_code == FINE
    assert CliRunner().invoke(cli, ["user", "remove", "lea", "--config", str(file)]).exit_code == FINE
    file.write_text("[pit]\n")
    with pytest.raises(SettingsError, match="floor"):
        pit_settings(file)


def test_the_commands_that_the_sign_in_page_shows_work_as_they_stand(tmp_path: Path) -> None:
    (tmp_path / "the pit").mkdir()
    file = tmp_path / "the pit" / "pit.toml"
    file.write_text(f'[pit]\nfloor = "pit"\nfolder = "{tmp_path / "own"}"\n')
    (tmp_path / "own").mkdir()
    settings = replace(page_settings(pit_settings(file)), pit_file=file)

    async def shown() -> list[str]:
        """The commands of the sign-in page, one after the other."""
        pit = open_pit(settings, PitDoor(tmp_path / "pit"))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(pit.app), base_url="http://127.0.0.1") as visitor:
            text = (await visitor.get("/sign-in")).text
        assert "this server" in text
        assert "controller" not in text
        return [html.unescape(one) for one in re.findall(r"<(?:pre|code)>(feltd [^<]*)</", text)]

    def done(command: str) -> int:
        words = shlex.split(command.replace("NAME", "lea"))[1:]
        said = "correct horse battery staple\n" * 2
        return CliRunner().invoke(cli, words, input=said).exit_code

    add, password, factor = asyncio.run(shown())
    assert [done(one) for one in (add, password, factor)] == [FINE, FINE, FINE]
    assert len(asyncio.run(shown())) == 2, "once somebody can sign in, nothing is said of a first account"


@pytest.mark.parametrize(
    ("more", "keys_at"),
    [
        ("", None),
        ('address = "http://localhost:8090"', "http://localhost:8090"),
        ('address = "https://pit3.casino.example"', None),  # served without TLS, and nothing stands in front
    ],
)
def test_security_keys_work_where_the_file_says_that_browsers_trust_the_pit_page(
    tmp_path: Path, more: str, keys_at: str | None
) -> None:
    file = tmp_path / "pit.toml"
    file.write_text(f'[pit]\nfloor = "pit"\nfolder = "own"\n{more}\n')
    assert page_settings(pit_settings(file)).keys_at == keys_at


def test_the_roles_of_the_file_need_a_second_factor_at_the_pit_page(tmp_path: Path) -> None:
    file = tmp_path / "pit.toml"
    file.write_text('[pit]\nfloor = "pit"\nfolder = "own"\nsecond_factor = ["director", "supervisor"]\n')
    (tmp_path / "own").mkdir()
    settings = page_settings(pit_settings(file))

    async def work() -> None:
        pit = open_pit(settings, PitDoor(tmp_path / "pit"))
        lea, tom = Browser(pit, "lea", Role.DIRECTOR), Browser(pit, "tom", Role.SURVEILLANCE)
        me, other = [(await one.ask("GET", "/api/v1/session")).json() for one in (lea, tom)]
        assert (me["second_factor"], me["rights"]) == ("needed", ["see"])
        assert other["second_factor"] == "none"
        assert "export" in other["rights"]
        body = {"table": "1", "decision": "confirm", "ruling": 5, "reason": "seen"}
        refused = await lea.ask("POST", "/api/v1/decisions", body)
        assert (refused.status_code, "needs a second factor" in refused.text) == (403, True)

    asyncio.run(work())


def test_an_address_that_no_browser_takes_keys_at_is_a_fault_of_its_line(tmp_path: Path) -> None:
    file = tmp_path / "pit.toml"
    file.write_text('[pit]\nfloor = "pit"\nfolder = "own"\naddress = "https://10.30.0.5"\n')
    with pytest.raises(SettingsError, match=r"pit\.toml:4: .*no host name"):
        pit_settings(file)

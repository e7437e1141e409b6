"""The pit in its readers' languages: each browser has alarms, rulings and the floor's troubles in its own."""

import ast
import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import feltd.floor
from feltd.door.pit.sight import PitSight
from feltd.door.pit.state import PitAlarm, PitCustody, PitNews, PitRuling, PitShelved, PitSince, PitTable
from feltd.floor.custody import CLOCK_WORDS, DISK_WORDS, gap_words
from feltd.floor.engine import AlarmKind
from feltd.floor.pace import FLOOD_WORDS
from feltd.page.pit.band import band_of_pit, band_of_table
from feltd.page.pit.following import PitFollow
from feltd.page.pit.remedies import remedy
from feltd.page.pit.shown import floor_item, table_as_json
from feltd.text.catalogue import FOLDERS, catalogue, trouble
from feltd.text.language import Language, speaking
from tests.feltd.test_catalogues import pattern, places

OTHERS = tuple(FOLDERS)
RULING = PitRuling(
    5, "tas-2018-holdem", "9.1", "short_deck", "call_floor", "supervisor", "There are no rebuys.", 3, 100.0
)
CALLED = PitAlarm("floor_called", None, None, 2, 1.0)
OFFLINE = PitAlarm("device_offline", None, "shoe", None, 1.0)
JAM = PitAlarm("jam", None, "shoe", None, 50.0, escalated=True)
ALARMS = (
    JAM,
    PitAlarm("device_offline", None, "shoe", None, 60.0, over=True, acknowledged=True),
)


def table(name: str = "Table 1", **fields: Any) -> PitTable:
    known = {
        "connected": True, "heard": 1.0, "lag": 0, "forked": False, "phase": "betting", "street": "flop", "level": None,
        "round": 4, "round_since": 1.0, "devices": (), "alarms": ALARMS, "waiting": (RULING,),
    }  # fmt: skip
    return PitTable(name, **{**known, **fields})


def items(one: PitTable, language: Language) -> dict[str, dict[str, Any]]:
    with speaking(language):
        return {item["key"]: item for item in table_as_json(one)["items"]}


def test_alarms_rulings_and_what_is_due_are_in_the_readers_language() -> None:
    english, german = items(table(), Language.ENGLISH), items(table(), Language.GERMAN)
    assert english.keys() == german.keys(), "the keyboard stays at an item whatever language it is in"
    jam = next(key for key in german if "jam" in key)
    assert english[jam]["action"].startswith("Stop dealing")
    assert german[jam]["action"].startswith("Nicht weiter geben")
    assert (english[jam]["name"], german[jam]["name"]) == ("Jam", "Kartenstau")
    away = next(key for key in german if "device_offline" in key)
    assert german[away]["many"].startswith("{} Geräte offline")
    assert (german[away]["over"], german[away]["acknowledged"], german[jam]["escalated"]) == (True, True, True)
    [ruling], [told] = german["ruling 5"]["rulings"], english["ruling 5"]["rulings"]
    assert ruling["due"].endswith("Es gibt keine Rebuys. [There are no rebuys.]")
    assert "Platz 3" in german["ruling 5"]["text"]
    assert told["waits"] == "waits for the supervisor"
    same = ("id", "rule", "text", "rulebook")
    assert [ruling[name] for name in same] == [told[name] for name in same], "what is decided on is the same"


def test_a_ruling_and_its_alarm_are_one_item() -> None:
    alarm = PitAlarm("short_deck", None, None, 3, 100.0)
    [item] = items(table(alarms=(alarm,)), Language.ENGLISH).values()
    assert (item["kind"], [one["id"] for one in item["rulings"]]) == ("alarm", [5])


def bands(*tables: PitTable, language: Language = Language.ENGLISH, wrong: tuple[str, ...] = ()) -> tuple[str, str]:
    with speaking(language):
        band = band_of_pit([(one.name, band_of_table(one)) for one in tables], wrong)
    return band.level.value, band.words


def test_the_band_is_that_of_the_gravest_table_with_how_many() -> None:
    quiet = table("T1", alarms=(), waiting=())
    waits = table("T2", alarms=())
    stopped = table("T3", locked=True)
    assert bands() == ("normal", "No table yet")
    assert bands(quiet, quiet) == ("normal", "Nothing waits at 2 tables")
    assert bands(quiet) == ("normal", "Nothing waits at the one table")
    assert bands(quiet, waits) == (
        "decide",
        "1 of 2 tables wait for a person: T2 (Supervisor decides: The deck is short)",
    )
    assert bands(stopped, waits, quiet) == ("stopped", "1 of 3 tables stopped: T3 (Jam: shoe); 1 wait for a person")
    assert bands(stopped, language=Language.GERMAN) == (
        "stopped", "1 von 1 Tischen angehalten: T3 (Kartenstau: Schlitten)",
    )  # fmt: skip
    many = [table(f"T{number}", locked=True) for number in range(9)]
    assert bands(*many)[1].endswith("T2 (Jam: shoe) and 6 more")
    assert bands(quiet, wrong=("database: gone",))[0] == "decide"


@pytest.mark.parametrize(
    ("fields", "level", "words"),
    [
        ({"alarms": (), "waiting": (), "testing": True, "locked": True}, "stopped", "Test mode"),
        ({"alarms": (), "waiting": (), "box": "missing", "locked": True}, "stopped", "The drop box is missing"),
        ({"alarms": (), "waiting": (), "locked": True}, "stopped", "The gate of the shoe is locked"),
        ({"alarms": (), "waiting": (), "locked": True, "phase": "closed", "street": None}, "normal", "Table closed"),
        ({"alarms": (), "waiting": (), "connected": False}, "decide", "no connection"),
        ({"alarms": (), "locked": True}, "decide", "Supervisor decides: The deck is short"),
        ({"alarms": (CALLED,), "waiting": ()}, "decide", "Floor called: seat 2, not acknowledged"),
        ({"alarms": (), "waiting": (), "more_alarms": 1}, "decide", "1 alarm not acknowledged"),
        ({"alarms": (OFFLINE,) * 2, "locked": True}, "stopped", "2 devices offline"),
        ({"alarms": (OFFLINE,), "locked": True}, "stopped", "Device offline: shoe"),
        ({"alarms": (replace(JAM, over=True),), "waiting": (), "locked": True}, "stopped", "Jam: shoe"),
        ({"alarms": (replace(JAM, over=True, acknowledged=True),), "waiting": ()}, "normal", "Betting, flop"),
        ({"alarms": (replace(OFFLINE, over=True),), "waiting": ()}, "decide", "Device offline: shoe, not acknowledged"),
    ],
)  # fmt: skip
def test_a_table_has_the_level_that_its_own_page_would_have(fields: dict[str, Any], level: str, words: str) -> None:
    band = band_of_table(table(**fields))
    assert (band.level.value, band.words) == (level, words)


def test_each_line_says_what_to_do_where_and_why_it_has_no_button() -> None:
    gone = table(connected=False, alarms=(), waiting=(), wrong=(f"clock: {CLOCK_WORDS}",))
    for language, end in ((Language.ENGLISH, "nobody can acknowledge it."), (Language.GERMAN, "lässt sie sich nicht.")):
        with speaking(language):
            lines = [*items(gone, language).values(), floor_item("database: gone")]
            assert len({line["action"] for line in lines}) == 3
            assert all(line["action"].endswith(end) for line in lines)
    assert {kind.value for kind in AlarmKind if not remedy(kind.value)} == set()
    told = PitCustody(3, "heads", "a head", 1, 1.0, 1.0, "open")
    [custody] = items(table(alarms=(), waiting=(), custody=(told,)), Language.ENGLISH).values()
    assert custody["action"].startswith("Find out who writes")


def test_an_alarm_of_a_ruling_says_to_decide_where_the_buttons_are() -> None:
    exposed = PitAlarm("short_deck", None, None, 3, 1.0)
    [decided], [alone] = (items(table(alarms=(exposed,), waiting=one), Language.ENGLISH) for one in ((RULING,), ()))
    assert items(table(alarms=(exposed,)), Language.ENGLISH)[decided]["action"].startswith("Decide here")
    without = items(table(alarms=(exposed,), waiting=()), Language.ENGLISH)[alone]["action"]
    assert without == "No ruling on it waits here: look at the rulings on Table 1's own page."
    [offline] = items(table(alarms=(OFFLINE,), waiting=()), Language.ENGLISH).values()
    assert offline["action"].endswith("Table 1's own page has its devices.")


def test_what_is_shelved_is_told_in_the_readers_language() -> None:
    one = table(shelved=(PitShelved("seat_idle", None, None, 3, "Anna", 1800.0, None, 3, True),))
    with speaking(Language.GERMAN):
        [told] = table_as_json(one)["shelved"]
    assert (told["text"], told["by"], told["until"]) == ("Platz ungenutzt: Platz 3", "Anna", 1800.0)
    assert told["ends"] == {"decision": "unshelve", "alarm": "seat_idle", "device": None, "seat": 3}
    unknown = table(shelved=(PitShelved("seat_idle", None, None, 3, None, None),))
    assert table_as_json(unknown)["shelved"][0]["ends"] is None


def test_a_table_that_is_away_and_custody_are_too() -> None:
    gone = table(connected=False, alarms=(), waiting=(), wrong=(f"clock: {CLOCK_WORDS}", f"gap: {gap_words(90, 70)}"))
    told = [item["text"] for item in items(gone, Language.GERMAN).values()]
    assert told[0].startswith("Uhr: die Uhr des Tisches")
    assert "bis Eintrag 90 und endete bei Eintrag 70: 20 Einträge fehlten" in told[1]
    assert told[2].startswith("keine Verbindung zum Floor")


TROUBLES = (
    f"flood: {FLOOD_WORDS}",
    f"disk: {DISK_WORDS}",
    "disk: it is full to 83%. Make room, or give it a larger one: once it is full nothing is taken in, and tables keep "
    "their rows meanwhile",
    "put back: the table's journal ends at entry 7, the floor has it up to entry 9. Find out which card was copied or "
    "put back, and begin a new journal at the table; the floor keeps both histories",
    "code: somebody wanted to enrol a table: this code's time is over (table Pit 2/7). If it was nobody of yours, find "
    "out who",
    "tournament: table.seat is refused: there is no seat 12: 1 to 10",
)


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("words", TROUBLES)
def test_a_trouble_has_its_words_and_keeps_what_was_filled_in(words: str, language: Language) -> None:
    with speaking(language):
        said = trouble(words)
    assert said != words
    assert re.findall(r"\d+", said) == re.findall(r"\d+", words)
    english = re.findall(r"\b(the|is|of|and)\b", said)
    assert english == [], said


def test_a_trouble_that_no_catalogue_has_is_told_as_it_was_written() -> None:
    with speaking(Language.GERMAN):
        assert trouble("something: nobody wrote this") == "something: nobody wrote this"
        assert trouble("fork: nobody wrote this") == "Zwei Verläufe: nobody wrote this"
        assert floor_item("database: gone")["text"] == "Datenbank: gone"
    assert trouble(f"clock: {CLOCK_WORDS}") == f"clock: {CLOCK_WORDS}"


@pytest.mark.parametrize("language", OTHERS)
def test_each_kind_of_custodys_alarms_has_its_word(language: Language) -> None:
    known = catalogue(language, "troubles")
    of_floord = {"tournament", "database", "server", "standby", "old primary", "draws", "groups", "books"}
    assert {kind.value for kind in AlarmKind} | of_floord == set(known["kinds"])
    for english, said in known["texts"].items():
        assert places(said) == {str(number) for number in range(english.count("{}"))}, english


def alarms_in_the_program() -> Iterator[tuple[str, str]]:
    """The words of each alarm that floord raises, as far as they stand where it is made, and their place."""
    for file in sorted(Path(feltd.floor.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "WrongHeadError":
                words = pattern(node.args[0])
                if words is not None:
                    yield f"{file.name}:{node.lineno}", words


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_wrong_with_a_signed_head_has_its_words(language: Language) -> None:
    found = [words for _, words in alarms_in_the_program()]
    assert found
    assert [words for words in found if words not in catalogue(language, "troubles")["texts"]] == []


class OneTable:
    """A floor with one table."""

    away = None

    def __init__(self) -> None:
        self.table = table()
        self.revision = 1
        self.asked = 0

    async def sight(self, account: str) -> PitSight:
        return PitSight("")

    async def news(self, since: PitSince) -> PitNews:
        self.asked += 1
        changed = since.revision < self.revision
        return PitNews("run", self.revision, 1.0, not since.run, (self.table,) if changed else (), ("database: gone",))


def test_two_browsers_have_the_stream_each_in_its_own_language() -> None:
    async def scene() -> None:
        floor = OneTable()
        follow = PitFollow(floor)
        with speaking(Language.GERMAN):
            german = follow.admit("lea")
        english = follow.admit("max")

        async def told(stream: Any) -> dict[str, Any]:
            return json.loads((await anext(stream)).partition("data: ")[2])  # type: ignore[no-any-return]

        for stream, phase, wrong in ((german, "Setzrunde", "Datenbank: gone"), (english, "Betting", "database: gone")):
            first = await told(stream)
            assert first["whole"]
            assert first["tables"][0]["phase"].startswith(phase)
            assert first["wrong"][0]["text"] == wrong
        floor.table, floor.revision = table(phase="dealing", street=None), 2
        follow.changed()
        later = await told(german), await told(english)
        assert [len(one["tables"]) for one in later] == [1, 1]
        assert later[0]["tables"][0]["phase"] != later[1]["tables"][0]["phase"]
        assert floor.asked == 2, "floord is asked once for all"
        await german.aclose()
        await english.aclose()

    asyncio.run(scene())

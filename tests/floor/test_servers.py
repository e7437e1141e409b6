"""What an address of several servers means, what is remembered of promotions, what is told of standbys."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltd.custody.errors import CustodyError, FloorAwayError
from feltd.floor.promoting import words_of
from feltd.floor.servers import Found, History, Memory, Servers, Standby, each_server, trouble_of
from feltd.text.catalogue import trouble
from feltd.text.language import Language, speaking
from tests.floor.postgres_support import Server


@pytest.mark.parametrize(
    ("address", "each"),
    [
        ("postgresql:///floor", ["postgresql:///floor"]),
        ("postgresql://u:p@db1:1/floor?sslmode=require", ["postgresql://u:p@db1:1/floor?sslmode=require"]),
        (
            "postgresql://u@db1,db2:5433/floor?sslmode=require&target_session_attrs=read-write",
            ["postgresql://u@db1/floor?sslmode=require", "postgresql://u@db2:5433/floor?sslmode=require"],
        ),
        (
            "postgresql://u@/floor?host=/a,/b&port=1,2",
            ["postgresql://u@/floor?host=/a&port=1", "postgresql://u@/floor?host=/b&port=2"],
        ),
        ("postgresql:///x?host=a,b&port=7", ["postgresql:///x?host=a&port=7", "postgresql:///x?host=b&port=7"]),
    ],
)
def test_an_address_of_several_servers_is_one_for_each(address: str, each: list[str]) -> None:
    assert list(each_server(address)) == each


def quoted(value: str) -> str:
    """As PostgreSQL's programs write it."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


@given(st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.text(max_size=12), max_size=5))
def test_postgresqls_words_of_a_connection_are_read_as_they_were_written(words: dict[str, str]) -> None:
    assert words_of(" ".join(f"{key}={quoted(value)}" for key, value in words.items())) == list(words.items())


def test_words_without_quotes_are_read_too_and_what_is_cut_off_ends_them() -> None:
    assert words_of("user=x host=10.0.0.5  port=5433 pass='a b'") == [
        ("user", "x"), ("host", "10.0.0.5"), ("port", "5433"), ("pass", "a b"),
    ]  # fmt: skip
    assert words_of("") == words_of("nothing") == []
    assert words_of("a='b") == [("a", "b")]


def test_an_older_history_is_written_to_no_more_also_after_a_start(tmp_path: Path) -> None:
    file = tmp_path / "promotion.json"
    memory = Memory(file)
    assert memory.take(History("1", 2))
    assert memory.take(History("1", 3))
    assert not memory.take(History("1", 2))
    again = Memory(file)
    assert not again.take(History("1", 2))
    assert again.take(History("1", 3))
    assert again.take(History("2", 1)), "another database: this one was put back from a backup"


@pytest.mark.parametrize("content", ["{}", "x", '{"system": "1", "timeline": "many"}'])
def test_a_file_that_is_not_what_was_written_is_told(tmp_path: Path, content: str) -> None:
    (tmp_path / "file").write_text(content)
    with pytest.raises(CustodyError, match="cannot be read"):
        Memory(tmp_path / "file")


def test_what_cannot_be_remembered_is_told(tmp_path: Path) -> None:
    with pytest.raises(CustodyError, match="`promotions`"):
        Memory(tmp_path / "none" / "file").take(History("1", 1))


def primary(timeline: int = 2, waits_for: str = "", *standbys: Standby) -> Found:
    return Found("db1", History("1", timeline), standby=False, waits_for=waits_for, standbys=standbys)


AWAY = Standby("db2", connected=False, synchronous=False, behind=None)
THERE = Standby("db2", connected=True, synchronous=True, behind=0)
NEWEST = History("1", 2)


@pytest.mark.parametrize(
    ("found", "several", "words"),
    [
        (primary(), False, None),
        (primary(2, "", THERE), True, None),
        (primary(2, "db2", THERE), True, None),
        (primary(), True, "one disk alone"),
        (primary(2, "", AWAY), False, "one disk alone"),
        (primary(2, "db2", AWAY), False, "nothing is acknowledged"),
        (primary(1), True, "old primary: db1"),
        (Found("db1", NEWEST, standby=True, waits_for=""), True, None),
    ],
)
def test_what_is_wrong_behind_the_primary_is_told_in_each_language(
    found: Found, several: bool, words: str | None
) -> None:
    told = list(trouble_of((found,), NEWEST, several=several))
    assert len(told) == (words is not None)
    for line in told:
        assert words is not None
        assert words in line
        with speaking(Language.GERMAN):
            assert trouble(line) != line
            assert "See that" not in trouble(line)


def test_servers_of_two_databases_are_no_pair_and_nobody_is_one_that_is_away(postgres: Server, tmp_path: Path) -> None:
    async def work() -> None:
        away = Servers(f"postgresql://floord@/postgres?host={tmp_path},{tmp_path}")
        with pytest.raises(FloorAwayError, match=r"no server of the database can be written to: .*; "):
            await away.connect()
        one = Servers(postgres.address("floord").replace(str(postgres.folder), f"{tmp_path},{postgres.folder}"))
        connection = await one.connect()
        assert await connection.fetchval("SELECT floor.edition_number()") > 0
        await connection.close()
        await one.look()
        assert len(one.found) == len(one.away) == 1
        assert any("one disk alone" in words for words in one.trouble)
        assert not any("server: " in words for words in one.trouble), "of two the one that is away is the standby"

    asyncio.run(work())


def test_of_three_servers_each_that_is_away_is_told_while_the_others_go_on(postgres: Server, tmp_path: Path) -> None:
    async def work() -> None:
        hosts = f"{tmp_path},{postgres.folder},{tmp_path}"
        three = Servers(postgres.address("floord").replace(str(postgres.folder), hosts))
        assert list(three.trouble) == [], "nobody has looked"
        await three.look()
        told = [words for words in three.trouble if words.startswith("server: ")]
        assert len(told) == 2
        with speaking(Language.GERMAN):
            for words in told:
                assert trouble(words).endswith("prüfen, ob er läuft und auf seiner Platte Platz ist")
                assert trouble(words).startswith("Server: ")
        none = Servers(postgres.address("floord").replace(str(postgres.folder), f"{tmp_path},{tmp_path},{tmp_path}"))
        await none.look()
        assert list(none.trouble) == [], "that none can be written to is told already"

    asyncio.run(work())

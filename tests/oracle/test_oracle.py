"""No size, count, number or refusal that anybody sees hangs on a hidden card, whatever is written where."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from feltd.page.access.roles import Role
from feltd.record.unseal_keys import PrivateKey
from feltd.table.keeper.broadcast import BroadcastTo
from table_fsm.events import CardTurned, HandShown
from tests.feltd.table_support import HOLDEM, UTH
from tests.oracle.asking import Findings, Judge, ask_everything, read, texts_about, write
from tests.oracle.old_sealing import counted_in_clear, published_whole, refused_by_content, sealed_by_content
from tests.oracle.queries import queries
from tests.oracle.readable import STREAMS, addresses, record_file
from tests.oracle.worlds import Moment, Quiet, World, moments, worlds
from tests.oracle.writable import Field, UnknownFieldError, requests, text_fields

SEED = 5
TV = PrivateKey(bytes(range(50, 82)))
DELAY = 15
"""Minutes."""
SEED_AFTER = 1
"""Of games whose last round leaves cards face down."""
NEVER_TAKEN = {
    Field("POST /session", "body", "name"),
    Field("POST /session", "body", "password"),
    Field("POST /session", "body", "new"),
    Field("POST /account/password", "body", "old"),
    Field("POST /account/password", "body", "new"),
    Field("POST /account/second-factor", "body", "password"),
    Field("POST /account/second-factor/removal", "body", "password"),
    Field("POST /account/keys/wanted", "body", "password"),
    Field("POST /account/keys/{id}/removal", "body", "password"),
    Field("POST /account/tokens", "body", "password"),
    Field("POST /account/tokens", "body", "words"),
    Field("POST /together/{number}/approval", "body", "password"),
    Field("POST /broadcast", "body", "password"),
    Field("POST /packs/work", "body", "name"),
    Field("POST /packs/work", "body", "back"),
    Field("POST /packs/work", "body", "password"),
    Field("POST /packs/state", "body", "name"),
    Field("POST /packs/state", "body", "password"),
    Field("POST /packs/swap", "body", "name"),
    Field("POST /packs/swap", "body", "password"),
}
"""Texts that no answer takes: there is no such account, and no such password. They are in no record."""


def moment_of(book: str) -> Moment:
    found = moments(book, SEED)
    return found[len(found) // 2]


def texts_of(moment: Moment) -> list[str]:
    """Texts about cards that are hidden at one table and not at the other."""
    one, other = set(moment.hidden), set(moment.hidden_elsewhere(SEED))
    assert one != other
    return list(texts_about(sorted(one - other)[:2], sorted(other - one)[:2]))


async def asked(folder: Path, moment: Moment) -> Findings:
    findings = Findings()
    with Quiet(), worlds(folder, moment, SEED) as make:
        await ask_everything(make, texts_of(moment), findings, turns=2)
    return findings


@pytest.mark.slow
@pytest.mark.parametrize("book", [HOLDEM, UTH])
def test_nothing_that_anybody_reads_hangs_on_a_hidden_card(tmp_path: Path, book: str) -> None:
    findings = asyncio.run(asked(tmp_path, moment_of(book)))
    assert findings.leaks == [], str(findings)
    assert findings.failures == 0
    assert findings.values > 100_000
    assert findings.offered - findings.taken == NEVER_TAKEN  # a text was got into every field that takes any


async def read_where_readers_know_no_side(folder: Path, *, over: bool) -> Findings:
    """What everybody reads at a table whose dealer keys each hand that lies open."""
    findings = Findings()
    found = moments(HOLDEM, SEED_AFTER if over else SEED, over=over, faces=False)
    moment = found[-1] if over else found[len(found) // 2]
    assert not any(isinstance(event, CardTurned) for event in moment.events)
    assert over or not any(isinstance(event, HandShown) for event in moment.events[moment.shuffled :])
    with Quiet(), worlds(folder, moment, SEED) as make:
        tables = make()
        await tables.settled()
        await read(tables, findings)
    return findings


@pytest.mark.slow
@pytest.mark.parametrize("over", [False, True])
def test_where_readers_know_no_side_nothing_that_anybody_reads_hangs_on_a_hidden_card(
    tmp_path: Path, over: bool
) -> None:
    findings = asyncio.run(read_where_readers_know_no_side(tmp_path, over=over))
    assert findings.leaks == [], str(findings)
    assert findings.failures == 0
    assert findings.values > 10_000


@pytest.mark.slow
@pytest.mark.parametrize("how", [sealed_by_content, refused_by_content], ids=lambda how: how.__name__)
def test_the_program_finds_what_hangs_on_a_hidden_card(
    tmp_path: Path, how: Callable[[], AbstractContextManager[None]]
) -> None:
    moment = moment_of(HOLDEM)

    async def one_request() -> Findings:
        findings = Findings()
        with Quiet(), how(), worlds(tmp_path, moment, SEED) as make:
            tables = make()
            mine = {"decision": "acknowledge", "reason": "query"}
            bodies = [mine, {**mine, "signature": "badge"}]
            [alone, badge] = [one for one in requests(tables.each[0].spec) if one.body in bodies]
            for text in texts_of(moment):
                await write(tables, badge, text, Role.OBSERVER, findings)
                await write(tables, alone, text, Role.SUPERVISOR, findings)
            await read(tables, findings, (Role.OBSERVER, Role.SUPERVISOR))
        return findings

    findings = asyncio.run(one_request())
    places = {(leak.role, leak.address) for leak in findings.leaks}
    if how is sealed_by_content:
        assert (Role.SUPERVISOR, "/api/v1/export") not in places, "it ends before the open round"
        assert (Role.OBSERVER, "/api/v1/rounds/2/steps?most=500") in places
        assert (None, "the file of the record") in places
    else:
        assert (Role.OBSERVER, "POST /api/v1/decisions") in places


async def read_after_the_round(folder: Path, book: str) -> Findings:
    """What everybody reads after a round with cards that it did not show."""
    findings = Findings()
    moment = moments(book, SEED_AFTER, over=True)[-1]
    with Quiet(), worlds(folder, moment, SEED) as make:
        tables = make()
        assert not tables.in_play
        await tables.settled()
        await read(tables, findings)
    return findings


@pytest.mark.slow
@pytest.mark.parametrize("book", [HOLDEM, UTH])
def test_nothing_that_anybody_reads_after_a_round_hangs_on_a_card_that_it_did_not_show(
    tmp_path: Path, book: str
) -> None:
    findings = asyncio.run(read_after_the_round(tmp_path, book))
    assert findings.leaks == [], str(findings)
    assert findings.failures == 0
    assert findings.values > 10_000


@pytest.mark.slow
@pytest.mark.parametrize("how", [published_whole, counted_in_clear], ids=lambda how: how.__name__)
def test_the_program_finds_what_a_round_tells_of_cards_that_it_did_not_show(
    tmp_path: Path, how: Callable[[], AbstractContextManager[None]]
) -> None:
    with how():
        findings = asyncio.run(read_after_the_round(tmp_path, HOLDEM))
    places = {(leak.role, leak.address) for leak in findings.leaks}
    assert (None, "the file of the record") in places
    if how is published_whole:
        assert (Role.SURVEILLANCE, "/api/v1/rounds/2/steps?most=500") in places
        assert (Role.SUPERVISOR, "/api/v1/export") in places


async def read_with_a_broadcast_on(folder: Path, book: str, *, after: float) -> Findings:
    """What everybody reads so many seconds after a round, where cards go to a broadcast; its key's holder too."""
    findings = Findings()
    moment = moments(book, SEED_AFTER, over=True)[-1]
    with Quiet(), worlds(folder, moment, SEED, BroadcastTo(TV.public, DELAY)) as make:
        tables = make()
        assert not tables.in_play
        for world in tables.each:
            world.page.door.broadcasting.beat()  # the round is over: it is held back from now on
            world.wait(after)
        await tables.settled()
        await read(tables, findings)
        holder = [record_file(world, TV) for world in tables.each]
        Judge(findings).compare(None, "the record, by the broadcast's private half", holder)
    return findings


@pytest.mark.slow
@pytest.mark.parametrize("book", [HOLDEM, UTH])
def test_with_a_broadcast_on_nobody_reads_a_card_before_its_delay_nor_does_who_holds_the_key(
    tmp_path: Path, book: str
) -> None:
    findings = asyncio.run(read_with_a_broadcast_on(tmp_path, book, after=60.0 * DELAY - 1.0))
    assert findings.leaks == [], str(findings)
    assert findings.failures == 0
    assert findings.values > 10_000


@pytest.mark.slow
def test_after_the_delay_who_holds_the_key_reads_them_and_nobody_else_does(tmp_path: Path) -> None:
    findings = asyncio.run(read_with_a_broadcast_on(tmp_path, HOLDEM, after=60.0 * DELAY))
    assert {leak.address for leak in findings.leaks} == {"the record, by the broadcast's private half"}


def test_the_other_table_has_other_hidden_cards_and_the_same_course() -> None:
    moment = moment_of(HOLDEM)
    others = moment.with_other_cards(SEED)
    assert len(others) == len(moment.events)
    assert [type(event) for event in others] == [type(event) for event in moment.events]
    read_down = [
        (getattr(mine, "card", None), getattr(other, "card", None))
        for mine, other in zip(moment.events[moment.shuffled :], others[moment.shuffled :], strict=True)
        if getattr(mine, "card", None) in moment.hidden
    ]
    assert len(read_down) >= len(moment.hidden)
    assert all(mine != other for mine, other in read_down)


def test_a_field_that_the_program_cannot_fill_is_told(tmp_path: Path) -> None:
    async def described() -> World:
        return World(tmp_path, ())

    world = asyncio.run(described())
    spec = world.spec
    world.page.close()
    fields = {str(field) for field in text_fields(spec)}
    assert "POST /decisions: body reason" in fields
    strange = {"type": "string", "pattern": "^[A-Z]{7}$"}
    operation = {
        "requestBody": {"content": {"application/json": {"schema": {"properties": {"odd": strange}, "type": "object"}}}}
    }
    with pytest.raises(UnknownFieldError, match=r"POST /new: odd"):
        list(requests({"paths": {"/new": {"post": operation}}}))
    with pytest.raises(UnknownFieldError, match=r"/new/\{thing\}: what is thing"):
        list(requests({"paths": {"/new/{thing}": {"post": {}}}}))


def test_every_parameter_of_every_address_is_asked(tmp_path: Path) -> None:
    async def scene() -> tuple[set[tuple[str, str]], set[str]]:
        world = World(tmp_path, moment_of(HOLDEM).events)
        described = {
            (f"/api/v1{path}".partition("{")[0], parameter["name"])
            for path, operations in world.spec["paths"].items()
            for parameter in operations.get("get", {}).get("parameters", ())
            if parameter["in"] != "path" and f"/api/v1{path}" not in STREAMS
        }
        asked = set(addresses(world))
        world.page.close()
        return described, asked

    described, asked = asyncio.run(scene())
    assert len(described) > 40
    for begin, name in described:
        assert any(one.startswith(begin) and (f"?{name}=" in one or f"&{name}=" in one) for one in asked), (begin, name)
    assert {"/api/v1/rounds?result=misdeal", "/api/v1/alarms?stands=true", "/api/v1/trends?span=day"} <= asked
    assert "/api/v1/tournament/payouts?players=2&pool=0" in asked


@pytest.mark.parametrize(
    "parameter",
    [
        {"in": "query", "name": "new", "schema": {"type": "string"}},
        {"in": "query", "name": "dealer", "schema": {"type": "string", "pattern": "^new$"}},
        {"in": "query", "name": "new", "schema": {"type": "integer"}},
        {"in": "header", "name": "New", "schema": {"type": "boolean"}},
    ],
)
def test_a_parameter_that_the_program_cannot_fill_is_named(parameter: dict[str, object]) -> None:
    with pytest.raises(UnknownFieldError, match=f"GET /new: {parameter['in']} parameter {parameter['name']}"):
        list(queries("GET /new", {"parameters": [parameter]}, {}, ()))

"""Tables that come in by a code, renew by themselves, and are shut."""

import asyncio
import base64
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from feltd.cli.exits import FINE, PROBLEMS
from feltd.custody.certificates import Own, context_of_floor, context_of_new_table, context_of_table, require_valid
from feltd.custody.errors import CertificateWrongError, CustodyError, CustodyRefusedError, FloorAwayError
from feltd.custody.messages import (
    FROM_FLOOR,
    SUBPROTOCOL,
    VERSION,
    Certified,
    Enrol,
    Hello,
    Refused,
    Renew,
    Stand,
    from_bytes,
    to_bytes,
)
from feltd.custody.settings import SettingsError, floor_settings
from feltd.door.pit.state import PitSince
from feltd.floor.authority import make_authority, make_certificate
from feltd.floor.engine import AlarmKind, Engine, Given, Redeemed
from feltd.floor.enrolment import WRONG_A_MINUTE, Registrar, digest_of, new_code
from feltd.floor.issuing import ISSUER, LASTS, Issuer
from feltd.floor.memory import MemoryEngine
from feltd.floor.pit_book import PitBook
from feltd.floor.serving import receiving
from feltd.page.pit.shown import table_as_json
from feltd.uplink.calling import Uplink
from feltd.uplink.enrolling import Renewal, enrol
from tests.feltd.door_support import apart
from tests.floor.conftest import emptied
from tests.floor.postgres_support import Server
from tests.floor.test_commands import FLOOR, UPLINK, process, run
from tests.floor.tls_support import HOST, casino, own
from tests.ports import free_port
from tests.running import eventually, running

NOW = 1_700_000_000.0
DAY = 86_400.0
Work = Callable[[Callable[[Engine], Coroutine[Any, Any, None]]], None]


def floor_folder(tmp_path: Path) -> Path:
    """A casino with the floor's own issuer."""
    folder = casino(tmp_path / "casino")
    make_authority(folder, ISSUER)
    return folder


def issuer_of(folder: Path) -> Issuer:
    return Issuer.load(folder / "tables.pem", folder / "tables.key")


@asynccontextmanager
async def enrolling_floor(engine: Engine, folder: Path, registrar: Registrar | None) -> AsyncIterator[str]:
    """A floor that enrols tables, and its address."""
    context = context_of_floor(own(folder, "floor"), folder / "tables.pem")
    async with receiving(engine, HOST, 0, context, registrar=registrar) as server:
        yield f"wss://{HOST}:{server.sockets[0].getsockname()[1]}"


def table_files(folder: Path, tmp_path: Path) -> Own:
    """Where a table that has nothing yet keeps its files."""
    place = tmp_path / "table"
    place.mkdir(exist_ok=True)
    return Own(place / "table.pem", place / "table.key", folder / "authority.pem")


def request_of(key: Any) -> str:
    """A signing request."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a table")])
    made = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    return base64.b64encode(made.public_bytes(Encoding.DER)).decode()


def test_a_code_is_read_however_it_is_typed_and_no_two_are_the_same() -> None:
    codes = {new_code() for _ in range(200)}
    assert len(codes) == 200
    assert digest_of("abo1l-23456") == digest_of(" AB011 23456")
    assert digest_of("AB011-23456") != digest_of("AB011-23457")


def test_a_table_enrols_calls_renews_and_calls_again(tmp_path: Path) -> None:
    folder = floor_folder(tmp_path)
    files = table_files(folder, tmp_path)

    async def work() -> None:
        engine, clock = MemoryEngine(lambda: NOW), [NOW]
        clock[0] = time.time() - 25 * DAY  # so that the certificate has five days left now
        registrar = Registrar(engine, issuer_of(folder), lambda: clock[0])
        code = new_code()
        await engine.add_code(digest_of(code), "table-7", clock[0] + 600, "ada")
        async with enrolling_floor(engine, folder, registrar) as floor, apart(tmp_path) as at:
            assert await enrol(files, [floor], code.lower()) == "table-7"
            assert files.key.stat().st_mode & 0o777 == 0o600
            assert not files.key.with_name("table.key.new").exists()
            first = files.certificate.read_bytes()
            clock[0] += 25 * DAY
            context = context_of_table(files)
            uplink = Uplink(at.place, [floor], context, "a test", renewal=Renewal(files, context))
            async with running(uplink.run()):
                await eventually(lambda: len(engine.given) == 2)
                await eventually(lambda: files.certificate.read_bytes() != first)
            assert [given.how for given in engine.given] == ["enrolled by a code", "renewed"]
            assert engine.given[0].key == engine.given[1].key
            assert engine.given[1].ends - engine.given[0].ends == 25 * DAY
            async with running(Uplink(at.place, [floor], context, "a test").run()):
                await eventually(lambda: engine.journals != {})
            assert engine.kept_alarms == []
            assert await engine.certificates() == [engine.given[1]]

    asyncio.run(work())


def test_a_code_is_one_keys_and_may_be_asked_again_by_it(tmp_path: Path) -> None:
    issuer = issuer_of(floor_folder(tmp_path))

    async def work() -> None:
        engine, clock = MemoryEngine(lambda: NOW), [NOW]
        registrar = Registrar(engine, issuer, lambda: clock[0])
        await engine.add_code(digest_of("AAAAA-AAAAA"), "7", NOW + 600, "ada")
        mine, theirs = (request_of(ec.generate_private_key(ec.SECP256R1())) for _ in range(2))
        for _ in range(2):
            await registrar.enrol(Enrol(VERSION, "AAAAA-AAAAA", mine))
        with pytest.raises(CustodyRefusedError, match="used already, for another key"):
            await registrar.enrol(Enrol(VERSION, "AAAAA-AAAAA", theirs))
        clock[0] += 601
        with pytest.raises(CustodyRefusedError, match="time is over"):
            await registrar.enrol(Enrol(VERSION, "AAAAA-AAAAA", mine))
        await engine.add_code(digest_of("BBBBB-BBBBB"), "7", NOW + 6000, "ada")
        await engine.set_shut("7", shut=True, who="ada", why="")
        with pytest.raises(CustodyRefusedError, match="this table is shut"):
            await registrar.enrol(Enrol(VERSION, "BBBBB-BBBBB", mine))
        told = [(alarm.table, alarm.kind, alarm.times) for alarm in engine.kept_alarms]
        assert told == [("7", AlarmKind.CODE, 2)]

    asyncio.run(work())


def test_wrong_codes_are_counted_and_after_ten_none_is_looked_at(tmp_path: Path) -> None:
    issuer = issuer_of(floor_folder(tmp_path))

    async def work() -> None:
        engine, clock = MemoryEngine(lambda: NOW), [NOW]
        registrar = Registrar(engine, issuer, lambda: clock[0])
        await engine.add_code(digest_of("AAAAA-AAAAA"), "7", NOW + 600, "ada")
        request = request_of(ec.generate_private_key(ec.SECP256R1()))
        for _ in range(WRONG_A_MINUTE):
            with pytest.raises(CustodyRefusedError, match="none of the floor's"):
                await registrar.enrol(Enrol(VERSION, "AAAAA-AAAAB", request))
        with pytest.raises(CustodyRefusedError, match="Try again in a minute"):
            await registrar.enrol(Enrol(VERSION, "AAAAA-AAAAA", request))
        [alarm] = engine.kept_alarms
        assert (alarm.kind, alarm.times) == (AlarmKind.CODE, WRONG_A_MINUTE)
        clock[0] += 61
        await registrar.enrol(Enrol(VERSION, "AAAAA-AAAAA", request))

    asyncio.run(work())


def test_what_is_no_request_is_refused(tmp_path: Path) -> None:
    issuer = issuer_of(floor_folder(tmp_path))
    key = ec.generate_private_key(ec.SECP256R1())
    forged = bytearray(base64.b64decode(request_of(key)))
    forged[-1] ^= 1
    others = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    async def work() -> None:
        registrar = Registrar(MemoryEngine(lambda: NOW), issuer, lambda: NOW)
        for request in ("", "?", "AAAA", request_of(others), request_of(ec.generate_private_key(ec.SECP384R1()))):
            with pytest.raises(CustodyRefusedError, match="no request for a certificate"):
                await registrar.enrol(Enrol(VERSION, "AAAAA-AAAAA", request))
        with pytest.raises(CustodyRefusedError, match="no request for a certificate"):
            await registrar.enrol(Enrol(VERSION, "AAAAA-AAAAA", base64.b64encode(bytes(forged)).decode()))

    asyncio.run(work())


def test_codes_certificates_and_shut_tables_are_kept(engine: Work) -> None:
    async def work(floor: Engine) -> None:
        mine, theirs = bytes(32), bytes([1]) * 32
        await floor.add_code(bytes(32), "7", NOW, "ada")
        assert await floor.redeem(bytes([9]) * 32, mine, NOW) == (Redeemed.UNKNOWN, "")
        assert await floor.redeem(bytes(32), mine, NOW + 1) == (Redeemed.LATE, "7")
        assert await floor.redeem(bytes(32), mine, NOW) == (Redeemed.GOOD, "7")
        assert await floor.redeem(bytes(32), mine, NOW) == (Redeemed.GOOD, "7")
        assert await floor.redeem(bytes(32), theirs, NOW) == (Redeemed.USED, "7")
        assert await floor.last_certificate("7") is None
        for serial in ("a", "b"):
            assert await floor.add_certificate(Given("7", serial, mine, NOW, "renewed"))
        assert not await floor.add_certificate(Given("7", "c", mine, NOW, "renewed"), "a")
        assert not await floor.add_certificate(Given("8", "c", mine, NOW, "renewed"), "a")
        assert await floor.certificates() == [Given("7", "b", mine, NOW, "renewed")]
        assert await floor.last_certificate("7") == Given("7", "b", mine, NOW, "renewed")
        assert await floor.add_certificate(Given("8", "c", theirs, NOW, "renewed"), "")
        assert await floor.add_certificate(Given("7", "d", mine, NOW, "renewed"), "b")
        assert {given.serial for given in await floor.last_certificates(["7", "8", "9"])} == {"c", "d"}
        assert await floor.last_certificates([]) == []
        assert await floor.set_shut("7", shut=True, who="ada", why="stolen")
        assert not await floor.set_shut("7", shut=True, who="ada", why="")
        assert await floor.shut_tables() == {"7"}
        assert await floor.redeem(bytes(32), mine, NOW) == (Redeemed.SHUT, "7")
        with pytest.raises(CustodyRefusedError, match="this table is shut"):
            await floor.open_journal("7", bytes(16), 2)
        await floor.open_journal("8", bytes(16), 2)
        assert await floor.set_shut("7", shut=False, who="ada", why="found")
        assert await floor.shut_tables() == frozenset()
        await floor.open_journal("7", bytes([1]) * 16, 2)

    engine(work)


async def said(floor: str, context: Any, message: Any) -> Any:
    """What a floor answers to a message."""
    async with connect(floor, ssl=context, subprotocols=[Subprotocol(SUBPROTOCOL)], proxy=None) as connection:
        with suppress(ConnectionClosed):  # what the floor said before it closed can be read yet
            await connection.send(to_bytes(message))
        data = await connection.recv()
        assert isinstance(data, bytes)
        return from_bytes(data, FROM_FLOOR)


def test_a_shut_table_is_put_out_and_called_by_its_name(tmp_path: Path) -> None:
    folder = floor_folder(tmp_path)
    make_certificate(folder, "7", days=1)

    async def work() -> None:
        engine = MemoryEngine(lambda: NOW)
        registrar = Registrar(engine, issuer_of(folder), lambda: NOW)
        async with enrolling_floor(engine, folder, registrar) as floor, apart(tmp_path) as at:
            uplink = Uplink(at.place, [floor], context_of_table(own(folder, "7")), "a test")
            async with running(uplink.run()):
                await eventually(lambda: uplink.link.stand is not None)
                await engine.set_shut("7", shut=True, who="ada", why="stolen")
                await eventually(lambda: "this table is shut" in uplink.link.why)
                await eventually(lambda: any(alarm.kind is AlarmKind.SHUT for alarm in engine.kept_alarms))
            await engine.set_shut("7", shut=False, who="ada", why="found")
            async with running(Uplink(at.place, [floor], context_of_table(own(folder, "7")), "a test").run()):
                await eventually(lambda: True)

    asyncio.run(work())


def test_a_certificate_that_has_run_out_or_is_replaced_is_named_with_the_remedy(tmp_path: Path) -> None:
    folder = floor_folder(tmp_path)
    make_certificate(folder, "7", days=-1)
    make_certificate(folder, "8", days=1)

    async def work() -> None:
        engine = MemoryEngine(lambda: NOW)
        async with enrolling_floor(engine, folder, None) as floor:
            told = await said(floor, context_of_table(own(folder, "7")), Renew())
            assert isinstance(told, Refused)
            assert "the table's certificate ran out on" in told.what
            assert "feltd uplink enrol" in told.remedy
            told = await said(floor, context_of_table(own(folder, "8")), Renew())
            assert told == Refused("this floor renews no certificates", "table 8", "Name an `issuer` in floor.toml")
            await engine.add_certificate(Given("8", "a", bytes(32), 9e9, "enrolled by a code"))
            told = await said(floor, context_of_table(own(folder, "8")), Renew())
            assert "another key was enrolled" in told.what
            await engine.set_shut("7", shut=True, who="ada", why="")
            told = await said(floor, context_of_new_table(own(folder, "9")), Enrol(VERSION, "A", "B"))
            assert "enrols nobody now" in told.what
        assert [(alarm.table, alarm.kind) for alarm in engine.kept_alarms] == [
            ("7", AlarmKind.CERTIFICATE),
            ("8", AlarmKind.CERTIFICATE),
        ]

    asyncio.run(work())
    der = x509.load_pem_x509_certificate((folder / "8.pem").read_bytes()).public_bytes(Encoding.DER)
    with pytest.raises(CertificateWrongError, match="is good from"):
        require_valid(der, "8", NOW)


def test_without_a_certificate_nothing_but_enrolment_is_heard(tmp_path: Path) -> None:
    folder = floor_folder(tmp_path)
    bare = context_of_new_table(own(folder, "9"))

    async def work() -> None:
        engine = MemoryEngine(lambda: NOW)
        registrar = Registrar(engine, issuer_of(folder), lambda: NOW)
        async with enrolling_floor(engine, folder, registrar) as floor:
            told = await said(floor, bare, Renew())
            assert isinstance(told, Refused)
            assert "expected now is enrol" in told.what
            files = table_files(folder, tmp_path)
            with pytest.raises(CustodyRefusedError, match="none of the floor's"):
                await enrol(files, ["wss://127.0.0.1:1", floor], "AAAAA-AAAAA")
            assert files.key.with_name("table.key.new").exists()
            assert not files.key.exists()
        with pytest.raises(FloorAwayError, match="is not reached"):
            await enrol(table_files(folder, tmp_path), [floor], "AAAAA-AAAAA")
        assert engine.journals == {}

    asyncio.run(work())


def test_what_is_wrong_at_the_door_is_on_the_pit_page_also_of_a_table_that_was_never_let_in(tmp_path: Path) -> None:
    folder = floor_folder(tmp_path)
    make_certificate(folder, "7", days=1)
    make_certificate(folder, "8", days=-1)

    async def work() -> None:
        engine = MemoryEngine(lambda: NOW)
        async with enrolling_floor(engine, folder, Registrar(engine, issuer_of(folder), lambda: NOW)) as floor:
            newer = await said(floor, context_of_table(own(folder, "7")), Hello(9, bytes(16), 2, "a test"))
            assert "version 9 of the wire" in newer.what
            await said(floor, context_of_table(own(folder, "8")), Renew())
            request = request_of(ec.generate_private_key(ec.SECP256R1()))
            await said(floor, context_of_new_table(own(folder, "9")), Enrol(VERSION, "AAAAA-AAAAA", request))
        book = PitBook(engine, lambda: NOW)
        await book.load()
        await book.look_at_alarms()
        await book.catch_up()
        await book.keep()
        tables = book.news(PitSince("", 0)).tables
        assert [(table.name, table.custody[0].kind) for table in tables] == [
            ("(no table)", "code"), ("7", "wire"), ("8", "certificate"),
        ]  # fmt: skip
        for table in tables:
            assert "custody" in {item["kind"] for item in table_as_json(table)["items"]}
        assert "feltd uplink enrol" in tables[2].custody[0].words
        book.came("7", bytes([1]) * 16, Stand(0, bytes(32)))
        assert book.news(PitSince("", 0)).tables[1].connected

    asyncio.run(work())


def test_a_renewal_that_fails_is_told_and_tried_again_in_an_hour(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = floor_folder(tmp_path)
    make_certificate(folder, "7", days=30)
    files = own(folder, "7")
    renewal = Renewal(files, context_of_table(files))
    ends = x509.load_pem_x509_certificate(files.certificate.read_bytes()).not_valid_after_utc.timestamp()
    assert not renewal.is_due(ends - 11 * DAY)
    assert renewal.is_due(ends - 10 * DAY)
    stranger = issuer_of(folder).sign("7", ec.generate_private_key(ec.SECP256R1()).public_key(), NOW)
    wrong = Certified(base64.b64encode(stranger.public_bytes(Encoding.DER)).decode())
    before = files.certificate.read_bytes()
    renewal.take(wrong, NOW)
    assert "is of another key" in caplog.text
    renewal.take(Certified("?"), NOW)
    assert files.certificate.read_bytes() == before
    assert not renewal.is_due(NOW)
    assert not renewal.is_due(NOW + 3599)
    files.certificate.unlink()
    assert not renewal.is_due(ends)
    assert "tries again in an hour" in caplog.text


def test_an_issuer_that_cannot_be_used_is_told_with_its_file(tmp_path: Path) -> None:
    folder = floor_folder(tmp_path)
    assert LASTS.days == 30
    with pytest.raises(CertificateWrongError, match="cannot be read"):
        Issuer.load(folder / "none.pem", folder / "tables.key")
    with pytest.raises(CertificateWrongError, match="no issuer's certificate"):
        Issuer.load(folder / "tables.key", folder / "tables.pem")
    with pytest.raises(CertificateWrongError, match="not the key of"):
        Issuer.load(folder / "tables.pem", folder / "floor.key")
    file = folder / "floor.toml"
    file.write_text(FLOOR.format(port=1, database="postgresql:///x") + 'issuer = "tables.pem"\n')
    with pytest.raises(SettingsError, match="give both, issuer and issuer_key"):
        floor_settings(file)


def test_the_commands_enrol_a_table_and_shut_it(tmp_path: Path, postgres: Server) -> None:
    folder = casino(tmp_path / "casino")
    assert "name it in floor.toml as issuer" in run("floor", "issuer", folder).output
    port = free_port()
    floor, uplink = folder / "floor.toml", folder / "uplink.toml"
    issuer = 'issuer = "tables.pem"\nissuer_key = "tables.key"\n'
    floor.write_text(FLOOR.format(port=port, database=postgres.address("floord")) + issuer)
    uplink.write_text(UPLINK.format(table=tmp_path / "door", port=port))
    asyncio.run(emptied(postgres))
    made = run("floor", "enrol-code", "table-7", "table-8", "--config", floor)
    assert made.exit_code == FINE
    lines = dict(line.split() for line in made.stdout.splitlines())
    assert sorted(lines) == ["table-7", "table-8"]
    with process("floor", "run", "--config", floor):
        done = run("uplink", "enrol", "AAAAA-AAAAA", "--config", uplink)
        while "not reached" in done.output:
            done = run("uplink", "enrol", "AAAAA-AAAAA", "--config", uplink)
        assert "this code is none of the floor's" in done.output
        done = run("uplink", "enrol", lines["table-7"], "--config", uplink)
        assert (done.exit_code, done.output) == (
            FINE, f"{folder / '7.pem'}: this table is table-7 on the floor now; restart its uplink\n",
        )  # fmt: skip
    for turn in (FINE, PROBLEMS):
        shut = run("floor", "shut", "table-7", "--config", floor, "--reason", "stolen")
        assert shut.exit_code == turn
    assert shut.output == "table-7: is shut already\n"
    assert run("floor", "open", "table-7", "--config", floor).output == "table-7: is open now\n"
    assert "no name for a table" in run("floor", "shut", "a/b", "--config", floor).output
    with pytest.raises(CustodyError):
        context_of_table(Own(tmp_path / "none", tmp_path / "none", folder / "authority.pem"))

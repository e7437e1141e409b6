"""A key that was replaced, and a table that was shut: connections of both end, and neither is let in again."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from feltd.custody.certificates import context_of_table
from feltd.custody.errors import CertificateWrongError, FloorAwayError
from feltd.custody.messages import (
    FROM_FLOOR,
    SUBPROTOCOL,
    VERSION,
    Certified,
    Enrol,
    Hello,
    Refused,
    Renew,
    Rows,
    Stand,
    from_bytes,
    to_bytes,
)
from feltd.floor.admission import SETTLES, Admission, Shown
from feltd.floor.authority import make_certificate
from feltd.floor.engine import NO_JOURNAL, AlarmKind, Given
from feltd.floor.enrolment import Registrar, digest_of
from feltd.floor.issuing import begin_of
from feltd.floor.memory import MemoryEngine
from tests.floor.custody_support import FakeJournal
from tests.floor.test_enrolment import enrolling_floor, floor_folder, issuer_of, request_of
from tests.floor.tls_support import own
from tests.running import eventually

DAY = 86_400.0
CODE = "AAAAA-AAAAA"


def der(folder: Path, name: str) -> bytes:
    """The certificate in a file."""
    return x509.load_pem_x509_certificate((folder / f"{name}.pem").read_bytes()).public_bytes(Encoding.DER)


def new_request() -> str:
    return request_of(ec.generate_private_key(ec.SECP256R1()))


async def asked(connection: ClientConnection, message: Any) -> Any:
    """What the floor answers on a connection."""
    await connection.send(to_bytes(message))
    data = await connection.recv()
    assert isinstance(data, bytes)
    return from_bytes(data, FROM_FLOOR)


@asynccontextmanager
async def calling(floor: str, folder: Path, name: str) -> AsyncIterator[ClientConnection]:
    """A connection with the certificate of this name, which has said hello."""
    context = context_of_table(own(folder, name))
    async with connect(floor, ssl=context, subprotocols=[Subprotocol(SUBPROTOCOL)], proxy=None) as connection:
        yield connection


def test_a_connection_ends_once_another_key_is_enrolled_for_its_table(tmp_path: Path) -> None:
    folder = floor_folder(tmp_path)
    make_certificate(folder, "7", days=300)
    make_certificate(folder, "8", days=300)

    async def work() -> None:
        engine = MemoryEngine(time.time)
        registrar = Registrar(engine, issuer_of(folder), time.time)
        await engine.add_code(digest_of(CODE), "7", time.time() + 600, "ada")
        async with enrolling_floor(engine, folder, registrar) as floor:
            async with calling(floor, folder, "7") as old, calling(floor, folder, "8") as other:
                assert isinstance(await asked(old, Hello(VERSION, bytes(16), 2, "a test")), Stand)
                assert isinstance(await asked(other, Hello(VERSION, bytes([8]) * 16, 2, "a test")), Stand)
                await registrar.enrol(Enrol(VERSION, CODE, new_request()))
                data = await old.recv()  # it says nothing, and is told
                assert isinstance(data, bytes)
                refused = from_bytes(data, FROM_FLOOR)
                assert isinstance(refused, Refused)
                assert "another key was enrolled" in refused.what
                with pytest.raises(ConnectionClosed):
                    await old.recv()
                assert isinstance(await asked(other, Renew()), Certified)
            async with calling(floor, folder, "7") as again:
                refused = from_bytes(await again.recv(), FROM_FLOOR)  # type: ignore[arg-type]
                assert "another key was enrolled" in refused.what
        assert engine.kept_alarms == []  # whoever enrols a table starts its uplink again a moment later

    asyncio.run(work())


def test_rows_are_not_taken_between_the_look_and_the_end_of_a_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = floor_folder(tmp_path)
    make_certificate(folder, "7", days=300)
    journal = FakeJournal(1)
    journal.play(5)
    monkeypatch.setattr("feltd.floor.serving.Custodian._let_go", lambda _self: iter(()))  # it speaks before its end

    async def work() -> None:
        engine = MemoryEngine(time.time)
        looks = engine.shut_tables
        looked = 0

        async def counted() -> frozenset[str]:
            nonlocal looked
            looked += 1
            return await looks()

        monkeypatch.setattr(engine, "shut_tables", counted)
        async with enrolling_floor(engine, folder, None) as floor, calling(floor, folder, "7") as old:
            assert isinstance(await asked(old, Hello(VERSION, journal.journal_id, 2, "a test")), Stand)
            await engine.set_shut("7", shut=True, who="ada", why="stolen")
            now = looked
            await eventually(lambda: looked > now + 1)
            batch = journal.batch("7", 1, 5)
            refused = await asked(old, Rows(1, batch.before, batch.chain, 5, 0, batch.rows))
            assert "this table is shut" in refused.what
        assert (await engine.status())[0].stand.seq == 0

    asyncio.run(work())


def test_a_key_made_by_hand_is_over_with_an_enrolment_however_long_its_certificate_lasts(tmp_path: Path) -> None:
    folder = floor_folder(tmp_path)
    make_certificate(folder, "7", days=3000)
    shown = Shown.of(der(folder, "7"))
    made = shown.begin + DAY

    async def work() -> None:
        engine = MemoryEngine(time.time)
        clock = [made + 10 * DAY]
        admission = Admission(engine, lambda: clock[0])
        await admission.require_good(shown)
        registrar = Registrar(engine, issuer_of(folder), lambda: clock[0])
        await engine.add_code(digest_of(CODE), "7", clock[0] + 600, "ada")
        await registrar.enrol(Enrol(VERSION, CODE, new_request()))
        clock[0] += SETTLES
        with pytest.raises(CertificateWrongError, match="another key was enrolled"):
            await admission.require_good(shown)
        assert [(alarm.table, alarm.kind, alarm.journal) for alarm in engine.kept_alarms] == [
            ("7", AlarmKind.CERTIFICATE, NO_JOURNAL)
        ]
        with pytest.raises(CertificateWrongError, match="another key was enrolled"):
            await registrar.renew(shown)
        assert len(engine.given) == 1
        # who makes one by hand afterwards means it
        later = replace(shown, begin=clock[0])
        await admission.require_good(later)
        await admission.look(["7"])
        assert admission.fault(later) is None
        assert isinstance(admission.fault(shown), CertificateWrongError)

    asyncio.run(work())


def test_a_renewal_does_not_come_in_behind_an_enrolment_that_it_did_not_know_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = floor_folder(tmp_path)
    make_certificate(folder, "7", days=300)
    shown = Shown.of(der(folder, "7"))
    caplog.set_level(logging.INFO)

    async def work() -> None:
        engine = MemoryEngine(time.time)
        registrar = Registrar(engine, issuer_of(folder), time.time)
        add = engine.add_certificate

        async def after_another(given: Given, behind: str | None = None) -> bool:
            await add(Given("7", "ab", bytes(32), given.ends, "enrolled by a code"))
            return await add(given, behind)

        monkeypatch.setattr(engine, "add_certificate", after_another)
        with pytest.raises(FloorAwayError, match="given another certificate at the same moment"):
            await registrar.renew(shown)
        assert [given.serial for given in engine.given] == ["ab"]
        assert "has a certificate until" not in caplog.text

    asyncio.run(work())


def test_when_a_certificate_was_made_follows_from_its_end(tmp_path: Path) -> None:
    made = issuer_of(floor_folder(tmp_path)).sign("7", ec.generate_private_key(ec.SECP256R1()).public_key(), 1e9)
    ends = made.not_valid_after_utc.timestamp()
    assert begin_of(ends) == made.not_valid_before_utc.timestamp()
    assert begin_of(ends, made=True) == 1e9

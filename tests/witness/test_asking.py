"""Who asks a witness for what it has, and TLS in between."""

import asyncio
import ssl
from pathlib import Path

import pytest

from feltd.record.signed_heads import read_heads
from feltd.witness.asking import client_context, heads_of, server_context
from feltd.witness.errors import WitnessAwayError, WitnessError, WitnessRefusedError
from feltd.witness.wire import Address
from tests.floor.tls_support import casino
from tests.running import eventually, running
from tests.witness.witness_support import Table, at_work, listening, sender, sent, witness_of


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "witness"


def test_a_witness_is_asked_for_what_it_has(table: Table, folder: Path) -> None:
    table.sign(3, 9)
    assert sent(folder, table) == [""]

    async def work(address: Address) -> None:
        asked = Address(address.host, address.port, False, "7")
        heads = await asyncio.to_thread(heads_of, asked, client_context(asked, None))
        assert heads == read_heads(table.file)
        with pytest.raises(WitnessRefusedError, match="no heads of a table '8'"):
            await asyncio.to_thread(heads_of, Address(address.host, address.port, False, "8"), None)
        gone.append(asked)

    gone: list[Address] = []
    at_work(witness_of(folder, table), work)
    with pytest.raises(WitnessAwayError, match="is not reached"):
        heads_of(gone[0], None)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"hello\n", "answers something else"),
        (b"size 99999999999\n", "answers something else"),
        (b"size 10\nabc", "ended before it had told all"),
        (b"size 4\nabc\n", "does not begin as one"),
        (b"", "answers something else"),
    ],
)
def test_what_is_no_witness_is_named(answer: bytes, words: str) -> None:
    async def answering(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(answer)
        writer.close()

    async def work() -> None:
        async with await asyncio.start_server(answering, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            with pytest.raises(WitnessError, match=words):
                await asyncio.to_thread(heads_of, Address("127.0.0.1", port, False, "7"), None)

    asyncio.run(work())


def test_over_tls_the_certificate_must_be_the_authoritys(tmp_path: Path, table: Table, folder: Path) -> None:
    table.sign(3)
    house, strangers = casino(tmp_path / "casino"), casino(tmp_path / "other")

    async def work() -> None:
        witness = witness_of(folder, table)
        context = server_context(house / "floor.pem", house / "floor.key")
        async with listening(witness, context) as address:
            right = client_context(address, house / "authority.pem")
            wrong = client_context(address, strangers / "authority.pem")
            one = sender(table, address, wrong)
            async with running(one.run()):
                await eventually(lambda: "its certificate is not good" in one.why)
            one = sender(table, address, right)
            async with running(one.run()):
                await eventually(lambda: one.why == "")
            asked = Address(address.host, address.port, True, "7")
            assert len((await asyncio.to_thread(heads_of, asked, right)).heads) == 1
            with pytest.raises(WitnessAwayError, match="certificate is not good"):
                await asyncio.to_thread(heads_of, asked, wrong)
        witness.close()

    asyncio.run(work())
    with pytest.raises(WitnessError, match="Give a PEM file"):
        client_context(Address("h", 1, True), tmp_path / "none.pem")
    with pytest.raises(WitnessError, match="Give a certificate and its key"):
        server_context(house / "floor.pem", tmp_path / "none.key")
    assert isinstance(client_context(Address("h", 1, True), None), ssl.SSLContext)

"""A table that signs heads of no record, which can be copied and put back; a witness that listens."""

import asyncio
import hashlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from feltd.door.witnessing import WitnessWord
from feltd.record.signed_heads import FirstKey, HeadLines, SignedHead, lines_from, message_of
from feltd.witness.sending import Sender
from feltd.witness.serving import Witness
from feltd.witness.telling import Tell, Telling
from feltd.witness.wire import Address
from tests.running import eventually, running

NOW = 1_700_000_000.0


def _key(seed: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(seed.encode()).digest())


def _public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


class Table:
    """A file of signed heads and what signs the next. It is a `Source` of a sender."""

    def __init__(self, folder: Path, name: str = "7") -> None:
        self.name = name
        self.file = folder / f"{name}.journal.heads"
        self.first = FirstKey(hashlib.md5(name.encode()).digest(), _public(_key(f"{name} 0")))
        self.lines = [str(self.first)]
        self._seeds = [f"{name} 0"]
        """Of the key that signs each head, and of the next."""
        self._write()

    def sign(self, *seqs: int, history: str = "", later: float = 0.0) -> None:
        """Sign heads of these entries; another `history` has other entries, and other keys behind the next.

        `later`: seconds by which the wall clock is beyond the entry's own number.
        """
        late = round(later * 1000)
        for seq in seqs:
            number = len(self.lines) - 1
            chain = hashlib.sha256(f"{history}{seq}".encode()).digest()
            self._seeds.append(f"{self.name} {history}{number + 1}")
            following = _public(_key(self._seeds[-1]))
            message = message_of(self.first.journal_id, seq, seq * 1000 + late, chain, following)
            signature = _key(self._seeds[number]).sign(message)
            self.lines.append(str(SignedHead(seq, seq * 1000 + late, chain, following, signature)))
        self._write()

    def put_back(self, heads: int) -> None:
        """An older copy of the file, of so many heads, and of the key that signs the next."""
        self.lines, self._seeds = self.lines[: heads + 1], self._seeds[: heads + 1]
        self._write()

    def heads(self, at: int, most: int) -> HeadLines:
        return lines_from(self.file, at, most)

    def close(self) -> None:
        """Nothing is held open."""

    def _write(self) -> None:
        self.file.write_text("".join(f"{line}\n" for line in self.lines), encoding="ascii")


class Clock:
    """Steady seconds that pass when told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def witness_of(
    folder: Path,
    *tables: Table,
    clock: Clock | None = None,
    heads_alone: bool | None = False,
    wall: Callable[[], float] = lambda: NOW,
) -> Witness:
    """A witness of these tables in a folder, which is made."""
    folder.mkdir(exist_ok=True)
    keys: Mapping[str, bytes] = {table.name: table.first.key for table in tables}
    return Witness(folder, keys, 60.0, wall=wall, steady=clock or Clock(), heads_alone=heads_alone)


@asynccontextmanager
async def listening(witness: Witness, context: ssl.SSLContext | None = None) -> AsyncIterator[Address]:
    """The witness at work, and where."""
    async with witness.listening("127.0.0.1", 0, context) as server:
        yield Address("127.0.0.1", server.sockets[0].getsockname()[1], context is not None)


async def _heard_by_nobody(word: WitnessWord) -> None:
    """A table that shows nothing of it."""


def sender(
    table: Table, witness: Address, context: ssl.SSLContext | None = None, tell: Tell = _heard_by_nobody
) -> Sender:
    """A sender that tries again at once. `tell`: takes what the table is to hear of the witness."""
    return Sender(lambda: table, witness, context, (0.01,), Telling(tell))


async def said(witness: Address, *lines: str) -> list[str]:
    """What the witness answers to these lines, until it has nothing more to say."""
    reader, writer = await asyncio.open_connection(witness.host, witness.port)
    writer.write("".join(f"{line}\n" for line in lines).encode())
    writer.write_eof()
    answer = b""
    with suppress(ConnectionResetError):
        answer = await reader.read()
    writer.close()
    with suppress(ConnectionResetError):
        await writer.wait_closed()
    return answer.decode().splitlines()


def at_work(witness: Witness, work: Callable[[Address], Awaitable[object]]) -> None:
    """Have something done while the witness listens, and let the folder go."""

    async def whole() -> None:
        async with listening(witness) as address:
            await work(address)

    try:
        asyncio.run(whole())
    finally:
        witness.close()


def sent(folder: Path, *tables: Table) -> list[str]:
    """Let each table's sender work until it stands or is refused; why it does not stand, for each."""
    why: list[str] = []

    async def work(address: Address) -> None:
        for table in tables:
            one = sender(table, address)
            async with running(one.run()):
                await eventually(lambda one=one: one.why != "not yet tried")
            why.append(one.why)

    at_work(witness_of(folder, *tables), work)
    return why

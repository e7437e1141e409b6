"""What a witness reads from whoever reaches its port."""

import asyncio
import logging
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from feltd.record.signed_heads import size_of
from feltd.witness.wire import GREETING
from tests.fuzz.target import Judge, Target
from tests.witness.witness_support import Table, listening, witness_of


@contextmanager
def _witness() -> Iterator[Judge]:
    """Whatever is said, the witness has the lines that the table signed, in their order, and no other."""
    faults: list[str] = []
    with tempfile.TemporaryDirectory(prefix="feltd-fuzz-") as folder, asyncio.Runner() as runner:
        runner.get_loop().set_exception_handler(lambda _, context: faults.append(str(context)))
        table = _table(Path(folder))
        witness = witness_of(Path(folder, "kept"), table)
        place = listening(witness)
        address = runner.run(place.__aenter__())
        kept, log = Path(folder, "kept", "7.heads"), logging.getLogger("feltd.witness")

        async def say(data: bytes) -> None:
            reader, writer = await asyncio.open_connection(address.host, address.port)
            with suppress(ConnectionError):
                writer.write(data)
                writer.write_eof()
                await reader.read()
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

        def judge(data: bytes) -> None:
            runner.run(say(data))
            assert not faults, faults
            lines = kept.read_text().splitlines() if kept.exists() else []
            assert lines == table.lines[: len(lines)], "the witness has a line that the table did not sign there"

        log.setLevel(logging.CRITICAL)  # its alarms are what it is for
        try:
            yield judge
        finally:
            log.setLevel(logging.NOTSET)
            runner.run(place.__aexit__(None, None, None))
            witness.close()


def _table(folder: Path) -> Table:
    table = Table(folder)
    table.sign(3, 9, 12)
    return table


def _callers() -> Sequence[bytes]:
    with tempfile.TemporaryDirectory(prefix="feltd-fuzz-") as folder:
        first, *heads = _table(Path(folder)).lines
    said, at = [f"{GREETING} send", first], size_of([first])
    for head in heads:
        said.append(f"line {at} {head}")
        at += size_of([head])
    whole = "".join(f"{line}\n" for line in [*said, f"ends {at}"])
    again = "".join(f"{line}\n" for line in [*said[:2], f"line 0 {first}", said[3], f"ends {at}"])
    return [text.encode() for text in (whole, again, f"{GREETING} give 7\n")]


WITNESS = Target("witness", _witness, _callers, (b"line ", b"ends ", b"\n", b" ", b"send", b"give", b"0", b"-1"))

"""The witness's process, and that of a table's sender. Neither has a key of a table's, a device or a journal file."""

import asyncio
import logging
import time
from pathlib import Path
from typing import Final

from feltd.launcher.process import asked_to_stop, set_up_process, until_stopped
from feltd.table.host.health import ServiceManager
from feltd.witness.asking import client_context, server_context
from feltd.witness.errors import WitnessError
from feltd.witness.sending import AGAIN_AFTER, Sender, table_at
from feltd.witness.serving import Witness
from feltd.witness.settings import WitnessSettings, witness_settings
from feltd.witness.stamping import Stamper
from feltd.witness.telling import telling
from feltd.witness.wire import parse_address

_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_log = logging.getLogger("feltd.witness")


def run_witness(file: Path) -> None:
    """Keep the heads of tables until SIGTERM or SIGINT. `file`: witness.toml. Raises SettingsError, WitnessError."""
    settings = witness_settings(file)
    set_up_process()
    witness = Witness(
        settings.folder, settings.tables, settings.silent_after, wall=time.time, steady=time.monotonic,
        boot=_boot(), heads_alone=settings.heads_alone,
    )  # fmt: skip
    try:
        asyncio.run(_serve(witness, settings))
    finally:
        witness.close()


def _boot() -> str:
    """Which start of the system this is, as the kernel names it; empty where it names none."""
    try:
        return _BOOT.read_text(encoding="ascii").strip()
    except OSError:
        return ""


async def _serve(witness: Witness, settings: WitnessSettings) -> None:
    stop, manager = asked_to_stop(), ServiceManager()
    context = None
    if settings.certificate is not None and settings.key is not None:
        context = server_context(settings.certificate, settings.key)
    stamping = asyncio.get_running_loop().create_task(_stamp(settings), name="time stamps")
    try:
        async with witness.listening(settings.host, settings.port, context) as server:
            places = ", ".join(f"{place.getsockname()[0]}:{place.getsockname()[1]}" for place in server.sockets)
            _log.info("the witness listens at %s", places)
            manager.ready(f"listening at {places}")
            await stop.wait()
            manager.stopping()
    except OSError as fault:
        what = f"cannot be listened at: {fault.strerror or fault}"
        raise WitnessError(
            what, f"{settings.host}:{settings.port}", "Choose another `host` or `port` in [witness]"
        ) from None
    finally:
        stamping.cancel()
        await asyncio.gather(stamping, return_exceptions=True)


async def _stamp(settings: WitnessSettings) -> None:
    """Have heads stamped in a thread, where a server is configured: it may be slow, and is never waited for."""
    if settings.time_stamps is None:
        return
    stamper = Stamper(settings.folder, settings.time_stamps)
    while True:
        for table in settings.tables:
            await asyncio.to_thread(stamper.stamp_or_say, table)
        await asyncio.sleep(settings.stamp_every)


def run_sender(table: Path, witness: str, authority: Path | None) -> None:
    """Hand a table's heads to a witness until SIGTERM or SIGINT.

    `table`: the socket of its door; `witness`: an address. Raises WitnessError.
    """
    address = parse_address(witness)
    sender = Sender(table_at(table), address, client_context(address, authority), AGAIN_AFTER, telling(table))
    set_up_process()
    asyncio.run(until_stopped(sender.run(), "calling the witness"))

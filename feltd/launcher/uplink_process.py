"""The uplink's process: from the table's door to the floor. No key of the table's, no device, no journal file."""

import asyncio
import logging
from importlib.metadata import version
from pathlib import Path

from feltd.custody.certificates import context_of_table
from feltd.custody.settings import uplink_settings
from feltd.launcher.process import asked_to_stop, set_up_process
from feltd.table.host.health import ServiceManager
from feltd.uplink.calling import Uplink
from feltd.uplink.enrolling import Renewal

_log = logging.getLogger("feltd.uplink")


def run_uplink(file: Path) -> None:
    """Hand a table's record up to the floor until SIGTERM or SIGINT.

    `file`: uplink.toml. Raises SettingsError, CertificateWrongError.
    """
    settings = uplink_settings(file)
    context = context_of_table(settings.own)
    set_up_process()
    software, renewal = f"feltd {version('feltd')}", Renewal(settings.own, context)
    uplink = Uplink(settings.table, settings.floors, context, software, renewal=renewal)
    asyncio.run(_run(uplink))


async def _run(uplink: Uplink) -> None:
    stop, manager = asked_to_stop(), ServiceManager()
    running = asyncio.get_running_loop().create_task(uplink.run(), name="uplink")
    stopping = asyncio.get_running_loop().create_task(stop.wait(), name="stop")
    manager.ready("calling the floor")
    await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
    manager.stopping()
    for task in (running, stopping):
        task.cancel()
    ended, _ = await asyncio.gather(running, stopping, return_exceptions=True)
    if isinstance(ended, Exception):
        raise ended

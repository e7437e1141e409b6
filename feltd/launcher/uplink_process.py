"""The uplink's process: from the table's door to the floor. No key of the table's, no device, no journal file."""

import asyncio
import logging
from pathlib import Path

from feltd.custody.certificates import context_of_table
from feltd.custody.settings import uplink_settings
from feltd.launcher.process import set_up_process, until_stopped
from feltd.text.version import version_of_feltd
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
    software, renewal = f"feltd {version_of_feltd()}", Renewal(settings.own, context)
    uplink = Uplink(settings.table, settings.floors, context, software, renewal=renewal)
    asyncio.run(until_stopped(uplink.run(), "calling the floor"))

"""The uplink's process: from the table's door to the floor. No key of the table's, no device, no journal file."""

import asyncio
import logging
from pathlib import Path

from feltd.custody.certificates import context_of_table
from feltd.custody.settings import UplinkSettings, uplink_settings
from feltd.launcher.process import set_up_process, until_stopped
from feltd.text.version import version_of_feltd
from feltd.uplink.calling import Uplink
from feltd.uplink.enrolling import Renewal
from feltd.uplink.showing import enrol_by_display

_log = logging.getLogger("feltd.uplink")


def run_uplink(file: Path) -> None:
    """Hand a table's record up to the floor until SIGTERM or SIGINT.

    Where the table has no certificate and its display is to show a code, it is enrolled first. `file`: uplink.toml.
    Raises SettingsError, CertificateWrongError.
    """
    settings = uplink_settings(file)
    set_up_process()
    enrols = settings.show_code and not settings.certificate.exists()
    if not enrols:
        context_of_table(settings.own)  # what is wrong with it is said before anything else
    status = "shows its code, and waits for the floor" if enrols else "calling the floor"
    asyncio.run(until_stopped(_called(settings, enrols=enrols), status))


async def _called(settings: UplinkSettings, *, enrols: bool) -> None:
    if enrols:
        await enrol_by_display(settings.table, settings.own, settings.floors)
    context = context_of_table(settings.own)
    software, renewal = f"feltd {version_of_feltd()}", Renewal(settings.own, context)
    await Uplink(settings.table, settings.floors, context, software, renewal=renewal).run()

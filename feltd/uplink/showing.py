"""A table without a certificate: its display shows the code of its key, until a person has said it at the floor."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

from feltd.custody.certificates import Own
from feltd.custody.errors import CustodyError, NotYetSaidError
from feltd.custody.shown_codes import shown_code_of
from feltd.door.asking.obeying import code_shown
from feltd.door.obeying import ShownCode
from feltd.text.errors import FeltdError
from feltd.uplink.enrolling import enrol, waiting_key

EVERY: Final = 20.0
"""Seconds between two questions. The table shows a code for three times as long."""
_log = logging.getLogger("feltd.uplink")

Pause = Callable[[float], Awaitable[object]]


async def enrol_by_display(table: Path, own: Own, floors: Sequence[str], pause: Pause = asyncio.sleep) -> str:
    """Show the code of this table's key and ask the floors for its certificate until one gives it; its name there.

    `table`: the socket of its door. What keeps it from being is logged once; nothing ends it but the certificate.
    """
    told: set[str] = set()
    while True:
        try:
            code = shown_code_of(waiting_key(own).public_key())
            await _shown(table, code, told)
            name = await enrol(own, floors, code)
        except CustodyError as fault:
            _once(told, f"{'waits' if isinstance(fault, NotYetSaidError) else 'is not enrolled'}: {fault}")
            await pause(EVERY)
            continue
        await _shown(table, "", told)
        _log.info("this table is %s on the floor now: %s", name, own.certificate)
        return name


async def _shown(table: Path, code: str, told: set[str]) -> None:
    try:
        if not await code_shown(table, ShownCode(code)) and code:
            _once(told, f"no display shows its code: {code}")
    except FeltdError as fault:  # it does not run yet, or is of an older version, which shows none
        _once(told, f"the table does not show its code {code}: {fault}")


def _once(told: set[str], words: str) -> None:
    if words not in told and len(told) < 16:
        told.add(words)
        _log.warning("this table %s", words)

"""Whether the table of a system on trial has come up, as its service manager has it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from feltd.update.errors import UpdateError

UNITS: Final = ("felt-table.service", "felt-page.service")
PROPERTIES: Final = ("Id", "ActiveState", "StatusText", "NRestarts")
OUT_OF_ORDER: Final = "OUT OF ORDER"
"""How the status of a table begins that runs to say why it cannot start."""
STEADY_SECONDS: Final = 60.0
"""For so long table and page run without a restart before the system is called good."""
PATIENCE_SECONDS: Final = 540.0
"""After so long it is not called good any more. feltd-update-trial.timer has more, and then starts the board again."""
LOOK_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as the service manager shows it."""

    name: str
    active: bool
    status: str
    restarts: int


def units_of(said: str) -> list[Unit]:
    """Read what `systemctl show` prints of some units: properties a line, an empty line between two units."""
    found = []
    for block in said.strip().split("\n\n"):
        told = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        restarts = told.get("NRestarts", "0")
        found.append(
            Unit(
                told.get("Id", ""),
                told.get("ActiveState") == "active",
                told.get("StatusText", ""),
                int(restarts) if restarts.isdecimal() else 0,
            )
        )
    return found


def unwell(units: Mapping[str, Unit]) -> str | None:
    """Why the table has not come up; None: it has."""
    for name in UNITS:
        unit = units.get(name)
        if unit is None or not unit.active:
            return f"{name} does not run"
        if unit.status.startswith(OUT_OF_ORDER):
            return f"{name}: {unit.status}"
    return None


def wait_until_steady(
    look: Callable[[], str],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Return once table and page have run for `STEADY_SECONDS` without a fault and without a restart.

    `look`: gives what `systemctl show` prints. Raises UpdateError after `PATIENCE_SECONDS`, with what was wrong last.
    """
    begun, restarts = clock(), -1
    since: float | None = None
    why: str | None = None
    while clock() - begun < PATIENCE_SECONDS:
        units = {unit.name: unit for unit in units_of(look())}
        why, so_far = unwell(units), sum(unit.restarts for unit in units.values())
        if why is not None or so_far != restarts:
            since, restarts = None, so_far
        if why is None:
            since = clock() if since is None else since
            if clock() - since >= STEADY_SECONDS:
                return
        sleep(LOOK_SECONDS)
    raise UpdateError(
        f"the table has not come up within {PATIENCE_SECONDS:.0f} s: {why or 'it was started again and again'}. "
        "The board goes back to its proven system"
    )

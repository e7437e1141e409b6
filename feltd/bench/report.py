"""The report: for a person on the screen, and as JSON to be sent."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from feltd.bench.figures import SYNC, Figure, sync_doubt
from feltd.bench.machine import NO_DISK, Disk, Machine

EDITION: Final = 1
SAGS_NOW: Final = 1 << 0
SAGGED: Final = 1 << 16
_BUSY: Final = 0.5


@dataclass(frozen=True, slots=True)
class Report:
    """A board and what was measured on it."""

    machine: Machine
    figures: tuple[Figure, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """What makes the figures, or the board itself, less than they seem; each with what to do."""
        return tuple(_notes(self.machine, self._sync))

    @property
    def _sync(self) -> float:
        """Seconds of a bare sync."""
        return next(figure.value for figure in self.figures if figure.name == SYNC) / 1000

    @property
    def too_slow(self) -> tuple[Figure, ...]:
        """The figures that no table should have."""
        return tuple(figure for figure in self.figures if not figure.is_enough)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        return {
            "edition": EDITION,
            "machine": asdict(self.machine),
            "figures": [asdict(figure) | {"enough": figure.is_enough} for figure in self.figures],
            "notes": list(self.notes),
        }


def _notes(machine: Machine, sync: float) -> Sequence[str]:
    said: list[str] = []
    if machine.load > _BUSY * machine.cores:
        said.append(
            f"other programs were busy (load {machine.load:.1f} on {machine.cores} cores): stop them, and measure again"
        )
    if machine.throttled is not None and machine.throttled & (SAGS_NOW | SAGGED):
        when = "sags now" if machine.throttled & SAGS_NOW else "has sagged since the start"
        said.append(f"the board's supply {when}: take the supply that its maker sells, and a short cable")
    if machine.governor not in (None, "performance", "ondemand", "schedutil"):
        said.append(f"the processor's governor is {machine.governor}: it may never reach its speed")
    return [*said, *_of_the_disk(machine.disk, sync)]


def _of_the_disk(disk: Disk, sync: float) -> Iterator[str]:
    if disk.file_system in NO_DISK:
        yield f"the folder lies on {disk.file_system}: give --folder on the disk that will hold the record"
    elif not disk.disks:
        yield (
            f"it cannot be told on which disk the folder lies (its file system is {disk.file_system}): whether its "
            "syncs are to be believed is not known; cut its power in a trial"
        )
    if disk.layers:
        yield (
            f"between the folder and {' and '.join(disk.disks)} lies {', '.join(disk.layers)}: the disk's figures "
            "are those of all of it, and another board without it may have others"
        )
    doubts = (sync_doubt(one, sync) for one in disk.disks)
    yield from (doubt for doubt in doubts if doubt is not None)


def to_text(report: Report) -> str:
    """Return the report as lines for a person."""
    machine, disk = report.machine, report.machine.disk
    lines = [
        f"{machine.model}: {machine.processor}, {machine.cores} cores"
        + (f" at {machine.frequency} MHz" if machine.frequency else "")
        + (f", {machine.memory} MiB" if machine.memory else ""),
        f"{machine.system}, Linux {machine.kernel}, Python {machine.python}, feltd {machine.version}",
        f"{disk.device}" + (f" ({disk.model})" if disk.model else "") + f", {disk.file_system}, {disk.options}",
        "",
    ]
    width = max(len(figure.name) for figure in report.figures)
    lines += [_line(figure, width) for figure in report.figures]
    lines += [f"note: {note}" for note in report.notes]
    if not report.too_slow:
        return "\n".join([*lines, "", "This board is quick enough for a table."])
    lines += ["", "This board is too slow for a table:"]
    return "\n".join([*lines, *(f"  {figure.name}: {figure.remedy}" for figure in report.too_slow)])


def _line(figure: Figure, width: int) -> str:
    limit = "" if figure.limit is None else f"   at most {figure.limit:g} {figure.unit}: "
    verdict = "" if figure.limit is None else "enough" if figure.is_enough else "TOO SLOW"
    return f"{figure.name.ljust(width)}   {figure.value:9.3g} {figure.unit.ljust(3)}{limit}{verdict}"

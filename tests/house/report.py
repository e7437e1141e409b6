"""Print the figures as tables, of one tree or `before → after` where two trees differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.house.imports import imports_of
from tests.house.rooms import Plan, plan_of_files, plan_of_rooms
from tests.house.sources import LONG_FILE, LONG_FUNCTION, MANY_ARGUMENTS, SHORT_FILE, Sources, sources_of
from tests.house.trees import Tree
from tests.house.walks import Figure, paired

Cells = Mapping[str, str]
"""A line of a table, by the heads of its columns."""


@dataclass(frozen=True, slots=True)
class Package:
    """Everything that is measured of one package."""

    name: str
    sources: Sources
    rooms: Plan
    files: Plan


def measure(tree: Tree) -> list[Package]:
    """All packages of a tree. Raises HouseError."""
    imports = imports_of(tree)
    return [
        Package(name, sources_of(tree.files(name)), plan_of_rooms(imports, name), plan_of_files(imports, name))
        for name in tree.measured
    ]


def house(after: Sequence[Package], before: Sequence[Package] | None = None) -> str:
    """Three tables and the list of rings."""
    old = {package.name: package for package in before or ()}
    parts = [
        ("Rooms: direct children of a package, and the imports between them", _rooms),
        ("Files: all modules of a package, and the imports between them", _files),
        ("Sources", _sources),
    ]
    gone = [package for package in old.values() if package.name not in {new.name for new in after}]
    lines: list[str] = []
    for title, cells in parts:
        rows = [_beside(cells(old[new.name]) if new.name in old else None, cells(new), before) for new in after]
        rows += [{head: cell and f"{cell} → –" for head, cell in cells(package).items()} for package in gone]
        lines += [title, "", *table(["package", *next(iter(rows))], _with_names(rows, [*after, *gone])), ""]
    for title, packages in (("Rings before", before), ("Rings" if before is None else "Rings after", after)):
        if packages is not None:
            lines += [title, "", *_rings(packages), ""]
    return "\n".join(lines)


def walks(after: Sequence[Figure], before: Sequence[Figure] | None = None, *, verbose: bool = False) -> str:
    """One line a figure; under it, where `verbose`, the files it was counted in."""
    lines = ["The five walks", ""]
    walk = 0
    titles = [
        "",
        "A hole card is exposed",
        "A new irregularity",
        "A new variant",
        "A new device role",
        "A new decision",
    ]
    for old, new in paired(before or (), after):
        if new.walk != walk:
            walk = new.walk
            lines += [f"{walk}. {titles[walk]}"]
        value = new.value if before is None else _change(None if old is None else old.value, new.value)
        lines += [f"   {new.what}: {value}"]
        lines += [f"       {file}" for file in new.files] if verbose else []
    return "\n".join([*lines, ""])


def table(heads: Sequence[str], rows: Sequence[Cells]) -> list[str]:
    """An aligned table: the first column to the left, the others to the right."""
    widths = {head: max(len(head), *(len(row[head]) for row in rows)) for head in heads}

    def line(row: Cells) -> str:
        cells = [row[h].ljust(widths[h]) if h == heads[0] else row[h].rjust(widths[h]) for h in heads]
        return f"| {' | '.join(cells)} |"

    rule = "|".join("-" * (widths[h] + 2) if h == heads[0] else "-" * (widths[h] + 1) + ":" for h in heads)
    return [line({head: head for head in heads}), f"|{rule}|", *(line(row) for row in rows)]


def _with_names(rows: Sequence[Cells], packages: Sequence[Package]) -> list[Cells]:
    return [{"package": package.name, **row} for row, package in zip(rows, packages, strict=True)]


def _beside(old: Cells | None, new: Cells, before: Sequence[Package] | None) -> Cells:
    if before is None:
        return new
    return {head: _change(None if old is None else old[head], cell) for head, cell in new.items()}


def _change(old: str | None, new: str) -> str:
    return new if old == new else f"{'–' if old is None else old} → {new}"


def _rooms(package: Package) -> Cells:
    plan = package.rooms
    fewest = len(plan.back_up.arrows)
    return {
        "files": str(package.sources.files),
        "lines": str(package.sources.lines),
        "rooms": str(plan.nodes),
        "arrows": str(plan.arrows),
        "for types": str(plan.for_types),
        "floors": str(plan.floors),
        "rings of": _sizes(plan.rings),
        "with types": _sizes(plan.rings_with_types),
        "back up": str(fewest) if plan.back_up.fewest else f"≤ {fewest}",
    }


def _files(package: Package) -> Cells:
    plan = package.files
    return {
        "files": str(plan.nodes),
        "imports": str(plan.arrows),
        "for types": str(plan.for_types),
        "imports a file": f"{plan.arrows / plan.nodes:.1f}",
        "floors": str(plan.floors),
        "rings of": _sizes(plan.rings),
        "with types": _sizes(plan.rings_with_types),
    }


def _sources(package: Package) -> Cells:
    sources = package.sources
    return {
        "median file": f"{sources.median_file:g}",
        f"< {SHORT_FILE} lines": str(sources.short_files),
        f"> {LONG_FILE} lines": str(sources.long_files),
        "functions": str(sources.functions),
        "median": f"{sources.median_function:g}",
        f"> {LONG_FUNCTION} lines": str(sources.long_functions),
        f"> {MANY_ARGUMENTS} arguments": str(sources.many_arguments),
        "`Any`/kloc": f"{sources.any_per_kloc:.1f}",
        "type: ignore": str(sources.type_ignores),
    }


def _sizes(rings: Sequence[Sequence[str]]) -> str:
    return ", ".join(str(len(ring)) for ring in rings) or "none"


def _rings(packages: Sequence[Package]) -> list[str]:
    """Every ring with its names, and the arrows back up.

    A ring of files is left out where the same names are a ring of rooms.
    """
    lines: list[str] = []
    for package in packages:
        rooms, files = package.rooms, package.files
        named = [("rooms", ring) for ring in rooms.rings]
        named += [("rooms, with types", ring) for ring in rooms.rings_with_types if ring not in rooms.rings]
        named += [("files", ring) for ring in files.rings if ring not in rooms.rings]
        listed = [*rooms.rings_with_types, *files.rings]
        named += [("files, with types", ring) for ring in files.rings_with_types if ring not in listed]
        lines += [f"- {package.name}, {len(ring)} {what}: {', '.join(ring)}" for what, ring in named]
        up = [f"{start} → {end}" for start, end in rooms.back_up.arrows]
        lines += [f"- {package.name}, back up: {', '.join(up)}"] if up else []
    return lines or ["- none"]

"""The rooms of a package, and its files, with the arrows between them."""

from dataclasses import dataclass

from tests.house.graph import BackUp, back_up, floors, rings, without_loops
from tests.house.imports import Arrow, Imports


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured of a graph of rooms, or of files."""

    nodes: int
    arrows: int
    for_types: int
    """Arrows more, if imports for types alone counted."""
    floors: int
    rings: list[list[str]]
    rings_with_types: list[list[str]]
    """The rings if imports for types alone counted; as `rings` where that changes nothing."""
    back_up: BackUp


def plan_of_rooms(imports: Imports, package: str) -> Plan:
    """The package's rooms; its own `__init__` is none."""
    nodes = {room for module in imports.modules if (room := _room(module, package)) is not None}

    def between(arrows: frozenset[Arrow]) -> set[Arrow]:
        pairs = ((_room(start, package), _room(end, package)) for start, end in arrows)
        return {(start, end) for start, end in pairs if start is not None and end is not None and start != end}

    return _plan(nodes, between(imports.arrows), between(imports.for_types))


def plan_of_files(imports: Imports, package: str) -> Plan:
    """Every module of the package and of the packages in it, each `__init__` too."""
    nodes = {module.removeprefix(f"{package}.") for module in imports.modules if _within(module, package)}

    def between(arrows: frozenset[Arrow]) -> set[Arrow]:
        inside = ((start, end) for start, end in arrows if _within(start, package) and _within(end, package))
        return {(start.removeprefix(f"{package}."), end.removeprefix(f"{package}.")) for start, end in inside}

    return _plan(nodes, between(imports.arrows), between(imports.for_types))


def _plan(nodes: set[str], arrows: set[Arrow], for_types: set[Arrow]) -> Plan:
    graph = without_loops(nodes, arrows)
    return Plan(
        nodes=len(nodes),
        arrows=len(arrows),
        for_types=len(for_types - arrows),
        floors=floors(graph),
        rings=rings(graph),
        rings_with_types=rings(without_loops(nodes, arrows | for_types)),
        back_up=back_up(graph),
    )


def _within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def _room(module: str, package: str) -> str | None:
    """The room of a package that a module lies in; None if it lies in none of them."""
    inside = module.removeprefix(f"{package}.")
    return None if inside == module else inside.partition(".")[0]

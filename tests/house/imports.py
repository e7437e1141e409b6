"""Read with grimp which module of a tree imports which, inside functions too."""

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import grimp

from tests.house.trees import Tree

Arrow = tuple[str, str]
"""The module that imports, and the one that is imported."""


@dataclass(frozen=True, slots=True)
class Imports:
    """The modules of a tree's product and the imports between them."""

    modules: frozenset[str]
    arrows: frozenset[Arrow]
    """Without those that are only there for types."""
    for_types: frozenset[Arrow]
    """Those that stand only under `if TYPE_CHECKING:`."""


def imports_of(tree: Tree, packages: Sequence[str] | None = None) -> Imports:
    """The imports of these top-level packages, by default the product's. Raises HouseError."""
    names = list(packages or tree.product)
    with _found_first(tree, names):
        full = grimp.build_graph(*names, cache_dir=None)
        running = grimp.build_graph(*names, cache_dir=None, exclude_type_checking_imports=True)
    arrows = _arrows(running)
    return Imports(frozenset(full.modules), arrows, _arrows(full) - arrows)


def _arrows(graph: grimp.ImportGraph) -> frozenset[Arrow]:
    return frozenset(
        (module, other) for module in graph.modules for other in graph.find_modules_directly_imported_by(module)
    )


@contextmanager
def _found_first(tree: Tree, names: Sequence[str]) -> Iterator[None]:
    """Have Python find these packages in the tree.

    grimp asks Python where a package lies. Without this the answer is what this process has loaded or installed.
    """
    loaded = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.path.insert(0, str(tree.root))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(tree.root))
        sys.modules.update(loaded)

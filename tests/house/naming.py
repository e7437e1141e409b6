"""Find the product files that name a thing, or ask for it.

Python is read as syntax, so that comments and docstrings do not count.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TypeAlias

from tests.house.trees import Tree

Places: TypeAlias = Counter[str]
"""How often by file, the file as a path in the tree."""

_SCRIPT_COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Module:
    """A Python file of the product, read once."""

    file: str
    nodes: tuple[ast.AST, ...]
    """Every node of its syntax tree."""
    identifiers: Counter[str]
    """How often each name stands in it."""
    texts: tuple[str, ...]
    """Its strings, docstrings aside."""


@dataclass(frozen=True, slots=True)
class Script:
    """A script of the page, without its comments."""

    file: str
    text: str


@dataclass(frozen=True, slots=True)
class Product:
    """Everything of a tree that is searched."""

    modules: tuple[Module, ...]
    scripts: tuple[Script, ...]

    def naming(self, name: str) -> Places:
        """Files that name it: as an identifier, as the beginning of a class's name, or in a text."""
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        identifier = _identifier(name)
        found = self._places(lambda module: _names(module, word, identifier))
        found.update({script.file: len(word.findall(script.text)) for script in self.scripts})
        return +found

    def comparing(self, attribute: str) -> Places:
        """Comparisons with something of that name: `book.banked == "house"`, `phase in {"draw"}`."""
        return self._places(lambda module: _compares(module, attribute))

    def asking(self, owner: str, attribute: str) -> Places:
        """Uses of `owner.attribute`, whatever comes before the owner: `core.street.draw`."""
        return self._places(lambda module: _asks(module, owner, attribute))

    def spelling(self, names: Collection[str], least: int) -> Places:
        """Files that name at least so many of these, with how many they name."""
        found: Places = Counter(file for name in names for file in self.naming(name))
        return Counter({file: count for file, count in found.items() if count >= least})

    def members(self, enum: str) -> list[str]:
        """The values of an enum's members, in order; none where no module defines it."""
        classes = (node for module in self.modules for node in module.nodes if isinstance(node, ast.ClassDef))
        return [
            line.value.value
            for one in classes
            if one.name == enum
            for line in one.body
            if isinstance(line, ast.Assign)
            and isinstance(line.value, ast.Constant)
            and isinstance(line.value.value, str)
        ]

    def _places(self, count: Callable[[Module], int]) -> Places:
        return +Counter({module.file: count(module) for module in self.modules})


def product_of(tree: Tree) -> Product:
    """Read the product of a tree: its Python files, and the scripts that its page serves."""
    folders = [tree.folder(package) for package in tree.product]
    modules = [_module(tree, file) for folder in folders for file in sorted(folder.rglob("*.py"))]
    scripts = [
        Script(_path(tree, file), _SCRIPT_COMMENT.sub("", file.read_text(encoding="utf-8")))
        for folder in folders
        for file in sorted(folder.rglob("*.js"))
    ]
    return Product(tuple(modules), tuple(scripts))


@dataclass(frozen=True, slots=True)
class Spread:
    """In how many files each member of a closed set is named."""

    members: int
    median: float
    most: int
    most_of: str


def spread(product: Product, names: Iterable[str]) -> Spread | None:
    """How widely these names are spelt; None without names."""
    counts = {name: len(product.naming(name)) for name in names}
    if not counts:
        return None
    widest = max(counts, key=lambda name: counts[name])
    return Spread(len(counts), median(counts.values()), counts[widest], widest)


def _module(tree: Tree, file: Path) -> Module:
    nodes = tuple(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    # A text that stands alone as a statement documents what is before it, or the module, class or function it is in.
    alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = (
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone
    )
    return Module(_path(tree, file), nodes, Counter(_identifiers(nodes)), tuple(texts))


def _path(tree: Tree, file: Path) -> str:
    return file.relative_to(tree.root).as_posix()


def _identifier(name: str) -> re.Pattern[str]:
    """`markers`, `_markers`, `MARKERS`, `MarkersDriver`; for names of several words no class."""
    camel = "".join(part.capitalize() for part in name.split("_"))
    return re.compile(rf"_*(?:{re.escape(name)}|{re.escape(name.upper())}|{camel}(?:[A-Z]\w*)?)")


def _names(module: Module, word: re.Pattern[str], identifier: re.Pattern[str]) -> int:
    in_texts = sum(word.search(text) is not None for text in module.texts)
    return in_texts + sum(count for name, count in module.identifiers.items() if identifier.fullmatch(name))


def _identifiers(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.keyword(arg=str(name)):
                yield name
            case ast.alias(name=name) | ast.ImportFrom(module=str(name)):
                yield name.rpartition(".")[2]


def _compares(module: Module, attribute: str) -> int:
    comparisons = (node for node in module.nodes if isinstance(node, ast.Compare))
    return sum(any(_called(side) == attribute for side in (node.left, *node.comparators)) for node in comparisons)


def _asks(module: Module, owner: str, attribute: str) -> int:
    return sum(
        isinstance(node, ast.Attribute) and node.attr == attribute and _called(node.value) == owner
        for node in module.nodes
    )


def _called(node: ast.AST) -> str | None:
    """The last name of an expression: `phase` of `core.phase`; `streets` of `book.streets[1]`."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return _called(value)
    return None

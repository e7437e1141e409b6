"""Find who writes which field of some classes, by the sources alone.

The type of an expression is followed from annotations (parameters, fields, what a function returns), so a name for a
part (`board = core.round.board`) and a part that is handed on (`def judge(core: Core, box: BettingBox)`) are followed.
A write is an assignment to the field or into it, `del`, `setattr`, and a call of a method that changes a list, set or
dict. Not followed: a list, set or dict that is handed to another function.
"""

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias, TypeVar

_CHANGES_ONE: Final = {"add", "append", "appendleft", "discard", "insert", "pop", "popitem", "popleft", "remove"}
_CHANGES_ALL: Final = {
    "clear",
    "setdefault",
    "extend",
    "reverse",
    "sort",
    "update",
    "difference_update",
    "intersection_update",
}
_CHANGES: Final = _CHANGES_ONE | _CHANGES_ALL
"""Methods that change a list, set, dict or deque."""
_GIVES_ITEM: Final = frozenset({"get", "pop", "popleft", "setdefault"})
"""Methods that give one item of a container."""
_COPIES: Final = frozenset({"list", "sorted", "reversed", "tuple", "set"})
"""Functions that give the items of a container in a new one."""
_EVERY: Final = "*"
"""In the place of a field: any of its class, by `setattr`."""

Field: TypeAlias = tuple[str, str]
"""A class and its field."""
_Node = TypeVar("_Node", bound=ast.AST)


class Write(NamedTuple):
    """One place at which a field is written. The writer is the class itself for its own methods, else the module."""

    field: Field
    writer: str
    line: int


@dataclass(frozen=True, slots=True)
class _Value:
    """What an expression gives: its type, where it is known, and the field whose value it is, if it is one's."""

    type: ast.expr | None = None
    field: Field | None = None


_Names: TypeAlias = dict[str, _Value]
_UNKNOWN: Final = _Value()


@dataclass(frozen=True, slots=True)
class _Class:
    """The types of a class's fields, and what its properties and methods return."""

    fields: Mapping[str, ast.expr | None]
    methods: Mapping[str, ast.expr | None]


@dataclass(frozen=True)
class Program:
    """Modules by their names."""

    modules: Mapping[str, ast.Module]

    @cached_property
    def classes(self) -> dict[str, _Class]:
        """Every class by its bare name; of two with one name the one read first."""
        nodes = (node for tree in self.modules.values() for node in _of(tree, ast.ClassDef))
        found: dict[str, _Class] = {}
        for node in nodes:
            found.setdefault(node.name, _class_of(node))
        return found

    @cached_property
    def returns(self) -> dict[tuple[str, str], ast.expr | None]:
        """What every function returns, by its module and name."""
        return {
            (name, node.name): node.returns
            for name, tree in self.modules.items()
            for node in tree.body
            if isinstance(node, ast.FunctionDef)
        }

    def parts_of(self, name: str, package: str) -> set[str]:
        """The class of this name and those that its fields hold, theirs too, of the modules within this package."""
        near = {n.name for m, tree in self.modules.items() if m.startswith(package) for n in _of(tree, ast.ClassDef)}
        found: set[str] = set()
        waiting = {name}
        while waiting:
            part = waiting.pop()
            found.add(part)
            types = [type_ for type_ in self.classes[part].fields.values() if type_ is not None]
            waiting |= {node.id for type_ in types for node in _of(type_, ast.Name)} & near - found
        return found

    @cached_property
    def readers(self) -> list["_Reader"]:
        """Every module, read."""
        return [_Reader(self, name, tree) for name, tree in self.modules.items()]

    def writers(self, parts: Collection[str]) -> dict[Field, set[str]]:
        """Who writes each field of these classes that is written at all."""
        found: dict[Field, set[str]] = defaultdict(set)
        for write in (write for reader in self.readers for write in reader.writes if write.field[0] in parts):
            found[write.field].add(write.writer)
        return dict(found)

    def unclear(self, parts: Collection[str]) -> list[str]:
        """Writes to an attribute with the name of a part's field, of something whose type is not known."""
        names = {name for part in parts for name in self.classes[part].fields}
        return [f"{r.module}:{line}: {name}" for r in self.readers for name, line in r.unclear if name in names]


def program_of(folder: Path) -> Program:
    """The modules of a package. Raises SyntaxError."""
    files = {file: ".".join(file.relative_to(folder.parent).with_suffix("").parts) for file in folder.rglob("*.py")}
    return Program({name: ast.parse(file.read_text(encoding="utf-8")) for file, name in sorted(files.items())})


def _of(tree: ast.AST, kind: type[_Node]) -> Iterator[_Node]:
    return (node for node in ast.walk(tree) if isinstance(node, kind))


def _class_of(node: ast.ClassDef) -> _Class:
    """A class with the fields that it declares, and those that its methods give `self`."""
    fields: dict[str, ast.expr | None] = {
        line.target.id: line.annotation
        for line in node.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    }
    methods = [line for line in node.body if isinstance(line, ast.FunctionDef)]
    for method in methods:
        for name, type_ in _given_to_self(method):
            fields[name] = fields.get(name) or type_
    return _Class(fields, {method.name: method.returns for method in methods})


def _given_to_self(method: ast.FunctionDef) -> Iterator[tuple[str, ast.expr | None]]:
    """Fields of `self` that a method assigns, with their types as far as annotations and constructors tell."""
    arguments = {argument.arg: argument.annotation for argument in _arguments(method)}
    for line in ast.walk(method):
        if not isinstance(line, ast.Assign | ast.AnnAssign):
            continue
        for target in line.targets if isinstance(line, ast.Assign) else [line.target]:
            if isinstance(target, ast.Attribute) and _id(target.value) == "self":
                made = line.value.func if isinstance(line.value, ast.Call) else arguments.get(_id(line.value))
                yield target.attr, line.annotation if isinstance(line, ast.AnnAssign) else made


def _arguments(function: ast.FunctionDef) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def _id(node: ast.expr | None) -> str:
    """The name that an expression is, else an empty text."""
    return node.id if isinstance(node, ast.Name) else ""


def _without_none(type_: ast.expr | None) -> ast.expr | None:
    """The type without `| None` and without quotes."""
    if isinstance(type_, ast.Constant) and isinstance(type_.value, str):
        return _without_none(ast.parse(type_.value, mode="eval").body)
    if isinstance(type_, ast.BinOp):
        none = isinstance(type_.right, ast.Constant) and type_.right.value is None
        return _without_none(type_.left if none else type_.right)
    return type_


def _types_of(type_: ast.expr | None) -> list[ast.expr]:
    """The types of a tuple's parts, where it is one of so many."""
    type_ = _without_none(type_)
    if isinstance(type_, ast.Subscript) and _id(type_.value) == "tuple" and isinstance(type_.slice, ast.Tuple):
        return [] if any(isinstance(part, ast.Constant) for part in type_.slice.elts) else type_.slice.elts
    return []


def _item(type_: ast.expr | None) -> ast.expr | None:
    """What a container holds; of a mapping its values."""
    type_ = _without_none(type_)
    if not isinstance(type_, ast.Subscript):
        return None
    inner = type_.slice
    return inner.elts[-1] if isinstance(inner, ast.Tuple) else inner


@dataclass
class _Reader(ast.NodeVisitor):
    """Reads one module, line by line, and notes its writes."""

    program: Program
    module: str
    tree: ast.Module
    writes: list[Write] = field(default_factory=list)
    unclear: list[tuple[str, int]] = field(default_factory=list)
    names: _Names = field(default_factory=dict)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Names from other modules: the module, and the name there."""
    inside: str = ""
    """The class that is being read."""

    def __post_init__(self) -> None:
        for node in _of(self.tree, ast.ImportFrom):
            for alias in node.names:
                self.imported[alias.asname or alias.name] = node.module or "", alias.name
        self.visit(self.tree)

    # -- what an expression is

    def value(self, node: ast.expr | None) -> _Value:
        """What an expression gives."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id, _UNKNOWN)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Subscript):
            return self._item_of(node.value)
        if isinstance(node, ast.Call):
            return self._result(node)
        if isinstance(node, ast.NamedExpr):
            return self.value(node.value)
        if isinstance(node, ast.IfExp | ast.BoolOp):
            options = node.values if isinstance(node, ast.BoolOp) else [node.body, node.orelse]
            return next((value for value in map(self.value, options) if value.type is not None), _UNKNOWN)
        return _UNKNOWN

    def _class_of(self, value: _Value) -> str:
        name = _id(_without_none(value.type))
        return name if name in self.program.classes else ""

    def _attribute(self, node: ast.Attribute) -> _Value:
        name = self._class_of(self.value(node.value))
        if not name:
            return _UNKNOWN
        class_ = self.program.classes[name]
        if node.attr in class_.fields:
            return _Value(class_.fields[node.attr], (name, node.attr))
        return _Value(class_.methods.get(node.attr))

    def _item_of(self, container: ast.expr) -> _Value:
        """An item of a container. A list in a field's dict is still the field's."""
        value = self.value(container)
        return _Value(_item(value.type), value.field)

    def _result(self, node: ast.Call) -> _Value:
        made = node.func
        if isinstance(made, ast.Attribute):
            if made.attr in _GIVES_ITEM and not self._class_of(self.value(made.value)):
                return self._item_of(made.value)
            if made.attr in {"values", "items"}:
                return self.value(made.value)
            module = ".".join(self.imported.get(_id(made.value), ()))
            return _Value(self.program.returns.get((module, made.attr))) if module else self._attribute(made)
        name = _id(made)
        if name in _COPIES and node.args:
            return _Value(self.value(node.args[0]).type)
        if name in self.program.classes:
            return _Value(made)
        return _Value(self.program.returns.get(self.imported.get(name, (self.module, name))))

    # -- names

    def _bind(self, target: ast.expr, value: _Value, source: ast.expr | None = None) -> None:
        """Give a name its value, or note that a field gets one."""
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            sources = source.elts if isinstance(source, ast.Tuple) else [None] * len(target.elts)
            types: list[ast.expr | None] = [*_types_of(value.type)] or [None] * len(target.elts)
            for part, its, type_ in zip(target.elts, sources, types, strict=True):
                self._bind(part, _Value(type_) if its is None else self.value(its), its)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, _UNKNOWN)
        else:
            self._note_target(target)

    def _loop(self, target: ast.expr, over: ast.expr) -> None:
        """Give the names of a loop an item's value: of a dict's `items()` the second one."""
        item = self._item_of(over)
        if isinstance(target, ast.Tuple) and len(target.elts) == 2:
            self._bind(target.elts[0], _UNKNOWN)
            self._bind(target.elts[1], item)
        elif isinstance(target, ast.Tuple):
            for part in target.elts:
                self._bind(part, _UNKNOWN)
        else:
            self._bind(target, item)

    # -- writes

    def _note(self, written: Field, line: int) -> None:
        self.writes.append(Write(written, written[0] if self.inside == written[0] else self.module, line))

    def _note_target(self, target: ast.expr) -> None:
        if isinstance(target, ast.Attribute):
            name = self._class_of(self.value(target.value))
            if name:
                self._note((name, target.attr), target.lineno)
            elif self.value(target.value).type is None:
                self.unclear.append((target.attr, target.lineno))
        elif isinstance(target, ast.Subscript) and (written := self.value(target.value).field) is not None:
            self._note(written, target.lineno)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        outer, self.inside = self.inside, node.name
        self.generic_visit(node)
        self.inside = outer

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        outer, self.names = self.names, dict(self.names)
        for argument in _arguments(node):
            own = ast.Name(self.inside) if argument.arg == "self" else None
            self.names[argument.arg] = _Value(argument.annotation or own)
        self.generic_visit(node)
        self.names = outer

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self._bind(target, self.value(node.value), node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            written = self.value(node.value).field
            self._bind(node.target, _Value(node.annotation, written), node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        value = self.value(node.target)
        if not isinstance(node.target, ast.Name):
            self._note_target(node.target)
        elif value.field is not None and isinstance(_without_none(value.type), ast.Subscript):
            self._note(value.field, node.lineno)  # `+=` changes the field's own list

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self._note_target(target)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self._bind(node.target, self.value(node.value))

    def visit_For(self, node: ast.For) -> None:
        self._loop(node.target, node.iter)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self._loop(node.target, node.iter)
        self.generic_visit(node)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        """Read the loops first: they bind the names in the item."""
        for loop in node.generators:
            self.visit(loop)
        for part in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
            self.visit(part)

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            self._comprehension(node)
        else:
            super().generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGES:
            changed = node.func.value
            value = self.value(changed)
            if value.field is not None and not self._class_of(value):
                self._note(value.field, node.lineno)
            elif isinstance(changed, ast.Attribute) and self.value(changed.value).type is None:
                self.unclear.append((changed.attr, node.lineno))
        elif _id(node.func) == "setattr" and (name := self._class_of(self.value(node.args[0]))):
            self._note((name, _EVERY), node.lineno)

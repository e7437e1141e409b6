"""Probes in the lines and branches of a module, each for its first time alone; a module with probes is kept in a file.

slipcover's own probe calls a function each time that its line runs, as long as nobody looks through all functions of
the process for it: that took two thirds more of the time of tests that play many events. A probe of ours switches
itself off as it is reached: the call has an instruction before it that does nothing, and that becomes a jump over it,
in the running code. To put probes into all modules anew, in each process of a run, took as long as to collect the
tests.

Where Python tells of each line once by itself (`sys.monitoring`, from 3.12 on) slipcover uses that, and nothing of
this.
"""

import ast
import ctypes
import dis
import hashlib
import marshal
import os
import sys
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

import slipcover
from slipcover import branch, bytecode, importer

Place = int | tuple[int, int]
"""A line, or the two lines of a branch."""

_CALLED: Final = "feltd: what a probe calls"
_PROBE: Final = "feltd: a probe"
_NOTHING: Final = dis.opmap["NOP"]
_JUMP: Final = dis.opmap["JUMP_FORWARD"]
_BEFORE_INSTRUCTIONS: Final = CodeType.__basicsize__
"""Bytes of a code object before its instructions."""
_THIS: Final = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
"""This program: what another one has kept, has other marks."""


class Marking(slipcover.Slipcover):  # type: ignore[misc]  # slipcover has no types
    """Leaves a mark where slipcover has a probe: plain values, which can be kept in a file."""

    def instrument(self, co: CodeType, parent: CodeType | None = None) -> CodeType:
        """The same code with marks in its constants, and in those of the functions within it."""
        new: CodeType = super().instrument(co, parent)
        self.instrumented.clear()  # it is for taking probes away
        constants = [_CALLED if one is slipcover.probe.signal else one for one in new.co_consts]
        editor = bytecode.Editor(new)
        offsets: dict[int, list[int]] = defaultdict(list)  # two copies of a `finally` have one constant
        for offset, place in self.code2index.pop(new, ()):
            _, probe = editor.get_inserted_function(offset)
            offsets[probe].append(offset)
            constants[probe] = (_PROBE, place, tuple(offsets[probe]))
        return new.replace(co_consts=tuple(constants))


class _Probe:
    """One line or branch of a code object that runs."""

    __slots__ = ("_place", "_seen", "_switches")

    def __init__(self, place: Place, seen: set[Place]) -> None:
        self._place = place
        self._seen = seen
        self._switches: tuple[int, ...] = ()

    def stands_in(self, code: CodeType, offsets: tuple[int, ...]) -> None:
        """It is called at these offsets. Where that is not so nothing is changed later: then it is called each time."""
        begin = id(code) + _BEFORE_INSTRUCTIONS
        self._switches = tuple(
            begin + offset for offset in offsets if ctypes.c_ubyte.from_address(begin + offset).value == _NOTHING
        )

    def reached(self) -> None:
        """Note it, and switch the calls off. They are in the code that is running, so that is there."""
        self._seen.add(self._place)
        for address in self._switches:
            ctypes.c_ubyte.from_address(address).value = _JUMP


def armed(code: CodeType, seen: set[Place]) -> CodeType:
    """The code with a probe in place of each mark. What is reached comes into `seen`."""
    constants: list[Any] = []
    probes: list[tuple[_Probe, tuple[int, ...]]] = []
    for one in code.co_consts:
        if isinstance(one, CodeType):
            constants.append(armed(one, seen))
        elif isinstance(one, tuple) and one[:1] == (_PROBE,):
            probe = _Probe(one[1], seen)
            probes.append((probe, one[2]))
            constants.append(probe)
        else:
            constants.append(_Probe.reached if one == _CALLED else one)
    new = code.replace(co_consts=tuple(constants))
    for probe, offsets in probes:
        probe.stands_in(new, offsets)
    return new


@dataclass(frozen=True)
class _Marked:
    """A module's code with marks, its lines and its branches."""

    code: CodeType
    lines: frozenset[int]
    branches: frozenset[tuple[int, int]]


class _Kept:
    """Modules with marks, in a folder: a file for each, which knows of which source it is and which program made it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, origin: Path, source: bytes) -> _Marked | None:
        """What is kept for this source; None where there is nothing."""
        with suppress(OSError, EOFError, ValueError, TypeError):  # it is made anew, whatever is wrong with it
            made_of, code, lines, branches = marshal.loads(self._file(origin).read_bytes())
            if made_of == self._made_of(source):
                return _Marked(code, lines, branches)
        return None

    def write(self, origin: Path, source: bytes, marked: _Marked) -> None:
        """Keep it, whole or not at all: other processes read it meanwhile."""
        file = self._file(origin)
        self._folder.mkdir(parents=True, exist_ok=True)
        new = file.with_suffix(f".{os.getpid()}.new")
        new.write_bytes(marshal.dumps((self._made_of(source), marked.code, marked.lines, marked.branches)))
        new.replace(file)

    def _file(self, origin: Path) -> Path:
        named = hashlib.sha256(os.fsencode(origin)).hexdigest()[:16]  # the code has the name of its file in it
        return self._folder / f"{origin.stem}-{named}.{sys.implementation.cache_tag}"

    def _made_of(self, source: bytes) -> tuple[str, str, str]:
        return slipcover.version.__version__, _THIS, hashlib.sha256(source).hexdigest()


class _Loader(importer.SlipcoverLoader):  # type: ignore[misc]
    """Loads a module with probes."""

    def __init__(self, sci: Marking, orig_loader: SourceFileLoader, origin: str, kept: _Kept) -> None:
        super().__init__(sci, orig_loader, origin)
        self._kept = kept

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code, as it is kept or made now."""
        source = self.origin.read_bytes()
        marked = self._kept.read(self.origin, source)
        if marked is None:
            marked = self._marked(source)
            self._kept.write(self.origin, source, marked)
        name = str(self.origin)
        self.sci.code_lines[name].update(marked.lines)
        self.sci.code_branches[name].update(marked.branches)
        exec(armed(marked.code, self.sci.all_seen[name]), module.__dict__)

    def _marked(self, source: bytes) -> _Marked:
        code = compile(branch.preinstrument(ast.parse(source)), str(self.origin), "exec", dont_inherit=True)
        lines, branches = self.sci.lines_from_code(code), self.sci.branches_from_code(code)
        told = frozenset(line for line in lines if line is not None), frozenset(branches)
        return _Marked(self.sci.instrument(code), *told)


class Finder(importer.SlipcoverMetaPathFinder):  # type: ignore[misc]
    """Finds the modules that get probes. `kept`: a folder for those that have some."""

    def __init__(self, sci: Marking, matcher: Any, kept: Path) -> None:
        super().__init__(sci, matcher)
        self._kept = _Kept(kept)

    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        """As slipcover finds it, with our loader."""
        spec: ModuleSpec | None = super().find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, importer.SlipcoverLoader):
            loader = spec.loader.orig_loader
            if not isinstance(loader, SourceFileLoader) or spec.origin is None:
                raise ImportError(f"{fullname}: no file of source, so no probes can be put into it: {loader}")
            spec.loader = _Loader(self.sci, loader, spec.origin, self._kept)
        return spec

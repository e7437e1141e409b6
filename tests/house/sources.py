"""Count what stands in source files: lengths, arguments, `Any`, `type: ignore`."""

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

SHORT_FILE: Final = 60
LONG_FILE: Final = 400
LONG_FUNCTION: Final = 40
MANY_ARGUMENTS: Final = 6


@dataclass(frozen=True, slots=True)
class Sources:
    """Figures of some files together."""

    files: int
    lines: int
    median_file: float
    short_files: int
    """With fewer than `SHORT_FILE` lines."""
    long_files: int
    """With more than `LONG_FILE` lines."""
    functions: int
    median_function: float
    """In lines, from `def` to the last one; decorators do not count."""
    long_functions: int
    """With more than `LONG_FUNCTION` lines."""
    many_arguments: int
    """Functions with more than `MANY_ARGUMENTS` arguments; `self` and `cls` count, `*` and `**` do not."""
    any_per_kloc: float
    """`Any` where something is named so, imports aside, in a thousand lines."""
    type_ignores: int
    """Comments `type: ignore`."""


def sources_of(files: Iterable[Path]) -> Sources:
    """Measure these Python files."""
    texts = [file.read_text(encoding="utf-8") for file in files]
    trees = [ast.parse(text) for text in texts]
    lengths = [len(text.splitlines()) for text in texts]
    functions = [function for tree in trees for function in _functions(tree)]
    spans = [(function.end_lineno or function.lineno) - function.lineno + 1 for function in functions]
    anys = sum(isinstance(node, ast.Name) and node.id == "Any" for tree in trees for node in ast.walk(tree))
    return Sources(
        files=len(texts),
        lines=sum(lengths),
        median_file=median(lengths) if lengths else 0,
        short_files=sum(length < SHORT_FILE for length in lengths),
        long_files=sum(length > LONG_FILE for length in lengths),
        functions=len(functions),
        median_function=median(spans) if spans else 0,
        long_functions=sum(span > LONG_FUNCTION for span in spans),
        many_arguments=sum(_arguments(function) > MANY_ARGUMENTS for function in functions),
        any_per_kloc=1000 * anys / sum(lengths) if sum(lengths) else 0.0,
        type_ignores=sum(_ignores(text) for text in texts),
    )


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    arguments = function.args
    return len(arguments.posonlyargs) + len(arguments.args) + len(arguments.kwonlyargs)


def _ignores(text: str) -> int:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum(token.type == tokenize.COMMENT and "type: ignore" in token.string for token in tokens)

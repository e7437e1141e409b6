"""Everything that can be written at the page, taken from the API's own description.

A route or a field that comes later is in here by itself. Where this program does not know what a new field takes, or
never gets a text into it, it says so, and the test fails until it has been told.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

Schema = Mapping[str, Any]

WRITES: Final = frozenset({"post", "put", "patch", "delete"})
PATH_VALUES: Final[Mapping[tuple[str, str], str]] = {
    ("/seats/", "seat"): "2",
    ("/devices/", "name"): "badge",
    ("/decisions/", "number"): "1",
    ("/together/", "number"): "1",
    ("/account/sessions/", "id"): "a5" * 8,
    ("/account/tokens/", "id"): "a5" * 4,
    ("/account/keys/", "id"): "a5" * 8,
}
"""What stands in an address, by its beginning: things that there are at the table of the test."""
PATTERNS: Final[Mapping[str, str]] = {
    r"^[a-z][a-z0-9_]{0,39}$": "as",
    r"^[a-z0-9_.]{1,64}$": "as",
    r"^[!-~]+( [!-~]+)*$": "As",
    r"^[a-z0-9][a-z0-9._-]{0,31}$": "as",
    r"^[a-z0-9][a-z0-9:_-]{0,63}$": "as",
    r"^[a-z0-9][a-z0-9:_-]*$": "badge",
    r"^[0-9]{1,6}\.[0-9]{1,6}\.[0-9]{1,6}$": "0.9.0",
    r"^[0-9A-Fa-f]{64}$": "a5" * 32,
    r"^[0-9]{6}$": "012345",
    r"^([2-9TJQKA][shdc]|Jo)$": "As",
    r"^[A-Za-z0-9_-]{1,1400}$": "AsKd",
    r"^[A-Za-z0-9_-]{1,8192}$": "AsKd",
    r"\S": "as",
}
"""A text that each pattern of a field takes; it names a card as nearly as the pattern lets it."""
MOST_VARIANTS: Final = 60
_EVENT_TEXT: Final = "query"


@dataclass(frozen=True)
class Field:
    """A field that takes any text: the operation, and where in its body or beside it."""

    operation: str
    place: str
    name: str

    def __str__(self) -> str:
        return f"{self.operation}: {self.place} {self.name}"


@dataclass(frozen=True)
class Request:
    """One way to write. `texts`: the fields of the body into which a text goes."""

    operation: str
    method: str
    address: str
    body: Mapping[str, Any] | None
    texts: tuple[Field, ...]

    def saying(self, text: str) -> dict[str, Any] | None:
        """The body with this text in every field that takes any."""
        if self.body is None:
            return None
        return {**self.body, **{field.name: text for field in self.texts if field.place == "body"}}


class UnknownFieldError(AssertionError):
    """The API has a field that this program cannot fill: teach it."""


def requests(spec: Schema) -> Iterator[Request]:
    """Every way to write: each operation with each choice of its fields, those that change least first."""
    for path, operations in spec["paths"].items():
        for method, operation in operations.items():
            if method not in WRITES:
                continue
            name, address = f"{method.upper()} {path}", _address(path, operation)
            schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            if schema is None:
                yield Request(name, method, address, None, ())
                continue
            yield from _bodies(name, method, address, resolved(schema, spec), spec)


def text_fields(spec: Schema) -> set[Field]:
    """Every field of a body that takes any text."""
    return {field for request in requests(spec) for field in request.texts}


def _bodies(operation: str, method: str, address: str, schema: Schema, spec: Schema) -> Iterator[Request]:
    needed = set(schema.get("required", ()))
    choices: dict[str, list[Any]] = {}
    texts: dict[str, Field] = {}
    for name, given in schema["properties"].items():
        kind = resolved(given, spec)
        if _takes_any_text(kind):
            texts[name] = Field(operation, "body", name)
            choices[name] = [_EVENT_TEXT]
        else:
            choices[name] = _values(f"{operation}: {name}", kind, spec)
    optional = [name for name in choices if name not in needed and name not in texts]
    bodies = [
        dict(zip(sorted([*needed, *texts, *chosen]), values, strict=True))
        for chosen in _subsets(optional)
        for values in product(*(choices[name] for name in sorted([*needed, *texts, *chosen])))
    ]
    if len(bodies) > MOST_VARIANTS * len(choices):
        raise UnknownFieldError(f"{operation}: {len(bodies)} bodies are too many to try")
    for body in bodies:
        yield Request(operation, method, address, body, tuple(field for name, field in texts.items() if name in body))


def _subsets(optional: list[str]) -> Iterator[tuple[str, ...]]:
    """None of them, each alone, each pair, all."""
    yield ()
    for name in optional:
        yield (name,)
    for at, name in enumerate(optional):
        for other in optional[at + 1 :]:
            yield (name, other)


def _values(name: str, kind: Schema, spec: Schema) -> list[Any]:
    """Values that a field takes; of a closed set each."""
    if "enum" in kind:
        return list(kind["enum"]) if len(kind["enum"]) <= 12 else list(kind["enum"])[:1]
    if "const" in kind:
        return [kind["const"]]
    match kind.get("type"):
        case "boolean":
            return [True, False]
        case "integer":
            return [int(kind.get("minimum", 1))]
        case "number":
            return [float(kind.get("minimum", 1))]
        case "array" if kind.get("minItems"):
            return [_values(name, resolved(kind["items"], spec), spec)[:1]]
        case "array":
            return [[]]
        case "object" if not kind.get("required"):
            return [{}]
        case "object":
            parts = {one: resolved(kind["properties"][one], spec) for one in kind["required"]}
            return [{one: _values(f"{name}.{one}", part, spec)[0] for one, part in parts.items()}]
        case "string" if kind.get("pattern") in PATTERNS:
            return [PATTERNS[kind["pattern"]]]
    raise UnknownFieldError(f"{name}: what does it take? {kind}")


def _takes_any_text(kind: Schema) -> bool:
    return kind.get("type") == "string" and not kind.keys() & {"enum", "const", "pattern"}


def resolved(kind: Schema, spec: Schema) -> Schema:
    """The description itself: behind a reference, and of a value that may be null the other one."""
    while "$ref" in kind or "anyOf" in kind:
        if "$ref" in kind:
            kind = spec["components"]["schemas"][kind["$ref"].rsplit("/", 1)[1]]
        else:
            [kind] = [one for one in kind["anyOf"] if one.get("type") != "null"]
    return kind


def _address(path: str, operation: Schema) -> str:
    """The address with what stands in it filled in."""
    address = path
    for name in re.findall(r"\{(\w+)\}", path):
        filled = next(
            (value for (begin, known), value in PATH_VALUES.items() if path.startswith(begin) and known == name), None
        )
        if filled is None:
            raise UnknownFieldError(f"{path}: what is {name}?")
        address = address.replace(f"{{{name}}}", filled)
    for parameter in operation.get("parameters", ()):
        if parameter["in"] != "path":
            raise UnknownFieldError(f"{path}: {parameter['in']} parameter {parameter['name']} of a change")
    return f"/api/v1{address}"

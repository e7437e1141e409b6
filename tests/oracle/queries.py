"""Every question that the API's description lets a reader put in an address: each parameter, with values of its kind.

A parameter that comes later is in here by itself. Where this program does not know what a new one takes, it says so,
and the test fails until it has been told.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from tests.feltd.table_support import HOLDEM
from tests.oracle.writable import Schema, UnknownFieldError, resolved

TEXTS: Final[Mapping[str, tuple[str, ...]]] = {"book": (HOLDEM,), "dealer": ("As", "D1")}
"""What stands in a parameter that takes any text."""
PATTERNS: Final[Mapping[str, tuple[str, ...]]] = {
    "^(complete|misdeal|void)$": ("complete", "misdeal", "void"),
    "^[a-z0-9_]{1,64}$": ("device_offline", "shoe_unavailable"),
}
_FEW: Final = 12
"""Of a closed set with more members than this, those are asked for that the table has seen, and another one."""


def queries(name: str, operation: Schema, spec: Schema, seen: Collection[str]) -> Iterator[str]:
    """The question without a choice, then each parameter with each value. `seen`: members of large sets.

    Raises UnknownFieldError for a parameter that this program cannot fill.
    """
    choices: dict[str, tuple[str, ...]] = {}
    needed: list[str] = []
    for parameter in operation.get("parameters", ()):
        place = f"{name}: {parameter['in']} parameter {parameter['name']}"
        if parameter["in"] == "path":
            continue
        if parameter["in"] != "query":
            raise UnknownFieldError(f"{place}: this program asks by path and query alone")
        choices[parameter["name"]] = _values(place, parameter["name"], resolved(parameter["schema"], spec), seen)
        if parameter.get("required"):
            needed.append(parameter["name"])
    least = {one: choices[one][0] for one in needed}
    yield _written(least)
    for one, values in choices.items():
        for value in values:
            if least.get(one) != value:
                yield _written({**least, one: value})


def _values(place: str, name: str, kind: Schema, seen: Collection[str]) -> tuple[str, ...]:
    if "enum" in kind:
        return _members([str(member) for member in kind["enum"]], seen)
    match kind.get("type"):
        case "boolean":
            return ("true", "false")
        case "integer" | "number" if "minimum" in kind and "maximum" in kind:
            some = (kind["minimum"], kind["minimum"] + 1, kind["maximum"])
            return tuple(dict.fromkeys(f"{value:g}" if isinstance(value, float) else str(value) for value in some))
        case "string" if "pattern" in kind and kind["pattern"] in PATTERNS:
            return PATTERNS[kind["pattern"]]
        case "string" if "pattern" not in kind and name in TEXTS:
            return TEXTS[name]
    raise UnknownFieldError(f"{place}: what does it take? {dict(kind)}")


def _members(members: list[str], seen: Collection[str]) -> tuple[str, ...]:
    if len(members) <= _FEW:
        return tuple(members)
    others = [member for member in members if member not in seen]
    return (*(member for member in members if member in seen), *others[:1])


def _written(values: Mapping[str, Any]) -> str:
    return "?" + "&".join(f"{name}={value}" for name, value in values.items()) if values else ""

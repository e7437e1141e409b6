"""With what options a table is opened: read from the rulebooks of one tree, so that both trees get the same."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any, Final

BLINDS: Final = ([100, 200], [100, 200], [200, 500], [2500, 5000], [100], [100, 200, 400], [300, 500])
ANTES: Final = (100, 200, 500, 2500)
PERCENTS: Final = (1, 2.5, 5, 10, 100)
SECONDS: Final = (5, 15, 20.5, 30, 60)
NUMBERS: Final = (0, 1, 2, 3, 6, 8, 9)
CENTS: Final = (100, 200, 500, 1000, 2500, 10000)


def read_books(config: Path) -> dict[str, dict[str, Any]]:
    """Every rulebook of a tree that a table can open with, by id: its options, and the rows it has, bases included."""
    raw: dict[str, dict[str, Any]] = {}
    for file in sorted((config / "rulebooks").glob("*.toml")):
        book = tomllib.loads(file.read_text(encoding="utf-8"))
        raw[book["id"]] = book
    return {
        name: {"options": _merged(raw, name), "rows": _rows(raw, name), "banked": book.get("banked", "player")}
        for name, book in raw.items()
        if not book.get("abstract")
    }


def structure_names(config: Path) -> list[str]:
    """The ids of a tree's blind structures."""
    files = sorted((config / "structures").glob("*.toml"))
    return [str(tomllib.loads(file.read_text(encoding="utf-8"))["id"]) for file in files]


def _merged(raw: Mapping[str, dict[str, Any]], name: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for base in raw[name].get("extends", ()):
        options.update(_merged(raw, base))
    return {**options, **raw[name].get("options", {})}


def _rows(raw: Mapping[str, dict[str, Any]], name: str) -> list[list[str]]:
    """Irregularity and text of each row."""
    rows = [[row["irregularity"], row["text"]] for row in raw[name].get("rulings", ())]
    for base in raw[name].get("extends", ()):
        rows += _rows(raw, base)
    return rows


def some_options(chance: Random, rules: Mapping[str, Mapping[str, Any]], structures: list[str]) -> dict[str, Any]:
    """Options for one opening: a few of those that the book takes, most often such as it allows."""
    options: dict[str, Any] = {}
    for name, rule in rules.items():
        if chance.random() < 0.35:
            options[name] = _value(chance, name, rule, structures)
    if "blinds" in rules and "structure" not in options and chance.random() < 0.7:
        options["blinds"] = chance.choice(BLINDS)
    if "commission" in rules and chance.random() < 0.5:
        options["commission"] = _value(chance, "commission", rules["commission"], structures)
    if "structure" in options and chance.random() < 0.8:
        options.pop("blinds", None)
        options.pop("ante", None)
    if "table_min" not in options and chance.random() < 0.3:
        options["table_min"] = 500
    if options.get("seats_max", 10) < 6 and chance.random() < 0.8:
        del options["seats_max"]
    if chance.random() < 0.01:
        options["no_such_option"] = 1
    return {name: value for name, value in options.items() if value is not None}


def _value(chance: Random, name: str, rule: Mapping[str, Any], structures: list[str]) -> Any:
    kind = rule["kind"]
    if "values" in rule:
        return chance.choice(rule["values"])
    if kind == "flag":
        return chance.random() < 0.5
    if kind == "choice":
        return chance.choice(structures) if name == "structure" else None
    choices: Mapping[str, Any] = {
        "cents_list": BLINDS,
        "percent": PERCENTS,
        "seconds": SECONDS,
        "number": NUMBERS,
        "cents": ANTES if name == "ante" else CENTS,
    }
    return chance.choice(choices.get(kind, NUMBERS))

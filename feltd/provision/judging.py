"""What is wrong with a table's file that was made of a line, all of it at once.

`feltd check` asks the rules only of a section without faults: a person mends one file, and asks again. A sheet has
twenty, so what is sound of a section is judged by the rules beside what is not.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from feltd.table.check.check import Book, Rules, own_rules, rule_faults
from feltd.table.config.config import ConfigError, read_config, sound_sections
from table_fsm.felt import SEATS
from toml_text.faults import Problem
from toml_text.lines import KeyPath, locate
from toml_text.syntax import read_toml

ON_THE_BOARD: Final = Path("/etc/feltd")
"""Where the table's file comes to lie: relative paths would count from there."""
_SOME_NAME: Final = "?"
_SOME_SEATS: Final = (1, 2)
"""For a line without good ones, so that its options are judged."""
_OPENING: Final[KeyPath] = ("table",)
"""Where the rules put what they say against the whole opening."""


def rules_read_once() -> Rules:
    """The rules, which read the same rulebooks once for all tables."""
    rules = own_rules()
    kept: dict[tuple[tuple[str, str], ...], Mapping[str, Book]] = {}

    def load(sources: Mapping[str, str], structures: Mapping[str, str]) -> Mapping[str, Book]:
        key = (*sorted(sources.items()), *sorted(structures.items()))
        if key not in kept:
            kept[key] = rules.load(sources, structures)
        return kept[key]

    return Rules(load, rules.table)


def judged(text: str, rules: Rules, *, seats_known: bool) -> Iterator[tuple[KeyPath, str]]:
    """The faults of a table's file as `feltd check` finds them without looking at a machine.

    `seats_known`: False where the line names more seats than the file, so that nothing is said of how many they are.
    """
    paths: dict[tuple[int, str], KeyPath] = {}
    for path, line in locate(text).items():
        paths[line, ".".join(part for part in path if isinstance(part, str))] = path
    by_line = {line: path for (line, _), path in reversed(paths.items())}
    wrong = list[KeyPath]()
    try:
        read_config(text, "table.toml", ON_THE_BOARD)
    except ConfigError as faults:
        for fault in faults.problems:
            line = fault.line or 0
            wrong.append(paths.get((line, fault.key), by_line.get(line, ())))
            yield wrong[-1], fault.text
    seats_known = seats_known and not any(path[:2] == ("table", "seats") for path in wrong)
    for path, words in _by_the_rules(_sound_part(read_toml(text), wrong), rules):
        if path != _OPENING or seats_known:
            yield path, words


def _sound_part(document: dict[str, Any], wrong: list[KeyPath]) -> dict[str, Any]:
    """The document, its [table] without what is wrong there; the seats are those of them that are seats."""
    table = document["table"]
    for path in wrong:
        match path:
            case "table", "options", str() as name, *_:
                table.get("options", {}).pop(name, None)
            case "table", str() as key, *_ if key != "seats":
                table.pop(key, None)
    seats = [seat for seat in dict.fromkeys(table["seats"]) if seat in SEATS]
    return document | {"table": {"name": _SOME_NAME} | table | {"seats": seats or list(_SOME_SEATS)}}


def _by_the_rules(document: dict[str, Any], rules: Rules) -> Iterator[tuple[KeyPath, str]]:
    sound = sound_sections(document, ON_THE_BOARD)
    refused = set[str]()
    for found in rule_faults(sound, rules):
        path, words = (("table", "rulebooks"), found.text) if isinstance(found, Problem) else found
        yield path, words
        if path[:2] == ("table", "options"):
            refused.add(str(path[2]))
    if not refused or sound.table is None:
        return
    others = {name: value for name, value in sound.table.options.items() if name not in refused}
    without = replace(sound, table=sound.table.model_copy(update={"options": others}))
    yield from (
        (_OPENING, found[1])
        for found in rule_faults(without, rules)
        if not isinstance(found, Problem) and found[0] == _OPENING
    )

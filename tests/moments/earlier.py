"""What an earlier program rules on streams: runs in a process of its own, with that program's modules.

    PYTHONPATH=TREE python -P EARLIER.py TREE

Reads lines, each a JSON list of events; answers each with a line, a JSON list of what it told: `[number of the event,
clause, outcomes]` of a ruling, `[number of the event, null, []]` of a refusal, and null for a stream with an event that
it does not know. It knows the tree by `Table`, `load_library`, `parse_event` and what `to_dict` says, so that all else
in it may be what it is.
"""

import json
import sys
from pathlib import Path
from typing import Any

import table_fsm.table
from table_fsm.errors import TableError
from table_fsm.events import Event, parse_event
from table_fsm.library import load_library
from table_fsm.table import Table


def main(tree: Path) -> None:
    """Answer until nobody asks."""
    if not Path(table_fsm.table.__file__).resolve().is_relative_to(tree.resolve()):
        raise SystemExit(f"{table_fsm.table.__file__} is not of {tree}: the tree comes first in PYTHONPATH")
    texts = {
        name: {file.name: file.read_text(encoding="utf-8") for file in sorted((tree / "config" / name).glob("*.toml"))}
        for name in ("rulebooks", "structures")
    }
    books = load_library(texts["rulebooks"], texts["structures"])
    for line in sys.stdin:
        print(json.dumps(told(Table(books), json.loads(line))), flush=True)


def told(table: Table, stream: list[dict[str, Any]]) -> list[Any] | None:
    """What it tells of a stream; None where it does not know an event."""
    try:
        events = [parse_event(json.dumps(event)) for event in stream]
    except TableError:
        return None
    return [each for number, event in enumerate(events) for each in answers(table, number, event)]


def answers(table: Table, number: int, event: Event) -> list[Any]:
    """What it tells of one event."""
    told: list[Any] = []
    outputs: list[dict[str, Any]] = [output.to_dict() for output in table.apply(event)]
    for output in outputs:
        if "ruling" in output:
            ruling = output["ruling"]
            told.append([number, ruling["rule"], [ruling["outcome"], *ruling.get("also", [])]])
        elif "error" in output:
            told.append([number, None, []])
    return told


if __name__ == "__main__":
    main(Path(sys.argv[1]))

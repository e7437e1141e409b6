"""The wiring table that technicians work from says what the example configuration says, and what the header is."""

import re
from pathlib import Path

from gpiozero.pins.pi import PiBoardInfo

from devices.pins.facts import Pins
from feltd.table.config.config import read_config
from feltd.table.links.pins import pin_groups

ROOT = Path(__file__).parents[1]
ROW = re.compile(r"^\| (?P<what>[^|]+) \| (?P<line>\d+) \| (?P<pin>\d+) \| (?P<direction>in|out) \|", re.MULTILINE)
BOARDS = (0xC03114, 0xC04170)  # a Raspberry Pi 4 and a 5
NAMES = {
    "key: deal starts": "deal_start",
    "key: betting closed": "betting_closed",
    "key: hand ends": "hand_end",
    "key: call the floor": "call_the_floor",
    "key switch: supervisor": "supervisor",
    "shoe gate": "gate",
}


def wired() -> dict[str, tuple[int, int, str]]:
    """Line, header pin and direction of everything in the table, by its name there."""
    text = (ROOT / "docs/wiring.md").read_text(encoding="utf-8")
    return {one["what"]: (int(one["line"]), int(one["pin"]), one["direction"]) for one in ROW.finditer(text)}


def example() -> Pins:
    """The example's pins, which stand there as comments."""
    text = (ROOT / "config/table.example.toml").read_text(encoding="utf-8")
    before, after = text.split("# [pins]")
    commented, rest = after.split("\n[page]")
    lines = [line.removeprefix("# ").removeprefix("#") for line in commented.splitlines()]
    pins = read_config("\n".join([before, "[pins]", *lines, "[page]", rest]), "table.toml", ROOT).pins
    assert pins is not None
    return pins


def test_every_line_is_on_the_header_pin_that_the_table_names() -> None:
    for revision in BOARDS:
        header = PiBoardInfo.from_revision(revision).headers["J8"].pins
        for what, (line, pin, _) in wired().items():
            assert header[pin].name == f"GPIO{line}", what


def test_the_table_has_each_line_once_and_every_usable_one() -> None:
    assert sorted(line for line, _, _ in wired().values()) == list(range(2, 28))


def test_the_example_has_the_same_lines_for_the_same_things() -> None:
    found: dict[str, tuple[int, str]] = {}
    for group in pin_groups(example()):
        found |= {one.name: (one.line, "in") for one in group.inputs}
        found |= {one.name: (one.line, "out") for one in group.outputs}
    told = {}
    for what, (line, _, direction) in wired().items():
        kind, _, name = what.partition(": ")
        words = {"marker": f"button_{name.replace(' ', '_')}", "drop box": name.replace(" ", "_"), "lamp": name}
        told[NAMES.get(what, words.get(kind, what))] = (line, direction)
    assert told == found


def test_inputs_have_the_pull_and_the_level_that_the_table_names() -> None:
    text = (ROOT / "docs/wiring.md").read_text(encoding="utf-8")
    told = {
        int(cells[1]): (cells[4].split(" ")[0], cells[5].split(" ")[0])
        for cells in ([cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines())
        if len(cells) == 6 and cells[3] == "in"
    }
    inputs = [one for group in pin_groups(example()) for one in group.inputs]
    assert {one.line: (one.pull, one.active) for one in inputs} == told


def test_outputs_are_on_lines_that_the_chip_pulls_down_at_power_up() -> None:
    assert all(line >= 9 for line, _, direction in wired().values() if direction == "out")

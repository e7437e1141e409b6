"""The round as a Mermaid diagram."""

import re
from pathlib import Path

import pytest

from feltd.books.print.diagram import MOST_ARROWS, diagram, mermaid
from table_fsm.core.machine import transitions_of
from table_fsm.rulebook import load_rulebooks

BOOKS = load_rulebooks(
    {path.name: path.read_text("utf-8") for path in (Path(__file__).parents[2] / "config" / "rulebooks").glob("*.toml")}
)


def test_states_arrows_and_merged_triggers() -> None:
    assert mermaid(
        'The "game"', [("dealt", "dealing", "betting.pre_flop"), ("skip_it", "dealing", "betting.pre_flop")]
    ) == (
        "---\n"
        "title: \"The 'game'\"\n"
        "---\n"
        "stateDiagram-v2\n"
        '    state "dealing" as dealing\n'
        '    state "betting: pre flop" as betting_pre_flop\n'
        "    dealing --> betting_pre_flop : dealt, skip it\n"
    )


def test_many_sources_of_one_trigger_stand_together() -> None:
    states = [f"s{number}" for number in range(MOST_ARROWS + 1)]
    text = mermaid("T", [("go", state, "end") for state in states] + [("next", "s0", "s1")])
    assert 'state "any other state" as crowd_1' in text
    assert "crowd_1 --> end : go" in text
    assert text.count("-->") == 2
    some = mermaid("T", [("go", state, "end") for state in states] + [("next", "s0", "other")])
    assert 'state "any of: s0, s1, s2, s3" as crowd_1' in some


def test_few_sources_are_drawn_each() -> None:
    text = mermaid("T", [("go", f"s{number}", "end") for number in range(MOST_ARROWS)])
    assert text.count("-->") == MOST_ARROWS
    assert "crowd" not in text


@pytest.mark.parametrize("name", sorted(BOOKS))
def test_every_state_and_trigger_of_a_round_is_in_its_diagram(name: str) -> None:
    text = diagram(BOOKS[name])
    named = set(re.findall(r"state \".*?\" as (\w+)", text))
    used = {state for line in re.findall(r"(\w+) --> (\w+)", text) for state in line}
    assert used <= named
    for trigger, source, dest in transitions_of(BOOKS[name].book):
        assert source.replace(".", "_") in named
        assert re.search(rf"--> {dest.replace('.', '_')} : .*\b{trigger.replace('_', ' ')}\b", text)

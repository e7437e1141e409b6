"""The states of a book's round as a Mermaid state diagram.

Where one trigger leads from many states to the same one, the many stand together as one box: sixty arrows show nobody
anything.
"""

import re
from collections.abc import Sequence
from typing import Final, TypeAlias

from feltd.books.print.phrases import state_words, trigger_words
from feltd.text.catalogue import say
from table_fsm.core.machine import transitions_of
from table_fsm.rulebook.book import Rulebook

Transition: TypeAlias = tuple[str, str, str]
"""Trigger, source, destination."""

MOST_ARROWS: Final = 3
"""So many sources of a trigger are drawn each by itself."""


def diagram(rulebook: Rulebook) -> str:
    """The round under this book, as Mermaid text (`stateDiagram-v2`)."""
    return mermaid(rulebook.title, transitions_of(rulebook.book))


def mermaid(title: str, transitions: Sequence[Transition]) -> str:
    """A state diagram of the transitions, states in the order in which they first come."""
    states = list(dict.fromkeys(state for _, source, dest in transitions for state in (source, dest)))
    lines = ["---", f"title: {_quoted(title)}", "---", "stateDiagram-v2"]
    lines += [f"    state {_quoted(state_words(state))} as {_name(state)}" for state in states]
    crowds: dict[str, str] = {}
    arrows: dict[tuple[str, str], list[str]] = {}
    for (trigger, dest), sources in sources_of(transitions).items():
        if len(sources) <= MOST_ARROWS:
            starts = [_name(source) for source in sources]
        else:
            starts = [crowds.setdefault(_crowd(sources, states, dest), f"crowd_{len(crowds) + 1}")]
        for start in starts:
            arrows.setdefault((start, _name(dest)), []).append(trigger_words(trigger))
    lines += [f"    state {_quoted(words)} as {name}" for words, name in crowds.items()]
    lines += [f"    {start} --> {dest} : {', '.join(triggers)}" for (start, dest), triggers in arrows.items()]
    return "\n".join(lines) + "\n"


def sources_of(transitions: Sequence[Transition]) -> dict[tuple[str, str], list[str]]:
    """The states from which a trigger leads to the same one, by (trigger, destination)."""
    sources: dict[tuple[str, str], list[str]] = {}
    for trigger, source, dest in transitions:
        sources.setdefault((trigger, dest), []).append(source)
    return sources


def _crowd(sources: Sequence[str], states: Sequence[str], dest: str) -> str:
    if set(states) - {dest} <= set(sources):
        return say("any other state")
    return say("any of: {states}", states=", ".join(map(state_words, sources)))


def _name(state: str) -> str:
    return re.sub(r"\W", "_", state)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', "'") + '"'

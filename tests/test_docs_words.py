"""The words of the documentation: plain English, as the house's rules ask for it."""

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parent.parent
PAGES: Final = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *(ROOT / part / "README.md" for part in ("firmware", "hil_tests"))]
)
CODE: Final = re.compile(r"```.*?```|``.*?``|`[^`\n]*`", re.DOTALL)
NOT_SAID: Final = {
    r"\bwhoever\b|\bwhomever\b": "say who: anybody who, a person who",
    r"\bof (your|one's|their) own motion\b": "say: without a ruling",
    r"\bnot to be had\b": "say: could not load",
    r"\bbe (it|there) (a|an|the)\b.*\bor not\b": "say: even if",
    r"\b(it|this|that|which|what) stands (for \d|in|on|at|there|above|below|beside|behind)\b": "say: is",
    r"\bcan so\b": "say: can therefore",
    r"\b(to|by|for|of) who (has|holds|is|may|had|made|asks?|reports|waits|came|signed|reads?)\b": "say: a person who",
}
"""What plain English does not say, and what to write instead."""
STANDS: Final = re.compile(
    r"\b(the action|the cards|action out of turn|fold out of turn|exposed card|the flop|blinds and antes) stands?\b"
)
"""Where a ruling lets something stand: the trade's own word."""


def prose(page: Path) -> list[str]:
    """The page's lines without their code."""
    text = CODE.sub(lambda code: "\n" * code[0].count("\n"), page.read_text("utf-8"))
    return text.splitlines()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_of_the_documentation_is_in_plain_english(page: Path) -> None:
    found = [
        f"{page.name}:{number}: {line.strip()[:90]} ({instead})"
        for number, line in enumerate(prose(page), 1)
        for said, instead in NOT_SAID.items()
        if re.search(said, line, re.IGNORECASE)
    ]
    assert found == []


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/*.md")), ids=lambda page: page.name)
def test_stands_is_said_of_rulings_alone(page: Path) -> None:
    found = [
        f"{page.name}:{number}: {line.strip()[:90]}"
        for number, line in enumerate(prose(page), 1)
        if re.search(r"\bstands?\b", STANDS.sub("", line), re.IGNORECASE)
    ]
    assert found == []

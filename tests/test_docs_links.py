"""Every link of the documentation leads somewhere: to a file, and to a heading of it."""

import re
import subprocess
import unicodedata
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
_FENCED: Final = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
_CODE: Final = re.compile(r"`[^`\n]*`")
_LINK: Final = re.compile(r"\[[^\]\[]*\]\(([^)\s]+)\)")
_HEADING: Final = re.compile(r"^#{1,6} (.+?)\s*$", re.M)


def _pages() -> list[str]:
    told = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return told.split()


def _anchor(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    kept = (char for char in text if char in "-_ " or unicodedata.category(char)[0] in "LN")
    return "".join(kept).replace(" ", "-")


def _anchors(page: Path) -> set[str]:
    return {_anchor(heading) for heading in _HEADING.findall(_FENCED.sub("", page.read_text(encoding="utf-8")))}


def _dead(page: Path, text: str) -> list[str]:
    """Return the links of a page's text that lead nowhere."""
    dead: list[str] = []
    for target in _LINK.findall(_CODE.sub("", _FENCED.sub("", text))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in _anchors(file)):
            dead.append(target)
    return dead


@pytest.mark.parametrize("page", _pages())
def test_every_link_of_a_page_leads_somewhere(page: str) -> None:
    file = ROOT / page
    assert _dead(file, file.read_text(encoding="utf-8")) == []


def test_a_dead_link_and_a_dead_anchor_are_found() -> None:
    text = "[a](nowhere.md) [b](README.md#nothing) [c](README.md#try-it) [d](https://example.org) `[e](code.md)`"
    assert _dead(ROOT / "README.md", text) == ["nowhere.md", "README.md#nothing"]

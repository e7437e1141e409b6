"""How Sphinx makes the documentation's site of the project's Markdown: `make site`.

The source folder is the project's root, so that a page's links mean the same here and in a checkout. A link to a file
that is no page becomes a download; a link to a folder becomes the folder's path.
"""

import re
from collections.abc import Sequence
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]

project = "feltd"
author = "the feltd project"
release = version_of("feltd")
root_doc = "README"

extensions = ["myst_parser"]
include_patterns = [
    "*.md",
    "docs/*.md",
    "devices/MESSAGES.md",
    "firmware/README.md",
    "firmware/*/README.md",
    "firmware_bridge/PROTOCOL.md",
    "hil_tests/README.md",
]
myst_heading_anchors = 6
highlight_language = "text"

html_theme = "furo"
html_title = f"feltd {release}"
html_copy_source = False
html_show_sphinx = False
html_additional_pages = {"index": "front.html"}
templates_path = ["."]

GUIDES: Final[dict[str, Sequence[str]]] = {
    "For the dealer and the floor": ("docs/page", "docs/alarms", "docs/rules", "docs/incidents", "docs/tournaments",
        "docs/broadcast",
    ),
    "For the technician": (
        "docs/technician", "docs/install", "docs/visitors", "docs/image", "docs/boards", "docs/build",
        "docs/provisioning", "docs/wiring", "docs/plugs", "docs/adapters", "docs/packs", "docs/acceptance",
        "docs/floor", "docs/witness",
    ),
    "For the regulator": ("docs/record", "docs/security", "SECURITY", "docs/power-cuts", "docs/second-opinion"),
    "For the developer": (
        "docs/developer", "docs/table-events", "docs/api", "firmware_bridge/PROTOCOL", "devices/MESSAGES",
        "firmware/README", "firmware/c/README", "firmware/micropython/README", "docs/fuzzing", "hil_tests/README",
        "docs/figures", "CONTRIBUTING", "CHANGELOG",
    ),
}  # fmt: skip
"""The contents, by reader. A page that is in none of them stops the build: Sphinx warns, and a warning is an error."""

ELSEWHERE: Final = {"The rulebooks": "rulebooks/index.html", "The API's description": "openapi.json"}
"""Files that `make site` puts beside the pages."""
_LINK: Final = re.compile(r"\[([^\]\[]*)\]\(([^)\s#:]+)\)")


def contents() -> str:
    """Return the contents as directives of MyST, for the end of the front page."""
    parts = [
        "\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```"])
        for caption, pages in GUIDES.items()
    ]
    return "\n\n".join(parts)


def beside() -> str:
    """Return the links to what is in the site and is no page of Sphinx's."""
    links = "".join(f'<li><a href="{target}">{name}</a></li>' for name, target in ELSEWHERE.items())
    return f"## In this site\n\n<ul>{links}</ul>"


def without_folders(text: str, folder: Path) -> str:
    """Return a page's text with each link to a folder, as seen from the page's own `folder`, told as a path instead."""

    def told(link: re.Match[str]) -> str:
        words, target = link[1], folder / link[2]
        return f"{words} (`{target.resolve().relative_to(ROOT)}/`)" if target.is_dir() else link[0]

    return _LINK.sub(told, text)


def prepare(app: Any, docname: str, source: list[str]) -> None:
    """Change a page's text before Sphinx reads it. The README gets the contents, since it knows nothing of the site."""
    source[0] = without_folders(source[0], Path(app.env.doc2path(docname)).parent)
    if docname == root_doc:
        source[0] += f"\n\n{beside()}\n\n{contents()}\n"


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.connect("source-read", prepare)

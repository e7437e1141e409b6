"""The rulebooks as HTML.

One renderer serves the page of a running table, the files that come with feltd, and `feltd rules --html`. A page
reads whole without a script and has no style in it; it is readable on paper, in light and in dark, and on a tablet.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Final

from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from feltd.books.print.diagram_svg import STYLE, diagram_svg
from feltd.books.print.document import PASSAGE, Document, Grid, Items, Section, Text
from feltd.books.print.printed_clauses import clauses_section
from feltd.books.print.printed_payouts import all_payouts
from feltd.books.print.printer import book_document
from feltd.books.shipped import clause_sources
from feltd.text.catalogue import ruling_text, say
from feltd.text.errors import FeltdError
from feltd.text.language import Language, spoken
from feltd.text.look import TOKENS_FILE, Look, tokens
from feltd.text.pages import template
from table_fsm.errors import RulebookError
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.clauses import ClauseList, load_clauses

STYLE_FILE: Final = "rules.css"
ICON_FILE: Final = "icon.svg"
_CODE: Final = re.compile(r"`([^`]+)`")
_STRONG: Final = re.compile(r"\*\*([^*]+)\*\*")


@dataclass(frozen=True, slots=True)
class Links:
    """The addresses of a page's links.

    `home`: the table's own page, where there is one. `script`: of the search in a book, where a page may have one.
    `band`: of the table's status band, without the end of a file's name, where there is a table. `tokens`: of the
    colours, where a page serves them; else the style sheet has them.
    """

    style: str
    icon: str
    index: str
    book: Callable[[str], str]
    home: str | None = None
    script: str | None = None
    band: str | None = None
    tokens: str | None = None


SERVED: Final = Links(
    style=f"/rules/{STYLE_FILE}",
    icon=f"/static/{ICON_FILE}",
    index="/rules",
    book=lambda book: f"/rules/{book}",
    home="/",
    script="/static/rules.js",
    band="/static/band",
    tokens=f"/static/{TOKENS_FILE}",
)
IN_A_FOLDER: Final = Links(style=STYLE_FILE, icon=ICON_FILE, index="index.html", book=lambda book: f"{book}.html")


class RulePages:
    """The pages of some books, in the language that is spoken as they are made.

    What a book and its source say keeps its language, with a translation before it where there is one. All that feltd
    says of a book is in the reader's.
    """

    def __init__(self, books: Mapping[str, Rulebook], lists: Mapping[str, ClauseList], links: Links) -> None:
        self._books = dict(sorted(books.items()))
        self._lists = lists
        self._links = links
        self._language = spoken()
        self._templates = _templates(self._language)
        self._translated = self._language is not Language.ENGLISH

    def index(self, in_force: str | None = None) -> str:
        """All books. `in_force`: the one that the table is open with."""
        return self._templates.get_template("rules.html").render(
            links=self._links, books=self._books.values(), in_force=in_force, translated=self._translated
        )

    def book(self, name: str) -> str | None:
        """A whole book; None for an unknown name."""
        book = self._books.get(name)
        if book is None:
            return None
        return self._templates.get_template("rulebook.html").render(
            links=self._links,
            document=self._document(book),
            translated=self._translated,
            diagram=Markup(diagram_svg(book, styled=False)),  # noqa: S704 - all text in it is escaped
        )

    def _document(self, book: Rulebook) -> Document:
        printed = book_document(book)
        more = [clauses_section(book, self._lists.get(str(book.book.clauses)))]
        if book.tournament.payouts is not None:
            more.append(Section("payouts", say("Payouts"), all_payouts()))
        return Document(printed.title, printed.facts, (*printed.sections, *more))


def write_pages(folder: Path, books: Iterable[Rulebook]) -> Iterator[Path]:
    """Write the pages of the books, an index and the style into a folder.

    The folder is made where it is missing. Yields each file. Raises FeltdError where one cannot be written.
    """
    named = {book.id: book for book in books}
    pages = RulePages(named, clause_lists(), IN_A_FOLDER)
    texts = {"index.html": pages.index(), STYLE_FILE: tokens(Look.BROWSER) + style(), ICON_FILE: _static(ICON_FILE)}
    texts |= {f"{name}.html": text for name in named if (text := pages.book(name)) is not None}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
            yield folder / name
    except OSError as fault:
        raise FeltdError(f"{folder}: the pages cannot be written: {fault.strerror}") from None


def clause_lists() -> dict[str, ClauseList]:
    """Return the lists of clauses that come with feltd.

    Raises FeltdError, which names every fault of every list.
    """
    try:
        return load_clauses(clause_sources())
    except RulebookError as faults:
        raise FeltdError("lists of clauses with faults:\n" + "\n".join(faults.problems)) from faults


def style() -> str:
    """The style sheet of the pages and of the diagram, without the colours of its tokens."""
    return _static(STYLE_FILE) + STYLE


def _static(name: str) -> str:
    return (files("feltd.page") / "static" / name).read_text(encoding="utf-8")


@cache
def _templates(language: Language) -> Environment:
    made = Environment(
        loader=FunctionLoader(partial(template, language=language)),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["marked"] = marked
    made.tests["text"] = lambda block: isinstance(block, Text)
    made.tests["items"] = lambda block: isinstance(block, Items)
    made.tests["grid"] = lambda block: isinstance(block, Grid)
    return made


def marked(text: str) -> Markup:
    """Return text of a document as HTML, with `code` and **strong** words.

    A passage of the source is marked as English; an approved text has its translation before it, in the language that
    is spoken.
    """
    parts = PASSAGE.split(text)
    return Markup("").join(_passage(part) if at % 2 else _marked(part) for at, part in enumerate(parts))


def _passage(approved: str) -> Markup:
    said = ruling_text(approved)
    if said is None:
        return Markup('<span lang="en">{}</span>').format(_marked(approved))
    english = Markup('<span lang="en">({})</span>').format(_marked(approved))
    return Markup('<span lang="{}">{}</span> {}').format(spoken().value, _marked(said), english)


def _marked(text: str) -> Markup:
    safe = str(escape(text))
    return Markup(_STRONG.sub(r"<strong>\1</strong>", _CODE.sub(r"<code>\1</code>", safe)))  # noqa: S704 - escaped above

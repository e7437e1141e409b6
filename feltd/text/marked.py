"""Texts in templates and scripts: found where they stand, and put in another language there.

The English stands in a template or a script as its readers see it; a catalogue has it by that text. A template's text
is what lies between two tags, with its `{{ … }}`; a script's is a literal, with its `${…}`. So no text can be forgotten
to be marked: a test finds every one that the catalogue lacks.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_JINJA: Final = r"\{\{.*?\}\}|\{%.*?%\}"
_TOKENS: Final = re.compile(
    rf"(?P<comment>\{{#.*?#\}}|<!--.*?-->)"
    rf"|(?P<statement>\{{%.*?%\}})"
    rf"|(?P<silent>(?P<opening><(?P<name>script|style|code|pre)\b(?:{_JINJA}|[^<>])*>).*?</(?P=name)>)"
    rf"|(?P<tag><(?:{_JINJA}|\"(?:{_JINJA}|[^\"])*\"|'(?:{_JINJA}|[^'])*'|[^<>\"'])*>)"
    rf"|(?P<text>(?:\{{\{{.*?\}}\}}|[^<{{]|\{{(?![{{%#]))+)",
    re.DOTALL,
)
_ATTRIBUTE: Final = re.compile(rf"(?P<before>\b(?:title|aria-label|placeholder|alt)=\")(?P<text>(?:{_JINJA}|[^\"])*)")
_EXPRESSION: Final = re.compile(_JINJA, re.DOTALL)
_QUOTED: Final = re.compile(r'"([^"]*)"')
_LETTERS: Final = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Place:
    """A text where it stands: from `start` to before `end`. `literal`: within code, and perhaps no text for people."""

    start: int
    end: int
    text: str
    literal: bool = False


def template_texts(source: str) -> Iterator[Place]:
    """Yield the texts of a Jinja template of HTML, in order: between tags, in attributes, and as literals of Jinja."""
    for token in _TOKENS.finditer(source):
        start, kind = token.start(), token.lastgroup
        if kind == "text":
            yield from _stripped(token.group(), start)
        elif kind in ("tag", "silent"):
            for attribute in _ATTRIBUTE.finditer(token["opening"] or token.group()):
                yield from _stripped(attribute["text"], start + attribute.start("text"))
        if kind in ("text", "tag", "statement"):
            for expression in _EXPRESSION.finditer(token.group()):
                for quoted in _QUOTED.finditer(expression.group()):
                    at = start + expression.start()
                    yield Place(at + quoted.start(1), at + quoted.end(1), quoted[1], literal=True)


def _stripped(text: str, start: int) -> Iterator[Place]:
    bare = text.strip()
    if bare:
        at = start + text.index(bare)
        yield Place(at, at + len(bare), bare)


def has_words(text: str) -> bool:
    """Whether a text has words beside what is filled in."""
    return bool(_LETTERS.search(_EXPRESSION.sub("", text)))


def translated_template(source: str, texts: Mapping[str, str], literals: Mapping[str, str], language: str) -> str:
    """Return a template in another language: each text that `texts` has, then each literal that `literals` has."""
    said = _replaced(source, template_texts(source), lambda place: None if place.literal else texts.get(place.text))
    said = _replaced(said, template_texts(said), lambda place: literals.get(place.text) if place.literal else None)
    return said.replace('<html lang="en"', f'<html lang="{language}"', 1)


def _replaced(source: str, places: Iterator[Place], say: Callable[[Place], str | None]) -> str:
    parts, at = [], 0
    for place in places:
        said = say(place)
        if said is not None:
            parts += [source[at : place.start], said]
            at = place.end
    return "".join([*parts, source[at:]])


# ---- scripts

_BEFORE_A_PATTERN: Final = frozenset("(,=:[!&|?{};+-*%~^<>") | {""}
# What may be passed over at once. Sign by sign the scripts of a page took half of its start.
_PLAIN: Final = re.compile(r"[^\"'`/]+")
_PLAIN_IN_QUOTES: Final = re.compile(r"[^\"'\\]+")
_PLAIN_IN_TEMPLATE: Final = re.compile(r"[^`$\\]+")
_PLAIN_IN_EXPRESSION: Final = re.compile(r"[^\"'`{}]+")


def script_texts(source: str) -> Iterator[Place]:
    """Yield the literals of a script, in order: quoted ones, and templates with their `${…}`, which are not divided.

    Literals within a template's `${…}` come after it. Comments and patterns have none.
    """
    at, before = 0, ""
    while at < len(source):
        sign = source[at]
        if source.startswith("//", at):
            at = _until(source, "\n", at)
        elif source.startswith("/*", at):
            at = _until(source, "*/", at) + 2
        elif sign == "/" and before in _BEFORE_A_PATTERN:
            at, before = _pattern_end(source, at), "/"
        elif sign in "\"'":
            end = _quoted_end(source, at)
            yield Place(at + 1, end - 1, source[at + 1 : end - 1], literal=True)
            at, before = end, sign
        elif sign == "`":
            end, within = _template_end(source, at)
            yield Place(at + 1, end - 1, source[at + 1 : end - 1])
            for start, stop in within:
                for place in script_texts(source[start:stop]):
                    yield Place(start + place.start, start + place.end, place.text, literal=place.literal)
            at, before = end, sign
        elif sign == "/":
            at, before = at + 1, sign
        else:
            end = _past(_PLAIN, source, at)
            at, before = end, source[at:end].rstrip()[-1:] or before


def translated_script(source: str, texts: Mapping[str, str]) -> str:
    """Return a script in another language: each literal that `texts` has."""
    if not texts:
        return source
    parts, at = [], 0
    for place in script_texts(source):
        said = texts.get(place.text)
        if said is not None and place.start >= at:
            parts += [source[at : place.start], said]
            at = place.end
    return "".join([*parts, source[at:]])


def filled_in(text: str) -> list[str]:
    """Return what is filled into a script's template: the text of each `${…}`, in order."""
    _, within = _template_end(f"`{text}`", 0)
    return [f"`{text}`"[start:stop] for start, stop in within]


def words_of_script(text: str) -> str:
    """Return a literal without what is filled in."""
    for inner in filled_in(text):
        text = text.replace("${" + inner + "}", "", 1)
    return text


def _until(source: str, sign: str, at: int) -> int:
    end = source.find(sign, at)
    return len(source) if end < 0 else end


def _past(plain: re.Pattern[str], source: str, at: int) -> int:
    """Return where what is plain ends, if any of it begins at `at`."""
    found = plain.match(source, at)
    return at if found is None else found.end()


def _quoted_end(source: str, at: int) -> int:
    quote, at = source[at], at + 1
    while source[at] != quote:
        at = _past(_PLAIN_IN_QUOTES, source, at + (2 if source[at] == "\\" else 1))
    return at + 1


def _pattern_end(source: str, at: int) -> int:
    at, in_class = at + 1, False
    while source[at] != "/" or in_class:
        in_class = (in_class or source[at] == "[") and source[at] != "]"
        at += 2 if source[at] == "\\" else 1
    return at + 1


def _template_end(source: str, at: int) -> tuple[int, list[tuple[int, int]]]:
    """Return the end of a template that begins at `at`, and from where to where each `${…}` goes."""
    at, within = at + 1, []
    while source[at] != "`":
        if source[at] == "\\":
            at += 2
        elif source.startswith("${", at):
            start = at + 2
            at = _expression_end(source, start)
            within.append((start, at - 1))
        else:
            at = _past(_PLAIN_IN_TEMPLATE, source, at + 1)
    return at + 1, within


def _expression_end(source: str, at: int) -> int:
    depth = 1
    while depth:
        at = _past(_PLAIN_IN_EXPRESSION, source, at)
        if source[at] in "\"'":
            at = _quoted_end(source, at)
            continue
        if source[at] == "`":
            at, _ = _template_end(source, at)
            continue
        depth += {"{": 1, "}": -1}.get(source[at], 0)
        at += 1
    return at

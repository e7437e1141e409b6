"""Templates and scripts in the languages beside English, made from the English ones and the catalogues.

`page.toml`: `texts` of templates and `literals` in their Jinja, for all templates; a table with a template's name has
what differs there. `scripts.toml`: the same for scripts, whose texts are literals;
`code` has a script's own lines in which a text is also a name of the program.
"""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from feltd.text.catalogue import catalogue
from feltd.text.language import Language
from feltd.text.marked import translated_script, translated_template


def template(name: str, language: Language) -> str | None:
    """Return a template's text in a language; None where there is no such template."""
    file = files("feltd.page") / "templates" / name
    if not file.is_file():
        return None
    source = file.read_text("utf-8")
    if language is Language.ENGLISH:
        return source
    texts, literals = texts_of("page", "texts", name, language), texts_of("page", "literals", name, language)
    return translated_template(source, texts, literals, language.value)


def script(name: str, source: str, language: Language) -> str:
    """Return a script's text in a language."""
    for english, other in texts_of("scripts", "code", "", language).items():
        source = source.replace(english, other)
    return translated_script(source, texts_of("scripts", "texts", name, language))


def texts_of(book: str, kind: str, name: str, language: Language) -> Mapping[str, str]:
    """Return the texts of one kind for one file: those for all, and over them its own."""
    told: Mapping[str, Any] = catalogue(language, book)
    return {**told.get(kind, {}), **told.get(name, {})}

"""The catalogues: what is said, in the languages beside English.

English stands in the program. A folder beside this one has a language's catalogues: `words.toml` by message id, the
others by the English text itself. A text in braces, `{seat}`, is filled in; a pattern's `{}` are filled in their order.
A text that a catalogue lacks is said in English; `tests/feltd/test_catalogues.py` finds each.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final

from feltd.text.language import Language, spoken
from table_fsm.felt import Worded

FOLDERS: Final[Mapping[Language, str]] = {Language.GERMAN: "german"}
"""The folder of each language that is not the program's own."""
_PLACE: Final = re.compile(r"\{\}")
_WHERE: Final = re.compile(r"(\S+) at ([^\s:]\S*?)(?=:? |:?$)")
"""A device and its port, before what is wrong with it."""
_STANDING: Final = re.compile(r"\b([a-z_]+) \((present|not acknowledged)\)")
"""A fault of the shoe that a refusal names."""


@cache
def catalogue(language: Language, name: str) -> Mapping[str, Any]:
    """Return a catalogue by its file's name, `words`; an empty one in English. It is read at its first use."""
    if language is Language.ENGLISH:
        return {}
    text = (files("feltd.text") / FOLDERS[language] / f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text)


def by_id(message_id: str, english: str) -> str:
    """Return the text with this id, `Outcome.misdeal`, in the language that is spoken; `english` where it has none."""
    members, _, member = message_id.partition(".")
    said = catalogue(spoken(), "words").get(members, {}).get(member, english)
    assert isinstance(said, str), f"words.toml: {message_id}"
    return said


def word(member: Worded) -> str:
    """Return a member's words in the language that is spoken."""
    return member.words if spoken() is Language.ENGLISH else by_id(member.message_id, member.words)


def say(english: str, /, **parts: object) -> str:
    """Return a sentence in the language that is spoken, its places filled with `parts`.

    >>> say("Move the button to seat {seat}", seat=3)
    'Move the button to seat 3'
    """
    said = english if spoken() is Language.ENGLISH else catalogue(spoken(), "sentences").get(english, english)
    return str(said).format(**parts) if parts else str(said)


def phrase(english: str) -> str:
    """Return a phrase of a printed rulebook in the language that is spoken; a book's own word stays as it is."""
    return str(catalogue(spoken(), "phrases").get(english, english))


def refusal(english: str) -> str:
    """Return a refusal, which the table or a process wrote in English, in the language that is spoken.

    It is found by its pattern: what was filled in stands in it as it was, but for the faults of the shoe.
    """
    return _refusal(spoken(), english)


def ruling_text(english: str) -> str | None:
    """Return a rulebook's text in the language that is spoken; None in English, and for a text of one's own book.

    It stands beside the approved text, which is the English one, never in its place.
    """
    said = catalogue(spoken(), "rulings").get(english)
    return None if said is None else str(said)


def trouble(english: str) -> str:
    """Return what is wrong on the floor, which floord wrote in English, in the language that is spoken.

    Its kind stands before a colon. What was filled in is looked up too, as a trouble or a refusal.
    """
    if spoken() is Language.ENGLISH:
        return english
    kind, colon, words = english.partition(": ")
    named = catalogue(spoken(), "troubles")["kinds"].get(kind)
    if named is None or not colon:
        return _trouble(spoken(), english)
    return f"{named}: {_trouble(spoken(), words)}"


def device_fault(english: str) -> str:
    """Return what is wrong with a device, or what ended a test of it, in the language that is spoken.

    The table wrote it in English, where the device is before it. What was filled in is looked up too.
    """
    return english if spoken() is Language.ENGLISH else _device_fault(spoken(), english)


@lru_cache(maxsize=256)
def _device_fault(language: Language, english: str) -> str:
    for fits, german in _device_fault_patterns(language):
        if (found := fits(english)) is not None:
            return german.format(*(_filled_in(language, part) for part in found.groups()))
    place, colon, words = english.partition(": ")
    if colon and _WHERE.fullmatch(place):
        return f"{_filled_in(language, place)}: {_device_fault(language, words)}"
    return _refusal(language, english)


def _filled_in(language: Language, part: str) -> str:
    where = _WHERE.match(part)
    if where is None:
        return _device_fault(language, part)
    said = catalogue(language, "faults")["places"]["{} at {}"].format(*where.groups())
    return f"{said}{part[where.end() :]}"


@cache
def _device_fault_patterns(language: Language) -> tuple[tuple[Callable[[str], re.Match[str] | None], str], ...]:
    return _compiled(catalogue(language, "faults")["texts"])


@lru_cache(maxsize=256)  # a refusal is told to every reader
def _refusal(language: Language, english: str) -> str:
    for fits, german in _patterns(language):
        if (found := fits(english)) is not None:
            return german.format(*(_standing(language, part) for part in found.groups()))
    return _of_system(language, english)


def _of_system(language: Language, words: str) -> str:
    """Words in which the operating system's own texts are named, each with the original in brackets.

    >>> from feltd.text.language import speaking
    >>> with speaking(Language.GERMAN):
    ...     refusal("/srv/x: [Errno 28] No space left on device")
    '/srv/x: kein Platz mehr auf dem Datenträger [No space left on device]'
    """
    known = {} if language is Language.ENGLISH else catalogue(language, "faults")["system"]
    return _system_texts(language).sub(lambda found: f"{known[found[1]]} [{found[1]}]", words) if known else words


@cache
def _system_texts(language: Language) -> re.Pattern[str]:
    texts = sorted(catalogue(language, "faults")["system"], key=len, reverse=True)  # one begins as another does
    return re.compile(rf"(?:\[Errno -?\d+\] )?(?<!\w)({'|'.join(map(re.escape, texts))})(?!\w)")


def _standing(language: Language, part: str) -> str:
    """What was filled into a refusal, with the faults that it names in words."""
    kinds = catalogue(language, "words").get("FaultKind", {})
    named = _STANDING.sub(lambda fault: f"{kinds.get(fault[1], fault[1])} ({_refusal(language, fault[2])})", part)
    return named if named != part else _of_system(language, part)


@lru_cache(maxsize=256)
def _trouble(language: Language, english: str) -> str:
    for fits, german in _trouble_patterns(language):
        if (found := fits(english)) is not None:
            return german.format(*(_trouble(language, part) for part in found.groups()))
    return _refusal(language, english)


@cache
def _trouble_patterns(language: Language) -> tuple[tuple[Callable[[str], re.Match[str] | None], str], ...]:
    return _compiled(catalogue(language, "troubles")["texts"])


@cache
def _patterns(language: Language) -> tuple[tuple[Callable[[str], re.Match[str] | None], str], ...]:
    return _compiled(catalogue(language, "refusals"))


def _compiled(texts: Mapping[str, str]) -> tuple[tuple[Callable[[str], re.Match[str] | None], str], ...]:
    """The patterns of a catalogue, the ones that say most first: `{} has no meaning` would take what others tell."""
    told = sorted(texts.items(), key=lambda one: len(_PLACE.sub("", one[0])), reverse=True)
    return tuple((re.compile(_expression(english), re.DOTALL).fullmatch, german) for english, german in told)


def _expression(pattern: str) -> str:
    return "(.+?)".join(map(re.escape, _PLACE.split(pattern)))

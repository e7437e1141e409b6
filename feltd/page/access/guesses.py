"""How soon a password is guessed by somebody who has a list of the commonest ones, as a number of bits.

The cheapest way to write the password counts: as words of the lists, also with digits for letters; the account's name;
years; runs (`aaaa`, `1234`, `qwer`); three signs or more that stood there before; else sign by sign. The lists:
`common-words.txt`, of passwords, and for each language of the pages one of its words, the commonest first:
`english-words.txt`, `german-words.txt` (their licences are in them).
"""

import math
from functools import cache
from importlib.resources import files
from typing import Final

ENOUGH: Final = 36.0
"""Bits. Eight letters by chance have as many, or four words of a language; a word with a year and two signs has 28."""
_HERE: Final = frozenset(
    # of this place, in both languages: who guesses here tries them first, and joins them
    {"feltd", "casino", "poker", "table", "supervisor", "director", "surveillance", "technician", "observer", "admin"}
    | {"administrator", "manager", "dealer", "croupier", "floor", "tournament", "player", "cards", "chips", "holdem"}
    | {"spielbank", "kasino", "tisch", "spieltisch", "pokertisch", "aufsicht", "leitung", "techniker", "karten"}
    | {"passwort", "kennwort", "willkommen", "turnier", "spieler", "direktor", "verwaltung"}
)
_SHORTEST_WORD: Final = 3
_OF_HERE: Final = 3.0
_OF_YEAR: Final = 7.0
_OF_RUN: Final = 6.0
_OF_REPETITION: Final = 4.0
_OF_DIGIT: Final = math.log2(10)
_OF_LETTER: Final = math.log2(26)
_OF_OTHER: Final = 4.0
"""Of a sign: people take few of them."""
_IN_DISGUISE: Final = 1.0
_RUNS: Final = (
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890",
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "qwertzuiop",
    "yxcvbnm",
)
_SHORTEST_RUN: Final = 3
_OF_LANGUAGES: Final = ("english-words.txt", "german-words.txt")
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
"""As people write a letter that their keyboard does not have."""
_DISGUISES: Final = (str.maketrans("@4031$57!", "aaoeisstl"), str.maketrans("@4031$57!", "aaoelssti"))
"""Signs that stand for a letter."""


@cache
def common_words() -> dict[str, float]:
    """Return the words of the lists, each with its bits: the fewer, the sooner it is tried."""
    of_passwords = _words("common-words.txt")
    anywhere = math.log2(len(of_passwords))
    known = dict.fromkeys(of_passwords, anywhere)
    for file in _OF_LANGUAGES:
        for place, word in enumerate(_words(file), 1):
            soon = min(_OF_HERE + max(0.0, math.log2(place) - 2), anywhere)
            for written in {word, word.translate(_UMLAUTS)}:
                known[written] = min(known.get(written, anywhere), soon)
    return known


def _words(file: str) -> list[str]:
    text = (files("feltd.page.access") / file).read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def bits(name: str, password: str) -> float:
    """Return how many bits there are to guess in a password of the account of this name."""
    plain = password.casefold()
    read = [(plain, 0.0), *((plain.translate(table), _IN_DISGUISE) for table in _DISGUISES)]
    known = common_words()
    longest = max(map(len, known))
    here = _HERE | {name.casefold()}
    best = [0.0]
    for end in range(1, len(plain) + 1):
        cheapest = best[end - 1] + _of_sign(plain[end - 1])
        for begin in range(max(0, end - longest), end):
            cheapest = min(cheapest, best[begin] + _of_part(plain[begin:end]))
            if end - begin >= _SHORTEST_RUN and plain[begin:end] in plain[:begin]:
                cheapest = min(cheapest, best[begin] + _OF_REPETITION)
            for text, more in read:
                part = text[begin:end]
                if part in here:
                    cheapest = min(cheapest, best[begin] + _OF_HERE + more)
                elif len(part) >= _SHORTEST_WORD and part in known:
                    cheapest = min(cheapest, best[begin] + known[part] + more)
        best.append(cheapest)
    return best[-1]


def _of_sign(sign: str) -> float:
    if sign.isdigit():
        return _OF_DIGIT
    return _OF_LETTER if sign.isalpha() else _OF_OTHER


def _of_part(part: str) -> float:
    """Bits of a part that is a year or a run; endless for any other."""
    if len(part) == 4 and part.isdecimal() and part[:2] in {"19", "20"}:
        return _OF_YEAR
    if len(part) < _SHORTEST_RUN:
        return math.inf
    if len(set(part)) == 1 or any(part in run or part in run[::-1] for run in _RUNS):
        return _OF_RUN
    return math.inf

"""Whether two spellings are perhaps one person: who enters twice under two of them has two seats."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from floor_fsm.errors import Reason, Refused
from floor_fsm.state.entries import card_of

_DIACRITICS: Final = re.compile(r"[\u0300-\u036f]")
_WRITTEN_OUT: Final = str.maketrans({"ß": "ss", "æ": "a", "ø": "o", "œ": "o", "ł": "l", "đ": "d", "ı": "i"})
_UMLAUT: Final = re.compile(r"([aou])e")
_NO_WORD: Final = re.compile(r"[^\w]+|_")


@dataclass(frozen=True, slots=True)
class Known:
    """A person who is known. `person`: the number of the card; `mark`: what whoever asks knows them by."""

    person: str
    name: str
    mark: str = ""


class Likeness:
    """People who are known, found again under another spelling of the card's number or of the name."""

    def __init__(self, known: Iterable[Known] = ()) -> None:
        self._by_card: Final[dict[str, list[Known]]] = {}
        self._by_name: Final[dict[str, list[Known]]] = {}
        for one in known:
            self.add(one)

    def add(self, one: Known) -> None:
        """One more who is known."""
        self._by_card.setdefault(_card_key(one.person), []).append(one)
        self._by_name.setdefault(_name_key(one.name), []).append(one)

    def of(self, person: str, name: str) -> list[Known]:
        """Everybody with another card who is perhaps this person, the one who became known last first.

        Cards are alike where hyphens and leading zeros alone differ, names where accents, capital letters, marks, the
        order of the words or the writing of an umlaut alone differ.
        """
        found = [*self._by_card.get(_card_key(person), ()), *self._by_name.get(_name_key(name), ())]
        return [one for one in reversed(found) if card_of(one.person) != card_of(person)]


def are_alike(one: Known, other: Known) -> bool:
    """Whether two with different cards are perhaps the same person."""
    return bool(Likeness([one]).of(other.person, other.name))


def refused_like(name: str, card: str, entry: int) -> Refused:
    """Why somebody does not enter who is perhaps the person of an entry. `card`: that person's number."""
    words = (
        f"perhaps the same person as {name}, card {card}, entry {entry}: look at a paper, "
        "then take that card, or say that it is another person (`another`)"
    )
    return Refused(Reason.PERHAPS_THE_SAME, words)


def _card_key(person: str) -> str:
    letters = card_of(person).replace("-", "")
    return letters.lstrip("0") or letters


def _name_key(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.casefold().translate(_WRITTEN_OUT))
    words = _NO_WORD.sub(" ", _UMLAUT.sub(r"\1", _DIACRITICS.sub("", plain))).split()
    return " ".join(sorted(words)) or name

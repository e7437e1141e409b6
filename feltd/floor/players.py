"""Players' names and card numbers, kept beside the streams of tournaments and not in them.

A person has a token in each tournament: eight random bytes. The stream, and whatever follows from it (seeds of draws,
chains, digests), has the token in place of name and card number; where people look, both stand there again. So a name
can be erased while every event, seat, place and proof stays as it was. Nobody can tell from two tokens whether they
were one person's.
"""

import asyncio
import re
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from feltd.tournaments.likeness import Known, Likeness, are_alike
from floor_fsm.core.words import cleaned_step
from floor_fsm.state.entries import card_of

CARD: Final = "card-"
NAME: Final = "player-"
"""What stands before a token in place of a card number, and of a name."""
_NAMED: Final = frozenset(
    {
        "entry", "entry.corrected", "entry.handed_on", "entry.substituted", "waiting.joined", "waiting.corrected",
    }
)  # fmt: skip
"""Events that name a person."""
_IN_WORDS: Final = re.compile(rf"({CARD}|{NAME})([0-9a-f]{{16}})")


def tokens_in(words: str) -> frozenset[str]:
    """The tokens of everybody who is named in these words."""
    return frozenset(found[2] for found in _IN_WORDS.finditer(words))


def has_plain_name(said: Mapping[str, Any]) -> bool:
    """Whether an event names a person and has no tokens in place of it: nobody could ever erase that name."""
    if said.get("ev") not in _NAMED:
        return False
    tokens = ((CARD, said.get("person")), (NAME, said.get("name")))
    return not all(
        isinstance(word, str) and (found := _IN_WORDS.fullmatch(word)) and found[1] == kind for kind, word in tokens
    )


@dataclass(frozen=True, slots=True)
class Player:
    """A person of one tournament. `person`: the number of their card; `name`: empty where nobody has said it."""

    token: str
    person: str
    name: str


@dataclass(frozen=True, slots=True)
class Erasure:
    """That somebody's name was erased, which stays: of which tournament, whose token, by whom and why."""

    tournament: str
    token: str
    who: str
    why: str


class Players(Protocol):
    """Where names are kept. Every call raises FloorAwayError where it cannot be known whether it happened."""

    async def keep(self, tournament: str, player: Player) -> str:
        """Keep a person's name; return the token that is theirs in this tournament, which may be an earlier one."""

    async def keep_all(self, tournament: str, players: Sequence[Player]) -> list[str]:
        """Keep many people's names, all or none; return their tokens, as `keep` does."""

    async def of(self, tournament: str) -> list[Player]:
        """Everybody of a tournament whose name is kept."""

    async def with_card(self, person: str) -> list[tuple[str, Player]]:
        """A person by their card's number, however it is spelled: the tournament and who they are there."""

    async def erase(self, erasures: Iterable[Erasure]) -> int:
        """Erase names for good; return how many there were. What is kept of it is the erasure alone."""

    async def erase_unnamed(self, gone: Erasure, seconds: float) -> bool:
        """Erase a name that no event has, unless a desk has said it in the last `seconds`; whether there was one."""

    async def erasures(self) -> list[Erasure]:
        """Every erasure, in order."""

    async def erased(self) -> int:
        """How many erasures there were: another number, and names are to be read anew."""


@dataclass(slots=True)
class MemoryPlayers:
    """Names in memory, for simulations."""

    kept: dict[str, dict[str, Player]] = field(default_factory=dict)
    gone: list[Erasure] = field(default_factory=list)
    clock: Callable[[], float] = time.time
    said: dict[tuple[str, str], float] = field(default_factory=dict)
    """By tournament and token: when a desk said the name last."""
    tokens: dict[tuple[str, str], str] = field(default_factory=dict)
    """By tournament and card: the token that it got last; a look through everybody for each entry takes minutes."""

    async def keep(self, tournament: str, player: Player) -> str:
        """See `Players`."""
        here = self.kept.setdefault(tournament, {})
        card = card_of(player.person)
        known = here.get(self.tokens.get((tournament, card), ""))
        token = player.token if known is None or card_of(known.person) != card else known.token
        here[token] = replace(player, token=token)
        self.tokens[tournament, card] = token
        self.said[tournament, token] = self.clock()
        return token

    async def keep_all(self, tournament: str, players: Sequence[Player]) -> list[str]:
        """See `Players`."""
        tokens = list[str]()
        for player in players:
            tokens.append(await self.keep(tournament, player))
            await asyncio.sleep(0)  # each looks through all: thousands take seconds
        return tokens

    async def of(self, tournament: str) -> list[Player]:
        """See `Players`."""
        return list(self.kept.get(tournament, {}).values())

    async def with_card(self, person: str) -> list[tuple[str, Player]]:
        """See `Players`."""
        everybody = ((cup, one) for cup, here in self.kept.items() for one in here.values())
        return [(cup, one) for cup, one in everybody if card_of(one.person) == card_of(person)]

    async def erase(self, erasures: Iterable[Erasure]) -> int:
        """See `Players`."""
        there = [one for one in erasures if self.kept.get(one.tournament, {}).pop(one.token, None) is not None]
        self.gone += there
        return len(there)

    async def erase_unnamed(self, gone: Erasure, seconds: float) -> bool:
        """See `Players`."""
        said = self.said.get((gone.tournament, gone.token), 0.0)
        return said < self.clock() - seconds and await self.erase([gone]) == 1

    async def erasures(self) -> list[Erasure]:
        """See `Players`."""
        return list(self.gone)

    async def erased(self) -> int:
        """See `Players`."""
        return len(self.gone)


class Names:
    """The names of one tournament: from what people say to what is kept, and back. Pure."""

    def __init__(self, players: Iterable[Player] = (), before: "Names | None" = None) -> None:
        """`before`: names that are known beside these."""
        new = {one.token: one for one in players}
        self._by_token: Final[dict[str, Player]] = {**({} if before is None else before._by_token), **new}
        cards: dict[str, Player] = {} if before is None else before._by_card
        self._by_card: Final[dict[str, Player]] = {**cards, **{card_of(one.person): one for one in new.values()}}
        self._people: Final[Likeness] = Likeness() if before is None else before._people
        for one in new.values():
            self._people.add(Known(one.person, one.name, one.token))

    def having(self, players: Iterable[Player]) -> "Names":
        """The same with these people."""
        return Names(players, self)

    def like(self, player: Player) -> list[Player]:
        """Everybody with another card and another token who is perhaps this person, by the names of now."""
        asked = Known(player.person, player.name)
        found = (self._by_token.get(one.mark) for one in self._people.of(player.person, player.name))
        return [one for one in dict.fromkeys(found) if one is not None and one.token != player.token
                and are_alike(Known(one.person, one.name), asked)]  # fmt: skip

    def beside(self, players: Iterable[Player]) -> "Names":
        """The same with those of these people who have no name yet: who is refused renames nobody."""
        return Names([*players, *(one for one in self._by_token.values() if one.name)])

    def in_tokens(self, said: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Player, ...]]:
        """An event that a person has said, with tokens; and who is named in it. What is no name stays as it is.

        Names come in here, so they are cleaned here.
        """
        event, named = cleaned_step(said), dict[str, Player]()
        for blank in ("person", "name"):
            if said.get(blank) and not event[blank]:
                event[blank] = " "  # which is refused as blank, not as missing
        person, name = event.get("person"), event.get("name")
        card = "".join(person.split()) if isinstance(person, str) else ""
        if event.get("ev") in _NAMED and card and isinstance(name, str) and name.split():
            player = replace(self._player(card), name=name)
            named[player.token] = player
            event |= {"person": CARD + player.token, "name": NAME + player.token}
        persons = event.get("persons")
        if event.get("ev") == "associates" and isinstance(persons, list):
            cards = {card_of(one): "".join(one.split()) for one in persons if isinstance(one, str) and one.split()}
            together = {card: self._player(one) for card, one in cards.items()}
            named |= {player.token: player for player in together.values()}
            event["persons"] = [
                CARD + together[card_of(one)].token if isinstance(one, str) and one.split() else one for one in persons
            ]
        return event, tuple(named.values())

    def _player(self, person: str) -> Player:
        return self._by_card.get(card_of(person)) or Player(secrets.token_hex(8), person, "")

    def in_words(self, words: str) -> str:
        """Words with the names and numbers that are known; an erased one stays a token."""

        def known(found: re.Match[str]) -> str:
            player = self._by_token.get(found[2])
            if player is None:
                return found[0]
            return player.person if found[1] == CARD else player.name or found[0]

        return _IN_WORDS.sub(known, words)

    def in_event(self, event: Mapping[str, Any]) -> Mapping[str, Any]:
        """An event as it is kept, with names."""
        if event.get("ev") in _NAMED:
            return {**event, "person": self.in_words(event["person"]), "name": self.in_words(event["name"])}
        if event.get("ev") == "associates":
            return {**event, "persons": [self.in_words(one) for one in event["persons"]]}
        return event

    def in_lists(self, lists: Mapping[str, Any]) -> Mapping[str, Any]:
        """The state of waiting lists as JSON has it, with names."""
        waits = [
            {**one, "person": self.in_words(one["person"]), "name": self.in_words(one["name"])}
            for one in lists["waits"]
        ]
        return {**lists, "waits": waits}

    def in_state(self, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """A tournament's state as JSON has it, with names."""
        if "Entries" not in state:
            return state
        entries, people, draw = state["Entries"], state["People"], state["Draw"]
        by_number = {
            number: {**one, "person": self.in_words(one["person"]), "name": self.in_words(one["name"])}
            for number, one in entries["by_number"].items()
        }
        barred = [self.in_words(one) for one in people["barred"]]
        groups = [[self.in_words(one) for one in group] for group in draw["groups"]]
        return {
            **state,
            "Entries": {**entries, "by_number": by_number},
            "People": {**people, "barred": barred},
            "Draw": {**draw, "groups": groups},
        }

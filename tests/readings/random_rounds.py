"""Players and a dealer who do, at random, whatever is open to them, at a table of any book."""

from collections.abc import Mapping
from random import Random
from typing import Any

from feltd.books.moments.croupier import Croupier, Prompt
from feltd.books.moments.layout import Deed
from feltd.books.moments.setting import Setting
from feltd.books.moments.stream import Stream
from table_fsm.poker.betting.state import Betting
from table_fsm.rulebook import Rulebook

MOST_STEPS = 400
UNLIMITED = 20
"""Without a limit nobody bets more than so many times the least."""


class RandomCroupier(Croupier):
    """Follows the prompts, and leaves to chance what the players do."""

    def __init__(self, stream: Stream, chance: Random) -> None:
        super().__init__(stream)
        self.chance = chance

    def act(self, prompt: Prompt) -> None:
        """Anything that is open to the player, calls and checks oftener."""
        betting = self.stream.table._core.round.betting
        assert betting is not None
        seat = prompt.get("act") or self.chance.choice(betting.able)
        action, cents = self.chance.choice(_choices(betting, seat, prompt, self.least_bet()))
        self.stream.do("action", seat=seat, action=action, cents=cents)
        if action == "fold":
            self._muck(seat)

    def _muck(self, seat: int) -> None:
        for card in self.stream.layout.names(f"seat:{seat}")[:]:
            self.stream.do("card.removed", zone=f"seat:{seat}", card=card)
            self.stream.do("card.placed", zone="muck", card=card, face="down", deck=self.stream.deck)

    def decide(self, prompt: Prompt) -> None:
        """Against the house: a play wager, a check, or on the last street a fold, of any who are to decide."""
        stream, seat = self.stream, self.chance.choice(prompt["decide"])
        streets = stream.setting.book.streets
        at = next(n for n, street in enumerate(streets) if street.name == stream.table.view()["street"])
        if self.chance.random() < 0.4:
            box = next(s["wagers"] for s in stream.table.view()["seats"] if s["seat"] == seat)
            assert box is not None
            times = self.chance.choice(streets[at].play_multiples)
            stream.do("wager", seat=seat, box="play", cents=box["ante"] * times)
        elif at + 1 < len(streets):
            stream.do("action", seat=seat, action="check", cents=None)
        else:
            stream.do("action", seat=seat, action="fold", cents=None)
            self._muck(seat)  # the cards are passed to the dealer: a table without keys sees the fold by that (8.6)

    def draw(self, prompt: Prompt) -> None:
        """Any number of cards is replaced."""
        seat = prompt["draw"]
        if seat == "button":
            super().draw(prompt)
            return
        count = self.chance.choice((0, 1, 2, 3))
        self.stream.do("draw", seat=seat, count=count)
        for card in self.chance.sample(self.stream.layout.names(f"seat:{seat}"), count):
            self.stream.do("card.removed", zone=f"seat:{seat}", card=card)
            self.stream.do("card.placed", zone="muck", card=card, face="down", deck=self.stream.deck)


def _choices(betting: Betting, seat: int, prompt: Prompt, unit: int) -> list[tuple[str, int | None]]:
    """Everything that a player may do, amounts at both ends of what is allowed."""
    owed = betting.owed(seat) or 0
    last = betting.last_street
    least_bet = max(betting.terms.least.on(last_street=last), unit)
    step = max(betting.step, least_bet, owed if betting.terms.raise_as_call else 0)
    pot = sum(player.total or 0 for player in betting.players.values())
    limit = (
        None
        if betting.terms.limit is None
        else betting.terms.limit(owed, pot + betting.dead, betting.terms.blind or unit, last)
    )
    least, most = owed + step, limit if limit is not None else owed + UNLIMITED * step
    word = "raise" if betting.bet_made else "bet"
    open_to: list[tuple[str, int | None]] = [("fold", None)]
    if owed:
        open_to += [("call", owed)] * 5
    elif prompt.get("check") is not False and not prompt.get("check_beats"):
        open_to += [("check", None)] * 3
    capped = betting.terms.raise_cap is not None and betting.raises >= betting.terms.raise_cap
    if least <= most and not capped and seat not in betting.call_only:
        open_to += [(word, least), (word, most)] * (1 if owed else 2)
        open_to.append(("all_in", least))
    if owed > 1:
        open_to.append(("all_in", owed - 1))
    if len(open_to) > 1 and not owed:
        open_to.remove(("fold", None))
    return open_to


def session(setting: Setting, books: Mapping[str, Rulebook], chance: Random, rounds: int) -> Stream:
    """A table that plays so many random clean rounds, each anew shuffled."""
    stream = Stream.on(setting, books)
    croupier = RandomCroupier(stream, chance)
    croupier.open()
    ended = 0
    for _ in range(MOST_STEPS * rounds):
        croupier.step()
        ended += stream.done[-1]["ev"] == "hand.end"
        if ended == rounds or stream.told:
            break
    return stream


Deeds = list[Deed]
Raw = dict[str, Any]

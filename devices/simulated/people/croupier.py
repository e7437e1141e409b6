"""The croupier: decides what the simulated dealer does.

Yields motions and is sent their replies. It knows no rules. It follows the table's prompts, which deals any game; after
a mistake it follows the ruling's prompts. Players act through it, and the floor comes when the table waits for a
person.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from devices.simulated.errors import CroupierStuckError
from devices.simulated.people import (
    blunders,
    dealing,
    director,
    exchange,
    floor,
    motions,
    occasions,
    pack_work,
    round_end,
    table_cards,
    wagers,
)
from devices.simulated.people.game import Game
from devices.simulated.people.mistakes import Mistake
from devices.simulated.people.motions import Steps
from devices.simulated.people.work import Work

PATIENCE = 40
"""Steps without an answer from the table before the dealer calls the floor, or gives up."""


class Croupier(Work):
    """Works one table: send `motions()` a Reply for each Motion."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.made: list[Mistake] = []
        """The mistakes made so far, in order."""
        self._idle = 0
        self._heard = 0

    # -- the loop

    def motions(self) -> Steps:
        """Work the table until the game's rounds are over.

        Raises CroupierStuckError if nothing goes on although no mistake was made.
        """
        self.plan.new_round()
        if self.game.checks_first:
            yield from pack_work.check(self, {})
        yield from director.start_clock(self)
        while self.game.rounds is None or self.rounds < self.game.rounds:
            yield from self._step()
            yield from self._mind_progress()

    def _step(self) -> Steps:
        if self.sense.waits_for_floor:
            yield from floor.attend(self)
            return
        if self.sense.outcome == "reconstruct" and self.layout.marked:
            yield from table_cards.put_back(self)
            return
        prompt = self.sense.prompt or {}
        key = next((key for key in prompt if key in _FOLLOW), None)
        if key is None:
            yield from self.do(motions.wait(1.0))
            return
        if key in _NEEDS_SHOE and not self.loaded and self.layout.empty:  # the cards were checked after the shuffle
            yield from pack_work.shuffle_deck(self, self.last_deck or pack_work.next_deck(self))
            return
        mistake = self.plan.due(key)
        if mistake is not None and occasions.ripe(self, mistake, prompt):
            self.plan.made()
            self.made.append(mistake)
            yield from blunders.make(self, mistake, prompt)
            return
        yield from _FOLLOW[key](self, prompt)

    def _mind_progress(self) -> Steps:
        """If nothing goes on, have the floor end the round.

        Raises CroupierStuckError if no mistake was made: the simulation is wrong then.
        """
        if self.sense.outputs != self._heard and self.sense.errors < 3:
            self._heard, self._idle = self.sense.outputs, 0
            return
        self._heard = self.sense.outputs
        self._idle += 1
        if self._idle < PATIENCE and self.sense.errors < 3:
            return
        if not self.made:
            raise CroupierStuckError(
                f"the table prompts {self.sense.prompt!r} in phase {self.sense.phase} and nothing comes of it; "
                f"{self.sense.errors} events were refused"
            )
        self._idle = 0
        self.sense.errors = 0
        yield from floor.end_round(self)


_NEEDS_SHOE: Final = frozenset({"cut", "post", "ante", "wagers", "deal"})

_FOLLOW: Final[Mapping[str, Callable[[Work, dict[str, Any]], Steps]]] = MappingProxyType(
    {
        "check": pack_work.check,
        "shuffle": pack_work.shuffle,
        "cut": pack_work.cut,
        "post": wagers.post,
        "ante": wagers.ante,
        "wagers": wagers.place,
        "draw": exchange.follow,
        "give_up": exchange.give_up,
        "move": dealing.move,
        "deal": dealing.deal,
        "burn": table_cards.burn,
        "act": wagers.act,
        "open": wagers.open_by_cards,
        "close": wagers.close,
        "decide": wagers.decide,
        "turn": table_cards.turn,
        "show": round_end.show,
        "collect": round_end.collect,
        "remove": table_cards.remove,
        "mix": table_cards.mix,
        "shuffle_stub": pack_work.shuffle_stub,
        "wait": floor.wait,
    }
)
"""How each prompt is followed, by its key."""

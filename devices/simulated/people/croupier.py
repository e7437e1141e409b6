"""The croupier: the brain of the simulated dealer. A pure generator: it yields motions and is sent what came of them.

It knows no rules. It does what the table's prompts ask, which deals any game, and when it errs it then does what the
ruling's prompts ask. Players act through it, and the floor comes when the table waits for a person.
"""

from collections.abc import Callable, Generator, Mapping
from types import MappingProxyType
from typing import Any, Final

from devices.simulated.errors import CroupierStuckError
from devices.simulated.people import (
    blunders,
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
from devices.simulated.people.chance import seeded
from devices.simulated.people.game import Game
from devices.simulated.people.house_players import HousePlayers
from devices.simulated.people.layout import Layout
from devices.simulated.people.mistakes import Kind, Mistake, MistakePlan, possible
from devices.simulated.people.motions import Motion, Reply, Steps
from devices.simulated.people.players import PokerPlayers
from devices.simulated.things.sense import TableSense

PATIENCE = 40
"""Steps without anything new from the table before the croupier calls the floor, or gives up."""


class Croupier:
    """Works one table. `motions()` is the generator; send it a Reply for each Motion."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.chance = seeded("croupier", game.seed)
        self.sense = TableSense()
        self.layout = Layout()
        self.players = PokerPlayers(game.seats, seeded("players", game.seed), unit=game.unit, wagering=game.wagering)
        self.house = HousePlayers(game.seats, seeded("boxes", game.seed), table_min=game.table_min)
        kinds = possible(game.kind, keypad=game.keypad, decks=len(game.decks))
        chosen = kinds if game.kinds is None else tuple(kind for kind in game.kinds if kind in kinds)
        self.plan = MistakePlan(seeded("mistakes", game.seed), game.mistake_rate, chosen)
        self.made: list[Mistake] = []
        """The mistakes made so far, in order."""
        self.rounds = 0
        self.last_deck: str | None = None
        self.loaded = False
        """The last deck lies shuffled in the shoe."""
        self.undealt = 0
        """Cards that have not left the shoe."""
        self.dealt_to: list[int] = []
        """Seats in the order of this round's first cards."""
        self.announced = False
        self.button_unnoticed = False
        self.draws_button = False
        """The cards dealt now are for the button."""
        self.looked: set[int] = set()
        self.exchanged: set[int] = set()
        """Who has replaced cards, or stood pat, in this round's draw."""
        self.spoken: dict[str | None, set[int]] = {}
        """Who has decided on each street of the house's game."""
        self._idle = 0
        self._heard = 0

    @property
    def house_banked(self) -> bool:
        """Whether the house plays against every box."""
        return self.game.kind is Kind.HOUSE

    # -- the loop

    def motions(self) -> Steps:
        """Work the table until the rounds are over. Raises CroupierStuckError where nothing goes on and nobody errs."""
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
        if key in _NEEDS_SHOE and not self.loaded and self.layout.empty:  # the cards were checked since the shuffle
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
        """Nothing new for long, or event after event refused: the floor ends the round, or the simulation is wrong."""
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

    def do(self, motion: Motion) -> Generator[Motion, Reply, Reply]:
        """One motion, and what the table says to it."""
        reply = yield motion
        self.sense.take(reply.outputs)
        return reply

    def stale(self, prompt: dict[str, Any]) -> bool:
        """The table has changed its mind since this prompt: a look made a fault graver, a person must decide."""
        return self.sense.waits_for_floor or self.sense.prompt != prompt

    # -- rounds

    def round_over(self) -> None:
        """One round more is played, or has come to nothing."""
        self.rounds += 1
        self.sense.new_round()
        self.new_deal()
        self.plan.new_round()

    def new_deal(self, *, posts_stand: bool = False) -> None:
        """Nothing of the last deal is left but, after a misdeal, the blinds."""
        self.dealt_to = []
        self.announced = self.draws_button = False
        self.looked = set()
        self.exchanged = set()
        self.spoken = {}
        self.players.new_hand(posts_stand=posts_stand)
        self.house.new_round()


_NEEDS_SHOE: Final = frozenset({"cut", "post", "ante", "wagers", "deal"})

_FOLLOW: Final[Mapping[str, Callable[[Croupier, dict[str, Any]], Steps]]] = MappingProxyType(
    {
        "check": pack_work.check,
        "shuffle": pack_work.shuffle,
        "cut": pack_work.cut,
        "post": wagers.post,
        "ante": wagers.ante,
        "wagers": wagers.place,
        "draw": exchange.follow,
        "move": table_cards.move,
        "deal": table_cards.deal,
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

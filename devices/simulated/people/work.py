"""The state of the dealer's work at one simulated table: what each of its subjects reads, changes and asks for."""

from collections.abc import Generator
from typing import Any

from devices.simulated.chance import seeded
from devices.simulated.people.game import Game
from devices.simulated.people.house_players import HousePlayers
from devices.simulated.people.layout import Layout
from devices.simulated.people.mistakes import Kind, MistakePlan, possible
from devices.simulated.people.motions import Motion, Reply
from devices.simulated.people.players import PokerPlayers
from devices.simulated.people.sense import TableSense


class Work:
    """The dealer's work: the game, the people, the cards on the table and the round's progress.

    `do` makes one motion.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.chance = seeded("croupier", game.seed)
        self.sense = TableSense()
        self.layout = Layout()
        self.players = PokerPlayers(game.seats, seeded("players", game.seed), unit=game.unit, wagering=game.wagering)
        self.house = HousePlayers(game.seats, seeded("boxes", game.seed), table_min=game.table_min)
        kinds = possible(game.kind, keypad=game.keypad, decks=len(game.decks), built=game.built, faces=game.faces)
        chosen = kinds if game.kinds is None else tuple(kind for kind in game.kinds if kind in kinds)
        self.plan = MistakePlan(seeded("mistakes", game.seed), game.mistake_rate, chosen)
        self.rounds = 0
        """Rounds played so far."""
        self.last_deck: str | None = None
        self.loaded = False
        """The last deck lies shuffled in the shoe."""
        self.breaks_over = 0
        """Breaks of the schedule that are over, in this tournament."""
        self.undealt = 0
        """Cards that have not left the shoe."""
        self.dealt_to: list[int] = []
        """Seats in the order of this round's first cards."""
        self.announced = False
        """No more bets has been announced in this deal."""
        self.button_unnoticed = False
        """The button stands wrong, and nobody has noticed yet."""
        self.draws_button = False
        """The cards dealt now are for the button."""
        self.looked: set[int] = set()
        """Seats whose players have looked at their newest card."""
        self.exchanged: set[int] = set()
        """Seats that have replaced cards, or stood pat, in this round's draw."""
        self.spoken: dict[str | None, set[int]] = {}
        """By street of the house's game, the seats that have decided."""

    @property
    def house_banked(self) -> bool:
        """Whether the house plays against every box."""
        return self.game.kind is Kind.HOUSE

    def do(self, motion: Motion) -> Generator[Motion, Reply, Reply]:
        """Make one motion and note what the table answers; returns the reply."""
        reply = yield motion
        self.sense.take(reply.outputs)
        return reply

    def stale(self, prompt: dict[str, Any]) -> bool:
        """Whether the table has changed its prompt meanwhile, or waits for a person."""
        return self.sense.waits_for_floor or self.sense.prompt != prompt

    def round_over(self) -> None:
        """Count a round as played, and begin the next one."""
        self.rounds += 1
        self.sense.new_round()
        self.new_deal()
        self.plan.new_round()

    def new_deal(self, *, posts_stand: bool = False) -> None:
        """Forget the last deal. `posts_stand`: the posted blinds stay, as after a misdeal."""
        self.dealt_to = []
        self.announced = self.draws_button = False
        self.looked = set()
        self.exchanged = set()
        self.spoken = {}
        self.players.new_hand(posts_stand=posts_stand)
        self.house.new_round()

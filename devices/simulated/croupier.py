"""The croupier: the brain of the simulated dealer. A pure generator: it yields motions and is sent what came of them.

It knows no rules. It does what the table's prompts ask, which deals any game, and when it errs it then does what the
ruling's prompts ask. Players act through it, and the floor comes when the table waits for a person.
"""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from devices.simulated import blunders, floor, motions
from devices.simulated.chance import seeded
from devices.simulated.errors import CroupierStuckError
from devices.simulated.mistakes import HOUSE_BANKED, PLAYER_BANKED, Mistake, MistakePlan, possible
from devices.simulated.motions import Held, Motion, Reply
from devices.simulated.players import HoldemPlayers, HousePlayers
from devices.simulated.sense import TableSense

Steps: TypeAlias = Generator[Motion, Reply, None]
Dealt: TypeAlias = Generator[Motion, Reply, bool]

PATIENCE = 40
"""Steps without anything new from the table before the croupier calls the floor, or gives up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """What is played on the simulated table. Amounts in cents.

    `keypad`: actions are keyed. `button`: where it stands as the table opens. `mistake_rate`: share of the rounds
    that get a mistake. `kinds`: which mistakes; None, all that can happen. `rounds`: after so many the croupier
    stops; None, never. `chips`: the chips that commission is paid in.
    """

    rulebook: str
    seats: tuple[int, ...]
    decks: tuple[str, ...] = ("blue",)
    seed: int = 0
    keypad: bool = True
    look_sensor: bool = True
    blinds: tuple[int, ...] = (100, 200)
    table_min: int = 500
    mistake_rate: float = 0.0
    kinds: tuple[Mistake, ...] | None = None
    rounds: int | None = None
    chips: tuple[int, ...] = (10000, 2500, 500, 100, 50)
    button: int | None = None
    staff: str = "S-1"
    staff_role: str = "supervisor"

    @property
    def big_blind(self) -> int:
        """The last blind, in cents."""
        return self.blinds[-1]

    @property
    def banked(self) -> str:
        """Who banks the game."""
        return HOUSE_BANKED if self.rulebook.endswith("-uth") else PLAYER_BANKED


@dataclass(slots=True)
class Layout:
    """The cards as the people at the table know them."""

    zones: dict[str, list[Held]] = field(default_factory=dict)
    in_hand: list[Held] = field(default_factory=list)
    """Taken back by a ruling, or out of the shoe and not yet placed."""
    marked: dict[str, str] = field(default_factory=dict)
    """By zone, the card that something went wrong with: the one a ruling asks back."""

    def put(self, zone: str, held: Held) -> None:
        """A card came to a zone."""
        self.zones.setdefault(zone, []).append(held)

    def take(self, zone: str, card: str) -> None:
        """A card left a zone."""
        lying = self.zones.get(zone, [])
        self.zones[zone] = [held for held in lying if held.card != card]

    def names(self, zone: str) -> list[str]:
        """The cards of a zone."""
        return [held.card for held in self.zones.get(zone, [])]

    @property
    def empty(self) -> bool:
        """No card is out."""
        return not self.in_hand and not any(self.zones.values())

    def clear(self) -> None:
        """Everything is collected."""
        self.zones.clear()
        self.in_hand.clear()
        self.marked.clear()


class Croupier:
    """Works one table. `motions()` is the generator; send it a Reply for each Motion."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.chance = seeded("croupier", game.seed)
        self.sense = TableSense()
        self.layout: Layout = Layout()
        self.holdem = HoldemPlayers(game.seats, seeded("players", game.seed), big_blind=game.big_blind)
        self.house = HousePlayers(game.seats, seeded("boxes", game.seed), table_min=game.table_min)
        kinds = possible(game.banked, keypad=game.keypad, decks=len(game.decks))
        chosen = kinds if game.kinds is None else tuple(kind for kind in game.kinds if kind in kinds)
        self.plan = MistakePlan(seeded("mistakes", game.seed), game.mistake_rate, chosen)
        self.made: list[Mistake] = []
        """The mistakes made so far, in order."""
        self.rounds = 0
        self.last_deck: str | None = None
        self.loaded = False
        """The last deck lies shuffled in the shoe."""
        self.dealt_to: list[int] = []
        """Seats in the order of this round's first cards."""
        self.announced = False
        self.button_unnoticed = False
        self.looked: set[int] = set()
        self.spoken: dict[str | None, set[int]] = {}
        """Who has decided on each street of the house's game."""
        self._idle = 0
        self._heard = 0

    # -- the loop

    def motions(self) -> Steps:
        """Work the table until the rounds are over. Raises CroupierStuckError where nothing goes on and nobody errs."""
        self.plan.new_round()
        while self.game.rounds is None or self.rounds < self.game.rounds:
            yield from self._step()
            yield from self._mind_progress()

    def _step(self) -> Steps:
        if self.sense.waits_for_floor:
            yield from floor.attend(self)
            return
        if self.sense.outcome == "reconstruct" and self.layout.marked:
            yield from self.put_back()
            return
        prompt = self.sense.prompt or {}
        key = next((key for key in prompt if key in _FOLLOW), None)
        if key is None:
            yield from self.do(motions.wait(1.0))
            return
        if key in _NEEDS_SHOE and not self.loaded and self.layout.empty:  # the cards were checked since the shuffle
            yield from self.shuffle_deck(self.last_deck or self.next_deck())
            return
        mistake = self.plan.due(key)
        if mistake is not None and blunders.ripe(self, mistake, prompt):
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

    # -- following the prompts

    def check(self, prompt: dict[str, Any]) -> Steps:
        """Check a deck card by card; a supervisor looks on."""
        yield from self.clear_layout()
        yield from self.do(motions.badge(self.game.staff, self.game.staff_role))
        decks = [prompt["check"]] if prompt.get("check") else list(self.game.decks)
        for deck in decks:
            yield from self.check_deck(deck)

    def check_deck(self, deck: str | None) -> Steps:
        """A full check; cards that are not whole are replaced, and the new ones checked. Afterwards they lie in
        order."""
        self.loaded = self.loaded and deck not in (None, self.last_deck)
        reply = yield from self.do(motions.shoe("check", deck=deck))
        if reply.result.get("whole", True):
            return
        yield from self.do(motions.shoe("change_deck", deck=deck))
        yield from self.do(motions.badge(self.game.staff, self.game.staff_role))
        yield from self.do(motions.shoe("check", deck=deck))

    def shuffle(self, prompt: dict[str, Any]) -> Steps:
        """Shuffle the deck the table names, else the one whose turn it is."""
        yield from self.clear_layout()
        yield from self.shuffle_deck(prompt.get("shuffle") or self.next_deck())

    def shuffle_deck(self, deck: str) -> Steps:
        """Shuffle this deck: a new deal begins. After a misdeal the posted blinds stand, else every bet has gone
        back."""
        if self.dealt_to or self.sense.phase in ("misdeal", "void"):
            self.new_deal(posts_stand=self.sense.phase == "misdeal")
        reply = yield from self.do(motions.shoe("shuffle", deck=deck))
        if reply.refused is None:
            self.last_deck, self.loaded = deck, True
        else:
            yield from self.do(motions.wait(1.0))

    def next_deck(self) -> str:
        """Decks take turns."""
        decks = self.game.decks
        return decks[0] if self.last_deck not in decks else decks[(decks.index(self.last_deck) + 1) % len(decks)]

    def cut(self, prompt: dict[str, Any]) -> Steps:
        """Cut well inside the deck."""
        yield from self.do(motions.press("cut", by="dealer", depth=self.chance.randrange(10, 27)))

    def post(self, prompt: dict[str, Any]) -> Steps:
        """The blinds or antes that are due."""
        if not self.game.keypad:  # nobody keys them: on to the deal
            yield from self.deal_unasked()
            return
        for seat, cents in prompt["post"].items():
            amount = cents if isinstance(cents, int) else self.game.big_blind
            yield from self.post_one(int(seat), amount)

    def ante(self, prompt: dict[str, Any]) -> Steps:
        """The antes that are due."""
        if not self.game.keypad:
            yield from self.deal_unasked()
            return
        for seat, cents in prompt["ante"].items():
            yield from self.do(motions.act(int(seat), "ante", cents))

    def post_one(self, seat: int, cents: int) -> Steps:
        """One blind or ante."""
        self.holdem.post(seat, cents)
        yield from self.do(motions.act(seat, "post", cents))

    def deal_unasked(self) -> Steps:
        """Straight to the deal, whatever the table asks for: blinds, no more bets, the first card after the button."""
        first = self.first_seat()
        seats = self.game.seats
        ring = seats[seats.index(first) :] + seats[: seats.index(first)]
        if self.game.keypad and not self.holdem.posted:
            for seat, cents in zip(ring, self.game.blinds, strict=False):
                yield from self.post_one(seat, cents)
        yield from self.announce()
        yield from self.deal_to(f"seat:{first}", "down")

    def wagers(self, prompt: dict[str, Any]) -> Steps:
        """Players place their wagers, then no more bets."""
        placed = {} if self.house.wagers else self.house.place_wagers()  # those that lie there stay
        for seat, wagers in placed.items():
            yield from self.do(motions.press("wager", seat=seat, box="ante", cents=wagers.ante))
            yield from self.do(motions.press("wager", seat=seat, box="blind", cents=wagers.ante))
            if wagers.trips:
                yield from self.do(motions.press("wager", seat=seat, box="trips", cents=wagers.trips))
        yield from self.announce()

    def announce(self) -> Steps:
        """No more bets."""
        if not self.announced:
            self.announced = True
            yield from self.do(motions.press("deal_start"))

    def move(self, prompt: dict[str, Any]) -> Steps:
        """The button, the buck or the starting marker moves; unless nobody has seen that it stands wrong."""
        if self.button_unnoticed:
            self.button_unnoticed = False
            yield from self.deal_unasked()
            return
        yield from self.do(motions.marker(prompt["move"], prompt["to"]))

    def deal(self, prompt: dict[str, Any]) -> Steps:
        """The next card, where the table wants it."""
        if self.layout.empty:
            yield from self.announce()
        yield from self.deal_to(prompt["deal"], prompt.get("face") or "down")

    def deal_to(self, zone: str, face: str) -> Dealt:
        """One card to a zone: the one in hand, if a ruling gave it back, else the shoe's next. Says whether it came."""
        held = self.layout.in_hand.pop() if self.layout.in_hand else (yield from self.draw())
        if held is None:
            return False
        if self.sense.waits_for_floor:  # the card itself is the matter: it stays in the hand
            self.layout.in_hand.append(held)
            return False
        seat = int(zone.removeprefix("seat:")) if zone.startswith("seat:") else None
        if seat is not None and seat not in self.dealt_to:
            self.dealt_to.append(seat)
            self.holdem.live.add(seat)
        self.layout.put(zone, Held(held.card, held.deck, face))
        yield from self.do(motions.place(zone, held, face))
        return True

    def first_seat(self) -> int:
        """The seat after the button."""
        button = self.sense.button or self.game.button or 0
        return next((seat for seat in self.game.seats if seat > button), self.game.seats[0])

    def draw(self) -> Generator[Motion, Reply, Held | None]:
        """A card out of the shoe. None where it gives none; a locked gate is waited for."""
        rounds_ended = self.sense.phase
        reply = yield from self.do(motions.shoe("deal"))
        if reply.refused is not None:
            yield from self.do(motions.wait(1.0))
            return None
        held = Held(reply.result["card"], reply.result.get("deck"), reply.result.get("face", "down"))
        if self.sense.phase in ("misdeal", "void") and rounds_ended != self.sense.phase:
            self.layout.in_hand.append(held)  # collected with the rest
            return None
        return held

    def burn(self, prompt: dict[str, Any]) -> Steps:
        """One card to the burn pile."""
        yield from self.deal_to("burn", "down")

    def act(self, prompt: dict[str, Any]) -> Steps:
        """The player in turn acts; with no keypad the dealer sees the bets met and closes."""
        seat, owes = prompt["act"], prompt.get("owes")
        yield from self.look(seat)
        if self.stale(prompt):
            return
        if not self.game.keypad:
            self.holdem.bet_unkeyed()
            yield from self.close(prompt)
            return
        done = self.holdem.decide(seat, owes or 0, self.layout.names(f"seat:{seat}"))
        self.holdem.take(seat, done)
        yield from self.do(motions.act(seat, done.action, done.cents))
        if done.action == "fold":
            yield from self.take_hand(seat)

    def stale(self, prompt: dict[str, Any]) -> bool:
        """The table has changed its mind since this prompt: a look made a fault graver, a person must decide."""
        return self.sense.waits_for_floor or self.sense.prompt != prompt

    def look(self, seat: int) -> Steps:
        """The player looks at the cards, once."""
        if self.game.look_sensor and seat not in self.looked and self.layout.names(f"seat:{seat}"):
            self.looked.add(seat)
            yield from self.do(motions.on_zone(f"seat:{seat}", "look"))

    def take_hand(self, seat: int) -> Steps:
        """A folded hand goes to the discards."""
        zone = f"seat:{seat}"
        for held in list(self.layout.zones.get(zone, [])):
            self.layout.take(zone, held.card)
            yield from self.do(motions.on_zone(zone, "remove", card=held.card))

    def close(self, prompt: dict[str, Any]) -> Steps:
        """The betting round is over."""
        self.holdem.new_betting_round()
        yield from self.do(motions.press("betting_closed"))

    def decide(self, prompt: dict[str, Any]) -> Steps:
        """One player of the house's game decides."""
        silent = self.spoken.setdefault(self.sense.street, set())
        waiting = [seat for seat in prompt["decide"] if seat not in silent]
        if not waiting:  # with no keypad a check is not heard of: the dealer sees that all have spoken, and goes on
            yield from self.turn({"turn": _NEXT_CARDS.get(self.sense.street or "", ["dealer"])})
            return
        seat = waiting[0]
        yield from self.look(seat)
        if self.stale(prompt):
            return
        silent.add(seat)
        board = [card for n in range(1, 6) if self._is_up(f"board:{n}") for card in self.layout.names(f"board:{n}")]
        done = self.house.decide(seat, self.sense.street, self.layout.names(f"seat:{seat}"), board)
        if done.action == "play":
            self.house.played.add(seat)
            yield from self.do(motions.press("wager", seat=seat, box="play", cents=done.cents))
            return
        if self.game.keypad or done.action == "fold":
            yield from self.do(motions.act(seat, done.action))
        if done.action == "fold":
            self.house.folded.add(seat)
            yield from self.take_hand(seat)

    def _is_up(self, zone: str) -> bool:
        return any(held.face == "up" for held in self.layout.zones.get(zone, []))

    def turn(self, prompt: dict[str, Any]) -> Steps:
        """Cards that lie face down are turned up: the board, the dealer's hand."""
        for zone in prompt["turn"]:
            yield from self.turn_up(zone)

    def turn_up(self, zone: str) -> Steps:
        """Every card of a zone face up."""
        self.layout.zones[zone] = [Held(held.card, held.deck, "up") for held in self.layout.zones.get(zone, [])]
        yield from self.do(motions.on_zone(zone, "turn", face="up", all=True))

    def show(self, prompt: dict[str, Any]) -> Steps:
        """The next player in the order tables the hand."""
        for seat in prompt["show"]:
            if any(held.face == "down" for held in self.layout.zones.get(f"seat:{seat}", [])):
                yield from self.turn_up(f"seat:{seat}")
                return
        yield from self.do(motions.wait(1.0))

    def collect(self, prompt: dict[str, Any]) -> Steps:
        """Pots counted and pushed, commission dropped, cards collected, the round ended."""
        if self.game.banked == PLAYER_BANKED:
            yield from self.settle_pots(excess=0)
        yield from self.end_hand()

    def settle_pots(self, *, excess: int) -> Steps:
        """Count each pot, drop what is due and `excess` cents more, push the rest."""
        pots = self.holdem.pots()
        for number, cents in enumerate(pots, start=1):
            yield from self.do(motions.press("pot", cents=cents, pot=number))
        for chip in self.chips_for(sum(self.sense.due.values()) + excess):
            yield from self.do(motions.dropbox("chip", cents=chip))
        for number, cents in enumerate(pots, start=1):
            winners = self.sense.winners.get(number) or sorted(self.holdem.live)[:1]
            if winners:
                self.holdem.win(winners, cents - self.sense.due.get(number, 0))
        self.holdem.settled()

    def chips_for(self, cents: int) -> list[int]:
        """An amount in the fewest chips; what no chip makes up goes as one more."""
        chips: list[int] = []
        for chip in self.game.chips:
            chips += [chip] * (cents // chip)
            cents %= chip
        return chips + ([cents] if cents else [])

    def end_hand(self, *, marker: int | None = None) -> Steps:
        """Cards collected, the round is over, the button moves: to `marker`, where that is wrong."""
        yield from self.clear_layout()
        yield from self.do(motions.press("hand_end"))
        if self.sense.button is not None and self.game.banked == PLAYER_BANKED:
            yield from self.do(motions.marker("button", self.sense.button if marker is None else marker))
        self.round_over()

    def round_over(self) -> None:
        """One round more is played, or has come to nothing."""
        self.rounds += 1
        self.sense.new_round()
        self.new_deal()
        self.plan.new_round()

    def new_deal(self, *, posts_stand: bool = False) -> None:
        """Nothing of the last deal is left but, after a misdeal, the blinds."""
        self.dealt_to = []
        self.announced = False
        self.looked = set()
        self.spoken = {}
        self.holdem.new_hand(posts_stand=posts_stand)
        self.house.new_round()

    def clear_layout(self) -> Steps:
        """Gather every card that is out."""
        if not self.layout.empty:
            self.layout.clear()
            yield from self.do(motions.collect_all())

    def remove(self, prompt: dict[str, Any]) -> Steps:
        """Take back the card a ruling asks back; where it goes the next prompt says."""
        zone = prompt["remove"]
        card = self.layout.marked.pop(zone, None)
        reply = yield from self.do(motions.on_zone(zone, "remove", card=card))
        if reply.refused is None:
            taken = Held(reply.result["card"], self.last_deck, reply.result.get("face", "down"))
            self.layout.take(zone, taken.card)
            if self.sense.outcome == "replace_with_first_burn":
                self.layout.put("burn", taken)
                yield from self.do(motions.place("burn", taken, "down"))
            else:
                self.layout.in_hand.append(taken)

    def put_back(self) -> Steps:
        """The card that went wrong comes back into the hand, and is the next that is dealt where one is due."""
        zone = next(iter(self.layout.marked))
        yield from self.remove({"remove": zone})
        if "deal" not in (self.sense.prompt or {}):
            self.layout.in_hand.clear()  # it belongs to nobody: among the discards

    def shuffle_stub(self, prompt: dict[str, Any]) -> Steps:
        """What was taken back goes into the undealt cards, which are shuffled."""
        cards = [held.card for held in self.layout.in_hand]
        self.layout.in_hand.clear()
        yield from self.do(motions.shoe("reshuffle", cards=cards))

    def floor_comes(self, prompt: dict[str, Any]) -> Steps:
        """A person must decide."""
        yield from floor.attend(self)


_NEXT_CARDS = {"pre_flop": ["board:1", "board:2", "board:3"], "flop": ["board:4", "board:5"]}
"""What is turned after a betting round of the house's game."""

_NEEDS_SHOE = frozenset({"cut", "post", "ante", "wagers", "deal"})

_FOLLOW = {
    "check": Croupier.check,
    "shuffle": Croupier.shuffle,
    "cut": Croupier.cut,
    "post": Croupier.post,
    "ante": Croupier.ante,
    "wagers": Croupier.wagers,
    "move": Croupier.move,
    "deal": Croupier.deal,
    "burn": Croupier.burn,
    "act": Croupier.act,
    "close": Croupier.close,
    "decide": Croupier.decide,
    "turn": Croupier.turn,
    "show": Croupier.show,
    "collect": Croupier.collect,
    "remove": Croupier.remove,
    "shuffle_stub": Croupier.shuffle_stub,
    "wait": Croupier.floor_comes,
}
"""How each prompt is followed, by its key."""

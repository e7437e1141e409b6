"""A dealer who does what each prompt asks, and players who do the plainest thing that is open to them."""

from collections.abc import Mapping
from typing import Any, Final

from feltd.books.moments.setting import TABLE_MINIMUM
from feltd.books.moments.stream import STEP, Stream
from table_fsm.felt import StaffRole
from table_fsm.view.shapes import TournamentView

Prompt = Mapping[str, Any]
MOST_STEPS: Final = 260
"""A round that has not ended after so many prompts never will."""


HAND: Final = 5
"""Cards of a hand in a draw."""
BOX_WAGER: Final = 1000
"""Cents in each box of a game against the house."""
_NO_CARD_NEXT: Final = frozenset({"act", "open", "close", "decide"})
"""Prompts at which a card that was taken back is out of play: it is neither dealt next nor shuffled in."""


class StuckError(Exception):
    """The table asks for something that does not bring it on, or that no dealer can do."""


def begins_in_break(tournament: TournamentView) -> bool:
    """Whether the deal that comes next begins in a break: not one whose level was settled before it."""
    return bool(tournament["break_left"]) and tournament["level"] == tournament["next_deal"]


class Croupier:
    """Follows the prompts of one stream."""

    def __init__(self, stream: Stream, *, checks: bool = False, fold_to: int = 0) -> None:
        """Take a stream over.

        `checks`: nobody opens the betting where a check is free. `fold_to`: in the first betting round players fold
        until so many are left; 0: nobody does.
        """
        self.stream = stream
        self.checks = checks
        self.fold_to = fold_to

    def open(self, *, checked: bool = True) -> None:
        """The packs checked, if they are to be, and the table opened."""
        setting = self.stream.setting
        if checked:
            self.check_packs()
        self.stream.do(
            "table.open",
            rulebook=setting.book.id,
            seats=list(setting.seats),
            button=setting.button,
            options=setting.all_options,
        )

    def check_packs(self) -> None:
        """Every pack is checked and found right."""
        for deck in self.stream.setting.packs:
            self.stream.do("shoe.deck_checked", deck=deck, count=len(self.stream.setting.deck))

    def step(self) -> Prompt:
        """Do what the table asks next; return the prompt. Raises StuckError."""
        self._put_back_excess()
        prompt = self.stream.prompt
        if prompt is None:
            raise StuckError("the table asks for nothing")
        name = next(iter(prompt))
        deed = _DEEDS.get(name)
        if deed is None:
            raise StuckError(f"no dealer knows what to do: {prompt}")
        before = len(self.stream.deeds)
        getattr(self, deed)(prompt)
        if len(self.stream.deeds) == before:
            raise StuckError(f"nothing can be done: {prompt}")
        return prompt

    def _put_back_excess(self) -> None:
        """A card too many is taken back where a ruling has said so, also if the table does not ask for it."""
        stream = self.stream
        told = stream.told[-1] if stream.told else None
        if told is None or told.ruling is None or told.at != len(stream.deeds) - 1:
            return
        deed, last = stream.deeds[-1], told.ruling
        too_many = last.irregularity in ("excess_card", "extra_hand") and last.outcome == "reconstruct"
        if too_many and deed["ev"] == "card.placed" and "remove" not in (stream.prompt or {}):
            stream.do("card.removed", zone=deed["zone"], card=stream.layout.names(deed["zone"])[-1])
            stream.layout.in_hand.clear()

    # -- cards

    def deal(self, prompt: Prompt) -> None:
        """The next card to its zone: the one in hand, if a ruling took one up, or the shoe's next.

        A round that would begin in a break waits for its end first.
        """
        if not any(self.stream.layout.zones.values()):
            self._wait_out_break()
        zone, face = prompt["deal"], prompt.get("face") or "down"
        if zone == "board":
            zone = next(f"board:{n}" for n in range(1, 6) if not self.stream.layout.at(f"board:{n}"))
        held = self.stream.layout.in_hand
        if zone.startswith("board:") and not held and self._uses_burn():
            self.stream.do("card.removed", zone="burn", card=self.stream.layout.names("burn")[-1])
        if held:
            self.stream.do("card.placed", zone=zone, card=held[0], face=face, deck=self.stream.deck)
            return
        if not self.stream.layout.stub:
            raise StuckError(f"no card is left for {zone}")
        self._have_shoe_answer()
        self.stream.card(zone, face)

    def _uses_burn(self) -> bool:
        """Whether the burn that was seen last is to be used as the next communal card, and none has come since."""
        stream = self.stream
        told = next((told for told in reversed(stream.told) if told.ruling is not None), None)
        if told is None or told.ruling is None or stream.deeds[told.at].get("zone") != "burn":
            return False
        since = [deed.get("zone") or "" for deed in stream.deeds[told.at :] if deed["ev"] == "card.placed"]
        used = told.ruling.irregularity == "burn_exposed" and told.ruling.outcome == "use_in_sequence"
        return used and not any(zone.startswith("board:") for zone in since)

    def _wait_out_break(self) -> None:
        tournament = self.stream.table.view()["tournament"]
        if tournament is not None and begins_in_break(tournament):
            self.stream.do("tick", after=(tournament["break_left"] or 0.0) + STEP)

    def burn(self, prompt: Prompt) -> None:
        """One card to the burn pile."""
        self._have_shoe_answer()
        self.stream.card("burn")

    def remove(self, prompt: Prompt) -> None:
        """Take back the card of a fault: to the burn pile if it is replaced, else in the hand while cards come."""
        stream, zone = self.stream, prompt["remove"]
        if not stream.layout.at(zone):
            raise StuckError(f"a card is to be taken back from {zone}, and none lies there")
        stream.do("card.removed", zone=zone, card=self._to_take(zone))
        if "replace_with_first_burn" in self._outcomes(zone):
            stream.do("card.placed", zone="burn", card=stream.layout.in_hand[-1], face="down", deck=stream.deck)
        elif next(iter(stream.prompt or {}), "") in _NO_CARD_NEXT:
            stream.layout.in_hand.clear()

    def _outcomes(self, zone: str) -> set[str]:
        """All outcomes of the rulings on the event that was ruled on last, of those about this place if there are."""
        given = [(told.at, told.ruling) for told in self.stream.told if told.ruling is not None]
        deeds = self.stream.deeds
        of_zone = [(at, ruling) for at, ruling in given if zone in {f"seat:{ruling.seat}", deeds[at].get("zone")}]
        chosen = of_zone or given
        last = [ruling for at, ruling in given if at == chosen[-1][0]] if chosen else []
        return {outcome for ruling in last for outcome in (ruling.outcome, *ruling.also)}

    def _to_take(self, zone: str) -> str | None:
        names = self.stream.layout.names(zone)
        exposed = [
            deed.get("card")
            for deed in self.stream.deeds
            if deed["ev"] in ("card.exposed", "card.placed") and deed.get("zone") == zone
            and (deed["ev"] == "card.exposed" or deed.get("face") == "up")
        ]  # fmt: skip
        marked = [card for card in exposed if card in names]
        return marked[-1] if marked else names[-1] if names else None

    def turn(self, prompt: Prompt) -> None:
        """The cards of these zones face up; where all are, the dealer ends the round."""
        hidden = [zone for zone in prompt["turn"] if self.stream.layout.down(zone)]
        for zone in hidden:
            self.stream.turn(zone)
        if not hidden:
            self.collect(prompt)

    def move(self, prompt: Prompt) -> None:
        """The button to its seat, or a board card to the burn pile."""
        if prompt["move"] == "button":
            marker = self.stream.setting.book.button.marker
            self.stream.do("marker.placed", marker=marker, seat=prompt["to"])
            return
        zone = prompt["move"]
        if not self.stream.layout.at(zone):
            raise StuckError(f"the card of {zone} is to be burnt, and none lies there")
        card = self.stream.layout.names(zone)[-1]
        self.stream.do("card.removed", zone=zone, card=card)
        self.stream.do("card.placed", zone="burn", card=card, face="down", deck=self.stream.deck)

    def mix(self, prompt: Prompt) -> None:
        """These cards are taken up; they are the next dealt."""
        for zone in prompt["mix"]:
            for card in self.stream.layout.names(zone):
                self.stream.do("card.removed", zone=zone, card=card)

    # -- the pack

    def check(self, prompt: Prompt) -> None:
        """The pack is checked and found right; all of them, where it is not said which."""
        self._have_shoe_answer()
        if prompt["check"] is None:
            self.check_packs()
            return
        self.stream.do("shoe.deck_checked", deck=prompt["check"], count=self._count())

    def _have_shoe_answer(self) -> None:
        """Without the shoe nothing is dealt, shuffled or checked: it is brought back first."""
        if not self.stream.shoe_answers:
            self.stream.do("device.state", device="shoe", online=True)

    def _count(self) -> int:
        return len(self.stream.setting.deck)

    def shuffle(self, prompt: Prompt) -> None:
        """The pack that is due is shuffled."""
        self._have_shoe_answer()
        packs, last = self.stream.setting.packs, self.stream.shuffled_last
        in_turn = next((pack for pack in packs if pack != last), packs[0])
        self.stream.do("shoe.shuffled", deck=prompt["shuffle"] or in_turn, count=self._count())

    def shuffle_stub(self, prompt: Prompt) -> None:
        """The undealt cards are shuffled, with what was taken back; if none is left, in a draw with discards."""
        layout = self.stream.layout
        if not layout.stub and not layout.in_hand:
            for card in self._discards():
                self.stream.do("card.removed", zone="muck", card=card)
        count = len(layout.stub) + len(layout.in_hand)
        self.stream.do("stub.shuffled", count=count)

    def _discards(self) -> list[str]:
        """What other players have discarded in the draw, but for those who replace all five; no folded hand."""
        drawing, counts, of = 0, dict[int, int](), dict[str, int]()
        for deed in self.stream.done:
            if deed["ev"] == "shoe.shuffled":
                drawing, counts, of = 0, {}, {}
            elif deed["ev"] == "draw":
                drawing = deed["seat"]
                counts[drawing] = deed["count"]
            elif deed["ev"] == "card.removed" and deed["zone"] == f"seat:{drawing}":
                of[deed["card"]] = drawing
        able = {seat for seat, count in counts.items() if seat != drawing and count < HAND}
        return [card for card in self.stream.layout.names("muck") if of.get(card) in able]

    def cut(self, prompt: Prompt) -> None:
        """The cards are cut by whoever has the right to."""
        self.stream.do("cut", by=prompt.get("by") or "dealer", depth=20)

    # -- money

    def pay(self, prompt: Prompt) -> None:
        """Blinds or antes."""
        action = next(iter(prompt))
        for seat, cents in prompt[action].items():
            self.stream.do("action", seat=int(seat), action=action, cents=cents)

    def wagers(self, prompt: Prompt) -> None:
        """Ante and blind in each box, and no more wagers."""
        for seat in self.stream.setting.seats:
            self.stream.do("wager", seat=seat, box="ante", cents=BOX_WAGER)
            self.stream.do("wager", seat=seat, box="blind", cents=BOX_WAGER)
        self.stream.do("deal.start")

    def decide(self, prompt: Prompt) -> None:
        """Against the house: one player wagers on each street, others check, and fold on the last."""
        stream, seat = self.stream, prompt["decide"][0]
        at, last = self._street_number(), len(stream.setting.book.streets) - 1
        place = stream.setting.seats.index(seat) if seat in stream.setting.seats else 0
        if place <= at and not self.checks:
            stream.do("wager", seat=seat, box="play", cents=self.play_wager(seat))
        else:
            stream.do("action", seat=seat, action="fold" if at == last else "check", cents=None)

    def play_wager(self, seat: int) -> int:
        """The highest play wager that this player can make on the street, in cents."""
        seats = self.stream.table.view()["seats"]
        ante = next((there["wagers"]["ante"] for there in seats if there["seat"] == seat and there["wagers"]), 0)
        return (ante or BOX_WAGER) * self.stream.setting.book.streets[self._street_number()].play_multiples[-1]

    def _street_number(self) -> int:
        """The number of the street in progress, from 0; 0 before the first."""
        street = self.stream.table.view()["street"]
        names = [each.name for each in self.stream.setting.book.streets]
        return names.index(street) if street in names else 0

    def act(self, prompt: Prompt) -> None:
        """The plainest thing: call, check, or open with the least."""
        stream = self.stream
        if not stream.setting.keys:
            stream.do("betting.closed")
            return
        seat, owes = prompt.get("act") or self._anyone(), prompt.get("owes")
        if self.fold_to and seat not in stream.setting.seats[: self.fold_to]:
            stream.do("action", seat=seat, action="fold", cents=None)
        elif owes:
            stream.do("action", seat=seat, action="call", cents=owes)
        elif owes is None or prompt.get("check") is False or (self._may_open(prompt) and not self.checks):
            stream.do("action", seat=seat, action="bet", cents=self.least_bet())
        else:
            stream.do("action", seat=seat, action="check", cents=None)

    def _anyone(self) -> int:
        live = [seat["seat"] for seat in self.stream.table.view()["seats"] if seat["cards"] and not seat["folded"]]
        return live[0] if live else self.stream.setting.seats[0]

    def _may_open(self, prompt: Prompt) -> bool:
        """Whether nobody has put anything in on this street, or checked: the first to act opens."""
        since = []
        for deed in reversed(self.stream.deeds):
            if deed["ev"] not in ("action", "card.exposed", "tick", "hand.looked"):
                break
            since.append(deed)
        return not any(deed["ev"] == "action" for deed in since) and self._posted() is False

    def _posted(self) -> bool:
        """Whether this is the street of the blinds."""
        streets = self.stream.setting.book.streets
        view = self.stream.table.view()
        return view["street"] == streets[0].name and bool(view["posts"])

    def least_bet(self) -> int:
        """The least opening bet, in cents."""
        return self._unit() * (2 if self._steps_up() else 1)

    def _unit(self) -> int:
        """The last blind, or the ante, of the structure's level, else of the options; else the table minimum."""
        view, options = self.stream.table.view(), self.stream.setting.all_options
        if options.get("blinds"):
            return int(options["blinds"][-1])
        level = view["tournament"]["level"] if view["tournament"] is not None else None
        if level is not None and (level["blinds"] or level["ante"]):
            return max([*level["blinds"], level["ante"] or 0])
        return int(options.get("table_min") or options.get("ante") or TABLE_MINIMUM)

    def _steps_up(self) -> bool:
        """Whether bets are of twice the size on this street: the last, at structured limits."""
        streets = [street.name for street in self.stream.setting.book.streets]
        betting = self.stream.table.option("betting")
        return betting == "structured" and self.stream.table.view()["street"] in streets[-1:]

    def close(self, prompt: Prompt) -> None:
        """The dealer closes the betting."""
        self.stream.do("betting.closed")

    # -- draw poker

    def draw(self, prompt: Prompt) -> None:
        """The player replaces one card; or the button is drawn for."""
        seat = prompt["draw"]
        if seat == "button":
            self.stream.do("button.draw")
            return
        first = seat == self.stream.layout.seats()[0]
        count = 0 if not first and seat % 2 else 2
        self.stream.do("draw", seat=seat, count=count)
        for card in self.stream.layout.names(f"seat:{seat}")[:count]:
            self.stream.do("card.removed", zone=f"seat:{seat}", card=card)
            self.stream.do("card.placed", zone="muck", card=card, face="down", deck=self.stream.deck)

    def give_up(self, prompt: Prompt) -> None:
        """Each gives up so many cards."""
        for seat in prompt["give_up"]:
            for card in self.stream.layout.names(f"seat:{seat}")[: prompt["count"]]:
                self.stream.do("card.removed", zone=f"seat:{seat}", card=card)

    # -- the end, and people

    def show(self, prompt: Prompt) -> None:
        """The first who is to show tables the hand; where all have, the round is over."""
        waiting = [seat for seat in prompt["show"] if self.stream.layout.down(f"seat:{seat}")]
        if not waiting:
            self.collect(prompt)
            return
        self.stream.turn(f"seat:{waiting[0]}")

    def collect(self, prompt: Prompt) -> None:
        """The pots are pushed and the cards collected."""
        self.stream.do("hand.end")

    def wait(self, prompt: Prompt) -> None:
        """A person comes and lets play go on; the director lets the hand go on; a player sits down."""
        stream = self.stream
        if prompt["wait"] == "go":
            stream.do("tournament.go")
            return
        if prompt["wait"] == "players":
            free = next(seat for seat in range(1, 11) if seat not in {s["seat"] for s in stream.table.view()["seats"]})
            stream.do("seat.in", seat=free)
            return
        self._floor()

    def _floor(self) -> None:
        """A supervisor, with a badge, clears what stands, and confirms each ruling that waits."""
        stream = self.stream
        view = stream.table.view()
        stream.do("badge", staff="S1", role=StaffRole.SUPERVISOR.value)
        for fault in view["faults"]:
            if fault["present"]:
                stream.do("shoe.cleared", kind=fault["kind"], deck=fault["deck"])
        box = view["dropbox"]
        if box is not None and not (box["present"] and box["locked"]):
            stream.do("dropbox.state", present=True, locked=True)
        if any(p["irregularity"] == "shoe_unavailable" for p in view["pending"]):
            self._have_shoe_answer()
        stream.do("supervisor", decision="acknowledge", staff="S1")
        pending = stream.table.view()["pending"]
        for ruling in pending:
            stream.do("supervisor", decision="confirm", staff="S1", ruling=ruling["id"])
        if not pending:
            stream.do("supervisor", decision="resume", staff="S1")


_DEEDS: Final[Mapping[str, str]] = {
    "deal": "deal",
    "burn": "burn",
    "remove": "remove",
    "turn": "turn",
    "move": "move",
    "mix": "mix",
    "check": "check",
    "shuffle": "shuffle",
    "shuffle_stub": "shuffle_stub",
    "cut": "cut",
    "post": "pay",
    "ante": "pay",
    "wagers": "wagers",
    "decide": "decide",
    "act": "act",
    "open": "act",
    "close": "close",
    "draw": "draw",
    "give_up": "give_up",
    "show": "show",
    "collect": "collect",
    "wait": "wait",
}
"""The method that does what a prompt asks, by the prompt's first key."""

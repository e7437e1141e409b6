"""State of the betting of a player-banked game: players, turn, amounts owed.

`table_fsm.poker.betting.acting` takes the players' actions. Amounts are integer cents and optional: nothing is judged
that needs an amount that was not given. The turn and "owes something" are known without amounts too, unless an all-in
without an amount leaves open whether it was a raise.
"""

from dataclasses import dataclass, field
from typing import Final

from table_fsm.poker.betting.bet_caps import BetCap
from table_fsm.poker.betting.called import Called
from table_fsm.poker.betting.out_of_turn import OutOfTurn
from table_fsm.poker.betting.records import BeforeRaise, Player
from table_fsm.poker.betting.tally import ActionTally
from table_fsm.poker.betting.terms import NO_TERMS, Terms

_CONTEST: Final = 2
"""Live hands that contest a pot."""


@dataclass(slots=True)
class Betting:
    """The betting of one round.

    `ring`: seats in the order of the deal, the seat after the button first.
    """

    ring: list[int]
    terms: Terms = NO_TERMS
    complete_to: int | None = None
    """The structured level in cents, while an under-raise stands."""
    dead: int = 0
    """Antes in the pot, in cents."""
    cap: BetCap | None = None
    """The cap that a ruling sets on bets in this betting round."""
    pot_known: bool = True
    """False where antes of unknown amount lie in the pot."""
    last_blind: int | None = None
    """The seat of the last blind, in a first round where only that seat may check."""
    checks_limited: bool = False
    checks_refused: bool = False
    """Nobody may check in this betting round."""
    players: dict[int, Player] = field(default_factory=dict)
    street: str = ""
    capped: bool = False
    last_street: bool = False
    open: bool = False
    idle: bool = False
    """The street was over as soon as it opened: nobody could bet."""
    closed_by_card: bool = False
    """The last betting round, which all had met, was closed by the next street's card, and its key may still come."""
    begun: bool = False
    keyed: bool = False
    certain: bool = True
    """False once an all-in without an amount leaves open who owes what on this street."""
    level: int | None = 0
    """The bet to meet in cents; None for a bet of unknown size."""
    bet_made: bool = False
    step: int = 0
    """The last raise or the opening bet in cents, which is the least raise."""
    raises: int = 0
    aggressor: int | None = None
    """The last aggressive player of the round."""
    street_aggressor: int | None = None
    """The last aggressive player of the street."""
    called: Called = field(default_factory=Called)
    """Who was called, on this street and in the last betting round that was held."""
    position: int = 0
    opener_unknown: bool = False
    """The opener is not known: the first player who acts has opened."""
    taps_out: int | None = None
    """The seat that taps out with a check in this betting round."""
    checked: list[int] = field(default_factory=list)
    """Seats that have checked in this betting round, in order."""
    settled: set[int] = field(default_factory=set)
    """Seats that have acted since the last raise."""
    matched: set[int] = field(default_factory=set)
    """Seats that have met the bet."""
    call_only: set[int] = field(default_factory=set)
    out_of_turn: OutOfTurn = field(default_factory=OutOfTurn)
    short: dict[int, int] = field(default_factory=dict)
    """Bets short of a call, in cents by seat, that go back if the seat folds."""
    before_raise: BeforeRaise | None = None
    """State before the last raise of the street; None where nobody has raised."""
    went_back: tuple[int, int | None] | None = None
    """Seat and cents of a raise that has just gone back, until the next action."""
    fold_order: list[int] = field(default_factory=list)
    folded_in_turn: int | None = None
    """The last seat of the street that folded at its turn."""
    ever_keyed: bool = False
    """An action has been keyed in this round, or each one is by the table's options: the table has a keypad."""
    trusted: bool = True
    """Every amount of the round is known, so side pots can be told apart."""
    actions: ActionTally = field(default_factory=ActionTally)
    """Tally of the actions in turn of the whole round, shared with the round."""

    def __post_init__(self) -> None:
        for seat in self.ring:
            self.players.setdefault(seat, Player())

    # -- who is there

    @property
    def live(self) -> list[int]:
        """Seats that have not folded, in the order of the ring."""
        return [seat for seat in self.ring if not self.players[seat].folded]

    @property
    def some_all_in(self) -> bool:
        """Whether a live player is all in."""
        # Hot path, asked after most events: a generator costs more than the loop.
        players = self.players
        for seat in self.ring:
            player = players[seat]
            if player.all_in and not player.folded:
                return True
        return False

    @property
    def able(self) -> list[int]:
        """Live seats that still have chips to bet."""
        return [seat for seat in self.ring if not (p := self.players[seat]).folded and not p.all_in and not p.tapped]

    def is_live(self, seat: int) -> bool:
        """Whether the seat holds a hand that has not been folded."""
        player = self.players.get(seat)
        return player is not None and not player.folded

    @property
    def contested(self) -> bool:
        """Whether there is still something to bet about on this street."""
        able = self.able
        if len(able) >= 2:
            return True
        return any(self.owes(seat) for seat in able)

    @property
    def met(self) -> bool:
        """Whether everybody has acted and nobody owes anything, so that only the close key is missing."""
        if not (self.open and self.keyed and self.certain) or self.opener_unknown or self.taps_out is not None:
            return False
        waiting = self.out_of_turn
        return waiting.restricted is None and not waiting.held and self.to_act() is None

    # -- a street

    def open_street(self, street: str, *, capped: bool, last: bool = False) -> None:
        """Open a betting round, with the first live seat of the ring to act.

        `last`: the round's last street.
        """
        self.last_street, self.checks_limited, self.complete_to, self.cap = last, False, None, None
        self.street, self.capped, self.open, self.idle = street, capped, True, False
        self.begun = self.keyed = self.bet_made = False
        self.street_aggressor = self.folded_in_turn = None
        self.called.open_street()
        self.certain = True
        self.level, self.raises, self.position = 0, 0, 0
        self.step = self.terms.least.on(last_street=last)
        self.opener_unknown, self.taps_out = False, None
        self.checked.clear()
        self.before_raise = self.went_back = None
        self.settled.clear()
        self.matched.clear()
        self.call_only.clear()
        self.out_of_turn.open_street()
        for player in self.players.values():
            player.begin_street()

    def put_antes(self, antes: dict[int, int], least: int | None) -> None:
        """Put in the antes, in cents by seat; they match each other.

        With less than `least` a player is all in.
        """
        for seat, cents in antes.items():
            self.players[seat].put_beside(cents)
            if least is not None and cents < least:
                self.players[seat].go_all_in()

    def post_blinds(
        self, blinds: dict[int, int | None], last: int | None, *, aggressive: bool, least: int | None = None
    ) -> None:
        """Post the blinds before the first action.

        `last`: the seat after which the action begins. `least`: the full last blind in cents: a player with less is all
        in with it, and the bet to meet is the full blind.
        """
        for seat, cents in blinds.items():
            player = self.players.get(seat)
            if player is None:
                continue
            player.post(cents)
        if self.level is not None:
            self.matched.update(seat for seat, cents in blinds.items() if self.bet_made and cents == self.level)
        if last is None or last not in self.players:
            return
        known = [cents for cents in blinds.values() if cents is not None]
        self.bet_made = True
        self.level = max([*known, least or 0]) if known and len(known) == len(blinds) else None
        posted = blinds.get(last)
        if least is not None and posted is not None and posted < least:
            self.players[last].go_all_in()
        self.step = self.level or 0
        self.matched.add(last)
        if self.level is not None:
            self.matched.update(seat for seat in blinds if blinds[seat] == self.level)
        if aggressive:
            self.aggressor = last
        self.position = (self.ring.index(last) + 1) % len(self.ring)

    def last_blind_is(self, seat: int | None) -> None:
        """Note the seat of the last blind, in a first round where only that seat may check; None for none."""
        self.last_blind = seat

    def over_blind(self, seat: int, cents: int, *, sets_raise: bool) -> None:
        """Let the `cents` that a seat has put in above the last blind be the last blind, before the first action.

        Once more with the last blind itself, where the over-blind has been corrected.

        `sets_raise`: a raise is no less than it; else no less than the blind that was the last before.
        """
        self.level = cents
        if sets_raise:
            self.step = cents
        self.matched = {other for other, player in self.players.items() if player.street == cents}
        self.last_blind = seat
        self.open_after_blind(else_first=False)

    def return_post(self, seat: int, cents: int | None) -> None:
        """Give back what a seat posted and did not owe, in cents, before the first action."""
        self.matched.discard(seat)
        if cents is not None and seat in self.players:
            self.pay(seat, -cents)

    def use_up(self, seat: int, blind: int | None, ante: int) -> None:
        """Let a seat be all in with less than its forced bets, before the first action.

        `blind`, `ante`: what it has put in, in cents.
        """
        player = self.players[seat]
        player.go_all_in()
        player.has_put(blind, None if blind is None else blind + ante)

    def limit_checks(self, *, limited: bool) -> None:
        """Let only the last blind check in this betting round, if `limited`."""
        self.checks_limited = limited

    def cap_at(self, cap: BetCap | None) -> None:
        """Set the cap on the bets of this betting round; None for none."""
        self.cap = cap

    def first_to_act(self, seat: int | None) -> None:
        """Set the seat that opens this betting round; None where it is not known."""
        self.opener_unknown = seat is None
        if seat is not None:
            self.position = self.ring.index(seat)

    def open_tapping_out(self, seat: int) -> None:
        """Let the seat open this betting round; with a check it taps out."""
        self.first_to_act(seat)
        self.taps_out = seat

    def open_after_blind(self, *, else_first: bool) -> None:
        """Let the seat after the last blind act first.

        `else_first`: if that blind has folded, the first seat of the ring does.
        """
        if self.last_blind is None:
            return
        folded = self.players[self.last_blind].folded
        self.position = 0 if folded and else_first else (self.ring.index(self.last_blind) + 1) % len(self.ring)

    def close_street(self) -> None:
        """Close the betting round.

        Actions that were not keyed, or not finished, leave the amounts of the round in doubt.
        """
        if self.begun:
            self.actions.close_round()
            self.called.close_street()
        if not self.certain or (self.contested and (not self.keyed or self.to_act() is not None)):
            self.trusted = False
        self.open = False
        self.out_of_turn.close_street()

    def be_idle(self) -> None:
        """Note that the betting round was over as soon as it opened."""
        self.idle = True

    # -- whose turn

    def owes(self, seat: int) -> bool:
        """Whether the seat has a bet to meet."""
        return self.bet_made and seat not in self.matched

    def owed(self, seat: int) -> int | None:
        """Cents that the seat owes; None where it is not known."""
        paid = self.players[seat].street
        if not self.certain or self.level is None or paid is None:
            return None
        owed = self.level - paid
        return owed if owed > 0 else 0

    def to_act(self) -> int | None:
        """The seat whose turn it is; None when everyone has acted, or it is not known.

        A skipped seat that is still to act comes before all others.
        """
        turn = self.next_in_turn()
        if turn is None or not (skipped := self.out_of_turn.skipped):
            return turn
        return skipped[0]

    def next_in_turn(self) -> int | None:
        """The seat whose turn it would be if nobody had been skipped; None as in `to_act`."""
        if not self.open or not self.certain or self.opener_unknown:
            return None
        # Hot path, asked after every event, so `owes` is written out here.
        first, others = None, False
        players, ring, settled = self.players, self.ring, self.settled
        paid = self.matched if self.bet_made else None
        for place in range(self.position - len(ring), self.position):
            seat = ring[place]
            player = players[seat]
            if player.folded or player.all_in or player.tapped:
                continue
            if first is not None:  # two can bet against each other: later seats change nothing
                return first
            if seat in settled and (paid is None or seat in paid):
                others = True
            elif others:
                return seat
            else:
                first = seat
        if first is None or len(self.live) < _CONTEST or not self.owes(first):
            return None
        return first

    # -- what an action comes to

    def begin(self) -> None:
        """Note that somebody has acted in this betting round."""
        self.begun = True

    def note_key(self) -> None:
        """Note that the dealer keys actions, and that the next one is keyed."""
        self.keyed = self.ever_keyed = True
        self.went_back = None

    def fold(self, seat: int) -> None:
        """Fold the hand, in turn or not."""
        player = self.players[seat]
        if player.folded:
            return
        at_turn = self.open and self.to_act() == seat
        if self.begun and self.open and (at_turn or not self.certain):
            self.actions.note(chips=False)
        player.fold()
        self.pay(seat, -self.short.pop(seat, 0))
        self.fold_order.append(seat)
        waiting = self.out_of_turn
        waiting.drop(seat)
        waiting.free(seat)
        if seat in waiting.skipped:
            waiting.has_acted(seat)
        elif at_turn:
            self.move_past(seat)
            self.folded_in_turn = seat

    def reinstate(self, seat: int) -> None:
        """Undo a fold, by a supervisor's decision. With nobody's action behind it, the turn that it took is back."""
        if self.players[seat].folded:
            self.players[seat].reinstate()
            self.fold_order.remove(seat)
            at = self.ring.index(seat)
            if self.folded_in_turn == seat and self.position == (at + 1) % len(self.ring):
                self.turn_back_to(at)

    def between(self, turn: int, seat: int) -> tuple[int, ...]:
        """Seats that can act, from the turn up to but without `seat`."""
        at = self.ring.index(turn)
        round_from_turn = self.ring[at:] + self.ring[:at]
        able = set(self.able)
        return tuple(other for other in round_from_turn[: round_from_turn.index(seat)] if other in able)

    def restrict(self, seat: int, *, adds: bool = False) -> None:
        """Let the seat only call or fold. `adds`: its chips that lie there are less than a call."""
        self.trusted = False
        self.out_of_turn.restrict(seat, adds=adds)

    def raise_to(self, seat: int, cents: int | None, owed: int | None) -> None:
        """Make a bet or raise by putting in `cents`, of which `owed` were a call.

        None where an amount is not known.
        """
        was_bet = self.bet_made
        self.before_raise = self._before_raise(seat) if was_bet else None
        if cents is None or owed is None or self.level is None:
            self.level = None
            self.players[seat].put_unknown()
        else:
            self.pay(seat, cents)
            self.step = max(self.step, cents - owed)
            self.level += cents - owed
        self.bet_made = True
        self.complete_to = None
        self.raises += 1 if was_bet else 0
        self.aggressor = self.street_aggressor = seat
        self.called.bet(seat)
        self.settled = {seat}
        self.matched = {seat}
        self.call_only.clear()
        self.out_of_turn.note_raise()
        self.move_past(seat)

    def match(self, seat: int) -> None:
        """Let the seat meet the bet."""
        player = self.players[seat]
        owed = self.owed(seat)
        if owed is None:
            player.put_unknown(self.level if self.certain else None)
        else:
            player.put(owed)
        self._met(seat)

    def check(self, seat: int) -> None:
        """Let the seat check; it taps out where its check says so."""
        self.settled.add(seat)
        self.matched.add(seat)
        self.checked.append(seat)
        self.players[seat].tap_out(tapped=seat == self.taps_out)
        self.move_past(seat)

    def take_back_check(self, seat: int) -> None:
        """Undo the seat's check, by a supervisor's decision, if nobody has acted since: the turn is back with it."""
        at = self.ring.index(seat)
        was_last = self.checked[-1:] == [seat] and self.position == (at + 1) % len(self.ring)
        if not (self.open and was_last and self.street_aggressor is None):
            return
        self.checked.pop()
        self.settled.discard(seat)
        self.players[seat].tap_out(tapped=False)
        self.turn_back_to(at)

    def all_in_unknown(self, seat: int) -> None:
        """Let the seat be all in with an unknown amount: a call or a raise, so nobody knows what each player owes."""
        self.players[seat].put_unknown()
        self.certain = False
        self.aggressor = self.street_aggressor = None
        self.called.forget()
        self.move_past(seat)

    def all_in_within(self, seat: int, cents: int) -> None:
        """Let the seat be all in with no more than it owes."""
        self.pay(seat, cents)
        self._met(seat)
        self.move_past(seat)

    def all_in_above(self, seat: int, cents: int, owed: int) -> None:
        """Let the seat be all in with more than the `owed` call and less than a raise, which the others then owe.

        In most books those who have acted may only call it. The caller knows the bet to meet.
        """
        self.pay(seat, cents)
        if not self.terms.all_in_reopens:
            self.call_only.update(other for other in self.settled if other != seat)
        assert self.level is not None
        if self.terms.completes and self.complete_to is None:
            self.complete_to = self.level + self.step
        self.level += cents - owed
        self.out_of_turn.note_raise()
        self.called.bet(seat)
        self.matched = {seat}
        self.settled.add(seat)
        self.move_past(seat)

    def _met(self, seat: int) -> None:
        self.called.meet(seat)
        self.settled.add(seat)
        self.matched.add(seat)

    def pay(self, seat: int, cents: int) -> None:
        """Move `cents` from the seat's stack into the pot; a negative amount goes back."""
        self.players[seat].put(cents)

    def note_short(self, seat: int, cents: int) -> None:
        """Note a bet short of a call that goes back if the seat folds."""
        self.short[seat] = cents

    def forget_short(self, seat: int) -> None:
        """Forget such a bet, because the seat acts again."""
        self.short.pop(seat, None)

    def move_past(self, seat: int) -> None:
        """Move the turn to the seat behind this one."""
        self.position = (self.ring.index(seat) + 1) % len(self.ring)

    def turn_back_to(self, position: int) -> None:
        """Let the turn be where it was, because a skipped player has acted. `position`: an earlier `position`."""
        self.position = position

    def take_back_raise(self, seat: int) -> bool:
        """Undo the seat's raise if it is the last and nobody has called it; return whether it was.

        The call in it stays: what goes back is what lies above the bet before.
        """
        before = self.before_raise
        if not self.open or before is None or before.seat != seat or self.settled != {seat}:
            return False
        player = self.players[seat]
        paid = player.total
        player.has_put(*before.paid)
        if before.level is not None and player.street is not None:
            player.put(max(0, before.level - player.street))
        self.level, self.step, self.raises = before.level, before.step, before.raises
        self.aggressor, self.street_aggressor = before.aggressors
        self.called.take_back_bet(before.bettor)
        self.matched, self.settled = set(before.matched), set(before.settled)
        self.call_only = set(before.call_only)
        self.before_raise = None
        cents = None if paid is None or player.total is None else paid - player.total
        self.went_back = (seat, cents)
        return True

    def _before_raise(self, seat: int) -> BeforeRaise:
        """The state of the betting, to be kept while a seat raises."""
        player = self.players[seat]
        return BeforeRaise(
            seat,
            self.level,
            self.step,
            self.raises,
            (self.aggressor, self.street_aggressor),
            self.called.bettor,
            frozenset(self.matched),
            frozenset(self.settled),
            frozenset(self.call_only),
            (player.street, player.total),
        )

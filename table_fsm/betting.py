"""Betting of player-banked games: whose turn it is, who owes what, and what is wrong with an action.

Amounts are integer cents and optional: what needs an amount that was not given is not judged. The turn and "owes
something" are known without amounts too, unless an all-in without an amount leaves open whether it was a raise.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from table_fsm.bet_caps import BetCap, highest
from table_fsm.least_bets import NO_LEAST, LeastBets
from table_fsm.sufficient_action import ActionTally
from table_fsm.uncalled import BeforeRaise, before_raise


class Finding(Enum):
    """What an action turns out to be, where it is not simply good."""

    CHECK_FACING_BET = "check_facing_bet"
    RAISE_NOT_REOPENED = "raise_not_reopened"
    RAISE_WHILE_RESTRICTED = "raise_while_restricted"
    RAISE_LIMIT = "raise_limit"
    BETWEEN = "bet_between"
    HALF_RAISE = "half_raise"
    """More than a call, and half a raise or more."""
    CALL_ABOVE = "call_above"
    """A call, with chips above it and fewer than a raise."""
    SHORT = "bet_short"
    CHECK_IN_FIRST_ROUND = "check_in_first_round"
    CHECK_IN_FINAL_ROUND = "check_in_final_round"
    OVER_LIMIT = "bet_over_limit"
    BELOW_LEAST = "bet_below_least"


BetLimit: TypeAlias = Callable[[int, int, int | None, bool], int | None]
"""(owed, pot, blind, last street) → the most that may be put in with one action, all in cents; None: no limit known."""

AGGRESSIVE = frozenset({"bet", "raise"})
PUTS_CHIPS = frozenset({"call", "bet", "raise", "all_in"})
_NOT_DONE = frozenset(
    {
        Finding.CHECK_FACING_BET,
        Finding.CHECK_IN_FIRST_ROUND,
        Finding.CHECK_IN_FINAL_ROUND,
        Finding.SHORT,
        Finding.BELOW_LEAST,
    }
)
"""An action found to be one of these is not taken yet: the player is still to act."""


@dataclass(slots=True)
class Player:
    """A player in the round. Cents; None where an amount is not known."""

    folded: bool = False
    all_in: bool = False
    tapped: bool = False
    """Deemed to have tapped out: bets no more in this round, with chips left."""
    street: int | None = 0
    total: int | None = 0


@dataclass(slots=True)
class EarlyAction:
    """An action out of turn that waits for the turn to come. `level`: the bet to meet when it was made."""

    action: str
    cents: int | None
    level: int | None
    raised_since: bool = False
    before: tuple[int, ...] = ()
    """The seats whose turn it was to act before it."""
    saw: tuple[int, ...] = ()
    """Seats that had acted out of turn already, when it was made."""


@dataclass(slots=True)
class Betting:
    """The betting of one round. `ring`: seats in the order of the deal, the seat after the button first."""

    ring: list[int]
    raise_cap: int | None = None
    cap_lifted_heads_up: bool = True
    limit: BetLimit | None = None
    """The highest bet or raise, where the game has a limit."""
    fixed: bool = False
    """Fixed or structured limits: a raise may complete an under-raise to the structured level."""
    complete_to: int | None = None
    """That level, in cents, while an under-raise stands."""
    blind: int | None = None
    """The last blind, in cents, for limits that are counted in it."""
    dead: int = 0
    """Antes in the pot, in cents."""
    least_bet: int | None = None
    """The table minimum, in cents, where it is known."""
    cap: BetCap | None = None
    """What a ruling lets nobody bet above in this betting round."""
    pot_known: bool = True
    """False where antes lie in the pot whose amount nobody has said: how much it holds is not known."""
    raise_as_call: bool = False
    """A raise is no less than what its player had to add to call; else no less than the raise before it."""
    least: LeastBets = NO_LEAST
    """The least an opening bet may be; 0: the book has no such rule, or the amount is not known."""
    last_blind: int | None = None
    """In the first round, where only the last blind may check: that seat."""
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
    begun: bool = False
    keyed: bool = False
    certain: bool = True
    """False once an all-in without an amount leaves open who owes what on this street."""
    level: int | None = 0
    """The bet to meet, in cents; None: there is one, of unknown size."""
    bet_made: bool = False
    step: int = 0
    """The last raise, or the opening bet: the least a raise may be."""
    raises: int = 0
    aggressor: int | None = None
    """The last aggressive player of the round."""
    street_aggressor: int | None = None
    """The last aggressive player of the street."""
    half_completes: bool = False
    """Half a raise or more is made a full one."""
    position: int = 0
    opener_unknown: bool = False
    """Who opens cannot be told: whoever acts first has opened."""
    taps_out: int | None = None
    """Who taps out with a check in this betting round."""
    checked: list[int] = field(default_factory=list)
    """Those who have checked in this betting round, in order."""
    settled: set[int] = field(default_factory=set)
    """Those who have acted since the last raise."""
    matched: set[int] = field(default_factory=set)
    """Those who have met the bet."""
    call_only: set[int] = field(default_factory=set)
    early: dict[int, EarlyAction] = field(default_factory=dict)
    short: dict[int, int] = field(default_factory=dict)
    """Bets short of a call, in cents, that go back if they are folded."""
    before_raise: BeforeRaise | None = None
    """How things stood before the last raise of the street; None where nobody has raised."""
    went_back: tuple[int, int | None] | None = None
    """A raise that has just gone back to its player, in cents, until somebody acts."""
    skipped: list[int] = field(default_factory=list)
    """Seats that were skipped by actions out of turn which stand: action backs up to them."""
    lying: dict[int, int] = field(default_factory=dict)
    """Chips put in out of turn that still lie there, in cents."""
    restricted: int | None = None
    """A seat that acted out of turn, is now to act, and may not raise."""
    fold_order: list[int] = field(default_factory=list)
    ever_keyed: bool = False
    """An action has been keyed in this round: the table has a keypad."""
    trusted: bool = True
    """Every amount of the round is known: side pots can be told apart."""
    actions: ActionTally = field(default_factory=ActionTally)
    """Actions in turn of the whole round: the round's own tally."""

    def __post_init__(self) -> None:
        for seat in self.ring:
            self.players.setdefault(seat, Player())

    # -- who is there

    @property
    def live(self) -> list[int]:
        """Seats that have not folded, in the order of the ring."""
        return [seat for seat in self.ring if not self.players[seat].folded]

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
        """Whether there is anything left to bet about on this street."""
        able = self.able
        if len(able) >= 2:
            return True
        return any(self.owes(seat) for seat in able)

    # -- a street

    def open_street(self, street: str, *, capped: bool, last: bool = False) -> None:
        """A betting round begins, with the first live seat of the ring to act. `last`: the round's last street."""
        self.last_street, self.checks_limited, self.complete_to, self.cap = last, False, None, None
        self.street, self.capped, self.open, self.idle = street, capped, True, False
        self.begun = self.keyed = self.bet_made = False
        self.street_aggressor = None
        self.certain = True
        self.level, self.raises, self.position = 0, 0, 0
        self.step = self.least.on(last_street=last)
        self.opener_unknown, self.taps_out = False, None
        self.checked.clear()
        self.before_raise = self.went_back = None
        self.settled.clear()
        self.matched.clear()
        self.call_only.clear()
        self.early.clear()
        self.skipped.clear()
        self.lying.clear()
        self.restricted = None
        for player in self.players.values():
            player.street = 0

    def put_antes(self, antes: dict[int, int], least: int | None) -> None:
        """Each player's ante, in cents, matches those of the others. With less than `least` a player is all in."""
        for seat, cents in antes.items():
            self._add_to_total(seat, cents)
            if least is not None and cents < least:
                self.players[seat].all_in = True

    def post_blinds(
        self, blinds: dict[int, int | None], last: int | None, *, aggressive: bool, least: int | None = None
    ) -> None:
        """The blinds stand before the first action. `last`: the seat after which the action begins.

        `least`: what the last blind should be, in cents: a player with less is all in with it, and the bet is that.
        """
        for seat, cents in blinds.items():
            player = self.players.get(seat)
            if player is None:
                continue
            player.street = cents
            player.total = None if cents is None or player.total is None else player.total + cents
        if self.level is not None:
            self.matched.update(seat for seat, cents in blinds.items() if self.bet_made and cents == self.level)
        if last is None or last not in self.players:
            return
        known = [cents for cents in blinds.values() if cents is not None]
        self.bet_made = True
        self.level = max([*known, least or 0]) if known and len(known) == len(blinds) else None
        posted = blinds.get(last)
        if least is not None and posted is not None and posted < least:
            self.players[last].all_in = True
        self.step = self.level or 0
        self.matched.add(last)
        if self.level is not None:
            self.matched.update(seat for seat in blinds if blinds[seat] == self.level)
        if aggressive:
            self.aggressor = last
        self.position = (self.ring.index(last) + 1) % len(self.ring)

    def first_to_act(self, seat: int | None) -> None:
        """Who opens this betting round; None where it cannot be told."""
        self.opener_unknown = seat is None
        if seat is not None:
            self.position = self.ring.index(seat)

    def open_after_blind(self, *, else_first: bool) -> None:
        """The seat after the last blind acts first; `else_first`: if that blind has folded, the first of the ring."""
        if self.last_blind is None:
            return
        folded = self.players[self.last_blind].folded
        self.position = 0 if folded and else_first else (self.ring.index(self.last_blind) + 1) % len(self.ring)

    def close_street(self) -> None:
        """The betting round is over. What was not keyed, or not finished, leaves the amounts of the round in doubt."""
        if self.begun:
            self.actions.close_round()
        if not self.certain or (self.contested and (not self.keyed or self.to_act() is not None)):
            self.trusted = False
        self.open = False
        self.restricted = None
        self.early.clear()
        self.skipped.clear()

    # -- whose turn

    def owes(self, seat: int) -> bool:
        """Whether the seat has a bet to meet."""
        return self.bet_made and seat not in self.matched

    def owed(self, seat: int) -> int | None:
        """How much, in cents; None where it is not known."""
        paid = self.players[seat].street
        if not self.certain or self.level is None or paid is None:
            return None
        return max(0, self.level - paid)

    def to_act(self) -> int | None:
        """The seat whose turn it is; None when everyone has acted, or it cannot be told.

        Who was skipped, and is still to act, comes before anybody else.
        """
        turn = self._next()
        if turn is None or not self.skipped:
            return turn
        return self.skipped[0]

    def _next(self) -> int | None:
        if not self.open or not self.certain or self.opener_unknown:
            return None
        # Asked after every event, so it is written out: who owes is what `owes` says.
        first = None
        live = able = 0
        players, ring, settled = self.players, self.ring, self.settled
        paid = self.matched if self.bet_made else None
        for place in range(self.position - len(ring), self.position):
            seat = ring[place]
            player = players[seat]
            if player.folded:
                continue
            live += 1
            if player.all_in or player.tapped:
                continue
            able += 1
            if first is None:
                if seat in settled and (paid is None or seat in paid):
                    continue
                first = seat
            if able >= 2:  # two can bet against each other: who comes after changes nothing
                return first
        if first is None or live < 2 or not self.owes(first):
            return None
        return first

    # -- an action

    def fold(self, seat: int) -> None:
        """The hand is given up, in turn or not."""
        player = self.players[seat]
        if player.folded:
            return
        at_turn = self.open and self.to_act() == seat
        if self.begun and self.open and (at_turn or not self.certain):
            self.actions.note(chips=False)
        player.folded = True
        self._pay(seat, -self.short.pop(seat, 0))
        self.fold_order.append(seat)
        self.early.pop(seat, None)
        if self.restricted == seat:
            self.restricted = None
        if seat in self.skipped:
            self.skipped.remove(seat)
        elif at_turn:
            self.move_past(seat)

    def reinstate(self, seat: int) -> None:
        """A fold is taken back by a supervisor."""
        if self.players[seat].folded:
            self.players[seat].folded = False
            self.fold_order.remove(seat)

    def act(self, seat: int, action: str, cents: int | None) -> list[Finding]:
        """Take an action of a live seat while betting is open. Folds go through `fold`."""
        self.keyed = self.ever_keyed = True
        self.went_back = None
        if self.opener_unknown:
            self.first_to_act(seat)
        turn = self.to_act()
        if self.restricted is not None and seat != self.restricted:
            self._let_restricted_stand()
            turn = self.to_act()
        self.begun = True
        if seat in self.skipped:
            return self._backed_up(seat, action, cents)
        if turn is not None and seat != turn and seat != self._next():
            self.early.pop(seat, None)
            before, saw = self.between(turn, seat), tuple(self.early)
            self.early[seat] = EarlyAction(action, cents, self.level, before=before, saw=saw)
            return []
        return self._in_turn(seat, action, cents)

    def _backed_up(self, seat: int, action: str, cents: int | None) -> list[Finding]:
        """Who was skipped acts now: the others go on where they were, unless this is a raise."""
        position, before = self.position, (self.bet_made, self.raises)
        findings = self._in_turn(seat, action, cents)
        if seat in self.settled:
            self.skipped.remove(seat)
        if (self.bet_made, self.raises) == before:
            self.position = position
        return findings

    def between(self, turn: int, seat: int) -> tuple[int, ...]:
        """Those who can act from the turn on, up to and without a seat."""
        at = self.ring.index(turn)
        round_from_turn = self.ring[at:] + self.ring[:at]
        able = set(self.able)
        return tuple(other for other in round_from_turn[: round_from_turn.index(seat)] if other in able)

    def stand(self, seat: int, action: str, cents: int | None) -> list[Finding]:
        """What was done out of turn stands as if in turn. To who acted after it, out of turn too, it is no change."""
        self.lying.pop(seat, None)
        answers = [early for early in self.early.values() if seat in early.saw and not early.raised_since]
        findings = self._in_turn(seat, action, cents)
        for early in answers:
            early.raised_since = False
        return findings

    def restrict(self, seat: int) -> None:
        """The seat may call or fold only."""
        self.trusted = False
        self.restricted = seat

    def _let_restricted_stand(self) -> None:
        """Play went on: the restricted player is taken to have called."""
        seat = self.restricted
        self.restricted = None
        if seat is not None:
            self.actions.note(chips=True)
            self._match(seat)
            self.move_past(seat)

    def _in_turn(self, seat: int, action: str, cents: int | None) -> list[Finding]:
        findings = self._judged(seat, action, cents)
        if not _NOT_DONE & set(findings):
            self.actions.note(chips=action in PUTS_CHIPS)
        return findings

    def _judged(self, seat: int, action: str, cents: int | None) -> list[Finding]:
        lying = self.lying.pop(seat, 0)
        if lying and cents is not None and not (action == "call" and cents == self.owed(seat)):
            cents += lying  # what lies there from before counts with what is added now
        self.short.pop(seat, None)
        if self.restricted == seat:
            self.restricted = None
            owed = self.owed(seat)
            above = action == "all_in" and cents is not None and owed is not None and cents > owed
            if action in AGGRESSIVE or above:
                self._match(seat)
                self.move_past(seat)
                return [Finding.RAISE_WHILE_RESTRICTED]
            if action == "call":  # what lay out of turn already counts: the amount is not judged again
                cents = None
        if action == "check":
            return self._check(seat)
        if action == "all_in":
            return self._all_in(seat, cents)
        if action == "call":
            return self._call(seat, cents)
        return self._raise(seat, cents)

    def may_check(self, seat: int) -> bool:
        """Whether this betting round lets the seat check, where it owes nothing."""
        if self.checks_refused:
            return False
        return not self.checks_limited or bool(self.raises) or seat == self.last_blind

    def _check(self, seat: int) -> list[Finding]:
        if self.checks_limited and not self.raises and seat != self.last_blind:
            return [Finding.CHECK_IN_FIRST_ROUND]
        if self.certain and self.owes(seat):
            return [Finding.CHECK_FACING_BET]
        if self.checks_refused:
            return [Finding.CHECK_IN_FINAL_ROUND]
        self.settled.add(seat)
        self.matched.add(seat)
        self.checked.append(seat)
        self.players[seat].tapped = seat == self.taps_out
        self.move_past(seat)
        return []

    def _call(self, seat: int, cents: int | None) -> list[Finding]:
        owed = self.owed(seat)
        if cents is None or owed is None:
            self._match(seat)
            self.move_past(seat)
            return []
        if cents < owed:
            self._pay(seat, cents)
            return [Finding.SHORT]
        between = 0 < cents - owed < self._step(owed) and owed > 0
        self._match(seat)
        self.move_past(seat)
        return [Finding.CALL_ABOVE] if between else []

    def _raise(self, seat: int, cents: int | None) -> list[Finding]:
        owed = self.owed(seat)
        if cents is not None and owed is not None and self.bet_made:
            if cents < owed:
                self._pay(seat, cents)
                return [Finding.SHORT]
            if cents == owed and owed > 0:
                return self._call(seat, cents)
            if cents - owed < self._least_raise(owed):
                return self._call_or_raise(seat, cents, owed)
        barred = self._barred(seat)
        if barred is not None:
            self._match(seat)
            self.move_past(seat)
            return [barred]
        if cents is not None and not self.bet_made and cents < self.step:
            self.lying[seat] = cents  # what is added to it counts with it
            return [Finding.BELOW_LEAST]
        if self.cap is not None and (cut := self._cut_to_cap(seat, cents, owed, self.cap)):
            return cut
        most = self._most(owed)
        if cents is not None and most is not None and cents > most:
            self._raise_to(seat, most, owed)
            return [Finding.OVER_LIMIT]
        self._raise_to(seat, cents, owed)
        return []

    def _call_or_raise(self, seat: int, cents: int, owed: int) -> list[Finding]:
        """More than a call and less than a raise: a call, or, from half of it on where the book says so, a raise."""
        least = self._least_raise(owed)
        half = 2 * (cents - owed) >= least
        if half and self.half_completes and self._barred(seat) is None:
            self._raise_to(seat, owed + least, owed)
        else:
            self._match(seat)
            self.move_past(seat)
        return [Finding.HALF_RAISE if half else Finding.BETWEEN]

    def _least_raise(self, owed: int) -> int:
        if self.complete_to is not None and self.level is not None:
            return self.complete_to - self.level
        return self._step(owed)

    def _step(self, owed: int) -> int:
        return owed if self.raise_as_call else self.step

    def _most(self, owed: int | None) -> int | None:
        """The most that may be put in with a bet or raise, in cents; None where no limit is known."""
        totals = [player.total for player in self.players.values()]
        if self.limit is None or owed is None or not self.pot_known or any(total is None for total in totals):
            return None
        pot = self.dead + sum(total for total in totals if total is not None)
        return self.limit(owed, pot, self.blind, self.last_street)

    def _cut_to_cap(self, seat: int, cents: int | None, owed: int | None, cap: BetCap) -> list[Finding]:
        """A bet or raise above the cap is brought down to it, and the rest goes back. Nothing where it is within."""
        top = highest(cap, self.level, bet_made=self.bet_made, least=self.least_bet)
        if cents is None or owed is None or self.level is None or top is None:
            if cap is not BetCap.LARGEST and not self.bet_made:
                return []  # the opening bet, of an amount nobody gave
        elif self.level + cents - owed <= top:
            return []
        elif top > self.level:
            self._raise_to(seat, top - self.level + owed, owed)
            return [Finding.OVER_LIMIT]
        self._match(seat)
        self.move_past(seat)
        return [Finding.OVER_LIMIT]

    def _barred(self, seat: int) -> Finding | None:
        if not self.bet_made:
            return None
        if seat in self.call_only:
            return Finding.RAISE_NOT_REOPENED
        lifted = self.cap_lifted_heads_up and len(self.live) == 2
        if self.capped and self.raise_cap is not None and self.raises >= self.raise_cap and not lifted:
            return Finding.RAISE_LIMIT
        return None

    def _raise_to(self, seat: int, cents: int | None, owed: int | None) -> None:
        was_bet = self.bet_made
        self.before_raise = before_raise(self, seat) if was_bet else None
        if cents is None or owed is None or self.level is None:
            self.level = None
            self.players[seat].street = None
            self.players[seat].total = None
        else:
            self._pay(seat, cents)
            self.step = max(self.step, cents - owed)
            self.level += cents - owed
        self.bet_made = True
        self.complete_to = None
        self.raises += 1 if was_bet else 0
        self.aggressor = self.street_aggressor = seat
        self.settled = {seat}
        self.matched = {seat}
        self.call_only.clear()
        for waiting in self.early.values():
            waiting.raised_since = True
        self.move_past(seat)

    def _all_in(self, seat: int, cents: int | None) -> list[Finding]:
        player = self.players[seat]
        owed = self.owed(seat)
        player.all_in = True
        if cents is None or owed is None:
            player.street = player.total = None
            self.certain = False  # a call or a raise: who owes what is not known from here on
            self.aggressor = self.street_aggressor = None
            self.move_past(seat)
            return []
        if self.cap is not None and cents > owed and (cut := self._cut_to_cap(seat, cents, owed, self.cap)):
            player.all_in = False  # what is above the cap goes back, so chips are left
            return cut
        most = self._most(owed)
        if most is not None and cents > max(most, owed):
            player.all_in = False  # what is above the limit goes back, so chips are left
            return [*self._raise(seat, most), Finding.OVER_LIMIT]
        barred = self._barred(seat) if cents > owed else None
        if barred is Finding.RAISE_NOT_REOPENED or (barred is not None and cents - owed >= self._step(owed)):
            player.all_in = False  # the call is all that counts: the rest goes back, and chips are left
            self._match(seat)
            self.move_past(seat)
            return [barred]
        if cents <= owed:
            self._pay(seat, cents)
            self.settled.add(seat)
            self.matched.add(seat)
            self.move_past(seat)
            return []
        if not self.bet_made or cents - owed >= self._step(owed):
            self._raise_to(seat, cents, owed)
            return []
        # short of a raise: the others owe the difference, but those who have acted may only call it
        self._pay(seat, cents)
        self.call_only.update(other for other in self.settled if other != seat)
        assert self.level is not None
        if self.fixed:
            self.complete_to = self.level + self.step
        self.level += cents - owed
        for waiting in self.early.values():
            waiting.raised_since = True
        self.matched = {seat}
        self.settled.add(seat)
        self.move_past(seat)
        return []

    def _match(self, seat: int) -> None:
        player = self.players[seat]
        owed = self.owed(seat)
        if owed is None:
            player.street = player.total = None
            if self.level is not None and self.certain:
                player.street = self.level
        else:
            self._pay(seat, owed)
        self.settled.add(seat)
        self.matched.add(seat)

    def _pay(self, seat: int, cents: int) -> None:
        player = self.players[seat]
        player.street = None if player.street is None else player.street + cents
        self._add_to_total(seat, cents)

    def _add_to_total(self, seat: int, cents: int) -> None:
        player = self.players[seat]
        player.total = None if player.total is None else player.total + cents

    def move_past(self, seat: int) -> None:
        """The turn goes on behind this seat."""
        self.position = (self.ring.index(seat) + 1) % len(self.ring)

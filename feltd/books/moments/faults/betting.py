"""Faults of players who bet against each other, and of clocks."""

from feltd.books.moments.fault import Register, needs
from feltd.books.moments.scene import NO_BETTING, Scene
from table_fsm.rulebook.irregularities import Irregularity

BETTING = Register()
MUCH = 1_000_000
NOTHING_TO_MEET = "the player has nothing to meet"
SOMETHING_TO_MEET = "the player has a bet to meet"


def _act(scene: Scene, seat: int, action: str, cents: int | None = None) -> None:
    scene.do("action", seat=seat, action=action, cents=cents)


def _next(scene: Scene) -> int:
    """The next player who is still to act, after the one whose turn it is; raises CannotError."""
    first = scene.need_betting()
    ring = [seat for seat in scene.live if seat > first] + [seat for seat in scene.live if seat < first]
    done = _have_acted(scene)
    return next((seat for seat in ring if seat not in done), 0) or scene.cannot("no other player is still to act")


def _have_acted(scene: Scene) -> set[int]:
    """Players who have acted since the last card, and all who are all in."""
    acted: set[int] = set()
    here = True
    for deed in reversed(scene.stream.done):
        here = here and deed["ev"] not in ("card.placed", "betting.closed")
        if deed["ev"] == "shoe.shuffled":
            break
        if deed["ev"] == "action" and deed["action"] != "post" and (here or deed["action"] == "all_in"):
            acted.add(deed["seat"])
    return acted


@BETTING.add(Irregularity.ACTION_OUT_OF_TURN, "check", "the next player checks or calls before their turn")
def passive_out_of_turn(scene: Scene) -> None:
    seat = _next(scene)
    owes = scene.owed_by(seat)
    _act(scene, seat, "call" if owes else "check", owes or None)


@BETTING.add(Irregularity.ACTION_OUT_OF_TURN, "bet", "the next player bets or raises before their turn")
def bet_out_of_turn(scene: Scene) -> None:
    seat = _next(scene)
    owes = scene.owed_by(seat)
    raises = bool(owes or scene.prompt.get("owes"))
    _act(scene, seat, "raise" if raises else "bet", owes + scene.croupier.least_bet())


@BETTING.add(Irregularity.ACTION_OUT_OF_TURN, "stands", "the next player raises before their turn, and another calls")
def bet_out_of_turn_called(scene: Scene) -> None:
    skipped = scene.need_betting()
    first = _next(scene)
    ring = sorted(scene.live)
    after = ring[ring.index(first) + 1 :] + ring[: ring.index(first)]
    second = next((seat for seat in after if seat != skipped and seat not in _have_acted(scene)), 0)
    scene.need(second > 0, "no third player is still to act")
    before = scene.owed_by(second) - scene.owed_by(first)
    raised = scene.owed_by(first) + scene.croupier.least_bet()
    bet_out_of_turn(scene)
    _act(scene, second, "call", raised + before)


@BETTING.add(Irregularity.ACTION_OUT_OF_TURN, "fold", "the next player folds before their turn")
def fold_out_of_turn(scene: Scene) -> None:
    _act(scene, _next(scene), "fold")


@BETTING.add(Irregularity.ACTION_OUT_OF_TURN, "changed", "a player calls before their turn, and then there is a raise")
def changed_out_of_turn(scene: Scene) -> None:
    first = scene.need_betting()
    passive_out_of_turn(scene)
    owes = scene.prompt.get("owes") or 0
    _act(scene, first, "raise" if owes else "bet", owes + scene.croupier.least_bet())


@BETTING.add(Irregularity.ACTION_OUT_OF_TURN, "draw", "a player draws before their turn")
def draw_out_of_turn(scene: Scene) -> None:
    seat = scene.prompt.get("draw")
    scene.need(any(street.draw for street in scene.book.streets), "the game has no draw")
    if not isinstance(seat, int):
        scene.cannot("no player is to draw")
    other = max(scene.live)
    scene.need(other != seat, "the last player is to draw")
    scene.do("draw", seat=other, count=1)


@BETTING.add(Irregularity.ACTION_ILLEGAL, "check", "a player checks with a bet to meet")
def check_facing_bet(scene: Scene) -> None:
    seat = scene.need_betting()
    scene.need_owed()
    _act(scene, seat, "check")


@BETTING.add(Irregularity.ACTION_ILLEGAL, "free", "a player checks, with nothing to meet")
def free_check(scene: Scene) -> None:
    seat = scene.need_betting()
    scene.need(not scene.prompt.get("owes"), SOMETHING_TO_MEET)
    _act(scene, seat, "check")


@BETTING.add(
    Irregularity.ACTION_ILLEGAL,
    "final",
    "a player checks in a final round without checks",
    options=needs(no_check_final=True),
)
def final_check(scene: Scene) -> None:
    scene.need(scene.view["street"] == scene.book.streets[-1].name, "it is not the final round")
    free_check(scene)


@BETTING.add(Irregularity.ACTION_ILLEGAL, "not-reopened", "a player raises who was met by less than a raise")
def not_reopened(scene: Scene) -> None:
    first = scene.need_betting()
    unit = scene.croupier.least_bet()
    owes = scene.prompt.get("owes") or 0
    scene.need(len(scene.live) > 1, "there is no other player")
    _act(scene, first, "raise" if owes else "bet", owes + 2 * unit)
    second = scene.need_betting()
    _act(scene, second, "all_in", (scene.prompt.get("owes") or 0) + unit // 2)
    while "act" in scene.prompt and scene.prompt["act"] != first:
        _act(scene, scene.prompt["act"], "call", scene.prompt.get("owes"))
    scene.need(scene.prompt.get("act") == first, "the betting does not come back to the player")
    _act(scene, first, "raise", (scene.prompt.get("owes") or 0) + 4 * unit)


@BETTING.add(Irregularity.RAISE_LIMIT, "", "a player raises once more than may be")
def raise_limit(scene: Scene) -> None:
    scene.need_betting()
    unit = scene.croupier.least_bet()
    cap = scene.book.betting.raise_cap
    for _ in range((cap if cap is not None else 3) + 2):
        seat, owes = scene.need_betting(), scene.prompt.get("owes") or 0
        _act(scene, seat, "raise" if owes else "bet", owes + unit)


@BETTING.add(
    Irregularity.RAISE_LIMIT,
    "limit",
    "at limit, a player raises once more than may be",
    options=needs(betting="limit"),
)
def raise_limit_fixed(scene: Scene) -> None:
    raise_limit(scene)


@BETTING.add(Irregularity.BET_BETWEEN, "half", "a player puts in a call and more than half a raise")
def half_raise(scene: Scene) -> None:
    _between(scene, 3, 4)


@BETTING.add(Irregularity.BET_BETWEEN, "little", "a player puts in a call and less than half a raise")
def little_raise(scene: Scene) -> None:
    _between(scene, 1, 4)


def _between(scene: Scene, part: int, of: int) -> None:
    seat = scene.need_betting()
    _act(scene, seat, "raise", scene.need_owed() + scene.croupier.least_bet() * part // of)


@BETTING.add(Irregularity.BET_BETWEEN, "call", "a player calls with more than there is to meet")
def call_too_much(scene: Scene) -> None:
    seat = scene.need_betting()
    _act(scene, seat, "call", scene.need_owed() + scene.croupier.least_bet() // 4)


@BETTING.add(Irregularity.BET_SHORT, "call", "a player calls with less than there is to meet")
def call_too_little(scene: Scene) -> None:
    seat = scene.need_betting()
    _act(scene, seat, "call", scene.need_owed() // 2)


@BETTING.add(Irregularity.BET_SHORT, "minimum", "a player opens with less than the least bet")
def open_too_little(scene: Scene) -> None:
    seat = scene.need_betting()
    scene.need(not scene.prompt.get("owes"), SOMETHING_TO_MEET)
    _act(scene, seat, "bet", scene.croupier.least_bet() // 2)


@BETTING.add(Irregularity.BET_OVER_LIMIT, "", "a player bets a thousand times the least bet")
def too_much(scene: Scene) -> None:
    seat = scene.need_betting()
    _act(scene, seat, "raise" if scene.prompt.get("owes") else "bet", scene.croupier.least_bet() * 1000)


@BETTING.add(
    Irregularity.BET_OVER_LIMIT,
    "pot",
    "at pot limit, a player bets a thousand times the least",
    options=needs(betting="pot"),
)
def too_much_for_pot(scene: Scene) -> None:
    too_much(scene)


@BETTING.add(Irregularity.BETTING_INCOMPLETE, "", "the betting is closed, and a player is still to act")
def closed_early(scene: Scene) -> None:
    scene.need("act" in scene.prompt or "decide" in scene.prompt, NO_BETTING)
    scene.need(scene.stream.setting.keys, "without a keypad the table hears of no action")
    scene.do("betting.closed")


@BETTING.add(Irregularity.BETTING_INCOMPLETE, "end", "the round is ended, and a player is still to act")
def ended_early(scene: Scene) -> None:
    scene.need("act" in scene.prompt or "decide" in scene.prompt, NO_BETTING)
    scene.need(scene.stream.setting.keys, "without a keypad the table hears of no action")
    scene.do("hand.end")


@BETTING.add(
    Irregularity.CLOCK_EXPIRED, "called", "another player calls a clock, the floor lets it run, and it runs out"
)
def clock(scene: Scene) -> None:
    seat = scene.prompt.get("act") or scene.prompt.get("draw")
    if not isinstance(seat, int):
        scene.cannot("no player is to act")
    caller = next((other for other in scene.seats if other != seat), 0) or scene.cannot("there is no other player")
    scene.do("clock.called", seat=seat, by=f"seat:{caller}")
    if scene.book.clock.seat_call_needs_confirm:
        scene.do("supervisor", decision="confirm", staff="S1")
    scene.do("tick", after=200.0)


@BETTING.add(Irregularity.CLOCK_EXPIRED, "action", "a player's action clock runs out", options=needs(shot_clock=30))
def action_clock(scene: Scene) -> None:
    seat = scene.need_betting()
    scene.do("clock.start", seat=seat)
    scene.do("tick", after=200.0)

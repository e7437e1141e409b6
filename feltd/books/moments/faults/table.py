"""Faults of the button, the players, the drop box and the commission."""

from collections.abc import Mapping
from typing import Any

from feltd.books.moments.fault import Register, needs
from feltd.books.moments.scene import Scene
from feltd.books.moments.setting import BIG_BLIND, SMALL_BLIND
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.irregularities import Irregularity

TABLE = Register()
NO_BOX = "the table has no drop box"


@TABLE.add(Irregularity.BUTTON_WRONG, "", "the button lies at the wrong seat")
def wrong_button(scene: Scene) -> None:
    scene.need(scene.book.button.used, "the game has no button")
    scene.do("marker.placed", marker=scene.book.button.marker, seat=scene.wrong_button())
    if not scene.in_round and next(iter(scene.prompt), "") not in ("shuffle", "cut", "check"):
        scene.first_card()


@TABLE.add(Irregularity.TOO_FEW_PLAYERS, "", "players leave until too few are there, and the deal begins")
def too_few(scene: Scene) -> None:
    least = scene.book.seats.least_players
    scene.need(least > 1, "the game can be played by one player")
    scene.need(not _is_posted(scene), "blinds or antes have been put in, and who has put in plays on")
    for seat in scene.seats[least - 1 :]:
        scene.do("seat.out", seat=seat)


def _is_posted(scene: Scene) -> bool:
    """Whether somebody has put in a blind or an ante of a deal that has not begun."""
    if scene.in_round:
        return False
    for deed in reversed(scene.stream.done):
        if deed["ev"] in ("hand.end", "table.open"):
            break
        if deed["ev"] == "action" and deed["action"] in ("post", "ante"):
            return True
    return False


@TABLE.add(Irregularity.TOO_FEW_PLAYERS, "dealt", "players leave until too few are there, and a card is dealt")
def dealt_to_too_few(scene: Scene) -> None:
    scene.need_ready()
    scene.need("cut" not in scene.prompt, "the cards are to be cut first")
    too_few(scene)
    scene.first_card()


@TABLE.add(
    Irregularity.COMMISSION_MISMATCH,
    "chip",
    "a chip goes into the drop box that is not due",
    options=needs(commission="none"),
)
def chip_not_due(scene: Scene) -> None:
    scene.need(scene.book.box.used, NO_BOX)
    scene.do("dropbox.chip", cents=500)


@TABLE.add(
    Irregularity.COMMISSION_MISMATCH,
    "undropped",
    "the pot is counted, the round ends, and the commission was not dropped",
    options=needs(commission="one"),
)
def not_dropped(scene: Scene) -> None:
    scene.need("collect" in scene.prompt, "the pots are not pushed yet")
    scene.do("pot", cents=_in_pot(scene))
    scene.goes_on()


def _in_pot(scene: Scene) -> int:
    """All that was put in since the round before, in cents."""
    cents = 0
    for deed in reversed(scene.stream.done):
        if deed["ev"] == "hand.end":
            break
        cents += int(deed.get("cents") or 0) if deed["ev"] == "action" else 0
    return cents


@TABLE.add(
    Irregularity.COMMISSION_MISMATCH,
    "rake",
    "the pot is counted, the round ends, and the rake was not dropped",
    options=needs(rake_percent=5),
)
def rake_not_dropped(scene: Scene) -> None:
    not_dropped(scene)


@TABLE.add(Irregularity.DROPBOX_UNSAFE, "unlocked", "the drop box is unlocked")
def box_unlocked(scene: Scene) -> None:
    scene.need(scene.book.box.used, NO_BOX)
    scene.do("dropbox.state", present=True, locked=False)


@TABLE.add(Irregularity.DROPBOX_UNSAFE, "missing", "the drop box is taken away")
def box_missing(scene: Scene) -> None:
    scene.need(scene.book.box.used, NO_BOX)
    scene.do("dropbox.state", present=False, locked=False)


@TABLE.add(
    Irregularity.COLOUR_CHANGE_UNWITNESSED,
    "",
    "commission is changed up with nobody there to see it",
    options=needs(commission_handling="float"),
)
def unwitnessed(scene: Scene) -> None:
    scene.do("tick", after=90.0)
    scene.do("float.commission", cents=500)
    scene.do("float.colour_change", cents=500)


# -- blinds and antes


def _stake(scene: Scene) -> tuple[str, int, int]:
    """The first blind or ante that is due: post or ante, seat and cents. Raises CannotError."""
    asked = next(iter(scene.prompt), "")
    scene.need(asked in ("post", "ante"), "no blind or ante is due")
    dues = {int(seat): cents for seat, cents in scene.prompt[asked].items()}
    scene.need(all(dues.values()), "the amounts are not known")
    seat = max(dues)
    return asked, seat, int(dues[seat] or 0)


def _pay_others(scene: Scene, asked: str, but: int) -> None:
    for seat, cents in scene.prompt.get(asked, {}).items():
        if int(seat) != but:
            scene.do("action", seat=int(seat), action=asked, cents=cents)


def _put_in(scene: Scene, times: int, of: int) -> None:
    """One stake of another amount, the others as they are due, and the first card."""
    asked, seat, cents = _stake(scene)
    _pay_others(scene, asked, seat)
    scene.do("action", seat=seat, action=asked, cents=cents * times // of)
    scene.first_card()


@TABLE.add(Irregularity.FORCED_BET, "short", "a blind or ante is half of what is due")
def short_stake(scene: Scene) -> None:
    _put_in(scene, 1, 2)


@TABLE.add(Irregularity.FORCED_BET, "over", "a blind or ante is twice what is due")
def stake_too_high(scene: Scene) -> None:
    _put_in(scene, 2, 1)


@TABLE.add(Irregularity.FORCED_BET, "missing", "a blind or ante is not put in, and the deal begins")
def missing_stake(scene: Scene) -> None:
    asked, seat, _ = _stake(scene)
    _pay_others(scene, asked, seat)
    scene.deal(f"seat:{scene.first_seat()}")


@TABLE.add(Irregularity.FORCED_BET, "late", "a blind or ante is put in after the first card")
def late_stake(scene: Scene) -> None:
    asked, seat, cents = _stake(scene)
    missing_stake(scene)
    scene.do("action", seat=seat, action=asked, cents=cents)


@TABLE.add(Irregularity.FORCED_BET, "wrong-seat", "a blind is put in by another player than is due")
def stake_of_another(scene: Scene) -> None:
    asked, seat, cents = _stake(scene)
    others = [other for other in scene.seats if str(other) not in scene.prompt[asked]]
    scene.need(bool(others), "every player owes it")
    _pay_others(scene, asked, seat)
    scene.do("action", seat=others[0], action=asked, cents=cents)
    scene.deal(f"seat:{scene.first_seat()}")


@TABLE.add(Irregularity.FORCED_BET, "not-owed", "the blinds are put in, and a blind by a player who owes none")
def stake_that_nobody_owes(scene: Scene) -> None:
    asked, _, cents = _stake(scene)
    scene.need(asked == "post", "no blind is due")
    others = [other for other in scene.seats if str(other) not in scene.prompt[asked]]
    scene.need(bool(others), "every player owes it")
    _pay_others(scene, asked, 0)
    scene.do("action", seat=others[0], action=asked, cents=cents)
    scene.deal(f"seat:{scene.first_seat()}")


def _big_blind_ante(book: Rulebook) -> Mapping[str, Any] | str:
    if book.tournament.ante_from != "big_blind":
        return "the big blind puts in no ante for all"
    return needs(ante=BIG_BLIND)(book)


def _ante_of_big_blind(scene: Scene) -> tuple[int, int]:
    """Seat and cents of the ante for all, with the blinds put in that are asked for before it. Raises CannotError."""
    scene.need(next(iter(scene.prompt), "") in ("post", "ante"), "no blind or ante is due")
    while "post" in scene.prompt:
        scene.goes_on()
    scene.need("ante" in scene.prompt, "no ante is asked for")
    _, seat, cents = _stake(scene)
    return seat, cents


@TABLE.add(
    Irregularity.FORCED_BET, "ante-short", "the big blind's ante is half of what is due", options=_big_blind_ante
)
def short_ante(scene: Scene) -> None:
    seat, cents = _ante_of_big_blind(scene)
    scene.do("action", seat=seat, action="ante", cents=cents // 2)
    scene.first_card()


@TABLE.add(Irregularity.FORCED_BET, "ante-missing", "the big blind's ante is not put in", options=_big_blind_ante)
def missing_ante(scene: Scene) -> None:
    seat, _ = _ante_of_big_blind(scene)
    _post_blinds(scene, seat)
    scene.deal(f"seat:{scene.first_seat()}")


@TABLE.add(
    Irregularity.FORCED_BET, "ante-wrong-seat", "another player puts in the big blind's ante", options=_big_blind_ante
)
def ante_of_another(scene: Scene) -> None:
    seat, cents = _ante_of_big_blind(scene)
    scene.do("action", seat=scene.after(seat), action="ante", cents=cents)
    _post_blinds(scene, seat)
    scene.deal(f"seat:{scene.first_seat()}")


def _post_blinds(scene: Scene, big_blind: int) -> None:
    """The blinds of four players, where the ante is asked for before them."""
    if not scene.view["posts"]:
        small_blind = max((seat for seat in scene.seats if seat < big_blind), default=scene.seats[-1])
        scene.do("action", seat=small_blind, action="post", cents=SMALL_BLIND)
        scene.do("action", seat=big_blind, action="post", cents=BIG_BLIND)


# -- chip races and breaks


def _race(scene: Scene) -> None:
    scene.need(scene.book.tournament.race is not None, "the book has no chip races")
    scene.need_ready()
    scene.need("cut" not in scene.prompt, "the cards are to be cut first")
    scene.do("race.start", chip=100, new_chip=500, odd={str(seat): 2 for seat in scene.seats})
    scene.need(str(scene.prompt.get("deal", "")).startswith("race:"), "no card of a chip race is due")


@TABLE.add(Irregularity.RACE_OUT_OF_ORDER, "", "a card of a chip race goes to the next player")
def race_out_of_order(scene: Scene) -> None:
    _race(scene)
    seat = int(str(scene.prompt["deal"]).removeprefix("race:"))
    scene.deal(f"race:{scene.after(seat)}", face="up")


@TABLE.add(Irregularity.RACE_OUT_OF_ORDER, "outside", "a card of a chip race goes to an empty seat")
def race_card_outside(scene: Scene) -> None:
    _race(scene)
    scene.deal(f"race:{scene.empty_seat}", face="up")

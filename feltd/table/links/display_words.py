"""What the dealer's display says, in the table's language.

In English it shows the text of the rulebook. In another language it shows what happened and what follows, in the words
of the closed sets: the approved text of a rulebook is the English one. The record has the output as the table gave it.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, assert_never

from feltd.text.alarms import row_of, row_text
from feltd.text.catalogue import say
from feltd.text.language import Language, speaking, spoken
from feltd.text.stops import Beside, order_in_words
from feltd.text.words import alarm_in_words, begin_sentence, words_of
from table_fsm.felt import ZONE_TROUBLES
from table_fsm.outputs import Display, Output, Ruling
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import Outcome
from table_fsm.view.shapes import PendingView, TableView


class StoppedBy(StrEnum):
    """Why feltd, and not the table, has stopped play."""

    RECORD = "record"
    FELTD = "feltd"
    TROUBLE = "trouble"
    STARTING = "starting"
    PUT_BACK = "put back"


def stop_in_words(by: StoppedBy, language: Language, why: str = "") -> str:
    """Return what the display says while feltd holds play stopped.

    `why`: of a start, how far it is.
    """
    with speaking(language):
        match by:
            case StoppedBy.RECORD:
                return say("PLAY STOPS: the record of the table cannot be kept. Call the floor.")
            case StoppedBy.FELTD:
                return say("NOT WATCHED: the controller of this table has stopped. Deal nothing.")
            case StoppedBy.TROUBLE:
                return say("OUT OF ORDER: the controller of this table cannot start. Deal nothing. Call the floor.")
            case StoppedBy.STARTING:
                return say("NOT WATCHED: the controller of this table starts, {progress}. Deal nothing.", progress=why)
            case StoppedBy.PUT_BACK:
                return say("PLAY STOPS: the record of the table was put back to an older state. Call the floor.")
            case _:
                assert_never(by)


def testing_in_words(language: Language) -> str:
    """Return what the display says in test mode, where the table has nothing for it."""
    with speaking(language):
        return say("TEST MODE: devices are being tested. Deal nothing.")


def notice_in_words(text: str, language: Language) -> str:
    """Return what the floor told a dealer (`table_fsm.play.tournament.moves`) in a language; another text as it is."""
    with speaking(language):
        for english, said in _NOTICES:
            text = english.sub(lambda found, said=said: said(*found.groups()), text)  # type: ignore[misc]
    return text


_NOTICES: Final = (
    (
        re.compile(r"Seat (?P<seat>\d+) leaves after this round\."),
        lambda seat: say("Seat {seat} leaves after this round.", seat=seat),
    ),
    (
        re.compile(r"A player comes to seat (?P<seat>\d+)\."),
        lambda seat: say("A player comes to seat {seat}.", seat=seat),
    ),
    (
        re.compile(r"Begin no hand before seat (?P<seat>\d+) has a player\."),
        lambda seat: say("Begin no hand before seat {seat} has a player.", seat=seat),
    ),
    (
        re.compile(r"Seat (?P<seat>\d+) sits out (?P<left>\d+) hands\."),
        lambda seat, left: say("Seat {seat} sits out {left} hands.", seat=seat, left=left),
    ),
    (
        re.compile(r"Seat (?P<seat>\d+) sits out (?P<left>\d+) rounds of the button\."),
        lambda seat, left: say("Seat {seat} sits out {left} rounds of the button.", seat=seat, left=left),
    ),
    (
        re.compile(r"Seat (?P<seat>\d+) is away\."),
        lambda seat: say("Seat {seat} is away.", seat=seat),
    ),
    (
        re.compile(r"Hands to show: (?P<seats>[\d, ]+)\. Press the key for each that lies open\."),
        lambda seats: say("Hands to show: {seats}. Press the key for each that lies open.", seats=seats),
    ),
    (
        re.compile(r"Race chips of ([\d.e+]+) for chips of ([\d.e+]+) before the next hand\."),
        lambda chip, new: say(
            "Race chips of {chip} for chips of {new} before the next hand.", chip=_decimal(chip), new=_decimal(new)
        ),
    ),
)


def _decimal(number: str) -> str:
    """A chip's amount as the language that is spoken has its point."""
    return number.replace(".", ",") if spoken() is Language.GERMAN else number


@dataclass(frozen=True, slots=True)
class First:
    """What comes before all else; "" for what is not shown.

    `code`: by which a floor is to know this table; `fingerprint`: of the certificate that the page has made for itself.
    `part` of `parts`: which of it is there, where a display is too small for the whole.
    """

    code: str = ""
    fingerprint: str = ""
    part: int = 1
    parts: int = 1

    def in_words(self) -> str:
        """The parts that are shown, as the display says them, in the language that is spoken."""
        said = []
        if self.code:
            said.append(say("CODE {code}: tell it to the floor.", code=self.code))
        if self.fingerprint and self.parts > 1:
            place = {"part": self.part, "parts": self.parts, "fingerprint": self.fingerprint}
            said.append(say("PAGE {part}/{parts} {fingerprint}: compare with the browser.", **place))
        elif self.fingerprint:
            said.append(say("PAGE {fingerprint}: compare with the browser.", fingerprint=self.fingerprint))
        return " ".join(said)


NOTHING_FIRST: Final = First()
_GROUPS_IN_A_PART: Final = (8, 4, 2, 1)


def first_in_turns(
    code: str, fingerprint: str, language: Language, reads: Callable[[str, str], bool]
) -> Sequence[First]:
    """What is shown one after the other: code and fingerprint at once where displays have room, else in parts; then
    neither, where behind them a display has no room for why no card may be dealt.

    `reads(text, part)`: whether each display shows this text at least as far as `part`, its beginning. The fingerprint
    is in none of them where no display has room for a part of it. Who compares fewer groups than there are can be
    given a certificate that was made for those.
    """
    if not code and not fingerprint:  # asked at each refresh of the display
        return (NOTHING_FIRST,)
    with speaking(language):
        whole = First(code, fingerprint)
        behind = f"{whole.in_words()} {testing_in_words(language)}"
        return (whole,) if reads(behind, behind) else (*_turns_of(whole, reads), NOTHING_FIRST)


def _turns_of(whole: First, reads: Callable[[str, str], bool]) -> Sequence[First]:
    if not whole.fingerprint or _has_room(whole, reads):
        return (whole,)
    groups, alone = whole.fingerprint.split(" "), (First(whole.code),) if whole.code else ()
    for size in _GROUPS_IN_A_PART:
        begins = range(0, len(groups), size)
        parts = [
            First("", " ".join(groups[at : at + size]), number, len(begins)) for number, at in enumerate(begins, 1)
        ]
        if all(_has_room(part, reads) for part in parts):
            return (*alone, *parts)
    return alone


def _has_room(first: First, reads: Callable[[str, str], bool]) -> bool:
    text = first.in_words()
    return reads(text, text[: text.index(first.fingerprint) + len(first.fingerprint)])


def order_on_display(view: TableView, beside: Beside, language: Language, first: First = NOTHING_FIRST) -> str:
    """Return why no card may be dealt and what to do; empty where cards may be dealt, or only a ruling stops the deal.

    Without it the stop lamp is lit beside an empty display. Where cards may be dealt: the first zone that is not read,
    and its remedy, until somebody has acknowledged it; a ruling that waits comes before it. `first`: comes before all
    that in its turn (`first_in_turns`), and waits while a ruling does.
    """
    with speaking(language):
        order = testing_in_words(language) if beside.testing else order_in_words(view, beside) or _zones(view)
        return order if view["pending"] else f"{first.in_words()} {order}".strip()


def _zones(view: TableView) -> str:
    if view["pending"]:
        return ""
    kinds = ZONE_TROUBLES.values()
    for alarm in view["alarms"]:
        if alarm["kind"] in kinds and not (alarm["over"] or alarm["acknowledged"] or alarm["shelved"]):
            return f"{alarm_in_words(alarm)}. {row_text(row_of(alarm['kind']).action)}"
    return ""


def shown(
    output: Output,
    beside: Sequence[Output],
    language: Language,
    *,
    order: str = "",
    pending: Sequence[PendingView] = (),
) -> dict[str, Any]:
    """Return an output as the devices get it; `beside`: the outputs of its event, which has the display's ruling.

    `order`: as of `order_on_display`; it is shown before a ruling, and in the place of any other text. `pending`: the
    rulings that wait, one of which may be shown again.
    """
    value = output.value
    if not isinstance(value, Display):
        return output.to_dict()
    if order and value.rule is None:
        return _display(Display(), order)
    if language is Language.ENGLISH:
        return _behind(order, output, value, value.text)
    for one in beside:
        ruling = one.value
        if isinstance(ruling, Ruling) and (ruling.text, ruling.rule) == (value.text, value.rule):
            return _behind(order, output, value, _said(ruling.irregularity, ruling.outcome, language))
    for waits in pending:
        if (waits["text"], waits["rule"]) == (value.text, value.rule):
            return _behind(order, output, value, _said(waits["irregularity"], waits["outcome"], language))
    return _behind(order, output, value, notice_in_words(value.text, language))


def shown_again(
    output: Output, pending: Sequence[PendingView], language: Language, *, order: str = ""
) -> dict[str, Any]:
    """Return an output of those that set everything anew; `pending`: the rulings that wait, whose last is shown.

    `order`: as of `shown`.
    """
    value = output.value
    if not isinstance(value, Display):
        return output.to_dict()
    if not pending:
        return _display(Display(), order) if order else shown(output, (), language)
    if language is Language.ENGLISH or not value.text:
        return _behind(order, output, value, value.text)
    return _behind(order, output, value, _said(pending[-1]["irregularity"], pending[-1]["outcome"], language))


def _behind(order: str, output: Output, value: Display, text: str) -> dict[str, Any]:
    """A display's text behind the order and its clause. Where the display is full, the text's end is cut off; where the
    clause has no room even so, the order's.

    `within`: the clause that stands in the text, which the device's driver keeps there.
    """
    if order and value.rule:
        said = {"text": f"{order} [{value.rule}] {text}", "rule": None, "within": value.rule}
        return {"display": said}
    if order:
        return _display(Display(), f"{order} {text}")
    return output.to_dict() if text == value.text else _display(value, text)


def _display(value: Display, text: str) -> dict[str, Any]:
    return {"display": {"text": text, "rule": value.rule}}


def _said(irregularity: str, outcome: str, language: Language) -> str:
    with speaking(language):
        return f"{words_of(Irregularity, irregularity)}: {begin_sentence(words_of(Outcome, outcome))}"

"""A shoe that speaks lines of ASCII over RS-232, 9600 8N1: status, counts, versions, faults.

Every line ends with `*hh`, the exclusive or of the characters before it in two hexadecimal digits, and CR LF.

    to the shoe    VER?   STA?   GATE 0 (shut)   GATE 1 (open)
    its answers    VER S200 2.4 SN1042           model, firmware, serial number
                   STA 0 blue 16 JAM,LID         gate, deck, cards out since the shuffle, faults or -
    by itself      SHUF blue 52                  a shuffle is complete, so many cards
                   OUT 17                        a card has left the mouth, the 17th since the shuffle
                   FLT JAM   CLR JAM             a fault began, is over

It reads no cards, so `card` is null and a deck is never `deck_checked` by it. It keeps nothing while nobody listens:
the count tells afterwards that a card has left unseen, and that becomes a fault of kind `comms` until the next shuffle.
"""

import time
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

from pydantic import with_config

from devices.adapters import Adapter, AdapterFault, FaultCode, Place, TableSide, TextLine
from devices.drivers.base import SETTINGS

KINDS = {"JAM": "jam", "DBL": "double_feed", "MOT": "motor", "SEN": "sensor", "LID": "lid_open", "PWR": "power"}
WAIT = 0.05  # seconds in which an order may lie, or a line
ANSWER = 1.0  # seconds that an answer may take


@with_config(SETTINGS)
@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeSettings:
    """`ask_every`: seconds between two questions for its status."""

    ask_every: float = 1.0


class AsciiShoe(Adapter[ShoeSettings]):
    """The adapter. It authenticates nobody: `authenticated` stays False."""

    role: ClassVar[str] = "shoe"
    settings_type = ShoeSettings

    def __init__(self, place: Place, settings: ShoeSettings) -> None:
        super().__init__(place, settings)
        self.out = 0  # cards out since the shuffle, as this adapter was told; it lives on when the shoe was away
        self.known = False  # whether it was told at all
        self.missed = False  # a card has left and nobody said so
        self.deck: str | None = None
        self.faults: set[str] = set()

    def run(self, table: TableSide) -> None:
        with TextLine(self.place) as line:
            _, firmware, serial = self.ask(line, "VER?", "VER", 3)
            self.read_status(self.ask(line, "STA?", "STA", 4))
            table.up(self.state(), serial=serial, firmware=firmware)
            self.serve(line, table)

    def serve(self, line: TextLine, table: TableSide) -> None:
        """Orders one way, what happens the other, until the shoe is gone."""
        asked = answered = time.monotonic()
        while True:
            gate = table.orders().get("gate")
            if gate is not None:
                send(line, "GATE 0" if gate["locked"] else "GATE 1")
            words = heard(line, WAIT)
            now = time.monotonic()
            if words and words[0] == "STA" and len(words) == 5:
                answered = now
                before = set(self.faults)
                self.read_status(words[1:])
                self.tell_differences(before, table)
            elif words:
                self.happened(words, table)
            if now - answered > self.settings.ask_every + 2 * ANSWER:
                raise AdapterFault(f"{self.place.name}: the shoe does not answer any more", FaultCode.SILENT)
            if now - asked >= self.settings.ask_every:
                send(line, "STA?")
                asked = now

    def happened(self, words: list[str], table: TableSide) -> None:
        """A line that the shoe sent by itself."""
        match words:
            case ["OUT", count] if count.isdigit():
                before = set(self.faults)
                self.count_to(int(count) - 1)
                self.tell_differences(before, table)
                self.out = int(count)
                table.event({"ev": "card_out", "card": None, "face": "down", "deck": self.deck})
            case ["SHUF", deck, count] if count.isdigit():
                before = set(self.faults)
                self.deck, self.out, self.known = deck, 0, True
                self.faults.discard("comms")
                table.event({"ev": "shuffled", "deck": deck, "count": int(count)})
                self.tell_differences(before, table)
            case ["FLT" | "CLR" as word, short] if short in KINDS:
                before = set(self.faults)
                (self.faults.add if word == "FLT" else self.faults.discard)(KINDS[short])
                self.tell_differences(before, table)
            case _:  # a line that this adapter does not know: a newer shoe
                pass

    def count_to(self, count: int) -> None:
        """So many cards are out; if that is not what was told, some have left unseen."""
        if self.known and count != self.out:
            self.faults.add("comms")
        self.out, self.known = count, True

    def read_status(self, words: list[str]) -> None:
        """`STA`, without its name."""
        gate, deck, count, faults = words
        if gate not in ("0", "1") or not count.isdigit():
            raise AdapterFault(f"{self.place.name}: a status that cannot be read", FaultCode.MALFORMED)
        self.gate, self.deck = gate, None if deck == "-" else deck
        self.count_to(int(count))
        told = {KINDS.get(short, "sensor") for short in faults.split(",") if short != "-"}
        self.faults = told | (self.faults & {"comms"})

    def state(self) -> dict[str, object]:
        """As MESSAGES.md has it for a shoe."""
        return {"locked": self.gate == "0", "faults": [{"kind": kind} for kind in sorted(self.faults)]}

    def tell_differences(self, before: set[str], table: TableSide) -> None:
        for kind in sorted(self.faults - before):
            table.event({"ev": "fault", "kind": kind})
        for kind in sorted(before - self.faults):
            table.event({"ev": "cleared", "kind": kind})

    def ask(self, line: TextLine, question: str, answer: str, count: int) -> list[str]:
        """The answer to a question, without its name."""
        send(line, question)
        until = time.monotonic() + ANSWER
        while time.monotonic() < until:
            words = heard(line, WAIT)
            if words and words[0] == answer and len(words) == count + 1:
                return words[1:]
        raise AdapterFault(f"{self.place.name}: the shoe does not answer {question}: is it on, and at 9600 baud?")


def checksum(text: str) -> str:
    return f"{reduce(lambda sum_, char: sum_ ^ ord(char), text, 0):02X}"


def send(line: TextLine, text: str) -> None:
    line.write(f"{text}*{checksum(text)}")


def heard(line: TextLine, seconds: float) -> list[str]:
    """The words of the next line; none where none came, or its checksum is wrong: the count shows what is missing."""
    text, _, told = (line.read(seconds) or "").rpartition("*")
    return text.split() if told == checksum(text) else []

"""What the people at the table know from its outputs."""

from collections.abc import Mapping
from typing import Any


class TableSense:
    """The dealer's and the floor's knowledge, from the table's outputs so far."""

    def __init__(self) -> None:
        self.prompt: dict[str, Any] | None = None
        self.phase = "closed"
        self.street: str | None = None
        self.button: int | None = None
        self.level = 0
        """The tournament's level for the next deal; 0 without one."""
        self.blinds: tuple[int, ...] = ()
        """The level's blinds, in cents."""
        self.ante = 0
        self.race_off: int | None = None
        """A chip to be raced off before the next deal, in cents."""
        self.time_banks = 0
        """Time banks of the player on the action clock."""
        self.due: dict[int, int] = {}
        """Commission due by pot, in cents, since the last round ended."""
        self.pending: dict[int, dict[str, Any]] = {}
        """Rulings that wait for a person, by id."""
        self.last_ruling: dict[str, Any] | None = None
        self.winners: dict[int, list[int]] = {}
        """By pot of this round, the seats that won it."""
        self.errors = 0
        """Events refused since the prompt last changed."""
        self.rulings = 0
        self.outputs = 0

    def take(self, outputs: tuple[dict[str, Any], ...]) -> None:
        """Note the table's outputs."""
        for output in outputs:
            self.outputs += 1
            self._take(output)

    def _take(self, output: Mapping[str, Any]) -> None:
        if "prompt" in output:
            self.prompt = output["prompt"]
            self.errors = 0
        elif "phase" in output:
            self.phase, self.street = output["phase"], output.get("street")
        elif "ruling" in output:
            self._ruling(output["ruling"])
        elif "commission" in output:
            self.due[output["commission"].get("pot") or 1] = output["commission"].get("due") or 0
        elif "showdown" in output:
            self.winners[output["showdown"].get("pot") or 1] = list(output["showdown"].get("winners") or [])
        elif "button" in output:
            self.button = output["button"].get("seat", self.button)
        elif "level" in output:
            self._take_level(output["level"])
        elif "clock" in output:
            self.time_banks = output["clock"].get("banks", self.time_banks)
        elif "error" in output:
            self.errors += 1

    def _take_level(self, level: Mapping[str, Any]) -> None:
        self.level, self.race_off = level["level"], level["race_off"]
        self.blinds, self.ante = tuple(level["blinds"]), level["ante"] or 0

    def _ruling(self, ruling: dict[str, Any]) -> None:
        self.rulings += 1
        self.last_ruling = ruling
        if ruling.get("supersedes") is not None:
            self.pending.pop(ruling["supersedes"], None)
        if ruling.get("pending"):
            self.pending[ruling["id"]] = ruling

    def new_round(self) -> None:
        """Forget the dues and winners of the round that is over."""
        self.due = {}
        self.winners = {}

    @property
    def waits_for_floor(self) -> bool:
        """Whether a person must decide before play goes on."""
        return bool(self.pending) or (self.prompt or {}).get("wait") == "floor"

    @property
    def outcome(self) -> str | None:
        """The outcome of the last ruling."""
        return None if self.last_ruling is None else self.last_ruling.get("outcome")

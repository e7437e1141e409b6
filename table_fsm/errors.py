"""The errors of table_fsm: one tree, each message names the thing, the place and the remedy."""


class TableError(Exception):
    """Base of the errors of table_fsm."""


class EventSyntaxError(TableError):
    """A line that is no table event: no JSON object, no `t`, no `ev`, a field of the wrong type."""


class UnknownEventError(TableError):
    """A well-formed event with an unknown `ev`."""

    def __init__(self, t: float, ev: str) -> None:
        super().__init__(f"unknown event {ev!r}: see the list of events")
        self.t = t
        self.ev = ev


class RulebookError(TableError):
    """A rulebook that cannot be used. `problems` lists every fault, each with file and line."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class Refused(TableError):  # noqa: N818 - it is an answer, not a failure: it becomes an `error` output
    """An event that is refused, before the state has changed."""

"""Why there is no table to ask."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Away:
    """The table does not answer.

    `words`: why, for everybody. `out_of_order`: the table's process says itself that the table cannot start. `details`:
    in full, for the person at the board alone. `may_pass`: it can go away without a change of the table's file.
    `starting`: the table's process says itself that the table starts, and how far it is. `plays_on`: it plays by
    another version, whose door this one does not understand. `nobody`: no process is behind the door. `remedy`: what a
    technician does about it, where that is known.
    """

    words: str
    out_of_order: bool = False
    details: tuple[str, ...] = ()
    may_pass: bool = True
    starting: bool = False
    plays_on: bool = False
    nobody: bool = False
    remedy: str = ""

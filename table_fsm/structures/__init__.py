"""Blind structures: a tournament's levels as data, the level in force, and antes; pure."""

from table_fsm.structures.antes import AnteDue, AntePayer, BigBlindAnteRules, ante_due, posted_from
from table_fsm.structures.levels import LevelNow, level_at, level_numbered, race_offs_due
from table_fsm.structures.loader import StructureError, load_structures
from table_fsm.structures.structure import ActionClock, Breaks, Level, Rebuys, ReEntry, SeatLimits, Structure

__all__ = [
    "ActionClock",
    "AnteDue",
    "AntePayer",
    "BigBlindAnteRules",
    "Breaks",
    "Level",
    "LevelNow",
    "ReEntry",
    "Rebuys",
    "SeatLimits",
    "Structure",
    "StructureError",
    "ante_due",
    "level_at",
    "level_numbered",
    "load_structures",
    "posted_from",
    "race_offs_due",
]

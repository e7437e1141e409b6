"""Rulebooks: games and their rules as tables.

Loading, merging, checking, printing; the table interprets them.
"""

from table_fsm.rulebook.book import OptionError, Rulebook, check_options
from table_fsm.rulebook.checker import check_book
from table_fsm.rulebook.loader import load_rulebooks, load_with_bases

__all__ = ["OptionError", "Rulebook", "check_book", "check_options", "load_rulebooks", "load_with_bases"]

"""An order of gravity for books that a test makes."""

import json
from typing import Final

from table_fsm.rulebook.outcomes import Outcome

GRAVITY: Final = {"gravity": [outcome.value for outcome in Outcome]}
"""Each outcome once, for a book as data."""
GRAVITY_TOML: Final = f"\n[precedence]\ngravity = {json.dumps(GRAVITY['gravity'])}\n"
"""The same, to be set behind a book's TOML."""

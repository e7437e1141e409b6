"""What the commands' exit codes mean."""

from typing import Final

FINE: Final = 0
PROBLEMS: Final = 1
"""What was looked at has faults: a drill failed, a table would not start, a journal was changed."""
USAGE: Final = 2
"""Wrong usage, or an input that cannot be read."""
AGAIN: Final = 75
"""Nothing ran, and it is worth another attempt: whoever started it starts it again (EX_TEMPFAIL)."""

"""Notes of the host that readers look for, by the words of their `note`.

Old records hold these words.
"""

from typing import Final

BY_HAND_NOTE: Final = "a person acted at the page"
"""A person did something: `who`, `role`, `from`, `what`, `why`."""
SETTLED_NOTE: Final = "rulings wait no more"
"""Right after the event that did it: the `rulings` that it did not name itself."""
COUNTERS_NOTE: Final = "counters of the links"
"""What was counted since the note before: `devices`, by device and counter."""

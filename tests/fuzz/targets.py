"""All targets, by name."""

from tests.fuzz.custody import CUSTODY, ORDERS
from tests.fuzz.door import DOOR
from tests.fuzz.files import CONFIGURATION, RECORDS, ROWS
from tests.fuzz.pit import PIT
from tests.fuzz.requests import REQUESTS
from tests.fuzz.wire import BODIES, FRAMES
from tests.fuzz.witness import WITNESS

ALL = (FRAMES, BODIES, RECORDS, ROWS, CONFIGURATION, REQUESTS, DOOR, CUSTODY, ORDERS, PIT, WITNESS)
TARGETS = {target.name: target for target in ALL}

"""Notes of the host that readers look for, by the words of their `note`.

Old records hold these words.
"""

from typing import Final

START_NOTE: Final = "feltd starts"
"""A start: the `software` that starts (its version; since 0.2.0), the `package` that it was installed from (0.4.0: its
manifest's SHA-256, its signature and the public key; null where there is no manifest), the `first_key` of the record's
signed heads (0.5.0), what the file of the `record` says of its making (0.9.0, `made`), the `rulebooks` that it has
loaded by their digests (before 0.4.0 all there were), the keyed mark of the `state` it starts from, how many events
were `replayed`, `remarks` in plain words, the `settings` that hold by a wish of the floor (0.8.0), the numbers of the
`wishes` for a book and for settings that the table remembers (0.12.0; null where it cannot tell), the address of the
table's `page` as browsers show it, null where its file has none, and the `zone` that people read (0.9.0), the
fingerprint of the key that cards are `sealed_to`, the `adapters` of devices by their names, digests of the table's
`file` by section (0.8.0), keyed marks of badges' `pins`, and the `staff` by badge (0.11.0; null for a list that cannot
be read). The `remarks` say what stands otherwise than at the start before (0.8.0)."""
SET_ASIDE_NOTE: Final = "the record before was set aside"
"""Of a record that joins on to another: `who` decided it, `why`, the `folder` of the other one, and `before`: its
`journal`, its `first_key`, the `entry` and `chain` of its last signed head; null where no head tells them."""
STRAY_HEAD_NOTE: Final = "a line behind the signed heads was put aside"
"""Before a start wrote over it: a whole line that no key of this record has signed (0.9.0). The `file` beside the
record that has it now, its `bytes` and `sha256` there, the end of its line included, and the entry of the last head,
`behind` which it stood; null where nothing was signed yet."""
FROM_FLOOR_NOTE: Final = "the record goes on from the floor's copy"
"""Of a record that joins on to one whose card is gone: `who` did it, `why`, the `folder` of the copy, and `before`: the
copy's `journal`, its `first_key`, its last `entry` and `chain`, and the last entry that a head of it has `signed`.
Where the copy kept a state between two rounds, its note and its snapshot come next."""
SNAPSHOT_NOTE: Final = "between rounds"
"""Right before a snapshot: the `software` and the digest of the state it is of (`shown`: without
the counts of cards; before edition 2 `digest`: with them), and what devices had reported."""
UNPROVEN_NOTE: Final = "the state between two rounds was not kept"
"""In a snapshot's place, where it did not give the state it was taken of."""
BY_HAND_NOTE: Final = "a person acted at the page"
"""A person did something: `who`, `role`, `from`, `what`, `why`; where it came from the floor, the `command`'s id,
and where the table knows the floor's key, when that signed it (`made`, microseconds of its clock)."""
FLOOR_MAY_NOT_NOTE: Final = "the floor may not"
"""The `what` of a note of what a person did: the floor `asked` for a decision that the table's file does not let it
take."""
WISH_NOTE: Final = "the floor wishes a book"
"""The `what` of a note of what a person did: this table took a `wish` of the floor, by its number. `rulebook`, `digest`
and `options` (JSON): what it plays from the next time between two rounds. Its `table.open` tells when. `at_start`
(0.12.0): the process before this one took it, and ended before it was noted."""
WISH_VERSION_NOTE: Final = "the floor wishes a version"
"""The same of a wish for a `version` of feltd."""
WISH_SETTINGS_NOTE: Final = "the floor wishes settings"
"""The same of a wish for `settings` (JSON): from now on these hold, and all others are as the table's own file says."""
WISH_NOTES: Final = frozenset({WISH_NOTE, WISH_VERSION_NOTE, WISH_SETTINGS_NOTE})
"""All that are about wishes."""
UNSEALED_NOTE: Final = "cards were unsealed"
"""Who held the private key read cards that no round had shown: `who`, `why`, `rounds`, `when` (UTC), the `key`'s
fingerprint, and the SHA-256 of the `note` that the reading left. Where two people hold a half of the key each (0.8.0):
who agreed (`agreed_by`), and the SHA-256 of their `agreement`."""
SETTLED_NOTE: Final = "rulings wait no more"
"""Right after the event that did it: the `rulings` that it did not name itself."""
BAD_MESSAGE_NOTE: Final = "a device broke the rules of its messages"
"""A message against the rules: the `fault`, and how many `times` in succession where it was more than once. The next
event of the device stands for all of them."""
LATE_NOTE: Final = "a device told late what it had kept"
"""Right before the first such event of the `device` in a round (0.12.0): it was away, or feltd was, and events of the
devices that it comes `behind` had been taken meanwhile. Nobody knows in which order they happened, so a ruling of this
round may be on what nobody did."""
RECEIPT_NOTE: Final = "the floor has the record"
"""The floor's receipt (`receipts`): the last `entry` that it has, the `chain` behind it, its clock `at` (milliseconds
since 1970), its public `key` and the `signature`. At most one a round."""
CONTRADICTED_NOTE: Final = "the floor has another history of this record"
"""`entry`: up to which the floor has signed it, `chain`: with which end: the record was put back, or copied."""
WITNESS_CONTRADICTS_NOTE: Final = "a witness has another history of this record"
"""A table's sender has heard it from the witness (0.13.0). At most one a run; which entries, the witness says."""
BROADCAST_ON_NOTE: Final = "turns the broadcast of cards on"
"""The `what` of a note of what a person did: who it was that `asked_by` named, the `key`'s fingerprint, the
`delay_minutes`."""
BROADCAST_OFF_NOTE: Final = "turns the broadcast of cards off"
"""The `what` of a note of what a person did. A start turns it off too, and leaves no such note."""
BROADCAST_NOTE: Final = "a round for the broadcast"
"""The cards of a round that is over, for the broadcast, held back by the table for its delay: the `round`, the `key`
(its `round.key` entry), the `box` with that key, and `to`, the fingerprint of the broadcast's pair."""
COUNTERS_NOTE: Final = "counters of the links"
"""What was counted since the note before: `devices`, by device and counter."""
KEYPADS_NOTE: Final = "what badge readers say of their keypads"
"""`readers`, by name: what the reader's status `says` (null: nothing any more), and whether the table `counts` it as
one that takes a PIN (0.13.0). Each is there where it has changed since the note before, or since the start.
`meanwhile`: the same two of the newest word that it said since that note, where that is another than it says now."""
CLOCK_SET_NOTE: Final = "the wall clock was set"
"""By so many `seconds`, within the second before."""

"""The acceptance of a table's hardware: every part that its configuration names is worked, and what became of it is
printed, to be signed.

The steps come from the table's own configuration. What a hand does differs from place to place: a virtual machine, a
board with loop-back wires, a person at a whole table. What the record, a lamp or a listening test must say then is the
same everywhere.
"""

"""One suite for a table's hardware, in three places: a virtual machine, a board with loop-back wires, a whole table.

The steps come from the table's own configuration; what a hand does differs from place to place; what the record must
say then is the same.
"""

"""The table's process: devices, keys, the state machine and the record.

It serves no browser and knows no password.
"""

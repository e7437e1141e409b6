"""The round as law: pure functions from table events to rulings.

No clock, no I/O, no threads, no randomness.
"""

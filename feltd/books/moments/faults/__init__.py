"""The faults of every irregularity, by subject."""

"""A driver for each role: its messages to table events, outputs to its commands."""

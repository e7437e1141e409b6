"""A driver for each role: device messages to table events, table outputs to device commands."""

"""One composition root: it puts a table together, starts, watches and stops it."""

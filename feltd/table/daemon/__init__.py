"""The composition root: puts a table together, starts, watches and stops it."""

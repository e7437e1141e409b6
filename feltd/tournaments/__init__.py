"""A tournament's files, for a person at a desk: books printed, entries of a sheet, a draw done again, results."""

"""Random clean rounds of every book, read in every way in which a table may see them: nothing is ruled in any."""

"""The matrix of moments: every irregularity of a book at every moment of its round, and what the table rules."""

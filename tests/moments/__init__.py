"""The matrix of moments of every shipped book, as it was read, and the four readings of clean rounds."""

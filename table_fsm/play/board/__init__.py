"""Communal cards: burns, faults of the board, and a board run twice."""

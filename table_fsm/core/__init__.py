"""State of the table and the way from a fault to a ruling.

No module here knows a subject of the game.
"""

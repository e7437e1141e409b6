"""The uplink's process: it hands a table's record up to the floor, and keeps nothing of its own.

It asks the table's socket for rows, as the page's history does, and calls the floor. The table never waits for it.
"""

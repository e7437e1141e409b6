"""Measure the project's rooms, imports, sources, and five walks through it (`make house`).

A *room* of a package is a direct child of it: a module or a sub-package. An *arrow* goes from a room to another room
that it imports; several imports between the same two rooms are one arrow. A *ring* is a set of rooms that all reach
each other. *Floors* are the rooms on the longest way down, a ring counted as one. Arrows *back up* are the fewest
arrows that must go so that no ring is left.
"""

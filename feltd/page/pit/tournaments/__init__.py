"""Tournaments at the pit page: the director's desk, and the screens for players."""

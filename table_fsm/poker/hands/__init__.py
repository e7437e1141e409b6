"""Ranking of hands: orders, tables and values of hands."""

"""Whole tournaments through real tables and the real floor."""

"""Packs of cards that are chips: which chip is which card, kept sealed."""

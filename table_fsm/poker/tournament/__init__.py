"""Chip races, placings and payouts as arithmetic."""

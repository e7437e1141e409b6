"""The house-banked game: boxes, wagers, cards and settlement."""

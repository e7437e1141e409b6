"""Events of single cards and of the shoe, matched to each other."""

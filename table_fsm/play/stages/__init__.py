"""The stages of a round: each takes the events of its time. `choose` says which stage a moment belongs to."""

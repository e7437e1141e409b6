"""Everything the page does, as a versioned HTTP API: the page itself uses nothing else."""

"""What one visitor of the page may take, so that there is enough for everybody else."""

"""Posts over HTTP, each with its signature, again and again until it is taken."""

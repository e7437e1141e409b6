"""A virtual machine whose kernel believes in its hardware: what it is made of, how it is started, its disk."""

"""What the package has put on this machine: its manifest, who signed it, and whether the disk still has it."""

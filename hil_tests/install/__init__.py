"""The Debian package in a fresh Debian under systemd: started from outside (`fresh_root`), worked inside (`phases`)."""

"""The technician's work on a running table: tests of devices and their keys."""

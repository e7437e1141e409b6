"""The links to the devices, their faults, and plugging in and out."""

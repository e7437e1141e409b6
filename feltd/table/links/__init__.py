"""The links to the devices, their faults, and what plugs and unplugs them."""

"""What the pit page asks of the floor: frozen values, and the calls over floord's socket."""

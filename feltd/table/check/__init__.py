"""The checks of `feltd check`: the configuration against the machine that it runs on."""

"""What `feltd check` looks at: the configuration against the machine that it runs on."""

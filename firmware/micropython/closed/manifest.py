# All that runs: the port's file system and this firmware. Frozen modules come before those of the file system.
freeze("$(PORT_DIR)/modules", ("_boot.py", "rp2.py"))
freeze("$(BOARD_DIR)", "boot.py")
freeze(
    "$(BOARD_DIR)/..",
    (
        "aead.py",
        "antennas.py",
        "board.py",
        "chacha_viper.py",
        "chip_numbers.py",
        "device_file.py",
        "frames.py",
        "keys.py",
        "main.py",
        "messages.py",
        "noise.py",
        "outbox.py",
        "plain_cbor.py",
        "pn532.py",
        "reader.py",
        "wire.py",
        "x25519.py",
    ),
)

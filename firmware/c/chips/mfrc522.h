/* NXP MFRC522 and what is sold as one (a WS1850S, for instance), over SPI at up to 10 MHz or over I2C. Names of registers are
   the data sheet's. */
#ifndef MFRC522_H
#define MFRC522_H

#include "chip_bus.h"
#include "chip_state.h"
#include "iso14443a.h"

struct mfrc522 {
    const struct chip_bus *bus;
    uint8_t address; /* on I2C; 0: SPI */
    struct air air;
    uint8_t version;
    uint8_t tx_mode, ticks; /* what the registers hold; 0xFF: not known */
    bool ready; /* it was told how to work since it was last seen to be another, or none */
};

/* Wires the driver to its bus: an address on I2C (0x28 on most boards), or 0: SPI. Nothing is sent. */
void mfrc522_start(struct mfrc522 *chip, const struct chip_bus *bus, uint8_t address);
/* Resets it, sets it up and proves it: a register that is written and read, a checksum that the chip works out. */
enum chip_state mfrc522_set_up(struct mfrc522 *chip);

#endif

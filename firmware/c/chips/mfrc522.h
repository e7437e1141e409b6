/* NXP MFRC522 and what is sold as one, over SPI at up to 10 MHz. Names of registers are the data sheet's. */
#ifndef MFRC522_H
#define MFRC522_H

#include "chip_bus.h"
#include "chip_state.h"
#include "iso14443a.h"

struct mfrc522 {
    const struct chip_bus *bus;
    struct air air;
    uint8_t version;
    bool ready; /* it was told how to work since it was last seen to be another, or none */
};

/* Wires the driver to its bus. Nothing is sent. */
void mfrc522_start(struct mfrc522 *chip, const struct chip_bus *bus);
/* Resets it, sets it up and proves it: a register that is written and read, a checksum that the chip works out. */
enum chip_state mfrc522_set_up(struct mfrc522 *chip);

#endif

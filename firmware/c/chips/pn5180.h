/* NXP PN5180 over SPI with its BUSY pin: type A cards and ISO/IEC 15693 cards, one kind at a time. Names are the data sheet's. */
#ifndef PN5180_H
#define PN5180_H

#include "chip_bus.h"
#include "chip_state.h"
#include "iso14443a.h"
#include "iso15693.h"

struct pn5180 {
    const struct chip_bus *bus;
    bool for_vicinity;
    struct air air;
    struct vicinity vicinity;
    uint32_t tx_config; /* as LOAD_RF_CONFIG has left it */
    bool ready;
};

void pn5180_start(struct pn5180 *chip, const struct chip_bus *bus, bool for_vicinity);
enum chip_state pn5180_set_up(struct pn5180 *chip);

#endif

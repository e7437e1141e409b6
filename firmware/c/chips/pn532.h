/* NXP PN532 as a sender of type A frames: its own commands for cards find two at most, so cards are told apart here, by
   InCommunicateThru and the registers of its radio unit (the manual's CIU), which are those of an MFRC522. */
#ifndef PN532_H
#define PN532_H

#include "chip_state.h"
#include "iso14443a.h"
#include "pn532_link.h"

struct pn532 {
    struct pn532_link link;
    struct air air;
    uint8_t framing, tx_mode; /* what the registers hold, as far as this driver has written them */
    bool ready;
};

void pn532_start(struct pn532 *chip, const struct chip_bus *bus, enum pn532_wire wire);
enum chip_state pn532_set_up(struct pn532 *chip);

#endif

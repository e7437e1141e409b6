/* An MFRC522 from its data sheet: registers, FIFO, timer, checksum, bit framing; below it the air model. */
#ifndef MODEL_MFRC522_H
#define MODEL_MFRC522_H

#include "air_model.h"
#include "../chips/chip_bus.h"

enum { MODEL_MFRC522_ADDRESS = 0x28 };

struct model_mfrc522 {
    struct air_model *air;
    uint8_t regs[64];
    uint8_t fifo[64], level;
    /* Faults and readings that a test sets. */
    bool gone;            /* no chip: its line to the host floats at one */
    bool shorted;         /* that line lies at ground */
    bool counts_align;    /* CollPos counts the bits that RxAlign skips */
    bool no_position;     /* CollPos is never valid */
    unsigned flips_each;  /* one of so many bytes read has a bit that is wrong */
    bool hangs;           /* Transceive never ends */
};

void model_mfrc522_start(struct model_mfrc522 *chip, struct air_model *air);
/* The power has gone and come. */
void model_mfrc522_reset(struct model_mfrc522 *chip);
struct chip_bus model_mfrc522_bus(struct model_mfrc522 *chip);

#endif

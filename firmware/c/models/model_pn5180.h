/* A PN5180 from its data sheet: commands, registers, BUSY, and what LOAD_RF_CONFIG sets; below it the air model. How long it is
   busy with a command is an estimate (MODEL_BUSY). */
#ifndef MODEL_PN5180_H
#define MODEL_PN5180_H

#include "../chips/chip_bus.h"
#include "air_model.h"

enum { MODEL_BUSY = 20000 }; /* nanoseconds */

struct model_pn5180 {
    struct air_model *air;
    uint32_t regs[64];
    bool vicinity;
    uint8_t answer[32], read[32]; /* of the air; what the host's next transfer reads */
    size_t answer_length, read_length;
    uint64_t busy_until, answered_at;
    uint32_t raised; /* flags that show once `answered_at` has come */
    bool gone, shorted, hangs;
    bool counts_from_one; /* RX_COLL_POS: 1 is the first bit */
    bool stuck;           /* BUSY never falls */
    unsigned flips_each;
};

void model_pn5180_start(struct model_pn5180 *chip, struct air_model *air);
void model_pn5180_reset(struct model_pn5180 *chip);
struct chip_bus model_pn5180_bus(struct model_pn5180 *chip);

#endif

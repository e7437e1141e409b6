/* A PN532 from its user manual: frames over three links, the commands that the driver gives, and the registers of its radio
   unit. How long it thinks is an estimate (MODEL_THINKS). */
#ifndef MODEL_PN532_H
#define MODEL_PN532_H

#include "../chips/chip_bus.h"
#include "../chips/pn532_link.h"
#include "air_model.h"

enum { MODEL_FRAME = 64, MODEL_THINKS = 300000 }; /* nanoseconds */

struct model_frame {
    uint8_t data[MODEL_FRAME];
    size_t length, taken;
    uint64_t ready_at;
};

struct model_pn532 {
    struct air_model *air;
    enum pn532_wire wire;
    uint8_t regs[64]; /* 0x6300 to 0x633F */
    uint8_t wait_code; /* RFConfiguration item 2 */
    uint8_t more_tries; /* RFConfiguration item 5: after the first one of a list; 0xFF: for ever */
    bool listed;        /* a target was found, and has not been let go */
    bool asleep;
    uint8_t came[MODEL_FRAME]; /* of the UART */
    size_t came_length;
    struct model_frame out[2]; /* the acknowledgement, the answer */
    size_t out_count;
    /* Faults and readings that a test sets. */
    bool gone, shorted, hangs;
    bool counts_align, no_position;
    bool keeps_collided; /* a collision's bits are not handed on */
    unsigned flips_each;
    unsigned away_for; /* microseconds after a command, and after its acknowledgement, in which it does not answer to its address */
    uint64_t away_until;
};

void model_pn532_start(struct model_pn532 *chip, struct air_model *air, enum pn532_wire wire);
void model_pn532_reset(struct model_pn532 *chip);
struct chip_bus model_pn532_bus(struct model_pn532 *chip);

#endif

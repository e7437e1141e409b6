/* A TCA9548A from its data sheet (TI SCPS207): an address by three pins, one register with a bit for each channel, which counts once the
   transfer has stopped; RESET, which shuts all channels and ends whatever transfer it was in. Behind each channel is a bus of its own. */
#ifndef MODEL_TCA9548A_H
#define MODEL_TCA9548A_H

#include "../chips/chip_bus.h"

enum { MODEL_TCA9548A_ADDRESS = 0x70, MODEL_TCA9548A_CHANNELS = 8 };

struct model_tca9548a {
    uint64_t *nanoseconds; /* the clock that passes */
    uint8_t address, control;
    /* The chip behind a channel: as `i2c` of a bus. */
    bool (*behind)(void *self, uint8_t channel, uint8_t address, const uint8_t *out, size_t out_length, uint8_t *in, size_t in_length);
    void *self;
    /* Faults that a test sets. */
    bool gone;     /* it acknowledges nothing */
    bool deaf;     /* it acknowledges, and keeps what its register had */
    bool host_held; /* somebody before it holds the data line */
    uint8_t held;   /* a bit for each channel whose chip holds the data line */
    uint8_t clocks[MODEL_TCA9548A_CHANNELS]; /* after so many clocks that reach it a chip lets go; 0: never */
};

void model_tca9548a_start(struct model_tca9548a *model, uint64_t *nanoseconds);
bool model_tca9548a_i2c(struct model_tca9548a *model, uint8_t address, const uint8_t *out, size_t out_length, uint8_t *in, size_t in_length);
/* Whether the data line is high at the host's side. */
bool model_tca9548a_data(const struct model_tca9548a *model);
/* One pulse of the host on the clock line; the RESET pin, low. */
void model_tca9548a_clock(struct model_tca9548a *model);
void model_tca9548a_reset(struct model_tca9548a *model);

#endif

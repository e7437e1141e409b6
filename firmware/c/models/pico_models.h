/* What the models of a Pico's reader share, whatever ways lead to its antennas. */
#ifndef PICO_MODELS_H
#define PICO_MODELS_H

#include "table_model.h"

/* Of the ways: which wiring of `table_model.h`, and for how many zones. */
extern const char pico_models_wiring[];
extern const uint8_t pico_models_zones;

/* The modelled chips' bus, and that of what stands before them. */
extern struct chip_bus pico_models_bus;
extern const struct chip_bus *pico_models_way;
/* Microseconds of the models, which pass with the board's. */
uint32_t pico_models_clock(void);

#endif

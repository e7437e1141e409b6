/* A chip's model and its driver, wired to one another. */
#ifndef CHECK_READERS_H
#define CHECK_READERS_H

#include "../chips/chip_bus.h"
#include "../chips/finder.h"
#include "air_model.h"

struct rig {
    struct chip_bus bus;
    struct finder finder;
    bool (*set)(const char *what, unsigned number);
    void (*lose_power)(void);
};

/* False: no chip of that name. */
bool rig_start(struct rig *rig, const char *chip, struct air_model *air);

#endif

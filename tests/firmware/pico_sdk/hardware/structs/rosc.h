/* What the port calls of the Pico SDK's <hardware/structs/rosc.h>, declared as the SDK declares it; it does nothing. */
#ifndef STUB_HARDWARE_STRUCTS_ROSC_H
#define STUB_HARDWARE_STRUCTS_ROSC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    volatile uint32_t randombit;
} rosc_hw_t;
#define rosc_hw ((rosc_hw_t *)0x40060000)

#endif

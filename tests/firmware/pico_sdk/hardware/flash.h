/* What the port calls of the Pico SDK's <hardware/flash.h>, declared as the SDK declares it; it does nothing. */
#ifndef STUB_HARDWARE_FLASH_H
#define STUB_HARDWARE_FLASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLASH_SECTOR_SIZE (1u << 12)

#endif

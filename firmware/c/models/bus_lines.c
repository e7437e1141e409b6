#include "bus_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 64 };

static size_t bytes_of(const char *text, uint8_t bytes[BYTES_MAX])
{
    size_t count = 0;
    for (unsigned byte; count < BYTES_MAX && sscanf(text + 2 * count, "%2x", &byte) == 1; count++) {
        bytes[count] = (uint8_t)byte;
    }
    return count;
}

static void answer(const struct chip_bus *bus, bool acknowledged, const uint8_t *bytes, size_t count)
{
    printf("%" PRIu32 " %s", bus_now(bus), !acknowledged ? "-" : count == 0 ? "+" : "");
    for (size_t i = 0; acknowledged && i < count; i++) {
        printf("%02x", bytes[i]);
    }
    printf("\n");
}

bool bus_line(const struct chip_bus *bus, const char *line)
{
    char what[12] = "", text[2 * BYTES_MAX + 1] = "";
    unsigned address = 0; /* of a clock its microseconds */
    uint8_t bytes[BYTES_MAX];
    int words = sscanf(line, "%11s %x %128s", what, &address, text);
    if (words == 3 && strcmp(what, "i2c-write") == 0) {
        size_t count = bytes_of(text, bytes);
        answer(bus, bus->i2c(bus->board, (uint8_t)address, bytes, count, NULL, 0), bytes, 0);
    } else if (words == 3 && strcmp(what, "i2c-read") == 0 && strtoul(text, NULL, 10) <= BYTES_MAX) {
        size_t count = strtoul(text, NULL, 10);
        answer(bus, bus->i2c(bus->board, (uint8_t)address, NULL, 0, bytes, count), bytes, count);
    } else if (words >= 1 && strcmp(what, "i2c-free") == 0) {
        if (bus->free_lines != NULL) {
            bus->free_lines(bus->board);
        }
        answer(bus, true, bytes, 0);
    } else if (words >= 1 && strcmp(what, "clock") == 0) {
        (void)sscanf(line, "%*s %u", &address);
        bus_wait(bus, address);
        answer(bus, true, bytes, 0);
    } else {
        return false;
    }
    return true;
}

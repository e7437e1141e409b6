/* A modelled bus for a driver in another language, by lines: a driver in MicroPython drives the chips' models so. */
#ifndef BUS_LINES_H
#define BUS_LINES_H

#include "../chips/chip_bus.h"

/* Carries a line out and answers with one, if it is one of these; false: it is none.

   i2c-write ADDRESS BYTES      hexadecimal, over I2C
   i2c-read ADDRESS COUNT
   i2c-free                     frees the lines, where the bus can
   clock [MICROSECONDS]         time passes, so much or none
   The answer: the clock in microseconds, then `-` where nobody has acknowledged, else the bytes that were read (none: `+`). */
bool bus_line(const struct chip_bus *bus, const char *line);

#endif

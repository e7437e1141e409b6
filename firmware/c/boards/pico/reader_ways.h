/* The ways from the reader's board to its antennas: `ways_switch.c` or `ways_tca9548a.c`, as the build says (`READER_WAYS`). */
#ifndef READER_WAYS_H
#define READER_WAYS_H

#include "../../chips/antennas.h"

/* Starts lines, bus and chips, and says of each zone, at most ANTENNAS_MAX, how to reach its antenna: bus, finder, multiplexer, channel. */
void reader_ways_start(struct antenna *list, uint8_t zones);

#endif

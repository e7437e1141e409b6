/* The antennas of a board on a desk: cards are laid and taken by lines on its pipe. */
#ifndef ANTENNAS_PTY_H
#define ANTENNAS_PTY_H

#include <stdbool.h>

/* Reads `zones` (lines: zone, face) and `cards` (lines: chip in hexadecimal, card) of the folder, if they are there. */
void antennas_start(int folder);
/* `lay ZONE CHIP [down|up]`, `take ZONE CHIP`, `blink ZONE CHIP` (one scan does not see it); false: another line. */
bool antennas_control(const char *line);

#endif

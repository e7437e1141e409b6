/* The antennas of a board on a desk: cards are laid and taken by lines on its pipe. */
#ifndef ANTENNAS_PTY_H
#define ANTENNAS_PTY_H

#include <stdbool.h>

/* Reads `zones` (lines: zone, face), `cards` (lines: chip in hexadecimal, card) and `laid` (lines: zone, chip; what lies there
   when the power comes) of the folder, if they are there. */
void antennas_desk_start(int folder);
/* `lay ZONE CHIP [down|up]`, `take ZONE CHIP`, `blink ZONE CHIP` (one scan does not see it), `flash ZONE CHIP` (one scan sees
   it), `dull ZONE CHIP EVERY` (it gets too little power: every so many scans see it; 0: none does), `bright ZONE CHIP`;
   false: another line. */
bool antennas_control(const char *line);
/* What has happened at the mouth of a shoe from parts, as `board_happened` says it; NULL: nothing. And its gate. */
const char *antennas_happened(void);
void antennas_gate(bool locked);

#endif

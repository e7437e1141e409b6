/* What an emulated processor without an operating system gives to the half of its board that is the PC's (`bare/board.c`). */
#ifndef BARE_H
#define BARE_H

#include <stdint.h>

/* The clock's tick and both wires. */
void bare_start(void);
/* A question to the PC that emulates. */
int bare_semihosting(int what, const uint32_t *with);
/* The next byte that the fingers' wire brought; -1: none. */
int bare_finger(void);
/* For ever: nothing goes on from here. */
_Noreturn void bare_stuck(void);

#endif

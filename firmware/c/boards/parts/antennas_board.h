/* A reader's antennas as board.h asks a board for its zones: what lay there at power-up, scans, margins, troubles. */
#ifndef ANTENNAS_BOARD_H
#define ANTENNAS_BOARD_H

#include "../../chips/antennas.h"

/* What the board gives. */
struct antennas_board {
    bool (*up)(uint8_t zone); /* whether cards of a zone lie face up */
    void (*meanwhile)(void);  /* what the start must not put off while it looks; NULL: nothing */
    void (*before)(void);     /* before a step after the start; NULL: nothing */
};

/* Scans until each zone has been read twice alike, or has had its chances. The antennas are started; both outlive the call. */
void antennas_board_start(struct antennas *antennas, const struct antennas_board *board);

#endif

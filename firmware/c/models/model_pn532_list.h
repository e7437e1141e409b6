/* The PN532's own list of targets (the manual's InListPassiveTarget): how its firmware finds one card by itself. */
#ifndef MODEL_PN532_LIST_H
#define MODEL_PN532_LIST_H

#include "model_pn532.h"

/* Finds one card of type A that is not silenced, and writes its entry of the list: its number, its two answers. How many bytes; 0: none
   was found in one try, because nobody answered or because what was heard was torn. */
size_t model_pn532_find(struct air_model *air, uint8_t *entry);
/* Says HLTA to the card that was found last. */
void model_pn532_halt(struct air_model *air);

#endif

/* A reader with all its zones, modelled: one chip behind an analogue switch, or a chip for each zone, selected or behind a TCA9548A. */
#ifndef TABLE_MODEL_H
#define TABLE_MODEL_H

#include "../chips/antennas.h"
#include "air_model.h"
#include "model_tca9548a.h"

/* Wirings: `mfrc522`, `pn5180-a`, `pn5180-15693`, `pn532-spi` behind a switch, `mfrc522-each` and
   `pn532-each`, a chip for each zone on SPI, at most 16 zones; `mfrc522-tca` and `pn532-tca`, at most 8. False: none of that name, or too
   many zones. */
bool table_model_start(struct antennas *antennas, const char *wiring, uint8_t zones);
struct air_model *table_model_air(uint8_t zone);
/* The chip of a zone, behind a switch of all zones, is not there any more, or is there again. */
void table_model_gone(uint8_t zone, bool gone);
/* The TCA9548A does not answer any more, or does again. */
void table_model_shut(bool shut);
struct model_tca9548a *table_model_tca(void);
/* The modelled clock, and time that passes without anything done. */
uint64_t table_model_clock(void);
void table_model_wait(uint64_t until);

#endif

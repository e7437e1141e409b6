/* The lines on the pipe of a reader on a desk whose antennas are modelled chips: `lay ZONE UID`, `take ZONE UID`, `dull ZONE UID EVERY`
   (it gets too little power: of so many fields one feeds it; 0: none does), `bright ZONE UID`, `gone ZONE`, `back ZONE` (the zone's
   chip), `dead ZONE`, `alive ZONE` (its antenna), `torn ZONE EACH` (of so many answers one is torn), `shut ZONE`, `open ZONE` (the
   TCA9548A of all zones), `hold ZONE`, `free ZONE` (the zone's chip holds the data line behind the TCA9548A). */
#include "../antennas_pty.h"
#include "../board.h"
#include "table_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t zone_named(const char *name)
{
    uint8_t zone = 0;
    while (zone < ZONES_MAX && board_zone(zone) != NULL && strcmp(board_zone(zone), name) != 0) {
        zone++;
    }
    return zone < ZONES_MAX && board_zone(zone) != NULL ? zone : ZONES_MAX;
}

static bool is_vicinity(const char *uid) { return strlen(uid) == 16; }

bool antennas_control(const char *line)
{
    char what[8], name[ZONE_NAME_MAX + 1], text[17] = "", each[8] = "";
    if (sscanf(line, "%7s %8s %16s %7s", what, name, text, each) < 2 || zone_named(name) == ZONES_MAX) {
        return false;
    }
    uint8_t zone = zone_named(name);
    struct air_model *air = table_model_air(zone);
    if (strcmp(what, "lay") == 0) {
        return air_lay(air, text, is_vicinity(text));
    }
    if (strcmp(what, "take") == 0) {
        return air_take(air, text);
    }
    if (strcmp(what, "dull") == 0 || strcmp(what, "bright") == 0) {
        return air_dull(air, text, what[0] == 'd', (unsigned)strtoul(each, NULL, 10));
    }
    if (strcmp(what, "gone") == 0 || strcmp(what, "back") == 0) {
        table_model_gone(zone, what[0] == 'g');
    } else if (strcmp(what, "dead") == 0 || strcmp(what, "alive") == 0) {
        air->antenna_dead = what[0] == 'd';
    } else if (strcmp(what, "shut") == 0 || strcmp(what, "open") == 0) {
        table_model_shut(what[0] == 's');
    } else if (strcmp(what, "hold") == 0 || strcmp(what, "free") == 0) {
        struct model_tca9548a *model = table_model_tca();
        model->held = (uint8_t)(what[0] == 'h' ? model->held | 1u << zone : model->held & ~(1u << zone));
    } else if (strcmp(what, "torn") == 0) {
        air->torn_each = (unsigned)strtoul(text, NULL, 10);
    } else {
        return false;
    }
    return true;
}

const char *antennas_happened(void) { return NULL; }

void antennas_gate(bool locked) { (void)locked; }

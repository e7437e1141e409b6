/* Drives a modelled reader whose chips stand behind a TCA9548A, zone by zone, by lines from standard input. `check_multiplexer WIRING ZONES`
   (`table_model.h`); the lines:

   lay ZONE UID | take ZONE UID     cards come and go
   round                            one line: how the scan of each zone ended, its cards
   hold ZONE CLOCKS                 the zone's chip holds the data line, until so many clocks have reached it; 0: until it is freed
   free ZONE                        it holds it no longer
   gone ZONE | back ZONE            the zone's chip
   set WHAT 0 or 1                  the multiplexer: gone, deaf, host-held; open: all its channels at once, as after a glitch
   and the lines of `bus_lines.h`, for a driver in another language */
#include "bus_lines.h"
#include "table_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const ENDS[] = {"goes-on", "whole", "unread", "no-antenna", "no-chip", "no-way"};
static struct antennas antennas;

static void say(uint8_t zone)
{
    printf("%s%s", zone > 0 ? " " : "", ENDS[antennas.records[zone].last]);
    for (uint8_t i = 0; i < antennas.scan.count; i++) {
        printf("%s", i > 0 ? "," : "=");
        for (uint8_t b = 0; b < antennas.scan.cards[i].length; b++) {
            printf("%02x", antennas.scan.cards[i].bytes[b]);
        }
    }
}

/* What has just changed is looked at again; the last scan of each zone is the one that is said. */
static void one_round(void)
{
    uint8_t zone, next = 0;
    while (next < antennas.count) {
        while (!antennas_step(&antennas, &zone)) {
        }
        if (antennas.now != zone || antennas.count == 1) {
            say(zone);
            next++;
        }
    }
    printf("\n");
}

static bool set(const char *what, bool on)
{
    struct model_tca9548a *model = table_model_tca();
    if (strcmp(what, "gone") == 0) {
        model->gone = on;
    } else if (strcmp(what, "deaf") == 0) {
        model->deaf = on;
    } else if (strcmp(what, "host-held") == 0) {
        model->host_held = on;
    } else if (strcmp(what, "open") == 0) {
        model->control = on ? 0xFF : 0;
    } else {
        return false;
    }
    return true;
}

static void hold(uint8_t zone, bool holds, uint8_t clocks)
{
    struct model_tca9548a *model = table_model_tca();
    unsigned bit = 1u << zone;
    model->held = (uint8_t)(holds ? model->held | bit : model->held & ~bit);
    model->clocks[zone] = clocks;
}

static bool obey(const char *line)
{
    char what[12], first[12] = "", second[24] = "";
    int words = sscanf(line, "%11s %11s %23s", what, first, second);
    uint8_t zone = (uint8_t)strtoul(first, NULL, 10);
    if (words == 1 && strcmp(what, "round") == 0) {
        one_round();
        return true;
    }
    if (words == 3 && strcmp(what, "set") == 0) {
        return set(first, second[0] == '1');
    }
    if (bus_line(antennas.list[0].bus, line)) {
        return true;
    }
    if (words < 2 || zone >= antennas.count) {
        return false;
    }
    if (strcmp(what, "lay") == 0) {
        return air_lay(table_model_air(zone), second, false);
    }
    if (strcmp(what, "take") == 0) {
        return air_take(table_model_air(zone), second);
    }
    if (strcmp(what, "hold") == 0 || strcmp(what, "free") == 0) {
        hold(zone, what[0] == 'h', (uint8_t)strtoul(second, NULL, 10));
    } else if (strcmp(what, "gone") == 0 || strcmp(what, "back") == 0) {
        table_model_gone(zone, what[0] == 'g');
    } else {
        return false;
    }
    return true;
}

int main(int count, char **arguments)
{
    char line[160];
    if (count != 3 || !table_model_start(&antennas, arguments[1], (uint8_t)strtoul(arguments[2], NULL, 10))) {
        fprintf(stderr, "check_multiplexer: two arguments, a wiring and its zones: see table_model.h\n");
        return 2;
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (!obey(line)) {
            fprintf(stderr, "check_multiplexer: not understood: %s", line);
            return 2;
        }
        fflush(stdout);
    }
    return 0;
}

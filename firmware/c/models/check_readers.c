/* Drives a modelled chip by lines from standard input, and says what its driver found. `check_readers CHIP`; the lines:

   lay UID | lay15 UID | take UID      cards come and go
   scan                                one line: how it ended, its microseconds, its longest step's, what was torn, the cards
   reference UID                       the card that is fixed under the felt
   set WHAT NUMBER                     a fault or a reading of the data sheet: see `knobs` of the chip and of the air
   lose                                the chip loses its power and gets it back
   and the lines of `bus_lines.h`, for a driver in another language */
#include "check_readers.h"

#include "../chips/zone_scan.h"
#include "bus_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct air_model air = {.chance = 7};
static struct rig rig;
static struct card_number reference;

static const char *const ENDS[] = {"goes on", "whole", "unread", "no-antenna", "no-chip"};

static void look(void)
{
    static struct zone_scan scan;
    uint32_t longest = 0, steps = 0;
    zone_scan_start(&scan, &rig.bus, &rig.finder, reference.length > 0 ? &reference : NULL);
    enum scan_is is;
    do {
        uint32_t from = bus_now(&rig.bus);
        is = zone_scan_step(&scan);
        uint32_t took = bus_now(&rig.bus) - from;
        longest = took > longest ? took : longest;
        steps++;
    } while (is == SCAN_GOES_ON);
    printf("%s us=%" PRIu32 " longest=%" PRIu32 " torn=%u strangers=%u exchanges=%u collisions=%u cards=", ENDS[is], scan.took, longest,
           scan.torn, scan.strangers, air.exchanges, air.collisions);
    air.exchanges = air.collisions = 0;
    for (uint8_t i = 0; i < scan.count; i++) {
        printf("%s", i > 0 ? "," : "");
        for (uint8_t b = 0; b < scan.cards[i].length; b++) {
            printf("%02x", scan.cards[i].bytes[b]);
        }
    }
    printf("\n");
    air.nanoseconds += (uint64_t)FIELD_FORGETS * 1000;
}

static bool set(const char *what, unsigned number)
{
    if (strcmp(what, "dead") == 0) {
        air.antenna_dead = number != 0;
    } else if (strcmp(what, "torn") == 0) {
        air.torn_each = number;
    } else if (strcmp(what, "lift") == 0) {
        air.lift_after = number;
    } else if (strcmp(what, "cut") == 0) {
        air.cut_after = number;
    } else if (strcmp(what, "halts") == 0) {
        air.silent_halts = number;
    } else if (strcmp(what, "seed") == 0) {
        air.chance = number;
    } else {
        return rig.set(what, number);
    }
    return true;
}

static bool obey(const char *line)
{
    char what[12], text[24] = "";
    unsigned number = 0;
    int words = sscanf(line, "%11s %23s %u", what, text, &number);
    if (words >= 1 && strcmp(what, "scan") == 0) {
        look();
    } else if (words >= 1 && strcmp(what, "lose") == 0) {
        rig.lose_power();
    } else if (words == 2 && strcmp(what, "lay") == 0) {
        return air_lay(&air, text, false);
    } else if (words == 2 && strcmp(what, "lay15") == 0) {
        return air_lay(&air, text, true);
    } else if (words == 2 && strcmp(what, "take") == 0) {
        return air_take(&air, text);
    } else if (words == 2 && strcmp(what, "reference") == 0) {
        reference.length = (uint8_t)(strlen(text) / 2);
        for (uint8_t i = 0; i < reference.length && i < NUMBER_MAX; i++) {
            char digits[3] = {text[2 * i], text[2 * i + 1], 0};
            reference.bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
        }
    } else if (words == 3 && strcmp(what, "set") == 0) {
        return set(text, number);
    } else {
        return bus_line(&rig.bus, line);
    }
    return true;
}

int main(int count, char **arguments)
{
    char line[160];
    if (count != 2 || !rig_start(&rig, arguments[1], &air)) {
        fprintf(stderr, "check_readers: one argument, the name of a chip: see rigs.c\n");
        return 2;
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (!obey(line)) {
            fprintf(stderr, "check_readers: not understood: %s", line);
            return 2;
        }
        fflush(stdout);
    }
    return 0;
}

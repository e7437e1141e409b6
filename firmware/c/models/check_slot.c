/* Drives the mouth of a shoe from parts by lines from standard input; its reader is the real driver of a modelled MFRC522.

   lay UID | take UID     over the slot's antenna
   scan                   the antenna is read once; what it found is handed to the slot
   start-scan, end-scan   the same in two, for what happens between
   beam 0|1               1: something stands in it
   clear 0|1, shuffled 0|1   the keys
   wait N                 milliseconds, looked at one by one
   set WHAT NUMBER        a fault of the chip: see `rigs.c`
   next                   what has happened, and the gate: `card UID`, `card -`, `shuffled`, `jam`, `double_feed`, `cleared`, `-` */
#include "../boards/parts/pins.h"
#include "../boards/parts/slot.h"
#include "../chips/zone_scan.h"
#include "check_readers.h"

#include <stdio.h>
#include <string.h>

static struct air_model air = {.chance = 7};
static struct rig rig;
static struct slot slot;
static struct zone_scan scan;
static uint32_t now, began;
static bool broken, clear_key, shuffled_key;

static const char *const WORDS[] = {"-", "card", "shuffled", "jam", "double_feed", "cleared"};

static void start_scan(void)
{
    began = now;
    zone_scan_start(&scan, &rig.bus, &rig.finder, NULL);
    while (zone_scan_step(&scan) == SCAN_GOES_ON) {
    }
    air.nanoseconds += (uint64_t)FIELD_FORGETS * 1000;
}

static void end_scan(void)
{
    for (uint8_t i = 0; scan.is == SCAN_WHOLE && i < scan.count; i++) {
        slot_read(&slot, &scan.cards[i], began);
    }
}

static void say_next(void)
{
    struct slot_told told = slot_next(&slot);
    printf("%s", WORDS[told.is]);
    if (told.is == SLOT_CARD) {
        printf(told.card.length > 0 ? " " : " -");
        for (uint8_t i = 0; i < told.card.length; i++) {
            printf("%02x", told.card.bytes[i]);
        }
    }
    printf(" %s %s\n", slot_holds(&slot) ? "held" : "free", slot_free(&slot) ? "clear" : "blocked");
}

static void pass(unsigned milliseconds)
{
    for (unsigned i = 0; i < milliseconds; i++) {
        slot_look(&slot, broken, clear_key, shuffled_key, ++now);
    }
}

static bool switch_to(const char *what, unsigned number)
{
    bool *level = strcmp(what, "beam") == 0       ? &broken
                  : strcmp(what, "clear") == 0    ? &clear_key
                  : strcmp(what, "shuffled") == 0 ? &shuffled_key
                                                  : NULL;
    if (level == NULL) {
        return false;
    }
    *level = number != 0;
    slot_look(&slot, broken, clear_key, shuffled_key, now);
    return true;
}

static bool obey(const char *line)
{
    char what[12], text[24] = "";
    unsigned number = 0;
    int words = sscanf(line, "%11s %23s %u", what, text, &number);
    if (words == 1 && strcmp(what, "scan") == 0) {
        start_scan();
        end_scan();
    } else if (words == 1 && strcmp(what, "start-scan") == 0) {
        start_scan();
    } else if (words == 1 && strcmp(what, "end-scan") == 0) {
        end_scan();
    } else if (words == 1 && strcmp(what, "next") == 0) {
        say_next();
    } else if (words == 2 && strcmp(what, "lay") == 0) {
        return air_lay(&air, text, false);
    } else if (words == 2 && strcmp(what, "take") == 0) {
        return air_take(&air, text);
    } else if (words == 3 && strcmp(what, "set") == 0) {
        return rig.set(text, number);
    } else {
        words = sscanf(line, "%11s %u", what, &number);
        if (words == 2 && strcmp(what, "wait") == 0) {
            pass(number);
            return true;
        }
        return words == 2 && switch_to(what, number);
    }
    return true;
}

int main(void)
{
    char line[80];
    if (!rig_start(&rig, "mfrc522", &air)) {
        return 2;
    }
    slot_start(&slot, false, now);
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (!obey(line)) {
            fprintf(stderr, "check_slot: not understood: %s", line);
            return 2;
        }
        fflush(stdout);
    }
    return 0;
}

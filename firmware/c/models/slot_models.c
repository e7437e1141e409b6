/* The mouth of a shoe on a desk: its beam and its keys are lines on the board's pipe, its reader the real driver of a modelled MFRC522.

   Lines: `lay - UID`, `take - UID` (over the slot's antenna), `beam 0|1` (1: something stands in it), `clear 0|1` and `shuffled 0|1`
   (the keys), `wait N` (milliseconds that pass at the mouth), `set WHAT NUMBER` (a fault of the chip: see `rigs.c`). What happens at the mouth goes to the shoe as a board of metal
   would say it, each card by its chip's number. */
#include "../antennas_pty.h"
#include "../board.h"
#include "../boards/parts/slot.h"
#include "../chips/zone_scan.h"
#include "check_readers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct air_model air = {.chance = 7};
static struct rig rig;
static struct slot slot;
static uint32_t looked;
static bool broken, clear_key, shuffled_key;

static const char *const WORDS[] = {NULL, NULL, "shuffled", "jam", "double_feed", "cleared"};

void antennas_desk_start(int folder)
{
    (void)folder;
    if (!rig_start(&rig, "mfrc522", &air)) {
        exit(2);
    }
    looked = board_milliseconds();
    slot_start(&slot, broken, looked);
}

/* The beam and the keys, for each millisecond that has passed since. */
static void look(void)
{
    for (uint32_t now = board_milliseconds(); (int32_t)(now - looked) > 0;) {
        slot_look(&slot, broken, clear_key, shuffled_key, ++looked);
    }
}

static void scan(void)
{
    static struct zone_scan scan;
    uint32_t began = looked;
    zone_scan_start(&scan, &rig.bus, &rig.finder, NULL);
    while (zone_scan_step(&scan) == SCAN_GOES_ON) {
    }
    air.nanoseconds += (uint64_t)FIELD_FORGETS * 1000;
    for (uint8_t i = 0; scan.is == SCAN_WHOLE && i < scan.count; i++) {
        slot_read(&slot, &scan.cards[i], began);
    }
}

bool antennas_control(const char *line)
{
    char what[12], text[24] = "";
    unsigned number = 0;
    look();
    if (sscanf(line, "lay - %23s", text) == 1) {
        bool laid = air_lay(&air, text, false);
        scan(); /* a card lies there for longer than a scan takes */
        return laid;
    }
    if (sscanf(line, "take - %23s", text) == 1) {
        return air_take(&air, text);
    }
    if (sscanf(line, "set %23s %u", text, &number) == 2) {
        return rig.set(text, number);
    }
    if (sscanf(line, "%11s %u", what, &number) != 2) {
        return false;
    }
    if (strcmp(what, "wait") == 0) {
        while (number-- > 0) {
            slot_look(&slot, broken, clear_key, shuffled_key, ++looked);
        }
        return true;
    }
    bool *level = strcmp(what, "beam") == 0       ? &broken
                  : strcmp(what, "clear") == 0    ? &clear_key
                  : strcmp(what, "shuffled") == 0 ? &shuffled_key
                                                  : NULL;
    if (level == NULL) {
        return false;
    }
    *level = number != 0;
    return true;
}

const char *antennas_happened(void)
{
    static char said[8 + 2 * NUMBER_MAX];
    look();
    scan();
    struct slot_told told = slot_next(&slot);
    if (told.is != SLOT_CARD) {
        return WORDS[told.is];
    }
    (void)snprintf(said, sizeof said, told.card.length > 0 ? "out #" : "out -");
    for (uint8_t i = 0; i < told.card.length; i++) {
        (void)snprintf(said + 5 + 2 * i, 3, "%02X", told.card.bytes[i]);
    }
    return said;
}

/* Nothing moves here: whether a fault holds the gate shows in the shoe's state. */
void antennas_gate(bool locked) { (void)locked; }

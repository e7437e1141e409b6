/* Who finds the numbers of the cards over one antenna, one card a step: what every chip and every air protocol offers. */
#ifndef FINDER_H
#define FINDER_H

#include <stdbool.h>
#include <stdint.h>

enum { NUMBER_MAX = 8 };

/* A card's number: its UID in the order in which it is written, zeros behind a shorter one. */
struct card_number {
    uint8_t bytes[NUMBER_MAX];
    uint8_t length;
};

enum found {
    FOUND_CARD,    /* one card's number, whole and checked; the card is silent from now on */
    FOUND_TORN,    /* somebody answered, and no number came of it: it may come with the next step */
    FOUND_NOTHING, /* a step without a card; there may be others */
    FOUND_ALL,     /* nobody answers any more */
    FOUND_RANDOM,  /* a number that its chip has thrown: a telephone, a bank card. It names nothing */
    FOUND_LONG,    /* a number of ten bytes, which no pack of cards has */
    FOUND_FAULT,   /* the chip itself is silent, or answers nonsense */
};

struct finder {
    void *self;
    /* Field on. False: the chip is silent, or answers nonsense. Cards need FIELD_SETTLES until they answer. */
    bool (*begin)(void *self);
    enum found (*next)(void *self, struct card_number *number);
    /* Field off: every card forgets that it was silenced. False: the chip had lost the field, or itself, before; what was not
       found may lie there all the same. */
    bool (*end)(void *self);
};

/* Microseconds: ISO/IEC 14443-3 gives a card 5 ms of unmodulated field before it must answer, and 5.1 ms without field
   until it must have forgotten its state; ISO/IEC 15693 1 ms and less. */
enum { FIELD_SETTLES = 5000, FIELD_FORGETS = 5100 };

#endif

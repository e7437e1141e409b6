/* What a reader on a desk finds in its folder: its zones and its cards. */
#ifndef LISTS_PTY_H
#define LISTS_PTY_H

#include "board.h"

#include <stdio.h>

/* Reads `zones` (lines: zone, face) and `cards` (lines: chip in hexadecimal, card), if they are there. With a file `numbers` the reader
   tells numbers, and no `cards` are needed. */
void lists_start(int folder);
/* Whether cards of the zone lie face up; and the zone of that name, ZONES_MAX: none. */
bool lists_up(uint8_t zone);
uint8_t lists_zone(const char *name);
struct chip lists_chip(const char *digits);

/* A file of the folder, NULL: there is none; and its next line of two words. */
FILE *lists_open(int folder, const char *name);
bool lists_pair(FILE *file, char first[17], char second[17]);
void lists_close(FILE *file);

#endif

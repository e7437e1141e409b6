/* The device's end of the wire (PROTOCOL.md): handshake, session, delivery, timing. It knows no pins and no cards. */
#ifndef WIRE_H
#define WIRE_H

#include "cbor.h"

/* The longest message that this device sends; the protocol would allow 2027. A role's state must fit. */
enum { MESSAGE_MAX = 1024 };

/* What a device is and does: one of these for each role. */
struct role {
    const char *name;
    const char *firmware;
    /* Power-up, once the board has started. */
    void (*start)(void);
    /* Write the full state, a map, as it is after the last event emitted. */
    void (*state)(struct cbor_out *out);
    /* Set something to a level; what is not known is ignored. */
    void (*post)(const char *name, size_t length, struct cbor_in args);
    /* Look at the sensors: emit what happened. */
    void (*poll)(void);
    /* What a technician should know now: a note, NULL: nothing; and one key of the status with its value. NULL: the role has
       neither. */
    const char *(*note)(void);
    void (*status)(struct cbor_out *out);
};

void wire_start(const struct role *role, const char *serial, const uint8_t key[32]);
/* Bytes came. */
void wire_received(const uint8_t *data, size_t length);
/* To be called often. */
void wire_tick(void);
/* What is to go out, and that so much of it has gone. */
const uint8_t *wire_out(size_t *length);
void wire_gone(size_t length);

/* An event's map is begun, written into what this gives, and emitted. False: there is no room, and it has not happened. */
struct cbor_out *wire_event(void);
bool wire_emit(void);

#endif

/* The messages (PROTOCOL.md, section 3): what the host may send, checked, and what says who this device is. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "cbor.h"

enum message_kind { HELLO = 1, WELCOME, EVENT, ACK, COMMAND, RESULT, POST, PING, PONG, STATUS, STATE_READ, STATE, CLOSE,
                    NEXT, REFUSAL };
enum reject_code { REJECT_NOT_AUTHENTIC = 1, REJECT_VERSION = 2, REJECT_NO_SESSION = 3 };
enum close_reason { CLOSE_BAD_FRAME = 2, CLOSE_MALFORMED = 3 };
enum { BOOT_ID_SIZE = 8, HELLO_MAX = 160, REJECT_MAX = 128 };

struct host_message {
    enum message_kind kind;
    uint32_t number;        /* window, id, number of a ping, reason */
    const uint8_t *boot_id; /* of the event named in a welcome or an acknowledgement; NULL: none, or that of the hello */
    uint32_t sequence;
    const char *name; /* of a command or a post; no zero behind it */
    size_t name_length;
    struct cbor_in map; /* its arguments */
};

/* A message from the host, in the version of the session; false: malformed. What it points at is in the bytes. */
bool message_read(uint8_t version, struct cbor_in bytes, struct host_message *message);

struct identity {
    const char *role;
    const char *serial;
    const char *firmware;
    uint8_t version_min, version_max;
    bool persistent;
    uint8_t commands; /* it takes at once */
};

/* What the hello of version 2 says besides: the last event acknowledged (`boot_id` NULL: none is remembered). */
struct hello_more {
    const uint8_t *boot_id;
    uint32_t sequence;
    uint32_t takes; /* bytes of the longest frame */
};

/* The payload of the handshake answer, and the body of a reject behind its echo: bytes written. */
size_t hello_write(const struct identity *me, const uint8_t boot_id[BOOT_ID_SIZE], const struct hello_more *more,
                   uint8_t data[HELLO_MAX]); /* `more` NULL: of version 1 */
size_t reject_write(const struct identity *me, enum reject_code code, uint8_t data[REJECT_MAX]);

#endif

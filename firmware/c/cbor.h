/* CBOR as the protocol allows it (PROTOCOL.md, section 3). Nothing is copied: texts are where they came. */
#ifndef CBOR_H
#define CBOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CBOR_DEPTH_MAX = 8 };

/* Writing: what does not fit sets `overflow`, and nothing more is written. */
struct cbor_out {
    uint8_t *data;
    size_t capacity;
    size_t length;
    bool overflow;
};

void cbor_put_uint(struct cbor_out *out, uint64_t value);
void cbor_put_bool(struct cbor_out *out, bool value);
void cbor_put_null(struct cbor_out *out);
void cbor_put_bytes(struct cbor_out *out, const uint8_t *data, size_t length);
void cbor_put_text(struct cbor_out *out, const char *text);
void cbor_put_text_n(struct cbor_out *out, const char *text, size_t length);
void cbor_put_array(struct cbor_out *out, size_t items);
void cbor_put_map(struct cbor_out *out, size_t pairs);

/* Reading: a cursor over bytes that `cbor_check` has found good. */
struct cbor_in {
    const uint8_t *at;
    const uint8_t *end;
};

/* Whether the bytes are one map with integer keys, as allowed, and nothing after it. */
bool cbor_check(struct cbor_in message);
/* The next of values that stand one behind the other, of a message of version 2: false where none is, or one not allowed. */
bool cbor_take(struct cbor_in *in, struct cbor_in *value);
/* The value of an integer key of the message, or of a text key of a map in it; false if it has none. */
bool cbor_find(struct cbor_in message, uint64_t key, struct cbor_in *value);
bool cbor_find_text(struct cbor_in map, const char *key, struct cbor_in *value);
/* The value itself; false if it is of another type. */
bool cbor_get_uint(struct cbor_in value, uint64_t *number);
bool cbor_get_bool(struct cbor_in value, bool *truth);
bool cbor_get_bytes(struct cbor_in value, const uint8_t **data, size_t *length);
bool cbor_get_text(struct cbor_in value, const char **text, size_t *length);
bool cbor_get_null(struct cbor_in value);
/* An array of exactly two: both. */
bool cbor_get_pair(struct cbor_in value, struct cbor_in *first, struct cbor_in *second);
/* Whether the value is an opaque map: text keys of 1 to 32 bytes, in it and in every map within. */
bool cbor_is_opaque(struct cbor_in value);

#endif

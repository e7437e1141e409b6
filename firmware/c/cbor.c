#include "cbor.h"

#include <string.h>

enum { UINT = 0, NEGATIVE = 1, BYTES = 2, TEXT = 3, ARRAY = 4, MAP = 5, TAG = 6, OTHER = 7 };
enum { KEY_MAX = 32 };

/* ---- writing */

static void put(struct cbor_out *out, const void *data, size_t length)
{
    if (out->overflow || length > out->capacity - out->length) {
        out->overflow = true;
        return;
    }
    memcpy(out->data + out->length, data, length);
    out->length += length;
}

static void put_head(struct cbor_out *out, unsigned major, uint64_t number)
{
    uint8_t head[9];
    size_t size = number < 24 ? 0 : number <= 0xFF ? 1 : number <= 0xFFFF ? 2 : number <= 0xFFFFFFFF ? 4 : 8;
    static const uint8_t info[9] = {[1] = 24, [2] = 25, [4] = 26, [8] = 27};
    head[0] = (uint8_t)(major << 5 | (size == 0 ? (unsigned)number : info[size]));
    for (size_t i = 0; i < size; i++) {
        head[1 + i] = (uint8_t)(number >> (8 * (size - 1 - i)));
    }
    put(out, head, 1 + size);
}

void cbor_put_uint(struct cbor_out *out, uint64_t value) { put_head(out, UINT, value); }

void cbor_put_bool(struct cbor_out *out, bool value) { put(out, value ? "\xF5" : "\xF4", 1); }

void cbor_put_null(struct cbor_out *out) { put(out, "\xF6", 1); }

void cbor_put_bytes(struct cbor_out *out, const uint8_t *data, size_t length)
{
    put_head(out, BYTES, length);
    put(out, data, length);
}

void cbor_put_text_n(struct cbor_out *out, const char *text, size_t length)
{
    put_head(out, TEXT, length);
    put(out, text, length);
}

void cbor_put_text(struct cbor_out *out, const char *text) { cbor_put_text_n(out, text, strlen(text)); }

void cbor_put_array(struct cbor_out *out, size_t items) { put_head(out, ARRAY, items); }

void cbor_put_map(struct cbor_out *out, size_t pairs) { put_head(out, MAP, pairs); }

/* ---- reading */

struct head {
    unsigned major;
    unsigned info;
    uint64_t number;
};

/* Takes a head; for texts and byte strings their bytes are sure to follow. */
static bool take_head(struct cbor_in *in, struct head *head)
{
    if (in->at == in->end) {
        return false;
    }
    head->major = *in->at >> 5;
    head->info = *in->at & 31;
    in->at++;
    head->number = head->info;
    if (head->info >= 24) {
        if (head->info > 27) {
            return false; /* indefinite, or reserved */
        }
        size_t size = (size_t)1 << (head->info - 24);
        if ((size_t)(in->end - in->at) < size) {
            return false;
        }
        head->number = 0;
        for (size_t i = 0; i < size; i++) {
            head->number = head->number << 8 | *in->at++;
        }
    }
    if ((head->major == BYTES || head->major == TEXT) && head->number > (uint64_t)(in->end - in->at)) {
        return false;
    }
    return true;
}

static bool is_utf8(const uint8_t *at, size_t length)
{
    const uint8_t *end = at + length;
    while (at < end) {
        uint8_t first = *at++;
        if (first < 0x80) {
            continue;
        }
        size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
        if (first < 0xC2 || first > 0xF4 || (size_t)(end - at) < more) {
            return false;
        }
        if ((first == 0xE0 && at[0] < 0xA0) || (first == 0xED && at[0] > 0x9F) || (first == 0xF0 && at[0] < 0x90) ||
            (first == 0xF4 && at[0] > 0x8F)) {
            return false;
        }
        for (; more > 0; more--) {
            if ((*at++ & 0xC0) != 0x80) {
                return false;
            }
        }
    }
    return true;
}

static bool is_allowed_simple(const struct head *head)
{
    switch (head->info) {
    case 20:
    case 21:
    case 22:
        return true;
    case 25:
        return (head->number >> 10 & 0x1F) != 0x1F;
    case 26:
        return (head->number >> 23 & 0xFF) != 0xFF;
    case 27:
        return (head->number >> 52 & 0x7FF) != 0x7FF;
    default:
        return false;
    }
}

static bool skip(struct cbor_in *in, unsigned depth);

/* A key: integer or text. Leaves the cursor behind it; `bytes` is where a text is. */
static bool take_key(struct cbor_in *in, struct head *key, const uint8_t **bytes)
{
    struct cbor_in begin = *in;
    if (!take_head(in, key) || (key->major != UINT && key->major != NEGATIVE && key->major != TEXT)) {
        return false;
    }
    *bytes = in->at;
    *in = begin;
    return skip(in, 1);
}

/* Whether one of the first `count` keys of the map whose pairs begin at `pairs` is this one. They were found good before. */
static bool key_came_before(struct cbor_in pairs, uint64_t count, const struct head *key, const uint8_t *bytes)
{
    for (; count > 0; count--) {
        struct head other;
        const uint8_t *other_bytes;
        if (!take_key(&pairs, &other, &other_bytes)) {
            return true;
        }
        if (other.major == key->major && other.number == key->number &&
            (key->major != TEXT || memcmp(bytes, other_bytes, (size_t)key->number) == 0)) {
            return true;
        }
        if (!skip(&pairs, 1)) {
            return true;
        }
    }
    return false;
}

static bool skip_map(struct cbor_in *in, uint64_t count, unsigned depth)
{
    struct cbor_in pairs = *in;
    for (uint64_t n = 0; n < count; n++) {
        struct head key;
        const uint8_t *bytes;
        if (!take_key(in, &key, &bytes) || key_came_before(pairs, n, &key, bytes) || !skip(in, depth + 1)) {
            return false;
        }
    }
    return true;
}

/* One value at this depth of containers: leaves the cursor behind it, or says that it is not allowed. */
static bool skip(struct cbor_in *in, unsigned depth)
{
    struct head head;
    if (!take_head(in, &head)) {
        return false;
    }
    switch (head.major) {
    case UINT:
    case NEGATIVE:
        return head.number <= INT64_MAX;
    case TEXT:
        if (!is_utf8(in->at, (size_t)head.number)) {
            return false;
        }
        in->at += head.number;
        return true;
    case BYTES:
        in->at += head.number;
        return true;
    case ARRAY:
        if (depth > CBOR_DEPTH_MAX) {
            return false;
        }
        for (uint64_t n = 0; n < head.number; n++) {
            if (!skip(in, depth + 1)) {
                return false;
            }
        }
        return true;
    case MAP:
        return depth <= CBOR_DEPTH_MAX && skip_map(in, head.number, depth);
    case OTHER:
        return is_allowed_simple(&head);
    default:
        return false; /* a tag */
    }
}

bool cbor_check(struct cbor_in message)
{
    struct cbor_in in = message;
    struct head head;
    if (!skip(&in, 1) || in.at != in.end || !take_head(&message, &head) || head.major != MAP) {
        return false;
    }
    for (uint64_t n = 0; n < head.number; n++) {
        struct head key;
        const uint8_t *bytes;
        if (!take_key(&message, &key, &bytes) || key.major == TEXT || !skip(&message, 1)) {
            return false;
        }
    }
    return true;
}

bool cbor_take(struct cbor_in *in, struct cbor_in *value)
{
    value->at = in->at;
    if (!skip(in, 2)) { /* as within the map of a message of version 1 */
        return false;
    }
    value->end = in->at;
    return true;
}

static bool find(struct cbor_in map, unsigned major, uint64_t number, const void *text, struct cbor_in *value)
{
    struct head head;
    if (!take_head(&map, &head) || head.major != MAP) {
        return false;
    }
    for (uint64_t n = 0; n < head.number; n++) {
        struct head key;
        const uint8_t *bytes;
        if (!take_key(&map, &key, &bytes)) {
            return false;
        }
        struct cbor_in begin = map;
        if (!skip(&map, 1)) {
            return false;
        }
        if (key.major == major && key.number == number &&
            (major != TEXT || memcmp(bytes, text, (size_t)number) == 0)) {
            *value = (struct cbor_in){begin.at, map.at};
            return true;
        }
    }
    return false;
}

bool cbor_find(struct cbor_in message, uint64_t key, struct cbor_in *value)
{
    return find(message, UINT, key, NULL, value);
}

bool cbor_find_text(struct cbor_in map, const char *key, struct cbor_in *value)
{
    return find(map, TEXT, strlen(key), key, value);
}

bool cbor_get_uint(struct cbor_in value, uint64_t *number)
{
    struct head head;
    if (!take_head(&value, &head) || head.major != UINT) {
        return false;
    }
    *number = head.number;
    return true;
}

bool cbor_get_bool(struct cbor_in value, bool *truth)
{
    struct head head;
    if (!take_head(&value, &head) || head.major != OTHER || (head.info != 20 && head.info != 21)) {
        return false;
    }
    *truth = head.info == 21;
    return true;
}

bool cbor_get_null(struct cbor_in value)
{
    struct head head;
    return take_head(&value, &head) && head.major == OTHER && head.info == 22;
}

bool cbor_get_bytes(struct cbor_in value, const uint8_t **data, size_t *length)
{
    struct head head;
    if (!take_head(&value, &head) || head.major != BYTES) {
        return false;
    }
    *data = value.at;
    *length = (size_t)head.number;
    return true;
}

bool cbor_get_text(struct cbor_in value, const char **text, size_t *length)
{
    struct head head;
    if (!take_head(&value, &head) || head.major != TEXT) {
        return false;
    }
    *text = (const char *)value.at;
    *length = (size_t)head.number;
    return true;
}

bool cbor_get_pair(struct cbor_in value, struct cbor_in *first, struct cbor_in *second)
{
    struct head head;
    if (!take_head(&value, &head) || head.major != ARRAY || head.number != 2) {
        return false;
    }
    first->at = value.at;
    if (!skip(&value, 1)) {
        return false;
    }
    first->end = second->at = value.at;
    second->end = value.end;
    return true;
}

/* Goes through a value, which is known to be good; false where a map in it has a key that is no short text. */
static bool text_keys(struct cbor_in *in)
{
    struct head head;
    if (!take_head(in, &head)) {
        return false;
    }
    if (head.major == BYTES || head.major == TEXT) {
        in->at += head.number;
    } else if (head.major == ARRAY) {
        for (uint64_t n = 0; n < head.number; n++) {
            if (!text_keys(in)) {
                return false;
            }
        }
    } else if (head.major == MAP) {
        for (uint64_t n = 0; n < head.number; n++) {
            struct head key;
            const uint8_t *bytes;
            if (!take_key(in, &key, &bytes) || key.major != TEXT || key.number == 0 || key.number > KEY_MAX ||
                !text_keys(in)) {
                return false;
            }
        }
    }
    return true;
}

bool cbor_is_opaque(struct cbor_in value)
{
    struct cbor_in in = value;
    struct head head;
    return text_keys(&in) && take_head(&value, &head) && head.major == MAP;
}

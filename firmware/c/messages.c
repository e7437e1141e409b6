#include "messages.h"

enum { WINDOW_MAX = 256, NAME_MAX = 32, TEXT_MAX = 128 };

/* ---- what came: each gives false for what is malformed */

static bool get_number(struct cbor_in m, uint64_t at, uint64_t low, uint64_t high, uint32_t *number)
{
    struct cbor_in value;
    uint64_t found;
    if (!cbor_find(m, at, &value) || !cbor_get_uint(value, &found) || found < low || found > high) {
        return false;
    }
    *number = (uint32_t)found;
    return true;
}

static bool get_name(struct cbor_in m, uint64_t at, struct host_message *message)
{
    struct cbor_in value;
    if (!cbor_find(m, at, &value) || !cbor_get_text(value, &message->name, &message->name_length) ||
        message->name_length < 1 || message->name_length > NAME_MAX) {
        return false;
    }
    for (size_t i = 0; i < message->name_length; i++) {
        if (message->name[i] < ' ' || message->name[i] > '~') {
            return false;
        }
    }
    return true;
}

static bool get_opaque(struct cbor_in m, uint64_t at, struct cbor_in *value)
{
    return cbor_find(m, at, value) && cbor_is_opaque(*value);
}

static bool get_event(struct cbor_in boot_id, struct cbor_in sequence, struct host_message *message)
{
    size_t length;
    uint64_t found;
    if (!cbor_get_bytes(boot_id, &message->boot_id, &length) || length != BOOT_ID_SIZE ||
        !cbor_get_uint(sequence, &found) || found < 1 || found > UINT32_MAX) {
        return false;
    }
    message->sequence = (uint32_t)found;
    return true;
}

static bool get_welcome(struct cbor_in m, struct host_message *message)
{
    struct cbor_in resume, boot_id, sequence;
    if (!get_number(m, 1, 1, WINDOW_MAX, &message->number) || !cbor_find(m, 2, &resume)) {
        return false;
    }
    return cbor_get_null(resume) ||
           (cbor_get_pair(resume, &boot_id, &sequence) && get_event(boot_id, sequence, message));
}

static bool get_text(struct cbor_in m, uint64_t at)
{
    struct cbor_in value;
    const char *text;
    size_t length;
    return cbor_find(m, at, &value) && cbor_get_text(value, &text, &length) && length <= TEXT_MAX;
}

bool message_read(struct cbor_in m, struct host_message *message)
{
    struct cbor_in first, second;
    uint32_t kind;
    *message = (struct host_message){0};
    if (!cbor_check(m) || !get_number(m, 0, HELLO, CLOSE, &kind)) {
        return false;
    }
    message->kind = (enum message_kind)kind;
    switch (message->kind) {
    case WELCOME:
        return get_welcome(m, message);
    case ACK:
        return cbor_find(m, 1, &first) && cbor_find(m, 2, &second) && get_event(first, second, message);
    case COMMAND:
        return get_number(m, 1, 1, UINT32_MAX, &message->number) && get_name(m, 2, message) &&
               get_opaque(m, 3, &message->map);
    case POST:
        return get_name(m, 1, message) && get_opaque(m, 2, &message->map);
    case PING:
        return get_number(m, 1, 0, UINT32_MAX, &message->number);
    case STATE_READ:
        return get_number(m, 1, 1, UINT32_MAX, &message->number);
    case CLOSE:
        return get_number(m, 1, 1, UINT32_MAX, &message->number) && get_text(m, 2);
    default:
        return false; /* what a device sends, a host does not */
    }
}

/* ---- who this is */

static void put_uint(struct cbor_out *m, uint64_t key, uint64_t value)
{
    cbor_put_uint(m, key);
    cbor_put_uint(m, value);
}

static void put_text(struct cbor_out *m, uint64_t key, const char *value)
{
    cbor_put_uint(m, key);
    cbor_put_text(m, value);
}

size_t hello_write(const struct identity *me, const uint8_t boot_id[BOOT_ID_SIZE], uint8_t data[HELLO_MAX])
{
    struct cbor_out m = {data, HELLO_MAX, 0, false};
    cbor_put_map(&m, 9);
    put_uint(&m, 0, HELLO);
    put_text(&m, 1, me->role);
    put_text(&m, 2, me->serial);
    put_text(&m, 3, me->firmware);
    put_uint(&m, 4, me->version_min);
    put_uint(&m, 5, me->version_max);
    cbor_put_uint(&m, 6);
    cbor_put_bytes(&m, boot_id, BOOT_ID_SIZE);
    cbor_put_uint(&m, 7);
    cbor_put_bool(&m, me->persistent);
    put_uint(&m, 8, me->commands);
    return m.length;
}

size_t reject_write(const struct identity *me, enum reject_code code, uint8_t data[REJECT_MAX])
{
    struct cbor_out m = {data, REJECT_MAX, 0, false};
    cbor_put_map(&m, 5);
    put_uint(&m, 1, code);
    put_text(&m, 2, me->role);
    put_text(&m, 3, me->serial);
    put_uint(&m, 4, me->version_min);
    put_uint(&m, 5, me->version_max);
    return m.length;
}

/* The device's end of Noise_NNpsk0_25519_ChaChaPoly_SHA256 (PROTOCOL.md, section 2). */
#ifndef NOISE_H
#define NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEY_SIZE = 32, TAG_SIZE = 16, REQUEST_SIZE = 48 };

struct handshake {
    uint8_t hash[32];
    uint8_t chaining_key[32];
    uint8_t key[32];
    uint8_t remote[32];
};

struct channel {
    uint8_t receiving[32];
    uint8_t sending[32];
    uint64_t received;
    uint64_t sent;
};

void handshake_begin(struct handshake *h, const uint8_t psk[KEY_SIZE], const char *role, uint8_t version);
/* Whether the host's first message is authentic. */
bool handshake_read(struct handshake *h, const uint8_t message[REQUEST_SIZE]);
/* The second message into `out` (length + 48 bytes). False: the host's key makes no secret. */
bool handshake_write(struct handshake *h, const uint8_t private_key[32], const uint8_t *payload, size_t length, uint8_t *out);
/* The keys of the session; the handshake is wiped but for its hash. */
void handshake_split(struct handshake *h, struct channel *channel);

/* In place: the message in a body of `length` bytes; its length, or -1: not authentic. */
long channel_open(struct channel *channel, uint8_t *body, size_t length);
/* In place: `message` has room for the tag; gives the length of the body. */
size_t channel_seal(struct channel *channel, uint8_t *message, size_t length);

#endif

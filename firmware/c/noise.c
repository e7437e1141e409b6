#include "noise.h"

#include <sodium.h>
#include <string.h>

static const char NAME[] = "Noise_NNpsk0_25519_ChaChaPoly_SHA256";

static void mix_hash(struct handshake *h, const uint8_t *data, size_t length)
{
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    crypto_hash_sha256_update(&state, h->hash, 32);
    crypto_hash_sha256_update(&state, data, length);
    crypto_hash_sha256_final(&state, h->hash);
}

static void hmac(const uint8_t key[32], const uint8_t *data, size_t length, uint8_t last, uint8_t out[32])
{
    crypto_auth_hmacsha256_state state;
    crypto_auth_hmacsha256_init(&state, key, 32);
    crypto_auth_hmacsha256_update(&state, data, length);
    if (last != 0) {
        crypto_auth_hmacsha256_update(&state, &last, 1);
    }
    crypto_auth_hmacsha256_final(&state, out);
}

/* HKDF of Noise: the first output over the chaining key, the second and third where asked for. */
static void hkdf(uint8_t chaining_key[32], const uint8_t *material, size_t length, uint8_t *second, uint8_t *third)
{
    uint8_t secret[32], made[32];
    hmac(chaining_key, material, length, 0, secret);
    hmac(secret, NULL, 0, 1, chaining_key);
    hmac(secret, chaining_key, 32, 2, made);
    memcpy(second, made, 32);
    if (third != NULL) {
        hmac(secret, made, 32, 3, third);
    }
    sodium_memzero(secret, sizeof secret);
    sodium_memzero(made, sizeof made);
}

static void mix_public(struct handshake *h, const uint8_t public_key[32])
{
    mix_hash(h, public_key, 32);
    hkdf(h->chaining_key, public_key, 32, h->key, NULL); /* as every pattern with a pre-shared key (Noise, 9.2) */
}

static void nonce_of(uint64_t number, uint8_t nonce[12])
{
    memset(nonce, 0, 4);
    for (int i = 0; i < 8; i++) {
        nonce[4 + i] = (uint8_t)(number >> (8 * i));
    }
}

void handshake_begin(struct handshake *h, const uint8_t psk[KEY_SIZE], const char *role, uint8_t version)
{
    uint8_t prologue[12 + 16], extra[32];
    size_t length = strlen(role);
    memcpy(prologue, "feltd-wire", 11); /* with its zero */
    prologue[11] = version;
    memcpy(prologue + 12, role, length);
    crypto_hash_sha256(h->hash, (const uint8_t *)NAME, strlen(NAME));
    memcpy(h->chaining_key, h->hash, 32);
    mix_hash(h, prologue, 12 + length);
    hkdf(h->chaining_key, psk, KEY_SIZE, extra, h->key);
    mix_hash(h, extra, 32);
    sodium_memzero(extra, sizeof extra);
}

bool handshake_read(struct handshake *h, const uint8_t message[REQUEST_SIZE])
{
    uint8_t nothing[1], nonce[12];
    memcpy(h->remote, message, 32);
    mix_public(h, h->remote);
    nonce_of(0, nonce);
    if (crypto_aead_chacha20poly1305_ietf_decrypt(nothing, NULL, NULL, message + 32, TAG_SIZE, h->hash, 32, nonce, h->key)) {
        return false;
    }
    mix_hash(h, message + 32, TAG_SIZE);
    return true;
}

bool handshake_write(struct handshake *h, const uint8_t private_key[32], const uint8_t *payload, size_t length, uint8_t *out)
{
    uint8_t shared[32], nonce[12];
    crypto_scalarmult_curve25519_base(out, private_key);
    mix_public(h, out);
    if (crypto_scalarmult_curve25519(shared, private_key, h->remote) != 0) {
        return false;
    }
    hkdf(h->chaining_key, shared, 32, h->key, NULL);
    sodium_memzero(shared, sizeof shared);
    nonce_of(0, nonce);
    crypto_aead_chacha20poly1305_ietf_encrypt(out + 32, NULL, payload, length, h->hash, 32, NULL, nonce, h->key);
    mix_hash(h, out + 32, length + TAG_SIZE);
    return true;
}

void handshake_split(struct handshake *h, struct channel *channel)
{
    memset(channel, 0, sizeof *channel);
    hkdf(h->chaining_key, NULL, 0, channel->sending, NULL);
    memcpy(channel->receiving, h->chaining_key, 32);
    sodium_memzero(h->chaining_key, 32);
    sodium_memzero(h->key, 32);
}

long channel_open(struct channel *channel, uint8_t *body, size_t length)
{
    uint8_t nonce[12];
    unsigned long long opened;
    nonce_of(channel->received, nonce);
    if (length < TAG_SIZE || crypto_aead_chacha20poly1305_ietf_decrypt(body, &opened, NULL, body, length, NULL, 0, nonce,
                                                                       channel->receiving)) {
        return -1;
    }
    channel->received++;
    return (long)opened;
}

size_t channel_seal(struct channel *channel, uint8_t *message, size_t length)
{
    uint8_t nonce[12];
    unsigned long long sealed;
    nonce_of(channel->sent++, nonce);
    crypto_aead_chacha20poly1305_ietf_encrypt(message, &sealed, message, length, NULL, 0, NULL, nonce, channel->sending);
    return (size_t)sealed;
}

/* Chance for keys. The SDK's own generator is not made for them: of an RP2350's source it switches the tests off. */
#include "../../board.h"

#include <pico/stdlib.h>

#include <sodium.h>
#include <string.h>

#if PICO_RP2350
#include <hardware/structs/trng.h>

/* The RP2350's source, with its balancer and all its tests. It gives 192 bits at a time; where a test fails they are thrown away, and it
   begins anew. One that never passes gives no key: the watchdog ends the device. */

enum { CYCLES_A_BIT = 1000, FILLINGS = 3, FAILED = TRNG_RNG_ISR_VN_ERR_BITS | TRNG_RNG_ISR_CRNGT_ERR_BITS | TRNG_RNG_ISR_AUTOCORR_ERR_BITS };

static void begin(void)
{
    trng_hw->trng_sw_reset = 1;
    do { /* while it resets it takes no word */
        trng_hw->sample_cnt1 = CYCLES_A_BIT;
    } while (trng_hw->sample_cnt1 != CYCLES_A_BIT);
    trng_hw->trng_debug_control = 0; /* no test is passed by */
    trng_hw->rng_icr = TRNG_RNG_ICR_BITS;
    trng_hw->rnd_source_enable = 1;
}

static void gather(uint8_t digest[crypto_hash_sha256_BYTES])
{
    uint32_t filling[FILLINGS][sizeof trng_hw->ehr_data / sizeof(uint32_t)];
    begin();
    for (unsigned filled = 0; filled < FILLINGS;) {
        uint32_t is = trng_hw->rng_isr;
        if ((is & FAILED) != 0) {
            filled = 0;
            begin();
        } else if ((is & TRNG_RNG_ISR_EHR_VALID_BITS) != 0) {
            for (unsigned word = 0; word < count_of(filling[0]); word++) {
                filling[filled][word] = trng_hw->ehr_data[word];
            }
            trng_hw->rng_icr = TRNG_RNG_ICR_EHR_VALID_BITS;
            filled++;
        }
    }
    trng_hw->rnd_source_enable = 0;
    (void)crypto_hash_sha256(digest, (const uint8_t *)filling, sizeof filling);
    sodium_memzero(filling, sizeof filling);
}

#else
#include <hardware/structs/rosc.h>

/* An RP2040 has its ring oscillator: a bit a look, biased and not free of the one before. A digest of 4096 of them has more than the 256
   that are needed where one in sixteen cannot be guessed: an estimate, to be measured on the board. */

enum { LOOKS = 4096, LOOK_EVERY = 2 }; /* microseconds apart */

static void gather(uint8_t digest[crypto_hash_sha256_BYTES])
{
    uint8_t looks[LOOKS / 8] = {0};
    for (unsigned i = 0; i < LOOKS; i++) {
        looks[i / 8] = (uint8_t)(looks[i / 8] << 1 | (rosc_hw->randombit & 1));
        busy_wait_us_32(LOOK_EVERY);
    }
    (void)crypto_hash_sha256(digest, looks, sizeof looks);
    sodium_memzero(looks, sizeof looks);
}
#endif

void board_random(uint8_t *data, size_t length)
{
    while (length > 0) {
        uint8_t digest[crypto_hash_sha256_BYTES];
        gather(digest);
        size_t part = length < sizeof digest ? length : sizeof digest;
        memcpy(data, digest, part);
        sodium_memzero(digest, sizeof digest);
        data += part;
        length -= part;
    }
}

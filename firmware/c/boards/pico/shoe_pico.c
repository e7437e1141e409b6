/* The shoe's board: one MFRC522 under its mouth, a beam across it, two keys, and a gate: a solenoid that locks without current, or a servo. */
#include "board_pico.h"

#include "../../chips/mfrc522.h"
#include "../../chips/zone_scan.h"
#include "../parts/pins.h"
#include "../parts/servo.h"
#include "../parts/slot.h"

#include <hardware/clocks.h>
#include <hardware/gpio.h>
#include <hardware/pwm.h>
#include <hardware/sync.h>
#include <pico/stdlib.h>

enum { LOOK_EVERY = 1 }; /* a millisecond: a card that is torn out breaks the beam for twelve */

static struct chip_bus bus;
static struct mfrc522 chip;
static struct iso14443a type_a;
static struct finder finder;
static struct zone_scan scan;
static struct slot slot;
static struct servo servo;
static repeating_timer_t looks;
static uint32_t began;
static bool wants_open;

static const char *const WORDS[] = {NULL, NULL, "shuffled", "jam", "double_feed", "cleared"};

/* In an interrupt: a scan's step takes longer than the beam may be left alone, and a handshake longer than a servo may be driven. */
static bool look(repeating_timer_t *timer)
{
    (void)timer;
    uint32_t now = board_milliseconds();
    slot_look(&slot, !pico_is_low(SHOE_BEAM), pico_is_low(SHOE_CLEAR_KEY), pico_is_low(SHOE_SHUFFLED_KEY), now);
    pwm_set_gpio_level(SHOE_SERVO, servo_pulse(&servo, now)); /* held at the end of a period: no pulse is cut short */
    return true;
}

/* A pulse is counted in microseconds. The line is low without one. */
static void start_servo(void)
{
    unsigned slice = pwm_gpio_to_slice_num(SHOE_SERVO);
    pwm_config config = pwm_get_default_config();
    pwm_config_set_clkdiv_int(&config, clock_get_hz(clk_sys) / 1000000);
    pwm_config_set_wrap(&config, SERVO_PERIOD - 1);
    pwm_init(slice, &config, false);
    pwm_set_gpio_level(SHOE_SERVO, 0);
    gpio_set_function(SHOE_SERVO, GPIO_FUNC_PWM);
    pwm_set_enabled(slice, true);
    struct servo_places places = {pico_settings()->servo_locked, pico_settings()->servo_open};
    servo_start(&servo, &places, board_milliseconds());
}

static void begin_scan(void)
{
    began = board_milliseconds();
    zone_scan_start(&scan, &bus, &finder, NULL);
}

void pico_role_start(void)
{
    pico_output(SHOE_GATE, false);
    pico_input(SHOE_BEAM);
    pico_input(SHOE_CLEAR_KEY);
    pico_input(SHOE_SHUFFLED_KEY);
    bus = pico_chip_bus(NULL);
    mfrc522_start(&chip, &bus, 0);
    iso14443a_start(&type_a, &chip.air, &finder);
    slot_start(&slot, !pico_is_low(SHOE_BEAM), board_milliseconds());
    start_servo();
    begin_scan();
    (void)add_repeating_timer_ms(-LOOK_EVERY, look, NULL, &looks);
}

/* The gate does not come down on a card; a fault holds it whatever the host says. */
static void move_gate(void)
{
    uint32_t interrupts = save_and_disable_interrupts();
    bool open = wants_open && !slot_holds(&slot), may_lock = slot_free(&slot);
    servo_to(&servo, open, may_lock, board_milliseconds());
    restore_interrupts(interrupts);
    if (open || may_lock) {
        gpio_put(SHOE_GATE, open);
    }
}

void pico_role_turn(void)
{
    static uint32_t ended;
    move_gate();
    if (scan.is != SCAN_GOES_ON) { /* cards need some time without a field, until they answer anew */
        if (time_us_32() - ended >= FIELD_FORGETS) {
            begin_scan();
        }
        return;
    }
    if (zone_scan_step(&scan) == SCAN_GOES_ON) {
        return;
    }
    ended = time_us_32();
    uint32_t interrupts = save_and_disable_interrupts();
    for (uint8_t i = 0; scan.is == SCAN_WHOLE && i < scan.count; i++) {
        slot_read(&slot, &scan.cards[i], began);
    }
    restore_interrupts(interrupts);
}

void board_gate(bool locked)
{
    wants_open = !locked;
    move_gate();
}

const char *board_happened(void)
{
    static const char DIGITS[] = "0123456789ABCDEF";
    static char said[6 + 2 * NUMBER_MAX];
    uint32_t interrupts = save_and_disable_interrupts();
    struct slot_told told = slot_next(&slot);
    restore_interrupts(interrupts);
    if (told.is != SLOT_CARD) {
        return WORDS[told.is];
    }
    char *end = said;
    for (const char *word = told.card.length > 0 ? "out #" : "out -"; *word != 0;) {
        *end++ = *word++;
    }
    for (uint8_t i = 0; i < told.card.length; i++) {
        *end++ = DIGITS[told.card.bytes[i] >> 4];
        *end++ = DIGITS[told.card.bytes[i] & 15];
    }
    *end = 0;
    return said;
}

/* What hangs on which line of a Raspberry Pi Pico, for the two boards of docs/build.md. The firmware takes its lines from here, and
   `python -m tests.parts_drawings` draws docs/pictures/parts-*.svg from the same rows: a line that is moved is moved in both.

   A row: name in C, GPIO, direction (IN, OUT), what hangs there. The words are for the drawing. */
#ifndef PARTS_PINS_H
#define PARTS_PINS_H

#include <stdint.h>

/* A reader: one MFRC522 (or a PN532 or PN5180 on the same lines) whose antenna goes through an analogue switch of sixteen ways. */
#define READER_PINS(PIN) \
    PIN(READER_WIRE_TX, 0, OUT, "to the host: RX of its serial adapter") \
    PIN(READER_WIRE_RX, 1, IN, "from the host: TX of its serial adapter") \
    PIN(READER_FRAM_SDA, 4, OUT, "FRAM MB85RC256V: SDA") \
    PIN(READER_FRAM_SCL, 5, OUT, "FRAM MB85RC256V: SCL") \
    PIN(READER_WAY_0, 10, OUT, "antenna switch: S0") \
    PIN(READER_WAY_1, 11, OUT, "antenna switch: S1") \
    PIN(READER_WAY_2, 12, OUT, "antenna switch: S2") \
    PIN(READER_WAY_3, 13, OUT, "antenna switch: S3") \
    PIN(READER_FAULT_LAMP, 14, OUT, "fault lamp, 1 kilohm") \
    PIN(READER_TEST_SWITCH, 15, IN, "maintenance switch, to ground") \
    PIN(READER_SPI_MISO, 16, IN, "MFRC522: MISO") \
    PIN(READER_SPI_SELECT, 17, OUT, "MFRC522: SDA (select)") \
    PIN(READER_SPI_SCK, 18, OUT, "MFRC522: SCK") \
    PIN(READER_SPI_MOSI, 19, OUT, "MFRC522: MOSI") \
    PIN(READER_CHIP_RESET, 20, OUT, "MFRC522: RST") \
    PIN(READER_CHIP_BUSY, 21, IN, "a PN5180 in its place: BUSY")

/* Where each antenna of a reader hangs, in the order in which the zones are given to `settings.py`: its way of the switch (C0 … C15 on a
   module), and the pin of a bare CD74HC4067. `docs/pictures/parts-antennas.svg` is drawn from these rows. A row: place of the zone from 0, way,
   pin. */
#define READER_ANTENNAS(ANTENNA) \
    ANTENNA(0, 0, 9) \
    ANTENNA(1, 1, 8) \
    ANTENNA(2, 2, 7) \
    ANTENNA(3, 3, 6) \
    ANTENNA(4, 4, 5) \
    ANTENNA(5, 5, 4) \
    ANTENNA(6, 6, 3) \
    ANTENNA(7, 7, 2) \
    ANTENNA(8, 8, 23) \
    ANTENNA(9, 9, 22) \
    ANTENNA(10, 10, 21) \
    ANTENNA(11, 11, 20) \
    ANTENNA(12, 12, 19) \
    ANTENNA(13, 13, 18) \
    ANTENNA(14, 14, 17) \
    ANTENNA(15, 15, 16)

/* A shoe: one MFRC522 under its mouth, a beam across it, a gate: a solenoid that locks without current, or a servo. */
#define SHOE_PINS(PIN) \
    PIN(SHOE_WIRE_TX, 0, OUT, "to the host: RX of its serial adapter") \
    PIN(SHOE_WIRE_RX, 1, IN, "from the host: TX of its serial adapter") \
    PIN(SHOE_FRAM_SDA, 4, OUT, "FRAM MB85RC256V: SDA") \
    PIN(SHOE_FRAM_SCL, 5, OUT, "FRAM MB85RC256V: SCL") \
    PIN(SHOE_BEAM, 6, IN, "beam at the mouth: low while it is seen") \
    PIN(SHOE_GATE, 7, OUT, "gate: MOSFET of the solenoid; high unlocks") \
    PIN(SHOE_CLEAR_KEY, 8, IN, "key: fault is mended, to ground") \
    PIN(SHOE_SHUFFLED_KEY, 9, IN, "key: a shuffled pack is in, to ground") \
    PIN(SHOE_FAULT_LAMP, 14, OUT, "fault lamp, 1 kilohm") \
    PIN(SHOE_TEST_SWITCH, 15, IN, "maintenance switch, to ground") \
    PIN(SHOE_SPI_MISO, 16, IN, "MFRC522: MISO") \
    PIN(SHOE_SPI_SELECT, 17, OUT, "MFRC522: SDA (select)") \
    PIN(SHOE_SPI_SCK, 18, OUT, "MFRC522: SCK") \
    PIN(SHOE_SPI_MOSI, 19, OUT, "MFRC522: MOSI") \
    PIN(SHOE_CHIP_RESET, 20, OUT, "MFRC522: RST") \
    PIN(SHOE_SERVO, 21, OUT, "or gate by a servo: its signal, 330 ohm")

#define PARTS_LINE(name, line, direction, words) name = (line),
enum reader_pin { READER_PINS(PARTS_LINE) };
enum shoe_pin { SHOE_PINS(PARTS_LINE) };
#undef PARTS_LINE

/* A line that stands twice would join two parts: the sum of the lines' bits is then not their union. */
#define PARTS_SUM(name, line, direction, words) + (UINT64_C(1) << (line))
#define PARTS_UNION(name, line, direction, words) | (UINT64_C(1) << (line))
_Static_assert((0 READER_PINS(PARTS_SUM)) == (0 READER_PINS(PARTS_UNION)), "a line of the reader's board stands twice");
_Static_assert((0 SHOE_PINS(PARTS_SUM)) == (0 SHOE_PINS(PARTS_UNION)), "a line of the shoe's board stands twice");
#undef PARTS_SUM
#undef PARTS_UNION

/* So would a way that stands twice; and the four lines of the switch are set by their place behind the first. */
#define PARTS_SUM(place, way, pin) + (UINT64_C(1) << (way))
#define PARTS_UNION(place, way, pin) | (UINT64_C(1) << (way))
_Static_assert((0 READER_ANTENNAS(PARTS_SUM)) == (0 READER_ANTENNAS(PARTS_UNION)), "a way of the reader's switch stands twice");
_Static_assert((0 READER_ANTENNAS(PARTS_UNION)) <= UINT16_MAX, "the reader's switch has no such way");
_Static_assert(READER_WAY_3 == READER_WAY_0 + 3 && READER_WAY_2 == READER_WAY_0 + 2 && READER_WAY_1 == READER_WAY_0 + 1,
               "the lines of the switch must follow one another");
#undef PARTS_SUM
#undef PARTS_UNION

#endif

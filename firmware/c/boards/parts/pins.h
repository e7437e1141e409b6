/* What hangs on which line of a Raspberry Pi Pico, for the two boards of docs/build.md. The firmware takes its lines from here, and
   `python -m tests.parts_drawings` draws docs/pictures/parts-*.svg from the same rows: a line that is moved is moved in both.

   A row: name in C, GPIO, direction (IN, OUT), what hangs there. The words are for the drawing. */
#ifndef PARTS_PINS_H
#define PARTS_PINS_H

#include <stdint.h>

/* A reader: a chip with its coil for each zone (MFRC522, or PN532) on one SPI. The select line goes to one of them at a time, through a switch
   of sixteen ways that carries logic alone. Or one chip (a PN5180 on the same lines), its carrier led to its antennas by a circuit that these
   four lines move. */
#define READER_PINS(PIN) \
    PIN(READER_WIRE_TX, 0, OUT, "to the host: RX of its serial adapter") \
    PIN(READER_WIRE_RX, 1, IN, "from the host: TX of its serial adapter") \
    PIN(READER_FRAM_SDA, 4, OUT, "FRAM MB85RC256V: SDA") \
    PIN(READER_FRAM_SCL, 5, OUT, "FRAM MB85RC256V: SCL") \
    PIN(READER_WAY_0, 10, OUT, "select switch: S0") \
    PIN(READER_WAY_1, 11, OUT, "select switch: S1") \
    PIN(READER_WAY_2, 12, OUT, "select switch: S2") \
    PIN(READER_WAY_3, 13, OUT, "select switch: S3") \
    PIN(READER_FAULT_LAMP, 14, OUT, "fault lamp, 1 kilohm") \
    PIN(READER_TEST_SWITCH, 15, IN, "maintenance switch, to ground") \
    PIN(READER_SPI_MISO, 16, IN, "each MFRC522: MISO") \
    PIN(READER_SPI_SELECT, 17, OUT, "select switch: SIG") \
    PIN(READER_SPI_SCK, 18, OUT, "each MFRC522: SCK") \
    PIN(READER_SPI_MOSI, 19, OUT, "each MFRC522: MOSI") \
    PIN(READER_CHIP_RESET, 20, OUT, "each MFRC522: RST") \
    PIN(READER_CHIP_BUSY, 21, IN, "one PN5180 in their place: BUSY")

/* Where the chip of each zone hangs, in the order in which the zones are given to `settings.py`: its way of the switch (C0 … C15 on a
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

/* A reader with a chip and a coil for each zone, on I2C behind a TCA9548A: MFRC522 or PN532, all at one address. */
#define TCA9548A_PINS(PIN) \
    PIN(TCA_WIRE_TX, 0, OUT, "to the host: RX of its serial adapter") \
    PIN(TCA_WIRE_RX, 1, IN, "from the host: TX of its serial adapter") \
    PIN(TCA_FRAM_SDA, 4, OUT, "FRAM MB85RC256V: SDA") \
    PIN(TCA_FRAM_SCL, 5, OUT, "FRAM MB85RC256V: SCL") \
    PIN(TCA_SDA, 6, OUT, "TCA9548A: SDA, 4.7 kilohm to 3.3 V") \
    PIN(TCA_SCL, 7, OUT, "TCA9548A: SCL, 4.7 kilohm to 3.3 V") \
    PIN(TCA_RESET, 8, OUT, "TCA9548A: RESET, 10 kilohm to 3.3 V") \
    PIN(TCA_FAULT_LAMP, 14, OUT, "fault lamp, 1 kilohm") \
    PIN(TCA_TEST_SWITCH, 15, IN, "maintenance switch, to ground")

/* Where the chip of each zone hangs behind it, in the order in which the zones are given to `settings.py`: its channel (SD0 and SC0 … SD7 and SC7
   on a module), and the two pins of a bare TCA9548A (PW). `docs/pictures/parts-channels.svg` is drawn from these rows. A row: place of the
   zone from 0, channel, pin of SD, pin of SC. */
#define TCA9548A_CHANNELS(CHANNEL) \
    CHANNEL(0, 0, 4, 5) \
    CHANNEL(1, 1, 6, 7) \
    CHANNEL(2, 2, 8, 9) \
    CHANNEL(3, 3, 10, 11) \
    CHANNEL(4, 4, 13, 14) \
    CHANNEL(5, 5, 15, 16) \
    CHANNEL(6, 6, 17, 18) \
    CHANNEL(7, 7, 19, 20)

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
enum tca9548a_pin { TCA9548A_PINS(PARTS_LINE) };
enum shoe_pin { SHOE_PINS(PARTS_LINE) };
#undef PARTS_LINE

/* A line that stands twice would join two parts: the sum of the lines' bits is then not their union. */
#define PARTS_SUM(name, line, direction, words) + (UINT64_C(1) << (line))
#define PARTS_UNION(name, line, direction, words) | (UINT64_C(1) << (line))
_Static_assert((0 READER_PINS(PARTS_SUM)) == (0 READER_PINS(PARTS_UNION)), "a line of the reader's board stands twice");
_Static_assert((0 TCA9548A_PINS(PARTS_SUM)) == (0 TCA9548A_PINS(PARTS_UNION)), "a line of the board with a TCA9548A stands twice");
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

/* And a channel, or a pin of the TCA9548A. */
#define PARTS_SUM(place, channel, data, clock) + (UINT64_C(1) << (channel))
#define PARTS_UNION(place, channel, data, clock) | (UINT64_C(1) << (channel))
#define PARTS_PINS_SUM(place, channel, data, clock) + (UINT64_C(1) << (data)) + (UINT64_C(1) << (clock))
#define PARTS_PINS_UNION(place, channel, data, clock) | (UINT64_C(1) << (data)) | (UINT64_C(1) << (clock))
_Static_assert((0 TCA9548A_CHANNELS(PARTS_SUM)) == (0 TCA9548A_CHANNELS(PARTS_UNION)), "a channel of the TCA9548A stands twice");
_Static_assert((0 TCA9548A_CHANNELS(PARTS_UNION)) <= UINT8_MAX, "a TCA9548A has no such channel");
_Static_assert((0 TCA9548A_CHANNELS(PARTS_PINS_SUM)) == (0 TCA9548A_CHANNELS(PARTS_PINS_UNION)), "a pin of the TCA9548A stands twice");
#undef PARTS_SUM
#undef PARTS_UNION
#undef PARTS_PINS_SUM
#undef PARTS_PINS_UNION

#endif

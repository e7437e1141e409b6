# The devices for a processor without an operating system. The Makefile of a board says, before it takes this in: CROSS, CODE (the
# processor), LINKING (the C library), NAME (its source NAME.c and its linker script NAME.ld), and BUILD. For `make readers`, which needs
# no libsodium: PLAYING (how a program is linked whose lines are the emulating PC's), PLAYERS (sources of its own that this wants).
CAPACITY ?= 1024
SODIUM ?= $(if $(filter readers clean,$(MAKECMDGOALS)),,$(error SODIUM must name the folder of libsodium's sources))

WARNINGS := -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
INCLUDE := -I.. -I../bare -I$(BUILD)/include -I$(BUILD)/include/sodium -I$(SODIUM)/src/libsodium/include -I$(SODIUM)/src/libsodium/include/sodium
OURS = $(CROSS)gcc $(CODE) -Os -ffunction-sections -fdata-sections $(WARNINGS) $(INCLUDE) -DOUTBOX_CAPACITY=$(CAPACITY) -c -o $@ $<

ROLES := keys shoe
COMMON := cbor messages frames noise outbox wire main
# What these boards have no pins for is compiled all the same: the reader, the drivers of its chips, the boards of parts.
PARTS := reader $(patsubst ../%.c,%,$(wildcard ../chips/*.c ../boards/parts/*.c))
HEADERS := $(wildcard ../*.h ../bare/*.h ../chips/*.h ../models/*.h ../boards/parts/*.h)
CHIPS := $(patsubst ../%.c,%,$(wildcard ../chips/*.c))
MODELS := $(addprefix models/,air_model air_vicinity model_mfrc522 model_pn532 model_pn532_list model_pn5180 model_tca9548a bus_lines)
CHECKS := check_readers check_multiplexer
LIBRARY := sodium/utils crypto_verify/sodium/verify crypto_aead/chacha20poly1305/sodium/aead_chacha20poly1305 \
    crypto_stream/chacha20/stream_chacha20 crypto_stream/chacha20/ref/chacha20_ref \
    crypto_onetimeauth/poly1305/onetimeauth_poly1305 crypto_onetimeauth/poly1305/donna/poly1305_donna \
    crypto_scalarmult/curve25519/scalarmult_curve25519 crypto_scalarmult/curve25519/ref10/x25519_ref10 \
    crypto_core/ed25519/ref10/ed25519_ref10 crypto_hash/sha256/hash_sha256 crypto_hash/sha256/cp/hash_sha256_cp \
    crypto_auth/hmacsha256/auth_hmacsha256
OBJECTS := $(COMMON:%=$(BUILD)/%.o) $(BUILD)/board.o $(BUILD)/$(NAME).o $(LIBRARY:%=$(BUILD)/sodium/%.o)

all: $(ROLES:%=$(BUILD)/%.elf) $(PARTS:%=$(BUILD)/%.o)
	$(CROSS)size $^

# The drivers of reader chips, the same objects that a device gets, on models of the chips: ../models/check_readers.c, and of a multiplexer
# before them: ../models/check_multiplexer.c.
readers: $(CHECKS:%=$(BUILD)/%.elf)
	$(CROSS)size $^

$(BUILD)/check_readers.elf: $(BUILD)/models/rigs.o
$(BUILD)/check_multiplexer.elf: $(BUILD)/models/table_model.o
$(CHECKS:%=$(BUILD)/%.elf): $(BUILD)/check_%.elf: $(BUILD)/models/check_%.o $(patsubst %,$(BUILD)/%.o,$(CHIPS) $(MODELS) $(PLAYERS)) $(wildcard readers.ld)
	$(CROSS)gcc $(CODE) -Wl,--gc-sections $(PLAYING) -o $@ $(filter %.o,$^)

# These want no libsodium: the rule with the shortest stem is taken.
$(BUILD)/chips/%.o: ../chips/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(OURS)

$(BUILD)/models/%.o: ../models/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(OURS) -DMODEL_ZONES=3

$(PLAYERS:%=$(BUILD)/%.o): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(OURS)

$(BUILD)/include/sodium/version.h: $(SODIUM)/builds/msvc/version.h
	@mkdir -p $(@D)
	cp $< $@

$(BUILD)/sodium/%.o: $(SODIUM)/src/libsodium/%.c $(BUILD)/include/sodium/version.h
	@mkdir -p $(@D)
	$(CROSS)gcc $(CODE) -Os -ffunction-sections -fdata-sections $(INCLUDE) -DCONFIGURED=1 -w -c -o $@ $<

$(BUILD)/%.o: ../%.c $(HEADERS) $(BUILD)/include/sodium/version.h
	@mkdir -p $(@D)
	$(OURS)

$(BUILD)/board.o: ../bare/board.c $(HEADERS) $(BUILD)/include/sodium/version.h
	$(OURS)

$(BUILD)/$(NAME).o: $(NAME).c $(HEADERS) $(BUILD)/include/sodium/version.h
	$(OURS)

$(BUILD)/%.elf: $(BUILD)/%.o $(OBJECTS) $(NAME).ld
	$(CROSS)gcc $(CODE) -nostartfiles -T $(NAME).ld -Wl,--gc-sections $(LINKING) -o $@ $(filter %.o,$^)

clean:
	rm -rf $(BUILD)

.PHONY: all readers clean
.SECONDARY:

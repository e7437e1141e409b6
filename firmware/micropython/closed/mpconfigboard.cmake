# make -C MICROPYTHON/ports/rp2 BOARD_DIR=$PWD BOARD=closed: see build.
set(PICO_BOARD "pico")
set(PICO_PLATFORM "rp2040")
set(MICROPY_FROZEN_MANIFEST ${MICROPY_BOARD_DIR}/manifest.py)
set(MICROPY_SOURCE_BOARD ${MICROPY_BOARD_DIR}/no_console.c)
add_compile_definitions(MP_CONFIGFILE="${MICROPY_BOARD_DIR}/closed.h")
# The import of files has a variable for what is left out here.
add_compile_options(-Wno-unused-variable)

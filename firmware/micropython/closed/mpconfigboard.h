// A Pico without a console: no USB at all, no console on a UART, no compiler. What runs is frozen in (manifest.py).
#define MICROPY_HW_BOARD_NAME "feltd device, closed"
#define MICROPY_HW_FLASH_STORAGE_BYTES (1408 * 1024)

// The console, mass storage and the boot loader by 1200 baud are all USB's: without a USB device there is none of them.
#define MICROPY_HW_ENABLE_USBDEV (0)
#define MICROPY_HW_ENABLE_USB_RUNTIME_DEVICE (0)
#define MICROPY_HW_USB_CDC (0)
#define MICROPY_HW_USB_MSC (0)
#define MICROPY_HW_ENABLE_UART_REPL (0)

// Nothing in the file system is ever run: there is neither source (ENABLE_COMPILER) nor bytecode (closed.h) that it takes.
#define MICROPY_ENABLE_COMPILER (0)
#define MICROPY_PY_BUILTINS_HELP (0)
#define MICROPY_PY_SYS_PS1_PS2 (0)
#define MICROPY_PY_OS_DUPTERM (0)
#define MICROPY_PY_THREAD (0)

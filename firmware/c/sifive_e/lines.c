/* Standard input and output of `check_readers` on an emulated RISC-V: those of the PC that emulates, by semihosting.

   picolibc's own ask for a character of the console, which QEMU 7.2 answers without waiting for one, and which has no end. */
#include <semihost.h>
#include <stdio.h>

static int opened(int *file, int mode)
{
    if (*file < 0) {
        *file = sys_semihost_open(":tt", mode);
    }
    return *file;
}

static int take(FILE *from)
{
    static int file = -1;
    unsigned char byte;
    (void)from;
    return sys_semihost_read(opened(&file, SH_OPEN_R), &byte, 1) == 0 ? byte : _FDEV_EOF;
}

static int put(char byte, int *file, int mode) { return sys_semihost_write(opened(file, mode), &byte, 1) == 0 ? 0 : _FDEV_ERR; }

static int tell(char byte, FILE *to)
{
    static int file = -1;
    (void)to;
    return put(byte, &file, SH_OPEN_W);
}

static int complain(char byte, FILE *to)
{
    static int file = -1;
    (void)to;
    return put(byte, &file, SH_OPEN_A);
}

static FILE input = FDEV_SETUP_STREAM(NULL, take, NULL, _FDEV_SETUP_READ);
static FILE output = FDEV_SETUP_STREAM(tell, NULL, NULL, _FDEV_SETUP_WRITE);
static FILE complaints = FDEV_SETUP_STREAM(complain, NULL, NULL, _FDEV_SETUP_WRITE);

FILE *const stdin = &input;
FILE *const stdout = &output;
FILE *const stderr = &complaints;

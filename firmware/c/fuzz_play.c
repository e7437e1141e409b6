/* Plays inputs that a fuzzer kept, with any compiler: `fuzz_play FILE ...`. It ends at the first that does not hold. */
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int count, char **files)
{
    static uint8_t data[1 << 16];
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(files[i], "rb");
        if (file == NULL) {
            fprintf(stderr, "%s cannot be read\n", files[i]);
            return 2;
        }
        size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        fprintf(stderr, "%s\n", files[i]);
        (void)LLVMFuzzerTestOneInput(data, size);
    }
    printf("%d inputs\n", count - 1);
    return 0;
}

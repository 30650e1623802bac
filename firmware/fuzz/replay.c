/* Runs a fuzz target on files, for compilers without libFuzzer: replay FILE... */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FILE_LIMIT_BYTES (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "replay FILE...: there is no input\n");
        return 2;
    }
    for (int n = 1; n < argc; n++) {
        FILE *file = fopen(argv[n], "rb");
        uint8_t *buffer = malloc(FILE_LIMIT_BYTES);
        if (file == NULL || buffer == NULL) {
            perror(argv[n]);
            return 2;
        }
        size_t count = fread(buffer, 1, FILE_LIMIT_BYTES, file);
        fclose(file);
        /* As large as the input, so that the sanitizer sees a byte read too far. */
        uint8_t *bytes = realloc(buffer, count + !count);
        LLVMFuzzerTestOneInput(bytes, count);
        free(bytes);
    }
    printf("%d inputs\n", argc - 1);
    return 0;
}

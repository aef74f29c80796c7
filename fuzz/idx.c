/* The IDX reader on arbitrary bytes. */
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(&sri_format_idx, data, size);
    return 0;
}

/* The NPZ reader on arbitrary bytes: it must refuse or read, never crash, leak or hang. */
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(&sri_format_npz, data, size);
    return 0;
}

/* The CSV reader on arbitrary bytes: it must refuse or read, never crash, leak or hang; what it has
 * read can be asked for. */
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(&sri_format_csv, data, size);
    return 0;
}

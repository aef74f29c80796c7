/* A file of arbitrary bytes in blocks of rows: it is refused with a text, or has the rows and cells
 * of the table that is read at once, also after going back to the first row.  The first byte gives
 * the format and the rows of a block. */
#include "use.h"

#include "data/blocks.h"

static int same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void compare(const specreg_table *all, int64_t first, const specreg_table *part)
{
    if (specreg_table_cols(all) != specreg_table_cols(part) ||
        first + specreg_table_rows(part) > specreg_table_rows(all))
        abort();
    for (int64_t i = 0; i < specreg_table_rows(part); i++)
        for (int64_t j = 0; j < specreg_table_cols(part) && j < 100; j++) {
            const double a = specreg_table_number(all, first + i, j);
            const double b = specreg_table_number(part, i, j);
            if ((a != b && (a == a || b == b)) ||
                !same_text(specreg_table_text(all, first + i, j), specreg_table_text(part, i, j)))
                abort();
        }
}

/* The number of rows, -1 where reading fails. */
static int64_t read_all(specreg_context *ctx, sri_blocks *b, int64_t rows, const specreg_table *all)
{
    for (int64_t next = 0;;) {
        specreg_table *part;
        int64_t first;
        const specreg_status st = sri_blocks_next(ctx, b, rows, &first, &part);
        if (st != SPECREG_OK) {
            fuzz_refused(ctx, st);
            return -1;
        }
        if (!part)
            return next;
        if (first != next || specreg_table_rows(part) < 1 || specreg_table_rows(part) > rows)
            abort();
        if (all)
            compare(all, first, part);
        next += specreg_table_rows(part);
        specreg_table_free(part);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    static const char *const format[] = {"csv", "libsvm", "npy", "auto"};
    specreg_context *ctx = fuzz_context();
    specreg_options *o = fuzz_options(ctx);
    specreg_table *all = NULL;
    sri_blocks *b = NULL;
    fuzz_file file = fuzz_file_new(data + 1, size - 1);
    const char *path = file.path;
    const int64_t rows = 1 + (data[0] >> 2) % 9;
    fuzz_set(ctx, o, "format", format[data[0] & 3]);
    if (specreg_table_read(ctx, path, o, &all) != SPECREG_OK)
        fuzz_refused(ctx, SPECREG_E_FORMAT);
    if (lseek(file.fd, 0, SEEK_SET) != 0)
        abort();
    if (sri_blocks_open(ctx, &path, 1, o, &b) == SPECREG_OK) {
        const int64_t count = read_all(ctx, b, rows, all);
        if (count >= 0 && all && count != specreg_table_rows(all))
            abort();
        if (count >= 0 &&
            (sri_blocks_rewind(ctx, b) != SPECREG_OK || read_all(ctx, b, rows + 2, all) != count))
            abort();
    } else {
        fuzz_refused(ctx, SPECREG_E_FORMAT);
    }
    sri_blocks_free(b);
    specreg_table_free(all);
    close(file.fd);
    specreg_options_free(o);
    specreg_context_free(ctx);
    return 0;
}

/* A model file of arbitrary content, with its checksum made right, is refused with a text or can be
 * used: it predicts what its public functions promise, saved and loaded again it predicts the same
 * bits, each form for other programs is written whole or refused, and its page is made.  It comes
 * from a block of exactly its size.  The mutator keeps the container in order (header length,
 * places of tensors), so that changes reach the parts behind it. */
#include <endian.h>
#include <math.h>
#include <xxhash.h>

#include "use.h"

enum { LENGTH = 8, DIGITS = 32, ROWS = 3, MOST = 4096 };

static char *find(char *text, size_t size, const char *key)
{
    return memmem(text, size, key, strlen(key));
}

static uint64_t header_size(const uint8_t *data, size_t size)
{
    uint64_t length = 0;
    if (size >= LENGTH)
        memcpy(&length, data, LENGTH);
    length = le64toh(length);
    return size >= LENGTH && length <= size - LENGTH ? length : 0;
}

/* Puts the checksum of the bytes where the file has it. */
static void mend_checksum(uint8_t *data, size_t size)
{
    char *header = (char *)data + LENGTH;
    char *at =
        size > LENGTH ? find(header, (size_t)header_size(data, size), "\"checksum\":\"") : NULL;
    XXH128_canonical_t canonical;
    if (!at || (size_t)((char *)data + size - at) < 12 + DIGITS)
        return;
    at += 12;
    memset(at, '0', DIGITS);
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(data, size));
    for (int i = 0; i < DIGITS / 2; i++) {
        at[2 * i] = "0123456789abcdef"[canonical.digest[i] >> 4];
        at[2 * i + 1] = "0123456789abcdef"[canonical.digest[i] & 15];
    }
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

#ifdef SPECREG_FUZZ
/* Changes the header or the numbers; a header that has grown or shrunk keeps its blanks to a
 * multiple of eight, and its length is written anew. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    const size_t header = (size_t)header_size(data, size), tail = size - LENGTH - header;
    if (header == 0 || most < size + LENGTH)
        return LLVMFuzzerMutate(data, size, most);
    if (seed % 3 == 0 && tail > 0) {
        LLVMFuzzerMutate(data + LENGTH + header, tail, tail);
    } else {
        uint8_t *numbers = malloc(tail + 1);
        if (!numbers)
            abort();
        memcpy(numbers, data + LENGTH + header, tail);
        size_t changed = LLVMFuzzerMutate(data + LENGTH, header, most - LENGTH - tail - LENGTH);
        while (changed % LENGTH)
            data[LENGTH + changed++] = ' ';
        const uint64_t length = htole64((uint64_t)changed);
        memcpy(data, &length, LENGTH);
        memcpy(data + LENGTH + changed, numbers, tail);
        free(numbers);
        size = LENGTH + changed + tail;
    }
    mend_checksum(data, size);
    return size;
}
#endif

static void ask(specreg_context *ctx, const specreg_model *m, const specreg_view *X, double *out)
{
    const int64_t T = specreg_model_outputs(m);
    double low[ROWS * 64], high[ROWS * 64];
    char *json = NULL;
    (void)specreg_model_class(m, 0);
    (void)specreg_model_vocabulary(m);
    if (specreg_predict_array(ctx, m, X, NULL, out, ROWS * T) != SPECREG_OK)
        fuzz_refused(ctx, SPECREG_E_FORMAT);
    if (specreg_model_record(ctx, m, &json) == SPECREG_OK)
        specreg_string_free(json);
    if (T > 64)
        return;
    (void)specreg_predict_proba_array(ctx, m, X, NULL, low, ROWS * 64);
    (void)specreg_predict_interval_array(ctx, m, X, 0.9, NULL, low, high, ROWS * 64);
    for (int64_t k = 0; k < specreg_model_parts(m) && k < 4; k++)
        (void)specreg_predict_part_array(ctx, m, X, k, NULL, low, ROWS * 64);
}

/* In every form for others it is written whole or refused with a text. */
static void export(specreg_context *ctx, const specreg_model *m)
{
    static const char *const format[] = {"onnx", "libsvm", "c"};
    static const char ending[] = {'o', 'l', 'c', 'h'}; /* C source is two files */
    char folder[] = "/dev/shm/specreg-fuzz-XXXXXX", path[sizeof folder + 4];
    if (!mkdtemp(folder))
        abort();
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s/m.%c", folder, ending[k]);
        const specreg_status st = specreg_model_export(ctx, m, format[k], path);
        if (st != SPECREG_OK)
            fuzz_refused(ctx, st);
        if ((st == SPECREG_OK) != (access(path, F_OK) == 0))
            abort();
    }
    for (int k = 0; k < 4; k++) {
        snprintf(path, sizeof path, "%s/m.%c", folder, ending[k]);
        unlink(path);
    }
    if (rmdir(folder) != 0)
        abort(); /* something else was left there */
}

/* Its page is made, whatever its record and its portrait hold. */
static void report(specreg_context *ctx, const specreg_model *m)
{
    const specreg_report_part part = {.struct_size = sizeof part, .title = "m.srm", .model = m};
    char *html;
    if (specreg_report_page(ctx, &part, 1, NULL, &html) != SPECREG_OK)
        fuzz_refused(ctx, SPECREG_E_FORMAT);
    specreg_string_free(html);
}

static void use(specreg_context *ctx, const specreg_model *m)
{
    const int64_t p = specreg_model_inputs(m), T = specreg_model_outputs(m);
    if (p < 0 || T < 1)
        abort();
    if (p > MOST || T > MOST)
        return;
    double *x = calloc((size_t)(ROWS * p + 1), sizeof *x),
           *out = calloc((size_t)(ROWS * T), sizeof *out);
    double *again = calloc((size_t)(ROWS * T), sizeof *again);
    if (!x || !out || !again)
        abort();
    for (int64_t i = 0; i < ROWS * p; i++)
        x[i] = 0.25 * (double)(i % 7) - 0.5;
    const specreg_view X = {x, ROWS, p, p};
    ask(ctx, m, &X, out);
    fuzz_file copy = fuzz_file_new((const uint8_t *)"", 0);
    specreg_model *back;
    if (specreg_model_save(ctx, m, copy.path) != SPECREG_OK)
        abort();
    if (specreg_model_load(ctx, copy.path, &back) != SPECREG_OK)
        abort(); /* what was saved can be loaded */
    ask(ctx, back, &X, again);
    for (int64_t i = 0; i < ROWS * T; i++)
        if (out[i] != again[i] && !(isnan(out[i]) && isnan(again[i])))
            abort();
    specreg_model_free(back);
    export(ctx, m);
    report(ctx, m);
    close(copy.fd);
    free(again);
    free(out);
    free(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    specreg_context *ctx = fuzz_context();
    specreg_model *m;
    uint8_t *bytes = malloc(size + !size);
    if (!bytes)
        abort();
    memcpy(bytes, data, size);
    mend_checksum(bytes, size);
    const specreg_status st = specreg_model_from_memory(ctx, bytes, size, &m);
    if (st == SPECREG_OK)
        use(ctx, m);
    else
        fuzz_refused(ctx, st);
    specreg_model_free(m);
    free(bytes);
    specreg_context_free(ctx);
    return 0;
}

/* A model file of LIBSVM of arbitrary content is refused with a line of text, or becomes a model
 * that predicts, and that predicts the same after it was saved and loaded. */
#include <math.h>

#include "use.h"

enum { ROWS = 3, MOST = 4096 };

static void predict(specreg_context *ctx, const specreg_model *m, const double *x, double *out)
{
    const int64_t p = specreg_model_inputs(m), T = specreg_model_outputs(m);
    const specreg_view X = {x, ROWS, p, p};
    char *json = NULL;
    if (specreg_predict_array(ctx, m, &X, NULL, out, ROWS * T) != SPECREG_OK)
        fuzz_refused(ctx, SPECREG_E_FORMAT);
    if (specreg_model_record(ctx, m, &json) != SPECREG_OK)
        abort();
    specreg_string_free(json);
}

static void use(specreg_context *ctx, const specreg_model *m)
{
    const int64_t p = specreg_model_inputs(m), T = specreg_model_outputs(m);
    if (p < 1 || T < 1)
        abort();
    if (p > MOST)
        return;
    double *x = calloc((size_t)(ROWS * p), sizeof *x), *out = calloc((size_t)(ROWS * T), sizeof *x);
    double *again = calloc((size_t)(ROWS * T), sizeof *again);
    void *bytes;
    size_t size;
    specreg_model *back;
    if (!x || !out || !again)
        abort();
    for (int64_t i = 0; i < ROWS * p; i++)
        x[i] = 0.25 * (double)(i % 7) - 0.5;
    predict(ctx, m, x, out);
    if (specreg_model_to_memory(ctx, m, &bytes, &size) != SPECREG_OK ||
        specreg_model_from_memory(ctx, bytes, size, &back) != SPECREG_OK)
        abort();
    predict(ctx, back, x, again);
    for (int64_t i = 0; i < ROWS * T; i++)
        if (out[i] != again[i] && !(isnan(out[i]) && isnan(again[i])))
            abort();
    specreg_model_free(back);
    specreg_bytes_free(bytes);
    free(again);
    free(out);
    free(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    specreg_context *ctx = fuzz_context();
    fuzz_file file = fuzz_file_new(data, size);
    specreg_model *m;
    const specreg_status st = specreg_model_import(ctx, file.path, 0, &m);
    if (st == SPECREG_OK)
        use(ctx, m);
    else if (fuzz_refused(ctx, st), m || strchr(specreg_last_error(ctx), '\n'))
        abort();
    specreg_model_free(m);
    close(file.fd);
    specreg_context_free(ctx);
    return 0;
}

/* A whole run on a table of arbitrary text: reading with options, describing, fitting, predicting
 * the same rows.  The first byte chooses the options. */
#include "use.h"

static void fit(specreg_context *ctx, const specreg_table *t, specreg_options *o)
{
    specreg_model *m = NULL;
    specreg_table *f = NULL;
    char *json = NULL;
    specreg_status st = specreg_table_record(ctx, t, o, &json);
    if (st == SPECREG_OK)
        specreg_string_free(json);
    if (specreg_table_rows(t) > 60 || specreg_table_cols(t) > 30)
        return;
    st = specreg_fit(ctx, t, o, &m);
    if (st == SPECREG_OK)
        st = specreg_predict(ctx, m, t, o, &f);
    if (st != SPECREG_OK)
        fuzz_refused(ctx, st);
    specreg_table_free(f);
    specreg_model_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    static const char *const kernel[] = {"rbf:sigma=1", "linear", "laplace:sigma=auto",
                                         "poly:degree=2"};
    static const char *const select[] = {"none", "gcv", "loo", "kfold:k=2"};
    static const char *const missing[] = {"error", "drop", "mean"};
    static const char *const delimiter[] = {"auto", ",", ";", "tab"};
    specreg_context *ctx = fuzz_context();
    specreg_options *o = fuzz_options(ctx);
    specreg_table *t = NULL;
    fuzz_file file = fuzz_file_new(data + 1, size - 1);
    fuzz_set(ctx, o, "format", "csv");
    fuzz_set(ctx, o, "kernel", kernel[data[0] & 3]);
    fuzz_set(ctx, o, "select", select[data[0] >> 2 & 3]);
    fuzz_set(ctx, o, "missing", missing[(data[0] >> 4 & 3) % 3]);
    fuzz_set(ctx, o, "delimiter", delimiter[data[0] >> 6 & 3]);
    fuzz_set(ctx, o, "param", (data[0] >> 2 & 3) ? "lambda={1e-6,1}" : "lambda=0.01");
    const specreg_status st = specreg_table_read(ctx, file.path, o, &t);
    if (st == SPECREG_OK)
        fit(ctx, t, o);
    else
        fuzz_refused(ctx, st);
    specreg_table_free(t);
    close(file.fd);
    specreg_options_free(o);
    specreg_context_free(ctx);
    return 0;
}

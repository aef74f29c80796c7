/* Files that options name: splits, couplings of outputs, unpenalised terms, codewords, rows to
 * choose by, rows without targets, centres.  The first byte says which option reads the rest; the
 * fit of a small table refuses it with a text or is made. */
#include "use.h"

static const struct {
    const char *option, *before; /* before the name of the file */
    int64_t targets;
} kinds[] = {{"select", "splits:", 1},       {"outputs", "graph:file=", 2},
             {"outputs", "matrix:file=", 2}, {"outputs", "clusters:file=", 2},
             {"outputs", "delays:file=", 2}, {"features-file", "", 1},
             {"coding", "code:file=", 1},    {"select", "file:", 1},
             {"unlabelled", "", 1},          {"approx", "rectangle:m=4,centers=file:", 1}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    specreg_context *ctx = fuzz_context();
    specreg_options *o = fuzz_options(ctx);
    const size_t which = data[0] % (sizeof kinds / sizeof *kinds);
    fuzz_file file = fuzz_file_new(data + 1, size - 1);
    char value[128];
    specreg_model *m = NULL;
    specreg_table *t = fuzz_table(ctx, kinds[which].targets);
    snprintf(value, sizeof value, "%s%s", kinds[which].before, file.path);
    fuzz_set(ctx, o, "kernel", "rbf:sigma=1");
    fuzz_set(ctx, o, "param", "lambda={0.1,1}");
    if (strcmp(kinds[which].option, "unlabelled") == 0)
        fuzz_set(ctx, o, "select", "kfold:k=2");
    else if (strcmp(kinds[which].option, "select") != 0)
        fuzz_set(ctx, o, "select", "gcv");
    if (strcmp(kinds[which].option, "coding") == 0)
        fuzz_set(ctx, o, "problem", "classification");
    if (specreg_options_set(ctx, o, kinds[which].option, value) == SPECREG_OK) {
        const specreg_status st = specreg_fit(ctx, t, o, &m);
        if (st != SPECREG_OK)
            fuzz_refused(ctx, st);
    }
    specreg_model_free(m);
    specreg_table_free(t);
    close(file.fd);
    specreg_options_free(o);
    specreg_context_free(ctx);
    return 0;
}

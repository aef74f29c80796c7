/* Tables with the options that say what their columns are: lines such as `drop 2-5` or
 * `dates dmy` up to an empty line, then a table that is learned from, then, after a form feed, one
 * to predict, which may have other categories, dates and gaps.  Without a second table the first
 * is predicted. */
#include "use.h"

static int is_taken(const char *name)
{
    static const char *const names[] = {"target",    "problem", "drop",       "columns",
                                        "id",        "weights", "group",      "missing",
                                        "unseen",    "dates",   "decimal",    "encoding",
                                        "delimiter", "header",  "categorical"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return 1;
    return 0;
}

/* Sets the options of the lines at the start; returns where the tables begin. */
static const char *set_options(specreg_context *ctx, specreg_options *o, char *text)
{
    while (*text && *text != '\n') {
        char *end = strchr(text, '\n'), *value = strchr(text, ' ');
        if (!end || !value || value > end)
            return "";
        *end = *value++ = '\0';
        if (is_taken(text) && specreg_options_set(ctx, o, text, value) != SPECREG_OK)
            fuzz_refused(ctx, SPECREG_E_ARG);
        text = end + 1;
    }
    return text + (*text == '\n');
}

static specreg_table *table_of(specreg_context *ctx, specreg_options *o, const char *text,
                               size_t size)
{
    specreg_table *t = NULL;
    char *json = NULL;
    fuzz_file file = fuzz_file_new((const uint8_t *)text, size);
    if (specreg_table_read(ctx, file.path, o, &t) != SPECREG_OK)
        fuzz_refused(ctx, SPECREG_E_FORMAT);
    else if (specreg_table_record(ctx, t, o, &json) != SPECREG_OK)
        fuzz_refused(ctx, SPECREG_E_FORMAT);
    close(file.fd);
    specreg_string_free(json);
    return t;
}

/* Every row that is predicted has a prediction of each output, or a refusal says why. */
static void learn(specreg_context *ctx, specreg_options *o, const specreg_table *train,
                  const specreg_table *test)
{
    specreg_model *m = NULL;
    specreg_table *f = NULL;
    char *json = NULL;
    if (specreg_table_rows(train) > 60 || specreg_table_cols(train) > 30)
        return;
    if (specreg_fit(ctx, train, o, &m) != SPECREG_OK) {
        fuzz_refused(ctx, SPECREG_E_FORMAT);
        return;
    }
    if (specreg_predict(ctx, m, test, o, &f) != SPECREG_OK)
        fuzz_refused(ctx, SPECREG_E_FORMAT);
    else if (specreg_table_rows(f) > specreg_table_rows(test) || specreg_table_cols(f) < 1)
        abort();
    if (specreg_evaluate(ctx, m, test, o, &json) != SPECREG_OK)
        fuzz_refused(ctx, SPECREG_E_FORMAT);
    specreg_string_free(json);
    specreg_table_free(f);
    specreg_model_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    specreg_context *ctx = fuzz_context();
    specreg_options *o = fuzz_options(ctx);
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    fuzz_set(ctx, o, "format", "csv");
    fuzz_set(ctx, o, "kernel", "rbf:sigma=1");
    fuzz_set(ctx, o, "select", "none");
    fuzz_set(ctx, o, "param", "lambda=0.01");
    const char *first = set_options(ctx, o, text), *end = text + size;
    const char *between = *first ? memchr(first, '\f', (size_t)(end - first)) : NULL;
    specreg_table *train =
        *first ? table_of(ctx, o, first, (size_t)((between ? between : end) - first)) : NULL;
    specreg_table *test =
        train && between ? table_of(ctx, o, between + 1, (size_t)(end - between - 1)) : NULL;
    if (train && (test || !between))
        learn(ctx, o, train, test ? test : train);
    specreg_table_free(test);
    specreg_table_free(train);
    free(text);
    specreg_options_free(o);
    specreg_context_free(ctx);
    return 0;
}

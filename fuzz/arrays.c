/* Arrays of a caller with arbitrary numbers: inputs as doubles, floats or sparse rows, with targets
 * or labels, weights and groups.  They are refused with a text or learned from; the model goes
 * through memory and predicts the same bits as before, and never writes beyond the capacity.
 * The first four bytes say which arrays there are, and how many rows and columns. */
#include <math.h>

#include "use.h"

enum { ROWS = 16, COLS = 8, MOST = ROWS * COLS };

/* What is left of the input: a number for each byte, most of them small. */
typedef struct source {
    const uint8_t *data;
    size_t size;
} source;

static int next(source *s)
{
    if (s->size == 0)
        return 0;
    s->size--;
    return *s->data++;
}

static double number(source *s)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 1e-308, 1e150, -0.0};
    const int byte = next(s);
    return byte >= 248 ? odd[byte - 248] : 0.25 * (byte - 124);
}

typedef struct arrays {
    double x[MOST], y[MOST], weight[ROWS];
    float xf[MOST];
    int64_t start[ROWS + 1], group[ROWS];
    int32_t index[MOST];
    const char *label[ROWS];
    specreg_view X, Y;
    specreg_float_view X_float;
    specreg_csr_view X_csr;
} arrays;

/* The places in `start` may go down or be negative, but not past the end of the arrays. */
static void fill(source *s, arrays *a, int64_t rows, int64_t cols)
{
    static const char *const words[] = {"a", "b", "", NULL, "\xff", "c c"};
    for (int64_t i = 0; i < rows * cols; i++) {
        a->x[i] = number(s);
        a->xf[i] = (float)fmin(fmax(a->x[i], -3e38), 3e38);
        a->index[i] = next(s) % 11 - 1;
    }
    for (int64_t i = 0; i < rows; i++) {
        a->start[i + 1] = a->start[i] + next(s) % 6 - (next(s) == 0);
        if (a->start[i + 1] > rows * cols)
            a->start[i + 1] = rows * cols;
        a->y[2 * i] = number(s);
        a->y[2 * i + 1] = number(s);
        a->weight[i] = fabs(number(s)) - (next(s) == 255);
        a->group[i] = next(s) % 5;
        a->label[i] = words[next(s) % 6];
    }
}

static void predict(specreg_context *ctx, const specreg_model *m, const specreg_data *d,
                    int64_t rows, double *out, int64_t capacity)
{
    const specreg_status st = specreg_predict_data(ctx, m, d, NULL, out, capacity);
    if (st == SPECREG_OK && capacity < rows * specreg_model_outputs(m))
        abort();
    if (st != SPECREG_OK)
        fuzz_refused(ctx, st);
}

static void through_memory(specreg_context *ctx, const specreg_model *m, const specreg_data *d,
                           int64_t rows)
{
    const int64_t count = rows * specreg_model_outputs(m);
    double *out = calloc((size_t)count + 1, sizeof *out), *again = calloc((size_t)count, 8);
    void *bytes;
    size_t size;
    specreg_model *back;
    int32_t classes[ROWS];
    if (!out || !again || specreg_model_to_memory(ctx, m, &bytes, &size) != SPECREG_OK ||
        specreg_model_from_memory(ctx, bytes, size, &back) != SPECREG_OK)
        abort();
    predict(ctx, m, d, rows, out, count);
    predict(ctx, back, d, rows, again, count);
    if (memcmp(out, again, (size_t)count * sizeof *out) != 0)
        abort();
    out[count] = 0.5;
    predict(ctx, m, d, rows, out, count - 1);
    if (out[count] != 0.5)
        abort();
    (void)specreg_predict_classes(ctx, m, d, NULL, classes, ROWS);
    specreg_model_free(back);
    specreg_bytes_free(bytes);
    free(again);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    source s = {data, size};
    const int kind = next(&s), has = next(&s);
    const int64_t rows = next(&s) % (ROWS + 1), cols = next(&s) % COLS + 1;
    arrays *a = calloc(1, sizeof *a);
    if (!a)
        abort();
    fill(&s, a, rows, cols);
    a->X = (specreg_view){a->x, rows, cols, cols};
    a->X_float = (specreg_float_view){a->xf, rows, cols, cols};
    a->X_csr = (specreg_csr_view){a->x, a->start, a->index, rows, cols};
    a->Y = (specreg_view){a->y, rows, 1 + (has >> 5 & 1), 2};
    const specreg_data d = {.struct_size = sizeof d,
                            .X = kind % 3 == 0 ? &a->X : NULL,
                            .X_float = kind % 3 == 1 ? &a->X_float : NULL,
                            .X_csr = kind % 3 == 2 ? &a->X_csr : NULL,
                            .Y = has & 1 ? &a->Y : NULL,
                            .labels = has & 2 ? a->label : NULL,
                            .weights = has & 4 ? a->weight : NULL,
                            .groups = has & 8 ? a->group : NULL};
    specreg_context *ctx = fuzz_context();
    specreg_options *o = fuzz_options(ctx);
    specreg_model *m = NULL;
    fuzz_set(ctx, o, "kernel", has & 16 ? "linear" : "rbf:sigma=1");
    fuzz_set(ctx, o, "param", "lambda={0.01,1}");
    fuzz_set(ctx, o, "select", kind & 4 ? "kfold:k=2" : "loo");
    const specreg_status st = specreg_fit_data(ctx, &d, o, &m);
    if (st == SPECREG_OK)
        through_memory(ctx, m, &d, rows);
    else
        fuzz_refused(ctx, st);
    specreg_model_free(m);
    specreg_options_free(o);
    specreg_context_free(ctx);
    free(a);
    return 0;
}

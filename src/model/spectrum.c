/* The spectrum of K/n (with outputs that share a matrix, of Gamma/n), the effective dimension
 * sum_j s_j / (s_j + lambda), and the share of |y|^2 along each eigenvector; with sample
 * weights, of W^(1/2) K W^(1/2) / sum w and W^(1/2) y. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "backend/cpu/blas.h"
#include "core/memory.h"
#include "model/features.h"
#include "model/record.h"

/* One kernel: the one given, or, of several candidates, the middle one. */
static specreg_status pick_kernel(specreg_context *ctx, sri_prepared *p, json_t **record,
                                  sri_kernel *kernel)
{
    specreg_status st = SPECREG_OK;
    SRI_TRY(sri_prepare_kernels(ctx, p));
    const int64_t count = sri_kernel_grid_count(&p->grid);
    *kernel = sri_kernel_grid_at(&p->grid, count / 2);
    if (count > 1)
        sri_record_note(record, "of %lld kernels number %lld is shown", (long long)count,
                        (long long)(count / 2 + 1));
done:
    return st;
}

static json_t *effective_dimension(const double *s, int64_t n)
{
    json_t *list = json_array();
    for (int e = 0; e <= 10; e++) {
        const double lambda = pow(10, -e) * s[n - 1];
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += s[j] / (s[j] + lambda);
        sri_json_add(&list, json_pack("{s:o, s:o}", "lambda", sri_json_number(lambda), "df",
                                      sri_json_number(sum)));
    }
    return list;
}

/* From ascending eigenvalues and eigenvectors in rows to descending lists. */
static void add_spectrum(json_t **record, const double *s, const double *VY, int64_t n, int64_t T,
                         const double *Y)
{
    json_t *values = json_array(), *shares = json_array();
    double total = 0, trace = 0;
    int64_t rank = 0;
    for (int64_t k = 0; k < n * T; k++)
        total += Y[k] * Y[k];
    for (int64_t j = n - 1; j >= 0; j--) {
        double along = 0;
        for (int64_t t = 0; t < T; t++)
            along += VY[j * T + t] * VY[j * T + t];
        sri_json_add(&values, sri_json_number(s[j]));
        sri_json_add(&shares, sri_json_number(along / total));
        trace += s[j];
        rank += s[j] > (double)n * DBL_EPSILON * s[n - 1];
    }
    sri_json_put(record, "n", json_integer(n));
    sri_json_put(record, "trace", sri_json_number(trace));
    sri_json_put(record, "rank", json_integer(rank));
    sri_json_put(record, "eigenvalues", values);
    sri_json_put(record, "target_share", shares);
    sri_json_put(record, "effective_dimension", effective_dimension(s, n));
}

typedef struct pair { /* an eigenvalue, and y along its vector */
    double s, along;
} pair;

static int rising(const void *a, const void *b)
{
    const double x = ((const pair *)a)->s, y = ((const pair *)b)->s;
    return (x > y) - (x < y);
}

/* Where every row has all outputs Gamma is K times A, entry by entry: its eigenvalues are a_t
 * s_j, and y lies along them as V'Y U does. */
static specreg_status add_coupled(specreg_context *ctx, json_t **record, const sri_coupling *c,
                                  const double *s, const double *VY, int64_t n, const double *Y)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = c->T;
    double *turned = NULL, *values = NULL, *along = NULL;
    pair *pairs = NULL;
    SRI_ALLOC(ctx, turned, n, T);
    SRI_ALLOC(ctx, values, n, T);
    SRI_ALLOC(ctx, along, n, T);
    SRI_ALLOC(ctx, pairs, n, T);
    sri_gemm(false, true, n, T, T, 1, VY, T, c->U, T, 0, turned, T);
    for (int64_t k = 0; k < n * T; k++)
        pairs[k] = (pair){c->a[k % T] * s[k / T], turned[k]};
    qsort(pairs, (size_t)(n * T), sizeof *pairs, rising);
    for (int64_t k = 0; k < n * T; k++) {
        values[k] = pairs[k].s;
        along[k] = pairs[k].along;
    }
    add_spectrum(record, values, along, n * T, 1, Y);
done:
    free(pairs);
    free(along);
    free(values);
    free(turned);
    return st;
}

static specreg_status check_memory(specreg_context *ctx, int64_t n, int64_t budget)
{
    char need[32], have[32];
    const double bytes = 24.0 * (double)n * (double)n;
    if (bytes <= (double)budget)
        return SPECREG_OK;
    return sri_fail(ctx, SPECREG_E_NOMEM,
                    "the decomposition of %lld rows needs %s of memory, the budget is %s",
                    (long long)n, sri_bytes_text(bytes, need),
                    sri_bytes_text((double)budget, have));
}

/* W^(1/2) Y */
static specreg_status weighted_target(specreg_context *ctx, const sri_task *task, double **out)
{
    specreg_status st = SPECREG_OK;
    SRI_ALLOC(ctx, *out, task->n, task->T);
    for (int64_t k = 0; k < task->n * task->T; k++)
        (*out)[k] = sqrt(sri_task_weight(task, k / task->T)) * task->Y[k];
done:
    return st;
}

specreg_status specreg_spectrum(specreg_context *ctx, const specreg_table *train,
                                const specreg_options *options, char **json)
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_prepared p = {0};
    sri_kernel kernel;
    sri_op *op = NULL;
    double *V = NULL, *s = NULL, *VY = NULL, *Y = NULL;
    int threads = 0;
    json_t *record = sri_record_new("spectrum");
    *json = NULL;
    SRI_TRY(sri_call_enter(ctx, options, &call));
    SRI_TRY(sri_prepare(ctx, &call, train, &p));
    const sri_task *task = &p.problem;
    const int64_t n = task->n, T = task->T; /* points: of fields one for each component */
    sri_search_threads(n, &threads);
    SRI_TRY(pick_kernel(ctx, &p, &record, &kernel));
    SRI_TRY(check_memory(ctx, n, task->memory));
    SRI_ALLOC(ctx, V, n, n);
    SRI_ALLOC(ctx, s, n, 1);
    SRI_ALLOC(ctx, VY, n, T);
    SRI_TRY(sri_stage(ctx, "spectrum", 1));
    SRI_TRY(weighted_target(ctx, task, &Y));
    SRI_TRY(sri_task_op(ctx, task, &kernel, &op));
    if (op->projection)
        SRI_TRY(sri_project(ctx, op->projection, T, Y));
    SRI_TRY(sri_op_fill(ctx, op, false, V));
    SRI_TRY(sri_eigen(ctx, n, V, s, true));
    for (int64_t j = 0; j < n; j++)
        s[j] /= op->mass;
    sri_gemm(false, false, n, T, n, 1, V, n, Y, T, 0, VY, T);
    sri_json_put(&record, "data", sri_dataset_json(&p.data));
    sri_features_describe(&p.data.features, &record);
    SRI_TRY(sri_corpus_record(ctx, &p.corpus, &record));
    sri_json_put(&record, "kernel", sri_kernel_json(&kernel));
    const sri_coupling *coupling = sri_task_coupling(task, &kernel);
    if (kernel.term[0].coupling)
        sri_json_put(&record, "outputs", sri_kernel_outputs_json(&kernel, false));
    if (coupling)
        SRI_TRY(add_coupled(ctx, &record, coupling, s, VY, n, Y));
    else
        add_spectrum(&record, s, VY, n, T, Y);
    sri_json_put(&record, "seconds",
                 json_pack("{s:f, s:f}", "read", train->read_seconds, "total",
                           sri_call_seconds(&call) + train->read_seconds));
    st = sri_record_text(ctx, json_incref(record), json);
done:
    json_decref(record);
    sri_op_free(op);
    free(Y);
    free(VY);
    free(s);
    free(V);
    if (threads)
        sri_threads_leave(threads);
    sri_prepared_free(&p);
    sri_call_leave(&call);
    return st;
}

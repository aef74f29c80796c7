/* Intervals that hold a target with a given probability, from residuals on unseen rows.
 *
 * Jackknife+ for Tikhonov: with C = (K + n lambda I)^{-1}, the model without row i differs by
 *     f^{-i}(x) = f(x) - (k_x' C)_i R_i,        R_i = alpha_i / C_ii = y_i - f^{-i}(x_i),
 * and the interval goes from a quantile of f^{-i}(x) - |R_i| to one of f^{-i}(x) + |R_i|.
 * With an unpenalised constant, u = C 1 and g = u / sum(u), the same holds for C - u g' in place of
 * C, and k_x' (C - u g') + g' in place of k_x' C.
 * With a local width (interval_local.c) R_i are divided by their size nearby.
 * Otherwise the held-out residuals that fit has kept stand in for R_i, and f(x) for f^{-i}(x); they
 * may be those of a sample of the rows. */
#include <math.h>
#include <stdlib.h>

#include "backend/blas.h"
#include "backend/factor.h"
#include "core/arena.h"
#include "model/predict.h"

enum { BLOCK = 256 }; /* rows at a time */

double sri_kth_smallest(double *v, int64_t n, int64_t k)
{
    int64_t low = 0, high = n - 1;
    k--;
    while (low < high) {
        const double pivot = v[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot)
                i++;
            while (pivot < v[j])
                j--;
            if (i <= j) {
                const double x = v[i];
                v[i++] = v[j];
                v[j--] = x;
            }
        }
        if (k > j && k < i) /* between the two parts all are the pivot */
            return v[k];
        if (k <= j)
            high = j;
        else
            low = i;
    }
    return v[k];
}

/* The upper end is the k-th smallest of n, k = ceil(level (n + 1)), the lower one the k-th largest.
 * A product that rounding puts just above a whole number is that number. */
int64_t sri_level_rank(double level, int64_t n)
{
    const double exact = level * (double)(n + 1);
    return (int64_t)ceil(exact - 1e-12 * exact);
}

typedef struct jackknife {
    const specreg_model *model;
    sri_kernel kernel;
    double lambda;
    int64_t used;       /* rows that train: those of a weight above 0       */
    double *C;          /* n x n: C, or C - u g'                            */
    double *g;          /* n; NULL: there is no constant                    */
    double *R;          /* n x T: residuals without the row                 */
    double *K, *D;      /* BLOCK x n: k_x', and k_x' C, or with g' added    */
    double *low, *high; /* used: f^{-i}(x) -+ |R_i|                         */
    sri_arena scratch;  /* these arrays                                     */
} jackknife;

/* Why the model cannot have jackknife+, in words, or NULL. */
static const char *refuses(const specreg_model *model, const sri_kernel *kernel, double lambda,
                           int64_t memory)
{
    const double n = (double)model->expansion.n;
    const sri_predefined *terms = &model->unpenalised.terms;
    if (model->uncertainty.approximate)
        return "it was fitted with fewer centres than rows";
    if (terms->n_terms && !(terms->n_terms == 1 && terms->term[0].ops->is_one && !terms->pivots))
        return "it has features that are not penalised, and not a constant alone";
    if (!(lambda > 0 && isfinite(lambda)))
        return "jackknife+ is for tikhonov";
    for (int t = 0; t < kernel->n_terms; t++)
        if (kernel->term[t].ops->indexed)
            return "the model does not hold a precomputed kernel matrix";
    if (!model->expansion.points)
        return "the model of a linear kernel does not hold its training rows";
    if (8 * n * (n + 2 * BLOCK + 4 * (double)model->T) > (double)memory)
        return "the kernel matrix does not fit the memory";
    return NULL;
}

static double weight_of(const specreg_model *model, int64_t i)
{
    return model->uncertainty.weight ? model->uncertainty.weight[i] : 1;
}

/* M = W^{1/2} K W^{1/2} + (sum w) lambda I, which is K + n lambda I without weights. */
static specreg_status fill_matrix(specreg_context *ctx, const jackknife *j, double *shift)
{
    const specreg_model *model = j->model;
    const int64_t n = model->expansion.n;
    *shift = 0;
    const sri_points *centres = model->expansion.points;
    SRI_CALL(sri_kernel_block(ctx, &j->kernel, &centres->rows, centres, j->C, n));
    for (int64_t i = 0; i < n; i++) {
        *shift += weight_of(model, i) * j->lambda;
        for (int64_t k = 0; k <= i && model->uncertainty.weight; k++)
            j->C[i * n + k] *=
                sqrt(model->uncertainty.weight[i]) * sqrt(model->uncertainty.weight[k]);
    }
    for (int64_t i = 0; i < n; i++)
        j->C[i * n + i] += *shift;
    return SPECREG_OK;
}

/* C = W^{1/2} M^{-1} W^{1/2}; *sound is false where rounding has eaten the regularization: a pivot
 * is at least the shift in exact numbers. */
static specreg_status fill_inverse(specreg_context *ctx, jackknife *j, bool *sound)
{
    specreg_status st = SPECREG_OK;
    const specreg_model *model = j->model;
    const int64_t n = model->expansion.n;
    double shift, *C = j->C;
    int64_t failed_at;
    SRI_TRY(fill_matrix(ctx, j, &shift));
    SRI_TRY(sri_cholesky(ctx, n, C, &failed_at));
    *sound = !failed_at;
    for (int64_t i = 0; i < n && *sound; i++)
        *sound = C[i * n + i] * C[i * n + i] > 0.5 * shift;
    if (!*sound)
        goto done;
    SRI_TRY(sri_cholesky_invert(ctx, n, C));
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k <= i; k++) {
            if (model->uncertainty.weight)
                C[i * n + k] *=
                    sqrt(model->uncertainty.weight[i]) * sqrt(model->uncertainty.weight[k]);
            C[k * n + i] = C[i * n + k];
        }
done:
    return st;
}

/* C - u g' in place of C. */
static specreg_status take_constant(specreg_context *ctx, jackknife *j)
{
    const int64_t n = j->model->expansion.n;
    double sum = 0, *C = j->C;
    if (!j->model->unpenalised.terms.n_terms)
        return SPECREG_OK;
    SRI_ARENA_NEW(ctx, &j->scratch, j->g, n, 1);
    for (int64_t i = 0; i < n; i++) {
        j->g[i] = 0;
        for (int64_t k = 0; k < n; k++)
            j->g[i] += C[i * n + k];
        sum += j->g[i];
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++)
            C[i * n + k] -= j->g[i] * j->g[k] / sum;
    for (int64_t i = 0; i < n; i++)
        j->g[i] /= sum;
    return SPECREG_OK;
}

static specreg_status jackknife_new(specreg_context *ctx, jackknife *j, bool *sound)
{
    const int64_t n = j->model->expansion.n, T = j->model->T;
    SRI_ARENA_NEW(ctx, &j->scratch, j->C, n, n);
    SRI_ARENA_NEW(ctx, &j->scratch, j->R, n, T);
    SRI_ARENA_NEW(ctx, &j->scratch, j->K, BLOCK, n);
    SRI_ARENA_NEW(ctx, &j->scratch, j->D, BLOCK, n);
    SRI_ARENA_NEW(ctx, &j->scratch, j->low, n, 1);
    SRI_ARENA_NEW(ctx, &j->scratch, j->high, n, 1);
    SRI_CALL(fill_inverse(ctx, j, sound));
    if (*sound)
        SRI_CALL(take_constant(ctx, j));
    for (int64_t i = 0; i < n && *sound; i++) {
        j->used += weight_of(j->model, i) > 0;
        for (int64_t t = 0; t < T; t++)
            j->R[i * T + t] = j->model->expansion.alpha[i * T + t] / j->C[i * n + i];
    }
    return SPECREG_OK;
}

/* The interval of entry `at` of the outputs, given d = k_x' C. */
static void one_interval(const jackknife *j, const double *d, int64_t at, int64_t rank,
                         const sri_intervals *wanted)
{
    const int64_t n = j->model->expansion.n, T = j->model->T, t = at % T;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        const double R = j->R[i * T + t], without = wanted->F[at] - d[i] * R;
        if (!(weight_of(j->model, i) > 0))
            continue;
        const bool known = isfinite(without) && isfinite(R); /* or the row says nothing */
        j->low[count] = known ? without - fabs(R) : -INFINITY;
        j->high[count++] = known ? without + fabs(R) : INFINITY;
    }
    const double a = sri_kth_smallest(j->low, count, count + 1 - rank);
    const double b = sri_kth_smallest(j->high, count, rank);
    wanted->lower[at] = fmin(a, b); /* below the level 1/2 they can pass each other */
    wanted->upper[at] = fmax(a, b);
}

static specreg_status jackknife_rows(specreg_context *ctx, const jackknife *j, int64_t rank,
                                     const sri_intervals *wanted)
{
    const int64_t n = j->model->expansion.n, T = j->model->T, m = wanted->X->n;
    SRI_CALL(sri_stage(ctx, "intervals", m));
    for (int64_t i0 = 0; i0 < m; i0 += BLOCK) {
        const int64_t rows = m - i0 < BLOCK ? m - i0 : BLOCK;
        const sri_rows_view part = {.first = i0, .n = rows, .x = *wanted->X};
        SRI_CALL(sri_kernel_block(ctx, &j->kernel, &part, j->model->expansion.points, j->K, n));
        for (int64_t k = 0; k < rows * n; k++)
            j->D[k] = j->g ? j->g[k % n] : 0;
        sri_gemm(false, false, rows, n, n, 1, j->K, n, j->C, n, 1, j->D, n);
        for (int64_t k = 0; k < rows * T; k++)
            one_interval(j, j->D + k / T * n, i0 * T + k, rank, wanted);
        SRI_CALL(sri_progress(ctx, i0 + rows));
    }
    return SPECREG_OK;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* f(x) -+ the rank-th smallest |held-out residual|. */
static specreg_status plain(specreg_context *ctx, const specreg_model *model,
                            const sri_intervals *wanted)
{
    specreg_status st = SPECREG_OK;
    const sri_uncertainty *u = &model->uncertainty;
    const double *R = u->sample ? u->sample : u->held_out;
    const int64_t T = model->T, n = u->sample ? u->sampled : model->expansion.n;
    double *size = NULL;
    SRI_ALLOC(ctx, size, n, 1);
    for (int64_t t = 0; t < T; t++) {
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++)
            if (isfinite(R[i * T + t]) && (u->sample || weight_of(model, i) > 0))
                size[count++] = fabs(R[i * T + t]);
        qsort(size, (size_t)count, sizeof *size, compare_doubles);
        const int64_t rank = sri_level_rank(wanted->level, count);
        const double half = rank <= count ? size[rank - 1] : INFINITY;
        for (int64_t k = t; k < wanted->X->n * T; k += T) {
            wanted->lower[k] = wanted->F[k] - half;
            wanted->upper[k] = wanted->F[k] + half;
        }
    }
done:
    sri_free(size);
    return st;
}

static void infinite(int64_t count, double *lower, double *upper)
{
    for (int64_t i = 0; i < count; i++) {
        lower[i] = -INFINITY;
        upper[i] = INFINITY;
    }
}

specreg_status sri_interval(specreg_context *ctx, const specreg_model *model,
                            const sri_intervals *wanted)
{
    specreg_status st = SPECREG_OK;
    bool sound;
    jackknife j = {.model = model};
    if (model->filter.filter.ops->one_system) /* the formula above is that of Tikhonov alone */
        j.lambda = model->filter.param;
    SRI_TRY(sri_kept_kernel_use(ctx, &model->kernel, &j.kernel));
    const char *why = refuses(model, &j.kernel, j.lambda, wanted->memory);
    if (!why) {
        SRI_TRY(jackknife_new(ctx, &j, &sound));
        why = sound ? NULL : "lambda is lost in the rounding of the kernel matrix";
    }
    if (!why && wanted->local) {
        st = sri_interval_local(ctx, model, &j.kernel, j.R, wanted);
        goto done;
    }
    if (!why) {
        const int64_t rank = sri_level_rank(wanted->level, j.used);
        sri_log(ctx, "intervals: jackknife+ over %lld rows", (long long)j.used);
        if (rank > j.used)
            infinite(wanted->X->n * model->T, wanted->lower, wanted->upper);
        else
            SRI_TRY(jackknife_rows(ctx, &j, rank, wanted));
        goto done;
    }
    SRI_REQUIRE(ctx, model->uncertainty.held_out || model->uncertainty.sample,
                SPECREG_E_UNAVAILABLE,
                "interval: %s, and the model has no held-out residuals: fit it again with --select "
                "loo or kfold",
                why);
    sri_log(ctx, "intervals: from the held-out residuals of the fit, as %s", why);
    st = wanted->local
             ? sri_interval_local(ctx, model, &j.kernel, model->uncertainty.held_out, wanted)
             : plain(ctx, model, wanted);
done:
    sri_arena_free(&j.scratch);
    return st;
}

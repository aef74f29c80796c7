/* Plain iteration with the rows sorted by fold, where the matrix is small, against the same
 * iteration without: a budget too small for a second matrix turns the sorting off. */
#include "kit/job.h"
#include "kit/kit.h"

#include <math.h>

#include "engine/folded.h"

typedef struct keep { /* all that the points of a path say */
    sri_sink base;
    int64_t size;  /* n T */
    double *value; /* count x (alpha, residual, fold_residual) */
} keep;

static specreg_status keep_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    keep *k = (keep *)self;
    const double *const part[] = {point->alpha, point->residual, point->fold_residual};
    for (int i = 0; i < 3; i++)
        memcpy(k->value + (3 * point->index + i) * k->size, part[i],
               (size_t)k->size * sizeof(double));
    return SPECREG_OK;
}

static double *gram(int64_t n)
{
    double *x = kit_normal(1, n, 2), *K = calloc((size_t)(n * n), sizeof *K);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const double a = x[2 * i] - x[2 * j], b = x[2 * i + 1] - x[2 * j + 1];
            K[i * n + j] = exp(-(a * a + b * b) / 2);
        }
    free(x);
    return K;
}

/* `empty`: no row is in the first fold. */
static int32_t *folds_of(int64_t n, int folds, bool empty)
{
    int32_t *fold = calloc((size_t)n, sizeof *fold);
    for (int64_t i = 0; i < n; i++)
        fold[i] = (int32_t)(empty ? 1 + i * 7 % (folds - 1) : i * 7 % folds);
    return fold;
}

static void check(specreg_context *ctx, const char *text, int64_t n, int64_t T, int folds,
                  bool empty)
{
    static const double steps[] = {1, 2, 3, 17, 40};
    enum { COUNT = 5 };
    double *K = gram(n), *Y = kit_normal(2, n, T);
    int32_t *fold = folds_of(n, folds, empty);
    sri_filter filter;
    sri_op *op = NULL;
    sri_report report = {0};
    CHECK_OK(ctx, sri_filter_parse(ctx, text, &filter));
    CHECK_OK(ctx, kit_op_matrix(ctx, K, n, &op));
    CHECK_OK(ctx, sri_filter_prepare(ctx, &filter, op));
    double *value[2];
    for (int sorted = 0; sorted < 2; sorted++) {
        sri_job job = kit_job(op, Y, T, &filter, steps, COUNT);
        job.request.memory = sorted ? INT64_C(1) << 30 : 1;
        kit_job_folds(&job, fold, folds, 1);
        keep k = {.base = {.put = keep_put}, .size = n * T};
        value[sorted] = k.value = calloc((size_t)(3 * COUNT * k.size), sizeof(double));
        CHECK_EQ(sri_folded_suits(&job), sorted);
        CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_iterate, &job, &k.base, &report));
        CHECK_EQ(report.steps, 40);
    }
    /* Rounding enters at each of t steps with its products of n terms, and grows by at most t. */
    CHECK_ARRAY_NEAR(value[1], value[0], 3 * COUNT * n * T, kit_tolerance(n, 40 * 40));
    free(value[1]);
    free(value[0]);
    sri_op_free(op);
    free(fold);
    free(Y);
    free(K);
}

TEST(folded, sorting_the_rows_changes_nothing)
{
    check(ctx, "landweber", 16, 1, 2, false);
    check(ctx, "landweber", 100, 1, 5, false);
    check(ctx, "nu", 101, 1, 5, false);
    check(ctx, "nu", 99, 2, 3, false);
    check(ctx, "nu:nu=5", 259, 3, 11, false);
    check(ctx, "nu", 64, 1, 4, true);
    check(ctx, "nesterov", 101, 2, 5, false);
    check(ctx, "nu", 400, 1, 5, false); /* several threads, where there are */
}

TEST(folded, is_left_alone_where_it_does_not_pay)
{
    enum { N = 40 };
    static const double few[] = {1, 5}, many[] = {1, 100};
    double *K = gram(N), *Y = kit_normal(2, N, 1);
    int32_t *fold = folds_of(N, 5, false), *tiny = folds_of(N, N, false);
    sri_op *op = NULL;
    CHECK_OK(ctx, kit_op_matrix(ctx, K, N, &op));
    sri_job job = kit_job(op, Y, 1, NULL, many, 2);
    kit_job_folds(&job, fold, 5, 1);
    CHECK(sri_folded_suits(&job));
    job.path.param = few;
    CHECK(!sri_folded_suits(&job)); /* packing takes longer */
    job.path.param = many;
    job.request.need = 0;
    CHECK(!sri_folded_suits(&job)); /* no folds */
    job.request.need = SRI_NEED_FOLDS;
    job.problem.folds.of_row = tiny;
    job.problem.folds.n = job.problem.op->n;
    job.problem.folds.per_repeat = N;
    CHECK(!sri_folded_suits(&job)); /* one row in a strip of eight */
    sri_op_free(op);
    free(tiny);
    free(fold);
    free(Y);
    free(K);
}

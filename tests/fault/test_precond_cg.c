/* Conjugate gradients with a preconditioner while allocations fail one after the other, and while
 * the user says stop at every opportunity: a status, no leak, no point after it. */
#include "engine/precond_cg.h"
#include "kit/fault.h"
#include "kit/job.h"
#include "kit/kit.h"

enum { N = 60, P = 2, FOLDS = 2, COUNT = 2 };
static const double LAMBDA[COUNT] = {1e-1, 1e-3};

static specreg_status ignore(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    (void)self;
    (void)point;
    return SPECREG_OK;
}

typedef struct problem {
    double *x, *Y;
    int32_t fold[N];
    sri_points *points;
    sri_op *op;
    sri_filter filter;
    sri_job job;
} problem;

/* With weights, a constant and folds, so that all of it runs. */
static void make(specreg_context *ctx, problem *q)
{
    static double weight[N], ones[N];
    static char constant[] = "constant", *name = constant;
    const sri_features features = {.P = ones, .l = 1, .name = &name};
    sri_kernel_grid grid;
    sri_projection *p;
    q->x = kit_normal(1, N, P);
    q->Y = kit_normal(2, N, 1);
    for (int i = 0; i < N; i++) {
        weight[i] = 1 + i % 2;
        ones[i] = 1;
        q->fold[i] = i % FOLDS;
    }
    CHECK_OK(ctx, sri_points_new(ctx, q->x, N, P, false, &q->points));
    CHECK_OK(ctx, sri_points_pack(ctx, q->points)); /* which a product does, and keeps */
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, "rbf:sigma=1", &grid));
    const sri_kernel kernel = sri_kernel_grid_at(&grid, 0);
    sri_kernel_grid_free(&grid);
    CHECK_OK(ctx, sri_op_kernel_weighted(ctx, &kernel, q->points, weight, &q->op));
    CHECK_OK(ctx, sri_projection_new(ctx, &features, N, weight, &p));
    CHECK_OK(ctx, sri_op_projected(ctx, q->op, p, &q->op));
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &q->filter));
    q->job = kit_job(q->op, q->Y, 1, &q->filter, LAMBDA, COUNT);
    kit_job_folds(&q->job, q->fold, FOLDS, 1);
}

static void drop(problem *q)
{
    sri_op_free(q->op);
    sri_points_free(q->points);
    free(q->Y);
    free(q->x);
}

TEST(fault, conjugate_gradients_survive_every_failing_allocation)
{
    problem q;
    int64_t k = 0;
    make(ctx, &q);
    for (bool failed = true; failed; k++) {
        sri_sink sink = {.put = ignore};
        sri_report report = {0};
        kit_fail_allocation(k);
        const specreg_status st = sri_precond_cg(ctx, &q.job, &sink, &report);
        failed = kit_disarm();
        CHECK_EQ(st, failed ? SPECREG_E_NOMEM : SPECREG_OK);
        CHECK_EQ(kit_live_allocations(), 0);
    }
    CHECK(k > 50);
    drop(&q);
}

typedef struct countdown {
    int left;
} countdown;

static int stop_later(const specreg_progress *p, void *payload)
{
    (void)p;
    return ((countdown *)payload)->left-- == 0;
}

TEST(fault, conjugate_gradients_stop_at_every_opportunity)
{
    problem q;
    make(ctx, &q);
    for (int k = 0;; k++) {
        countdown c = {k};
        sri_sink sink = {.put = ignore};
        sri_report report = {0};
        specreg_set_progress(ctx, stop_later, &c);
        const specreg_status st = sri_precond_cg(ctx, &q.job, &sink, &report);
        specreg_set_progress(ctx, NULL, NULL);
        if (c.left >= 0) {
            CHECK_EQ(st, SPECREG_OK);
            CHECK(k > 10);
            break;
        }
        CHECK_EQ(st, SPECREG_E_CANCELLED);
    }
    drop(&q);
}

/* The driver, with engines that compute nothing, and costs of shapes. */
#include "engine/run.h"
#include "kit/job.h"
#include "kit/kit.h"

enum { N = 3, POINTS = 7 };

typedef struct seen {
    sri_sink base;
    int count;
    int64_t index[POINTS], n_centres;
    double param[POINTS], alpha[POINTS];
} seen;

static specreg_status note(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    seen *s = (seen *)self;
    CHECK(s->count < POINTS && point->to_fallback == 0);
    s->index[s->count] = point->index;
    s->param[s->count] = point->param;
    s->alpha[s->count++] = point->alpha[0];
    s->n_centres = point->n_centres;
    return SPECREG_OK;
}

/* Puts a point whose first coefficient tells who did it. */
static specreg_status put_one(specreg_context *ctx, const sri_job *job, int64_t i, double who,
                              sri_sink *sink)
{
    const double alpha[N] = {who}, residual[N] = {0};
    return sink->put(ctx, sink,
                     &(sri_path_point){.index = i,
                                       .param = job->path.param[i],
                                       .alpha = alpha,
                                       .residual = residual});
}

static int last_runs;

/* Does all it is asked for. */
static specreg_status run_last(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                               sri_report *report)
{
    specreg_status st = SPECREG_OK;
    (void)report;
    last_runs++;
    for (int64_t i = 0; i < job->path.count && st == SPECREG_OK; i++)
        st = put_one(ctx, job, i, 3, sink);
    return st;
}

/* Cannot do parameters below 2. */
static specreg_status run_second(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                                 sri_report *report)
{
    specreg_status st = SPECREG_OK;
    for (int64_t i = 0; i < job->path.count && st == SPECREG_OK; i++) {
        const bool can = job->path.param[i] >= 2;
        report->fell_back += !can;
        st = can ? put_one(ctx, job, i, 2, sink)
                 : sink->put(ctx, sink, &(sri_path_point){.index = i, .to_fallback = 1});
    }
    return st;
}

static double told_seconds; /* of what takes over */

/* Leaves points 1 and 2 out, and all from 4 on. */
static specreg_status run_first(specreg_context *ctx, const sri_job *job, sri_sink *sink,
                                sri_report *report)
{
    specreg_status st = put_one(ctx, job, 0, 1, sink);
    (void)report;
    told_seconds = job->hint.fallback_seconds;
    if (st == SPECREG_OK)
        st = sink->put(ctx, sink, &(sri_path_point){.index = 1, .to_fallback = 2});
    if (st == SPECREG_OK)
        st = put_one(ctx, job, 3, 1, sink);
    return st == SPECREG_OK
               ? sink->put(ctx, sink, &(sri_path_point){.index = 4, .to_fallback = POINTS - 4})
               : st;
}

static const char *refuses_nothing(const sri_job *job)
{
    (void)job;
    return NULL;
}

static sri_cost costs_little(const sri_job *job)
{
    (void)job;
    return (sri_cost){.flops = 1};
}

#define FAKE(function, next)                                                               \
    {                                                                                      \
        .name = "fake", .refuses = refuses_nothing, .cost = costs_little, .run = function, \
        .fallback = next,                                                                  \
    }
static const sri_engine last = FAKE(run_last, NULL);
static const sri_engine second = FAKE(run_second, &last);
static const sri_engine first = FAKE(run_first, &second);

TEST(run, points_that_an_engine_leaves_come_from_its_fallback_in_their_order)
{
    static const double param[POINTS] = {8, 4, 1.5, 3, 2.5, 2, 1};
    static const double who[POINTS] = {1, 2, 3, 1, 2, 2, 3};
    double K[N * N] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, Y[N] = {1, 2, 3};
    sri_filter filter;
    sri_op *op;
    sri_report report = {0};
    seen s = {.base = {.put = note}};
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &filter));
    CHECK_OK(ctx, kit_op_matrix(ctx, K, N, &op));
    const sri_job job = kit_job(op, Y, 1, &filter, param, POINTS);
    last_runs = 0;
    CHECK_OK(ctx, sri_engine_run(ctx, &first, &job, &s.base, &report));
    CHECK_EQ(s.count, POINTS);
    CHECK_EQ(s.n_centres, N);
    for (int i = 0; i < POINTS; i++) {
        CHECK_EQ(s.index[i], i);
        CHECK_SAME(s.param[i], param[i]);
        CHECK_SAME(s.alpha[i], who[i]);
    }
    CHECK_EQ(report.fell_back, 2); /* what the fallback's fallback did is counted, too */
    CHECK_EQ(last_runs, 2);
    sri_op_free(op);
}

static const char *refuses_all(const sri_job *job)
{
    (void)job;
    return "not today";
}

/* As Krylov's search does where a band does not go with unpenalised terms: its own fallback has
 * to be known, or the search would go on without limit. */
TEST(run, a_fallback_that_refuses_the_job_is_passed_over)
{
    static const double param[POINTS] = {7, 6, 5, 4, 3, 2, 1};
    static const double who[POINTS] = {1, 3, 3, 1, 3, 3, 3};
    sri_engine refusing = second, beginner = first;
    refusing.refuses = refuses_all;
    beginner.fallback = &refusing;
    double K[N * N] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, Y[N] = {1, 2, 3};
    sri_filter filter;
    sri_op *op;
    sri_report report = {0};
    seen s = {.base = {.put = note}};
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &filter));
    CHECK_OK(ctx, kit_op_matrix(ctx, K, N, &op));
    const sri_job job = kit_job(op, Y, 1, &filter, param, POINTS);
    CHECK_OK(ctx, sri_engine_run(ctx, &beginner, &job, &s.base, &report));
    CHECK(told_seconds > 0);
    CHECK_EQ(s.count, POINTS);
    for (int i = 0; i < POINTS; i++)
        CHECK_SAME(s.alpha[i], who[i]);
    refusing.fallback = NULL; /* nobody is left: the reason of the first one is told */
    s.count = 0;
    CHECK_FAILS(ctx, sri_engine_run(ctx, &beginner, &job, &s.base, &report), SPECREG_E_NUMERIC,
                "not today");
    CHECK_SAME(told_seconds, 0);
    sri_op_free(op);
}

/* What the cost of a shape says of fewer rows is what an operator over these rows says. */
static void check_fewer_rows(specreg_context *ctx, const char *kernel, const char *filter_text,
                             double param)
{
    enum { ALL = 1600, FEW = 1300, P = 5 };
    double *x = kit_normal(1, ALL, P);
    sri_points *points[2];
    sri_kernel_grid grid;
    sri_filter filter;
    sri_op *op[2];
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, kernel, &grid));
    CHECK_OK(ctx, sri_filter_parse(ctx, filter_text, &filter));
    const sri_kernel k = sri_kernel_grid_at(&grid, 0);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(ctx, sri_points_new(ctx, x, i ? FEW : ALL, P, false, &points[i]));
        CHECK_OK(ctx, sri_op_kernel(ctx, &k, points[i], &op[i]));
    }
    sri_job job = kit_job(op[0], NULL, 2, &filter, &param, 1);
    job.shape = sri_shape_of_rows(&job.shape, FEW);
    job.shape.diagonal = op[1]->shape.diagonal; /* of these rows, not of all */
    const sri_job few = kit_job(op[1], NULL, 2, &filter, &param, 1);
    int served = 0;
    for (int e = 0; sri_engine_at(e); e++) {
        const sri_engine *engine = sri_engine_at(e);
        CHECK_EQ(engine->refuses(&job) == NULL, engine->refuses(&few) == NULL);
        if (engine->refuses(&job))
            continue;
        const sri_cost a = engine->cost(&job), b = engine->cost(&few);
        CHECK_NEAR(sri_job_seconds(&job, &a), sri_job_seconds(&few, &b),
                   1e-12 * sri_job_seconds(&few, &b));
        CHECK_NEAR(a.bytes, b.bytes, 1e-12 * b.bytes);
        served++;
    }
    CHECK(served > 2);
    for (int i = 0; i < 2; i++) {
        sri_op_free(op[i]);
        sri_points_free(points[i]);
    }
    sri_kernel_grid_free(&grid);
    free(x);
}

TEST(run, a_shape_of_fewer_rows_costs_what_these_rows_cost)
{
    check_fewer_rows(ctx, "rbf:sigma=1", "tikhonov", 1e-3);
    check_fewer_rows(ctx, "linear", "tikhonov", 1e-3);
    check_fewer_rows(ctx, "linear", "landweber", 100);
    check_fewer_rows(ctx, "rbf:sigma=1", "nu", 50);
}

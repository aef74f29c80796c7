/* The L-curve (Hansen): log |f| in the kernel's space over log |residual|.  Smooth points lie on a
 * foot where the residual falls and f hardly grows, rough ones on a stem where f grows and the
 * residual hardly falls.  The corner, the point of largest curvature, is taken.  The value is minus
 * the curvature, as the least value of a table is the best.
 *
 * Derivatives are those of the parabola through three neighbours, over log param. */
#include <float.h>
#include <math.h>

#include "core/arena.h"
#include "select/rule.h"

enum { LEAST_POINTS = 5 };

typedef struct curve {
    sri_arena scratch;
    int64_t count;
    int64_t *point;    /* of the trace                          */
    double *u, *x, *y; /* along the path, log |residual|, log |f| */
} curve;

/* |f|^2 = alpha' K alpha, K alpha = Y - residual: the centres are the rows. */
static double norm2(const sri_trace *trace, int64_t i)
{
    const sri_problem *problem = trace->problem;
    const int64_t size = problem->n * problem->T;
    const double *alpha = trace->alpha + i * size, *residual = trace->residual + i * size;
    double sum = 0;
    for (int64_t k = 0; k < size; k++)
        sum += alpha[k] * (problem->Y[k] - residual[k]);
    return sum;
}

/* Points without a logarithm are not on the curve: f = 0, and interpolation, whose residual is
 * rounding. */
static void add_point(const sri_trace *trace, int64_t i, curve *c)
{
    const sri_problem *problem = trace->problem;
    const double f2 = norm2(trace, i);
    const double r2 = sri_mean_square(problem, sri_trace_residual(trace, i));
    const double rounding = (double)problem->n * DBL_EPSILON;
    if (!(f2 > 0) || !(r2 > rounding * rounding * sri_mean_square(problem, problem->Y)))
        return;
    c->point[c->count] = i;
    c->u[c->count] = sri_trace_position(trace, i);
    c->x[c->count] = log(r2) / 2;
    c->y[c->count++] = log(f2) / 2;
}

static specreg_status make_curve(specreg_context *ctx, const sri_trace *trace, curve *c)
{
    specreg_status st = SPECREG_OK;
    int64_t *kept;
    SRI_SCRATCH(ctx, &c->scratch, kept, trace->count, 1);
    SRI_SCRATCH(ctx, &c->scratch, c->point, trace->count, 1);
    SRI_SCRATCH_EACH(ctx, &c->scratch, trace->count, 1, &c->u, &c->x, &c->y);
    const int64_t count = sri_trace_distinct(trace, LEAST_POINTS, kept);
    for (int64_t k = 0; k < count; k++)
        add_point(trace, kept[k], c);
    SRI_REQUIRE(ctx, c->count >= LEAST_POINTS, SPECREG_E_ARG,
                "select: lcurve needs a path of at least %d points that differ, here are %lld",
                LEAST_POINTS, (long long)c->count);
done:
    return st;
}

/* z' and z'' at u[0] from z[-1], z[0], z[1]. */
static void derivatives(const double *u, const double *z, double *first, double *second)
{
    const double h = u[0] - u[-1], k = u[1] - u[0];
    const double before = (z[0] - z[-1]) / h, after = (z[1] - z[0]) / k;
    *first = (h * after + k * before) / (h + k);
    *second = 2 * (after - before) / (h + k);
}

/* Positive at the corner: from the foot, leftwards, to the stem is a turn to the right. */
static double curvature(const curve *c, int64_t k)
{
    double dx, dy, ddx, ddy;
    derivatives(c->u + k, c->x + k, &dx, &ddx);
    derivatives(c->u + k, c->y + k, &dy, &ddy);
    return (dy * ddx - dx * ddy) / pow(dx * dx + dy * dy, 1.5);
}

static specreg_status choose(specreg_context *ctx, const sri_rule *self, const sri_trace *trace,
                             sri_score *score, int64_t *chosen)
{
    (void)self;
    specreg_status st = SPECREG_OK;
    curve c = {0};
    SRI_TRY(make_curve(ctx, trace, &c));
    for (int64_t i = 0; i < trace->count; i++)
        score[i] = sri_trace_score(trace, i, NAN);
    *chosen = c.point[1];
    for (int64_t k = 1; k + 1 < c.count; k++) {
        const int64_t i = c.point[k];
        score[i] = sri_trace_score(trace, i, -curvature(&c, k));
        if (sri_score_better(&score[i], &score[*chosen]))
            *chosen = i;
    }
done:
    sri_arena_free(&c.scratch);
    return st;
}

const sri_rule_ops sri_rule_lcurve = {
    .name = "lcurve",
    .title = "the L-curve",
    .derives = true,
    .choose = choose,
    .need = SRI_NEED_DF,
    .criterion = "curvature",
    .criterion_title = "curvature",
    .negative = true,
};

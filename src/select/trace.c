/* What the rules that look along a whole path share: norms, the noise, points that are the same. */
#include <float.h>
#include <math.h>

#include "select/rule.h"

/* Residuals are exact to about this times |y|: krylov's stopping bound, and rounding. */
static const double KRYLOV_DEFECT = 1e-12;

/* Fits with more than half of the degrees of freedom are on the way to interpolation.  There GCV is
 * a ratio of two small numbers, which with a narrow kernel has its minimum where nothing is left of
 * either, and neighbouring points agree because all of them repeat the data. */
static const double MOST_DF = 0.5;

double sri_problem_total_weight(const sri_problem *problem)
{
    double sum = 0;
    for (int64_t i = 0; i < problem->n; i++)
        sum += sri_problem_weight(problem, i);
    return sum;
}

double sri_mean_square(const sri_problem *problem, const double *residual)
{
    double sum = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        double row = 0;
        for (int64_t t = 0; t < problem->T; t++)
            row += residual[i * problem->T + t] * residual[i * problem->T + t];
        sum += sri_problem_weight(problem, i) * row;
    }
    return sum / (sri_problem_total_weight(problem) * (double)problem->T);
}

static const double *alpha_at(const sri_trace *trace, int64_t i)
{
    return trace->alpha + i * trace->problem->n * trace->problem->T;
}

double sri_trace_gcv(const sri_trace *trace, int64_t i)
{
    return trace->df[i] <= MOST_DF * (double)trace->problem->n
               ? sri_gcv(trace->problem, sri_trace_residual(trace, i), trace->df[i])
               : NAN;
}

sri_score sri_trace_score(const sri_trace *trace, int64_t i, double value)
{
    return (sri_score){.value = value, .tie = value, .stderr_ = NAN, .df = trace->df[i]};
}

double sri_trace_position(const sri_trace *trace, int64_t i)
{
    return fabs(log(trace->param[i] / trace->param[0]));
}

/* The point with the least GCV; -1 where none has one. */
static int64_t least_gcv(const sri_trace *trace)
{
    int64_t best = -1;
    double least = INFINITY;
    for (int64_t i = 0; i < trace->count; i++) {
        const double value = sri_trace_gcv(trace, i);
        if (value < least) {
            least = value;
            best = i;
        }
    }
    return best;
}

/* |residual|^2 / (n - df) where GCV is least: there the bias is small, and the fit has taken df
 * parts of the noise's n away from the residual. */
specreg_status sri_trace_noise(specreg_context *ctx, const sri_rule *rule, const sri_trace *trace,
                               double *noise)
{
    *noise = rule->param[0];
    if (!isnan(*noise))
        return SPECREG_OK;
    const int64_t i = least_gcv(trace);
    if (i < 0)
        return sri_fail(ctx, SPECREG_E_NUMERIC,
                        "select: %s cannot estimate the noise, as no point of the path leaves half "
                        "of the degrees of freedom: give its standard deviation, noise=NUMBER",
                        rule->ops->name);
    *noise = sqrt(sri_mean_square(trace->problem, sri_trace_residual(trace, i)) /
                  (1 - trace->df[i] / (double)trace->problem->n));
    sri_log(ctx, "select: %s: noise estimated as %.4g", rule->ops->name, *noise);
    return SPECREG_OK;
}

/* (alpha_i - alpha_j)' K (alpha_i - alpha_j), where K times the difference is the residuals' own
 * difference: the centres are the rows.  Both are known to `defect` only, so what lies below that
 * is taken for 0: a cut-off with no eigenvalue between two thresholds, or points that the
 * arithmetic cannot tell apart. */
double sri_trace_distance2(const sri_trace *trace, int64_t i, int64_t j)
{
    const sri_problem *problem = trace->problem;
    const double *a = alpha_at(trace, i), *b = alpha_at(trace, j);
    const double *r = sri_trace_residual(trace, i), *q = sri_trace_residual(trace, j);
    double product = 0, da2 = 0, dr2 = 0, a2 = 0, b2 = 0, y2 = 0;
    for (int64_t k = 0; k < problem->n * problem->T; k++) {
        const double da = a[k] - b[k], dr = q[k] - r[k];
        product += da * dr;
        da2 += da * da;
        dr2 += dr * dr;
        a2 += a[k] * a[k];
        b2 += b[k] * b[k];
        y2 += problem->Y[k] * problem->Y[k];
    }
    const double defect = KRYLOV_DEFECT + 8 * (double)problem->n * DBL_EPSILON;
    const double rounding = defect * (sqrt(da2 * y2) + sqrt(fmax(a2, b2) * dr2));
    return product > rounding ? product : 0;
}

static bool finite_point(const sri_trace *trace, int64_t i)
{
    const double *a = alpha_at(trace, i), *r = sri_trace_residual(trace, i);
    double sum = 0;
    for (int64_t k = 0; k < trace->problem->n * trace->problem->T; k++)
        sum += fabs(a[k]) + fabs(r[k]);
    return isfinite(sum);
}

static int64_t distinct(const sri_trace *trace, double most_df, int64_t *kept)
{
    int64_t count = 0;
    for (int64_t i = 0; i < trace->count; i++)
        if (!(trace->df[i] > most_df) && finite_point(trace, i) &&
            (count == 0 || sri_trace_distance2(trace, kept[count - 1], i) > 0))
            kept[count++] = i;
    return count;
}

int64_t sri_trace_distinct(const sri_trace *trace, int64_t least, int64_t *kept)
{
    const int64_t count = distinct(trace, MOST_DF * (double)trace->problem->n, kept);
    return count < least ? distinct(trace, INFINITY, kept) : count;
}

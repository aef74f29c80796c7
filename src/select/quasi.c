/* Quasi-optimality (Tikhonov and Glasko): where neighbouring points differ least, in the norm of
 * the kernel's space and per unit of log param, a discrete |param df/dparam|.  On the smooth side
 * the differences are bias that is still being removed, on the rough side noise that is let in.
 *
 * They vanish at both ends too, where nothing has been fitted yet and where all is fitted: so the
 * least local minimum inside the path is taken, and the least of all only where there is none;
 * points with df above n/2 are left out.  Points that are the same model to rounding count as one,
 * the smoothest of them. */
#include <math.h>

#include "core/arena.h"
#include "select/rule.h"

static bool local_minimum(const double *d, int64_t count, int64_t k)
{
    return k > 0 && k < count - 1 && d[k] < d[k - 1] && d[k] <= d[k + 1];
}

static int64_t least(const double *d, int64_t count)
{
    int64_t inside = -1, all = 0;
    for (int64_t k = 0; k < count; k++) {
        if (d[k] < d[all])
            all = k;
        if (local_minimum(d, count, k) && (inside < 0 || d[k] < d[inside]))
            inside = k;
    }
    return inside < 0 ? all : inside;
}

static specreg_status choose(specreg_context *ctx, const sri_rule *self, const sri_trace *trace,
                             sri_score *score, int64_t *chosen)
{
    (void)self;
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    int64_t *kept;
    double *difference;
    SRI_SCRATCH(ctx, &scratch, kept, trace->count, 1);
    SRI_SCRATCH(ctx, &scratch, difference, trace->count, 1);
    const int64_t count = sri_trace_distinct(trace, 2, kept);
    SRI_REQUIRE(ctx, count > 0, SPECREG_E_NUMERIC, "no point of the path has finite coefficients");
    for (int64_t i = 0; i < trace->count; i++)
        score[i] = sri_trace_score(trace, i, NAN);
    for (int64_t k = 0; k + 1 < count; k++) {
        const int64_t i = kept[k], j = kept[k + 1];
        difference[k] = sqrt(sri_trace_distance2(trace, i, j)) /
                        (sri_trace_position(trace, j) - sri_trace_position(trace, i));
        score[i] = sri_trace_score(trace, i, difference[k]);
    }
    *chosen = kept[count > 1 ? least(difference, count - 1) : 0];
done:
    sri_arena_free(&scratch);
    return st;
}

const sri_rule_ops sri_rule_quasi = {
    .name = "quasi",
    .title = "quasi-optimality",
    .choose = choose,
    .need = SRI_NEED_DF,
    .criterion = "quasi_optimality",
    .criterion_title = "difference",
};

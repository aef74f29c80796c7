/* Predictors and leverages as functions of kernel values: with c = L^-T w
 *
 *     w'b(x) = c'k_m(x),
 *
 * which takes no substitution with L for each row.  Digits are lost by the factor |L^-1|: where
 * that would show, rows are whitened. */
#include <float.h>
#include <math.h>

#include "sums/candidate.h"

/* Whether rounding stays below some 1e-12 of what b(x) is. */
static specreg_status is_mild(specreg_context *ctx, const sri_sums_candidate *c, bool *mild)
{
    static const double TOLERANCE = 1e-12;
    double amplification;
    SRI_CALL(sri_whitening_amplification(ctx, &c->whitening, &amplification));
    const double size = sqrt(c->question.kappa2 * (double)c->source.at.r);
    *mild = amplification * size * DBL_EPSILON <= TOLERANCE;
    return SPECREG_OK;
}

static void expand_path(const sri_whitening *w, sri_sums_path *path)
{
    sri_whitening_coefficients(w, path->count * path->T, path->W);
    path->of_centres = true;
}

specreg_status sri_sums_expand(specreg_context *ctx, const sri_sums_judging *s,
                               sri_sums_candidate *c)
{
    bool mild;
    if (c->path.of_centres)
        return SPECREG_OK;
    SRI_CALL(is_mild(ctx, c, &mild));
    if (!mild)
        return SPECREG_OK;
    expand_path(&c->whitening, &c->path);
    for (int64_t f = 0; f < s->judged; f++)
        expand_path(&c->whitening, &c->without[f]);
    for (int64_t g = 0; c->leverages && g < s->parts.groups; g++)
        sri_whitening_coefficients(&c->whitening, c->leverages[g].r, c->leverages[g].V);
    return SPECREG_OK;
}

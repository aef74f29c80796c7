/* a in the class's own column, b elsewhere; the largest output wins. */
#include <math.h>

#include "coding/coding.h"

enum { A, B };

static const sri_param params[] = {
    {.name = "a", .value = 1, .least = -INFINITY},
    {.name = "b", .value = 0, .least = -INFINITY},
};

/* Squares of both, and of their difference, must be ordinary numbers. */
static specreg_status ab_check(specreg_context *ctx, const sri_coding_spec *spec)
{
    const double a = spec->param[A], b = spec->param[B];
    if (!(a > b))
        return sri_fail(ctx, SPECREG_E_ARG, "coding: ab: a must be greater than b, not %g and %g",
                        a, b);
    if (fmax(fabs(a), fabs(b)) > 1e100 || a - b < 1e-100)
        return sri_fail(
            ctx, SPECREG_E_ARG,
            "coding: ab: a and b must be within 1e100 and differ by 1e-100 or more, not "
            "%g and %g",
            a, b);
    return SPECREG_OK;
}

static int64_t ab_width(const sri_coding_spec *spec, int64_t n_classes)
{
    (void)spec;
    return n_classes;
}

static void ab_row(const sri_coding *self, int64_t class, double *word)
{
    for (int64_t t = 0; t < self->width; t++)
        word[t] = self->spec.param[t == class ? A : B];
}

static void ab_scores(const sri_coding *self, const double *outputs, double *scores)
{
    for (int64_t c = 0; c < self->n_classes; c++)
        scores[c] = outputs[c];
}

static void ab_ends(const sri_coding *self, double *one, double *zero)
{
    *one = self->spec.param[A];
    *zero = self->spec.param[B];
}

const sri_coding_ops sri_coding_ab = {
    .name = "ab",
    .params = params,
    .n_params = 2,
    .check = ab_check,
    .width = ab_width,
    .row = ab_row,
    .scores = ab_scores,
    .ends = ab_ends,
};

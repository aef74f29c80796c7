/* The values that a path runs over. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "filter/filter.h"

enum { LAMBDAS = 51, COUNTS = 60, MOST_STEPS = 100000, MOST_ORDER = 100, MOST_OWN_STEPS = 1000 };
static const double LAMBDA_DIGITS = 10; /* from kappa^2 down to 10^-this times it */

const char *sri_path_name(sri_path_kind kind)
{
    static const char *const names[] = {"lambda", "t", "components", "order"};
    return names[kind];
}

static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static int rising(const void *a, const void *b)
{
    return falling(b, a);
}

void sri_path_sort(sri_path_kind kind, sri_values *path)
{
    qsort(path->v, (size_t)path->count, sizeof *path->v,
          kind == SRI_PATH_LAMBDA ? falling : rising);
    int64_t kept = 0;
    for (int64_t i = 0; i < path->count; i++)
        if (kept == 0 || path->v[i] != path->v[kept - 1])
            path->v[kept++] = path->v[i];
    path->count = kept;
}

static specreg_status check_path(specreg_context *ctx, sri_path_kind kind, const sri_values *path)
{
    for (int64_t i = 0; i < path->count; i++) {
        const double v = path->v[i];
        if (kind == SRI_PATH_LAMBDA && !(v > 0))
            return sri_fail(ctx, SPECREG_E_ARG, "param: lambda must be greater than 0, not %g", v);
        if (kind != SRI_PATH_LAMBDA && (v < 1 || v != floor(v) || v > 1e9))
            return sri_fail(ctx, SPECREG_E_ARG,
                            "param: %s must be a whole number of at least 1, not %g",
                            sri_path_name(kind), v);
    }
    return SPECREG_OK;
}

/* A filter whose path may run over the order has a lambda where it does, and only there. */
static specreg_status check_fixed(specreg_context *ctx, const sri_filter *filter)
{
    if (!filter->ops->takes_order)
        return SPECREG_OK;
    const char *name = sri_filter_name(filter);
    for (int i = 0; i < filter->ops->n_params; i++) {
        if (strcmp(filter->ops->params[i].name, "lambda") != 0)
            continue;
        const bool given = !isnan(filter->param[i]), wanted = filter->path == SRI_PATH_ORDER;
        if (wanted && !given)
            return sri_fail(ctx, SPECREG_E_ARG,
                            "param: a path over the order has one lambda: --filter %s:lambda=VALUE",
                            name);
        if (given && !wanted)
            return sri_fail(
                ctx, SPECREG_E_ARG,
                "filter %s: lambda goes with --param order=VALUES; else it is --param's", name);
    }
    return SPECREG_OK;
}

specreg_status sri_path_parse(specreg_context *ctx, sri_filter *filter, const char *text,
                              sri_values *out, bool *is_auto)
{
    specreg_status st = SPECREG_OK;
    sri_spec spec = {0};
    *out = (sri_values){0};
    *is_auto = strcmp(text, "auto") == 0;
    if (*is_auto)
        return check_fixed(ctx, filter);
    SRI_TRY(sri_spec_parse(ctx, "param", text, &spec));
    const sri_path_kind other = filter->ops->takes_components ? SRI_PATH_COMPONENTS
                                : filter->ops->takes_order    ? SRI_PATH_ORDER
                                                              : filter->ops->path;
    const char *own = sri_path_name(filter->ops->path), *alt = sri_path_name(other);
    SRI_REQUIRE(ctx, spec.count <= 1 || !spec.arg[0].key || spec.arg[1].key, SPECREG_E_ARG,
                "param: write '%s={%s}' for several values, in quotes", spec.arg[0].key,
                strchr(text, '=') + 1);
    SRI_REQUIRE(ctx, spec.count == 1 && spec.arg[0].key, SPECREG_E_ARG,
                "param: write %s=VALUES for filter %s, or auto", own, sri_filter_name(filter));
    const char *key = spec.arg[0].key;
    SRI_REQUIRE(ctx, strcmp(key, own) == 0 || strcmp(key, alt) == 0, SPECREG_E_ARG,
                "param: filter %s has %s%s%s, not %s", sri_filter_name(filter), own,
                alt == own ? "" : " or ", alt == own ? "" : alt, key);
    filter->path = strcmp(key, own) == 0 ? filter->ops->path : other;
    char what[32];
    snprintf(what, sizeof what, "param: %s", sri_path_name(filter->path));
    SRI_TRY(sri_values_parse(ctx, what, spec.arg[0].value, out));
    *is_auto = out->count == 0;
    SRI_TRY(check_fixed(ctx, filter));
    SRI_TRY(check_path(ctx, filter->path, out));
    if (out->count)
        sri_path_sort(filter->path, out);
done:
    sri_spec_free(&spec);
    if (st != SPECREG_OK)
        sri_values_free(out);
    return st;
}

/* Whole numbers from 1 to `last`, evenly spaced in the logarithm. */
static void spread_counts(double last, sri_values *out)
{
    for (int64_t i = 0; i < COUNTS; i++)
        out->v[i] = floor(pow(last, (double)i / (COUNTS - 1)) + 0.5);
    out->count = COUNTS;
}

/* t at the end of the automatic path of an iteration. */
static double longest_path(const sri_filter *filter)
{
    sri_filter unit = *filter;
    unit.step = 1;
    const sri_iteration *it = filter->ops->iteration;
    return fmin(MOST_STEPS, floor(it->steps_for(&unit, it->least_lambda) + 0.5));
}

specreg_status sri_path_auto(specreg_context *ctx, const sri_filter *filter, int64_t n,
                             double scale, sri_values *out)
{
    *out = (sri_values){0};
    SRI_NEW(ctx, out->v, LAMBDAS > COUNTS ? LAMBDAS : COUNTS, 1);
    if (filter->path == SRI_PATH_LAMBDA) {
        for (int64_t i = 0; i < LAMBDAS; i++)
            out->v[i] = scale * pow(10, -LAMBDA_DIGITS * (double)i / (LAMBDAS - 1));
        out->count = LAMBDAS;
    } else if (filter->path == SRI_PATH_COMPONENTS) {
        spread_counts((double)n, out);
    } else if (filter->path == SRI_PATH_ORDER) {
        spread_counts(MOST_ORDER, out);
    } else if (sri_filter_nonlinear(filter)) {
        spread_counts(n < 100 ? (double)n : 100, out);
    } else if (!filter->ops->iteration) { /* a user's */
        spread_counts(MOST_OWN_STEPS, out);
    } else {
        spread_counts(longest_path(filter), out);
    }
    sri_path_sort(filter->path, out);
    return SPECREG_OK;
}

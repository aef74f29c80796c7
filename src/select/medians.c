#include "select/medians.h"

#include <stdlib.h>

#include "kernel/registry.h"

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The middle one; the lower of two. */
static double median(double *v, int64_t count)
{
    qsort(v, (size_t)count, sizeof *v, rising);
    return v[(count - 1) / 2];
}

/* How many chose the family of choice s. */
static int64_t votes(const sri_chosen *c, int64_t s)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < c->count; k++)
        sum += sri_kernel_same_family(&c->kernel[k], &c->kernel[s]);
    return sum;
}

/* The choices with the family that most have. */
static sri_chosen of_one_family(const sri_chosen *c)
{
    sri_chosen out = {0};
    int64_t best = 0;
    for (int64_t s = 1; s < c->count; s++)
        best = votes(c, s) > votes(c, best) ? s : best;
    for (int64_t s = 0; s < c->count; s++) {
        if (!sri_kernel_same_family(&c->kernel[s], &c->kernel[best]))
            continue;
        out.kernel[out.count] = c->kernel[s];
        out.filter[out.count] = c->filter[s];
        out.param[out.count++] = c->param[s];
    }
    return out;
}

static bool same_words(const sri_filter *a, const sri_filter *b)
{
    return a->variant == b->variant && a->step_rule == b->step_rule &&
           a->norm_share == b->norm_share && (a->step_rule != SRI_STEP_GIVEN || a->step == b->step);
}

specreg_status sri_medians(specreg_context *ctx, const sri_chosen *chosen, sri_kernel *kernel,
                           sri_filter *filter, double *param)
{
    sri_chosen c = of_one_family(chosen);
    double v[SRI_MOST_CHOICES];
    *kernel = c.kernel[0];
    *filter = c.filter[0];
    for (int64_t s = 1; s < c.count; s++)
        SRI_CHECK(ctx, same_words(&c.filter[s], filter), SPECREG_E_ARG,
                  "select: ida takes medians of numbers: give filter %s one step and no list of "
                  "words",
                  sri_filter_name(filter));
    for (int t = 0; t < kernel->n_terms; t++)
        for (int i = 0; i < sri_kernel_param_count(&kernel->term[t]); i++) {
            for (int64_t s = 0; s < c.count; s++)
                v[s] = c.kernel[s].term[t].param[i];
            kernel->term[t].param[i] = median(v, c.count);
        }
    for (int i = 0; i < sri_filter_param_count(filter); i++) {
        for (int64_t s = 0; s < c.count; s++)
            v[s] = c.filter[s].param[i];
        filter->param[i] = median(v, c.count);
    }
    *param = median(c.param, c.count);
    return SPECREG_OK;
}

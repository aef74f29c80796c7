/* Iterations with fixed coefficients, where x is a column of coordinates:
 *
 *     x_i = x_i-1 + u (x_i-1 - x_i-2) + (w / mass)(h - G x_i-1). */
#include <string.h>

#include "sums/conjugate.h"
#include "sums/crew.h"

typedef struct steps {
    sri_products *products;
    const sri_filter *filter;
    sri_arena memory;
    int64_t count; /* columns: sets x outputs */
    int64_t *set;
    double *X, *before, *Y; /* count x r: x_i-1, x_i-2, G x_i-1 */
    sri_solution *solution;
    int64_t i; /* the step */
} steps;

static specreg_status steps_make(specreg_context *ctx, steps *s)
{
    const int64_t r = s->products->source->at.r, T = s->products->source->at.T;
    s->count = s->products->sets * T;
    SRI_ARENA_NEW(ctx, &s->memory, s->set, s->count, 1);
    SRI_ARENA_NEW(ctx, &s->memory, s->solution, s->count, 1);
    SRI_ARENA_NEW_ZERO(ctx, &s->memory, s->X, s->count, r);
    SRI_ARENA_NEW_ZERO(ctx, &s->memory, s->before, s->count, r);
    SRI_ARENA_NEW_ZERO(ctx, &s->memory, s->Y, s->count, r);
    for (int64_t c = 0; c < s->count; c++) {
        s->set[c] = c / T;
        s->solution[c] = (sri_solution){c / T, 0, c % T};
    }
    return SPECREG_OK;
}

/* The step of one column. */
static specreg_status step(specreg_context *ctx, void *payload, int64_t c)
{
    (void)ctx;
    const steps *s = payload;
    const int64_t r = s->products->source->at.r;
    const double *h = s->products->h + c * r, *Gx = s->Y + c * r;
    double *x = s->X + c * r, *before = s->before + c * r, u, w;
    s->filter->ops->iteration->recurrence(s->filter, s->i, &u, &w);
    w /= sri_products_mass(s->products, s->set[c]);
    for (int64_t j = 0; j < r; j++) {
        const double now = x[j] + u * (x[j] - before[j]) + w * (h[j] - Gx[j]);
        before[j] = x[j];
        x[j] = now;
    }
    return SPECREG_OK;
}

specreg_status sri_steps_solve(specreg_context *ctx, const sri_sums_question *q,
                               sri_products *products, sri_sums_path **path)
{
    specreg_status st = SPECREG_OK;
    steps s = {.products = products, .filter = &path[0]->filter};
    int64_t point = 0;
    SRI_TRY(steps_make(ctx, &s));
    for (s.i = 1; point < q->path.count; s.i++) {
        if (s.i > 1) /* it begins at 0 */
            SRI_TRY(sri_products_apply(ctx, products, (sri_set_columns){s.count, s.set, s.X}, s.Y));
        SRI_TRY(sri_crew_run(ctx, s.count, sri_crew_size(), step, &s));
        if ((double)s.i < q->path.v[point])
            continue;
        for (int64_t c = 0; c < s.count; c++)
            s.solution[c].point = point;
        SRI_TRY(sri_solutions_take(ctx, products, s.solution, s.count, s.X, path));
        point++;
    }
done:
    sri_arena_free(&s.memory);
    return st;
}

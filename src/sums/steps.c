/* Iterations, a pass over the rows for each step, where x is a column of coordinates.  With fixed
 * coefficients:
 *
 *     x_i = x_i-1 + u (x_i-1 - x_i-2) + (w / mass) r,   r = h - G x at x_i-1, or ahead of it.
 *
 * Filter cg takes steps of conjugate gradients on K alpha = y, K = B B' of the rows b, by what they
 * are in coordinates: x = B'alpha, v = B'p and r = B'rho of direction p and residual rho.
 *     norm=error:     a = rho'rho / v'v,  x += a v,  rho'rho <- a^2 v'Gv - rho'rho
 *     norm=residual:  conjugate gradients on G x = h: a = r'r / v'Gv
 * then r -= a G v, and v = r + (new / old) v. */
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "sums/conjugate.h"
#include "sums/crew.h"

typedef struct steps {
    sri_products *products;
    const sri_filter *filter;
    sri_arena memory;
    int64_t count; /* columns: sets x outputs */
    int64_t *set;
    double *X, *Y;      /* count x r: x, and the product that the step needs   */
    double *before;     /* fixed coefficients: x of the step before            */
    double *r_before;   /* likewise its h - G x, for iterations that look ahead */
    double *V, *R, *rr; /* conjugate gradients: v, r, and rho'rho or r'r of each */
    sri_solution *solution;
    int64_t i; /* the step */
} steps;

static bool is_conjugate(const steps *s)
{
    return sri_filter_nonlinear(s->filter) != SRI_LINEAR;
}

static bool by_error(const steps *s)
{
    return sri_filter_nonlinear(s->filter) == SRI_CG_ERROR;
}

/* The squared norm of what the unpenalised terms leave of output t over a set. */
static double target_square(const sri_products *p, int64_t set, int64_t t)
{
    const int64_t l = p->source->at.l, q = sri_products_order(p);
    double square = p->moment[set * q * q + (l + t) * (q + 1)];
    for (int64_t j = 0; j < l; j++)
        square -= pow(sri_products_term_target(p, set, j, t), 2);
    return fmax(0, square);
}

static specreg_status steps_make(specreg_context *ctx, steps *s)
{
    const int64_t r = s->products->source->at.r, T = s->products->source->at.T;
    s->count = s->products->sets * T;
    SRI_ARENA_NEW(ctx, &s->memory, s->set, s->count, 1);
    SRI_ARENA_NEW(ctx, &s->memory, s->rr, s->count, 1);
    SRI_ARENA_NEW(ctx, &s->memory, s->solution, s->count, 1);
    SRI_ARENA_NEW_ZERO(ctx, &s->memory, s->X, s->count, r);
    SRI_ARENA_NEW_ZERO(ctx, &s->memory, s->before, s->count, r);
    SRI_ARENA_NEW_ZERO(ctx, &s->memory, s->r_before, s->count, r);
    SRI_ARENA_NEW_ZERO(ctx, &s->memory, s->Y, s->count, r);
    SRI_ARENA_NEW(ctx, &s->memory, s->V, s->count, r);
    SRI_ARENA_NEW(ctx, &s->memory, s->R, s->count, r);
    for (int64_t c = 0; c < s->count; c++) {
        const double *h = s->products->h + c * r;
        s->set[c] = c / T;
        s->solution[c] = (sri_solution){c / T, 0, c % T};
        memcpy(s->V + c * r, h, (size_t)r * sizeof *h);
        memcpy(s->R + c * r, h, (size_t)r * sizeof *h);
        s->rr[c] = by_error(s) ? target_square(s->products, c / T, c % T) : sri_dot(r, h, h);
    }
    return SPECREG_OK;
}

/* The step of one column by fixed coefficients. */
static specreg_status step(specreg_context *ctx, void *payload, int64_t c)
{
    (void)ctx;
    const steps *s = payload;
    const int64_t r = s->products->source->at.r;
    const double *h = s->products->h + c * r;
    double *x = s->X + c * r, *before = s->before + c * r, *R = s->Y + c * r;
    sri_step by = s->filter->ops->iteration->recurrence(s->filter, s->i);
    by.w /= sri_products_mass(s->products, s->set[c]);
    for (int64_t j = 0; j < r; j++)
        R[j] = h[j] - R[j];
    sri_look_ahead(r, by.v, R, s->r_before + c * r);
    for (int64_t j = 0; j < r; j++) {
        const double now = x[j] + by.u * (x[j] - before[j]) + by.w * R[j];
        before[j] = x[j];
        x[j] = now;
    }
    return SPECREG_OK;
}

/* That of conjugate gradients; a column whose residual is 0 stays. */
static specreg_status step_conjugate(specreg_context *ctx, void *payload, int64_t c)
{
    (void)ctx;
    const steps *s = payload;
    const int64_t n = s->products->source->at.r;
    const double *Gv = s->Y + c * n;
    double *x = s->X + c * n, *v = s->V + c * n, *r = s->R + c * n;
    const double vGv = sri_dot(n, v, Gv), below = by_error(s) ? sri_dot(n, v, v) : vGv;
    if (!(below > 0) || !(s->rr[c] > 0))
        return SPECREG_OK;
    const double a = s->rr[c] / below;
    for (int64_t j = 0; j < n; j++) {
        x[j] += a * v[j];
        r[j] -= a * Gv[j];
    }
    const double rr = by_error(s) ? a * a * vGv - s->rr[c] : sri_dot(n, r, r);
    for (int64_t j = 0; j < n; j++)
        v[j] = r[j] + rr / s->rr[c] * v[j];
    s->rr[c] = rr;
    return SPECREG_OK;
}

/* The product, and the step of all columns. */
static specreg_status go_on(specreg_context *ctx, steps *s)
{
    const bool conjugate = is_conjugate(s);
    const sri_set_columns columns = {s->count, s->set, conjugate ? s->V : s->X};
    if (s->i > 1 || conjugate) /* x begins at 0, and Y too */
        SRI_CALL(sri_products_apply(ctx, s->products, columns, s->Y));
    return sri_crew_run(ctx, s->count, sri_crew_size(), conjugate ? step_conjugate : step, s);
}

specreg_status sri_steps_solve(specreg_context *ctx, const sri_sums_question *q,
                               sri_products *products, sri_sums_path **path)
{
    specreg_status st = SPECREG_OK;
    steps s = {.products = products, .filter = &path[0]->filter};
    int64_t point = 0;
    SRI_TRY(steps_make(ctx, &s));
    for (s.i = 1; point < q->path.count; s.i++) {
        SRI_TRY(go_on(ctx, &s));
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

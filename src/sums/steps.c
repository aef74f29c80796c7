/* Iterations, a pass over the rows for each step.  Outputs that were coupled are apart and have the
 * kernels a K; a = 1 where they were not.  A column x has coordinates of the predictor, a B'alpha.
 * With fixed coefficients:
 *
 *     x_i = x_i-1 + u (x_i-1 - x_i-2) + (a w / mass) r,   r = h - G x at x_i-1, or ahead of it.
 *
 * Filter cg takes steps of conjugate gradients on a K alpha = y, K = B B' of the rows b, by what
 * they are in coordinates: v = B'p and r = B'rho of direction p and residual rho.  Coupled outputs
 * are one vector: products are sums over them.
 *     norm=error:     s = rho'rho / (sum of a v'v),  rho'rho <- s^2 (sum of a^2 v'Gv) - rho'rho
 *     norm=residual:  s = (sum of a r'r) / (sum of a^2 v'Gv)
 * with x += s a v, r -= s a G v, and then v = r + (new / old) v. */
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "sums/conjugate.h"
#include "sums/crew.h"

typedef struct steps {
    sri_products *products;
    const sri_filter *filter;
    const sri_coupling *coupling; /* of outputs that are apart; NULL: none */
    sri_arena memory;
    int64_t count; /* columns: sets x outputs */
    int64_t *set;
    double *X, *Y;    /* count x r: x, and the product that the step needs   */
    double *before;   /* fixed coefficients: x of the step before            */
    double *r_before; /* likewise its h - G x, for iterations that look ahead */
    double *V, *R;    /* conjugate gradients: v and r          */
    double *rr;       /* count: rho'rho or r'r, the same for columns that are one vector */
    double *was;      /* count: that of the step before        */
    double *part;     /* count x 2: what a column adds to products    */
    int64_t together; /* so many columns after one another are one vector */
    sri_solution *solution;
    int64_t i; /* the step */
} steps;

/* What the kernel of column c is multiplied by. */
static double scale_of(const steps *s, int64_t c)
{
    return s->coupling ? s->coupling->a[c % s->coupling->T] : 1;
}

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

/* The sum of a product over the columns that are one vector with column c. */
static double sum_of(const steps *s, int64_t c, int which)
{
    const int64_t first = c / s->together * s->together;
    double sum = 0;
    for (int64_t k = first; k < first + s->together; k++)
        sum += s->part[2 * k + which];
    return sum;
}

static specreg_status steps_make(specreg_context *ctx, steps *s)
{
    const int64_t r = s->products->source->at.r, T = s->products->source->at.T;
    s->count = s->products->sets * T;
    SRI_ARENA_NEW(ctx, &s->memory, s->set, s->count, 1);
    SRI_ARENA_NEW(ctx, &s->memory, s->rr, s->count, 1);
    SRI_ARENA_NEW(ctx, &s->memory, s->was, s->count, 1);
    SRI_ARENA_NEW(ctx, &s->memory, s->part, s->count, 2);
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
        s->part[2 * c] = by_error(s) ? target_square(s->products, c / T, c % T)
                                     : scale_of(s, c) * sri_dot(r, h, h);
    }
    s->together = s->coupling ? T : 1;
    for (int64_t c = 0; c < s->count; c++)
        s->rr[c] = sum_of(s, c, 0);
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
    by.w *= scale_of(s, c) / sri_products_mass(s->products, s->set[c]);
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

/* What a column adds to |a K p|^2, and to what the length of the step is divided by. */
static specreg_status find_curvature(specreg_context *ctx, void *payload, int64_t c)
{
    (void)ctx;
    const steps *s = payload;
    const int64_t n = s->products->source->at.r;
    const double a = scale_of(s, c), *v = s->V + c * n;
    s->part[2 * c] = a * a * sri_dot(n, v, s->Y + c * n);
    s->part[2 * c + 1] = by_error(s) ? a * sri_dot(n, v, v) : s->part[2 * c];
    return SPECREG_OK;
}

/* Whether a column steps: one whose residual is 0 stays. */
static bool moves(const steps *s, int64_t c)
{
    return sum_of(s, c, 1) > 0 && s->rr[c] > 0;
}

static specreg_status step_conjugate(specreg_context *ctx, void *payload, int64_t c)
{
    (void)ctx;
    const steps *s = payload;
    const int64_t n = s->products->source->at.r;
    const double *Gv = s->Y + c * n, *v = s->V + c * n, a = scale_of(s, c);
    double *x = s->X + c * n, *r = s->R + c * n;
    s->was[c] = NAN;
    if (!moves(s, c))
        return SPECREG_OK;
    const double length = s->rr[c] / sum_of(s, c, 1);
    for (int64_t j = 0; j < n; j++) {
        x[j] += length * a * v[j];
        r[j] -= length * a * Gv[j];
    }
    s->was[c] = s->rr[c];
    if (by_error(s))
        s->rr[c] = length * length * sum_of(s, c, 0) - s->rr[c];
    return SPECREG_OK;
}

static specreg_status find_square(specreg_context *ctx, void *payload, int64_t c)
{
    (void)ctx;
    const steps *s = payload;
    const int64_t n = s->products->source->at.r;
    const double *r = s->R + c * n;
    s->part[2 * c] = scale_of(s, c) * sri_dot(n, r, r);
    return SPECREG_OK;
}

static specreg_status turn(specreg_context *ctx, void *payload, int64_t c)
{
    (void)ctx;
    const steps *s = payload;
    const int64_t n = s->products->source->at.r;
    double *v = s->V + c * n;
    if (isnan(s->was[c]))
        return SPECREG_OK;
    if (!by_error(s))
        s->rr[c] = sum_of(s, c, 0);
    for (int64_t j = 0; j < n; j++)
        v[j] = s->R[c * n + j] + s->rr[c] / s->was[c] * v[j];
    return SPECREG_OK;
}

/* A step of conjugate gradients of all columns, with products at hand. */
static specreg_status step_together(specreg_context *ctx, steps *s)
{
    const int size = sri_crew_size();
    SRI_CALL(sri_crew_run(ctx, s->count, size, find_curvature, s));
    SRI_CALL(sri_crew_run(ctx, s->count, size, step_conjugate, s));
    if (!by_error(s))
        SRI_CALL(sri_crew_run(ctx, s->count, size, find_square, s));
    return sri_crew_run(ctx, s->count, size, turn, s);
}

/* The product, and the step of all columns. */
static specreg_status go_on(specreg_context *ctx, steps *s)
{
    const bool conjugate = is_conjugate(s);
    const sri_set_columns columns = {s->count, s->set, conjugate ? s->V : s->X};
    if (s->i > 1 || conjugate) /* x begins at 0, and Y too */
        SRI_CALL(sri_products_apply(ctx, s->products, columns, s->Y));
    return conjugate ? step_together(ctx, s)
                     : sri_crew_run(ctx, s->count, sri_crew_size(), step, s);
}

specreg_status sri_steps_solve(specreg_context *ctx, const sri_sums_question *q,
                               sri_products *products, sri_sums_path **path)
{
    specreg_status st = SPECREG_OK;
    steps s = {.products = products, .filter = &path[0]->filter, .coupling = q->coupling};
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

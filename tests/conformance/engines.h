/* Every filter through every engine against the long double answers of reference.h.
 *
 * Bounds.  An engine solves the problem for a matrix K + E with |E| <= 8 n eps |K|; a filter whose
 * values are at most g has slope at most g^2, so with cond = 1 + |K/n| g, |y| a column's norm,
 *     |error of alpha|    <= 8 n eps cond g |y| / n
 *     |error of residual| <= 8 n eps cond |y|,        the same for 1 - H_ii with |y| = 1.
 * A cut-off is not continuous: its slope is g / gap.  The polynomial r of t steps is at most 1 on
 * [0, 1], so its slope there is at most that at 0 (A. and V. Markov), which is g(0).  Krylov adds
 * the defect it stops at, 1e-12 |y|, times g / n in alpha.  Plain iteration of the nu-method, on K
 * or on a band, commits its error at each of t steps, and a second-order recurrence lets none of
 * them fade: nesterov, heavyball and chebyshev likewise. */
#ifndef TESTS_CONFORMANCE_ENGINES_H
#define TESTS_CONFORMANCE_ENGINES_H

#include <float.h>
#include <stdio.h>

#include "conformance/reference.h"
#include "kit/job.h"
#include "kit/kit.h"

/* ------------------------------------------------------------------------------- problems */

typedef struct problem {
    const char *kernel;
    sri_op *op;
    int64_t n, T;
    const double *Y;
    double *K;
    double kappa2;
    real *s, *Q; /* of K/n, descending; eigenvectors in columns */
} problem;

static inline void problem_start(specreg_context *ctx, problem *pb, const char *kernel, sri_op *op,
                                 const double *Y, int64_t T)
{
    *pb = (problem){.kernel = kernel, .op = op, .n = op->n, .T = T, .Y = Y};
    pb->K = malloc((size_t)(pb->n * pb->n) * sizeof *pb->K);
    CHECK_OK(ctx, sri_op_fill(ctx, op, true, pb->K));
    CHECK_OK(ctx, sri_op_kappa2(ctx, op, &pb->kappa2));
    pb->s = real_new(pb->n);
    pb->Q = real_new(pb->n * pb->n);
    ref_jacobi(pb->n, pb->K, pb->s, pb->Q);
}

static inline void problem_end(problem *pb)
{
    free(pb->Q);
    free(pb->s);
    free(pb->K);
}

/* -------------------------------------------------------------------------------- filters */

typedef enum family {
    TIKHONOV,
    ITERATED,
    ORDERS, /* iterated along its order, lambda = 0.01 */
    SHOWALTER,
    OWN,
    OWN_STEPS,
    TSVD,
    COMPONENTS,
    STEPS
} family;

typedef struct filter_case {
    const char *text; /* %g: half of the longest step */
    family family;
    int order;         /* of iterated */
    ref_scheme scheme; /* of STEPS    */
} filter_case;

static const filter_case CASES[] = {
    {"tikhonov", TIKHONOV, 1, {0}},
    {"iterated:order=1", ITERATED, 1, {0}},
    {"iterated:order=2", ITERATED, 2, {0}},
    {"iterated:order=5", ITERATED, 5, {0}},
    {"iterated:lambda=0.01", ORDERS, 0, {0}},
    {"showalter", SHOWALTER, 0, {0}},
    {"own:c=0.5", OWN, 0, {0}},
    {"own-steps", OWN_STEPS, 0, {0}},
    {"tsvd", TSVD, 0, {0}},
    {"tsvd", COMPONENTS, 0, {0}},
    {"landweber", STEPS, 0, {REF_LANDWEBER, 0}},
    {"landweber:step=norm", STEPS, 0, {REF_LANDWEBER, 0}},
    {"landweber:step=1.9/norm", STEPS, 0, {REF_LANDWEBER, 0}},
    {"landweber:step=%g", STEPS, 0, {REF_LANDWEBER, 0}},
    {"landweber:theta=0.5", STEPS, 0, {REF_LANDWEBER, 0.5L}},
    {"nu:nu=0.5", STEPS, 0, {REF_NU, 0.5L}},
    {"nu:nu=1", STEPS, 0, {REF_NU, 1}},
    {"nu:nu=5", STEPS, 0, {REF_NU, 5}},
    {"nu:nu=1,step=norm", STEPS, 0, {REF_NU, 1}},
    {"nesterov", STEPS, 0, {REF_NESTEROV, 2}},
    {"nesterov:beta=7,step=norm", STEPS, 0, {REF_NESTEROV, 7}},
    {"heavyball:momentum=0.75", STEPS, 0, {REF_HEAVYBALL, 0.75L}},
    {"chebyshev:lower=0.0625", STEPS, 0, {REF_CHEBYSHEV, 0.0625L}},
};
enum { N_CASES = sizeof CASES / sizeof *CASES, POINTS = 5 };

static inline double own_filter(double s, double lambda, const double *params, void *payload)
{
    (void)payload;
    return (1 + params[0] * lambda / (s + lambda)) / (s + lambda);
}

static inline double own_steps(double s, double t, const double *params, void *payload)
{
    (void)params, (void)payload;
    return t / (1 + s * t);
}

static inline void register_own_filter(specreg_context *ctx)
{
    static const specreg_param_def params[] = {{"c", 1}};
    const specreg_filter_def def = {sizeof def, "own", own_filter, params, 1, NULL, NULL};
    const specreg_filter_def steps = {sizeof steps, "own-steps", own_steps, NULL, 0, NULL, "t"};
    CHECK_OK(ctx, specreg_register_filter(ctx, &def));
    CHECK_OK(ctx, specreg_register_filter(ctx, &steps));
}

/* g and r at an eigenvalue, straight from the table in docs/MATH.md. */
static inline void ref_filter(const filter_case *c, real tau, real param, real s, real *g, real *r)
{
    const real x = s > 0 ? s : 0;
    switch (c->family) {
    case TIKHONOV:
    case ITERATED:
        *r = powl(param / (x + param), c->order);
        *g = x > 0 ? -expm1l(-c->order * log1pl(x / param)) / x : c->order / param;
        break;
    case ORDERS:
        *r = powl(0.01 / (x + 0.01), param);
        *g = x > 0 ? -expm1l(-param * log1pl(x / 0.01)) / x : param / 0.01;
        break;
    case SHOWALTER:
        *r = expl(-x / param);
        *g = x > 0 ? -expm1l(-x / param) / x : 1 / param;
        break;
    case OWN:
        *g = (1 + 0.5L * param / (x + param)) / (x + param);
        *r = 1 - x * *g;
        break;
    case OWN_STEPS:
        *g = param / (1 + x * param);
        *r = 1 / (1 + x * param);
        break;
    case TSVD:
    case COMPONENTS: /* here param is a threshold */
        *g = x >= param ? 1 / x : 0;
        *r = !(x >= param);
        break;
    case STEPS: {
        real a = 0, a_before = 0;
        for (int64_t i = 1; i <= (int64_t)param; i++) {
            real u, w, v;
            ref_step(c->scheme, i, &u, &w, &v);
            const real next = a + u * (a - a_before) + w * (1 - tau * x * (a + v * (a - a_before)));
            a_before = a;
            a = next;
        }
        *g = tau * a;
        *r = 1 - x * *g;
    }
    }
}

/* ------------------------------------------------------------------------------ the path */

typedef struct answer { /* for all points of a path */
    int64_t count;
    double param[POINTS];   /* what the engine is given     */
    real threshold[POINTS]; /* what ref_filter is given     */
    real gmax[POINTS];      /* the largest g on the spectrum    */
    real slope[POINTS];     /* the largest |r'|, see above      */
    real *alpha[POINTS], *residual[POINTS], *slack[POINTS], df[POINTS];
} answer;

static inline void keep_step(void *payload, int64_t step, const real *alpha, const real *residual);

typedef struct stepper {
    answer *a;
    int64_t size;
} stepper;

static inline void keep_step(void *payload, int64_t step, const real *alpha, const real *residual)
{
    const stepper *k = payload;
    for (int64_t i = 0; i < k->a->count; i++)
        if (k->a->param[i] == (double)step) {
            memcpy(k->a->alpha[i], alpha, (size_t)k->size * sizeof *alpha);
            memcpy(k->a->residual[i], residual, (size_t)k->size * sizeof *residual);
        }
}

/* Places to cut: the widest gaps in the spectrum above rounding, m ascending. */
static inline void choose_cuts(const problem *pb, const filter_case *c, answer *a)
{
    const int64_t n = pb->n;
    a->count = 0;
    for (int64_t m = 1; m <= n && a->count < POINTS; m++) {
        const real above = pb->s[m - 1], below = m < n ? fmaxl(pb->s[m], 0) : 0;
        if (above < 1e-9L * pb->s[0])
            break;
        if (below > 0.7L * above)
            continue;
        const int64_t i = a->count++;
        a->threshold[i] = below > 1e-12L * above ? sqrtl(above * below) : above / 2;
        a->param[i] = c->family == TSVD ? (double)a->threshold[i] : (double)m;
        a->slope[i] = 1 / (above - below);
    }
}

static inline void choose_path(const problem *pb, const filter_case *c, answer *a)
{
    static const double span[POINTS] = {1e-1, 1e-2, 1e-4, 1e-6, 1e-8},
                        t[POINTS] = {1, 2, 7, 50, 500}, order[POINTS] = {1, 2, 5, 12, 30};
    if (c->family == TSVD || c->family == COMPONENTS) {
        choose_cuts(pb, c, a);
        return;
    }
    a->count = POINTS;
    for (int i = 0; i < POINTS; i++)
        a->threshold[i] = a->param[i] = c->family == STEPS || c->family == OWN_STEPS ? t[i]
                                        : c->family == ORDERS                        ? order[i]
                                                              : span[i] * pb->kappa2;
}

/* Through the eigenvectors: what has no other route, and 1 - H_ii for all. */
static inline void answer_by_spectrum(const problem *pb, const filter_case *c, real tau, answer *a,
                                      int64_t i)
{
    const int64_t n = pb->n, T = pb->T;
    real g0, r0;
    ref_filter(c, tau, a->threshold[i], 0, &g0, &r0);
    a->slope[i] = fmaxl(a->slope[i], g0);
    a->df[i] = 0;
    for (int64_t j = 0; j < n; j++) {
        real g, r;
        ref_filter(c, tau, a->threshold[i], pb->s[j], &g, &r);
        a->gmax[i] = fmaxl(a->gmax[i], fabsl(g));
        a->df[i] += 1 - r;
        for (int64_t k = 0; k < n; k++)
            a->slack[i][k] += pb->Q[k * n + j] * pb->Q[k * n + j] * r;
        for (int64_t t = 0; t < T; t++) {
            real dot = 0;
            for (int64_t k = 0; k < n; k++)
                dot += pb->Q[k * n + j] * pb->Y[k * T + t];
            for (int64_t k = 0; k < n; k++)
                a->alpha[i][k * T + t] += g / (real)n * dot * pb->Q[k * n + j];
        }
    }
    ref_residual(n, T, pb->K, pb->Y, a->alpha[i], a->residual[i]);
}

static inline void answer_find(const problem *pb, const filter_case *c, double step, answer *a)
{
    const int64_t n = pb->n, T = pb->T;
    for (int64_t i = 0; i < a->count; i++) {
        a->alpha[i] = real_new(n * T);
        a->residual[i] = real_new(n * T);
        a->slack[i] = real_new(n);
        answer_by_spectrum(pb, c, step, a, i);
        if (c->family == TIKHONOV || c->family == ITERATED || c->family == ORDERS) {
            const bool orders = c->family == ORDERS;
            ref_iterated(n, T, pb->K, pb->Y, orders ? 0.01 : a->param[i],
                         orders ? (int)a->param[i] : c->order, a->alpha[i]);
            ref_residual(n, T, pb->K, pb->Y, a->alpha[i], a->residual[i]);
        }
    }
    if (c->family == STEPS)
        ref_iterate(n, T, pb->K, pb->Y, step, c->scheme, (int64_t)a->param[a->count - 1], keep_step,
                    &(stepper){a, n * T});
}

static inline void answer_free(answer *a)
{
    for (int64_t i = 0; i < a->count; i++) {
        free(a->alpha[i]);
        free(a->residual[i]);
        free(a->slack[i]);
    }
}

/* ------------------------------------------------------------------------ the worst errors */

typedef struct worst {
    char filter[80], engine[24], kernel[48], what[24];
    double error, bound;
} worst;
static worst table[200];
static int table_rows, violations;

static inline void note(const char *filter, const char *engine, const char *kernel,
                        const char *what, double param, double error, double bound)
{
    int i = 0;
    while (i < table_rows &&
           (strcmp(table[i].filter, filter) != 0 || strcmp(table[i].engine, engine) != 0))
        i++;
    if (i == table_rows && i < 200)
        snprintf(table[table_rows++].engine, sizeof table[i].engine, "%s", engine);
    if (i < 200 && (!table[i].bound || !(error / bound <= table[i].error / table[i].bound))) {
        snprintf(table[i].filter, sizeof table[i].filter, "%s", filter);
        snprintf(table[i].kernel, sizeof table[i].kernel, "%s", kernel);
        snprintf(table[i].what, sizeof table[i].what, "%s", what);
        table[i].error = error;
        table[i].bound = bound;
    }
    if (!(error <= bound) && violations++ < 40)
        printf("VIOLATION %s %s %s %s at %g: error %.3g, bound %.3g\n", filter, engine, kernel,
               what, param, error, bound);
}

static inline void check_table(void)
{
    printf("%-20s %-10s %-30s %-9s %9s %9s %7s\n", "filter", "engine", "worst kernel", "quantity",
           "error", "bound", "share");
    for (int i = 0; i < table_rows; i++)
        printf("%-20s %-10s %-30s %-9s %9.1e %9.1e %6.2f%%\n", table[i].filter, table[i].engine,
               table[i].kernel, table[i].what, table[i].error, table[i].bound,
               100 * table[i].error / table[i].bound);
    CHECK_EQ(violations, 0);
}

/* ----------------------------------------------------------------------------- comparison */

typedef struct comparer {
    sri_sink base;
    const problem *pb;
    const answer *a;
    const char *filter, *engine;
    double defect; /* what Krylov may leave, relative to |y|           */
    bool per_step; /* errors are committed at each step, and none fades */
    int64_t next;
    unsigned need;
} comparer;

static inline double column_error(int64_t n, int64_t T, int64_t t, const double *got,
                                  const real *expected)
{
    real sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (got[i * T + t] - expected[i * T + t]) * (got[i * T + t] - expected[i * T + t]);
    return (double)sqrtl(sum);
}

static inline specreg_status compare(specreg_context *ctx, sri_sink *self,
                                     const sri_path_point *point)
{
    (void)ctx;
    comparer *c = (comparer *)self;
    const problem *pb = c->pb;
    const int64_t n = pb->n, T = pb->T, i = c->next++;
    CHECK_EQ(point->index, i);
    CHECK_SAME(point->param, c->a->param[i]);
    const double g = (double)c->a->gmax[i];
    const double slope = fmax(g, (double)c->a->slope[i]);
    const double steps = c->per_step ? point->param : 1;
    const double tol = kit_tolerance(n, 1 + (double)pb->s[0] * slope) * steps + c->defect;
    for (int64_t t = 0; t < T; t++) {
        double y2 = 0;
        for (int64_t k = 0; k < n; k++)
            y2 += pb->Y[k * T + t] * pb->Y[k * T + t];
        const double y = sqrt(y2);
        const double da = column_error(n, T, t, point->alpha, c->a->alpha[i]);
        const double dr = column_error(n, T, t, point->residual, c->a->residual[i]);
        if (y == 0) {
            CHECK(da == 0 && dr == 0);
            continue;
        }
        if (g > 0)
            note(c->filter, c->engine, pb->kernel, "alpha", point->param, da * (double)n / (g * y),
                 tol);
        else
            CHECK(da == 0);
        note(c->filter, c->engine, pb->kernel, "residual", point->param, dr / y, tol);
    }
    CHECK((point->one_minus_h != NULL) == ((c->need & SRI_NEED_LEVERAGE) != 0));
    for (int64_t k = 0; point->one_minus_h && k < n; k++)
        note(c->filter, c->engine, pb->kernel, "1-H_ii", point->param,
             fabs(point->one_minus_h[k] - (double)c->a->slack[i][k]), tol);
    if (c->need & SRI_NEED_DF)
        note(c->filter, c->engine, pb->kernel, "df", point->param,
             fabs(point->df - (double)c->a->df[i]) / (double)n, tol);
    return SPECREG_OK;
}

/* Engines that run the recurrences as they stand. */
static inline bool takes_steps(const sri_engine *engine)
{
    return strcmp(engine->name, "iterate") == 0 || strcmp(engine->name, "band") == 0;
}

/* One filter through one engine. */
static inline void run_engine(specreg_context *ctx, const problem *pb, const filter_case *c,
                              const char *label, const sri_filter *filter, const answer *a,
                              const sri_engine *engine, const char *engine_label, unsigned need)
{
    sri_job job = kit_job(pb->op, pb->Y, pb->T, filter, a->param, a->count);
    job.request.need = need;
    if (engine->refuses(&job))
        return;
    comparer sink = {.base = {.put = compare},
                     .pb = pb,
                     .a = a,
                     .filter = label,
                     .engine = engine_label,
                     .defect = engine == &sri_engine_krylov ? 1e-12 : 0,
                     .per_step = c->scheme.kind != REF_LANDWEBER && takes_steps(engine),
                     .need = need};
    sri_report report = {0};
    CHECK_OK(ctx, sri_engine_run(ctx, engine, &job, &sink.base, &report));
    CHECK_EQ(sink.next, a->count);
    CHECK_EQ(report.fell_back, 0);
}

/* All filters of CASES through all engines.  `streamed` is the same operator, whose matrix will not
 * be stored, whatever the memory. */
static inline void conform(specreg_context *ctx, problem *pb, sri_op *streamed)
{
    const sri_op_ops *own = streamed->ops;
    static sri_op_ops forgetful;
    forgetful = *own;
    forgetful.prepare = NULL;
    streamed->ops = &forgetful;
    CHECK(sri_engine_at(3)); /* four engines at least: a list cut short would pass in silence */
    for (int k = 0; k < N_CASES; k++) {
        const filter_case *c = &CASES[k];
        char text[64], label[80];
        snprintf(text, sizeof text, c->text, 0.5 / pb->kappa2);
        snprintf(label, sizeof label, "%s%s", strstr(c->text, "%g") ? "landweber:step=0.5/k" : text,
                 c->family == COMPONENTS ? " components" : "");
        sri_filter filter;
        CHECK_OK(ctx, sri_filter_parse(ctx, text, &filter));
        CHECK_OK(ctx, sri_filter_prepare(ctx, &filter, pb->op));
        if (c->family == COMPONENTS)
            filter.path = SRI_PATH_COMPONENTS;
        if (c->family == ORDERS)
            filter.path = SRI_PATH_ORDER;
        answer a = {0};
        choose_path(pb, c, &a);
        answer_find(pb, c, filter.step, &a);
        for (int e = 0; sri_engine_at(e) && a.count; e++) {
            const sri_engine *engine = sri_engine_at(e);
            const unsigned all = SRI_NEED_LEVERAGE | SRI_NEED_DF;
            run_engine(ctx, pb, c, label, &filter, &a, engine, engine->name, 0);
            run_engine(ctx, pb, c, label, &filter, &a, engine, engine->name, all);
            if (engine == &sri_engine_krylov || engine == &sri_engine_iterate) {
                problem other = *pb;
                char name[24];
                other.op = streamed;
                snprintf(name, sizeof name, "%s*", engine->name);
                run_engine(ctx, &other, c, label, &filter, &a, engine, name, 0);
            }
        }
        answer_free(&a);
    }
    streamed->ops = own;
}

#endif

/* The spectrum of the sample's kernel matrix, with outputs that share a coupling that of Gamma, and
 * the filter on it. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "backend/blas.h"
#include "backend/eigen.h"
#include "engine/spectrum.h"
#include "portrait/parts.h"

enum { LISTED_FIRST = 100, MOST_LISTED = 300 };

typedef struct pair { /* an eigenvalue, and |y|^2 along its vector */
    double s, along;
} pair;

static int falling(const void *a, const void *b)
{
    const double x = ((const pair *)a)->s, y = ((const pair *)b)->s;
    return (x < y) - (x > y);
}

/* Leaves the eigenpairs with the operator, as engine eig does: those of unpenalised terms are
 * raised above the others and stay as they are. */
static specreg_status find_pairs(specreg_context *ctx, sri_portrait_sample *s)
{
    specreg_status st = SPECREG_OK;
    sri_op *op = s->op;
    const sri_projection *p = op->projection;
    double *V = NULL, *values = NULL, raised;
    s->n = op->n;
    s->m = op->n - (p && !p->pivots ? p->l : 0);
    SRI_REQUIRE(ctx, s->m > 0, SPECREG_E_UNAVAILABLE, "there are as many terms as rows");
    SRI_ALLOC(ctx, V, s->n, s->n);
    SRI_ALLOC(ctx, values, s->n, 1);
    SRI_TRY(sri_op_fill(ctx, op, false, V));
    SRI_TRY(sri_op_raise(ctx, op, 2, V, &raised));
    SRI_TRY(sri_poll(ctx));
    SRI_TRY(sri_eigen(ctx, s->n, V, values, true));
    SRI_TRY(sri_poll(ctx));
    for (int64_t j = 0; j < s->m; j++)
        values[j] = values[j] > 0 ? values[j] / op->mass : 0;
    SRI_REQUIRE(ctx, isfinite(values[s->m - 1]) && values[s->m - 1] > 0, SPECREG_E_UNAVAILABLE,
                "the kernel matrix has no positive eigenvalue");
    op->pairs = (sri_eigenpairs){V, values};
    V = values = NULL;
done:
    sri_free(V);
    sri_free(values);
    return st;
}

/* The targets along the eigenvectors: V S W^(1/2) Y, m x T. */
static specreg_status project_targets(specreg_context *ctx, const sri_portrait_sample *s,
                                      double *VY, double *total)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = &s->sub.problem;
    const int64_t n = s->n, T = problem->T;
    double *Y = NULL;
    SRI_ALLOC(ctx, Y, n, T);
    for (int64_t k = 0; k < n * T; k++)
        Y[k] = sqrt(sri_problem_weight(problem, k / T)) * problem->Y[k];
    if (s->op->projection)
        SRI_TRY(sri_project(ctx, s->op->projection, T, Y));
    *total = 0;
    for (int64_t k = 0; k < n * T; k++)
        *total += Y[k] * Y[k];
    sri_gemm(false, false, s->m, T, n, 1, s->op->pairs.V, n, Y, T, 0, VY, T);
done:
    sri_free(Y);
    return st;
}

/* The pairs of Gamma = K A: a_t s_j, along which y lies as V Y U' does; without a coupling those of
 * K, all outputs together. */
static specreg_status make_list(specreg_context *ctx, const sri_portrait_sample *s, pair *list,
                                int64_t *count, double *total)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = &s->sub.problem;
    const sri_coupling *c = sri_problem_coupling(problem, &s->of->found->kernel);
    const int64_t m = s->m, T = problem->T;
    double *VY = NULL, *rotated = NULL;
    *count = c ? m * T : m;
    SRI_ALLOC(ctx, VY, m, T);
    SRI_TRY(project_targets(ctx, s, VY, total));
    if (c && c->U) {
        SRI_ALLOC(ctx, rotated, m, T);
        sri_gemm(false, true, m, T, T, 1, VY, T, c->U, T, 0, rotated, T);
    }
    for (int64_t j = 0; j < *count; j++)
        list[j] = (pair){.s = s->op->pairs.s[c ? j / T : j]};
    for (int64_t k = 0; k < m * T; k++) {
        const double along = rotated ? rotated[k] : VY[k];
        list[c ? k : k / T].along += along * along;
        if (c && c->a)
            list[k].s *= c->a[k % T];
    }
    qsort(list, (size_t)*count, sizeof *list, falling);
done:
    sri_free(rotated);
    sri_free(VY);
    return st;
}

/* The first hundred one by one, then at equal ratios; the last one is among them. */
static specreg_status take_list(specreg_context *ctx, const pair *list, int64_t count, double total,
                                sri_portrait *out)
{
    specreg_status st = SPECREG_OK;
    sri_portrait_spectrum *spectrum = &out->spectrum;
    const double noise = (double)count * DBL_EPSILON * list[0].s;
    double sum = 0, next = 0, ratio;
    while (spectrum->rank < count && list[spectrum->rank].s > noise)
        spectrum->rank++;
    const int64_t rank = spectrum->rank;
    ratio = pow((double)rank / LISTED_FIRST, 1.0 / (MOST_LISTED - LISTED_FIRST - 2));
    const int64_t most = rank < MOST_LISTED ? rank : MOST_LISTED;
    SRI_SCRATCH_EACH(ctx, &out->memory, most, 1, &spectrum->index, &spectrum->eigenvalue,
                     &spectrum->share, &spectrum->sum);
    for (int64_t j = 0; j < count; j++)
        spectrum->trace += list[j].s;
    for (int64_t j = 0; j < rank; j++) {
        const int64_t k = spectrum->count;
        sum += list[j].along / total;
        if (rank > MOST_LISTED && j >= LISTED_FIRST && (double)(j + 1) < next && j < rank - 1)
            continue;
        if (k == most)
            break;
        next = fmax(next, (double)(j + 1)) * ratio;
        spectrum->index[k] = (double)(j + 1);
        spectrum->eigenvalue[k] = list[j].s;
        spectrum->share[k] = list[j].along / total;
        spectrum->sum[k] = sum;
        spectrum->count++;
    }
done:
    return st;
}

specreg_status sri_portrait_decompose(specreg_context *ctx, sri_portrait_sample *s)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = &s->sub.problem;
    pair *list = NULL;
    int64_t count;
    double total;
    SRI_TRY(sri_problem_op(ctx, problem, &s->of->found->kernel, &s->op));
    SRI_TRY(find_pairs(ctx, s));
    SRI_ALLOC(ctx, list, s->m, problem->T);
    SRI_TRY(make_list(ctx, s, list, &count, &total));
    SRI_TRY(take_list(ctx, list, count, total > 0 ? total : NAN, s->out));
done:
    sri_free(list);
    return st;
}

specreg_status sri_portrait_filter_on(specreg_context *ctx, sri_portrait_sample *s)
{
    specreg_status st = SPECREG_OK;
    sri_portrait *out = s->out;
    sri_portrait_filter *f = &out->filter;
    const sri_portrait_spectrum *spectrum = &out->spectrum;
    const int64_t count = out->path.count;
    double top, bottom, *param = NULL, *g = NULL, *r = NULL;
    const double *values = s->op->pairs.s;
    if (sri_filter_nonlinear(&s->filter)) {
        sri_portrait_lacks(out, "Conjugate gradients depend on y: they are no filter on the "
                                "spectrum alone.");
        return st;
    }
    if (!count)
        return st;
    const sri_job job = {.path = {&s->filter, s->param, count}};
    const sri_spectrum sp = {.n = s->n,
                             .m = s->m,
                             .s = s->op->pairs.s,
                             .noise = (double)s->n * DBL_EPSILON * values[s->m - 1]};
    SRI_ALLOC(ctx, param, count, 1);
    SRI_ALLOC(ctx, g, count, 1);
    SRI_ALLOC(ctx, r, count, 1);
    SRI_SCRATCH(ctx, &out->memory, f->s, SRI_PORTRAIT_FILTER, 1);
    SRI_SCRATCH(ctx, &out->memory, f->kept, count, SRI_PORTRAIT_FILTER);
    SRI_TRY(sri_spectrum_params(ctx, &job, &sp, param));
    top = log(spectrum->eigenvalue[0]);
    bottom = fmax(log(spectrum->eigenvalue[spectrum->count - 1]), top - log(1e14));
    for (int k = 0; k < SRI_PORTRAIT_FILTER; k++) {
        f->s[k] = exp(top + (bottom - top) * k / (SRI_PORTRAIT_FILTER - 1));
        s->filter.ops->eval(&s->filter, f->s[k], param, count, g, r);
        for (int64_t i = 0; i < count; i++)
            f->kept[i * SRI_PORTRAIT_FILTER + k] = 1 - r[i];
    }
done:
    sri_free(r);
    sri_free(g);
    sri_free(param);
    return st;
}

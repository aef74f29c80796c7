#include "select/learn.h"

#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/eigen.h"
#include "core/arena.h"
#include "engine/run.h"
#include "select/rule.h"

typedef struct learning {
    const sri_problem *problem;
    const sri_coupling *base;
    sri_kernel kernel; /* with the coupling of the turn */
    sri_kernel scalar; /* without                       */
    sri_learner *learner;
    sri_filter filter;
    double lambda, eps;
    int64_t T;
    double *root, *inverse;   /* T x T: P^(1/2), P^(-1/2)             */
    double *A, *B, *W, *work; /* T x T; W as P^(-1/2) W P^(-1/2)      */
    double *alpha, *F;        /* n x (outputs of a point): f, Y - residuals */
    double loss;              /* the mean squared residual, by weights */
} learning;

bool sri_kernel_learns(const sri_kernel *kernel)
{
    return sri_coupling_is_learned(kernel->term[0].coupling);
}

void sri_kernel_couple(sri_kernel *kernel, const sri_coupling *coupling)
{
    for (int t = 0; t < kernel->n_terms; t++)
        kernel->term[t].coupling = coupling;
}

void sri_learner_free(sri_learner *learner)
{
    sri_op_free(learner->op);
    learner->op = NULL;
}

/* out = V' diag(s^power) V, of eigenvectors in the rows of V; what is not above `least` is left
 * out. */
static void power_of(int64_t T, const double *V, const double *s, double power, double least,
                     double *out)
{
    memset(out, 0, (size_t)(T * T) * sizeof *out);
    for (int64_t k = 0; k < T; k++) {
        const double factor = s[k] > least ? pow(s[k], power) : 0;
        for (int64_t i = 0; factor != 0 && i < T; i++)
            for (int64_t j = 0; j < T; j++)
                out[i * T + j] += factor * V[k * T + i] * V[k * T + j];
    }
}

/* out = X M X for symmetric X. */
static void sandwich(const learning *l, const double *X, const double *M, double *out)
{
    const int64_t T = l->T;
    sri_gemm(false, false, T, T, T, 1, X, T, M, T, 0, l->work, T);
    sri_gemm(false, false, T, T, T, 1, l->work, T, X, T, 0, out, T);
}

/* ----------------------------------------------------------------- f for a given A */

typedef struct take_sink {
    sri_sink base;
    learning *l;
} take_sink;

/* Keeps the coefficients, f = Y - residuals without the unpenalised terms, and the loss. */
static specreg_status take(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    learning *l = ((take_sink *)self)->l;
    const sri_problem *problem = l->problem;
    const int64_t n = problem->n, T = problem->T, terms = problem->unpenalised.l;
    double mass = 0;
    memcpy(l->alpha, point->alpha, (size_t)(n * T) * sizeof *l->alpha);
    for (int64_t k = 0; k < n * T; k++)
        l->F[k] = problem->Y[k] - point->residual[k];
    if (point->beta)
        sri_gemm(false, false, n, T, terms, -1, problem->unpenalised.P, terms, point->beta, T, 1,
                 l->F, T);
    l->loss = 0;
    for (int64_t i = 0; i < n; i++) {
        const double w = sri_problem_weight(problem, i);
        mass += w * (problem->points->share ? problem->points->share[i] : 1);
        for (int64_t t = 0; t < T; t++)
            l->loss += w * point->residual[i * T + t] * point->residual[i * T + t];
    }
    l->loss /= mass;
    return SPECREG_OK;
}

/* Where every row has all outputs the operator is the same in all turns, and keeps its
 * eigenpairs. */
static specreg_status fit(specreg_context *ctx, learning *l)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = l->problem;
    const bool labelled = sri_points_labelled(problem->points);
    take_sink sink = {.base = {.put = take}, .l = l};
    const sri_engine *engine;
    sri_report report = {0};
    sri_op *own = NULL, **op = labelled ? &own : &l->learner->op;
    if (!*op)
        SRI_TRY(sri_problem_op(ctx, problem, &l->kernel, op));
    else
        sri_op_couple(*op, &l->kernel);
    SRI_REQUIRE(ctx, (*op)->centres.n == problem->n, SPECREG_E_ARG,
                "outputs learn: a model with fewer centres than rows has no matrix to learn from");
    const sri_engine_problem asked = {.op = *op,
                                      .Y = problem->Y,
                                      .T = problem->T,
                                      .folds = {.n = problem->n},
                                      .coupling = sri_problem_coupling(problem, &l->kernel)};
    const sri_path path = {.filter = &l->filter, .param = &l->lambda, .count = 1};
    const sri_request request = {.memory = problem->resources.memory,
                                 .machine = problem->resources.machine};
    const sri_hint hint = {.operator_jobs =
                               labelled ? 1 : (int64_t)l->base->param[SRI_LEARN_ITERATIONS] + 1};
    sri_job job = sri_job_make(&asked, &path, &request, &hint);
    const bool decomposes =
        !labelled && problem->n <= SRI_EIG_MAX &&
        32.0 * (double)problem->n * (double)problem->n < (double)problem->resources.memory;
    SRI_TRY(sri_engine_plan(ctx, decomposes ? "eig" : "auto", &job, &engine, NULL));
    SRI_TRY(sri_engine_run(ctx, engine, &job, &sink.base, &report));
    SRI_TRY(sri_poll(ctx));
done:
    sri_op_free(own);
    return st;
}

/* G_st = sum of alpha_i k(x_i, x_j) alpha_j over the points i of output s and j of output t. */
static specreg_status gather(specreg_context *ctx, const learning *l, double *G)
{
    enum { ROWS = 256 };
    specreg_status st = SPECREG_OK;
    const sri_points *points = l->problem->points;
    const int32_t *label = points->rows.label;
    const int64_t n = points->n, T = l->T;
    double *K = NULL;
    memset(G, 0, (size_t)(T * T) * sizeof *G);
    SRI_ALLOC(ctx, K, n < ROWS ? n : ROWS, n);
    for (int64_t first = 0; first < n; first += ROWS) {
        const int64_t count = n - first < ROWS ? n - first : ROWS;
        const sri_rows_view part = sri_view_slice(&points->rows, first, count);
        SRI_TRY(sri_kernel_block(ctx, &l->scalar, &part, points, K, n));
        for (int64_t i = 0; i < count; i++) {
            double *row = G + label[first + i] * T;
            for (int64_t j = 0; j < n; j++)
                row[label[j]] += l->alpha[first + i] * K[i * n + j] * l->alpha[j];
        }
        SRI_TRY(sri_poll(ctx));
    }
done:
    sri_free(K);
    return st;
}

/* W of f = K alpha A, in the coordinates of B. */
static specreg_status products(specreg_context *ctx, learning *l)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = l->T;
    double *M = NULL;
    SRI_ALLOC(ctx, M, T, T);
    if (sri_points_labelled(l->problem->points)) {
        SRI_TRY(gather(ctx, l, M));
        sandwich(l, l->A, M, l->W);
    } else { /* A alpha' F, and F = K alpha A */
        sri_gemm(true, false, T, T, l->problem->n, 1, l->alpha, T, l->F, T, 0, M, T);
        sri_gemm(false, false, T, T, T, 1, l->A, T, M, T, 0, l->W, T);
    }
    sandwich(l, l->inverse, l->W, M);
    for (int64_t i = 0; i < T; i++)
        for (int64_t j = 0; j < T; j++)
            l->W[i * T + j] = (M[i * T + j] + M[j * T + i]) / 2;
done:
    sri_free(M);
    return st;
}

/* ----------------------------------------------------------------- A for a given f */

/* The eigenvalues b_j of B from those of W + eps I, w_j: sum w_j / b_j is least for b_j in
 * proportion to w_j^(1 / (norm + 1)). */
static void spread(double norm, int64_t T, double *w)
{
    double sum = 0;
    for (int64_t j = 0; j < T; j++)
        sum += norm > 0 ? pow(w[j], norm / (norm + 1)) : log(w[j]);
    sum /= (double)T;
    const double scale = norm > 0 ? pow(sum, -1 / norm) : exp(-sum);
    for (int64_t j = 0; j < T; j++)
        w[j] = scale * pow(w[j], 1 / (norm + 1));
}

static specreg_status improve(specreg_context *ctx, learning *l)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = l->T;
    sri_arena scratch = {0};
    double *V, *w;
    SRI_SCRATCH(ctx, &scratch, V, T, T);
    SRI_SCRATCH(ctx, &scratch, w, T, 1);
    memcpy(V, l->W, (size_t)(T * T) * sizeof *V);
    SRI_TRY(sri_eigen(ctx, T, V, w, true));
    for (int64_t j = 0; j < T; j++)
        w[j] = fmax(w[j], 0) + l->eps;
    spread(l->base->param[SRI_LEARN_NORM], T, w);
    power_of(T, V, w, 1, 0, l->B);
    sandwich(l, l->root, l->B, l->A);
    for (int64_t i = 0; i < T; i++)
        for (int64_t j = 0; j < i; j++)
            l->A[j * T + i] = l->A[i * T + j];
done:
    sri_arena_free(&scratch);
    return st;
}

/* lambda tr(B^-1 (W + eps I)). */
static specreg_status penalty(specreg_context *ctx, const learning *l, double *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = l->T;
    sri_arena scratch = {0};
    double *V, *b;
    SRI_SCRATCH(ctx, &scratch, V, T, T);
    SRI_SCRATCH(ctx, &scratch, b, T, 1);
    memcpy(V, l->B, (size_t)(T * T) * sizeof *V);
    SRI_TRY(sri_eigen(ctx, T, V, b, true));
    *out = 0;
    for (int64_t k = 0; k < T; k++) {
        double along = l->eps;
        for (int64_t i = 0; i < T; i++)
            for (int64_t j = 0; j < T; j++)
                along += V[k * T + i] * l->W[i * T + j] * V[k * T + j];
        *out += l->lambda * along / b[k];
    }
done:
    sri_arena_free(&scratch);
    return st;
}

/* ----------------------------------------------------------------- by turns */

static specreg_status begin(specreg_context *ctx, learning *l, sri_arena *memory)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = l->T, size = l->problem->n * l->problem->T;
    double kappa2;
    sri_op *op = NULL;
    SRI_SCRATCH_EACH(ctx, memory, T, T, &l->root, &l->inverse, &l->A, &l->B, &l->W, &l->work);
    SRI_SCRATCH_EACH(ctx, memory, size, 1, &l->alpha, &l->F);
    power_of(T, l->base->U, l->base->a, 0.5, 0, l->root);
    power_of(T, l->base->U, l->base->a, -0.5, 0, l->inverse);
    memset(l->B, 0, (size_t)(T * T) * sizeof *l->B);
    for (int64_t t = 0; t < T; t++)
        l->B[t * T + t] = 1;
    memcpy(l->A, l->base->A, (size_t)(T * T) * sizeof *l->A);
    SRI_TRY(sri_filter_parse(ctx, "tikhonov", &l->filter));
    SRI_TRY(
        sri_op_kernel_weighted(ctx, &l->scalar, l->problem->points, l->problem->rows.weight, &op));
    SRI_TRY(sri_op_kappa2(ctx, op, &kappa2));
    l->lambda = l->base->param[SRI_LEARN_LAMBDA] * kappa2;
    SRI_TRY(fit(ctx, l));
    SRI_TRY(products(ctx, l));
    for (int64_t t = 0; t < T; t++)
        l->eps += l->base->param[SRI_LEARN_PENALTY] * l->W[t * T + t] / (double)T;
done:
    sri_op_free(op);
    return st;
}

/* A, then f with it.  The coupling of the turn takes the place of the one before. */
static specreg_status turn(specreg_context *ctx, learning *l, sri_coupling **coupling,
                           double *objective)
{
    SRI_CALL(improve(ctx, l));
    sri_coupling_free(*coupling);
    *coupling = NULL;
    SRI_CALL(sri_coupling_with(ctx, l->base, l->A, coupling));
    sri_kernel_couple(&l->kernel, *coupling);
    SRI_CALL(fit(ctx, l));
    SRI_CALL(products(ctx, l));
    SRI_CALL(penalty(ctx, l, objective));
    *objective += l->loss;
    return SPECREG_OK;
}

static specreg_status alternate(specreg_context *ctx, learning *l, bool *ended, sri_coupling **out)
{
    const double tolerance = l->base->param[SRI_LEARN_TOLERANCE];
    double before, now;
    SRI_CALL(penalty(ctx, l, &before));
    before += l->loss;
    *ended = !(l->eps > 0); /* f is 0, and nothing is learned from it */
    if (*ended)
        return sri_coupling_with(ctx, l->base, l->A, out);
    for (int64_t i = 0; !*ended && i < (int64_t)l->base->param[SRI_LEARN_ITERATIONS]; i++) {
        SRI_CALL(turn(ctx, l, out, &now));
        *ended = before - now <= tolerance * now;
        before = now;
    }
    return SPECREG_OK;
}

specreg_status sri_learn(specreg_context *ctx, const sri_problem *problem, sri_learner *learner,
                         sri_kernel *kernel, bool *ended, sri_coupling **out)
{
    specreg_status st = SPECREG_OK;
    sri_arena memory = {0};
    sri_learner own = {0};
    bool own_ended;
    *out = NULL;
    if (!sri_kernel_learns(kernel))
        return st;
    if (learner && learner->op && !sri_kernel_same_scalar(&learner->kernel, kernel))
        sri_learner_free(learner);
    learning l = {.problem = problem,
                  .base = sri_kernel_coupling(kernel),
                  .kernel = *kernel,
                  .scalar = *kernel,
                  .learner = learner ? learner : &own,
                  .T = sri_kernel_coupling(kernel)->T};
    sri_kernel_couple(&l.scalar, NULL);
    l.learner->kernel = l.scalar;
    SRI_TRY(begin(ctx, &l, &memory));
    SRI_TRY(alternate(ctx, &l, ended ? ended : &own_ended, out));
    sri_kernel_couple(kernel, *out);
done:
    if (st != SPECREG_OK) {
        sri_coupling_free(*out);
        *out = NULL;
    }
    sri_learner_free(&own);
    sri_arena_free(&memory);
    return st;
}

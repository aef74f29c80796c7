/* Features that are not penalised, through every filter and engine, against a slow and obvious
 * way: an orthonormal basis Q2 of what the features P leave is made by hand, Q2'KQ2 decomposed
 * by Jacobi rotations in long double, c = Q2 g(...) Q2'y / n, and beta fits y - K c by normal
 * equations.  For Tikhonov the system with K + n lambda I, P and P' is solved as it stands, too.
 * Machines without a fold are made anew from the rows that are left. */
#include <stdio.h>

#include "conformance/reference.h"
#include "kit/job.h"
#include "kit/kit.h"

enum { N = 36, T = 2, L = 3, POINTS = 3, FOLDS = 3 };

typedef struct answer {
    real c[N * T], beta[L * T], residual[N * T], slack[N], df;
    double g; /* the largest on the spectrum, times |K/n|: how rounding grows */
} answer;

/* ------------------------------------------------------------------- the obvious way */

/* Columns of Q (m x m): the first l span P (m x l), the others what is orthogonal to it. */
static void whole_basis(int m, int l, const real *P, real *Q)
{
    int have = 0;
    for (int k = 0; have < m; k++) { /* the features, then unit vectors */
        real v[N], norm = 0;
        for (int i = 0; i < m; i++)
            v[i] = k < l ? P[i * l + k] : i == k - l;
        for (int twice = 0; twice < 2; twice++)
            for (int j = 0; j < have; j++) {
                real dot = 0;
                for (int i = 0; i < m; i++)
                    dot += Q[i * m + j] * v[i];
                for (int i = 0; i < m; i++)
                    v[i] -= dot * Q[i * m + j];
            }
        for (int i = 0; i < m; i++)
            norm += v[i] * v[i];
        if (k >= l && norm < 1e-4L)
            continue;
        for (int i = 0; i < m; i++)
            Q[i * m + have] = v[i] / sqrtl(norm);
        have++;
    }
}

/* Least squares: beta (l x T) for R (m x T) by normal equations. */
static void fit_features(int m, int l, const real *P, const real *R, real *beta)
{
    real A[L * L], b[L * T];
    for (int a = 0; a < l; a++) {
        for (int k = 0; k < l; k++) {
            A[a * l + k] = 0;
            for (int i = 0; i < m; i++)
                A[a * l + k] += P[i * l + a] * P[i * l + k];
        }
        for (int t = 0; t < T; t++) {
            b[a * T + t] = 0;
            for (int i = 0; i < m; i++)
                b[a * T + t] += P[i * l + a] * R[i * T + t];
        }
    }
    for (int k = 0; k < l; k++) /* Gauss-Jordan, the matrix is definite */
        for (int a = 0; a < l; a++) {
            if (a == k)
                continue;
            const real f = A[a * l + k] / A[k * l + k];
            for (int j = 0; j < l; j++)
                A[a * l + j] -= f * A[k * l + j];
            for (int t = 0; t < T; t++)
                b[a * T + t] -= f * b[k * T + t];
        }
    for (int a = 0; a < l; a++)
        for (int t = 0; t < T; t++)
            beta[a * T + t] = b[a * T + t] / A[a * l + a];
}

/* A machine of the rows row[0 .. m), each as often as its weight says where that is a whole number:
 * rows of weight w are taken as sqrt(w) K sqrt(w), mass the sum of the weights. */
static void solve(int m, const int *row, const double *K, const double *P, const double *Y,
                  const double *weight, const sri_filter *filter, double param, answer *out)
{
    real *Pw = real_new(m * L), *Q = real_new(m * m), *R = real_new(m * T);
    const int d = m - L;
    double *M = calloc((size_t)(d * d), sizeof *M), mass = 0;
    real *s = real_new(d), *E = real_new(d * d);
    for (int a = 0; a < m; a++) {
        const real w = weight ? sqrtl(weight[row[a]]) : 1;
        mass += weight ? weight[row[a]] : 1;
        for (int j = 0; j < L; j++)
            Pw[a * L + j] = w * P[row[a] * L + j];
    }
    whole_basis(m, L, Pw, Q);
    for (int a = 0; a < d; a++)
        for (int b = 0; b < d; b++) {
            real sum = 0;
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++)
                    sum += Q[i * m + L + a] * K[row[i] * N + row[j]] * Q[j * m + L + b] *
                           (weight ? sqrtl(weight[row[i]] * weight[row[j]]) : 1);
            M[a * d + b] = (double)(sum * d / mass);
        }
    ref_jacobi(d, M, s, E);
    memset(out, 0, sizeof *out);
    out->df = L;
    for (int j = 0; j < d; j++) {
        double g, r, at = fmax(0, (double)s[j]);
        const double points[1] = {param};
        filter->ops->eval(filter, at, points, 1, &g, &r);
        out->g = fmax(out->g, 1 + fabs(g) * (double)s[0]);
        out->df += 1 - r;
        real v[N] = {0}, dot[T] = {0};
        for (int i = 0; i < m; i++) {
            for (int a = 0; a < d; a++)
                v[i] += Q[i * m + L + a] * E[a * d + j];
            for (int t = 0; t < T; t++)
                dot[t] += v[i] * Y[row[i] * T + t] * (weight ? sqrtl(weight[row[i]]) : 1);
            out->slack[i] += v[i] * v[i] * r;
        }
        for (int i = 0; i < m; i++)
            for (int t = 0; t < T; t++)
                out->c[i * T + t] +=
                    (weight ? sqrtl(weight[row[i]]) : 1) * v[i] * g * dot[t] / mass;
    }
    for (int i = 0; i < m; i++)
        for (int t = 0; t < T; t++) {
            R[i * T + t] = Y[row[i] * T + t];
            for (int j = 0; j < m; j++)
                R[i * T + t] -= K[row[i] * N + row[j]] * out->c[j * T + t];
        }
    for (int i = 0; i < m * T; i++)
        R[i] *= weight ? sqrtl(weight[row[i / T]]) : 1;
    fit_features(m, L, Pw, R, out->beta);
    for (int i = 0; i < m; i++)
        for (int t = 0; t < T; t++) {
            out->residual[i * T + t] = R[i * T + t] / (weight ? sqrtl(weight[row[i]]) : 1);
            for (int j = 0; j < L; j++)
                out->residual[i * T + t] -= P[row[i] * L + j] * out->beta[j * T + t];
        }
    free(E);
    free(s);
    free(M);
    free(R);
    free(Q);
    free(Pw);
}

/* ------------------------------------------------------------------- problems */

typedef struct problem {
    const char *name;
    double *x, *Y, *P, *weight, *K;
    sri_kernel_grid grid;
    sri_kernel kernel;
    sri_points *points;
} problem;

static problem make(specreg_context *ctx, const char *kernel, bool weighted)
{
    enum { p = 4 };
    problem q = {.name = kernel, .x = kit_normal(51, N, p), .Y = kit_normal(52, N, T)};
    q.P = calloc(N * L, sizeof *q.P);
    q.K = calloc(N * N, sizeof *q.K);
    if (weighted)
        q.weight = calloc(N, sizeof *q.weight);
    for (int i = 0; i < N; i++) {
        const double row[L] = {1, 3 + q.x[i * p], exp(0.3 * q.x[i * p + 1])};
        memcpy(q.P + i * L, row, sizeof row);
        q.Y[i * T] = 5 + 2 * q.x[i * p] + sin(2 * q.x[i * p + 1]) + 0.1 * q.Y[i * T];
        if (weighted)
            q.weight[i] = 0.3 + (double)(i * i % 5);
    }
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, kernel, &q.grid));
    q.kernel = sri_kernel_grid_at(&q.grid, 0);
    CHECK_OK(ctx, sri_points_new(ctx, q.x, N, p, false, &q.points));
    sri_op *op;
    CHECK_OK(ctx, sri_op_kernel(ctx, &q.kernel, q.points, &op));
    CHECK_OK(ctx, sri_op_fill(ctx, op, true, q.K));
    sri_op_free(op);
    return q;
}

static void drop(problem *q)
{
    sri_points_free(q->points);
    sri_kernel_grid_free(&q->grid);
    free(q->weight);
    free(q->K);
    free(q->P);
    free(q->Y);
    free(q->x);
}

static char ONE[] = "one", LINEAR[] = "linear", EXP[] = "exp";
static char *const NAMES[L] = {ONE, LINEAR, EXP};

static sri_op *projected(specreg_context *ctx, const problem *q, bool pivots)
{
    sri_op *op;
    sri_projection *p;
    const sri_features features = {.P = q->P, .l = L, .name = NAMES, .pivots = pivots};
    CHECK_OK(ctx, sri_op_kernel_weighted(ctx, &q->kernel, q->points, q->weight, &op));
    CHECK_OK(ctx, sri_projection_new(ctx, &features, N, q->weight, &p));
    CHECK_OK(ctx, sri_op_projected(ctx, op, p, &op));
    return op;
}

/* ------------------------------------------------------------------- comparison */

typedef struct comparer {
    sri_sink base;
    const problem *q;
    const answer *a;  /* POINTS */
    const real *held; /* POINTS x (N x T), or NULL */
    const char *label;
    unsigned need;
    double defect;
    int64_t seen;
} comparer;

static double distance(const double *got, const real *expected, int count)
{
    real worst = 0;
    for (int i = 0; i < count; i++)
        worst = fmaxl(worst, fabsl(got[i] - expected[i]));
    return (double)worst;
}

static specreg_status compare(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    comparer *c = (comparer *)self;
    const answer *a = &c->a[point->index];
    const double tol = kit_tolerance(N, a->g) + c->defect;
    double y = 0;
    for (int i = 0; i < N * T; i++)
        y = fmax(y, fabs(c->q->Y[i]));
    c->seen++;
    CHECK_WORST(c->label, distance(point->residual, a->residual, N * T) / y, tol);
    CHECK_WORST(c->label, distance(point->alpha, a->c, N * T) / (a->g * y), tol);
    CHECK(point->beta != NULL);
    CHECK_WORST(c->label, distance(point->beta, a->beta, L * T) / (10 * y), 10 * tol);
    if (c->need & SRI_NEED_LEVERAGE)
        CHECK_WORST(c->label, distance(point->one_minus_h, a->slack, N), tol);
    if (c->need & SRI_NEED_DF)
        CHECK_WORST(c->label, fabs(point->df - (double)a->df) / N, tol);
    if (c->held) /* what fold machines amplify is not bounded by 1 */
        CHECK_WORST(c->label,
                    distance(point->fold_residual, c->held + point->index * N * T, N * T) /
                        (10 * y),
                    10 * tol);
    for (int j = 0; j < L; j++) { /* P'c = 0 */
        double dot = 0;
        for (int i = 0; i < N; i++)
            dot += c->q->P[i * L + j] * point->alpha[i * T];
        CHECK(fabs(dot) <= 1e-12 * a->g * y * N);
    }
    return SPECREG_OK;
}

static int run_engine(specreg_context *ctx, const problem *q, const sri_engine *engine,
                      sri_job *job, const answer *a, const real *held)
{
    if (engine == &sri_engine_lowrank)
        CHECK_OK(ctx, sri_engine_look(ctx, "lowrank", job));
    if (sri_engine_refuses(engine, job))
        return 0;
    comparer sink = {.base = {.put = compare},
                     .q = q,
                     .a = a,
                     .held = held,
                     .label = engine->name,
                     .need = job->request.need,
                     .defect = engine == &sri_engine_krylov    ? 1e-12
                               : engine == &sri_engine_lowrank ? 1e-10
                                                               : 0};
    sri_report report = {0};
    CHECK_OK(ctx, sri_engine_run(ctx, engine, job, &sink.base, &report));
    CHECK_EQ(sink.seen, POINTS);
    return 1;
}

typedef struct filter_case {
    const char *text;
    double param[POINTS];
} filter_case;

static const filter_case CASES[] = {
    {"tikhonov", {1e-1, 1e-3, 1e-6}},  {"iterated:order=3", {1e-1, 1e-2, 1e-4}},
    {"showalter", {1e-1, 1e-2, 1e-3}}, {"landweber:step=0.05", {1, 5, 60}},
    {"nu:nu=1,step=0.05", {1, 5, 60}},
};
enum { N_CASES = sizeof CASES / sizeof *CASES };

static int check_case(specreg_context *ctx, const problem *q, const filter_case *c, unsigned need)
{
    sri_filter filter;
    sri_op *op = projected(ctx, q, false);
    answer *a = calloc(POINTS, sizeof *a);
    real *held = need & SRI_NEED_FOLDS ? real_new(POINTS * N * T) : NULL;
    int32_t fold[N];
    int all[N], rest[N], served = 0;
    CHECK_OK(ctx, sri_filter_parse(ctx, c->text, &filter));
    CHECK_OK(ctx, sri_filter_prepare(ctx, &filter, op));
    for (int i = 0; i < N; i++) {
        all[i] = i;
        fold[i] = i % 5 == 2 ? 0 : i < 12 ? 1 : 2;
    }
    for (int k = 0; k < POINTS; k++) {
        solve(N, all, q->K, q->P, q->Y, q->weight, &filter, c->param[k], &a[k]);
        for (int f = 0; held && f < FOLDS; f++) {
            answer part;
            int m = 0;
            for (int i = 0; i < N; i++)
                if (fold[i] != f)
                    rest[m++] = i;
            solve(m, rest, q->K, q->P, q->Y, q->weight, &filter, c->param[k], &part);
            a[k].g = fmax(a[k].g, part.g);
            for (int i = 0; i < N; i++)
                for (int t = 0; t < T && fold[i] == f; t++) {
                    real v = q->Y[i * T + t];
                    for (int j = 0; j < m; j++)
                        v -= q->K[i * N + rest[j]] * part.c[j * T + t];
                    for (int j = 0; j < L; j++)
                        v -= q->P[i * L + j] * part.beta[j * T + t];
                    held[(k * N + i) * T + t] = v;
                }
        }
    }
    sri_job job = kit_job(op, q->Y, T, &filter, c->param, POINTS);
    kit_job_folds(&job, fold, FOLDS, 1);
    job.request.need = need;
    for (int e = 0; sri_engine_at(e); e++)
        served += run_engine(ctx, q, sri_engine_at(e), &job, a, held);
    free(held);
    free(a);
    sri_op_free(op);
    return served;
}

/* `least`: filters times engines that serve any kernel; a linear one has primal and lowrank,
 * too. */
static void check_all(specreg_context *ctx, unsigned need, int least)
{
    /* with a narrow kernel Krylov spaces become whole */
    static const char *const kernels[] = {"rbf:sigma=2", "rbf:sigma=0.7", "0.5*linear"};
    for (int k = 0; k < 6; k++) {
        problem q = make(ctx, kernels[k / 2], k % 2);
        int served = 0;
        for (int c = 0; c < N_CASES; c++)
            served += check_case(ctx, &q, &CASES[c], need);
        CHECK(served >= least + (k >= 4 ? 2 * N_CASES : 0));
        drop(&q);
    }
}

TEST(features, coefficients_and_residuals_of_every_engine_are_those_of_the_obvious_way)
{
    check_all(ctx, 0, 5 + 2 + 4 + 5 + 2); /* eig, cholesky, band, krylov, iterate */
}

TEST(features, leverages_and_degrees_of_freedom_count_the_features)
{
    check_all(ctx, SRI_NEED_LEVERAGE | SRI_NEED_DF, 5 + 1 + 1); /* eig, cholesky, band */
}

TEST(features, machines_without_a_fold_are_those_of_the_rows_that_are_left)
{
    check_all(ctx, SRI_NEED_FOLDS, 2 + 5 + 2); /* eig, krylov, iterate */
}

/* ------------------------------------------------------------------- the system itself */

typedef struct keep {
    sri_sink base;
    double alpha[N * T], beta[L * T], residual[N * T];
} keep;

static specreg_status keep_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    keep *k = (keep *)self;
    memcpy(k->alpha, point->alpha, sizeof k->alpha);
    memcpy(k->beta, point->beta, sizeof k->beta);
    memcpy(k->residual, point->residual, sizeof k->residual);
    return SPECREG_OK;
}

static keep run_one(specreg_context *ctx, sri_op *op, const double *Y, const sri_engine *engine,
                    double lambda)
{
    keep k = {.base = {.put = keep_put}};
    sri_filter filter;
    sri_report report = {0};
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &filter));
    CHECK_OK(ctx, sri_filter_prepare(ctx, &filter, op));
    sri_job job = kit_job(op, Y, T, &filter, &lambda, 1);
    CHECK_OK(ctx, sri_engine_run(ctx, engine, &job, &k.base, &report));
    return k;
}

TEST(features, tikhonov_solves_the_system_with_the_features_beside_the_kernel)
{
    problem q = make(ctx, "rbf:sigma=2", false);
    sri_op *op = projected(ctx, &q, false);
    const double lambda = 1e-3;
    const keep k = run_one(ctx, op, q.Y, &sri_engine_cholesky, lambda);
    for (int i = 0; i < N; i++)
        for (int t = 0; t < T; t++) {
            double sum = N * lambda * k.alpha[i * T + t];
            for (int j = 0; j < N; j++)
                sum += q.K[i * N + j] * k.alpha[j * T + t];
            for (int j = 0; j < L; j++)
                sum += q.P[i * L + j] * k.beta[j * T + t];
            CHECK_NEAR(sum, q.Y[i * T + t], kit_tolerance(N, 1 + 1 / lambda));
        }
    sri_op_free(op);
    drop(&q);
}

TEST(features, what_they_explain_leaves_nothing_to_the_kernel_whatever_lambda)
{
    problem q = make(ctx, "rbf:sigma=2", false);
    sri_op *op = projected(ctx, &q, false);
    static const double beta[L * T] = {1, -2, 0.5, 3, 40, -7};
    double Y[N * T];
    for (int i = 0; i < N; i++)
        for (int t = 0; t < T; t++) {
            Y[i * T + t] = 0;
            for (int j = 0; j < L; j++)
                Y[i * T + t] += q.P[i * L + j] * beta[j * T + t];
        }
    for (double lambda = 1; lambda > 1e-14; lambda *= 1e-3)
        for (int e = 0; e < 2; e++) {
            const keep k = run_one(ctx, op, Y, e ? &sri_engine_krylov : &sri_engine_eig, lambda);
            for (int i = 0; i < N * T; i++)
                CHECK(k.alpha[i] == 0);
            CHECK_ARRAY_NEAR(k.beta, beta, L * T, kit_tolerance(N, 10));
        }
    sri_op_free(op);
    drop(&q);
}

/* The algorithm as printed: Lagrange functions of the pivots, H from the kernel by hand, and
 * equations (26) and (27). */
TEST(features, pivots_give_the_printed_algorithm)
{
    problem q = make(ctx, "rbf:sigma=2", false);
    sri_op *op = projected(ctx, &q, true);
    const double lambda = 1e-3;
    const sri_projection *p = op->projection;
    int pivot[L], at = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < L; j++)
            if (p->D[j * N + i] == 1)
                pivot[j] = i, at++;
    CHECK_EQ(at, L);
    /* phi'_j(x_i): P_i P_pivots^-1, by Cramer's rule for 3 x 3 */
    real A[9], det = 0, phi[N * L];
    for (int j = 0; j < L; j++)
        for (int k = 0; k < L; k++)
            A[j * 3 + k] = q.P[pivot[j] * L + k];
    for (int k = 0; k < 3; k++)
        det += A[k] *
               (A[3 + (k + 1) % 3] * A[6 + (k + 2) % 3] - A[3 + (k + 2) % 3] * A[6 + (k + 1) % 3]);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < L; j++) {
            real B[9], d = 0; /* row j of A replaced by P_i */
            memcpy(B, A, sizeof B);
            for (int k = 0; k < L; k++)
                B[j * 3 + k] = q.P[i * L + k];
            for (int k = 0; k < 3; k++)
                d += B[k] * (B[3 + (k + 1) % 3] * B[6 + (k + 2) % 3] -
                             B[3 + (k + 2) % 3] * B[6 + (k + 1) % 3]);
            phi[i * L + j] = d / det;
        }
    double *H = calloc(N * N, sizeof *H), b[N * T];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            real h = q.K[i * N + j];
            for (int a = 0; a < L; a++) {
                h -=
                    phi[i * L + a] * q.K[pivot[a] * N + j] + phi[j * L + a] * q.K[pivot[a] * N + i];
                for (int c = 0; c < L; c++)
                    h += phi[i * L + a] * phi[j * L + c] * q.K[pivot[a] * N + pivot[c]];
            }
            H[i * N + j] = (double)h;
        }
        for (int t = 0; t < T; t++) {
            real v = q.Y[i * T + t];
            for (int a = 0; a < L; a++)
                v -= phi[i * L + a] * q.Y[pivot[a] * T + t];
            b[i * T + t] = (double)v;
        }
    }
    const keep k = run_one(ctx, op, q.Y, &sri_engine_eig, lambda);
    real *c = real_new(N * T);
    ref_iterated(N, T, H, b, lambda, 1, c); /* rows of pivots are 0 = 0 */
    for (int i = 0; i < N; i++)
        for (int t = 0; t < T; t++) {
            real f = 0; /* the printed estimator at x_i, and the model's */
            for (int a = 0; a < L; a++)
                f += phi[i * L + a] * q.Y[pivot[a] * T + t];
            for (int j = 0; j < N; j++)
                f += H[i * N + j] * c[j * T + t];
            double got = 0;
            for (int j = 0; j < N; j++)
                got += q.K[i * N + j] * k.alpha[j * T + t];
            for (int j = 0; j < L; j++)
                got += q.P[i * L + j] * k.beta[j * T + t];
            CHECK_NEAR(got, (double)f, kit_tolerance(N, 10 / lambda));
            CHECK_NEAR(q.Y[i * T + t] - got, k.residual[i * T + t], kit_tolerance(N, 10 / lambda));
        }
    for (int a = 0; a < L; a++)
        CHECK(fabs(k.residual[pivot[a] * T]) < 1e-10); /* met exactly */
    free(c);
    free(H);
    sri_op_free(op);
    drop(&q);
}

TEST(features, those_that_depend_on_each_other_are_named)
{
    problem q = make(ctx, "rbf:sigma=2", false);
    sri_projection *p;
    sri_features f = {.P = q.P, .l = L, .name = NAMES};
    int64_t first;
    for (int i = 0; i < N; i++)
        q.P[i * L + 2] = 2 * q.P[i * L] - 0.5 * q.P[i * L + 1];
    CHECK_FAILS(ctx, sri_projection_new(ctx, &f, N, NULL, &p), SPECREG_E_NUMERIC, "'exp' depends");
    CHECK_OK(ctx, sri_features_dependent(ctx, q.P, N, L, NULL, &first));
    CHECK_EQ(first, 2);
    CHECK_FAILS(ctx, sri_projection_new(ctx, &f, 3, NULL, &p), SPECREG_E_SHAPE, "3 of them for 3");
    for (int i = 0; i < N; i++)
        q.P[i * L] = 0;
    CHECK_FAILS(ctx, sri_projection_new(ctx, &f, N, NULL, &p), SPECREG_E_NUMERIC,
                "'one' is 0 in every row");
    drop(&q);
}

/* A feature that only one row has: that row cannot be left out, nor its fold. */
TEST(features, rows_without_which_they_depend_cannot_be_left_out)
{
    problem q = make(ctx, "rbf:sigma=2", false);
    int32_t fold[N];
    double lambda = 0.1;
    sri_filter filter;
    sri_report report = {0};
    keep k = {.base = {.put = keep_put}};
    for (int i = 0; i < N; i++) {
        q.P[i * L + 2] = i == 4;
        fold[i] = i % FOLDS;
    }
    sri_op *op = projected(ctx, &q, false);
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &filter));
    sri_job job = kit_job(op, q.Y, T, &filter, &lambda, 1);
    kit_job_folds(&job, fold, FOLDS, 1);
    job.request.need = SRI_NEED_LEVERAGE;
    CHECK_FAILS(ctx, sri_engine_run(ctx, &sri_engine_eig, &job, &k.base, &report),
                SPECREG_E_NUMERIC, "without row 5");
    job.request.need = SRI_NEED_FOLDS;
    static const sri_engine *const engines[] = {&sri_engine_krylov, &sri_engine_eig};
    for (int e = 0; e < 2; e++)
        CHECK_FAILS(ctx, sri_engine_run(ctx, engines[e], &job, &k.base, &report), SPECREG_E_NUMERIC,
                    "without the rows of fold 2");
    sri_op_free(op);
    drop(&q);
}

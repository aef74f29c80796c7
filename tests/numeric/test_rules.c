/* Rules that choose along a path, against slow versions written from their definitions with the
 * kernel matrix at hand: discrepancy, balancing, quasi-optimality, L-curve; the a priori choice. */
#include "numeric/oracle.h"
#include "numeric/search_check.h"
#include "kit/job.h"

enum { MOST = 64 }; /* points of a path */

typedef struct problem {
    int64_t n, T;
    double *X, *Y, *K;
    sri_problem problem;
    sri_trace trace;
    double *param, *alpha, *residual, *df;
} problem;

static double sinc(double x)
{
    return x == 0 ? 1 : sin(x) / x;
}

/* sinc(x + t) on [-10, 10] with noise of a known deviation, rbf of width `sigma`. */
static problem make(int64_t n, int64_t T, double noise, double sigma, uint64_t seed)
{
    problem d = {.n = n, .T = T};
    double *e = kit_normal(seed + 1000, n, T);
    d.X = kit_uniform(seed, n, 1);
    d.Y = malloc((size_t)(n * T) * sizeof *d.Y);
    for (int64_t i = 0; i < n; i++)
        d.X[i] = 20 * d.X[i] - 10;
    for (int64_t k = 0; k < n * T; k++)
        d.Y[k] = sinc(d.X[k / T] + (double)(k % T)) + noise * e[k];
    d.K = gram(k_rbf, &sigma, d.X, n, d.X, n, 1);
    d.problem = (sri_problem){.Y = d.Y, .n = n, .T = T};
    free(e);
    return d;
}

static void problem_free(problem *d)
{
    free(d->df);
    free(d->residual);
    free(d->alpha);
    free(d->param);
    free(d->K);
    free(d->Y);
    free(d->X);
}

typedef struct keeper {
    sri_sink base;
    problem *d;
} keeper;

static specreg_status keep(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    problem *d = ((keeper *)self)->d;
    const int64_t size = d->n * d->T;
    memcpy(d->alpha + point->index * size, point->alpha, (size_t)size * sizeof(double));
    memcpy(d->residual + point->index * size, point->residual, (size_t)size * sizeof(double));
    d->df[point->index] = point->df;
    return SPECREG_OK;
}

/* The filter's automatic path through the decomposition; `values` in its place where not NULL. */
static void run(specreg_context *ctx, problem *d, const char *filter_text, const char *values)
{
    sri_filter filter;
    sri_op *op;
    sri_values path;
    sri_report report = {0};
    bool is_auto;
    CHECK_OK(ctx, sri_filter_parse(ctx, filter_text, &filter));
    CHECK_OK(ctx, kit_op_matrix(ctx, d->K, d->n, &op));
    CHECK_OK(ctx, sri_filter_prepare(ctx, &filter, op));
    if (values)
        CHECK_OK(ctx, sri_path_parse(ctx, &filter, values, &path, &is_auto));
    else
        CHECK_OK(ctx, sri_path_auto(ctx, &filter, d->n, 1, &path));
    CHECK(path.count <= MOST);
    d->param = malloc(MOST * sizeof(double));
    d->df = malloc(MOST * sizeof(double));
    d->alpha = malloc((size_t)(MOST * d->n * d->T) * sizeof(double));
    d->residual = malloc((size_t)(MOST * d->n * d->T) * sizeof(double));
    memcpy(d->param, path.v, (size_t)path.count * sizeof(double));
    keeper sink = {{.put = keep}, d};
    sri_job job = kit_job(op, d->Y, d->T, &filter, path.v, path.count);
    job.request.need = SRI_NEED_DF;
    CHECK_OK(ctx, sri_engine_run(ctx, &sri_engine_eig, &job, &sink.base, &report));
    d->trace = (sri_trace){NULL, path.count, d->param, d->alpha, d->residual, d->df};
    sri_values_free(&path);
    sri_op_free(op);
}

/* Paths that end at g = 1e6 at most: a double alpha gives K alpha back to 8 n eps 1e6 |y|. */
static const char *const PATHS[][2] = {{"tikhonov", "lambda=log:1e-6:1:31"},
                                       {"iterated", "lambda=log:2e-6:1:31"},
                                       {"landweber", NULL},
                                       {"nu", NULL}};
static const double CONDITION = 1e6;

typedef struct choice {
    specreg_status st;
    int64_t i;
    sri_score score[MOST];
} choice;

static sri_trace trace_of(const problem *d)
{
    sri_trace trace = d->trace;
    trace.problem = &d->problem;
    return trace;
}

static choice choose(specreg_context *ctx, const problem *d, const char *text)
{
    sri_rule rule;
    choice c = {.i = -1};
    CHECK_OK(ctx, sri_rule_parse(ctx, text, &rule));
    const sri_trace trace = trace_of(d);
    c.st = rule.ops->choose(ctx, &rule, &trace, c.score, &c.i);
    if (c.st == SPECREG_OK)
        for (int64_t i = 0; i < d->trace.count; i++) {
            CHECK_SAME(c.score[i].df, d->df[i]);
            CHECK(isnan(c.score[i].stderr_));
        }
    sri_rule_free(&rule);
    return c;
}

/* -------------------------------------------------------------------- slow answers */

static real weight(const problem *d, int64_t i)
{
    return d->problem.rows.weight ? d->problem.rows.weight[i] : 1;
}

/* Fitted values K alpha of the difference of two points; j < 0: of point i itself. */
static real *fitted(const problem *d, int64_t i, int64_t j, real *difference)
{
    const int64_t size = d->n * d->T;
    real *f = real_new(size);
    for (int64_t k = 0; k < size; k++)
        difference[k] = (real)d->alpha[i * size + k] - (j < 0 ? 0 : (real)d->alpha[j * size + k]);
    for (int64_t a = 0; a < d->n; a++)
        for (int64_t b = 0; b < d->n; b++)
            for (int64_t t = 0; t < d->T; t++)
                f[a * d->T + t] += d->K[a * d->n + b] * difference[b * d->T + t];
    return f;
}

/* |f_i - f_j|^2 in the kernel's space and in the empirical norm. */
static void norms(const problem *d, int64_t i, int64_t j, double *space, double *empirical)
{
    const int64_t size = d->n * d->T;
    real *difference = real_new(size), *f = fitted(d, i, j, difference), h = 0, e = 0, total = 0;
    for (int64_t k = 0; k < size; k++) {
        h += difference[k] * f[k];
        e += weight(d, k / d->T) * f[k] * f[k];
        total += weight(d, k / d->T);
    }
    *space = (double)h;
    *empirical = (double)(e / total);
    free(f);
    free(difference);
}

static double residual_mse(const problem *d, int64_t i)
{
    const int64_t size = d->n * d->T;
    real sum = 0, total = 0;
    for (int64_t k = 0; k < size; k++) {
        sum += weight(d, k / d->T) * d->residual[i * size + k] * d->residual[i * size + k];
        total += weight(d, k / d->T);
    }
    return (double)(sum / total);
}

/* sqrt(RSS / (n - df)) at the least GCV among the points with df up to n/2. */
static double estimated_noise(const problem *d)
{
    const double n = (double)d->n;
    double least = INFINITY, noise = NAN;
    for (int64_t i = 0; i < d->trace.count; i++) {
        const double gcv = residual_mse(d, i) / pow(1 - d->df[i] / n, 2);
        if (d->df[i] <= n / 2 && gcv < least) {
            least = gcv;
            noise = sqrt(residual_mse(d, i) * n / (n - d->df[i]));
        }
    }
    return noise;
}

static int64_t slow_discrepancy(const problem *d, double noise)
{
    for (int64_t i = 0; i < d->trace.count; i++)
        if (sqrt(residual_mse(d, i)) <= noise)
            return i;
    return d->trace.count - 1;
}

/* The largest |f_i - f_j|_n / (noise sqrt(df_j/n)), j > i. */
static double slow_contradiction(const problem *d, double noise, int64_t i)
{
    double worst = 0, space, empirical;
    for (int64_t j = i + 1; j < d->trace.count; j++) {
        norms(d, i, j, &space, &empirical);
        worst = fmax(worst, sqrt(empirical / (d->df[j] / (double)d->n)) / noise);
    }
    return worst;
}

/* Least local minimum of v[0..count), ends excluded; where there is none the least of all. */
static int64_t slow_least(const double *v, int64_t count)
{
    int64_t best = -1;
    for (int64_t k = 1; k + 1 < count; k++)
        if (v[k - 1] > v[k] && v[k] <= v[k + 1] && (best < 0 || v[k] < v[best]))
            best = k;
    for (int64_t k = 0; k < count && best < 0; k++) {
        bool least = true;
        for (int64_t j = 0; j < count; j++)
            least = least && v[k] <= v[j];
        best = least ? k : -1;
    }
    return best;
}

/* Points with df up to n/2 that differ from the one before by more than 1e-9 |f|. */
static int64_t slow_points(const problem *d, int64_t *kept)
{
    int64_t count = 0;
    for (int64_t i = 0; i < d->trace.count; i++) {
        double difference = 1, own = 0, e;
        if (count) {
            norms(d, kept[count - 1], i, &difference, &e);
            norms(d, i, -1, &own, &e);
        }
        if (d->df[i] <= (double)d->n / 2 && difference > 1e-18 * own)
            kept[count++] = i;
    }
    return count;
}

/* --------------------------------------------------------------------- discrepancy */

TEST(discrepancy, takes_the_smoothest_point_whose_residuals_reach_the_noise)
{
    for (int64_t T = 1; T <= 3; T += 2) {
        problem d = make(60, T, 0.1, 1, 5);
        run(ctx, &d, "tikhonov", NULL);
        choice c = choose(ctx, &d, "discrepancy:noise=0.1");
        CHECK_EQ(c.i, slow_discrepancy(&d, 0.1));
        CHECK(c.i > 0 && c.i < d.trace.count - 1);
        for (int64_t i = 0; i < d.trace.count; i++)
            CHECK_NEAR(c.score[i].value, residual_mse(&d, i), kit_tolerance(d.n * T, 1));
        CHECK_EQ(choose(ctx, &d, "discrepancy:noise=1e9").i, 0);
        CHECK_EQ(choose(ctx, &d, "discrepancy:noise=1e-300").i, d.trace.count - 1); /* none */
        CHECK_EQ(choose(ctx, &d, "discrepancy").i, slow_discrepancy(&d, estimated_noise(&d)));
        problem_free(&d);
    }
}

TEST(discrepancy, estimates_the_noise_within_15_percent)
{
    static const double noises[] = {0.05, 0.1, 0.3};
    sri_rule rule;
    CHECK_OK(ctx, sri_rule_parse(ctx, "discrepancy", &rule));
    for (uint64_t seed = 1; seed <= 6; seed++)
        for (int k = 0; k < 3; k++) {
            problem d = make(300, 1, noises[k], seed % 2 ? 1 : 2, seed);
            double noise;
            run(ctx, &d, seed % 3 ? "tikhonov" : "landweber", NULL);
            const sri_trace trace = trace_of(&d);
            CHECK_OK(ctx, sri_trace_noise(ctx, &rule, &trace, &noise));
            CHECK_NEAR(noise, estimated_noise(&d), kit_tolerance(300, 1));
            CHECK_WORST("noise, relative to the true one", fabs(noise / noises[k] - 1), 0.15);
            problem_free(&d);
        }
    sri_rule_free(&rule);
}

/* A weight of 2 and the same row twice are the same norm; so is any common factor. */
TEST(discrepancy, weighs_rows)
{
    problem d = make(40, 2, 0.1, 1, 3);
    double w[40], doubled[MOST];
    run(ctx, &d, "tikhonov", "lambda=log:1e-6:1:20");
    for (int64_t i = 0; i < 40; i++)
        w[i] = i % 3 == 0 ? 2 : 1;
    for (int64_t i = 0; i < d.trace.count; i++) {
        real sum = 0, rows = 0;
        for (int64_t k = 0; k < 80; k++)
            for (int copy = 0; copy < (int)w[k / 2]; copy++, rows++)
                sum += d.residual[i * 80 + k] * d.residual[i * 80 + k];
        doubled[i] = (double)(sum / rows);
    }
    for (int factor = 0; factor < 2; factor++) {
        d.problem.rows.weight = w;
        const choice c = choose(ctx, &d, "discrepancy:noise=0.1");
        for (int64_t i = 0; i < d.trace.count; i++)
            CHECK_NEAR(c.score[i].value, doubled[i], kit_tolerance(80, 1));
        CHECK_EQ(c.i, slow_discrepancy(&d, 0.1));
        for (int64_t i = 0; i < 40; i++)
            w[i] *= 7;
    }
    problem_free(&d);
}

/* ----------------------------------------------------------------------- balancing */

TEST(balancing, takes_the_smoothest_point_that_no_rougher_one_contradicts)
{
    double w[40];
    for (int f = 0; f < 4; f++)
        for (int weighted = 0; weighted < 2; weighted++) {
            problem d = make(40, 1 + f % 3, 0.1, 1, 7);
            run(ctx, &d, PATHS[f][0], PATHS[f][1]);
            for (int64_t i = 0; i < 40; i++)
                w[i] = 1 + (double)(i % 4);
            d.problem.rows.weight = weighted ? w : NULL;
            const choice c = choose(ctx, &d, "balancing:noise=0.1");
            const choice wide = choose(ctx, &d, "balancing:noise=0.1,constant=4");
            int64_t first = -1, first_wide = -1;
            for (int64_t i = d.trace.count - 1; i >= 0; i--) {
                const double value = slow_contradiction(&d, 0.1, i);
                CHECK_WORST("balancing", fabs(c.score[i].value - value),
                            kit_tolerance(d.n, CONDITION) / 0.1);
                first = value <= 1 ? i : first;
                first_wide = value <= 4 ? i : first_wide;
            }
            CHECK_EQ(c.i, first);
            CHECK_EQ(wide.i, first_wide);
            CHECK(wide.i < c.i); /* more patience, smoother */
            problem_free(&d);
        }
}

/* ----------------------------------------------------------------- quasi-optimality */

static void check_quasi(specreg_context *ctx, const problem *d, double tol)
{
    int64_t kept[MOST];
    double v[MOST], e;
    const choice c = choose(ctx, d, "quasi");
    const int64_t count = slow_points(d, kept);
    for (int64_t k = 0; k + 1 < count; k++) {
        norms(d, kept[k], kept[k + 1], &v[k], &e);
        v[k] = sqrt(v[k]) / fabs(log(d->param[kept[k + 1]]) - log(d->param[kept[k]]));
        CHECK_WORST("quasi-optimality", fabs(c.score[kept[k]].value / v[k] - 1), tol);
    }
    int64_t values = 0;
    for (int64_t i = 0; i < d->trace.count; i++)
        values += !isnan(c.score[i].value);
    CHECK_EQ(values, count - 1);
    CHECK_EQ(c.i, kept[slow_least(v, count - 1)]);
}

TEST(quasi, takes_the_least_difference_of_neighbours_inside_the_path)
{
    for (int f = 0; f < 4; f++)
        for (int64_t T = 1; T <= 2; T++) {
            problem d = make(50, T, 0.1, 1, 11);
            run(ctx, &d, PATHS[f][0], PATHS[f][1]);
            check_quasi(ctx, &d, kit_tolerance(d.n, CONDITION) / 0.01); /* steps are 1 % of f */
            problem_free(&d);
        }
}

/* Thresholds with no eigenvalue between them give one model, and it counts once. */
TEST(quasi, merges_points_that_are_the_same_model)
{
    problem d = make(40, 1, 0.1, 2, 2);
    run(ctx, &d, "tsvd", "lambda=log:1e-5:1:60");
    int64_t same = 0, size = d.n;
    for (int64_t i = 1; i < d.trace.count; i++)
        same += memcmp(d.alpha + i * size, d.alpha + (i - 1) * size, sizeof(double[40])) == 0;
    CHECK(same > 10);
    check_quasi(ctx, &d, kit_tolerance(d.n, 1e5) / 0.01);
    const choice c = choose(ctx, &d, "quasi");
    CHECK(c.i == 0 || d.df[c.i] > d.df[c.i - 1]); /* the first of its like */
    problem_free(&d);
}

/* -------------------------------------------------------------------------- L-curve */

/* A path whose points lie on a circle of radius 2: its curvature is 1/2 everywhere, seen from the
 * inside of the corner.  One row suffices: |f|^2 = alpha (y - r). */
TEST(lcurve, finds_the_curvature_of_a_circle)
{
    enum { L = 40 };
    const double y = 1e4; /* so large that alpha rises where |f| does */
    double param[L], alpha[L], residual[L], df[L];
    for (int i = 0; i < L; i++) { /* from the foot (angle -pi/2) leftwards up to the stem (-pi) */
        const double angle = -1.6 - 1.5 * i / (L - 1);
        residual[i] = exp(2 * cos(angle));
        alpha[i] = exp(2 * (2 * sin(angle))) / (y - residual[i]);
        param[i] = pow(0.5, i);
        df[i] = 0.01 * i;
    }
    problem d = {.n = 1, .T = 1};
    d.problem = (sri_problem){.Y = &y, .n = 1, .T = 1};
    d.trace = (sri_trace){NULL, L, param, alpha, residual, df};
    d.df = df;
    const choice c = choose(ctx, &d, "lcurve");
    CHECK_EQ(c.st, SPECREG_OK);
    for (int i = 1; i < L - 1; i++) /* steps of 1.5/39 radians: h^2/6 */
        CHECK_NEAR(c.score[i].value, -0.5, 1e-3);
    CHECK(isnan(c.score[0].value) && isnan(c.score[L - 1].value));
}

TEST(lcurve, takes_the_largest_curvature_over_the_log_of_the_parameter)
{
    for (int f = 0; f < 4; f++)
        for (int64_t T = 1; T <= 2; T++) {
            problem d = make(50, T, 0.1, 1, 4);
            run(ctx, &d, PATHS[f][0], PATHS[f][1]);
            const choice c = choose(ctx, &d, "lcurve");
            int64_t kept[MOST], best = -1;
            const int64_t count = slow_points(&d, kept);
            double x[MOST], y[MOST], u[MOST], largest = -INFINITY, f2, e;
            for (int64_t k = 0; k < count; k++) {
                norms(&d, kept[k], -1, &f2, &e);
                u[k] = fabs(log(d.param[kept[k]]));
                x[k] = log(residual_mse(&d, kept[k])) / 2;
                y[k] = log(f2) / 2;
            }
            for (int64_t k = 1; k + 1 < count; k++) { /* Lagrange's parabolas */
                const double a = u[k - 1], b = u[k], g = u[k + 1];
                const double p = 1 / ((a - b) * (a - g)), q = 1 / ((b - a) * (b - g)),
                             s = 1 / ((g - a) * (g - b));
                const double dx =
                    x[k - 1] * p * (b - g) + x[k] * q * (2 * b - a - g) + x[k + 1] * s * (b - a);
                const double dy =
                    y[k - 1] * p * (b - g) + y[k] * q * (2 * b - a - g) + y[k + 1] * s * (b - a);
                const double ddx = 2 * (x[k - 1] * p + x[k] * q + x[k + 1] * s);
                const double ddy = 2 * (y[k - 1] * p + y[k] * q + y[k + 1] * s);
                const double curvature = (dy * ddx - dx * ddy) / pow(hypot(dx, dy), 3);
                CHECK_WORST("curvature", fabs(c.score[kept[k]].value + curvature),
                            kit_tolerance(d.n, CONDITION) / 0.01);
                if (curvature > largest) {
                    largest = curvature;
                    best = kept[k];
                }
            }
            CHECK_EQ(c.i, best);
            CHECK(largest > 0);
            problem_free(&d);
        }
}

/* ------------------------------------------------------------------- what may go wrong */

static const char *const RULES[] = {"discrepancy:noise=0.1", "balancing:noise=0.1", "quasi",
                                    "lcurve"};

TEST(rules, never_take_a_point_that_is_not_a_number)
{
    for (int r = 0; r < 4; r++) {
        problem d = make(30, 1, 0.1, 1, 8);
        run(ctx, &d, "tikhonov", NULL);
        const int64_t before = choose(ctx, &d, RULES[r]).i;
        for (int64_t k = 0; k < d.n; k++) /* the chosen point and the roughest are broken */
            d.alpha[before * d.n + k] = d.residual[before * d.n + k] =
                d.residual[(d.trace.count - 1) * d.n + k] = k % 2 ? NAN : INFINITY;
        d.df[before] = NAN;
        const choice c = choose(ctx, &d, RULES[r]);
        CHECK_EQ(c.st, SPECREG_OK);
        CHECK(c.i >= 0 && c.i != before && c.i < d.trace.count - 1);
        problem_free(&d);
    }
}

TEST(rules, survive_interpolation)
{
    for (int r = 0; r < 4; r++) {
        problem d = make(30, 1, 0.1, 1, 8);
        run(ctx, &d, "tikhonov", NULL);
        const choice before = choose(ctx, &d, RULES[r]);
        const int64_t last = d.trace.count - 1;
        for (int64_t k = 0; k < d.n; k++) /* one more point that repeats the data */
            d.residual[last * d.n + k] = 0;
        d.df[last] = (double)d.n;
        const choice c = choose(ctx, &d, RULES[r]);
        CHECK_EQ(c.i, before.i);
        for (int64_t i = 0; i < last; i++)
            CHECK(!isinf(c.score[i].value));
        const sri_trace trace = trace_of(&d);
        CHECK(isnan(sri_trace_gcv(&trace, last)));
        problem_free(&d);
    }
}

TEST(rules, take_the_only_point_of_a_path_and_the_l_curve_asks_for_five)
{
    for (int r = 0; r < 4; r++) {
        problem d = make(30, 1, 0.1, 1, 8);
        run(ctx, &d, "tikhonov", "lambda=0.01");
        const choice c = choose(ctx, &d, RULES[r]);
        if (r < 3) {
            CHECK_EQ(c.st, SPECREG_OK);
            CHECK_EQ(c.i, 0);
        } else {
            CHECK_EQ(c.st, SPECREG_E_ARG);
            CHECK_HAS(specreg_last_error(ctx), "at least 5 points");
        }
        problem_free(&d);
    }
}

TEST(rules, say_when_the_noise_cannot_be_estimated)
{
    problem d = make(30, 1, 0.1, 0.1, 8);
    sri_filter cg, tikhonov;
    run(ctx, &d, "tikhonov", "lambda={1e-9,1e-10}"); /* a narrow kernel: df near n */
    CHECK(d.df[0] > 29);
    CHECK_EQ(choose(ctx, &d, "discrepancy").st, SPECREG_E_NUMERIC);
    CHECK_HAS(specreg_last_error(ctx), "noise=NUMBER");
    CHECK_EQ(choose(ctx, &d, "balancing").st, SPECREG_E_NUMERIC);
    CHECK_OK(ctx, sri_filter_parse(ctx, "cg", &cg));
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &tikhonov));
    static const char *const texts[] = {"discrepancy", "discrepancy:noise=1", "balancing:noise=1"};
    static const char *const answers[] = {"noise=NUMBER", NULL, "degrees of freedom"};
    for (int k = 0; k < 3; k++) {
        sri_rule rule;
        CHECK_OK(ctx, sri_rule_parse(ctx, texts[k], &rule));
        CHECK_OK(ctx, search_check(ctx, &rule, &d.problem, &tikhonov));
        if (answers[k])
            CHECK_FAILS(ctx, search_check(ctx, &rule, &d.problem, &cg), SPECREG_E_ARG, answers[k]);
        else
            CHECK_OK(ctx, search_check(ctx, &rule, &d.problem, &cg));
    }
    problem_free(&d);
}

/* Two equal outputs choose what one does; their norms are sums, their errors means. */
TEST(rules, sum_norms_and_average_errors_over_outputs)
{
    problem one = make(40, 1, 0.1, 1, 9), two = make(40, 2, 0.1, 1, 9);
    for (int64_t k = 0; k < 80; k++)
        two.Y[k] = one.Y[k / 2];
    run(ctx, &one, "tikhonov", NULL);
    run(ctx, &two, "tikhonov", NULL);
    static const double factor[] = {1, 1, M_SQRT2, 1};
    for (int r = 0; r < 4; r++) {
        const choice a = choose(ctx, &one, RULES[r]), b = choose(ctx, &two, RULES[r]);
        CHECK_EQ(a.i, b.i);
        CHECK_NEAR(b.score[b.i].value, factor[r] * a.score[a.i].value, 1e-8);
    }
    problem_free(&two);
    problem_free(&one);
}

TEST(rules, ask_for_df_where_kernels_are_compared_or_noise_is_unknown)
{
    static const struct {
        const char *rule;
        int64_t kernels;
        bool df, df_of_cg;
    } cases[] = {{"discrepancy", 1, true, false},
                 {"discrepancy:noise=1", 1, false, false},
                 {"discrepancy:noise=1", 3, true, false},
                 {"balancing:noise=1", 1, true, false},
                 {"apriori", 1, false, false},
                 {"apriori", 2, true, false},
                 {"gcv", 1, true, true},
                 {"bound", 5, false, false}};
    sri_filter cg, tikhonov;
    CHECK_OK(ctx, sri_filter_parse(ctx, "cg", &cg));
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &tikhonov));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        sri_rule rule;
        CHECK_OK(ctx, sri_rule_parse(ctx, cases[k].rule, &rule));
        CHECK_EQ((sri_rule_need(&rule, &tikhonov, cases[k].kernels) & SRI_NEED_DF) != 0,
                 cases[k].df);
        CHECK_EQ((sri_rule_need(&rule, &cg, cases[k].kernels) & SRI_NEED_DF) != 0,
                 cases[k].df_of_cg);
    }
}

/* -------------------------------------------------------------------------- a priori */

/* 2 sqrt(2) kappa^2 log(4/eta) / sqrt(n): with eta = 4/e^2, n = 800 and kappa^2 = 5 it is 1. */
TEST(apriori, is_the_formula_of_the_theorem_for_every_filter)
{
    static const struct {
        const char *filter;
        double param;
    } cases[] = {{"tikhonov", 1},
                 {"iterated", 1},
                 {"tsvd", 1},
                 {"showalter", 1},
                 {"landweber:step=0.03", 34},
                 {"nu:step=0.03", 6},
                 {"landweber:step=1.5", 1}};
    char text[64];
    sri_rule rule;
    snprintf(text, sizeof text, "apriori:eta=%.17g", 4 * exp(-2));
    CHECK_OK(ctx, sri_rule_parse(ctx, text, &rule));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        sri_filter filter;
        CHECK_OK(ctx, sri_filter_parse(ctx, cases[k].filter, &filter));
        CHECK_NEAR(rule.ops->fixed(&rule, &filter, 800, 5), cases[k].param, 1e-14);
    }
    CHECK_OK(ctx, sri_rule_parse(ctx, "apriori:r=1", &rule)); /* 5 / 1000^(1/3), and 1/t, 1/t^2 */
    static const struct {
        const char *filter;
        double param;
    } rates[] = {{"tikhonov", 0.5}, {"tsvd", 0.5}, {"landweber:step=0.1", 20}, {"nu:step=0.1", 5}};
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
        sri_filter filter;
        CHECK_OK(ctx, sri_filter_parse(ctx, rates[k].filter, &filter));
        CHECK_NEAR(rule.ops->fixed(&rule, &filter, 1000, 5), rates[k].param, 1e-14);
    }
    CHECK_FAILS(ctx, sri_rule_parse(ctx, "apriori:r=0", &rule), SPECREG_E_ARG,
                "r must be greater than 0");
    CHECK_FAILS(ctx, sri_rule_parse(ctx, "apriori:eta=1", &rule), SPECREG_E_ARG, "probability");
    CHECK_FAILS(ctx, sri_rule_parse(ctx, "apriori:eta=0", &rule), SPECREG_E_ARG, "eta");
}

TEST(apriori, has_no_answer_for_conjugate_gradients_and_components)
{
    sri_rule rule;
    sri_filter filter;
    const sri_search_spec spec = {.rule = &rule, .filter = &filter};
    CHECK_OK(ctx, sri_rule_parse(ctx, "apriori", &rule));
    CHECK_OK(ctx, sri_filter_parse(ctx, "cg", &filter));
    CHECK_FAILS(ctx, sri_search_check_fixed(ctx, &spec), SPECREG_E_ARG, "cg");
    CHECK_OK(ctx, sri_filter_parse(ctx, "tsvd", &filter));
    filter.path = SRI_PATH_COMPONENTS;
    CHECK_FAILS(ctx, sri_search_check_fixed(ctx, &spec), SPECREG_E_ARG, "components");
}

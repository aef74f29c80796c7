/* The bound on the number of leave-one-out errors: its two forms, and that it is one, against
 * refits without each row. */
#include "numeric/oracle.h"
#include "numeric/search_check.h"

typedef struct problem {
    int64_t n, classes, T;
    int32_t *class;
    double *Y, *K, *weight, *diagonal; /* weight NULL: all 1 */
    sri_coding coding;
} problem;

static const double LAMBDAS[] = {1, 1e-1, 1e-2, 1e-3, 1e-5};
enum { N_LAMBDAS = 5 };

static sri_problem given_problem(const problem *d)
{
    return (sri_problem){.Y = d->Y,
                         .n = d->n,
                         .T = d->T,
                         .classes = d->class,
                         .n_classes = d->classes,
                         .coding = &d->coding,
                         .rows = {.weight = d->weight}};
}

static void code(problem *d)
{
    d->T = d->classes == 2 ? 1 : d->classes;
    d->coding =
        (sri_coding){.spec = {.ops = &sri_coding_ova}, .n_classes = d->classes, .width = d->T};
    d->Y = malloc((size_t)(d->n * d->T) * sizeof *d->Y);
    d->diagonal = malloc((size_t)d->n * sizeof *d->diagonal);
    for (int64_t i = 0; i < d->n; i++) {
        d->diagonal[i] = d->K[i * d->n + i];
        for (int64_t t = 0; t < d->T; t++)
            d->Y[i * d->T + t] = d->class[i] == t + (d->classes == 2) ? 1 : -1;
    }
}

/* Rings that overlap; the kernel's diagonal is not constant. */
static problem rings(int64_t n, int64_t classes, uint64_t seed)
{
    problem d = {.n = n, .classes = classes};
    const double sigma = 0.7;
    double *X = kit_normal(seed, n, 2), *noise = kit_normal(seed + 100, n, 1);
    d.class = malloc((size_t)n * sizeof *d.class);
    d.K = gram(k_rbf, &sigma, X, n, X, n, 2);
    for (int64_t i = 0; i < n; i++) {
        const double r = inner(X + 2 * i, X + 2 * i, 2) + 0.5 * noise[i];
        d.class[i] = (int32_t)(r < 0.7 ? 0 : r < 2.2 || classes == 2 ? 1 : 2);
        for (int64_t j = 0; j < n; j++)
            d.K[i * n + j] += 0.3 * inner(X + 2 * i, X + 2 * j, 2);
    }
    code(&d);
    free(noise);
    free(X);
    return d;
}

/* Every so-manieth row of an IDA set. */
static problem ida(specreg_context *ctx, const char *file, int64_t n, double sigma)
{
    problem d = {.n = n, .classes = 2};
    specreg_table *table = NULL;
    CHECK_OK(ctx, specreg_table_read(ctx, kit_data(file), NULL, &table));
    const int64_t p = specreg_table_cols(table) - 1, step = specreg_table_rows(table) / n;
    double *X = malloc((size_t)(n * p) * sizeof *X);
    d.class = malloc((size_t)n * sizeof *d.class);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < p; j++)
            X[i * p + j] = specreg_table_number(table, i * step, j);
        d.class[i] = specreg_table_number(table, i * step, p) > 0;
    }
    d.K = gram(k_rbf, &sigma, X, n, X, n, p);
    code(&d);
    free(X);
    specreg_table_free(table);
    return d;
}

static void problem_free(problem *d)
{
    free(d->diagonal);
    free(d->weight);
    free(d->K);
    free(d->Y);
    free(d->class);
}

/* (K + (sum w) lambda W^-1) alpha = Y, through W^1/2 K W^1/2; to be freed by point_free. */
static sri_path_point train(const problem *d, double lambda)
{
    const int64_t n = d->n, T = d->T;
    double *B = malloc((size_t)(n * n) * sizeof *B), *w = malloc((size_t)n * sizeof *w), total = 0;
    double *alpha = malloc((size_t)(n * T) * sizeof *alpha);
    double *residual = malloc((size_t)(n * T) * sizeof *residual);
    real *b = real_new(n * T), *r = real_new(n * T);
    for (int64_t i = 0; i < n; i++) {
        w[i] = d->weight ? d->weight[i] : 1;
        total += w[i];
    }
    for (int64_t i = 0; i < n * n; i++)
        B[i] = sqrt(w[i / n] * w[i % n]) * d->K[i];
    for (int64_t k = 0; k < n * T; k++)
        b[k] = sqrt(w[k / T]) * d->Y[k];
    ref_solve(n, T, B, (real)total * lambda, b);
    for (int64_t k = 0; k < n * T; k++) {
        b[k] *= sqrt(w[k / T]);
        alpha[k] = (double)b[k];
    }
    ref_residual(n, T, d->K, d->Y, b, r);
    for (int64_t k = 0; k < n * T; k++)
        residual[k] = (double)r[k];
    free(r);
    free(b);
    free(w);
    free(B);
    return (sri_path_point){.param = lambda,
                            .alpha = alpha,
                            .residual = residual,
                            .diagonal = d->diagonal,
                            .df = NAN};
}

static void point_free(sri_path_point *p)
{
    free((double *)p->alpha);
    free((double *)p->residual);
}

/* Whether a row with these outputs is an error; equal scores are one. */
static bool is_wrong(const problem *d, int64_t i, const double *f)
{
    if (d->T == 1)
        return d->Y[i] * f[0] <= 0;
    for (int64_t c = 0; c < d->T; c++)
        if (c != d->class[i] && f[c] >= f[d->class[i]])
            return true;
    return false;
}

/* n refits without row i with n lambda on the diagonal. */
static double leave_one_out_errors(const problem *d, double lambda)
{
    const int64_t n = d->n, m = n - 1, T = d->T;
    double *K = malloc((size_t)(m * m) * sizeof *K), *row = malloc((size_t)m * sizeof *row);
    double f[8], errors = 0;
    real *a = real_new(m * T);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < m; j++) {
            const int64_t jj = j + (j >= i);
            row[j] = d->K[i * n + jj];
            for (int64_t t = 0; t < T; t++)
                a[j * T + t] = d->Y[jj * T + t];
            for (int64_t k = 0; k < m; k++)
                K[j * m + k] = d->K[jj * n + k + (k >= i)];
        }
        ref_solve(m, T, K, (real)n * lambda, a);
        expand(1, m, T, row, a, f);
        errors += is_wrong(d, i, f);
    }
    free(a);
    free(row);
    free(K);
    return errors;
}

/* #{ rows that sum_{j != i} alpha_j K_ij gets wrong }, by their weights. */
static double count_by_definition(const problem *d, const double *alpha)
{
    double count = 0, f[8];
    for (int64_t i = 0; i < d->n; i++) {
        for (int64_t t = 0; t < d->T; t++) {
            f[t] = 0;
            for (int64_t j = 0; j < d->n; j++)
                f[t] += j == i ? 0 : alpha[j * d->T + t] * d->K[i * d->n + j];
        }
        count += is_wrong(d, i, f) ? (d->weight ? d->weight[i] : 1) : 0;
    }
    return count;
}

/* #{ y_i f(x_i) <= k_ii / (k_ii + n lambda) }, two classes; with weights (sum w) lambda / w_i. */
static double count_by_margin(const problem *d, const double *residual, double lambda)
{
    double count = 0, total = 0;
    for (int64_t i = 0; i < d->n; i++)
        total += d->weight ? d->weight[i] : 1;
    for (int64_t i = 0; i < d->n; i++) {
        const double w = d->weight ? d->weight[i] : 1, k = d->diagonal[i];
        count += d->Y[i] * (d->Y[i] - residual[i]) <= k / (k + total * lambda / w) ? w : 0;
    }
    return count;
}

static sri_score scored(specreg_context *ctx, const char *text, const sri_problem *given,
                        const sri_path_point *point)
{
    sri_rule rule;
    sri_score score;
    CHECK_OK(ctx, sri_rule_parse(ctx, text, &rule));
    CHECK_OK(ctx, rule.ops->score(ctx, &rule, given, point, &score));
    CHECK(isnan(score.stderr_));
    sri_rule_free(&rule);
    return score;
}

/* Counts are sums of weights: exact as long as no margin is within rounding of 0. */
static void check_forms(specreg_context *ctx, problem *d)
{
    const sri_problem given = given_problem(d);
    for (int l = 0; l < N_LAMBDAS; l++) {
        sri_path_point point = train(d, LAMBDAS[l]);
        const sri_score one = scored(ctx, "bound:form=1", &given, &point);
        const sri_score two = scored(ctx, "bound", &given, &point);
        CHECK_NEAR(two.value, count_by_definition(d, point.alpha), 1e-14);
        CHECK_NEAR(one.value, two.value, 1e-14);
        if (d->T == 1)
            CHECK_NEAR(one.value, count_by_margin(d, point.residual, LAMBDAS[l]), 1e-14);
        CHECK_WORST("squared errors of the two forms", fabs(one.tie / two.tie - 1),
                    kit_tolerance(d->n, 1 / LAMBDAS[l]));
        point_free(&point);
    }
}

TEST(bound, its_two_forms_are_the_counts_of_their_definitions)
{
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (int64_t classes = 2; classes <= 3; classes++) {
            problem d = rings(40, classes, seed);
            check_forms(ctx, &d);
            d.weight = kit_uniform(seed, d.n, 1);
            for (int64_t i = 0; i < d.n; i++)
                d.weight[i] += 0.1;
            check_forms(ctx, &d);
            problem_free(&d);
        }
}

static void check_bound(specreg_context *ctx, const problem *d, double *most)
{
    const sri_problem given = given_problem(d);
    for (int l = 0; l < N_LAMBDAS; l++) {
        sri_path_point point = train(d, LAMBDAS[l]);
        const double bound = scored(ctx, "bound", &given, &point).value;
        const double errors = leave_one_out_errors(d, LAMBDAS[l]);
        print_message("  lambda %g: %g errors, bound %g, of %d\n", LAMBDAS[l], errors, bound,
                      (int)d->n);
        CHECK(bound >= errors);
        *most = fmax(*most, errors);
        point_free(&point);
    }
}

TEST(bound, is_at_least_the_number_of_leave_one_out_errors)
{
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (int64_t classes = 2; classes <= 3; classes++) {
            problem d = rings(36, classes, seed);
            double most = 0;
            check_bound(ctx, &d, &most);
            CHECK(most > 2); /* there was something to bound */
            problem_free(&d);
        }
}

TEST(bound, holds_on_ida_data)
{
    static const struct {
        const char *file;
        double sigma;
    } sets[] = {{"ida/heart.csv.gz", 4}, {"ida/banana.csv.gz", 0.7}, {"ida/german.csv.gz", 5}};
    for (int s = 0; s < 3; s++) {
        print_message("  %s\n", sets[s].file);
        problem d = ida(ctx, sets[s].file, 50, sets[s].sigma);
        double most = 0;
        check_bound(ctx, &d, &most);
        problem_free(&d);
    }
}

TEST(bound, counts_equal_scores_as_errors_and_drops_points_that_are_not_numbers)
{
    problem d = rings(10, 2, 1);
    const sri_problem given = given_problem(&d);
    double zero[10] = {0}, bad[10];
    for (int i = 0; i < 10; i++)
        bad[i] = NAN;
    sri_path_point point = {.param = 1, .alpha = zero, .residual = d.Y, .diagonal = d.diagonal};
    CHECK_SAME(scored(ctx, "bound", &given, &point).value, 10); /* f = 0 */
    point.residual = bad;
    CHECK(isnan(scored(ctx, "bound", &given, &point).value));
    problem_free(&d);
}

TEST(bound, says_what_it_does_not_serve)
{
    sri_rule rule;
    sri_filter tikhonov, nu;
    problem d = rings(10, 2, 1);
    sri_problem given = given_problem(&d);
    CHECK_OK(ctx, sri_filter_parse(ctx, "tikhonov", &tikhonov));
    CHECK_OK(ctx, sri_filter_parse(ctx, "nu", &nu));
    CHECK_FAILS(ctx, sri_rule_parse(ctx, "bound:form=3", &rule), SPECREG_E_ARG, "1 or 2");
    CHECK_OK(ctx, sri_rule_parse(ctx, "bound:form=1", &rule));
    CHECK_OK(ctx, search_check(ctx, &rule, &given, &tikhonov));
    CHECK_FAILS(ctx, search_check(ctx, &rule, &given, &nu), SPECREG_E_ARG, "form=2");
    CHECK(!sri_rule_exact(&rule, &nu) && sri_rule_exact(&rule, &tikhonov));
    given.classes = NULL;
    CHECK_FAILS(ctx, search_check(ctx, &rule, &given, &tikhonov), SPECREG_E_ARG, "regression");
    problem_free(&d);
}

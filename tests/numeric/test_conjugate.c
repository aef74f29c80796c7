/* Many centres by conjugate gradients: predictions and held-out errors are those of the definition,
 * solved densely in long double, as far as the residual tells; that residual is the one of the
 * model; every filter agrees with the sums; the same bits come out for any number of threads. */
#include "sums/conjugate.h"

#include "numeric/approx_problem.h"

/* |h - (G + mass lambda) w| <= 1e-12 |h| in coordinates of norm 1: with |y| <= 8 no prediction is
 * off by more than 8e-12 / lambda. */
static const char SHARP[] = "rectangle:m=12,solver=cg,residual=1e-12";
static const double SHARP_BOUND = 8e-12 / 1e-4;

TEST(conjugate, predictions_are_those_of_the_definition)
{
    static const char *const pair[] = {"approx", SHARP, "select", "none", NULL};
    double *x = kit_normal(9, NEW, P);
    for (int which = 0; which < 4; which++) {
        problem p = make_problem(which & 1, which & 2);
        specreg_model *model = fit(ctx, &p, pair);
        CHECK_WORST("predictions", prediction_error(ctx, &p, model, x), SHARP_BOUND);
        specreg_model_free(model);
        problem_free(&p);
    }
    free(x);
}

TEST(conjugate, folds_are_those_of_refits)
{
    static const char *const pair[] = {"approx", SHARP, "select", "kfold:k=4", "seed", "7", NULL};
    for (int which = 0; which < 4; which++) {
        problem p = make_problem(which & 1, which & 2);
        specreg_model *model = fit(ctx, &p, pair);
        const specreg_view z = centres_of(ctx, model);
        const double expected = kfold_mse(&p, &z);
        CHECK_WORST("kfold", fabs(number(ctx, model, "selection.value") - expected) / expected,
                    SHARP_BOUND);
        specreg_model_free(model);
        problem_free(&p);
    }
}

/* Centres that all but depend on each other: rounding has the last word. */
TEST(conjugate, a_residual_that_rounding_does_not_allow_is_told)
{
    static const char *const pair[] = {"approx", "rectangle:m=12,solver=cg,residual=1e-15",
                                       "select", "none",
                                       "kernel", "rbf:sigma=9",
                                       NULL};
    problem p = make_problem(false, false);
    specreg_model *model = fit(ctx, &p, pair);
    CHECK(number(ctx, model, "approx.unreached") > 0);
    CHECK(number(ctx, model, "approx.residual") > 1e-15);
    CHECK(number(ctx, model, "approx.residual") < 1e-6);
    char *record = NULL;
    CHECK_OK(ctx, specreg_model_record(ctx, model, &record));
    CHECK_HAS(record, "conjugate gradients end at a residual of");
    specreg_string_free(record);
    specreg_model_free(model);
    problem_free(&p);
}

/* More rows than a block has, classes and several filters: against the sums. */
enum { ROWS = 5000, COLUMNS = 3, CENTRES = 70 };

typedef struct large {
    double *x, *y;
    specreg_view X, Y;
} large;

static large make_large(bool classes)
{
    large d = {.x = kit_normal(4, ROWS, COLUMNS), .y = kit_normal(5, ROWS, 1)};
    for (int i = 0; i < ROWS; i++) {
        const double *x = d.x + i * COLUMNS;
        d.y[i] = sin(2 * x[0]) + x[1] * x[2] + 0.3 * d.y[i];
        if (classes)
            d.y[i] = d.y[i] > 0.7 ? 2 : d.y[i] > 0;
    }
    d.X = (specreg_view){d.x, ROWS, COLUMNS, COLUMNS};
    d.Y = (specreg_view){d.y, ROWS, 1, 1};
    return d;
}

static void large_free(large *d)
{
    free(d->x);
    free(d->y);
}

static specreg_options *large_options(specreg_context *ctx, const char *const *pair)
{
    specreg_options *o = NULL;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", "rbf:sigma=1"));
    for (; *pair; pair += 2)
        CHECK_OK(ctx, specreg_options_set(ctx, o, pair[0], pair[1]));
    return o;
}

static specreg_model *fit_large(specreg_context *ctx, const large *d, const char *const *pair)
{
    specreg_options *o = large_options(ctx, pair);
    specreg_model *model = NULL;
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &d->X, &d->Y, o, &model));
    specreg_options_free(o);
    return model;
}

/* exp(-|x - z|^2 / 2) */
static real gauss(const double *x, const double *z)
{
    real d = 0;
    for (int j = 0; j < COLUMNS; j++)
        d += ((real)x[j] - z[j]) * ((real)x[j] - z[j]);
    return expl(-d / 2);
}

/* sqrt of g'K_mm^-1 g for g = K_mn (y - f) - n lambda K_mm c, over that of h = K_mn y: the residual
 * in coordinates of norm 1, whatever factor of K_mm they come from. */
static double residual_of(const large *d, const double *z, const double *c)
{
    static real A[CENTRES * CENTRES], gh[CENTRES * T], solved[CENTRES * T];
    real gg = 0, hh = 0;
    memset(gh, 0, sizeof gh);
    for (int i = 0; i < ROWS; i++) {
        real k[CENTRES], f = 0;
        for (int j = 0; j < CENTRES; j++) {
            k[j] = gauss(d->x + i * COLUMNS, z + j * COLUMNS);
            f += k[j] * c[j];
        }
        for (int j = 0; j < CENTRES; j++) {
            gh[j * T] += k[j] * (d->y[i] - f);
            gh[j * T + 1] += k[j] * d->y[i];
        }
    }
    for (int j = 0; j < CENTRES * CENTRES; j++) {
        A[j] = gauss(z + j / CENTRES * COLUMNS, z + j % CENTRES * COLUMNS);
        gh[j / CENTRES * T] -= ROWS * (real)1e-4 * A[j] * c[j % CENTRES];
    }
    memcpy(solved, gh, sizeof gh);
    solve(CENTRES, A, solved);
    for (int j = 0; j < CENTRES; j++) {
        gg += gh[j * T] * solved[j * T];
        hh += gh[j * T + 1] * solved[j * T + 1];
    }
    return (double)sqrtl(gg / hh);
}

TEST(conjugate, the_residual_of_the_record_is_that_of_the_model)
{
    static const char *const how[] = {"rectangle:m=70,solver=cg,residual=1e-2",
                                      "rectangle:m=70,solver=cg",
                                      "rectangle:m=70,solver=cg,residual=1e-9"};
    static const double asked[] = {1e-2, 1e-6, 1e-9};
    large d = make_large(false);
    for (int k = 0; k < 3; k++) {
        const char *const pair[] = {"approx",   how[k], "select", "none", "param", "lambda=1e-4",
                                    "features", "none", "scale",  "none", NULL};
        specreg_model *model = fit_large(ctx, &d, pair);
        specreg_view z, c;
        CHECK_OK(ctx, specreg_model_array(ctx, model, "centres", &z));
        CHECK_OK(ctx, specreg_model_array(ctx, model, "coefficients", &c));
        CHECK_EQ(z.rows, CENTRES);
        const double told = number(ctx, model, "approx.residual");
        CHECK(told <= asked[k] && told > asked[k] / 1000);
        CHECK_EQ(number(ctx, model, "approx.unreached"), 0);
        CHECK_WORST("residual told", fabs(told / residual_of(&d, z.data, c.data) - 1), 0.01);
        specreg_model_free(model);
    }
    large_free(&d);
}

/* The largest relative difference of scores along a path. */
static double score_distance(specreg_context *ctx, const specreg_model *a, const specreg_model *b,
                             int points)
{
    double worst = 0;
    for (int k = 0; k < points; k++) {
        char keys[64];
        snprintf(keys, sizeof keys, "selection.table.%d.value", k);
        const double expected = number(ctx, a, keys);
        worst = fmax(worst, fabs(number(ctx, b, keys) - expected) / expected);
    }
    return worst;
}

TEST(conjugate, every_filter_has_the_scores_of_the_sums)
{
    static const struct {
        const char *filter, *param, *problem, *select;
        double bound;
    } c[] = {{"tikhonov", "lambda={1e-2,1e-4,1e-6}", "regression", "kfold:k=3", 1e-7},
             {"tikhonov", "lambda={1e-1,1e-3,1e-5}", "regression", "holdout", 1e-7},
             {"iterated:order=3", "lambda={1,1e-2,1e-4}", "regression", "kfold:k=2", 1e-7},
             {"landweber", "t={1,3,20}", "regression", "kfold:k=3", 1e-12},
             {"nu", "t={1,5,25}", "regression", "holdout", 1e-12},
             {"nesterov", "t={1,5,25}", "regression", "kfold:k=3", 1e-12},
             {"chebyshev:lower=0.1", "t={1,5,25}", "regression", "holdout", 1e-12},
             {"cg", "t={1,3,8}", "regression", "kfold:k=3", 1e-8},
             {"cg:norm=residual", "t={1,3,8}", "regression", "kfold:k=3", 1e-8},
             {"tikhonov", "lambda={1e-2,1e-3,1e-4}", "classification", "kfold:k=3", 0}};
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        large d = make_large(strcmp(c[k].problem, "classification") == 0);
        const char *pair[] = {"approx",  "rectangle:m=70,solver=sums",
                              "filter",  c[k].filter,
                              "param",   c[k].param,
                              "problem", c[k].problem,
                              "select",  c[k].select,
                              NULL};
        specreg_model *sums = fit_large(ctx, &d, pair);
        pair[1] = "rectangle:m=70,solver=cg,residual=1e-9";
        specreg_model *products = fit_large(ctx, &d, pair);
        CHECK_WORST(c[k].filter, score_distance(ctx, sums, products, 3), c[k].bound);
        CHECK(number(ctx, products, "approx.passes") > 2);
        specreg_model_free(products);
        specreg_model_free(sums);
        large_free(&d);
    }
}

/* 24 columns, so that several go together; memory for kernel values and without. */
TEST(conjugate, bits_depend_neither_on_threads_nor_on_memory)
{
    static const char *const run[][2] = {{"1", "2GB"}, {"2", "2GB"}, {"4", "2GB"}, {"2", "8MB"}};
    large d = make_large(false);
    double *first = NULL;
    for (int k = 0; k < 4; k++) {
        const char *const pair[] = {"approx",  "rectangle:m=70,solver=cg",
                                    "param",   "lambda=log:1e-6:1e-1:6",
                                    "problem", "regression",
                                    "select",  "kfold:k=3",
                                    "threads", run[k][0],
                                    "memory",  run[k][1],
                                    NULL};
        specreg_model *model = fit_large(ctx, &d, pair);
        specreg_view alpha;
        CHECK_OK(ctx, specreg_model_array(ctx, model, "coefficients", &alpha));
        if (!first) {
            first = malloc(sizeof *first * CENTRES);
            memcpy(first, alpha.data, sizeof *first * CENTRES);
        }
        for (int j = 0; j < CENTRES; j++)
            CHECK_SAME(alpha.data[j], first[j]);
        specreg_model_free(model);
    }
    free(first);
    large_free(&d);
}

/* Asks to stop when this stage is reached. */
static int stop_in(const specreg_progress *p, void *payload)
{
    return strcmp(p->stage, payload) == 0;
}

TEST(conjugate, it_can_be_stopped)
{
    static const char *const pair[] = {"approx", "rectangle:m=70,solver=cg",
                                       "select", "none",
                                       "param",  "lambda=1e-4",
                                       NULL};
    char stage[][32] = {"first pass over the rows", "preconditioner", "conjugate gradients"};
    large d = make_large(false);
    specreg_options *o = large_options(ctx, pair);
    for (int k = 0; k < 3; k++) {
        specreg_model *model = NULL;
        specreg_set_progress(ctx, stop_in, stage[k]);
        CHECK_FAILS(ctx, specreg_fit_arrays(ctx, &d.X, &d.Y, o, &model), SPECREG_E_CANCELLED,
                    "cancelled");
        specreg_set_progress(ctx, NULL, NULL);
        CHECK(!model);
    }
    specreg_options_free(o);
    large_free(&d);
}

TEST(conjugate, what_needs_a_decomposition_is_refused)
{
    static const struct {
        const char *key, *value, *other, *its, *says;
    } c[] = {{"filter", "tsvd", "select", "kfold", "take tikhonov, iterated, landweber, nu or cg"},
             {"select", "gcv", "filter", "tikhonov", "take kfold or holdout"},
             {"select", "loo", "filter", "tikhonov", "take kfold or holdout"},
             {"filter", "landweber", "param", "t={5,2000}", "at most 1000 steps"},
             {"filter", "nu", "param", "auto", "at most 1000 steps"},
             {"filter", "nu:step=norm", "param", "t=5", "step=auto"}};
    large d = make_large(false);
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        const char *const pair[] = {"approx",   "rectangle:m=70,solver=cg",
                                    c[k].key,   c[k].value,
                                    c[k].other, c[k].its,
                                    NULL};
        specreg_options *o = large_options(ctx, pair);
        specreg_model *model = NULL;
        CHECK_FAILS(ctx, specreg_fit_arrays(ctx, &d.X, &d.Y, o, &model), SPECREG_E_ARG, c[k].says);
        specreg_options_free(o);
    }
    large_free(&d);
}

/* If the sample differed, predictions would depend on the memory that there is. */
TEST(conjugate, the_sample_is_the_same_whether_kernel_values_are_kept_or_not)
{
    static const double rows[] = {5000, 20000, 60000, 1e6}, m[] = {500, 2000, 10000},
                        columns[] = {1, 5, 20, 120};
    int several = 0;
    for (int i = 0; i < 4 * 3 * 4; i++) {
        sri_conjugate_size size = {.rows = rows[i / 12],
                                   .m = m[i / 4 % 3],
                                   .columns = columns[i % 4],
                                   .value = SRI_VALUE_KEPT,
                                   .residual = 1e-6,
                                   .solves = 1};
        const int64_t kept = sri_conjugate_sample(&size, 65536);
        size.value = SRI_VALUE_COMPUTED;
        CHECK_EQ(kept, sri_conjugate_sample(&size, 65536));
        several += kept < (int64_t)(8 * size.m) && kept < 65536;
    }
    CHECK(several > 0); /* some of these sizes do better with a smaller one */
}

/* Scores of held-out rows, against refits on the same rows: folds, a held-out part, a validation
 * file. */
#include "numeric/selection.h"

#include "data/split.h"

/* Refits on the splits: the value of all held-out rows together; its error from the folds' spread
 * where there are several. */
static answer split_answer(const problem *d, train_fn *train, double param, const sri_splits *s)
{
    answer all = {.margin = INFINITY};
    double rows = 0, sum = 0, sum2 = 0;
    for (int64_t k = 0; k < s->count; k++) {
        const sri_split *part = &s->split[k];
        const double m = (double)part->n_validate;
        double *F =
            refit(d, train, param, part->train, part->n_train, part->validate, part->n_validate);
        const answer a = judge(d, F, part->validate, part->n_validate);
        free(F);
        rows += m;
        all.value += m * a.value;
        all.mse += m * a.mse;
        all.error = a.error;
        all.margin = fmin(all.margin, a.margin);
        sum += a.value;
        sum2 += a.value * a.value;
    }
    all.value /= rows;
    all.mse /= rows;
    const double k = (double)s->count;
    if (s->count > 1) /* sample deviation of the folds' values, over sqrt(k) */
        all.error = sqrt(fmax(0, (sum2 - sum * sum / k) / (k - 1)) / k);
    return all;
}

/* Rules that train on some rows and look at others, by refits on the same rows. */
static void check_splits(specreg_context *ctx, int kind, const char *rule, bool folds,
                         const char *filter, train_fn *train, const char *engine)
{
    static const double T_VALUES[] = {1, 6, 50};
    problem d = make(ctx, kind, 33); /* folds of 7 and 6 rows: n_train differs */
    sri_splits s;
    const bool steps = train != train_tikhonov;
    specreg_options *o =
        options_of(ctx, KERNEL, "select", rule, "seed", "7", "filter", filter, "engine", engine,
                   "param", steps ? "t={1,6,50}" : "lambda={1,0.1,1e-2,1e-3,1e-5}", NULL);
    json_t *record = fit_record(ctx, &d, o);
    const sri_strata strata = {.n = d.n, .classes = d.class, .n_classes = d.classes, .seed = 7};
    if (folds)
        CHECK_OK(ctx, sri_splits_kfold(ctx, &strata, 5, 1, &s));
    else
        CHECK_OK(ctx, sri_splits_holdout(ctx, &strata, 0.4, &s));
    const int64_t count = steps ? 3 : N_LAMBDAS;
    CHECK_EQ(json_array_size(at(record, "selection.table")), count);
    int64_t best = 0;
    answer lead = {0};
    for (int64_t j = 0; j < count; j++) {
        const double param = steps ? T_VALUES[j] : LAMBDAS[j];
        const answer a = split_answer(&d, train, param, &s);
        check_row(&d, folds ? "folds" : "held-out part",
                  json_array_get(at(record, "selection.table"), (size_t)j), &a,
                  kit_tolerance(d.n, steps ? param : 1 + 1 / param));
        if (j == 0 || a.value < lead.value || (a.value == lead.value && a.mse < lead.mse)) {
            best = j;
            lead = a;
        }
    }
    CHECK_SAME(number_at(record, steps ? "filter.t" : "filter.lambda"),
               steps ? T_VALUES[best] : LAMBDAS[best]);
    sri_splits_free(&s);
    json_decref(record);
    specreg_options_free(o);
    problem_free(&d);
}

TEST(selection, folds_equal_refits_with_the_same_lambda)
{
    for (int kind = 0; kind < 3; kind++) {
        check_splits(ctx, kind, "kfold", true, "tikhonov", train_tikhonov, "eig");
        check_splits(ctx, kind, "kfold:k=5", true, "tikhonov", train_tikhonov, "cholesky");
        check_splits(ctx, kind, "kfold:k=5", true, "landweber", train_landweber, "iterate");
        check_splits(ctx, kind, "kfold:k=5", true, "landweber", train_landweber, "krylov");
        check_splits(ctx, kind, "kfold:k=5", true, "nu", train_nu1, "auto");
    }
}

TEST(selection, a_held_out_part_equals_a_refit)
{
    for (int kind = 0; kind < 3; kind++) {
        check_splits(ctx, kind, "holdout:fraction=0.4", false, "tikhonov", train_tikhonov, "auto");
        check_splits(ctx, kind, "holdout:fraction=0.4", false, "nu", train_nu1, "iterate");
    }
}

TEST(selection, another_seed_gives_other_folds)
{
    problem d = regression(ctx, 33, 1);
    double value[3];
    static const char *const seeds[] = {"1", "2", "1"};
    for (int i = 0; i < 3; i++) {
        specreg_options *o =
            options_of(ctx, KERNEL, LAMBDA_PATH, "select", "kfold", "seed", seeds[i], NULL);
        json_t *record = fit_record(ctx, &d, o);
        value[i] = number_at(record, "selection.table.2.value");
        json_decref(record);
        specreg_options_free(o);
    }
    CHECK(value[0] != value[1]);
    CHECK_SAME(value[2], value[0]);
    problem_free(&d);
}

/* The validation rows are scaled with the training rows' mean and deviation, and all training rows
 * train. */
TEST(selection, a_validation_file_is_scored_by_the_model_of_all_rows)
{
    enum { N = 25, M = 9, P = 2 };
    double *X = kit_normal(8, N + M, P), *y = smooth_target(X, N + M, P, 0.2, 9);
    FILE *f = fopen(kit_temp("val,a=b.csv"), "w"); /* a name that a spec would split */
    fprintf(f, "y,x2,x1\n");                       /* another order of columns */
    for (int64_t i = N; i < N + M; i++)
        fprintf(f, "%.17g,%.17g,%.17g\n", y[i], X[i * P + 1], X[i * P]);
    fclose(f);
    char rule[1024];
    snprintf(rule, sizeof rule, "file:%s", kit_temp("val,a=b.csv"));
    f = fopen(kit_temp("train.csv"), "w");
    fprintf(f, "x1,x2,y\n");
    for (int64_t i = 0; i < N; i++)
        fprintf(f, "%.17g,%.17g,%.17g\n", X[i * P], X[i * P + 1], y[i]);
    fclose(f);
    specreg_table *train;
    specreg_model *model;
    specreg_options *o =
        options_of(ctx, "kernel", "rbf:sigma=1.5", LAMBDA_PATH, "select", rule, NULL);
    CHECK_OK(ctx, specreg_table_read(ctx, kit_temp("train.csv"), NULL, &train));
    CHECK_OK(ctx, specreg_fit(ctx, train, o, &model));
    json_t *record = record_of(ctx, model);
    CHECK_STR(text_at(record, "selection.method"), "file");
    for (int64_t j = 0; j < P; j++)
        standardize(X, N, N + M, P, j);
    problem d = {.n = N + M, .p = P, .T = 1, .Y = y};
    d.K = gram(k_rbf, &SIGMA, X, N + M, X, N + M, P);
    int64_t rows[N + M];
    for (int64_t i = 0; i < N + M; i++)
        rows[i] = i;
    const sri_splits s = {&(sri_split){rows, rows + N, N, M}, 1};
    for (int64_t j = 0; j < N_LAMBDAS; j++) {
        const answer a = split_answer(&d, train_tikhonov, LAMBDAS[j], &s);
        check_row(&d, "validation file", json_array_get(at(record, "selection.table"), (size_t)j),
                  &a, kit_tolerance(N, 1 + 1 / LAMBDAS[j]));
    }
    free(d.K);
    json_decref(record);
    specreg_model_free(model);
    specreg_table_free(train);
    specreg_options_free(o);
    free(y);
    free(X);
}

TEST(selection, a_validation_file_that_is_not_there_is_named)
{
    problem d = regression(ctx, 10, 1);
    specreg_model *model;
    specreg_options *o = options_of(ctx, KERNEL, LAMBDA_PATH, "select", "file:no/such.csv", NULL);
    CHECK_FAILS(ctx, specreg_fit(ctx, d.table, o, &model), SPECREG_E_IO, "no/such.csv");
    CHECK(!model);
    specreg_options_free(o);
    problem_free(&d);
}

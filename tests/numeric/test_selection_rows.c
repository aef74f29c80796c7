/* Scores from one fit of all rows, against refits without each row and the hat matrix formed
 * explicitly: leave-one-out and generalized cross-validation. */
#include "numeric/selection.h"

/* y - (y - f) / (1 - H_ii), with H formed explicitly; *df is its trace. */
static answer hat_loo(const problem *d, train_fn *train, double param, double *df)
{
    double *H = hat_matrix(train, d->n, d->K, param);
    double *F = malloc((size_t)(d->n * d->T) * sizeof *F);
    *df = 0;
    for (int64_t i = 0; i < d->n; i++) {
        *df += H[i * d->n + i];
        for (int64_t t = 0; t < d->T; t++) {
            double f = 0;
            for (int64_t j = 0; j < d->n; j++)
                f += H[i * d->n + j] * d->Y[j * d->T + t];
            const double y = d->Y[i * d->T + t];
            F[i * d->T + t] = y - (y - f) / (1 - H[i * d->n + i]);
        }
    }
    const answer a = judge(d, F, NULL, d->n);
    free(F);
    free(H);
    return a;
}

/* (1/nT) |(I - H) Y|^2 / (tr(I - H) / n)^2 */
static double hat_gcv(const problem *d, train_fn *train, double param, double *df)
{
    double *H = hat_matrix(train, d->n, d->K, param), sum = 0;
    const double n = (double)d->n;
    *df = 0;
    for (int64_t i = 0; i < d->n; i++) {
        *df += H[i * d->n + i];
        for (int64_t t = 0; t < d->T; t++) {
            double r = d->Y[i * d->T + t];
            for (int64_t j = 0; j < d->n; j++)
                r -= H[i * d->n + j] * d->Y[j * d->T + t];
            sum += r * r;
        }
    }
    free(H);
    return sum / (n * (double)d->T) / pow((n - *df) / n, 2);
}

static void check_loo(specreg_context *ctx, int kind, const char *engine)
{
    problem d = make(ctx, kind, 30);
    specreg_options *o =
        options_of(ctx, KERNEL, LAMBDA_PATH, "select", "loo", "engine", engine, NULL);
    json_t *record = fit_record(ctx, &d, o);
    CHECK_STR(text_at(record, "selection.method"), "loo");
    CHECK_STR(text_at(record, "selection.criterion"), kind ? "error_rate" : "mse");
    CHECK_STR(text_at(record, "engine"), engine);
    CHECK(json_is_true(at(record, "selection.exact")));
    const json_t *table = at(record, "selection.table");
    CHECK_EQ(json_array_size(table), N_LAMBDAS);
    int64_t best = 0;
    answer lead = {0};
    for (int64_t j = 0; j < N_LAMBDAS; j++) {
        const json_t *row = json_array_get(table, (size_t)j);
        const answer a = brute_loo(&d, LAMBDAS[j]);
        double df;
        const double tol = kit_tolerance(d.n, 1 + 1 / LAMBDAS[j]);
        hat_loo(&d, train_tikhonov, LAMBDAS[j], &df);
        CHECK_SAME(number_at(row, "lambda"), LAMBDAS[j]);
        check_row(&d, "leave-one-out", row, &a, tol);
        CHECK_NEAR(number_at(row, "df"), df, tol);
        if (j == 0 || a.value < lead.value || (a.value == lead.value && a.mse < lead.mse)) {
            best = j;
            lead = a;
        }
    }
    CHECK_SAME(number_at(record, "filter.lambda"), LAMBDAS[best]);
    CHECK_SAME(number_at(record, "selection.value"),
               number_at(json_array_get(table, (size_t)best), "value"));
    json_decref(record);
    specreg_options_free(o);
    problem_free(&d);
}

TEST(selection, leave_one_out_equals_refits_without_each_row)
{
    for (int kind = 0; kind < 3; kind++) {
        print_message("  %s\n", KINDS[kind]);
        check_loo(ctx, kind, "eig");
        check_loo(ctx, kind, "cholesky");
    }
}

TEST(selection, gcv_equals_the_hat_matrix_formula)
{
    static const double T_VALUES[] = {1, 7, 40};
    for (int kind = 0; kind < 3; kind++)
        for (int other = 0; other < 3; other++) {
            train_fn *train = other == 0   ? train_tikhonov
                              : other == 1 ? train_landweber
                                           : train_nu1;
            problem d = make(ctx, kind, 26);
            specreg_options *o = options_of(ctx, KERNEL, "select", "gcv", NULL);
            specreg_options_set(ctx, o, "filter",
                                other == 0   ? "tikhonov"
                                : other == 1 ? "landweber"
                                             : "nu");
            specreg_options_set(ctx, o, "param",
                                other ? "t={1,7,40}" : "lambda={1,0.1,1e-2,1e-3,1e-5}");
            json_t *record = fit_record(ctx, &d, o);
            CHECK_STR(text_at(record, "selection.criterion"), "gcv");
            const json_t *table = at(record, "selection.table");
            CHECK_EQ(json_array_size(table), other ? 3 : N_LAMBDAS);
            for (size_t j = 0; j < json_array_size(table); j++) {
                const json_t *row = json_array_get(table, j);
                const double param = other ? T_VALUES[j] : LAMBDAS[j];
                double df;
                const double expected = hat_gcv(&d, train, param, &df);
                const double share = 1 - df / (double)d.n; /* rounding is amplified by 1/share^2 */
                const double cond = other ? param : 1 + 1 / param;
                CHECK_WORST("gcv", fabs(number_at(row, "value") - expected) / expected,
                            kit_tolerance(d.n, cond) / (share * share));
                CHECK_NEAR(number_at(row, "df"), df, kit_tolerance(d.n, cond));
                CHECK(json_is_null(at(row, "stderr")));
            }
            json_decref(record);
            specreg_options_free(o);
            problem_free(&d);
        }
}

TEST(selection, leave_one_out_of_landweber_is_the_residual_over_the_slack)
{
    static const double T_VALUES[] = {1, 5, 30, 200};
    for (int kind = 0; kind < 3; kind++) {
        problem d = make(ctx, kind, 30);
        specreg_options *o = options_of(ctx, KERNEL, "filter", "landweber", "param",
                                        "t={1,5,30,200}", "select", "loo", NULL);
        json_t *record = fit_record(ctx, &d, o);
        CHECK(json_is_false(at(record, "selection.exact"))); /* and the record says so */
        for (int64_t j = 0; j < 4; j++) {
            double df;
            const answer a = hat_loo(&d, train_landweber, T_VALUES[j], &df);
            const double share = 1 - df / (double)d.n;
            const json_t *row = json_array_get(at(record, "selection.table"), (size_t)j);
            check_row(&d, "leave-one-out, landweber", row, &a,
                      kit_tolerance(d.n, T_VALUES[j]) / (share * share));
            CHECK_NEAR(number_at(row, "df"), df, kit_tolerance(d.n, T_VALUES[j]));
        }
        json_decref(record);
        specreg_options_free(o);
        problem_free(&d);
    }
}

/* Vector fields through fit and predict, against the whole matrix in long double. */
#include "data/split.h"
#include "engine/engine.h"
#include "record/record.h"
#include "numeric/field.h"

static const field_kernel HELMHOLTZ = {0.9, 0.7, 0.3};
#define HELMHOLTZ_TEXT "helmholtz:sigma=0.9,gamma=0.3"

static const machine MACHINES[] = {
    {"tikhonov", "lambda=0.01", BY_SOLVES, 0.01, 1},
    {"iterated:order=2", "lambda=0.03", BY_SOLVES, 0.03, 2},
    {"showalter", "lambda=0.02", BY_SPECTRUM, 0.02, 0},
    {"tsvd", NULL, BY_SPECTRUM, 0.1, 1},
    {"landweber", "t=40", BY_STEPS, 40, 0},
    {"nu:nu=1", "t=7", BY_STEPS, 7, 1},
    {"cg", "t=4", BY_CG, 4, 0},
};
enum { N_MACHINES = sizeof MACHINES / sizeof *MACHINES };

/* The largest g, and for a cut-off its slope: 1 / gap; conjugate gradients stay below a
 * polynomial of their steps. */
static double steepest(const machine *m, double value, double gap, double kappa2)
{
    if (m->how == BY_SOLVES)
        return m->more / value;
    if (m->how == BY_SPECTRUM)
        return m->more == 1 ? 1 / gap : 1 / value;
    return (m->more == 1 || m->how == BY_CG ? 4 * value * value : value) / kappa2;
}

/* A cut-off in the widest gap between 0.3 and 0.01 of the largest eigenvalue of K/mass. */
static double cut_of(const field_data *d, const field_kernel *k, double *gap)
{
    double mass;
    entries e = entries_of(d, NULL, &mass);
    double *K = field_matrix(k, d->T, &e, mass), cut = 0;
    real *s = real_new(e.count), *Q = real_new(e.count * e.count);
    ref_jacobi(e.count, K, s, Q);
    *gap = 0;
    for (int64_t j = 1; j < e.count; j++)
        if (s[j] < 0.3L * s[0] && s[j] > 0.01L * s[0] && s[j - 1] - s[j] > *gap) {
            *gap = (double)(s[j - 1] - s[j]);
            cut = (double)((s[j - 1] + s[j]) / 2);
        }
    free(Q);
    free(s);
    free(K);
    entries_free(&e);
    return cut;
}

/* One engine; false where it says that it cannot. */
static bool try_engine(specreg_context *ctx, const field_data *d, const char *kernel,
                       const machine *m, const char *param, const char *engine,
                       const specreg_table *query, const double *expected, double bound)
{
    specreg_options *o = options_of(ctx, "target", field_targets(d->T), "kernel", kernel, "filter",
                                    m->filter, "param", param, "select", "none", "engine", engine,
                                    "missing-targets", "allow", "weights", d->w ? "w" : "", NULL);
    specreg_model *model = NULL;
    const specreg_status st = specreg_fit(ctx, d->table, o, &model);
    if (st != SPECREG_OK) {
        CHECK(st == SPECREG_E_ARG || st == SPECREG_E_NUMERIC);
        CHECK_HAS(specreg_last_error(ctx), "engine");
    } else {
        specreg_table *out = predicted(ctx, model, query);
        double *F = numbers_of(out);
        char name[80];
        snprintf(name, sizeof name, "%s by %s", m->filter, engine);
        CHECK_WORST(name, kit_distance(F, expected, specreg_table_rows(query) * d->T), bound);
        free(F);
        specreg_table_free(out);
    }
    specreg_model_free(model);
    specreg_options_free(o);
    return st == SPECREG_OK;
}

/* An engine works with K + E, |E| <= 8 order eps |K|: see conformance/engines.h.  A prediction
 * is a row of length at most kappa^2 sqrt(order) times coefficients. */
static void check_machines(specreg_context *ctx, int64_t n, int64_t T, bool gaps, bool weights,
                           const char *kernel, const field_kernel *k)
{
    enum { OUT = 12 };
    int tried = 0;
    field_data d = field_problem(ctx, n, T, gaps, weights);
    double *Z = kit_normal(83, OUT, T), gap, size = 0, mass = 0;
    specreg_table *query = named_table(ctx, "query.csv", Z, OUT, T, NULL);
    const double cut = cut_of(&d, k, &gap), kappa2 = field_kappa2(k, T);
    for (int64_t i = 0; i < n; i++) {
        mass += d.w ? d.w[i] : 1;
        for (int64_t t = 0; t < T; t++)
            size +=
                isnan(d.Y[i * T + t]) ? 0 : d.Y[i * T + t] * d.Y[i * T + t] * (d.w ? d.w[i] : 1);
    }
    for (int c = 0; c < N_MACHINES; c++) {
        const machine *m = &MACHINES[c];
        char param[64];
        snprintf(param, sizeof param, "lambda=%.17g", cut);
        const double value = m->param ? m->value : cut;
        double *expected = field_learned(&d, k, m, value, NULL, Z, OUT);
        const double g = steepest(m, value, gap, kappa2);
        const double order = (double)(n * T) * (weights ? 2 : 1);
        const double bound = (kit_tolerance((int64_t)order, 1 + kappa2 * g) + 1e-12) * kappa2 * g *
                             sqrt(order * size) / mass * (m->how == BY_STEPS ? value : 1);
        for (int i = 0; sri_engine_at(i); i++)
            tried += try_engine(ctx, &d, kernel, m, m->param ? m->param : param,
                                sri_engine_at(i)->name, query, expected, bound);
        free(expected);
    }
    CHECK(tried >= 20); /* of 7 times 6 */
    specreg_table_free(query);
    free(Z);
    field_end(&d);
}

TEST(field, every_filter_and_engine_equals_the_whole_matrix_in_the_plane)
{
    check_machines(ctx, 20, 2, false, false, HELMHOLTZ_TEXT, &HELMHOLTZ);
}

TEST(field, every_filter_and_engine_equals_the_whole_matrix_in_space)
{
    static const field_kernel divfree = {1.1, 0, 1}, curlfree = {1.1, 2, 0};
    check_machines(ctx, 13, 3, false, false, "divfree:sigma=1.1", &divfree);
    check_machines(ctx, 13, 3, false, false, "2*curlfree:sigma=1.1", &curlfree);
}

TEST(field, components_may_be_missing)
{
    check_machines(ctx, 20, 2, true, false, HELMHOLTZ_TEXT, &HELMHOLTZ);
}

TEST(field, a_whole_number_weight_is_the_point_that_often)
{
    check_machines(ctx, 16, 2, false, true, HELMHOLTZ_TEXT, &HELMHOLTZ);
    check_machines(ctx, 16, 2, true, true, HELMHOLTZ_TEXT, &HELMHOLTZ);
}

/* Wide kernels have a low rank: a Cholesky factor with pivots, from a few rows of the matrix,
 * serves as well as the whole of it.  It leaves so little that alpha is off by 1e-10 of |y| g /
 * n (MATH.md, 3). */
TEST(field, a_matrix_of_low_rank_is_used_as_one)
{
    static const field_kernel wide = {8, 25.6, 38.4};
    for (int weights = 0; weights < 2; weights++) {
        field_data d = field_problem(ctx, 80, 2, false, weights);
        double *expected = field_learned(&d, &wide, &MACHINES[0], 0.01, NULL, d.X, d.n);
        specreg_options *o =
            options_of(ctx, "target", "y1,y2", "kernel", "64*helmholtz:sigma=8,gamma=0.6", "param",
                       "lambda=0.01", "select", "kfold:k=4", "engine", "lowrank", "weights",
                       weights ? "w" : "", NULL);
        specreg_model *low = fitted(ctx, d.table, o);
        CHECK_OK(ctx, specreg_options_set(ctx, o, "engine", "eig"));
        specreg_model *full = fitted(ctx, d.table, o);
        specreg_table *out = predicted(ctx, low, d.table);
        double *F = numbers_of(out);
        json_t *a = record_of(ctx, low), *b = record_of(ctx, full);
        CHECK_STR(text_at(a, "engine"), "lowrank");
        CHECK(number_at(a, "rank") < 80);
        CHECK_WORST("low rank", kit_distance(F, expected, d.n * 2), 1e-9);
        CHECK_NEAR(number_at(a, "selection.value"), number_at(b, "selection.value"), 1e-9);
        json_decref(b);
        json_decref(a);
        free(F);
        specreg_table_free(out);
        specreg_model_free(full);
        specreg_model_free(low);
        specreg_options_free(o);
        free(expected);
        field_end(&d);
    }
}

/* The eigenvalues of the whole matrix over the number of points. */
TEST(field, spectrum_is_that_of_the_whole_matrix)
{
    char *text;
    double mass;
    field_data d = field_problem(ctx, 15, 2, true, false);
    entries e = entries_of(&d, NULL, &mass);
    double *K = field_matrix(&HELMHOLTZ, 2, &e, mass);
    real *s = real_new(e.count), *Q = real_new(e.count * e.count);
    specreg_options *o = options_of(ctx, "target", "y1,y2", "kernel", HELMHOLTZ_TEXT,
                                    "missing-targets", "allow", NULL);
    ref_jacobi(e.count, K, s, Q);
    CHECK_OK(ctx, specreg_spectrum(ctx, d.table, o, &text));
    json_t *record = parsed(text);
    CHECK_EQ(json_array_size(at(record, "eigenvalues")), e.count);
    for (int64_t j = 0; j < e.count; j++)
        CHECK_WORST("eigenvalue",
                    fabs(json_number_value(json_array_get(at(record, "eigenvalues"), (size_t)j)) -
                         (double)s[j]),
                    kit_tolerance(e.count, 1) * (double)s[0]);
    json_decref(record);
    specreg_options_free(o);
    free(Q);
    free(s);
    free(K);
    entries_free(&e);
    field_end(&d);
}

/* ------------------------------------------------------------------- selection */

/* The points that are entries of the data, as the library numbers them, with their rows as
 * groups. */
static sri_strata strata_of(const field_data *d, int32_t *group)
{
    int64_t count = 0;
    for (int64_t i = 0; i < d->n * d->T; i++)
        if (!isnan(d->Y[i]))
            group[count++] = (int32_t)(i / d->T);
    return (sri_strata){.n = count, .group = group, .n_groups = d->n, .seed = 5};
}

/* The mean square over the entries that the splits hold out, each by a machine without the whole
 * points. */
static double held_out(const field_data *d, const field_kernel *k, const machine *m,
                       const int32_t *group, const sri_splits *s)
{
    real sum = 0, weight = 0;
    bool *use = malloc((size_t)d->n * sizeof *use);
    for (int64_t f = 0; f < s->count; f++) {
        for (int64_t i = 0; i < d->n; i++)
            use[i] = true;
        for (int64_t i = 0; i < s->split[f].n_validate; i++)
            use[group[s->split[f].validate[i]]] = false;
        double *F = field_learned(d, k, m, m->value, use, d->X, d->n);
        for (int64_t i = 0; i < d->n * d->T; i++)
            if (!use[i / d->T] && !isnan(d->Y[i])) {
                const real w = d->w ? d->w[i / d->T] : 1, e = F[i] - d->Y[i];
                sum += w * e * e;
                weight += w;
            }
        free(F);
    }
    free(use);
    return (double)(sum / weight);
}

/* The mean square residual over the square of the share of free entries. */
static double gcv_of(const field_data *d, const field_kernel *k, const machine *m)
{
    double mass, square = 0, weight = 0;
    entries e = entries_of(d, NULL, &mass);
    const int64_t order = e.count;
    double *K = field_matrix(k, d->T, &e, mass), *one = calloc((size_t)order, sizeof *one);
    double *F = field_learned(d, k, m, m->value, NULL, d->X, d->n);
    real *a = real_new(order), df = 0;
    for (int64_t i = 0; i < order; i++) { /* tr H: the same for repeated rows as for weights */
        one[i] = 1;
        train_machine(m, order, K, one, field_kappa2(k, d->T), m->value, a);
        for (int64_t j = 0; j < order; j++)
            df += (real)K[i * order + j] * a[j];
        one[i] = 0;
    }
    int64_t count = 0;
    for (int64_t i = 0; i < d->n * d->T; i++)
        if (!isnan(d->Y[i])) {
            const double w = d->w ? d->w[i / d->T] : 1;
            square += w * (F[i] - d->Y[i]) * (F[i] - d->Y[i]);
            weight += w;
            count++;
        }
    const double share = ((double)count - (double)df) / (double)count;
    free(a);
    free(F);
    free(one);
    free(K);
    entries_free(&e);
    return square / weight / share / share;
}

static double value_of(specreg_context *ctx, const field_data *d, const machine *m,
                       const char *select, const char *engine)
{
    specreg_options *o = options_of(ctx, "target", field_targets(d->T), "kernel", HELMHOLTZ_TEXT,
                                    "filter", m->filter, "param", m->param, "select", select,
                                    "seed", "5", "engine", engine, "missing-targets", "allow",
                                    "search", "exhaustive", "weights", d->w ? "w" : "", NULL);
    specreg_model *model = fitted(ctx, d->table, o);
    json_t *record = record_of(ctx, model);
    const double value = number_at(record, "selection.value");
    CHECK_NEAR(number_at(record, "selection.table.0.value"), value, 0);
    json_decref(record);
    specreg_model_free(model);
    specreg_options_free(o);
    return value;
}

/* Predictions are right to 8 N eps (1 + kappa^2 g), which is below 1e-11 for these machines. */
static void check_selection(specreg_context *ctx, int64_t n, int64_t T, bool gaps, bool weights)
{
    static const char *const engines[] = {"auto", "eig", "krylov", "iterate"};
    field_data d = field_problem(ctx, n, T, gaps, weights);
    int32_t *group = malloc((size_t)(n * T) * sizeof *group);
    char leave_one[32];
    snprintf(leave_one, sizeof leave_one, "kfold:k=%d", (int)n);
    const sri_strata strata = strata_of(&d, group);
    const struct {
        const char *rule;
        int64_t k; /* 0: holdout */
    } rules[] = {{"kfold:k=4", 4}, {leave_one, n}, {"holdout:fraction=0.25", 0}};
    for (int c = 0; c < 6; c += 5) /* tikhonov and nu */
        for (int r = 0; r < 3; r++) {
            sri_splits s;
            CHECK_OK(ctx, rules[r].k ? sri_splits_kfold(ctx, &strata, rules[r].k, 1, &s)
                                     : sri_splits_holdout(ctx, &strata, 0.25, &s));
            const double expected = held_out(&d, &HELMHOLTZ, &MACHINES[c], group, &s);
            for (int e = 0; e < 4; e++)
                if (c == 5 || e != 3)
                    CHECK_WORST(rules[r].k == n ? "leave one point out" : rules[r].rule,
                                fabs(value_of(ctx, &d, &MACHINES[c], rules[r].rule, engines[e]) -
                                     expected),
                                1e-11 * expected);
            sri_splits_free(&s);
        }
    const double expected = gcv_of(&d, &HELMHOLTZ, &MACHINES[0]);
    CHECK_WORST("gcv", fabs(value_of(ctx, &d, &MACHINES[0], "gcv", "auto") - expected),
                1e-11 * expected);
    free(group);
    field_end(&d);
}

TEST(field, folds_take_whole_points_and_equal_refits)
{
    check_selection(ctx, 18, 2, false, false);
    check_selection(ctx, 12, 3, false, false);
}

TEST(field, folds_with_missing_components_and_weights_equal_refits)
{
    check_selection(ctx, 18, 2, true, false);
    check_selection(ctx, 14, 2, false, true);
    check_selection(ctx, 14, 2, true, true);
}

/* ------------------------------------------------------------------- many gammas */

/* The table of a search, by the engine, with a checkpoint (one kernel after the other) or
 * without. */
static json_t *search_of(specreg_context *ctx, const field_data *d, const char *kernel,
                         const char *filter, const char *param, const char *engine,
                         const char *checkpoint)
{
    specreg_options *o =
        options_of(ctx, "target", field_targets(d->T), "kernel", kernel, "filter", filter, "param",
                   param, "select", "kfold:k=3", "engine", engine, "search", "exhaustive", "extend",
                   "no", "missing-targets", "allow", "checkpoint", checkpoint, NULL);
    specreg_model *model = fitted(ctx, d->table, o);
    json_t *record = record_of(ctx, model), *table = json_incref(at(record, "selection.table"));
    json_decref(record);
    specreg_model_free(model);
    specreg_options_free(o);
    return table;
}

static void check_gammas(specreg_context *ctx, int64_t n, int64_t T, bool gaps)
{
    static const char *const how[][3] = {{"nu", "t={1,3,9,20}", "iterate"},
                                         {"landweber", "t={1,10,30}", "iterate"},
                                         {"tikhonov", "lambda={0.1,0.01,0.001}", "krylov"},
                                         {"tikhonov", "lambda={0.1,0.01,0.001}", "auto"}};
    static const double gamma[] = {0, 0.25, 0.5, 1};
    field_data d = field_problem(ctx, n, T, gaps, false);
    for (int h = 0; h < 4; h++) {
        json_t *all = search_of(ctx, &d, "helmholtz:sigma={0.8,1.5},gamma={0,0.25,0.5,1}",
                                how[h][0], how[h][1], how[h][2], "");
        remove(kit_temp("gammas"));
        json_t *apart = search_of(ctx, &d, "helmholtz:sigma={0.8,1.5},gamma={0,0.25,0.5,1}",
                                  how[h][0], how[h][1], how[h][2], kit_temp("gammas"));
        const size_t rows = json_array_size(all), each = rows / 8;
        CHECK_EQ(json_array_size(apart), rows);
        CHECK_EQ(rows % 8, 0);
        for (size_t i = 0; i < rows; i++) { /* nothing else than the order of sums is different */
            const json_t *a = json_array_get(all, i), *b = json_array_get(apart, i);
            CHECK(json_equal(at(a, "kernel"), at(b, "kernel")));
            const double expected = number_at(b, "value");
            CHECK_WORST(how[h][2], fabs(number_at(a, "value") - expected), 1e-11 * expected);
        }
        for (int g = 0; g < 4; g++) { /* by themselves, without a search */
            char kernel[64];
            snprintf(kernel, sizeof kernel, "helmholtz:sigma=0.8,gamma=%g", gamma[g]);
            json_t *one = search_of(ctx, &d, kernel, how[h][0], how[h][1], how[h][2], "");
            for (size_t i = 0; i < rows; i++) {
                const json_t *a = json_array_get(all, i);
                if (number_at(a, "kernel.sigma") == 0.8 &&
                    number_at(a, "kernel.gamma") == gamma[g]) {
                    const double expected = number_at(json_array_get(one, i % each), "value");
                    CHECK_WORST("alone", fabs(number_at(a, "value") - expected), 1e-11 * expected);
                }
            }
            json_decref(one);
        }
        json_decref(apart);
        json_decref(all);
    }
    field_end(&d);
}

TEST(field, gammas_evaluated_together_have_the_values_of_each_alone)
{
    check_gammas(ctx, 40, 2, false);
    check_gammas(ctx, 20, 3, false);
    check_gammas(ctx, 30, 2, true);
}

/* ------------------------------------------------------------------- records and files */

static double angle_between(const double *a, const double *b, int64_t T)
{
    real ab = 1, aa = 1, bb = 1;
    for (int64_t t = 0; t < T; t++) {
        ab += (real)a[t] * b[t];
        aa += (real)a[t] * a[t];
        bb += (real)b[t] * b[t];
    }
    return (double)(acosl(ab / sqrtl(aa * bb)) * 180 / acosl(-1));
}

static void check_angle(specreg_context *ctx, const char *kernel, bool gaps)
{
    field_data d = field_problem(ctx, 25, 2, gaps, false);
    specreg_options *o =
        options_of(ctx, "target", "y1,y2", "problem", "field", "kernel", kernel, "param",
                   "lambda=0.01", "select", "none", "missing-targets", "allow", NULL);
    specreg_model *model = fitted(ctx, d.table, o);
    specreg_table *out = predicted(ctx, model, d.table);
    double *F = numbers_of(out), sum = 0;
    int64_t whole = 0;
    char *text;
    for (int64_t i = 0; i < d.n; i++)
        if (!isnan(d.Y[2 * i] + d.Y[2 * i + 1])) {
            sum += angle_between(F + 2 * i, d.Y + 2 * i, 2);
            whole++;
        }
    json_t *record = record_of(ctx, model);
    CHECK_STR(text_at(record, "data.problem"), "field");
    /* arccos near 1 loses half of the digits, in long double too */
    CHECK_NEAR(number_at(record, "train.angular_error"), sum / (double)whole, 1e-8);
    CHECK_OK(ctx, specreg_evaluate(ctx, model, d.table, NULL, &text));
    json_t *eval = parsed(text);
    CHECK_NEAR(number_at(eval, "test.angular_error"), sum / (double)whole, 1e-8);
    json_decref(eval);
    json_decref(record);
    free(F);
    specreg_table_free(out);
    specreg_model_free(model);
    specreg_options_free(o);
    field_end(&d);
}

TEST(field, fit_and_eval_report_the_angular_error)
{
    check_angle(ctx, "helmholtz:sigma=0.9,gamma=0.3", false);
    check_angle(ctx, "helmholtz:sigma=0.9,gamma=0.3", true);
    check_angle(ctx, "rbf:sigma=0.9", false);
}

TEST(field, cv_has_the_mean_angle)
{
    char *text;
    field_data d = field_problem(ctx, 25, 2, false, false);
    specreg_options *o = options_of(ctx, "target", "y1,y2", "kernel", HELMHOLTZ_TEXT, "param",
                                    "lambda=0.01", "select", "none", "outer", "kfold:k=3", NULL);
    CHECK_OK(ctx, specreg_cv(ctx, d.table, o, &text));
    json_t *record = parsed(text);
    double sum = 0;
    for (size_t f = 0; f < 3; f++)
        sum += number_at(json_array_get(at(record, "folds"), f), "angular_error");
    CHECK_NEAR(number_at(record, "mean.angular_error"), sum / 3, 1e-14);
    CHECK_STR(text_at(record, "data.problem"), "field");
    json_decref(record);
    specreg_options_free(o);
    field_end(&d);
}

TEST(field, problem_field_takes_helmholtz_unless_told)
{
    field_data d = field_problem(ctx, 12, 2, false, false);
    specreg_options *o =
        options_of(ctx, "target", "y1,y2", "problem", "field", "select", "holdout", NULL);
    specreg_model *model = fitted(ctx, d.table, o);
    json_t *record = record_of(ctx, model);
    CHECK_STR(text_at(record, "kernel.name"), "helmholtz");
    json_decref(record);
    specreg_model_free(model);
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", "rbf:sigma=1"));
    model = fitted(ctx, d.table, o);
    record = record_of(ctx, model);
    CHECK_STR(text_at(record, "kernel.name"), "rbf");
    CHECK_STR(text_at(record, "data.problem"), "field");
    json_decref(record);
    specreg_model_free(model);
    for (int own = 0; own < 2; own++) { /* y1, x1, x2 would be the coordinates of one component */
        CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", own ? "rbf:sigma=1" : NULL));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "target", "y2"));
        CHECK_FAILS(ctx, specreg_fit(ctx, d.table, o, &model), SPECREG_E_SHAPE,
                    "as many targets as features");
        CHECK_HAS(specreg_last_error(ctx), "there are 1 and 3");
    }
    specreg_options_free(o);
    field_end(&d);
}

TEST(field, models_predict_the_same_bits_after_save_and_load)
{
    for (int gaps = 0; gaps < 2; gaps++) {
        field_data d = field_problem(ctx, 25, 2, gaps, false);
        specreg_options *o = options_of(ctx, "target", "y1,y2", "kernel",
                                        "0.5*helmholtz:gamma={0.2,0.7}", "missing-targets", "allow",
                                        NULL),
                        *parts = options_of(ctx, "parts", "yes", NULL);
        specreg_model *a = fitted(ctx, d.table, o), *b;
        CHECK_OK(ctx, specreg_model_save(ctx, a, kit_temp("field.srm")));
        CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("field.srm"), &b));
        specreg_table *x, *y;
        CHECK_OK(ctx, specreg_predict(ctx, a, d.table, parts, &x));
        CHECK_OK(ctx, specreg_predict(ctx, b, d.table, parts, &y));
        CHECK_EQ(specreg_table_cols(x), 6);
        check_same_table(x, y);
        CHECK_OK(ctx, specreg_model_save(ctx, b, kit_temp("again.srm")));
        check_same_file(kit_temp("field.srm"), kit_temp("again.srm"));
        specreg_table_free(y);
        specreg_table_free(x);
        specreg_model_free(b);
        specreg_model_free(a);
        specreg_options_free(parts);
        specreg_options_free(o);
        field_end(&d);
    }
}

/* A file of three features and two targets that says it is a field, with a weight or without:
 * whoever believed it would read past its coefficients. */
TEST(field, a_file_whose_shape_is_no_field_is_refused)
{
    static const char *const kernels[] =
        {"{\"name\": \"helmholtz\", \"gamma\": 0.5, \"sigma\": 1}",
         "{\"name\": \"sum\", \"terms\": [{\"name\": \"divfree\", \"sigma\": 1, \"weight\": 2}]}"};
    double *X = kit_normal(95, 12, 3), *Y = kit_normal(96, 12, 2);
    specreg_table *table = table_of(ctx, X, 12, 3, Y, 2);
    specreg_options *o = options_of(ctx, "target", "y1,y2", "kernel", "rbf:sigma=1", NULL);
    for (int k = 0; k < 2; k++) {
        specreg_model *model = fitted(ctx, table, o), *loaded;
        json_t *json = json_loads(kernels[k], 0, NULL);
        sri_kept_kernel_free(&model->kernel);
        CHECK_OK(ctx, sri_kernel_from_json(ctx, json, &model->kernel));
        json_decref(json);
        CHECK_OK(ctx, specreg_model_save(ctx, model, kit_temp("no_field.srm")));
        CHECK_FAILS(ctx, specreg_model_load(ctx, kit_temp("no_field.srm"), &loaded),
                    SPECREG_E_FORMAT, "field");
        specreg_model_free(model);
    }
    specreg_options_free(o);
    specreg_table_free(table);
    free(Y);
    free(X);
}

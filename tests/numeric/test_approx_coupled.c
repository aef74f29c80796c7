/* Fewer centres than rows with coupled outputs: scores by folds and by leaving rows out are those
 * of refits, by the definition in the basis where the outputs fall apart; with every row a centre
 * each filter, also one that sees all outputs at once, is the exact one with the same scores;
 * conjugate gradients and steps over the rows agree with sums. */
#include "numeric/approx_problem.h"

static const double OMEGA = 0.6;

/* Squared errors of held-out rows: with A = omega 11' + (1 - omega) I the sum and the difference of
 * two outputs, over the root of 2, have the kernels (1 + omega) k and (1 - omega) k. */
static double coupled_mse(const problem *p, const specreg_view *z, const int *fold, int folds,
                          bool keeps_mass)
{
    problem apart = *p;
    double sum = 0;
    apart.y = malloc(sizeof *apart.y * N * T);
    for (int j = 0; j < T; j++) {
        for (int i = 0; i < N * T; i++) {
            const double *y = p->y + i / T * T;
            apart.y[i] = (y[0] + (j ? -1 : 1) * y[1]) / sqrt(2);
        }
        apart.lambda = LAMBDA / (1 + (j ? -1 : 1) * OMEGA);
        sum += held_out_mse(&apart, z, fold, folds, keeps_mass) / T;
    }
    free(apart.y);
    return sum;
}

TEST(approx_coupled, scores_by_folds_and_by_leaving_rows_out_are_those_of_refits)
{
    static const char *const approx[] = {"rectangle:m=12",
                                         "rectangle:m=12,solver=cg,residual=1e-12"};
    for (int which = 0; which < 12; which++) {
        const int way = which / 4; /* leaving out, folds, folds by conjugate gradients */
        const char *const pair[] = {"approx",  approx[way == 2],
                                    "select",  way ? "kfold:k=4" : "loo",
                                    "outputs", "common:omega=0.6",
                                    "seed",    "7",
                                    NULL};
        problem p = make_problem(which & 1, which & 2);
        specreg_model *model = fit(ctx, &p, pair);
        const specreg_view z = centres_of(ctx, model);
        int fold[N];
        for (int i = 0; i < N; i++)
            fold[i] = way ? (int)(sri_hash(p.x + i * P, P * sizeof *p.x, 7) % FOLDS) : i;
        const double expected = coupled_mse(&p, &z, fold, way ? FOLDS : N, !way);
        CHECK_WORST(pair[3], fabs(number(ctx, model, "selection.value") - expected) / expected,
                    way == 2 ? 8e-12 / LAMBDA : kit_tolerance(N, 1e2));
        specreg_model_free(model);
        problem_free(&p);
    }
}

/* Three outputs, the third of which is not coupled to the others. */
enum { OUT = 3 };
static const double MATRIX[OUT * OUT] = {2, 1, 0, 1, 2, 0, 0, 0, 0.5};

typedef struct three {
    problem p;
    double *Y;
    char outputs[300];
} three;

static three make_three(void)
{
    three d = {make_problem(true, true), malloc(sizeof *d.Y * N * OUT), ""};
    char rows[200] = "";
    for (int i = 0; i < N; i++) {
        d.Y[i * OUT] = d.p.y[i * T];
        d.Y[i * OUT + 1] = d.p.y[i * T + 1];
        d.Y[i * OUT + 2] = d.p.y[i * T] * d.p.y[i * T + 1];
    }
    for (int k = 0; k < OUT * OUT; k++)
        snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%g%s", MATRIX[k],
                 k % OUT == OUT - 1 ? "\n" : ",");
    snprintf(d.outputs, sizeof d.outputs, "matrix:file=%s", kit_temp_file("matrix.csv", rows));
    return d;
}

static void three_free(three *d)
{
    problem_free(&d->p);
    free(d->Y);
}

/* The same search by another --approx: its predictions of new rows and its best score. */
static double outcome(specreg_context *ctx, const three *d, const char *approx,
                      const char *const filter[2], const char *rule, const double *x, double *F)
{
    const char *const pair[] = {"approx", approx,    "outputs", d->outputs, "filter", filter[0],
                                "param",  filter[1], "select",  rule,       NULL};
    const specreg_view X = {d->p.x, N, P, P}, Y = {d->Y, N, OUT, OUT}, new = {x, NEW, P, P};
    const specreg_data data = {sizeof data, .X = &X, .Y = &Y, .weights = d->p.w};
    specreg_options *o = options_of(ctx, &d->p, pair);
    specreg_model *model = NULL;
    CHECK_OK(ctx, specreg_fit_data(ctx, &data, o, &model));
    CHECK_OK(ctx, specreg_predict_array(ctx, model, &new, NULL, F, NEW * OUT));
    const double value = strcmp(rule, "none") == 0 ? 0 : number(ctx, model, "selection.value");
    specreg_model_free(model);
    specreg_options_free(o);
    return value;
}

/* `approx` finds the same as `same`, but for so much. */
static void compare(specreg_context *ctx, const three *d, const char *approx, const char *same,
                    const char *const filter[2], const char *rule, double bound)
{
    double *x = kit_normal(9, NEW, P), F[NEW * OUT], G[NEW * OUT];
    const double found = outcome(ctx, d, approx, filter, rule, x, F);
    const double expected = outcome(ctx, d, same, filter, rule, x, G);
    double size = 0;
    for (int k = 0; k < NEW * OUT; k++)
        size = fmax(size, fabs(G[k]));
    CHECK_WORST(filter[0], kit_distance(F, G, NEW * OUT) / size, bound);
    if (expected > 0)
        CHECK_WORST(rule, fabs(found - expected) / expected, bound);
    free(x);
}

TEST(approx_coupled, with_every_row_a_centre_each_filter_is_the_exact_one)
{
    static const char *const filter[][2] =
        {{"tikhonov", "lambda=1e-3"},  {"iterated", "lambda=1e-2"},
         {"landweber", "t=40"},        {"landweber:step=norm", "t=12"},
         {"nu:nu=1,step=0.2", "t=12"}, {"nesterov", "t=12"},
         {"tsvd", "lambda=1e-2"},      {"tsvd", "components=9"},
         {"showalter", "lambda=1e-2"}, {"cg", "t=6"},
         {"cg:norm=residual", "t=6"}};
    three d = make_three();
    for (size_t k = 0; k < sizeof filter / sizeof *filter; k++) {
        const bool linear = filter[k][0][0] != 'c', counts = filter[k][1][0] == 'c';
        compare(ctx, &d, "rectangle:m=150", "exact", filter[k], "none", kit_tolerance(N, 1e6));
        compare(ctx, &d, "nystrom:m=150", "exact", filter[k], "none", kit_tolerance(N, 1e6));
        compare(ctx, &d, "subset:m=150", "exact", filter[k], "none", kit_tolerance(N, 1e2));
        if (linear)
            compare(ctx, &d, "rectangle:m=150", "exact", filter[k], "gcv", kit_tolerance(N, 1e6));
        if (linear && !counts) /* where exact fits train without each row */
            compare(ctx, &d, "rectangle:m=150", "exact", filter[k], "loo", kit_tolerance(N, 1e6));
        compare(ctx, &d, "nystrom:m=150", "exact", filter[k], "kfold:k=4", kit_tolerance(N, 1e6));
    }
    three_free(&d);
}

TEST(approx_coupled, components_of_sums_are_those_of_the_matrix_of_low_rank)
{
    three d = make_three();
    for (int k = 0; k < 2; k++) {
        const char *const filter[2] = {"tsvd", k ? "components=40" : "components=9"};
        const char *few = listed("rectangle");
        char same[600];
        snprintf(same, sizeof same, "nystrom%s", strchr(few, ':'));
        double *x = kit_normal(9, NEW, P), F[NEW * OUT];
        const double expected = outcome(ctx, &d, same, filter, "gcv", x, F);
        CHECK_WORST("gcv", fabs(outcome(ctx, &d, few, filter, "gcv", x, F) - expected) / expected,
                    kit_tolerance(N, 1e2));
        free(x);
    }
    three_free(&d);
}

TEST(approx_coupled, products_agree_with_sums)
{
    static const char *const filter[][2] = {{"tikhonov", "lambda={1e-2,1e-3}"},
                                            {"iterated", "lambda={1e-1,1e-2}"},
                                            {"landweber", "t={5,40}"},
                                            {"nu", "t={3,12}"},
                                            {"cg", "t={2,5}"},
                                            {"cg:norm=residual", "t={2,5}"}};
    three d = make_three();
    for (size_t k = 0; k < sizeof filter / sizeof *filter; k++)
        compare(ctx, &d, "rectangle:m=30,solver=cg,residual=1e-12", "rectangle:m=30,solver=sums",
                filter[k], "kfold:k=4", 1e-8);
    three_free(&d);
}

/* The last number of components in the table of a search. */
static double longest_tried(specreg_context *ctx, const specreg_model *model)
{
    char key[64];
    double last = 0;
    for (int k = 0;; k++) {
        snprintf(key, sizeof key, "selection.table.%d.components", k);
        if (specreg_model_number(ctx, model, key, &last) != SPECREG_OK)
            return last;
    }
}

/* There are at most 12 components of each output: a path ends there, and more of them are all. */
TEST(approx_coupled, components_end_with_the_coordinates)
{
    static const char *const outputs[] = {"independent", "common:omega=0.6"};
    problem p = make_problem(false, true);
    const specreg_view X = {p.x, N, P, P}, Y = {p.y, N, T, T};
    for (int k = 0; k < 2; k++) {
        const int64_t most = M * (k ? T : 1);
        const char *const ends[] = {"approx",  "rectangle:m=12",
                                    "outputs", outputs[k],
                                    "filter",  "tsvd",
                                    "param",   "components=auto",
                                    "select",  "gcv",
                                    NULL};
        const char *const more[] = {"approx", "rectangle:m=12", "outputs", outputs[k],
                                    "filter", "tsvd",           "param",   "components=140",
                                    "select", "none",           NULL};
        specreg_model *model = fit(ctx, &p, ends);
        CHECK_NEAR(longest_tried(ctx, model), (double)most, 0);
        specreg_model_free(model);
        model = fit(ctx, &p, more);
        CHECK_NEAR(number(ctx, model, "filter.kept"), (double)most, 0);
        specreg_model_free(model);
        specreg_options *o = options_of(ctx, &p, more);
        CHECK_OK(ctx, specreg_options_set(ctx, o, "param", "components=301"));
        CHECK_FAILS(ctx, specreg_fit_arrays(ctx, &X, &Y, o, &model), SPECREG_E_ARG,
                    "there are only 150 training rows");
        specreg_options_free(o);
    }
    problem_free(&p);
}

TEST(approx_coupled, a_number_of_components_below_that_of_outputs_is_not_none)
{
    static const char *const kind[] = {"rectangle:m=12", "nystrom:m=12"};
    problem p = make_problem(false, true);
    for (int k = 0; k < 2; k++) {
        const char *const pair[] = {"approx", kind[k], "outputs", "common:omega=0.6",
                                    "filter", "tsvd",  "param",   "components=1",
                                    "select", "none",  NULL};
        specreg_model *model = fit(ctx, &p, pair);
        char *record = NULL;
        CHECK_OK(ctx, specreg_model_record(ctx, model, &record));
        CHECK(strstr(record, "keeps no eigenvalue") == NULL);
        CHECK_NEAR(number(ctx, model, "filter.kept"), 1, 0);
        specreg_string_free(record);
        specreg_model_free(model);
    }
    problem_free(&p);
}

/* nystrom by leave-one-out, where each output of a row is a point: as exact fits do. */
TEST(approx_coupled, nystrom_leaves_rows_out_with_all_their_outputs)
{
    static const char *const filter[][2] = {{"cg", "t=3"}, {"tsvd", "components=9"}};
    three d = make_three();
    for (int k = 0; k < 2; k++)
        compare(ctx, &d, "nystrom:m=150", "exact", filter[k], "loo", kit_tolerance(N, 1e6));
    three_free(&d);
}

/* Fewer centres than rows: predictions are those of the definition, solved densely in long
 * double; scores by folds, by leaving rows out and by the training error are those of refits;
 * every filter is the same as on the matrix K_nm K_mm^-1 K_mn; the model has the same bytes
 * with any number of threads. */
#include "model/model.h"
#include "numeric/approx_problem.h"

static const char *const RECTANGLE[] = {"approx", "rectangle:m=12", "select", "none", NULL};

TEST(approx, predictions_are_those_of_the_definition)
{
    double *x = kit_normal(9, NEW, P);
    for (int which = 0; which < 4; which++) {
        problem p = make_problem(which & 1, which & 2);
        specreg_model *model = fit(ctx, &p, RECTANGLE);
        CHECK_WORST("rectangle", prediction_error(ctx, &p, model, x), kit_tolerance(N, 1e3));
        specreg_model_free(model);
        problem_free(&p);
    }
    free(x);
}

/* (K~ + mass lambda W^-1) alpha + beta = y, 1'alpha = 0 where there is a constant. */
static void solve_nystrom(const problem *p, real *c)
{
    const int n = N + p->constant;
    real *A = calloc((size_t)(n * n), sizeof *A), *K = malloc(sizeof *K * N * N), mass = 0;
    low_rank_matrix(p, K);
    for (int i = 0; i < N; i++)
        mass += p->w ? p->w[i] : 1;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            A[i * n + j] = K[i * N + j] + (i == j ? mass * LAMBDA / (p->w ? p->w[i] : 1) : 0);
        if (p->constant)
            A[i * n + N] = A[N * n + i] = 1;
        for (int t = 0; t < T; t++)
            c[i * T + t] = p->y[i * T + t];
    }
    for (int t = 0; t < T && p->constant; t++)
        c[N * T + t] = 0;
    solve(n, A, c);
    free(K);
    free(A);
}

TEST(approx, nystrom_has_a_coefficient_for_every_row_and_predicts_with_the_kernel_itself)
{
    double *x = kit_normal(9, NEW, P), F[NEW * T];
    const specreg_view X = {x, NEW, P, P};
    for (int which = 0; which < 4; which++) {
        problem p = make_problem(which & 1, which & 2);
        const char *const pair[] = {"approx", listed("nystrom"), "select", "none", NULL};
        specreg_model *model = fit(ctx, &p, pair);
        real c[(N + 1) * T];
        double worst = 0;
        CHECK_OK(ctx, specreg_predict_array(ctx, model, &X, NULL, F, NEW * T));
        solve_nystrom(&p, c);
        for (int i = 0; i < NEW * T; i++) {
            real f = p.constant ? c[N * T + i % T] : 0, size = fabsl(f);
            for (int j = 0; j < N; j++) {
                f += kernel(x + i / T * P, p.x + j * P) * c[j * T + i % T];
                size += fabsl(kernel(x + i / T * P, p.x + j * P) * c[j * T + i % T]);
            }
            worst = fmax(worst, fabs((double)((F[i] - f) / size)));
        }
        CHECK_WORST("nystrom", worst, kit_tolerance(N, 1e2));
        CHECK_NEAR(number(ctx, model, "approx.rank"), M, 0);
        specreg_model_free(model);
        problem_free(&p);
    }
    free(x);
}

/* The leave-one-out error of K~: that of the same matrix as a precomputed kernel. */
TEST(approx, nystrom_is_judged_as_the_matrix_of_low_rank)
{
    static const char *const rule[] = {"loo", "gcv", "kfold:k=4", "holdout"};
    problem p = make_problem(false, false);
    real *K = malloc(sizeof *K * N * N);
    double *given = malloc(sizeof *given * N * N);
    low_rank_matrix(&p, K);
    for (int i = 0; i < N * N; i++)
        given[i] = (double)K[i];
    for (int k = 0; k < 4; k++) {
        const char *const pair[] = {"approx", listed("nystrom"), "select", rule[k], NULL};
        const char *const same[] = {"kernel", "precomputed", "select", rule[k], NULL};
        const specreg_view X = {given, N, N, N}, Y = {p.y, N, T, T};
        specreg_model *model = fit(ctx, &p, pair), *exact = NULL;
        specreg_options *o = options_of(ctx, &p, same);
        CHECK_OK(ctx, specreg_fit_arrays(ctx, &X, &Y, o, &exact));
        const double expected = number(ctx, exact, "selection.value");
        CHECK_WORST("nystrom's scores",
                    fabs(number(ctx, model, "selection.value") - expected) / expected,
                    kit_tolerance(N, 1e4));
        specreg_options_free(o);
        specreg_model_free(exact);
        specreg_model_free(model);
    }
    free(given);
    free(K);
    problem_free(&p);
}

TEST(approx, a_subset_is_the_exact_fit_of_its_rows)
{
    problem p = make_problem(true, true),
            few = {malloc(sizeof *few.x * M * P), malloc(sizeof *few.y * M * T),
                   malloc(sizeof *few.w * M), true, LAMBDA};
    double *x = kit_normal(9, NEW, P), F[NEW * T], G[NEW * T];
    const char *const pair[] = {"approx", listed("subset"), "select", "loo", "param", "auto", NULL};
    const char *const exact[] = {"approx", "exact", "select", "loo", "param", "auto", NULL};
    for (int j = 0; j < M; j++) {
        memcpy(few.x + j * P, p.x + 11 * P * j, P * sizeof *few.x);
        memcpy(few.y + j * T, p.y + 11 * T * j, T * sizeof *few.y);
        few.w[j] = p.w[11 * j];
    }
    const specreg_view new = {x, NEW, P, P}, X = {few.x, M, P, P}, Y = {few.y, M, T, T};
    const specreg_data data = {sizeof data, .X = &X, .Y = &Y, .weights = few.w};
    specreg_model *model = fit(ctx, &p, pair), *same = NULL;
    specreg_options *o = options_of(ctx, &few, exact);
    CHECK_OK(ctx, specreg_fit_data(ctx, &data, o, &same));
    CHECK_OK(ctx, specreg_predict_array(ctx, model, &new, NULL, F, NEW * T));
    CHECK_OK(ctx, specreg_predict_array(ctx, same, &new, NULL, G, NEW * T));
    for (int i = 0; i < NEW * T; i++)
        CHECK_SAME(F[i], G[i]);
    specreg_options_free(o);
    specreg_model_free(same);
    specreg_model_free(model);
    free(x);
    problem_free(&few);
    problem_free(&p);
}

/* The squared error by the held-out residuals that the model keeps, read from its file. */
static double kept_mse(specreg_context *ctx, const problem *p, const specreg_model *model)
{
    specreg_model *back = NULL;
    double sum = 0, mass = 0;
    const char *path = kit_temp("kept.srm");
    CHECK_OK(ctx, specreg_model_save(ctx, model, path));
    CHECK_OK(ctx, specreg_model_load(ctx, path, &back));
    CHECK_EQ(back->uncertainty.sampled, N);
    for (int i = 0; i < N * T; i++) {
        const double r = back->uncertainty.sample[i], w = p->w ? p->w[i / T] : 1;
        sum += w * r * r;
        mass += w;
    }
    specreg_model_free(back);
    return sum / mass;
}

TEST(approx, folds_are_those_of_refits)
{
    static const char *const pair[] = {"approx",    "rectangle:m=12", "select",
                                       "kfold:k=4", "seed",           "7",
                                       NULL};
    for (int which = 0; which < 4; which++) {
        problem p = make_problem(which & 1, which & 2);
        specreg_model *model = fit(ctx, &p, pair);
        const specreg_view z = centres_of(ctx, model);
        const double expected = kfold_mse(&p, &z);
        CHECK_WORST("kfold", fabs(number(ctx, model, "selection.value") - expected) / expected,
                    kit_tolerance(N, 1e2));
        CHECK_WORST("kept kfold", fabs(kept_mse(ctx, &p, model) - expected) / expected,
                    kit_tolerance(N, 1e2));
        specreg_model_free(model);
        problem_free(&p);
    }
}

/* The share of pairs of rows of both classes in a fold whose scores F are in order. */
static double area_of_fold(const problem *p, const int *fold, int f, const real *F)
{
    double right = 0, pairs = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            if (fold[i] != f || fold[j] != f || p->y[i * T] < 0 || p->y[j * T] > 0)
                continue;
            const double w = p->w ? p->w[i] * p->w[j] : 1;
            right += w * (F[i] > F[j] ? 1 : F[i] == F[j] ? 0.5 : 0);
            pairs += w;
        }
    return right / pairs;
}

/* F of every row by a fit without its fold, of those that seed 7 gives. */
static void hold_out(const problem *p, const specreg_view *z, int *fold, real *F)
{
    for (int i = 0; i < N; i++)
        fold[i] = (int)(sri_hash(p->x + i * P, P * sizeof *p->x, 7) % FOLDS);
    for (int f = 0; f < FOLDS; f++) {
        bool train[N];
        real c[MOST * T];
        for (int i = 0; i < N; i++)
            train[i] = fold[i] != f;
        minimise(p, z->data, (int)z->rows, train, 0, c);
        for (int i = 0; i < N; i++)
            if (!train[i])
                F[i] = predict(p, z->data, (int)z->rows, c, p->x + i * P, 0);
    }
}

/* The mean of the areas of the folds. */
static double kfold_area(const problem *p, const specreg_view *z)
{
    int fold[N];
    real F[N];
    double sum = 0;
    hold_out(p, z, fold, F);
    for (int f = 0; f < FOLDS; f++)
        sum += area_of_fold(p, fold, f, F);
    return sum / FOLDS;
}

/* The mean of both classes' error rates. */
static double kfold_balanced(const problem *p, const specreg_view *z)
{
    int fold[N];
    real F[N];
    double wrong[2] = {0, 0}, mass[2] = {0, 0};
    hold_out(p, z, fold, F);
    for (int i = 0; i < N; i++) {
        const int class = p->y[i * T] > 0;
        const double w = p->w ? p->w[i] : 1;
        wrong[class] += w * ((F[i] > 0) != class);
        mass[class] += w;
    }
    return (wrong[0] / mass[0] + wrong[1] / mass[1]) / 2;
}

/* Classes that overlap, 1 and -1 in all outputs; the second in a third of the rows. */
static problem two_classes(int which, const char **label)
{
    problem p = make_problem(which & 1, which & 2);
    for (int i = 0; i < N * T; i++)
        p.y[i] = sin(2 * p.x[i / T * P]) + p.x[i / T * P + 1] + sin(40.0 * (i / T)) > 0.6 ? 1 : -1;
    for (int i = 0; i < N; i++)
        label[i] = p.y[i * T] > 0 ? "yes" : "no";
    return p;
}

TEST(approx, areas_and_balanced_errors_by_folds_are_those_of_refits)
{
    static const struct {
        const char *name;
        double (*value)(const problem *p, const specreg_view *z);
    } measure[] = {{"auc", kfold_area}, {"balanced_error", kfold_balanced}};
    for (int which = 0; which < 8; which++) {
        const char *label[N], *name = measure[which / 4].name;
        const char *const pair[] = {"approx", "rectangle:m=12", "select", "kfold:k=4", "seed",
                                    "7",      "criterion",      name,     NULL};
        problem p = two_classes(which, label);
        const specreg_view X = {p.x, N, P, P};
        const specreg_data data = {sizeof data, .X = &X, .labels = label, .weights = p.w};
        specreg_options *o = options_of(ctx, &p, pair);
        specreg_model *model = NULL;
        CHECK_OK(ctx, specreg_fit_data(ctx, &data, o, &model));
        const specreg_view z = centres_of(ctx, model);
        const double expected = measure[which / 4].value(&p, &z);
        CHECK(expected > 0.05 && expected < 0.95);
        CHECK_NEAR(number(ctx, model, "selection.value"), expected, 1e-14 * N);
        specreg_options_free(o);
        specreg_model_free(model);
        problem_free(&p);
    }
}

TEST(approx, folds_keep_groups_together)
{
    static const char *const pair[] = {"approx",    "rectangle:m=12", "select",
                                       "kfold:k=4", "seed",           "7",
                                       NULL};
    problem p = make_problem(true, true);
    const specreg_view X = {p.x, N, P, P}, Y = {p.y, N, T, T};
    int64_t group[N];
    int fold[N];
    for (int i = 0; i < N; i++) {
        group[i] = i % 11;
        const double number = (double)group[i];
        fold[i] = (int)(sri_hash(&number, sizeof number, 7) % FOLDS);
    }
    const specreg_data data = {sizeof data, .X = &X, .Y = &Y, .weights = p.w, .groups = group};
    specreg_options *o = options_of(ctx, &p, pair);
    specreg_model *model = NULL;
    CHECK_OK(ctx, specreg_fit_data(ctx, &data, o, &model));
    const specreg_view z = centres_of(ctx, model);
    const double expected = held_out_mse(&p, &z, fold, FOLDS, false);
    CHECK_WORST("groups", fabs(number(ctx, model, "selection.value") - expected) / expected,
                kit_tolerance(N, 1e2));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "select", "loo"));
    specreg_model *none = NULL;
    CHECK_EQ(specreg_fit_data(ctx, &data, o, &none), SPECREG_E_ARG);
    specreg_model_free(model);
    specreg_options_free(o);
    problem_free(&p);
}

TEST(approx, leave_one_out_is_that_of_refits)
{
    static const char *const pair[] = {"approx", "rectangle:m=12", "select", "loo", NULL};
    for (int which = 0; which < 4; which++) {
        problem p = make_problem(which & 1, which & 2);
        specreg_model *model = fit(ctx, &p, pair);
        const specreg_view z = centres_of(ctx, model);
        int fold[N];
        for (int i = 0; i < N; i++)
            fold[i] = i;
        const double expected = held_out_mse(&p, &z, fold, N, true);
        CHECK_WORST("loo", fabs(number(ctx, model, "selection.value") - expected) / expected,
                    kit_tolerance(N, 1e2));
        CHECK_WORST("kept loo", fabs(kept_mse(ctx, &p, model) - expected) / expected,
                    kit_tolerance(N, 1e2));
        specreg_model_free(model);
        problem_free(&p);
    }
}

/* Each row's own weight in its prediction, by a fit to an indicator. */
static double trace_of_hat(const problem *p, const specreg_view *z)
{
    problem one = *p;
    real sum = 0, c[MOST * T];
    bool all[N];
    memset(all, 1, sizeof all);
    one.y = calloc(N * T, sizeof *one.y);
    for (int i = 0; i < N; i++) {
        one.y[i * T] = 1;
        minimise(&one, z->data, (int)z->rows, all, 0, c);
        sum += predict(&one, z->data, (int)z->rows, c, p->x + i * P, 0);
        one.y[i * T] = 0;
    }
    free(one.y);
    return (double)sum;
}

TEST(approx, effective_dimension_and_gcv_are_those_of_the_hat_matrix)
{
    static const char *const pair[] = {"approx", "rectangle:m=12", "select", "gcv", NULL};
    problem p = make_problem(false, true);
    specreg_model *model = fit(ctx, &p, pair);
    const specreg_view z = centres_of(ctx, model);
    const double df = trace_of_hat(&p, &z), mse = number(ctx, model, "train.mse");
    CHECK_NEAR(number(ctx, model, "selection.table.0.df"), df, kit_tolerance(N, 1e3));
    CHECK_NEAR(number(ctx, model, "selection.value"), mse / ((1 - df / N) * (1 - df / N)),
               kit_tolerance(N, 1e3));
    specreg_model_free(model);
    problem_free(&p);
}

/* The share of the work that is done, as a user is told it. */
typedef struct told {
    double share;
    int back, calls; /* times that it went back */
} told;

static int listen(const specreg_progress *p, void *payload)
{
    told *t = payload;
    const double share = p->steps > 0 ? (double)p->step / (double)p->steps : 0;
    t->back += share < t->share;
    t->share = share;
    t->calls++;
    return 0;
}

TEST(approx, progress_is_that_of_all_passes_and_kernels)
{
    static const char *const two_passes[] = {"approx", "rectangle:m=12",          "select", "loo",
                                             "kernel", "rbf:sigma={0.5,0.9,1.5}", NULL};
    problem p = make_problem(false, true);
    told t = {0, 0, 0};
    specreg_set_progress(ctx, listen, &t);
    specreg_model *model = fit(ctx, &p, two_passes);
    specreg_set_progress(ctx, NULL, NULL);
    CHECK(t.calls > 12); /* six passes, each with a beginning and an end */
    CHECK(t.back == 0);
    CHECK_NEAR(t.share, 1, 1e-12);
    specreg_model_free(model);
    problem_free(&p);
}

TEST(approx, as_many_centres_as_rows_are_the_exact_solution)
{
    static const char *const all[] = {"approx", "rectangle:m=150", "select", "none",
                                      "kernel", "rbf:sigma=0.2",   NULL};
    static const char *const exact[] = {"approx", "exact",         "select", "none",
                                        "kernel", "rbf:sigma=0.2", NULL};
    problem p = make_problem(true, true);
    double *x = kit_normal(9, NEW, P), F[NEW * T], G[NEW * T];
    const specreg_view X = {x, NEW, P, P};
    specreg_model *a = fit(ctx, &p, all), *b = fit(ctx, &p, exact);
    CHECK_OK(ctx, specreg_predict_array(ctx, a, &X, NULL, F, NEW * T));
    CHECK_OK(ctx, specreg_predict_array(ctx, b, &X, NULL, G, NEW * T));
    CHECK_WORST("m = n", kit_distance(F, G, NEW * T), 1e-10);
    specreg_model_free(a);
    specreg_model_free(b);
    free(x);
    problem_free(&p);
}

/* Degrees of freedom do not depend on how many outputs share them, to the last bit: generalized
 * cross-validation divides by what they leave of the rows. */
TEST(approx, degrees_of_freedom_are_the_same_for_any_number_of_outputs)
{
    enum { MANY = 6 };
    problem p = make_problem(false, true);
    double *y = kit_normal(5, N, MANY), df[2];
    for (int k = 0; k < 2; k++) {
        const specreg_view X = {p.x, N, P, P}, Y = {y, N, k ? MANY : 1, MANY};
        specreg_options *o = options_of(ctx, &p, RECTANGLE);
        specreg_model *model = NULL;
        CHECK_OK(ctx, specreg_fit_arrays(ctx, &X, &Y, o, &model));
        df[k] = number(ctx, model, "df");
        specreg_model_free(model);
        specreg_options_free(o);
    }
    CHECK_SAME(df[0], df[1]);
    free(y);
    problem_free(&p);
}

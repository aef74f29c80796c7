/* Outputs and tasks that share a matrix: whatever way the library takes (turning outputs into each
 * other, points with labels, engines, folds in one run) it is the dense problem of dense.h. */
#include "data/split.h"
#include "numeric/dense_problems.h"

/* ------------------------------------------------------------------------ filters */

static const filter_case FILTERS[] = {
    {"tikhonov", "lambda=0.01", TIKHONOV, 0.01, 1e3},
    {"iterated:order=3", "lambda=0.05", ITERATED, 0.05, 1e3},
    {"showalter", "lambda=0.02", SHOWALTER, 0.02, 1e3},
    {"tsvd", "lambda=0.02", CUT, 0.02, 1e4},
    {"tsvd", "components=%d", COMPONENTS, 0, 1e4},
    {"landweber", "t=40", LANDWEBER, 40, 1e2},
    {"nu", "t=12", NU, 12, 1e3},
    {"cg", "t=4", CG, 4, 1e4},
    {"cg:norm=residual", "t=4", CR, 4, 1e4},
};
enum { N_FILTERS = sizeof FILTERS / sizeof *FILTERS };
static const char *const ENGINES[] = {"eig", "cholesky", "band", "krylov", "iterate", "lowrank"};
enum { N_ENGINES = sizeof ENGINES / sizeof *ENGINES };

/* Predictions before the model was in a file and after. */
static void check_file(specreg_context *ctx, const dense *d, const specreg_model *m,
                       const specreg_table *before)
{
    specreg_model *loaded;
    CHECK_OK(ctx, specreg_model_save(ctx, m, kit_temp("m.srm")));
    CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("m.srm"), &loaded));
    specreg_table *after = predicted(ctx, loaded, d->later);
    check_same_table(before, after);
    specreg_table_free(after);
    specreg_model_free(loaded);
}

/* Predictions, and the errors in training. */
static void check_model(specreg_context *ctx, const dense *d, int kind, const specreg_model *m,
                        const double *F, const double *residual, double tolerance, bool file)
{
    const int width = of_tasks(kind) ? 1 : OUT;
    specreg_table *out = predicted(ctx, m, d->later);
    double *got = numbers_of(out), square = 0;
    CHECK_WORST(KIND[kind].name, kit_distance(got, F, NEW * width), tolerance);
    for (int i = 0; i < d->n; i++)
        square += residual[i] * residual[i] / d->n;
    json_t *record = record_of(ctx, m);
    CHECK_NEAR(number_at(record, "train.mse"), square, tolerance);
    json_decref(record);
    if (file)
        check_file(ctx, d, m, out);
    free(got);
    specreg_table_free(out);
}

/* Every engine that takes the filter; how many there are. */
static int check_engines(specreg_context *ctx, const dense *d, int kind, const char *file,
                         const filter_case *given)
{
    filter_case filter = *given, *f = &filter;
    char param[40];
    double F[NEW * OUT], residual[ROWS * OUT];
    real trace;
    int taken = 0;
    if (f->kind == COMPONENTS)
        f->value = dense_gap(d);
    snprintf(param, sizeof param, f->param, (int)f->value);
    dense_answers(d, f, F, residual, &trace);
    for (int e = 0; e < N_ENGINES; e++) {
        specreg_options *o = options_for(ctx, d, kind, file);
        specreg_model *m;
        CHECK_OK(ctx, specreg_options_set(ctx, o, "filter", f->filter));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "param", param));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "select", "none"));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "engine", ENGINES[e]));
        const specreg_status st = specreg_fit(ctx, d->train, o, &m);
        if (st == SPECREG_OK) {
            /* a low rank leaves something out, of which its own tests know how much */
            const double bound =
                strcmp(ENGINES[e], "lowrank") == 0 ? 1e-7 : kit_tolerance(d->n, f->cond);
            check_model(ctx, d, kind, m, F, residual, bound, f->kind == TIKHONOV && !taken);
            specreg_model_free(m);
            taken++;
        } else {
            CHECK_HAS(specreg_last_error(ctx), "engine");
        }
        specreg_options_free(o);
    }
    return taken;
}

TEST(outputs, every_filter_and_engine_is_the_dense_problem)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int weighted = 0; weighted < 2; weighted++) {
            char file[MOST_PATH];
            dense d = problem(ctx, kind, weighted, file);
            for (int f = 0; f < N_FILTERS; f++) {
                const int taken = check_engines(ctx, &d, kind, file, &FILTERS[f]);
                /* a cut-off is for the decomposition, conjugate gradients for iterations */
                CHECK(taken >= (FILTERS[f].kind == CUT || FILTERS[f].kind == COMPONENTS ? 1 : 2) ||
                      FILTERS[f].kind == CG || FILTERS[f].kind == CR);
                CHECK(taken >= 1);
            }
            dense_free(&d);
        }
}

/* ------------------------------------------------------------------------ selection */

static const double LAMBDAS[] = {0.3, 0.03, 0.003};

/* The value that the record has for a lambda. */
static double value_for(const json_t *record, double lambda)
{
    for (size_t i = 0; i < json_array_size(at(record, "selection.table")); i++) {
        const json_t *row = json_array_get(at(record, "selection.table"), i);
        if (number_at(row, "lambda") == lambda)
            return number_at(row, "value");
    }
    kit_fail(__FILE__, __LINE__, "no row for lambda %g", lambda);
}

static json_t *searched(specreg_context *ctx, const dense *d, int kind, const char *file,
                        const char *filter, const char *rule, const char *engine)
{
    specreg_options *o = options_for(ctx, d, kind, file);
    CHECK_OK(ctx, specreg_options_set(ctx, o, "filter", filter));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "param", "lambda={0.3,0.03,0.003}"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "select", rule));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "engine", engine));
    specreg_model *m;
    const specreg_status st = specreg_fit(ctx, d->train, o, &m);
    json_t *record = st == SPECREG_OK ? record_of(ctx, m) : NULL;
    if (st == SPECREG_OK)
        specreg_model_free(m);
    else
        CHECK_HAS(specreg_last_error(ctx), "engine");
    specreg_options_free(o);
    return record;
}

/* Rows of each fold, as the library draws them: points of a row stay together. */
static int draw_folds(specreg_context *ctx, const dense *d, int kind, const char *rule,
                      bool held[][ROWS])
{
    int32_t group[ROWS * OUT];
    sri_splits s;
    const bool apart = kind >= GAPS && kind <= OWN_SUM;
    sri_strata strata = {.n = apart ? d->n : ROWS, .seed = 3};
    for (int i = 0; i < d->n; i++)
        group[i] = d->row[i];
    if (apart) {
        strata.group = group;
        strata.n_groups = ROWS;
    }
    if (strcmp(rule, "holdout:fraction=0.3") == 0)
        CHECK_OK(ctx, sri_splits_holdout(ctx, &strata, 0.3, &s));
    else
        CHECK_OK(ctx, sri_splits_kfold(ctx, &strata, 4, 1, &s));
    for (int64_t k = 0; k < s.count; k++) {
        memset(held[k], 0, ROWS * sizeof **held);
        for (int64_t i = 0; i < s.split[k].n_validate; i++)
            held[k][apart ? d->row[s.split[k].validate[i]] : s.split[k].validate[i]] = true;
    }
    const int count = (int)s.count;
    sri_splits_free(&s);
    return count;
}

/* Two splits by hand, as a file of 0-based rows that train. */
static int write_splits(const char *path, bool held[][ROWS])
{
    FILE *f = fopen(path, "w");
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < ROWS; i++) {
            held[k][i] = i % 3 == k;
            if (!held[k][i])
                fprintf(f, "%d ", i);
        }
        fprintf(f, "\n");
    }
    fclose(f);
    return 2;
}

static void check_folds(specreg_context *ctx, const dense *d, int kind, const char *file,
                        const char *rule, const filter_case *like, bool held[][ROWS], int count)
{
    double expected[3];
    for (int l = 0; l < 3; l++) {
        filter_case f = *like;
        double sum = 0, weights = 0;
        f.value = LAMBDAS[l];
        for (int k = 0; k < count; k++)
            dense_held_out(d, &f, held[k], 1, &sum, &weights);
        expected[l] = sum / weights;
    }
    int taken = 0;
    for (int e = 0; e < N_ENGINES; e++) {
        json_t *record = searched(ctx, d, kind, file, like->filter, rule, ENGINES[e]);
        for (int l = 0; record && l < 3; l++)
            CHECK_NEAR(value_for(record, LAMBDAS[l]), expected[l],
                       strcmp(ENGINES[e], "lowrank") == 0 ? 1e-6 : kit_tolerance(d->n, 1e5));
        taken += record != NULL;
        json_decref(record);
    }
    CHECK(taken >= 1);
}

TEST(outputs, folds_held_out_rows_and_splits_are_fits_without_them)
{
    static const filter_case tikhonov = {"tikhonov", "", TIKHONOV, 0, 0},
                             showalter = {"showalter", "", SHOWALTER, 0, 0};
    bool held[4][ROWS];
    for (int kind = 0; kind < KINDS; kind++)
        for (int weighted = 0; weighted < 2; weighted++) {
            char file[MOST_PATH];
            char rule[300];
            dense d = problem(ctx, kind, weighted, file);
            int count = draw_folds(ctx, &d, kind, "kfold:k=4", held);
            check_folds(ctx, &d, kind, file, "kfold:k=4", &tikhonov, held, count);
            if (!weighted)
                check_folds(ctx, &d, kind, file, "kfold:k=4", &showalter, held, count);
            count = draw_folds(ctx, &d, kind, "holdout:fraction=0.3", held);
            check_folds(ctx, &d, kind, file, "holdout:fraction=0.3", &tikhonov, held, count);
            snprintf(rule, sizeof rule, "splits:%s", kit_temp("splits.txt"));
            count = write_splits(kit_temp("splits.txt"), held);
            check_folds(ctx, &d, kind, file, rule, &tikhonov, held, count);
            dense_free(&d);
        }
}

/* Without a row, with n lambda as it was: as for one output. */
TEST(outputs, leave_one_out_leaves_out_a_row_with_all_its_outputs)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int weighted = 0; weighted < 2; weighted++) {
            char file[MOST_PATH];
            dense d = problem(ctx, kind, weighted, file);
            /* Points of a row that engines see apart: folds, which have n_train lambda. */
            const bool apart = kind >= GAPS && kind <= OWN_SUM;
            double all = 0;
            for (int i = 0; i < ROWS; i++)
                all += d.w[i];
            json_t *record = searched(ctx, &d, kind, file, "tikhonov", "loo", "auto");
            for (int l = 0; l < 3; l++) {
                const filter_case f = {"tikhonov", "", TIKHONOV, LAMBDAS[l], 0};
                double sum = 0, weights = 0;
                for (int i = 0; i < ROWS; i++) {
                    bool held[ROWS] = {false};
                    held[i] = true;
                    dense_held_out(&d, &f, held, apart ? 1 : all / (all - d.w[i]), &sum, &weights);
                }
                CHECK_NEAR(value_for(record, LAMBDAS[l]), sum / weights, kit_tolerance(d.n, 1e4));
            }
            json_decref(record);
            dense_free(&d);
        }
}

/* (1/N) |(I-H) y|^2 / ((1/N) tr(I-H))^2 over all N targets. */
TEST(outputs, a_matrix_that_is_learned_is_in_the_model_and_its_file)
{
    enum { COUNT = 30, T = 3 };
    double *X = kit_normal(5, COUNT, 1), Y[COUNT * T];
    specreg_model *m, *loaded;
    specreg_view A, again;
    void *bytes;
    size_t size;
    for (int i = 0; i < COUNT; i++)
        for (int t = 0; t < T; t++) /* the last is the first with the other sign */
            Y[i * T + t] = (t == 2 ? -1 : 1) * sin(t == 1 ? 3 * X[i] : X[i]);
    const specreg_view x = {X, COUNT, 1, 1}, y = {Y, COUNT, T, T};
    specreg_options *options =
        options_of(ctx, "outputs", "learn:omega=0,penalty=0.01,lambda=0.001,norm=0", "kernel",
                   "rbf:sigma=1", "param", "lambda=0.001", NULL);
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &x, &y, options, &m));
    CHECK_OK(ctx, specreg_model_array(ctx, m, "outputs", &A));
    CHECK(A.rows == T && A.cols == T);
    CHECK_OK(ctx, specreg_model_to_memory(ctx, m, &bytes, &size));
    CHECK_OK(ctx, specreg_model_from_memory(ctx, bytes, size, &loaded));
    CHECK_OK(ctx, specreg_model_array(ctx, loaded, "outputs", &again));
    for (int s = 0; s < T; s++)
        for (int t = 0; t < T; t++) {
            char key[40];
            double number;
            snprintf(key, sizeof key, "outputs.learned.%d.%d", s, t);
            CHECK_OK(ctx, specreg_model_number(ctx, m, key, &number));
            CHECK_SAME(A.data[s * T + t], number);
            CHECK_SAME(A.data[s * T + t], A.data[t * T + s]);
            CHECK_SAME(A.data[s * T + t], again.data[s * T + t]);
        }
    CHECK(A.data[2] < -0.9 * A.data[0]); /* it has found the sign */
    CHECK(fabs(A.data[1]) < 0.5 * sqrt(A.data[0] * A.data[T + 1]));
    specreg_bytes_free(bytes);
    specreg_options_free(options);
    specreg_model_free(loaded);
    specreg_model_free(m);
    free(X);
}

TEST(outputs, generalized_cross_validation_counts_every_target)
{
    static const filter_case like[] = {{"tikhonov", "", TIKHONOV, 0, 0},
                                       {"iterated:order=3", "", ITERATED, 0, 0}};
    for (int kind = 0; kind < KINDS; kind++)
        for (int k = 0; k < 4; k++) {
            char file[MOST_PATH];
            dense d = problem(ctx, kind, k % 2, file);
            json_t *record = searched(ctx, &d, kind, file, like[k / 2].filter, "gcv", "auto");
            for (int l = 0; l < 3; l++) {
                filter_case f = like[k / 2];
                double F[NEW * OUT], residual[ROWS * OUT], square = 0, weights = 0;
                real trace;
                f.value = LAMBDAS[l];
                dense_answers(&d, &f, F, residual, &trace);
                for (int i = 0; i < d.n; i++) {
                    square += d.v[i] * residual[i] * residual[i];
                    weights += d.v[i];
                }
                const double left = 1 - (double)trace / d.n;
                CHECK_NEAR(value_for(record, LAMBDAS[l]), square / weights / (left * left),
                           kit_tolerance(d.n, 1e4));
            }
            json_decref(record);
            dense_free(&d);
        }
}

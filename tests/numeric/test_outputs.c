/* Outputs and tasks that share a matrix: whatever way the library takes (turning outputs into each
 * other, points with labels, engines, folds in one run) it is the dense problem of dense.h. */
#include "data/split.h"
#include "numeric/dense.h"

/* ------------------------------------------------------------------------ problems */

enum { COMMON, MATRIX, GRAPH, CLUSTERS, GAPS, INDEPENDENT_GAPS, SUM, DELAYS, /* points */
       TASKS, GRAPH_TASKS, EVEN_TASKS, SUM_TASKS, KINDS };
enum { MOST_PATH = 200 };

static const struct {
    const char *name, *kernel, *outputs;
} KIND[KINDS] = {
    [COMMON] = {"common", "rbf:sigma=0.8", "common:omega=0.6"},
    [MATRIX] = {"matrix", "rbf:sigma=0.8", "matrix:file=%s"},
    [GRAPH] = {"graph", "rbf:sigma=0.8", "graph:file=%s"},
    [CLUSTERS] = {"clusters", "rbf:sigma=0.8", "clusters:file=%s,eps1=2,eps2=0.25"},
    [GAPS] = {"missing targets", "rbf:sigma=0.8", "common:omega=0.6"},
    [INDEPENDENT_GAPS] = {"missing targets, independent", "rbf:sigma=0.8", "independent"},
    [SUM] = {"sum", "rbf:sigma=0.8 + 0.5*rbf:sigma=2", "common:omega=1 + independent"},
    [DELAYS] = {"delays", "rbf:sigma=0.8", "delays:file=%s"},
    [TASKS] = {"tasks", "rbf:sigma=0.8", "common:omega=0.6"},
    [GRAPH_TASKS] = {"tasks on a graph", "rbf:sigma=0.8", "graph:file=%s"},
    [EVEN_TASKS] = {"tasks of the same weight", "rbf:sigma=0.8", "common:omega=0.6"},
    [SUM_TASKS] = {"sum for tasks", "rbf:sigma=0.8 + 0.5*rbf:sigma=2",
                   "common:omega=1 + independent"},
};

static bool of_tasks(int kind)
{
    return kind >= TASKS;
}

/* The inverse of a 3 x 3 matrix by cofactors. */
static void inverse(const double *L, double *A)
{
    double det = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, e = (j + 2) % 3;
            A[j * 3 + i] = L[a * 3 + c] * L[b * 3 + e] - L[a * 3 + e] * L[b * 3 + c];
            det += i == 0 ? L[j] * A[j * 3] : 0;
        }
    for (int k = 0; k < 9; k++)
        A[k] /= det;
}

static void common_matrix(double omega, double *A)
{
    for (int k = 0; k < OUT * OUT; k++)
        A[k] = k % (OUT + 1) == 0 ? 1 : omega;
}

/* The matrices and, in `text`, the file that says the same. */
static void set_matrices(dense *d, int kind, const char **text)
{
    /* of rank 2, with the eigenvalues 4.5, 1, 0: 4.5 uu' + vv', u = (1 2 2)/3, v = (2 1 -2)/3 */
    static const double given[] = {8.5 / 9, 11 / 9.0, 5 / 9.0, 11 / 9.0, 19 / 9.0,
                                   16 / 9.0, 5 / 9.0, 16 / 9.0, 22 / 9.0};
    /* M = [.5 1 0; 1 0 2; 0 2 .25]: D - M with D_ii = sum_j M_ij + M_ii */
    static const double laplacian[] = {1.5, -1, 0, -1, 3, -2, 0, -2, 2.25};
    /* outputs 1 and 3 in a cluster, eps1 = 2, eps2 = 1/4: 2 I - 1.75 M */
    static const double penalty[] = {2 - 0.875, 0, -0.875, 0, 0.25, 0, -0.875, 0, 2 - 0.875};
    static const double shift[] = {0, 0, 0.5, -0.25, -0.5, 0.125};
    static char matrix[400];
    common_matrix(0.6, d->A[0]);
    *text = "";
    if (kind == MATRIX) {
        memcpy(d->A[0], given, sizeof given);
        d->A[0][0] = 4.5 / 9 + 4 / 9.0;
        snprintf(matrix, sizeof matrix, "%.17g,%.17g,%.17g\n%.17g,%.17g,%.17g\n%.17g,%.17g,%.17g\n",
                 d->A[0][0], given[1], given[2], given[3], given[4], given[5], given[6], given[7],
                 given[8]);
        *text = matrix;
    } else if (kind == GRAPH || kind == GRAPH_TASKS) {
        inverse(laplacian, d->A[0]);
        *text = "0.5,1,0\n1,0,2\n0,2,0.25\n";
    } else if (kind == CLUSTERS) {
        inverse(penalty, d->A[0]);
        *text = "red\nblue\nred\n";
    } else if (kind == INDEPENDENT_GAPS) {
        common_matrix(0, d->A[0]);
    } else if (kind == SUM || kind == SUM_TASKS) {
        common_matrix(1, d->A[0]);
        common_matrix(0, d->A[1]);
    } else if (kind == DELAYS) {
        common_matrix(1, d->A[0]);
        memcpy(d->shift, shift, sizeof shift);
        *text = "0,0\n0.5,-0.25\n-0.5,0.125\n";
    }
}

/* Largest eigenvalue of a 3 x 3 matrix, by powers. */
static double largest(const double *A)
{
    real x[3] = {1, 1.1L, 0.9L}, size = 0;
    for (int step = 0; step < 4000; step++) {
        real y[3] = {0};
        for (int k = 0; k < 9; k++)
            y[k / 3] += A[k] * x[k % 3];
        size = sqrtl(ref_dot(3, y, y));
        for (int k = 0; k < 3; k++)
            x[k] = y[k] / size;
    }
    return (double)size;
}

/* The step is 1 / kappa^2: k_max a_max where rows have several outputs, else the largest value on the
 * diagonal; a sum is bounded by the sum. */
static void set_kappa(dense *d, int kind)
{
    d->kappa2 = 0;
    for (int i = 0; i < d->terms; i++) {
        double most = 0;
        for (int t = 0; t < OUT; t++)
            most = fmax(most, d->A[i][t * (OUT + 1)]);
        d->kappa2 += d->c[i] * (of_tasks(kind) ? most : largest(d->A[i]));
    }
}

static dense problem(specreg_context *ctx, int kind, bool weighted, char *file)
{
    dense d = {.weighted = weighted, .terms = kind == SUM || kind == SUM_TASKS ? 2 : 1,
               .sigma = {0.8, 2}, .c = {1, 0.5}};
    double *X = kit_normal(5, ROWS + NEW, 2), *e = kit_normal(6, ROWS, OUT);
    const char *text;
    memcpy(d.X, X, sizeof d.X);
    memcpy(d.new_X, X + 2 * ROWS, sizeof d.new_X);
    for (int i = 0; i < ROWS; i++) {
        d.task[i] = of_tasks(kind) ? (i * i + i / 5) % OUT : -1;
        d.w[i] = weighted ? 0.5 + i % 4 : 1;
        for (int t = 0; t < OUT; t++)
            d.Y[i * OUT + t] = sin(2 * X[2 * i]) + 0.5 * (t - 1) * X[2 * i + 1] + 0.2 * e[i * OUT + t];
        if (kind == GAPS || kind == INDEPENDENT_GAPS)
            for (int t = 0; t < OUT; t++)
                if ((i + t) % 4 == 0 || (i == 3 && t < 2))
                    d.Y[i * OUT + t] = NAN;
    }
    for (int i = 0; i < NEW; i++)
        d.new_task[i] = i % OUT;
    set_matrices(&d, kind, &text);
    set_kappa(&d, kind);
    dense_tables(ctx, &d);
    snprintf(file, MOST_PATH, "%s", kit_temp_file("outputs.csv", text));
    if (kind == EVEN_TASKS) { /* every task has the same weight in all */
        double mass[OUT] = {0};
        for (int i = 0; i < ROWS; i++)
            mass[d.task[i]] += d.w[i];
        for (int i = 0; i < ROWS; i++)
            d.w[i] *= (double)ROWS / OUT / mass[d.task[i]];
        for (int i = 0; i < d.n; i++)
            d.v[i] = d.w[d.row[i]];
    }
    free(e);
    free(X);
    return d;
}

static specreg_options *options_for(specreg_context *ctx, const dense *d, int kind, const char *file)
{
    char outputs[300];
    snprintf(outputs, sizeof outputs, KIND[kind].outputs, file);
    specreg_options *o = options_of(ctx, "kernel", KIND[kind].kernel, "scale", "none", "target",
                                    of_tasks(kind) ? "y" : "y1,y2,y3", "outputs", outputs, "seed",
                                    "3", "extend", "no", "search", "exhaustive", NULL);
    if (of_tasks(kind))
        CHECK_OK(ctx, specreg_options_set(ctx, o, "task-column", "task"));
    if (kind == EVEN_TASKS)
        CHECK_OK(ctx, specreg_options_set(ctx, o, "task-weight", "tasks"));
    if (kind == GAPS || kind == INDEPENDENT_GAPS)
        CHECK_OK(ctx, specreg_options_set(ctx, o, "missing-targets", "allow"));
    if (d->weighted)
        CHECK_OK(ctx, specreg_options_set(ctx, o, "weights", "w"));
    return o;
}

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
            const double bound = strcmp(ENGINES[e], "lowrank") == 0 ? 1e-7 : kit_tolerance(d->n, f->cond);
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
    const bool apart = kind >= GAPS && kind <= DELAYS;
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
            if (kind >= GAPS && kind <= DELAYS) { /* points of a row that engines see apart */
                specreg_options *o = options_for(ctx, &d, kind, file);
                specreg_model *m;
                CHECK_OK(ctx, specreg_options_set(ctx, o, "select", "loo"));
                CHECK_FAILS(ctx, specreg_fit(ctx, d.train, o, &m), SPECREG_E_ARG,
                            "cannot keep the outputs of a row together");
                specreg_options_free(o);
                dense_free(&d);
                continue;
            }
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
                    dense_held_out(&d, &f, held, all / (all - d.w[i]), &sum, &weights);
                }
                CHECK_NEAR(value_for(record, LAMBDAS[l]), sum / weights,
                           kit_tolerance(d.n, 1e4));
            }
            json_decref(record);
            dense_free(&d);
        }
}

/* (1/N) |(I-H) y|^2 / ((1/N) tr(I-H))^2 over all N targets. */
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

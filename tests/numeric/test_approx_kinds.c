/* Fewer centres than rows with every filter, coding, coupling of outputs, with tasks and sparse
 * rows: on the training rows the fitted values are those of the matrix K_nm K_mm^-1 K_mn as a
 * precomputed kernel. */
#include "numeric/approx_problem.h"

enum { CLASSES = 4 };

/* K_nm K_mm^-1 K_mn as numbers, N x N. */
static double *given_matrix(const problem *p)
{
    real *K = malloc(sizeof *K * N * N);
    double *given = malloc(sizeof *given * N * N);
    low_rank_matrix(p, K);
    for (int i = 0; i < N * N; i++)
        given[i] = (double)K[i];
    free(K);
    return given;
}

/* Fitted values of data with these options, N x outputs; free() them. */
static double *fitted(specreg_context *ctx, const specreg_data *data, const problem *p,
                      const char *const *pair)
{
    specreg_options *o = options_of(ctx, p, pair);
    specreg_model *model = NULL;
    CHECK_OK(ctx, specreg_fit_data(ctx, data, o, &model));
    const int64_t size = N * specreg_model_outputs(model);
    double *F = malloc((size_t)size * sizeof *F);
    CHECK_OK(ctx, specreg_predict_array(ctx, model, data->X, NULL, F, size));
    specreg_model_free(model);
    specreg_options_free(o);
    return F;
}

/* rectangle against the precomputed matrix, with these options for both. */
static void compare(specreg_context *ctx, const char *name, const problem *p, specreg_data data,
                    int64_t outputs, const char *const pair[6])
{
    double *K = given_matrix(p);
    const specreg_view X = {p->x, N, P, P}, given = {K, N, N, N};
    const char *const approx[] = {"approx", listed("rectangle"),
                                  "select", "none",
                                  pair[0],  pair[1],
                                  pair[2],  pair[3],
                                  pair[4],  pair[5],
                                  NULL};
    const char *const exact[] = {"kernel", "precomputed", "select", "none",  pair[0], pair[1],
                                 pair[2],  pair[3],       pair[4],  pair[5], NULL};
    data.X = &X;
    double *F = fitted(ctx, &data, p, approx);
    data.X = &given;
    double *G = fitted(ctx, &data, p, exact);
    double most = 0;
    for (int64_t i = 0; i < N * outputs; i++)
        most = fmax(most, fabs(G[i]));
    CHECK_WORST(name, kit_distance(F, G, N * outputs) / most, kit_tolerance(N, 1e3));
    free(F);
    free(G);
    free(K);
}

TEST(approx_kinds, every_filter_is_that_of_the_matrix_of_low_rank)
{
    static const char *const filter[][2] = {
        {"tikhonov", "lambda=1e-3"},
        {"iterated:order=3", "lambda=1e-2"},
        {"landweber", "t=60"},
        {"landweber:step=norm", "t=25"},
        {"landweber:step=0.7", "t=25"},
        {"nu", "t=20"},
        {"nu:nu=2", "t=20"},
        {"tsvd", "lambda=1e-3"},
        {"tsvd", "components=7"},
        {"showalter", "lambda=1e-2"},
        {"cg", "t=6"},
        {"cg:norm=residual", "t=6"},
    };
    for (size_t k = 0; k < sizeof filter / sizeof *filter; k++) {
        problem p = make_problem(k % 2, false);
        const specreg_view Y = {p.y, N, T, T};
        compare(ctx, filter[k][0], &p,
                (specreg_data){.struct_size = sizeof(specreg_data), .Y = &Y, .weights = p.w}, T,
                (const char *const[]){"filter", filter[k][0], "param", filter[k][1], "scale",
                                      "none"});
        problem_free(&p);
    }
}

TEST(approx_kinds, coupled_outputs_are_those_of_the_matrix_of_low_rank)
{
    static const char *const filter[][2] = {{"tikhonov", "lambda=1e-3"},
                                            {"landweber", "t=60"},
                                            {"landweber:step=norm", "t=20"},
                                            {"nu", "t=20"},
                                            {"tsvd", "lambda=1e-3"}};
    for (size_t k = 0; k < sizeof filter / sizeof *filter; k++) {
        problem p = make_problem(false, false);
        const specreg_view Y = {p.y, N, T, T};
        compare(ctx, "common outputs", &p,
                (specreg_data){.struct_size = sizeof(specreg_data), .Y = &Y}, T,
                (const char *const[]){"filter", filter[k][0], "param", filter[k][1], "outputs",
                                      "common:omega=0.5"});
        problem_free(&p);
    }
}

TEST(approx_kinds, every_coding_is_that_of_the_matrix_of_low_rank)
{
    static const char *const coding[] = {"ova", "simplex", "bch:15", "ab:a=1,b=0"};
    static const char *const name[CLASSES] = {"a", "b", "c", "d"};
    for (int k = 0; k < 4; k++) {
        problem p = make_problem(false, false);
        const char *label[N];
        for (int i = 0; i < N; i++)
            label[i] = name[(p.x[i * P] > 0) + 2 * (p.x[i * P + 1] > 0)];
        compare(ctx, coding[k], &p,
                (specreg_data){.struct_size = sizeof(specreg_data), .labels = label}, CLASSES,
                (const char *const[]){"coding", coding[k], "param", "lambda=1e-3", "scale",
                                      "none"});
        problem_free(&p);
    }
}

/* Rows of two tasks, A = omega 11' + (1 - omega) I: the kernel between rows of different tasks
 * is omega k. */
static void task_matrix(const problem *p, real *K)
{
    real A[M * M], b[M * T];
    const real omega = 0.5L;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < M * M; j++)
            A[j] = kernel(p->x + 11 * P * (j / M), p->x + 11 * P * (j % M)) *
                   (j / M % 2 == j % M % 2 ? 1 : omega);
        for (int j = 0; j < M * T; j++)
            b[j] = kernel(p->x + 11 * P * (j / T), p->x + i * P) * (j / T % 2 == i % 2 ? 1 : omega);
        solve(M, A, b);
        for (int k = 0; k < N; k++) {
            K[i * N + k] = 0;
            for (int j = 0; j < M; j++)
                K[i * N + k] += kernel(p->x + k * P, p->x + 11 * P * j) *
                                (j % 2 == k % 2 ? 1 : omega) * b[j * T];
        }
    }
}

/* x1,x2,task,y of all rows; row i is of task i % 2. */
static const char *task_file(const problem *p)
{
    char *text = malloc(N * 100);
    int at = snprintf(text, 100, "x1,x2,task,y\n");
    for (int i = 0; i < N; i++)
        at += snprintf(text + at, 100, "%.17g,%.17g,%s,%.17g\n", p->x[i * P], p->x[i * P + 1],
                       i % 2 ? "odd" : "even", p->y[i * T]);
    const char *path = kit_temp_file("tasks.csv", text);
    free(text);
    return path;
}

TEST(approx_kinds, tasks_are_those_of_the_matrix_of_low_rank)
{
    problem p = make_problem(false, false);
    const char *const pair[] = {"approx",      listed("rectangle"),
                                "select",      "none",
                                "target",      "y",
                                "task-column", "task",
                                "outputs",     "common:omega=0.5",
                                NULL};
    real *K = malloc(sizeof *K * N * N), *c = malloc(sizeof *c * N * T);
    specreg_options *o = options_of(ctx, &p, pair);
    specreg_table *table = NULL, *predicted = NULL;
    specreg_model *model = NULL;
    double worst = 0;
    CHECK_OK(ctx, specreg_table_read(ctx, task_file(&p), NULL, &table));
    CHECK_OK(ctx, specreg_fit(ctx, table, o, &model));
    CHECK_OK(ctx, specreg_predict(ctx, model, table, NULL, &predicted));
    task_matrix(&p, K);
    real *A = malloc(sizeof *A * N * N);
    for (int i = 0; i < N * N; i++)
        A[i] = K[i] + (i % (N + 1) ? 0 : N * (real)LAMBDA);
    for (int i = 0; i < N * T; i++)
        c[i] = p.y[i];
    solve(N, A, c);
    for (int i = 0; i < N; i++) {
        real f = 0;
        for (int j = 0; j < N; j++)
            f += K[i * N + j] * c[j * T];
        worst = fmax(worst, fabs(specreg_table_number(predicted, i, 0) - (double)f));
    }
    CHECK_WORST("tasks", worst, kit_tolerance(N, 1e3));
    free(A);
    free(c);
    free(K);
    specreg_model_free(model);
    specreg_table_free(predicted);
    specreg_table_free(table);
    specreg_options_free(o);
    problem_free(&p);
}

/* N x WIDE numbers, most of which are 0, dense and as a sparse matrix. */
enum { WIDE = 60 };
typedef struct sparse_rows {
    double x[N * WIDE], value[N * WIDE];
    int64_t start[N + 1];
    int32_t index[N * WIDE];
} sparse_rows;

static sparse_rows *make_sparse(void)
{
    sparse_rows *s = calloc(1, sizeof *s);
    double *x = kit_normal(4, N, WIDE);
    for (int k = 0; k < N * WIDE; k++) {
        s->start[k / WIDE + 1] += k % WIDE ? 0 : s->start[k / WIDE];
        if (k * 7 % 20)
            continue;
        s->x[k] = s->value[s->start[k / WIDE + 1]] = x[k];
        s->index[s->start[k / WIDE + 1]++] = k % WIDE;
    }
    free(x);
    return s;
}

TEST(approx_kinds, sparse_rows_are_as_good_as_dense_ones)
{
    static const char *const approx[] = {
        "rectangle:m=12", "rectangle:m=12,centers=pivoted",  "rectangle:m=12,centers=rpcholesky",
        "nystrom:m=12",   "rectangle:m=12,centers=leverage", "subset:m=12,centers=rpcholesky",
    };
    problem p = make_problem(true, true);
    sparse_rows *s = make_sparse();
    const specreg_csr_view csr = {s->value, s->start, s->index, N, WIDE};
    const specreg_view X = {s->x, N, WIDE, WIDE}, Y = {p.y, N, T, T};
    const specreg_data dense = {sizeof dense, .X = &X, .Y = &Y, .weights = p.w};
    const specreg_data sparse = {sizeof sparse, .X_csr = &csr, .Y = &Y, .weights = p.w};
    for (size_t k = 0; k < sizeof approx / sizeof *approx; k++) {
        const char *const pair[] = {"approx", approx[k],       "select", "gcv",
                                    "kernel", "rbf:sigma=1.7", "param",  "lambda=log:1e-5:1e-1:5",
                                    NULL};
        double F[N * T], G[N * T];
        specreg_options *o = options_of(ctx, &p, pair);
        specreg_model *a = NULL, *b = NULL;
        CHECK_OK(ctx, specreg_fit_data(ctx, &dense, o, &a));
        CHECK_OK(ctx, specreg_fit_data(ctx, &sparse, o, &b));
        CHECK_OK(ctx, specreg_predict_data(ctx, a, &dense, NULL, F, N * T));
        CHECK_OK(ctx, specreg_predict_data(ctx, b, &sparse, NULL, G, N * T));
        CHECK_WORST(approx[k], kit_distance(F, G, N * T), kit_tolerance(N, 1e4));
        specreg_model_free(a);
        specreg_model_free(b);
        specreg_options_free(o);
    }
    free(s);
    problem_free(&p);
}

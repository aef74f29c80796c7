/* Kernel principal components: coordinates against the decomposition by Jacobi rotations in long
 * double and against the filter that they are the other side of. */
#include "numeric/models.h"

#include <float.h>

#include "model/model.h"

static double k_linear(const double *x, const double *z, int64_t p, const double *param)
{
    (void)param;
    return inner(x, z, p);
}

static double k_poly2(const double *x, const double *z, int64_t p, const double *param)
{
    (void)param;
    return pow(1 + inner(x, z, p), 2);
}

/* The rank is of functions of three columns on 40 rows: of a quadratic, 1 + 3 + 6. */
static const struct kernel_case {
    const char *text;
    kernel_fn *function;
    double param;
    int64_t rank;
    int64_t counts[3];
} CASES[] = {
    {"rbf:sigma=1.5", k_rbf, 1.5, 40, {1, 4, 9}},
    {"linear", k_linear, 0, 3, {1, 2, 3}},
    {"poly:degree=2,coef0=1,gamma=1", k_poly2, 0, 10, {1, 5, 10}},
    {"rbf:sigma=0.3", k_rbf, 0.3, 40, {2, 10, 40}},
};
enum { N_CASES = sizeof CASES / sizeof *CASES };

typedef struct problem {
    double *X, *Z, *y, *K; /* rows, new rows, target, kernel matrix */
    real s[N];             /* of K/n, falling; cond: of the first m */
    real Q[N * N];
    specreg_table *train, *new;
} problem;

static problem *problem_new(specreg_context *ctx, const struct kernel_case *c)
{
    problem *p = calloc(1, sizeof *p);
    p->X = kit_normal(51, N, P);
    p->Z = kit_normal(52, M, P);
    p->y = smooth_target(p->X, N, P, 0.1, 53);
    p->K = gram(c->function, &c->param, p->X, N, p->X, N, P);
    ref_jacobi(N, p->K, p->s, p->Q);
    p->train = named_table(ctx, "train.csv", p->X, N, P, p->y);
    p->new = named_table(ctx, "new.csv", p->Z, M, P, NULL);
    return p;
}

static void problem_free(problem *p)
{
    specreg_table_free(p->new);
    specreg_table_free(p->train);
    free(p->K);
    free(p->y);
    free(p->Z);
    free(p->X);
    free(p);
}

/* What rounding of K becomes in the space of the first m eigenvectors, and in coordinates. */
static double condition(const problem *p, int64_t m)
{
    const real next = m < N ? p->s[m] : 0;
    return (double)(p->s[0] / (p->s[m - 1] - next) + p->s[0] / p->s[m - 1]);
}

/* ... and in each eigenvector by itself. */
static double vector_condition(const problem *p, int64_t m)
{
    real least = p->s[m - 1];
    for (int64_t j = 0; j < m && j + 1 < N; j++)
        least = fminl(least, p->s[j] - p->s[j + 1]);
    return (double)(p->s[0] / least);
}

static specreg_model *components(specreg_context *ctx, const specreg_table *t, const char *kernel,
                                 int64_t m)
{
    specreg_options *o = options_of(ctx, "kernel", kernel, "scale", "none", NULL);
    specreg_model *model;
    CHECK_OK(ctx, specreg_kpca(ctx, t, o, m, &model));
    specreg_options_free(o);
    return model;
}

static double *coordinates(specreg_context *ctx, const specreg_model *model, const specreg_table *t)
{
    specreg_table *out = predicted(ctx, model, t);
    double *z = numbers_of(out);
    specreg_table_free(out);
    return z;
}

TEST(kpca, least_squares_on_the_coordinates_is_tsvd)
{
    for (int k = 0; k < N_CASES; k++) {
        problem *p = problem_new(ctx, &CASES[k]);
        for (int i = 0; i < 3; i++) {
            const int64_t m = CASES[k].counts[i];
            char param[64];
            snprintf(param, sizeof param, "components=%d", (int)m);
            specreg_options *o =
                options_of(ctx, "kernel", CASES[k].text, "scale", "none", "filter", "tsvd", "param",
                           param, "select", "none", "problem", "regression", NULL);
            double *train = fit_predict(ctx, p->train, o, p->train);
            double *new = fit_predict(ctx, p->train, o, p->new);
            specreg_model *model = components(ctx, p->train, CASES[k].text, m);
            double *Z = coordinates(ctx, model, p->train), *Zn = coordinates(ctx, model, p->new);
            double *A = calloc((size_t)(m * m), sizeof *A), F[N], Fn[M], size = 0;
            real *b = real_new(m);
            for (int64_t r = 0; r < N; r++)
                for (int64_t j = 0; j < m; j++) {
                    b[j] += (real)Z[r * m + j] * p->y[r];
                    for (int64_t l = 0; l < m; l++)
                        A[j * m + l] += Z[r * m + j] * Z[r * m + l];
                }
            ref_solve(m, 1, A, 0, b);
            expand(N, m, 1, Z, b, F);
            expand(M, m, 1, Zn, b, Fn);
            for (int r = 0; r < N; r++)
                size = fmax(size, fabs(p->y[r]));
            /* new points: coordinates of size 1 meet coefficients up to |y| / (n s_m)^(1/2) */
            const double tol = kit_tolerance(N, condition(p, m)) * size;
            const double far = sqrt((double)(p->s[0] / p->s[m - 1]));
            CHECK_WORST("fitted values", kit_distance(F, train, N), tol);
            CHECK_WORST("predictions", kit_distance(Fn, new, M), tol * far);
            free(b);
            free(A);
            free(Zn);
            free(Z);
            specreg_model_free(model);
            free(new);
            free(train);
            specreg_options_free(o);
        }
        problem_free(p);
    }
}

TEST(kpca, many_rows_are_served_by_products_and_are_tsvd_too)
{
    enum { MANY = 1300, COMPONENTS = 6 };
    double *X = kit_normal(55, MANY, 2), *y = smooth_target(X, MANY, 2, 0.1, 56);
    double F[MANY] = {0};
    specreg_table *t = named_table(ctx, "many.csv", X, MANY, 2, y);
    specreg_options *o =
        options_of(ctx, "kernel", "rbf:sigma=1", "scale", "none", "filter", "tsvd", "param",
                   "components=6", "select", "none", "problem", "regression", NULL);
    double *fitted_values = fit_predict(ctx, t, o, t);
    specreg_model *model = components(ctx, t, "rbf:sigma=1", COMPONENTS);
    double *Z = coordinates(ctx, model, t);
    for (int64_t j = 0; j < COMPONENTS; j++) { /* columns are orthogonal */
        double square = 0, along = 0;
        for (int64_t i = 0; i < MANY; i++) {
            square += Z[i * COMPONENTS + j] * Z[i * COMPONENTS + j];
            along += Z[i * COMPONENTS + j] * y[i];
        }
        for (int64_t i = 0; i < MANY; i++)
            F[i] += Z[i * COMPONENTS + j] * along / square;
    }
    specreg_model *more =
        components(ctx, t, "rbf:sigma=1", COMPONENTS + 1); /* for the gap after the last */
    json_t *record = record_of(ctx, more);
    const double last = number_at(record, "eigenvalues.5"),
                 next = number_at(record, "eigenvalues.6");
    CHECK_WORST("fitted values of many rows", kit_distance(F, fitted_values, MANY),
                kit_tolerance(MANY,
                              number_at(record, "eigenvalues.0") * (1 / (last - next) + 1 / last)));
    json_decref(record);
    specreg_model_free(more);
    free(Z);
    specreg_model_free(model);
    free(fitted_values);
    specreg_options_free(o);
    specreg_table_free(t);
    free(y);
    free(X);
}

TEST(kpca, coordinates_are_those_of_the_eigenvectors_with_their_largest_entry_positive)
{
    for (int k = 0; k < N_CASES; k++) {
        problem *p = problem_new(ctx, &CASES[k]);
        const int64_t m = CASES[k].counts[1];
        specreg_model *model = components(ctx, p->train, CASES[k].text, m);
        json_t *record = record_of(ctx, model);
        double *Z = coordinates(ctx, model, p->train), *Zn = coordinates(ctx, model, p->new);
        double *Kn = gram(CASES[k].function, &CASES[k].param, p->Z, M, p->X, N, P);
        real trace = 0, sum = 0;
        for (int j = 0; j < N; j++)
            trace += p->s[j];
        for (int64_t j = 0; j < m; j++) {
            const real size = sqrtl(N * p->s[j]);
            real most = 0, expected[N + M];
            char place[64];
            double got[N + M], wanted[N + M];
            for (int i = 0; i < N; i++)
                if (fabsl(p->Q[i * N + j]) > fabsl(most))
                    most = p->Q[i * N + j];
            for (int i = 0; i < N + M; i++) {
                expected[i] = 0;
                for (int l = 0; l < N && i >= N; l++)
                    expected[i] += Kn[(i - N) * N + l] * p->Q[l * N + j] / size;
                if (i < N)
                    expected[i] = p->Q[i * N + j] * size;
                wanted[i] = (double)(most < 0 ? -expected[i] : expected[i]);
                got[i] = i < N ? Z[i * m + j] : Zn[(i - N) * m + j];
            }
            real gap = p->s[j] - p->s[j + 1];
            if (j > 0)
                gap = fminl(gap, p->s[j - 1] - p->s[j]);
            const double tol = kit_tolerance(N, (double)(p->s[0] / gap + p->s[0] / p->s[j]));
            CHECK_WORST("coordinates", kit_distance(got, wanted, N), tol * (double)size);
            CHECK_WORST("new coordinates", kit_distance(got + N, wanted + N, M),
                        tol * sqrt((double)(N * p->s[0])));
            sum += p->s[j];
            snprintf(place, sizeof place, "eigenvalues.%d", (int)j);
            CHECK_NEAR(number_at(record, place), (double)p->s[j],
                       kit_tolerance(N, (double)p->s[0]));
            snprintf(place, sizeof place, "cumulative_share.%d", (int)j);
            CHECK_NEAR(number_at(record, place), (double)(sum / trace), kit_tolerance(N, 1));
        }
        CHECK_NEAR(number_at(record, "trace"), (double)trace, kit_tolerance(N, 1));
        json_decref(record);
        free(Kn);
        free(Zn);
        free(Z);
        specreg_model_free(model);
        problem_free(p);
    }
}

TEST(kpca, columns_are_orthogonal_with_norm_n_s_and_at_full_rank_make_up_the_kernel_matrix)
{
    for (int k = 1; k < N_CASES; k++) { /* a wide Gaussian has no rank to speak of */
        problem *p = problem_new(ctx, &CASES[k]);
        const int64_t m = CASES[k].rank;
        specreg_model *model = components(ctx, p->train, CASES[k].text, m);
        double *Z = coordinates(ctx, model, p->train);
        const double tol =
            kit_tolerance(N, (double)(p->s[0] / p->s[m - 1])) * (double)(N * p->s[0]);
        for (int64_t a = 0; a < m; a++)
            for (int64_t b = 0; b < m; b++) {
                double sum = 0;
                for (int64_t i = 0; i < N; i++)
                    sum += Z[i * m + a] * Z[i * m + b];
                CHECK_WORST("Z'Z", fabs(sum - (a == b ? (double)(N * p->s[a]) : 0)), tol);
            }
        for (int64_t i = 0; i < N; i++)
            for (int64_t l = 0; l < N; l++) {
                double sum = 0;
                for (int64_t j = 0; j < m; j++)
                    sum += Z[i * m + j] * Z[l * m + j];
                CHECK_WORST("Z Z' - K", fabs(sum - p->K[i * N + l]), tol);
            }
        free(Z);
        specreg_model_free(model);
        problem_free(p);
    }
}

TEST(kpca, what_a_file_brings_back_gives_the_same_coordinates_after_the_carried_target)
{
    problem *p = problem_new(ctx, &CASES[0]);
    specreg_model *model = components(ctx, p->train, CASES[0].text, 4), *again;
    specreg_table *out, *same, *plain = predicted(ctx, model, p->train);
    char *json;
    CHECK_OK(ctx, specreg_model_save(ctx, model, kit_temp("kpca.srm")));
    CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("kpca.srm"), &again));
    CHECK_OK(ctx, specreg_kpca_apply(ctx, model, p->train, NULL, &out, NULL));
    CHECK_OK(ctx, specreg_kpca_apply(ctx, again, p->train, NULL, &same, &json));
    check_same_table(out, same);
    json_t *record = parsed(json);
    CHECK_STR(text_at(record, "kind"), "kpca");
    CHECK_EQ(number_at(record, "data.n"), N);
    CHECK_EQ(specreg_table_cols(out), 5);
    CHECK_STR(specreg_table_name(out, 0), "y");
    CHECK_STR(specreg_table_name(out, 1), "pc1");
    CHECK_STR(specreg_table_name(plain, 3), "pc4");
    for (int64_t i = 0; i < N; i++) {
        CHECK_SAME(specreg_table_number(out, i, 0), p->y[i]);
        for (int64_t j = 0; j < 4; j++)
            CHECK_SAME(specreg_table_number(out, i, j + 1), specreg_table_number(plain, i, j));
    }
    json_decref(record);
    specreg_table_free(plain);
    specreg_table_free(same);
    specreg_table_free(out);
    specreg_model_free(again);
    specreg_model_free(model);
    problem_free(p);
}

TEST(kpca, texts_and_several_columns_are_carried_and_their_gaps_do_not_matter)
{
    specreg_table *t = csv(ctx, "carried.csv",
                           "name,a,b,size\n"
                           "one,1,2,7\n,2,5,\nthree,,4,9\nfour,4,4.5,1\nfive,0,1,2\n"),
                  *out;
    specreg_options *o =
        options_of(ctx, "target", "size,name", "kpca", "components=2", "missing", "drop", NULL);
    specreg_model *model;
    CHECK_OK(ctx, specreg_kpca(ctx, t, o, 0, &model));
    CHECK_EQ(specreg_model_inputs(model), 2);
    json_t *record = record_of(ctx, model);
    CHECK_EQ(number_at(record, "data.n"),
             4); /* the row without a does not train, that without a size does */
    json_decref(record);
    CHECK_OK(ctx, specreg_kpca_apply(ctx, model, t, o, &out, NULL));
    CHECK_EQ(specreg_table_rows(out), 4); /* the one without a */
    CHECK_EQ(specreg_table_cols(out), 4);
    CHECK_STR(specreg_table_name(out, 0), "size");
    CHECK_STR(specreg_table_name(out, 1), "name");
    CHECK(isnan(specreg_table_number(out, 1, 0)) && !specreg_table_text(out, 1, 1));
    CHECK_STR(specreg_table_text(out, 2, 1), "four");
    CHECK_SAME(specreg_table_number(out, 2, 0), 1);
    CHECK(fabs(specreg_table_number(out, 3, 3)) > 0);
    specreg_table_free(out);
    specreg_options_free(o);
    o = options_of(ctx, "missing", "drop", NULL); /* nothing is named y: nothing is carried */
    CHECK_OK(ctx, specreg_kpca_apply(ctx, model, t, o, &out, NULL));
    CHECK_EQ(specreg_table_cols(out), 2);
    specreg_table_free(out);
    specreg_model_free(model);
    specreg_options_free(o);
    specreg_table_free(t);
}

TEST(kpca, a_given_matrix_gives_what_its_kernel_does)
{
    problem *p = problem_new(ctx, &CASES[0]);
    specreg_table *K = named_table(ctx, "K.csv", p->K, N, N, p->y);
    specreg_model *a = components(ctx, p->train, CASES[0].text, 5),
                  *b = components(ctx, K, "precomputed", 5);
    double *x = coordinates(ctx, a, p->train), *z = coordinates(ctx, b, K);
    CHECK_WORST("precomputed", kit_distance(x, z, N * 5),
                kit_tolerance(N, vector_condition(p, 5)) * sqrt((double)(N * p->s[0])));
    free(z);
    free(x);
    specreg_model_free(b);
    specreg_model_free(a);
    specreg_table_free(K);
    problem_free(p);
}

TEST(kpca, sparse_rows_have_the_coordinates_of_the_same_dense_rows)
{
    problem *p = problem_new(ctx, &CASES[0]), *own;
    FILE *f = fopen(kit_temp("s.libsvm"), "w");
    for (int i = 0; i < N; i++)
        fprintf(f, "%.17g 2:%.17g 70:%.17g 900:%.17g\n", p->y[i], p->X[i * P], p->X[i * P + 1],
                p->X[i * P + 2]);
    fclose(f);
    specreg_table *s = read_table(ctx, kit_temp("s.libsvm"));
    for (int k = 0; k < 2; k++) {
        own = problem_new(ctx, &CASES[k]);
        specreg_model *a = components(ctx, p->train, CASES[k].text, 3),
                      *b = components(ctx, s, CASES[k].text, 3);
        double *x = coordinates(ctx, a, p->train), *z = coordinates(ctx, b, s);
        CHECK(b->encoding.encoder->sparse);
        CHECK(!b->expansion.slope == (k == 0));
        CHECK_WORST("sparse", kit_distance(x, z, N * 3),
                    kit_tolerance(N, vector_condition(own, 3)) * sqrt((double)(N * own->s[0])));
        problem_free(own);
        free(z);
        free(x);
        specreg_model_free(b);
        specreg_model_free(a);
    }
    specreg_table_free(s);
    problem_free(p);
}

TEST(kpca, the_automatic_width_is_the_median_distance)
{
    double *X = kit_normal(54, N, 2), distance[N * (N - 1) / 2];
    specreg_table *t = table_of(ctx, X, N, 2, NULL, 0);
    int count = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) {
            double d = sqrt(dist2(X + 2 * i, X + 2 * j, 2));
            int at_ = count++;
            for (; at_ > 0 && distance[at_ - 1] > d; at_--)
                distance[at_] = distance[at_ - 1];
            distance[at_] = d;
        }
    specreg_model *model = components(ctx, t, "rbf:sigma=auto", 2);
    json_t *record = record_of(ctx, model);
    const double sigma = number_at(record, "kernel.sigma");
    CHECK(sigma >= distance[count / 2 - 1] * (1 - 1e-12) &&
          sigma <= distance[count / 2] * (1 + 1e-12));
    json_decref(record);
    specreg_model_free(model);
    specreg_table_free(t);
    free(X);
}

TEST(kpca, more_components_than_rows_or_than_the_rank_and_wrong_models_are_refused)
{
    problem *p = problem_new(ctx, &CASES[1]);
    specreg_model *model;
    specreg_table *out;
    specreg_options *o = options_of(ctx, "kernel", "linear", "scale", "none", NULL);
    CHECK_FAILS(ctx, specreg_kpca(ctx, p->train, o, N + 1, &model), SPECREG_E_ARG,
                "40 training rows");
    CHECK(!model);
    CHECK_FAILS(ctx, specreg_kpca(ctx, p->train, o, 4, &model), SPECREG_E_NUMERIC,
                "only 3 components are above rounding; ask for at most 3");
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kpca", "99,fewer=yes"));
    CHECK_OK(ctx, specreg_kpca(ctx, p->train, o, 0, &model));
    CHECK_EQ(specreg_model_outputs(model), 3);
    specreg_model_free(model);
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kpca", NULL));
    CHECK_FAILS(ctx, specreg_kpca(ctx, p->train, o, -1, &model), SPECREG_E_ARG, "-1");
    CHECK_FAILS(ctx, specreg_kpca(ctx, p->train, o, 0, &model), SPECREG_E_ARG, "how many");
    CHECK_OK(ctx, specreg_options_set(ctx, o, "outputs", "common:omega=0.5"));
    CHECK_FAILS(ctx, specreg_kpca(ctx, p->train, o, 2, &model), SPECREG_E_ARG, "outputs");
    CHECK_OK(ctx, specreg_options_set(ctx, o, "outputs", NULL));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "memory", "1K"));
    CHECK_FAILS(ctx, specreg_kpca(ctx, p->train, o, 2, &model), SPECREG_E_NOMEM,
                "needs more memory than");
    specreg_options_free(o);
    o = options_of(ctx, "kernel", "linear", "param", "lambda=0.1", "select", "none", NULL);
    model = fitted(ctx, p->train, o);
    CHECK_FAILS(ctx, specreg_kpca_apply(ctx, model, p->train, NULL, &out, NULL), SPECREG_E_SHAPE,
                "specreg predict");
    specreg_model_free(model);
    specreg_options_free(o);
    problem_free(p);
}

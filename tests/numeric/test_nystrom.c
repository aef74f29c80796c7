/* Whitened coordinates as features: their inner products are those of K_nm K_mm^-1
 * K_mn, and a saved model gives the same. */
#include "numeric/approx_problem.h"

/* The coordinates of a table by a model, N x r; free() them. */
static double *coordinates(specreg_context *ctx, const specreg_model *model,
                           const specreg_table *table, int64_t *r)
{
    specreg_table *made = NULL;
    CHECK_OK(ctx, specreg_kpca_apply(ctx, model, table, NULL, &made, NULL));
    *r = specreg_model_outputs(model);
    const int64_t first = specreg_table_cols(made) - *r;
    double *B = malloc((size_t)(N * *r) * sizeof *B);
    for (int64_t k = 0; k < N * *r; k++)
        B[k] = specreg_table_number(made, k / *r, first + k % *r);
    CHECK_STR(specreg_table_name(made, first), "b1");
    specreg_table_free(made);
    return B;
}

static specreg_model *learn(specreg_context *ctx, const specreg_table *table, const char *how,
                            const char *kernel)
{
    specreg_options *o = NULL;
    specreg_model *model = NULL;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "scale", "none"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", kernel));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "nystrom", how));
    CHECK_OK(ctx, specreg_nystrom(ctx, table, o, &model));
    specreg_options_free(o);
    return model;
}

static specreg_table *table_of(specreg_context *ctx, const problem *p)
{
    const specreg_view X = {p->x, N, P, P}, Y = {p->y, N, 1, T};
    specreg_table *table = NULL;
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &X, NULL, &Y, NULL, &table));
    return table;
}

TEST(nystrom, inner_products_of_coordinates_are_the_matrix_of_low_rank)
{
    problem p = make_problem(false, false);
    specreg_table *table = table_of(ctx, &p);
    specreg_model *model = learn(ctx, table, strchr(listed("nystrom"), ':') + 1, "rbf:sigma=0.9");
    real *K = malloc(sizeof *K * N * N);
    int64_t r;
    double *B = coordinates(ctx, model, table, &r), worst = 0;
    CHECK_EQ(r, M);
    low_rank_matrix(&p, K);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int64_t k = 0; k < r; k++)
                sum += (real)B[i * r + k] * B[j * r + k];
            worst = fmax(worst, fabs((double)(sum - K[i * N + j])));
        }
    CHECK_WORST("inner products", worst, kit_tolerance(N, 1e3));
    free(B);
    free(K);
    specreg_model_free(model);
    specreg_table_free(table);
    problem_free(&p);
}

/* A quadratic of two columns: rank 6, however many centres are asked for. */
TEST(nystrom, centres_that_depend_on_others_are_left_out)
{
    problem p = make_problem(false, false);
    specreg_table *table = table_of(ctx, &p);
    specreg_model *model = learn(ctx, table, "30", "poly:degree=2,coef0=1,gamma=1");
    CHECK_EQ(specreg_model_outputs(model), 6);
    CHECK_NEAR(number(ctx, model, "approx.m"), 30, 0);
    CHECK_NEAR(number(ctx, model, "approx.rank"), 6, 0);
    CHECK_NEAR(number(ctx, model, "approx.captured"), 1, 1e-12);
    specreg_model_free(model);
    specreg_table_free(table);
    problem_free(&p);
}

TEST(nystrom, a_saved_model_gives_the_same_coordinates)
{
    problem p = make_problem(false, false);
    specreg_table *table = table_of(ctx, &p);
    specreg_model *model = learn(ctx, table, "m=9,centers=rpcholesky", "rbf:sigma=0.9"),
                  *loaded = NULL;
    const char *path = kit_temp("b.srm");
    int64_t r;
    CHECK_OK(ctx, specreg_model_save(ctx, model, path));
    CHECK_OK(ctx, specreg_model_load(ctx, path, &loaded));
    double *B = coordinates(ctx, model, table, &r), *C = coordinates(ctx, loaded, table, &r);
    CHECK_EQ(r, 9);
    CHECK(memcmp(B, C, (size_t)(N * r) * sizeof *B) == 0);
    free(B);
    free(C);
    specreg_model_free(loaded);
    specreg_model_free(model);
    specreg_table_free(table);
    problem_free(&p);
}

TEST(nystrom, what_is_wrong_is_told)
{
    static const char *const bad[][3] = {{"", "rbf", "how many centres"},
                                         {"m=151", "rbf", "more centres than rows"},
                                         {"k=3", "rbf", "key 'k' is not known"},
                                         {"3", "curlfree", "does not go with it"}};
    problem p = make_problem(false, false);
    specreg_table *table = table_of(ctx, &p);
    for (int k = 0; k < 4; k++) {
        specreg_options *o = NULL;
        specreg_model *model = NULL;
        CHECK_OK(ctx, specreg_options_new(ctx, &o));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "nystrom", bad[k][0]));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", bad[k][1]));
        CHECK_FAILS(ctx, specreg_nystrom(ctx, table, o, &model), SPECREG_E_ARG, bad[k][2]);
        specreg_options_free(o);
    }
    specreg_table_free(table);
    problem_free(&p);
}

/* Kernels of one's own whose values are matrices: what dense_problems.h has no place for. */
#include <math.h>
#include <stdlib.h>

#include "kit/kit.h"

enum { N = 30, P = 2, M = 7, LARGE = 70 };

/* The built-in curlfree, by its formula. */
static void curlfree(const double *x, const double *z, int64_t p, int64_t outputs,
                     const double *params, void *payload, double *values)
{
    const double scale = 1 / (params[0] * params[0]);
    double square = 0;
    (void)payload;
    for (int64_t k = 0; k < p; k++)
        square += (x[k] - z[k]) * (x[k] - z[k]);
    for (int64_t s = 0; s < outputs; s++)
        for (int64_t t = 0; t < outputs; t++)
            values[s * outputs + t] = ((s == t) - (x[s] - z[s]) * (x[t] - z[t]) * scale) * scale *
                                      exp(-square * scale / 2);
}

/* A fixed matrix times the product of the first coordinates. */
static void ranked(const double *x, const double *z, int64_t p, int64_t outputs,
                   const double *params, void *payload, double *values)
{
    (void)p;
    (void)params;
    (void)payload;
    for (int64_t s = 0; s < outputs; s++)
        for (int64_t t = 0; t < outputs; t++)
            values[s * outputs + t] = x[0] * z[0] * (1 + (double)(s == t));
}

static void register_all(specreg_context *ctx)
{
    static const specreg_param_def width = {"sigma", 1};
    const specreg_matrix_kernel_def own = {sizeof own, "own", curlfree, &width, 1, 2, NULL};
    const specreg_matrix_kernel_def rank = {sizeof rank, "ranked", ranked, NULL, 0, 0, NULL};
    CHECK_OK(ctx, specreg_register_matrix_kernel(ctx, &own));
    CHECK_OK(ctx, specreg_register_matrix_kernel(ctx, &rank));
}

static specreg_options *options_with(specreg_context *ctx, const char *kernel)
{
    specreg_options *o;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", kernel));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "scale", "none"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "features", "none"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "param", "lambda=log:1e-4:1:9"));
    return o;
}

typedef struct arrays {
    double *x, *y, *later;
    specreg_view X, Y, Later;
} arrays;

static arrays arrays_new(int64_t outputs)
{
    arrays a = {kit_normal(1, N, P), kit_normal(2, N, outputs), kit_normal(3, M, P), {0}, {0}, {0}};
    a.X = (specreg_view){a.x, N, P, P};
    a.Y = (specreg_view){a.y, N, outputs, outputs};
    a.Later = (specreg_view){a.later, M, P, P};
    return a;
}

static void arrays_free(arrays *a)
{
    free(a->x);
    free(a->y);
    free(a->later);
}

static specreg_model *fitted(specreg_context *ctx, const arrays *a, const char *kernel, double *f)
{
    specreg_options *o = options_with(ctx, kernel);
    specreg_model *model;
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &a->X, &a->Y, o, &model));
    CHECK_OK(ctx, specreg_predict_array(ctx, model, &a->Later, NULL, f, M * a->Y.cols));
    specreg_options_free(o);
    return model;
}

TEST(matrix_kernels, a_search_of_one_finds_what_the_built_in_one_does)
{
    arrays a = arrays_new(P);
    double f[M * P], g[M * P], one, other;
    register_all(ctx);
    specreg_model *own = fitted(ctx, &a, "own:sigma={0.5,1,2}", f);
    specreg_model *built_in = fitted(ctx, &a, "curlfree:sigma={0.5,1,2}", g);
    CHECK_ARRAY_NEAR(f, g, M * P, kit_tolerance(N * P, 1e4));
    CHECK_OK(ctx, specreg_model_number(ctx, own, "kernel.sigma", &one));
    CHECK_OK(ctx, specreg_model_number(ctx, built_in, "kernel.sigma", &other));
    CHECK_SAME(one, other);
    CHECK_OK(ctx, specreg_model_number(ctx, own, "selection.value", &one));
    CHECK_OK(ctx, specreg_model_number(ctx, built_in, "selection.value", &other));
    CHECK_NEAR(one, other, kit_tolerance(N * P, 1e4));
    specreg_model_free(built_in);
    specreg_model_free(own);
    arrays_free(&a);
}

/* With x of the first column alone, ranked times rbf has the values of a sum of two couplings. */
TEST(matrix_kernels, products_and_columns)
{
    arrays a = arrays_new(3);
    double f[M * 3], g[M * 3];
    register_all(ctx);
    specreg_model *own = fitted(ctx, &a, "ranked:columns=2 * rbf:sigma=1.5", f);
    specreg_options *o =
        options_with(ctx, "linear:columns=2 * rbf:sigma=1.5 + linear:columns=2 * rbf:sigma=1.5");
    specreg_model *sum;
    CHECK_OK(ctx, specreg_options_set(ctx, o, "outputs", "common:omega=1 + independent"));
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &a.X, &a.Y, o, &sum));
    CHECK_OK(ctx, specreg_predict_array(ctx, sum, &a.Later, NULL, g, M * 3));
    CHECK_ARRAY_NEAR(f, g, M * 3, kit_tolerance(N * 3, 1e5));
    specreg_options_free(o);
    specreg_model_free(sum);
    specreg_model_free(own);
    arrays_free(&a);
}

TEST(matrix_kernels, a_model_is_read_again_where_its_kernel_is_registered)
{
    static const specreg_param_def width = {"sigma", 1};
    const specreg_matrix_kernel_def own = {sizeof own, "own", curlfree, &width, 1, 2, NULL};
    const specreg_matrix_kernel_def three = {sizeof three, "own", curlfree, &width, 1, 3, NULL};
    arrays a = arrays_new(P);
    double f[M * P], g[M * P];
    specreg_context *other;
    specreg_model *loaded;
    register_all(ctx);
    specreg_model *model = fitted(ctx, &a, "own:sigma=1", f);
    CHECK_OK(ctx, specreg_model_save(ctx, model, "own.srm"));
    CHECK_OK(ctx, specreg_context_new(&other));
    CHECK_OK(other, specreg_model_load(other, "own.srm", &loaded));
    CHECK_FAILS(other, specreg_predict_array(other, loaded, &a.Later, NULL, g, M * P),
                SPECREG_E_UNAVAILABLE, "the model uses kernel 'own', which is not built in");
    CHECK_OK(other, specreg_register_matrix_kernel(other, &own));
    CHECK_OK(other, specreg_predict_array(other, loaded, &a.Later, NULL, g, M * P));
    for (int k = 0; k < M * P; k++)
        CHECK_SAME(g[k], f[k]);
    specreg_context_free(other);
    CHECK_OK(ctx, specreg_context_new(&other));
    CHECK_OK(other, specreg_register_matrix_kernel(other, &three));
    CHECK_FAILS(other, specreg_predict_array(other, loaded, &a.Later, NULL, g, M * P),
                SPECREG_E_SHAPE, "kernel own is for 3 outputs, there are 2");
    specreg_context_free(other);
    specreg_model_free(loaded);
    specreg_model_free(model);
    arrays_free(&a);
}

static double number(const double *x, const double *z, int64_t p, const double *params,
                     void *payload)
{
    (void)p;
    (void)params;
    (void)payload;
    return x[0] * z[0];
}

/* For one target the matrices are numbers: those of 2 x1 z1. */
TEST(matrix_kernels, of_one_output_is_a_scalar_kernel)
{
    const specreg_kernel_def scalar = {sizeof scalar, "number", number, NULL, 0, NULL, NULL};
    arrays a = arrays_new(1);
    double f[M], g[M];
    register_all(ctx);
    CHECK_OK(ctx, specreg_register_kernel(ctx, &scalar));
    specreg_model *own = fitted(ctx, &a, "ranked", f);
    specreg_model *other = fitted(ctx, &a, "2*number", g);
    CHECK_ARRAY_NEAR(f, g, M, kit_tolerance(N, 1e4));
    CHECK_FAILS(ctx, specreg_predict_interval_array(ctx, own, &a.Later, 0.9, NULL, f, g, M),
                SPECREG_E_UNAVAILABLE, "interval: there are none for");
    specreg_model_free(other);
    specreg_model_free(own);
    arrays_free(&a);
}

/* A name that stands for numbers in the model, and for matrices where it is read, or otherwise. */
TEST(matrix_kernels, numbers_and_matrices_are_not_taken_for_each_other)
{
    const specreg_matrix_kernel_def matrix = {sizeof matrix, "one", ranked, NULL, 0, 0, NULL};
    const specreg_kernel_def scalar = {sizeof scalar, "one", number, NULL, 0, NULL, NULL};
    arrays a = arrays_new(P);
    double f[M * P];
    for (int first = 0; first < 2; first++) {
        specreg_context *one, *other;
        specreg_model *model, *loaded;
        CHECK_OK(ctx, specreg_context_new(&one));
        CHECK_OK(ctx, specreg_context_new(&other));
        CHECK_OK(one, specreg_register_matrix_kernel(first ? other : one, &matrix));
        CHECK_OK(one, specreg_register_kernel(first ? one : other, &scalar));
        model = fitted(one, &a, "one", f);
        CHECK_OK(one, specreg_model_save(one, model, "one.srm"));
        CHECK_OK(other, specreg_model_load(other, "one.srm", &loaded));
        CHECK_FAILS(other, specreg_predict_array(other, loaded, &a.Later, NULL, f, M * P),
                    SPECREG_E_UNAVAILABLE,
                    first ? "has numbers for values, the one that is "
                            "registered has matrices"
                          : "has matrices for values, the one that is "
                            "registered has numbers");
        specreg_model_free(loaded);
        specreg_model_free(model);
        specreg_context_free(other);
        specreg_context_free(one);
    }
    arrays_free(&a);
}

static void refused(specreg_context *ctx, const arrays *a, const char *kernel, const char *option,
                    const char *value, const char *says)
{
    specreg_options *o = options_with(ctx, kernel);
    specreg_model *model;
    if (option)
        CHECK_OK(ctx, specreg_options_set(ctx, o, option, value));
    CHECK(specreg_fit_arrays(ctx, &a->X, &a->Y, o, &model) != SPECREG_OK);
    CHECK_HAS(specreg_last_error(ctx), says);
    specreg_options_free(o);
}

TEST(matrix_kernels, what_is_wrong_is_said)
{
    specreg_matrix_kernel_def def = {sizeof def, "late", NULL, NULL, 0, 0, NULL};
    specreg_table *table;
    specreg_model *model;
    arrays a = arrays_new(P), three = arrays_new(3), many = arrays_new(LARGE);
    CHECK_FAILS(ctx, specreg_register_matrix_kernel(ctx, NULL), SPECREG_E_ARG, "def");
    CHECK_FAILS(ctx, specreg_register_matrix_kernel(ctx, &def), SPECREG_E_ARG, "without eval");
    def.eval = ranked;
    def.outputs = LARGE;
    CHECK_FAILS(ctx, specreg_register_matrix_kernel(ctx, &def), SPECREG_E_ARG,
                "for 1 to 64 outputs, or 0 for any number, not 70");
    def.outputs = 0;
    def.name = "rbf";
    CHECK_FAILS(ctx, specreg_register_matrix_kernel(ctx, &def), SPECREG_E_ARG, "is built in");
    register_all(ctx);
    refused(ctx, &three, "own", NULL, NULL, "kernel own is for 2 outputs, there are 3");
    refused(ctx, &many, "ranked", NULL, NULL, "for up to 64 outputs, there are 70");
    refused(ctx, &a, "own", "outputs", "common:omega=0.5", "leave --outputs out");
    refused(ctx, &a, "{own,rbf}", NULL, NULL, "kernel own cannot be one of a list");
    refused(ctx, &a, "own + curlfree:sigma=1", NULL, NULL, "cannot be added to a field");
    refused(ctx, &a, "own", "approx", "rectangle:m=5", "approx: rectangle is for");
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &a.X, NULL, NULL, NULL, &table));
    specreg_options *o = options_with(ctx, "own");
    CHECK_FAILS(ctx, specreg_kpca(ctx, table, o, 2, &model), SPECREG_E_ARG,
                "kpca: values of kernel own are matrices");
    CHECK_OK(ctx, specreg_options_set(ctx, o, "nystrom", "5"));
    CHECK_FAILS(ctx, specreg_nystrom(ctx, table, o, &model), SPECREG_E_ARG,
                "nystrom: kernel own does not go with it");
    specreg_options_free(o);
    specreg_table_free(table);
    arrays_free(&many);
    arrays_free(&three);
    arrays_free(&a);
}

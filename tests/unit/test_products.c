/* Products of kernels, and kernels of some columns, against their formulas in long double: every
 * way to values of a kernel matrix, dense and sparse. */
#include <math.h>

#include "kernel/kernel.h"
#include "kernel/kept.h"
#include "kit/kit.h"
#include "record/record.h"

static const char TEXT[] = "0.5*rbf:sigma=2,columns=A*linear:columns=B*laplace:sigma=3 + "
                           "2*cosine:columns=B + poly:degree=2,coef0=1,columns=A";

/* A: two spans, and more than a few columns at a time where there are many; B: one. */
static sri_kernel_grid parse(specreg_context *ctx, const char *text, int64_t p, const bool *A)
{
    sri_kernel_grid grid;
    bool *B = calloc((size_t)p, sizeof *B);
    for (int64_t k = p / 3; k < p - 1; k++)
        B[k] = true;
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, text, &grid));
    for (int t = 0; t < grid.base.n_terms; t++)
        if (grid.columns[t])
            CHECK_OK(ctx, sri_picked_mark(ctx, grid.columns[t],
                                          strcmp(grid.columns[t]->text, "A") == 0 ? A : B, p));
    free(B);
    return grid;
}

static long double square(const double *x, const double *z, const bool *in, int64_t p)
{
    long double sum = 0;
    for (int64_t k = 0; k < p; k++)
        sum += !in || in[k] ? ((long double)x[k] - z[k]) * ((long double)x[k] - z[k]) : 0;
    return sum;
}

static long double dot(const double *x, const double *z, int64_t from, int64_t to)
{
    long double sum = 0;
    for (int64_t k = from; k < to; k++)
        sum += (long double)x[k] * z[k];
    return sum;
}

static long double value(const double *x, const double *z, const bool *A, int64_t p)
{
    const int64_t from = p / 3, to = p - 1;
    const long double xx = dot(x, x, from, to), zz = dot(z, z, from, to);
    long double in_A = 1;
    for (int64_t k = 0; k < p; k++)
        in_A += A[k] ? (long double)x[k] * z[k] : 0;
    return 0.5L * expl(-square(x, z, A, p) / 8) * dot(x, z, from, to) *
               expl(-sqrtl(square(x, z, NULL, p)) / 3) +
           2 * (xx > 0 && zz > 0 ? dot(x, z, from, to) / sqrtl(xx * zz) : 0) + in_A * in_A;
}

static sri_matrix sparse_of(specreg_context *ctx, const double *x, int64_t n, int64_t p)
{
    sri_matrix m;
    int64_t used = 0;
    CHECK_OK(ctx, sri_matrix_new_sparse(ctx, n, p, n * p, &m));
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < p; k++)
            if (x[i * p + k] != 0) {
                m.index[used] = (int32_t)k;
                m.value[used++] = x[i * p + k];
            }
        m.start[i + 1] = used;
    }
    return m;
}

/* Some points of p coordinates, of which many are 0 and two are equal, with all others. */
static void check_matrices(specreg_context *ctx, int64_t n, int64_t p, bool sparse)
{
    bool *A = calloc((size_t)p, sizeof *A);
    double *x = kit_normal(4, n, p), *v = kit_normal(5, n, 3);
    double *K = calloc((size_t)(n * n), sizeof *K), *want = calloc((size_t)(n * n), sizeof *want);
    double *F = calloc((size_t)(3 * n), sizeof *F), *sum = calloc((size_t)(3 * n), sizeof *sum);
    sri_points *pts;
    for (int64_t k = 0; k < p; k += 2)
        A[k] = true;
    for (int64_t i = 0; i < n * p; i++)
        x[i] = i % 7 < 4 ? x[i] / sqrt((double)p) : 0;
    memcpy(x + p, x, (size_t)p * sizeof *x);
    sri_kernel_grid grid = parse(ctx, TEXT, p, A);
    const sri_kernel k = sri_kernel_grid_at(&grid, 0);
    sri_matrix rows = sri_view_dense(x, n, p).x;
    if (sparse)
        rows = sparse_of(ctx, x, n, p);
    CHECK_OK(ctx, sri_points_of(ctx, &rows, false, &pts));
    CHECK_OK(ctx, sri_kernel_columns_check(ctx, &k, p));
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            want[i * n + j] = (double)value(x + i * p, x + j * p, A, p);
            largest = fmax(largest, fabs(want[i * n + j]));
            for (int c = 0; c < 3; c++)
                sum[i * 3 + c] += want[i * n + j] * v[j * 3 + c];
        }
    const double tolerance = kit_tolerance(p, 4 * largest);
    CHECK_OK(ctx, sri_kernel_gram(ctx, &k, pts, true, K, n));
    CHECK_ARRAY_NEAR(K, want, n * n, tolerance);
    const sri_rows_view some = sri_points_rows(pts, 1, n - 1);
    CHECK_OK(ctx, sri_kernel_block(ctx, &k, &some, pts, K, n));
    CHECK_ARRAY_NEAR(K, want + n, (n - 1) * n, tolerance);
    CHECK_OK(ctx, sri_kernel_diagonal(ctx, &k, pts, F));
    for (int64_t i = 0; i < n; i++)
        CHECK_NEAR(F[i], want[i * n + i], tolerance);
    const sri_kernel_matrix all = {&k, &pts->rows, pts};
    CHECK_OK(ctx, sri_kernel_rows_product(ctx, &all, 3, v, F));
    CHECK_ARRAY_NEAR(F, sum, 3 * n, kit_tolerance(n + p, 16 * largest));
    if (!sparse) {
        CHECK_OK(ctx, sri_kernel_square_product(ctx, &k, pts, 3, v, F));
        CHECK_ARRAY_NEAR(F, sum, 3 * n, kit_tolerance(n + p, 16 * largest));
    }
    sri_points_free(pts);
    if (sparse)
        sri_matrix_free(&rows);
    sri_kernel_grid_free(&grid);
    free(sum);
    free(F);
    free(want);
    free(K);
    free(v);
    free(x);
    free(A);
}

TEST(products, are_those_of_the_formula_in_tiles_by_products_and_sparse)
{
    check_matrices(ctx, 150, 7, false);
    check_matrices(ctx, 150, 200, false); /* by products of rows */
    check_matrices(ctx, 150, 7, true);
    check_matrices(ctx, 150, 200, true);
}

TEST(products, widths_are_medians_of_the_columns_that_are_looked_at)
{
    const double x[] = {0, 5, 0, 1, 5, 0, 3, 5, 100}; /* |differences| of the first: 1, 2, 3 */
    const bool first[] = {true, false, false}, apart[] = {true, false, true};
    sri_points *pts;
    double median;
    sri_kernel_grid grid = parse(ctx, "rbf:columns=A*rbf", 3, first);
    CHECK_OK(ctx, sri_points_new(ctx, x, 3, 3, false, &pts));
    CHECK_OK(ctx, sri_points_median(ctx, pts, grid.columns[0], false, 1, &median));
    CHECK_SAME(median, 2);
    CHECK_OK(ctx, sri_kernel_grid_resolve(ctx, &grid, pts, 1));
    CHECK_EQ(sri_kernel_grid_count(&grid), 121);
    CHECK_NEAR(grid.list[0][0].v[0], 8, 1e-12);
    CHECK(grid.list[1][0].v[0] > 100);
    CHECK_OK(ctx, sri_picked_mark(ctx, grid.columns[0], apart, 3));
    CHECK_EQ(grid.columns[0]->spans, 2);
    CHECK_OK(ctx, sri_points_median(ctx, pts, grid.columns[0], true, 1, &median));
    CHECK_SAME(median, 102);
    sri_points_free(pts);
    sri_kernel_grid_free(&grid);
}

TEST(products, have_constants_where_all_factors_have)
{
    static const struct {
        const char *text;
        bool constant;
    } cases[] = {{"poly*poly:degree=2", true},
                 {"poly*rbf", false},
                 {"rbf*poly", false},
                 {"rbf*poly + poly:degree=1", true},
                 {"poly*poly:coef0=0 + rbf", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sri_kernel_grid grid;
        CHECK_OK(ctx, sri_kernel_grid_parse(ctx, cases[i].text, &grid));
        CHECK_EQ(sri_kernel_grid_has_constant(&grid), cases[i].constant);
        sri_kernel_grid_free(&grid);
    }
}

/* What a file says is read back, or refused. */
static specreg_status read_back(specreg_context *ctx, const char *text, int64_t p)
{
    sri_kept_kernel kept = {0};
    json_t *json = json_loads(text, 0, NULL);
    CHECK(json != NULL);
    specreg_status st = sri_kernel_from_json(ctx, json, &kept);
    if (st == SPECREG_OK)
        st = sri_kernel_columns_check(ctx, &kept.kernel, p);
    sri_kept_kernel_free(&kept);
    json_decref(json);
    return st;
}

#define TERM(more) "{\"name\":\"linear\"" more "}"

TEST(products, of_a_file_are_checked)
{
    CHECK_OK(ctx, read_back(ctx, TERM(",\"columns\":\"a\",\"spans\":[1,2,5,5]"), 5));
    static const char *const broken[] = {
        TERM(",\"columns\":\"a\""),
        TERM(",\"spans\":[1,1]"),
        TERM(",\"columns\":\"a\",\"spans\":[]"),
        TERM(",\"columns\":\"a\",\"spans\":[1]"),
        TERM(",\"columns\":\"a\",\"spans\":[0,1]"),
        TERM(",\"columns\":\"a\",\"spans\":[2,1]"),
        TERM(",\"columns\":\"a\",\"spans\":[-1,1]"),
        TERM(",\"columns\":\"a\",\"spans\":[1.5,2]"),
        TERM(",\"columns\":\"a\",\"spans\":[\"1\",2]"),
        TERM(",\"columns\":\"a\",\"spans\":[1,9223372036854775807]"),
        TERM(",\"columns\":\"a\",\"spans\":[1,6]"),
        TERM(",\"columns\":\"a\",\"spans\":[1,2,2,3]"),
        TERM(",\"columns\":\"a\",\"spans\":[3,4,1,2]"),
        TERM(",\"times\":true"),
        "{\"name\":\"product\",\"terms\":[" TERM(",\"times\":true") "," TERM("") "]}",
        "{\"name\":\"product\",\"terms\":[" TERM("") ",{\"name\":\"thinplate\",\"times\":true}]}",
        "{\"name\":\"product\",\"terms\":[" TERM("") ",{\"name\":\"precomputed\",\"times\":true}]}",
        "{\"name\":\"product\",\"terms\":[{\"name\":\"curlfree\",\"sigma\":1}," TERM(
            ",\"times\":true") "]}",
        "{\"name\":\"precomputed\",\"columns\":\"a\",\"spans\":[1,1]}",
        "{\"name\":\"curlfree\",\"sigma\":1,\"columns\":\"a\",\"spans\":[1,1]}",
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        const specreg_status st = read_back(ctx, broken[i], 5);
        if (st != SPECREG_E_FORMAT && st != SPECREG_E_SHAPE)
            kit_fail(__FILE__, __LINE__, "accepted: %s", broken[i]);
    }
}

TEST(products, are_written_and_read_back)
{
    bool A[] = {true, false, true, true, false};
    sri_kernel_grid grid = parse(ctx, TEXT, 5, A);
    const sri_kernel k = sri_kernel_grid_at(&grid, 0);
    sri_kept_kernel kept = {0}, copy = {0};
    sri_kernel back;
    json_t *json = sri_kernel_json(&k);
    CHECK_OK(ctx, sri_kernel_from_json(ctx, json, &kept));
    CHECK_OK(ctx, sri_kernel_keep(ctx, &kept.kernel, &copy));
    sri_kept_kernel_free(&kept);
    CHECK_OK(ctx, sri_kept_kernel_use(ctx, &copy, &back));
    CHECK(sri_kernel_same_scalar(&k, &back) && sri_kernel_same_family(&k, &back));
    for (int t = 0; t < k.n_terms; t++)
        CHECK_SAME(back.term[t].weight, k.term[t].weight);
    sri_kept_kernel_free(&copy);
    json_decref(json);
    sri_kernel_grid_free(&grid);
}

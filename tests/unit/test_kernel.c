/* Kernel values and their matrices: every formula against the definition in long double, one pair
 * at a time; matrices against pairs, in tiles and by products. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "record/record.h"
#include "kit/kit.h"

typedef long double real;

static double own_kernel(const double *x, const double *z, int64_t p, const double *params,
                         void *payload)
{
    (void)payload;
    double dot = 0;
    for (int64_t k = 0; k < p; k++)
        dot += x[k] * z[k];
    return params[0] + dot * dot;
}

/* One kernel and its definition. */
typedef struct form {
    const char *text;
    char kind; /* as in the switch below */
    double a, b, c;
} form;

static const form FORMS[] = {
    {"linear", 'l', 0, 0, 0},
    {"poly", 'p', 3, 1, 1},
    {"poly:degree=1,coef0=0,gamma=2", 'p', 1, 0, 2},
    {"poly:degree=4,coef0=0.5,gamma=0.25", 'p', 4, 0.5, 0.25},
    {"rbf:sigma=0.7", 'g', 0.7, 0, 0},
    {"rbf:gamma=0.125", 'g', 2, 0, 0}, /* 1/(2 sigma^2) = 1/8 */
    {"laplace:sigma=1.5", 'e', 1.5, 2, 0},
    {"laplace:sigma=1.5,norm=1", 'e', 1.5, 1, 0},
    {"matern:nu=0.5,sigma=2", 'm', 0.5, 2, 0},
    {"matern:sigma=2", 'm', 1.5, 2, 0},
    {"matern:nu=2.5,sigma=2", 'm', 2.5, 2, 0},
    {"mine:c=0.25", 'u', 0.25, 0, 0},
    {"0.5*rbf:sigma=0.7 + 3*linear+1e+1*mine:c=0.25", 's', 0, 0, 0},
    {"2*poly:degree=2 + 0.125*matern:nu=2.5,sigma=2", 't', 0, 0, 0},
};
enum { N_FORMS = sizeof FORMS / sizeof *FORMS };

static real definition(const form *f, const double *x, const double *z, int64_t p)
{
    real dot = 0, d2 = 0, d1 = 0;
    for (int64_t k = 0; k < p; k++) {
        dot += (real)x[k] * z[k];
        d2 += ((real)x[k] - z[k]) * ((real)x[k] - z[k]);
        d1 += fabsl((real)x[k] - z[k]);
    }
    const real r = sqrtl(d2);
    switch (f->kind) {
    case 'l':
        return dot;
    case 'p':
        return powl(f->c * dot + f->b, (real)f->a);
    case 'g':
        return expl(-d2 / (2 * (real)f->a * f->a));
    case 'e':
        return expl(-(f->b == 1 ? d1 : r) / f->a);
    case 'm': {
        if (f->a == 0.5)
            return expl(-r / f->b);
        const real u = sqrtl(f->a == 1.5 ? 3 : 5) * r / f->b;
        return f->a == 1.5 ? (1 + u) * expl(-u) : (1 + u + u * u / 3) * expl(-u);
    }
    case 'u':
        return f->a + dot * dot;
    case 's':
        return 0.5L * definition(&FORMS[4], x, z, p) + 3 * dot +
               10 * definition(&FORMS[11], x, z, p);
    default:
        return 2 * (dot + 1) * (dot + 1) + 0.125L * definition(&FORMS[10], x, z, p);
    }
}

/* How far rounding may take a value: the pair quantity has p + 4 roundings of its parts, which the
 * function passes on with its slope; distances by products (`wide`) round at the size of the norms,
 * but those much smaller than the norms are taken from differences.
 * Everything below is first order and not sharp by more than a small factor. */
static double bound_of(const form *f, const double *x, const double *z, int64_t p, bool wide)
{
    real size = 0, norms = 0, d2 = 0, d1 = 0;
    for (int64_t k = 0; k < p; k++) {
        size += fabsl((real)x[k] * z[k]);
        norms += (real)x[k] * x[k] + (real)z[k] * z[k];
        d2 += ((real)x[k] - z[k]) * ((real)x[k] - z[k]);
        d1 += fabsl((real)x[k] - z[k]);
    }
    const real unit = (real)(p + 4) * DBL_EPSILON, e2 = unit * (wide ? 4 * norms : d2);
    const real er = fminl(sqrtl(e2), d2 > 0 ? e2 / sqrtl(d2) : sqrtl(e2)); /* of r */
    switch (f->kind) {
    case 'l':
        return (double)(unit * size);
    case 'p': {
        const real base = f->c * size + f->b;
        return (double)(2 * (real)f->a * unit * powl(base, (real)f->a));
    }
    case 'g':
        return (double)(e2 / (2 * (real)f->a * f->a) + 8 * DBL_EPSILON);
    case 'e':
        return (double)((f->b == 1 ? unit * d1 : er) / f->a + 8 * DBL_EPSILON);
    case 'm': /* |slope in r| <= sqrt(5)/sigma */
        return (double)(sqrtl(5) / f->b * er + 16 * DBL_EPSILON);
    case 'u':
        return (double)(4 * unit * (f->a + size * size));
    case 's':
        return 0.5 * bound_of(&FORMS[4], x, z, p, wide) + 6 * (double)(unit * size) +
               20 * bound_of(&FORMS[11], x, z, p, wide) + 8 * DBL_EPSILON;
    default:
        return (double)(8 * unit * (size + 1) * (size + 1)) + bound_of(&FORMS[10], x, z, p, wide);
    }
}

static sri_kernel parse_kernel(specreg_context *ctx, const char *text)
{
    sri_kernel_grid grid;
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, text, &grid));
    const sri_kernel k = sri_kernel_grid_at(&grid, 0);
    sri_kernel_grid_free(&grid);
    return k;
}

static void register_own(specreg_context *ctx)
{
    static const specreg_param_def params[] = {{"c", 1}};
    const specreg_kernel_def def = {sizeof def, "mine", own_kernel, params, 1, NULL, NULL};
    CHECK_OK(ctx, specreg_register_kernel(ctx, &def));
}

TEST(kernel, formulas_hold_at_points_computed_by_hand)
{
    /* x = (1, 2, 2), z = (3, 0, 1): <x,z> = 5, |x-z|_2 = 3, |x-z|_1 = 5 */
    static const double x[3] = {1, 2, 2}, z[3] = {3, 0, 1};
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"linear", 5},
        {"poly", 216},
        {"poly:degree=2,coef0=0,gamma=2", 100},
        {"rbf:sigma=3", 0.60653065971263342},     /* exp(-1/2) */
        {"rbf:gamma=1", 0.00012340980408667956},  /* exp(-9)   */
        {"laplace:sigma=3", 0.36787944117144233}, /* exp(-1)   */
        {"laplace:sigma=5,norm=1", 0.36787944117144233},
        {"matern:nu=0.5,sigma=3", 0.36787944117144233},
        {"matern:nu=1.5,sigma=3", 0.48335772459650762}, /* (1+sqrt 3) exp(-sqrt 3)       */
        {"matern:nu=2.5,sigma=3", 0.5239941088318203},  /* (1+sqrt 5+5/3) exp(-sqrt 5)   */
        {"2*linear + 0.5*poly", 118},
        {"rq:alpha=2,sigma=3", 0.64},                        /* (5/4)^-2                    */
        {"periodic:period=4,sigma=1", 0.006737946999085467}, /* exp(-2 (1 + 1 + 1/2))       */
        {"cosine", 0.52704627669472992},                     /* 5 / (3 sqrt 10)             */
        {"chi2:gamma=1", 0.035673993347252408},              /* exp(-(1 + 2 + 1/3))         */
        {"intersection", 2},
        {"hamming:sigma=3", 0.36787944117144233}, /* all three differ            */
        {"thinplate", 9.8875105980129871},        /* 9 log 3                     */
        {"polyharmonic:degree=1", -3},
        {"polyharmonic", 27},
        {"polyharmonic:degree=4", -88.987595382116884}, /* -81 log 3                   */
        {"multiquadric:sigma=3", -1.4142135623730951},
    };
    const sri_rows_view row = sri_view_dense(x, 1, 3);
    sri_points *centre;
    CHECK_OK(ctx, sri_points_new(ctx, z, 1, 3, false, &centre));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sri_kernel k = parse_kernel(ctx, cases[i].text);
        double got;
        CHECK_OK(ctx, sri_kernel_block(ctx, &k, &row, centre, &got, 1));
        CHECK_NEAR(got, cases[i].value, 16 * DBL_EPSILON);
    }
    sri_points_free(centre);
}

TEST(kernel, sobolev_is_the_bridge_on_the_unit_interval)
{
    static const double x[5] = {0, 0.25, 0.5, 0.75, 1}, out[2] = {-0.5, 1.5};
    const sri_rows_view outside = sri_view_dense(out, 2, 1);
    sri_points *pts;
    double K[25], Z[10];
    CHECK_OK(ctx, sri_points_new(ctx, x, 5, 1, false, &pts));
    const sri_kernel k = parse_kernel(ctx, "sobolev");
    CHECK_OK(ctx, sri_kernel_gram(ctx, &k, pts, true, K, 5));
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) /* exact in binary */
            CHECK_SAME(K[i * 5 + j], fmin(x[i], x[j]) * (1 - fmax(x[i], x[j])));
    CHECK_OK(ctx, sri_kernel_block(ctx, &k, &outside, pts, Z, 5));
    for (int i = 0; i < 10; i++)
        CHECK_SAME(Z[i], 0.0);
    sri_points_free(pts);
}

/* Gram matrix, block and diagonal against pairs, for one kernel, n and p. */
static void check_matrices(specreg_context *ctx, const form *f, int64_t n, int64_t p)
{
    const int64_t ld = n + 2;
    double *x = kit_normal((uint64_t)(n + 7 * p), n, p);
    for (int64_t i = 0; i < n * p; i++) /* powers stay moderate; off centre, and one equal pair */
        x[i] = 0.5 + x[i] / sqrt((double)p);
    if (n > 2)
        memcpy(x + (n - 1) * p, x + p, (size_t)p * sizeof *x);
    double *K = malloc((size_t)(n * ld) * sizeof *K), *L = malloc((size_t)(n * ld) * sizeof *L);
    double *B = malloc((size_t)(n * ld) * sizeof *B), *d = malloc((size_t)n * sizeof *d);
    for (int64_t i = 0; i < n * ld; i++)
        K[i] = L[i] = B[i] = -777;
    sri_points *pts;
    const sri_kernel k = parse_kernel(ctx, f->text);
    const bool wide = p > 64 && !strchr("us", f->kind) && !(f->kind == 'e' && f->b == 1);
    CHECK_OK(ctx, sri_points_new(ctx, x, n, p, false, &pts));
    CHECK_OK(ctx, sri_kernel_gram(ctx, &k, pts, true, K, ld));
    CHECK_OK(ctx, sri_kernel_gram(ctx, &k, pts, false, L, ld));
    CHECK_OK(ctx, sri_kernel_block(ctx, &k, &pts->rows, pts, B, ld));
    CHECK_OK(ctx, sri_kernel_diagonal(ctx, &k, pts, d));
    char name[64];
    snprintf(name, sizeof name, "%.40s%s", f->text, wide ? " by products" : "");
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            const double *a = x + i * p, *b = x + j * p;
            if (n < 100 || (i * 37 + j) % 29 == 0 || j >= n - 2) { /* a sample of a large one */
                const real want = definition(f, a, b, p);
                const double bound = bound_of(f, a, b, p, wide);
                CHECK_WORST(name, (double)fabsl(K[i * ld + j] - want), bound);
                CHECK_WORST(name, (double)fabsl(B[i * ld + j] - want), bound);
            }
            CHECK(K[i * ld + j] == K[j * ld + i]);
            CHECK(j > i || L[i * ld + j] == K[i * ld + j]);
        }
        CHECK_NEAR(d[i], K[i * ld + i], (double)(p + 4) * 8 * DBL_EPSILON);
        CHECK(K[i * ld + n] == -777 && K[i * ld + n + 1] == -777 && L[i * ld + n] == -777);
        CHECK(B[i * ld + n] == -777);
    }
    if (n > 2 && strchr("gem", f->kind)) {
        CHECK_SAME(K[(n - 1) * ld + 1], 1.0); /* equal rows */
        CHECK_SAME(B[ld + n - 1], 1.0);
        for (int64_t i = 0; i < n; i++)
            CHECK_SAME(K[i * ld + i], 1.0);
    }
    sri_points_free(pts);
    free(d);
    free(B);
    free(L);
    free(K);
    free(x);
}

TEST(kernel, matrices_hold_the_values_of_pairs)
{
    static const int64_t ns[] = {1, 2, 15, 16, 17, 127, 128, 129}, ps[] = {1, 3, 64, 65};
    register_own(ctx);
    for (int f = 0; f < N_FORMS; f++)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 4; j++)
                check_matrices(ctx, &FORMS[f], ns[i], ps[j]);
}

TEST(kernel, large_matrices_hold_the_values_of_pairs)
{
    register_own(ctx);
    for (int f = 0; f < N_FORMS; f++) {
        check_matrices(ctx, &FORMS[f], 300, 20);
        check_matrices(ctx, &FORMS[f], 300, 200);
    }
}

/* Products of uncentred data, 1e6 from the origin, would leave no digit of a distance. */
TEST(kernel, distances_by_products_do_not_mind_a_shift)
{
    enum { N = 40, P = 100 };
    static const form f = {"rbf:sigma=10", 'g', 10, 0, 0};
    double *x = kit_normal(9, N, P), K[N * N];
    for (int i = 0; i < N * P; i++)
        x[i] += 1e6;
    sri_points *pts;
    const sri_kernel k = parse_kernel(ctx, f.text);
    CHECK_OK(ctx, sri_points_new(ctx, x, N, P, false, &pts));
    CHECK_OK(ctx, sri_kernel_gram(ctx, &k, pts, true, K, N));
    for (int i = 0; i < N * N; i++) { /* centred norms are about P; the slope is 1 / (2 sigma^2) */
        const real want = definition(&f, x + i / N * P, x + i % N * P, P);
        CHECK_WORST("shifted, by products", (double)fabsl(K[i] - want),
                    kit_tolerance(P, 4.0 * P / 200));
    }
    sri_points_free(pts);
    free(x);
}

/* All eigenvalues of K + e I are positive exactly when Cholesky, here the plainest, goes through;
 * e is what rounding of the n x n values can take away. */
TEST(kernel, matrices_are_positive_semidefinite_to_rounding)
{
    enum { N = 60, P = 2 };
    double *x = kit_normal(5, N, P), K[N * N];
    register_own(ctx);
    for (int i = 0; i < 10; i++)
        memcpy(x + (N - 1 - i) * P, x + i * P, P * sizeof *x);
    sri_points *pts;
    CHECK_OK(ctx, sri_points_new(ctx, x, N, P, false, &pts));
    for (int f = 0; f < N_FORMS; f++) {
        const sri_kernel k = parse_kernel(ctx, FORMS[f].text);
        CHECK_OK(ctx, sri_kernel_gram(ctx, &k, pts, true, K, N));
        double top = 0;
        for (int i = 0; i < N; i++)
            top = fmax(top, K[i * N + i]);
        real L[N][N];
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++) {
                real v = K[i * N + j] + (i == j ? kit_tolerance(N, top) : 0);
                for (int m = 0; m < j; m++)
                    v -= L[i][m] * L[j][m];
                CHECK(i != j || v > 0);
                L[i][j] = i == j ? sqrtl(v) : v / L[j][j];
            }
    }
    sri_points_free(pts);
    free(x);
}

TEST(kernel, precomputed_takes_the_matrix_as_it_is)
{
    static const double K[9] = {4, 1, -2, 1, 5, 0.5, -2, 0.5, 6}, row[3] = {7, 8, 9};
    const sri_rows_view given = sri_view_dense(row, 1, 3);
    double got[9], one[3];
    sri_kernel_grid grid;
    sri_points *pts;
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, "precomputed", &grid));
    CHECK(sri_kernel_grid_indexed(&grid));
    CHECK_OK(ctx, sri_points_new(ctx, K, 3, 3, true, &pts));
    CHECK_OK(ctx, sri_kernel_grid_resolve(ctx, &grid, pts, 1));
    const sri_kernel k = sri_kernel_grid_at(&grid, 0);
    CHECK_OK(ctx, sri_kernel_gram(ctx, &k, pts, true, got, 3));
    CHECK(memcmp(got, K, sizeof K) == 0);
    CHECK_OK(ctx, sri_kernel_block(ctx, &k, &given, pts, one, 3));
    CHECK(memcmp(one, row, sizeof row) == 0);
    static const int64_t some[2] = {2, 0};
    sri_points *sub; /* rows 2 and 0: kernel values against training rows 2 and 0 */
    CHECK_OK(ctx, sri_points_subset(ctx, pts, some, 2, &sub));
    CHECK_OK(ctx, sri_kernel_gram(ctx, &k, sub, true, got, 2));
    CHECK(got[0] == 6 && got[1] == -2 && got[2] == -2 && got[3] == 4);
    sri_points_free(sub);
    sri_points_free(pts);
    double crooked[9];
    memcpy(crooked, K, sizeof K);
    crooked[5] = 0.75;
    CHECK_OK(ctx, sri_points_new(ctx, crooked, 3, 3, true, &pts));
    CHECK_FAILS(ctx, sri_kernel_grid_resolve(ctx, &grid, pts, 1), SPECREG_E_NUMERIC,
                "row 3, column 2 is 0.5, but row 2, column 3 is 0.75");
    sri_points_free(pts);
    CHECK_OK(ctx, sri_points_new(ctx, K, 2, 3, true, &pts));
    CHECK_FAILS(ctx, sri_kernel_grid_resolve(ctx, &grid, pts, 1), SPECREG_E_SHAPE,
                "2 rows, 3 feature columns");
    sri_points_free(pts);
    sri_kernel_grid_free(&grid);
}

/* Numbers near the ends of the range: right, or an error that names the rows. */
TEST(kernel, extreme_numbers_work_or_are_named)
{
    static const int64_t ps[] = {2, 100}; /* by tiles, by products */
    for (int w = 0; w < 2; w++) {
        const int64_t p = ps[w], n = 3;
        double *x = calloc((size_t)(n * p), sizeof *x), K[9];
        sri_points *pts;
        for (int64_t k = 0; k < p; k++) {
            x[k] = 1e300;
            x[p + k] = -1e300;
            x[2 * p + k] = 1e300;
        }
        CHECK_OK(ctx, sri_points_new(ctx, x, n, p, false, &pts));
        static const char *const radial[] = {"rbf:sigma=1", "laplace:sigma=1", "matern:sigma=1",
                                             "matern:nu=2.5,sigma=1"};
        for (int i = 0; i < 4; i++) {
            const sri_kernel k = parse_kernel(ctx, radial[i]);
            CHECK_OK(ctx, sri_kernel_gram(ctx, &k, pts, true, K, 3));
            CHECK(K[0] == 1 && K[1] == 0 && K[3] == 0 && K[2] == 1 && K[5] == 0);
        }
        static const char *const products[] = {"linear", "poly"};
        for (int i = 0; i < 2; i++) {
            const sri_kernel k = parse_kernel(ctx, products[i]);
            CHECK_FAILS(ctx, sri_kernel_gram(ctx, &k, pts, true, K, 3), SPECREG_E_NUMERIC,
                        "the kernel value of rows 3 and 1 is not finite");
        }
        sri_points_free(pts);
        for (int64_t k = 0; k < n * p; k++)
            x[k] *= 1e-300 * 1e-300; /* all distances vanish */
        CHECK_OK(ctx, sri_points_new(ctx, x, n, p, false, &pts));
        for (int i = 0; i < 4; i++) {
            const sri_kernel k = parse_kernel(ctx, radial[i]);
            CHECK_OK(ctx, sri_kernel_gram(ctx, &k, pts, true, K, 3));
            for (int j = 0; j < 9; j++)
                CHECK_SAME(K[j], 1.0);
        }
        const sri_kernel k = parse_kernel(ctx, "linear");
        CHECK_OK(ctx, sri_kernel_gram(ctx, &k, pts, true, K, 3));
        CHECK(K[0] == 0);
        sri_points_free(pts);
        free(x);
    }
}

TEST(kernel, records_read_back_to_the_same_kernel)
{
    register_own(ctx);
    for (int f = 0; f < N_FORMS; f++) {
        const sri_kernel k = parse_kernel(ctx, FORMS[f].text);
        sri_kept_kernel kept = {0};
        sri_kernel back;
        json_t *json = sri_kernel_json(&k);
        CHECK_OK(ctx, sri_kernel_from_json(ctx, json, &kept));
        CHECK_OK(ctx, sri_kept_kernel_use(ctx, &kept, &back));
        CHECK_EQ(back.n_terms, k.n_terms);
        for (int t = 0; t < k.n_terms; t++) {
            CHECK(back.term[t].ops == k.term[t].ops && back.term[t].weight == k.term[t].weight);
            CHECK(memcmp(back.term[t].param, k.term[t].param, sizeof k.term[t].param) == 0);
        }
        sri_kept_kernel_free(&kept);
        json_decref(json);
    }
}

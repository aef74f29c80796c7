/* Products with some rows of a large matrix, for every instruction set, against long double. */
#include "backend/slab.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/vec.h"
#include "kit/kit.h"

typedef long double real;

static const char *const SETS[] = {"plain", "avx2", "avx512"};

/* F = K C and S += F'K.  Sums of r and of n terms, each rounded once or twice. */
static void check_products(int64_t n, int64_t r, int64_t count)
{
    const int64_t ldk = r + 2, ldf = sri_slab_padded(count);
    double *K = kit_normal(1, n, ldk), *Ct = kit_normal(2, count, r), *S = kit_normal(3, count, r);
    double *C = kit_normal(4, ldf, r), *F = kit_normal(5, n, ldf),
           *before = kit_normal(3, count, r);
    const sri_slab slab = {n, r, K, ldk};
    sri_slab_pack(r, count, Ct, 1, r, C);
    sri_vec_best()->slab->times(&slab, C, F, ldf);
    sri_vec_best()->slab->add_transposed(&slab, count, F, ldf, S);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < count; c++) {
            real want = 0, size = 0;
            for (int64_t k = 0; k < r; k++) {
                want += (real)K[i * ldk + k] * Ct[c * r + k];
                size += fabsl((real)K[i * ldk + k] * Ct[c * r + k]);
            }
            CHECK_WORST("K C", (double)fabsl(F[i * ldf + c] - want),
                        (double)((real)(r + 1) * DBL_EPSILON * size));
        }
    for (int64_t c = 0; c < count; c++)
        for (int64_t k = 0; k < r; k++) {
            real want = before[c * r + k], size = fabsl(want);
            for (int64_t i = 0; i < n; i++) {
                want += (real)F[i * ldf + c] * K[i * ldk + k];
                size += fabsl((real)F[i * ldf + c] * K[i * ldk + k]);
            }
            CHECK_WORST("F'K", (double)fabsl(S[c * r + k] - want),
                        (double)((real)(n + 2) * DBL_EPSILON * size));
        }
    free(before);
    free(F);
    free(C);
    free(S);
    free(Ct);
    free(K);
}

TEST(slab, products_are_sums_over_rows_and_columns)
{
    for (int s = 0; s < 3; s++) {
        sri_vec_use(SETS[s]);
        check_products(1, 1, 1);
        check_products(7, 30, 5);
        check_products(150, 61, 20);
        check_products(13, 290, 29);
    }
    sri_vec_use(getenv("SPECREG_CPU"));
}

/* Columns shrink by seven powers of ten, as those of a factor with pivots do. */
static double *graded(int64_t r)
{
    double *L = kit_normal(6, r, r);
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < r; j++) {
            const double size = pow(10, -7.0 * (double)j / (double)r);
            L[i * r + j] = i == j ? size : i > j ? size * tanh(L[i * r + j]) / 3 : 0;
        }
    return L;
}

/* What is left of a row, b - L x, is rounding of |L||x|. */
static void check_solve(specreg_context *ctx, int64_t n, int64_t r)
{
    const int64_t ldb = r + 3;
    double *L = graded(r), *B = kit_normal(7, n, ldb), *X = kit_normal(7, n, ldb);
    double *one = kit_normal(7, n, ldb);
    sri_lower_rows lower;
    CHECK_OK(ctx, sri_lower_rows_new(ctx, r, L, &lower));
    sri_lower_rows_solve(&lower, n, X, ldb);
    for (int64_t i = 0; i < n; i++) { /* one by one: the same bits, and nothing beside them */
        sri_lower_rows_solve(&lower, 1, one + i * ldb, ldb);
        CHECK(memcmp(one + i * ldb, X + i * ldb, (size_t)ldb * sizeof *X) == 0);
        CHECK(memcmp(B + i * ldb + r, X + i * ldb + r, 3 * sizeof *X) == 0);
        for (int64_t k = 0; k < r; k++) {
            real left = B[i * ldb + k], size = fabsl(left);
            for (int64_t j = 0; j <= k; j++) {
                left -= (real)L[k * r + j] * X[i * ldb + j];
                size += fabsl((real)L[k * r + j] * X[i * ldb + j]);
            }
            CHECK_WORST("b - L x", (double)fabsl(left),
                        (double)((real)(r + 30) * DBL_EPSILON * size));
        }
    }
    sri_lower_rows_free(&lower);
    free(one);
    free(X);
    free(B);
    free(L);
}

TEST(slab, rows_are_solved_to_rounding)
{
    for (int s = 0; s < 3; s++) {
        sri_vec_use(SETS[s]);
        check_solve(ctx, 1, 1);
        check_solve(ctx, 9, 24);
        check_solve(ctx, 70, 25);
        check_solve(ctx, 66, 301);
    }
    sri_vec_use(getenv("SPECREG_CPU"));
}

/* Tall matrices: columns that depend on others are found, and the rest made orthonormal. */
#include <math.h>

#include "engine/tall.h"
#include "kit/kit.h"

enum { N = 300, R = 6 };

/* Column 2 is column 0 plus `apart` of its own, column 4 the difference of 0 and 1, column 5
 * zero. */
static double *columns(double apart)
{
    double *Q = kit_normal(8, N, R);
    for (int i = 0; i < N; i++) {
        double *q = Q + i * R;
        q[1] *= 1e-9;
        q[2] = q[0] + apart * q[2];
        q[4] = q[0] - q[1];
        q[5] = 0;
    }
    return Q;
}

static double largest(const double *M, int64_t count)
{
    double most = 0;
    for (int64_t k = 0; k < count; k++)
        most = fmax(most, fabs(M[k]));
    return most;
}

/* G = Q'Q has rounding of N eps, relative to lengths: of a column that is `apart` from others it
 * knows the direction to N eps / apart^2. */
TEST(tall, dependent_columns_are_left_out)
{
    static const struct {
        double apart;
        int rank;
        bool sound;
    } cases[] = {{1, 4, true}, {1e-4, 4, false}, {0, 3, true}};
    for (int c = 0; c < 3; c++) {
        double *Q = columns(cases[c].apart), G[R * R], Z[R * R], F[R * R], *own = calloc(N * R, 8);
        double *back = calloc(N * R, 8), *H = calloc(R * R, 8);
        bool sound;
        sri_arena memory = {0};
        sri_tall tall;
        CHECK_OK(ctx, sri_tall_new(ctx, &memory, N, R, &tall));
        sri_tall_gram(&tall, R, Q, G);
        const int64_t k = sri_tall_factor(R, G, Z, F, &sound);
        CHECK_EQ(k, cases[c].rank);
        CHECK_EQ(sound, cases[c].sound);
        sri_tall_times(&tall, R, k, Q, F, own);
        sri_tall_times(&tall, k, R, own, Z, back);
        sri_tall_gram(&tall, k, own, H);
        for (int64_t i = 0; i < k; i++)
            H[i * k + i] -= 1;
        const double apart = cases[c].apart > 0 ? cases[c].apart : 1;
        CHECK_WORST("orthonormal", largest(H, k * k), kit_tolerance(N, R / (apart * apart)));
        /* what is left out is below the square root of the rounding of G */
        CHECK_WORST("product", kit_distance(back, Q, N * R),
                    sqrt(kit_tolerance(N, R)) * largest(Q, N * R));
        sri_arena_free(&memory);
        free(H);
        free(back);
        free(own);
        free(Q);
    }
}

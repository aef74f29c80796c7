/* Leading eigenpairs by products with K: a block Krylov space with full orthogonalization and thick
 * restarts.  Q has an orthonormal basis in its rows, the last block of which K has not met yet, and
 * H = Q (K/mass) Q'.  A round fills the basis; then the leading eigenvectors of H and
 * the last block are the next round's beginning.
 *
 * Of W, what K/mass makes of the last block, the basis does not hold R'N, with N the next block:
 * so an eigenvector z of H has the residual |R z_last|.  A block finds as many equal eigenvalues
 * as it has rows: what has converged is believed after one more round from random vectors. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/eigen.h"
#include "backend/factor.h"
#include "core/arena.h"
#include "core/rng.h"
#include "op/leading.h"

enum { BLOCK = 8, BLOCKS = 10, ROUNDS = 500 };

typedef struct space {
    sri_arena scratch;
    int64_t n, m, keep, most; /* vectors wanted, kept by a restart, in a full basis */
    int64_t count;            /* that K has met                                    */
    double *Q;                /* (most + BLOCK) x n                                */
    double *H;                /* most x most                                       */
    double *Z, *t;            /* eigenvectors in rows, eigenvalues of H, ascending */
    double *W;                /* keep x n: a block; what a restart keeps           */
    double *X, *Y;            /* n x BLOCK                                         */
    double *G;                /* BLOCK x most                                      */
    double R[BLOCK * BLOCK];
    double level; /* what rounding is to be compared with beside the largest */
    sri_rng rng;
} space;

static int64_t kept(int64_t m)
{
    return m + BLOCK;
}

static int64_t full(int64_t m)
{
    return 2 * m + BLOCKS * BLOCK;
}

double sri_op_leading_krylov_bytes(int64_t n, int64_t m)
{
    const double most = (double)full(m);
    return 8.0 * ((double)n * (most + (double)kept(m) + 3 * BLOCK) + 2 * most * most);
}

bool sri_op_leading_krylov_fits(int64_t order, int64_t m)
{
    return full(m) + 2 * BLOCK <= order;
}

static specreg_status space_new(specreg_context *ctx, int64_t n, int64_t m, uint64_t seed, space *v)
{
    *v = (space){.n = n,
                 .m = m,
                 .keep = kept(m),
                 .most = full(m),
                 .rng = sri_rng_make(seed, SRI_STREAM_START)};
    SRI_ARENA_NEW(ctx, &v->scratch, v->Q, v->most + BLOCK, n);
    SRI_ARENA_NEW_ZERO(ctx, &v->scratch, v->H, v->most, v->most);
    SRI_ARENA_NEW(ctx, &v->scratch, v->Z, v->most, v->most);
    SRI_ARENA_NEW(ctx, &v->scratch, v->t, v->most, 1);
    SRI_ARENA_NEW(ctx, &v->scratch, v->W, v->keep, n);
    SRI_ARENA_NEW(ctx, &v->scratch, v->X, n, BLOCK);
    SRI_ARENA_NEW(ctx, &v->scratch, v->Y, n, BLOCK);
    SRI_ARENA_NEW(ctx, &v->scratch, v->G, BLOCK, v->most);
    return SPECREG_OK;
}

/* W (BLOCK x n) less what the first `rows` of Q hold of it; G gets the coefficients. */
static void project(space *v, int64_t rows)
{
    if (rows == 0)
        return;
    sri_gemm(false, true, BLOCK, rows, v->n, 1, v->W, v->n, v->Q, v->n, 0, v->G, v->most);
    sri_gemm(false, false, BLOCK, v->n, rows, -1, v->G, v->most, v->Q, v->n, 1, v->W, v->n);
}

/* The rows of W as the next block, orthonormal and orthogonal to `rows` of Q; R as above.  Where
 * W had nothing new the first pass leaves rounding, whose direction the second one makes
 * orthogonal. */
static specreg_status next_block(specreg_context *ctx, space *v, int64_t rows)
{
    double first[BLOCK * BLOCK], again[BLOCK * BLOCK];
    SRI_CALL(sri_orthonormal(ctx, BLOCK, v->n, v->W, first));
    for (int pass = 0; pass < 2; pass++) {
        project(v, rows);
        SRI_CALL(sri_orthonormal(ctx, BLOCK, v->n, v->W, again));
        sri_gemm(false, false, BLOCK, BLOCK, BLOCK, 1, again, BLOCK, first, BLOCK, 0, v->R, BLOCK);
        memcpy(first, v->R, sizeof first);
    }
    memcpy(v->Q + rows * v->n, v->W, (size_t)(BLOCK * v->n) * sizeof *v->W);
    return SPECREG_OK;
}

static specreg_status random_block(specreg_context *ctx, space *v, int64_t rows)
{
    for (int64_t k = 0; k < BLOCK * v->n; k++)
        v->W[k] = sri_rng_normal(&v->rng);
    return next_block(ctx, v, rows);
}

/* K meets the last block: a block of rows and columns of H, and the next block. */
static specreg_status extend(specreg_context *ctx, sri_op *op, space *v)
{
    const int64_t n = v->n, c = v->count, rows = c + BLOCK;
    const double *last = v->Q + c * n;
    for (int64_t i = 0; i < n; i++)
        for (int64_t r = 0; r < BLOCK; r++)
            v->X[i * BLOCK + r] = last[r * n + i];
    SRI_CALL(sri_op_apply(ctx, op, BLOCK, v->X, v->Y));
    for (int64_t r = 0; r < BLOCK; r++)
        for (int64_t i = 0; i < n; i++)
            v->W[r * n + i] = v->Y[i * BLOCK + r] / op->mass;
    for (int pass = 0; pass < 2; pass++) {
        project(v, rows);
        for (int64_t r = 0; r < BLOCK; r++)
            for (int64_t j = 0; j < rows; j++) {
                double *h = &v->H[(c + r) * v->most + j];
                *h = (pass ? *h : 0) + v->G[r * v->most + j];
            }
    }
    for (int64_t r = 0; r < BLOCK; r++)
        for (int64_t j = 0; j < c; j++)
            v->H[j * v->most + c + r] = v->H[(c + r) * v->most + j];
    SRI_CALL(next_block(ctx, v, rows));
    v->count = rows;
    return sri_poll(ctx);
}

/* Eigenvectors of H, whose last block may not be symmetric to the last bit. */
static specreg_status solve(specreg_context *ctx, space *v)
{
    const int64_t c = v->count;
    for (int64_t i = 0; i < c; i++)
        for (int64_t j = 0; j <= i; j++)
            v->Z[i * c + j] = (v->H[i * v->most + j] + v->H[j * v->most + i]) / 2;
    SRI_CALL(sri_eigen(ctx, c, v->Z, v->t, true));
    const double bottom = v->t[0], top = v->t[c - 1], n = (double)v->n;
    SRI_CHECK(
        ctx, bottom >= -1e-8 * (fabs(top) + v->level) * sqrt(n), SPECREG_E_NUMERIC,
        "the kernel matrix is not positive semi-definite: it has eigenvalues from below %g to "
        "above %g",
        n * bottom, n * top);
    return SPECREG_OK;
}

/* Whether the residuals of the m leading pairs are rounding. */
static bool converged(const space *v)
{
    const double noise = (double)v->n * DBL_EPSILON * (v->t[v->count - 1] + v->level);
    for (int64_t j = 0; j < v->m; j++) {
        const double *z = v->Z + (v->count - 1 - j) * v->count + v->count - BLOCK;
        double square = 0;
        for (int64_t k = 0; k < BLOCK; k++) {
            double sum = 0;
            for (int64_t r = 0; r < BLOCK; r++)
                sum += v->R[k * BLOCK + r] * z[r];
            square += sum * sum;
        }
        if (sqrt(square) > noise)
            return false;
    }
    return true;
}

/* The `count` leading vectors, that of the largest eigenvalue first, into `out` (count x n). */
static void leading(const space *v, int64_t count, double *out)
{
    const int64_t c = v->count;
    sri_gemm(false, false, count, v->n, c, 1, v->Z + (c - count) * c, c, v->Q, v->n, 0, out, v->n);
}

/* The leading vectors, and after them the last block, which holds what K makes of them beside;
 * or those that have converged, of which K makes nothing else, and random vectors. */
static specreg_status restart(specreg_context *ctx, space *v, bool fresh)
{
    const int64_t n = v->n, c = v->count, keep = fresh ? v->m : v->keep;
    leading(v, keep, v->W);
    memmove(v->Q + keep * n, v->Q + c * n, (size_t)(BLOCK * n) * sizeof *v->Q);
    memcpy(v->Q, v->W, (size_t)(keep * n) * sizeof *v->Q);
    memset(v->H, 0, (size_t)(v->most * v->most) * sizeof *v->H);
    for (int64_t j = 0; j < keep; j++)
        v->H[j * v->most + j] = v->t[c - keep + j];
    v->count = keep;
    return fresh ? random_block(ctx, v, keep) : SPECREG_OK;
}

specreg_status sri_op_leading_krylov(specreg_context *ctx, sri_op *op, int64_t m, uint64_t seed,
                                     double *s, double *V)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = op->n;
    space v = {0};
    bool fresh = false, found = false;
    SRI_TRY(space_new(ctx, n, m, seed, &v));
    SRI_TRY(sri_op_leading_level(ctx, op, &v.level));
    SRI_TRY(random_block(ctx, &v, 0));
    for (int round = 0; !(fresh && found); round++) {
        SRI_REQUIRE(
            ctx, round < ROUNDS, SPECREG_E_NUMERIC,
            "the %lld leading eigenvalues of the kernel matrix are too close to the others: "
            "they were not found in %d rounds",
            (long long)m, (int)ROUNDS);
        if (round > 0)
            SRI_TRY(restart(ctx, &v, found));
        fresh = found;
        while (v.count + BLOCK <= v.most)
            SRI_TRY(extend(ctx, op, &v));
        SRI_TRY(solve(ctx, &v));
        found = converged(&v);
    }
    leading(&v, m, v.W);
    for (int64_t j = 0; j < m; j++) {
        s[j] = fmax(0, v.t[v.count - 1 - j]);
        memcpy(V + j * n, v.W + (m - 1 - j) * n, (size_t)n * sizeof *V);
    }
done:
    sri_arena_free(&v.scratch);
    return st;
}

#include "engine/tall.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/threads.h"
#include "core/openmp.h"

enum { ROWS = 128 }; /* in a block: some of them fit in the second cache */

specreg_status sri_tall_new(specreg_context *ctx, sri_arena *memory, int64_t n, int64_t most,
                            sri_tall *out)
{
    *out = (sri_tall){.n = n, .threads = sri_region_threads()};
    SRI_ARENA_NEW(ctx, memory, out->sums, out->threads, most * most);
    return SPECREG_OK;
}

/* What a sweep does with rows first .. first + rows - 1; `sum` is the thread's own. */
typedef struct sweep sweep;
struct sweep {
    void (*block)(const sweep *s, int64_t first, int64_t rows, double *sum);
    int64_t r, k;
    const void *of; /* the matrices: what the function of the block knows them as */
};

/* All blocks; G (r x r), where asked for, gets the sum over the threads, each of which has the same
 * blocks in every run. */
static void run(const sri_tall *tall, const sweep *s, double *G)
{
    const int64_t n = tall->n, size = s->r * s->r, blocks = (n + ROWS - 1) / ROWS;
    memset(tall->sums, 0, (size_t)(G ? tall->threads * size : 0) * sizeof *tall->sums);
    const sri_region region = sri_region_enter();
    const int crew = region.threads < tall->threads ? region.threads : tall->threads;
#pragma omp parallel for schedule(static) num_threads(crew) if (blocks > 1)
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t first = b * ROWS, rows = n - first < ROWS ? n - first : ROWS;
        s->block(s, first, rows, tall->sums + (G ? omp_get_thread_num() * size : 0));
    }
    sri_region_leave(region);
    for (int64_t i = 0; G && i < size; i++) {
        G[i] = 0;
        for (int t = 0; t < tall->threads; t++)
            G[i] += tall->sums[t * size + i];
    }
}

struct shift {
    double mu;
    const double *P;
    double *AP;
};

static void shift_block(const sweep *s, int64_t first, int64_t rows, double *sum)
{
    const struct shift *of = s->of;
    const double *P = of->P + first * s->r;
    double *AP = of->AP + first * s->r;
    for (int64_t i = 0; i < rows * s->r; i++)
        AP[i] += of->mu * P[i];
    sri_gemm(true, false, s->r, s->r, rows, 1, P, s->r, AP, s->r, 1, sum, s->r);
}

void sri_tall_shift(const sri_tall *tall, int64_t r, double mu, const double *P, double *AP,
                    double *D)
{
    run(tall, &(sweep){shift_block, r, 0, &(struct shift){mu, P, AP}}, D);
}

static void advance_block(const sweep *s, int64_t first, int64_t rows, double *sum)
{
    const sri_tall_step *of = s->of;
    const int64_t r = s->r, w = s->k;
    double *Q = of->Q + first * r;
    sri_gemm(false, false, rows, w, r, 1, of->P + first * r, r, of->C, w, 1, of->X + first * w, w);
    sri_gemm(false, false, rows, r, r, -1, of->AP + first * r, r, of->E, r, 1, Q, r);
    sri_gemm(true, false, r, r, rows, 1, Q, r, Q, r, 1, sum, r);
}

void sri_tall_advance(const sri_tall *tall, int64_t r, int64_t w, const sri_tall_step *step)
{
    run(tall, &(sweep){advance_block, r, w, step}, step->G);
}

static void redirect_block(const sweep *s, int64_t first, int64_t rows, double *sum)
{
    (void)sum;
    const sri_tall_directions *of = s->of;
    const int64_t r = s->r, k = s->k, m = of->m;
    double *Q = of->Q + first * k;
    sri_gemm(false, false, rows, k, r, 1, of->W + first * r, r, of->F, k, 0, Q, k);
    if (!of->N)
        return;
    double *N = of->N + first * k;
    memcpy(N, Q, (size_t)(rows * k) * sizeof *N);
    sri_gemm(false, true, rows, k, m, 1, of->P + first * m, m, of->Z, m, 1, N, k);
}

void sri_tall_redirect(const sri_tall *tall, int64_t r, int64_t k, const sri_tall_directions *d)
{
    run(tall, &(sweep){redirect_block, r, k, d}, NULL);
}

void sri_tall_times(const sri_tall *tall, int64_t r, int64_t k, const double *W, const double *F,
                    double *Q)
{
    sri_tall_redirect(tall, r, k, &(sri_tall_directions){.W = W, .F = F, .Q = Q});
}

static void gram_block(const sweep *s, int64_t first, int64_t rows, double *sum)
{
    const double *Q = (const double *)s->of + first * s->r;
    sri_gemm(true, false, s->r, s->r, rows, 1, Q, s->r, Q, s->r, 1, sum, s->r);
}

void sri_tall_gram(const sri_tall *tall, int64_t r, const double *Q, double *G)
{
    run(tall, &(sweep){gram_block, r, 0, Q}, G);
}

/* F = the inverse of the columns of Z that were pivots, which are an upper triangle in their
 * order. */
static void invert(int64_t r, int64_t k, const double *Z, const int64_t *pivot, double *F)
{
    memset(F, 0, (size_t)(r * k) * sizeof *F);
    for (int64_t c = 0; c < k; c++)
        for (int64_t i = c; i >= 0; i--) {
            double v = i == c;
            for (int64_t j = i + 1; j <= c; j++)
                v -= Z[i * r + pivot[j]] * F[pivot[j] * k + c];
            F[pivot[i] * k + c] = v / Z[i * r + pivot[i]];
        }
}

/* Cholesky with pivots, of columns scaled to length 1: what remains of a column below DROP, a
 * squared length, is rounding of G; pivots below SOUND leave Q F orthogonal to no more than eps
 * / SOUND. */
int64_t sri_tall_factor(int64_t r, double *G, double *Z, double *F, bool *sound)
{
    static const double SOUND = 1e-4;
    const double drop = 16 * (double)r * DBL_EPSILON;
    double length[SRI_TALL_MOST], remaining[SRI_TALL_MOST];
    int64_t pivot[SRI_TALL_MOST], k = 0;
    for (int64_t j = 0; j < r; j++) {
        length[j] = sqrt(fmax(0, G[j * r + j]));
        remaining[j] = length[j] > 0;
    }
    *sound = true;
    for (; k < r; k++) {
        int64_t best = 0;
        for (int64_t j = 1; j < r; j++)
            best = remaining[j] > remaining[best] ? j : best;
        if (!(remaining[best] > drop))
            break;
        const double root = sqrt(remaining[best]);
        *sound = *sound && remaining[best] > SOUND;
        pivot[k] = best;
        for (int64_t j = 0; j < r; j++) {
            double v = G[best * r + j] / (length[best] * length[j]);
            for (int64_t i = 0; i < k; i++)
                v -= Z[i * r + best] * Z[i * r + j];
            v = remaining[j] > 0 ? v / root : 0;
            Z[k * r + j] = j == best ? root : v;
            remaining[j] -= v * v;
        }
        remaining[best] = -1; /* taken */
    }
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < r; j++)
            Z[i * r + j] *= length[j];
    invert(r, k, Z, pivot, F);
    return k;
}

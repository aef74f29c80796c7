#include "backend/blas.h"

#include <cblas.h>
#include <limits.h>
#include <math.h>

#include "backend/cpu/pieces.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* All sizes fit. */
static void multiply(const sri_gemm_call *c)
{
    const CBLAS_TRANSPOSE a = c->trans_a ? CblasTrans : CblasNoTrans;
    const CBLAS_TRANSPOSE b = c->trans_b ? CblasTrans : CblasNoTrans;
    const int m = (int)c->m, n = (int)c->n, k = (int)c->k;
    /* GEMV is faster for one column, but leaves C as it is when k = 0. */
    if (n == 1 && c->ldb == 1 && c->ldc == 1 && !c->trans_b && k > 0)
        cblas_dgemv(CblasRowMajor, a, c->trans_a ? k : m, c->trans_a ? m : k, c->alpha, c->A,
                    (int)c->lda, c->B, 1, c->beta, c->C, 1);
    else
        cblas_dgemm(CblasRowMajor, a, b, m, n, k, c->alpha, c->A, (int)c->lda, c->B, (int)c->ldb,
                    c->beta, c->C, (int)c->ldc);
}

/* BLAS wants a distance between rows of 1 at least.  One that is too large for it does not matter
 * to a piece of one row. */
static int64_t distance(int64_t ld, int64_t columns, int64_t most)
{
    const int64_t fits = ld <= most ? ld : columns;
    return fits > 1 ? fits : 1;
}

/* Rows i.., columns j.. and summands l.. of the product, as many as `size` says. */
static void multiply_piece(const sri_gemm_call *c, const int64_t at[3], const int64_t size[3],
                           int64_t most)
{
    const int64_t i = at[0], j = at[1], l = at[2];
    sri_gemm_call piece = *c;
    piece.m = least(size[0], c->m - i);
    piece.n = least(size[1], c->n - j);
    piece.k = least(size[2], c->k - l);
    piece.beta = l ? 1 : c->beta;
    piece.A += c->trans_a ? l * c->lda + i : i * c->lda + l;
    piece.B += c->trans_b ? j * c->ldb + l : l * c->ldb + j;
    piece.C += i * c->ldc + j;
    piece.lda = distance(c->lda, c->trans_a ? piece.m : piece.k, most);
    piece.ldb = distance(c->ldb, c->trans_b ? piece.k : piece.n, most);
    piece.ldc = distance(c->ldc, piece.n, most);
    multiply(&piece);
}

void sri_gemm_pieces(const sri_gemm_call *c, int64_t most)
{
    const bool far_a = c->lda > most, far_b = c->ldb > most, far_c = c->ldc > most;
    const int64_t size[3] = {far_c || (far_a && !c->trans_a) ? 1 : most,
                             far_b && c->trans_b ? 1 : most,
                             (far_a && c->trans_a) || (far_b && !c->trans_b) ? 1 : most};
    int64_t at[3];
    for (at[0] = 0; at[0] < c->m; at[0] += size[0])
        for (at[1] = 0; at[1] < c->n; at[1] += size[1]) {
            at[2] = 0;
            do /* once also for k = 0, which leaves beta C */
                multiply_piece(c, at, size, most);
            while ((at[2] += size[2]) < c->k);
        }
}

void sri_gemm(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, double alpha,
              const double *A, int64_t lda, const double *B, int64_t ldb, double beta, double *C,
              int64_t ldc)
{
    const sri_gemm_call call = {trans_a, trans_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc};
    sri_gemm_pieces(&call, INT_MAX);
}

/* In pieces: row by row of the triangle, each by sri_gemm. */
void sri_syrk_pieces(int64_t m, int64_t k, const double *A, double *C, int64_t most)
{
    if (m <= most && k <= most) {
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)m, (int)k, 1, A,
                    (int)distance(k, k, most), 0, C, (int)distance(m, m, most));
        return;
    }
    for (int64_t i = 0; i < m; i++)
        sri_gemm(false, true, 1, i + 1, k, 1, A + i * k, k, A, k, 0, C + i * m, m);
}

void sri_syrk(int64_t m, int64_t k, const double *A, double *C)
{
    sri_syrk_pieces(m, k, A, C, INT_MAX);
}

void sri_syr2k_subtract_pieces(int64_t m, int64_t k, const double *A, const double *B, double *C,
                               int64_t most)
{
    if (m <= most && k <= most) {
        cblas_dsyr2k(CblasRowMajor, CblasLower, CblasTrans, (int)m, (int)k, -1, A, (int)m, B,
                     (int)m, 1, C, (int)m);
        return;
    }
    for (int64_t i = 0; i < m; i++) {
        sri_gemm(true, false, 1, i + 1, k, -1, A + i, m, B, m, 1, C + i * m, m);
        sri_gemm(true, false, 1, i + 1, k, -1, B + i, m, A, m, 1, C + i * m, m);
    }
}

void sri_syr2k_subtract(int64_t m, int64_t k, const double *A, const double *B, double *C)
{
    sri_syr2k_subtract_pieces(m, k, A, B, C, INT_MAX);
}

void sri_mirror(int64_t n, double *K, int64_t ld)
{
    enum { TILE = 64 };
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t i0 = 0; i0 < n; i0 += TILE)
        for (int64_t j0 = 0; j0 <= i0; j0 += TILE)
            for (int64_t i = i0; i < i0 + TILE && i < n; i++)
                for (int64_t j = j0; j < j0 + TILE && j < i; j++)
                    K[j * ld + i] = K[i * ld + j];
}

double sri_dot_pieces(int64_t n, const double *x, const double *y, int64_t most)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i += most)
        sum += cblas_ddot((int)least(most, n - i), x + i, 1, y + i, 1);
    return sum;
}

double sri_dot(int64_t n, const double *x, const double *y)
{
    return sri_dot_pieces(n, x, y, INT_MAX);
}

double sri_norm_pieces(int64_t n, const double *x, int64_t most)
{
    double norm = 0;
    for (int64_t i = 0; i < n; i += most) {
        const double piece = cblas_dnrm2((int)least(most, n - i), x + i, 1);
        norm = i ? hypot(norm, piece) : piece;
    }
    return norm;
}

double sri_norm(int64_t n, const double *x)
{
    return sri_norm_pieces(n, x, INT_MAX);
}

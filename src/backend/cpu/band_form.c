/* Q of a band as a matrix, from its reflectors and in their place. */
#include <cblas.h>
#include <string.h>

#include "backend/cpu/lapack.h"
#include "backend/cpu/own.h"
#include "backend/cpu/reflectors.h"
#include "core/arena.h"

enum { FORM = SRI_REFLECTORS };

/* Multiplies the product of all later reflectors by these k from the left.  That product is the
 * identity but for its rows and columns from k on; Q points to its m x m part, whose first k rows
 * and columns are not yet written. */
static void prepend(const sri_reflectors *r, double *Q, int64_t ldq)
{
    const int64_t m = r->m, k = r->k;
    const int rows = (int)m, ld = (int)ldq, few = (int)k, rest = (int)(m - k);
    double *right = Q + k * ldq;
    for (int64_t j = 0; j < m; j++)
        memset(Q + j * ldq, 0, (size_t)(j < k ? m : k) * sizeof *Q);
    for (int64_t j = 0; j < k; j++)
        Q[j * ldq + j] = 1;
    for (int64_t j = 0; j < k; j++) /* W = Q'U: where Q is the identity, rows of U */
        memcpy(r->W + j * m, r->U + j * m, (size_t)k * sizeof *r->W);
    if (rest)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, rest, few, rest, 1, right + k, ld,
                    r->U + k, rows, 0, r->W + k, rows);
    sri_reflectors_subtract(r, m, Q, ldq);
}

double sri_band_form_bytes(int64_t n)
{
    return 8.0 * FORM * (2 * (double)n + FORM);
}

void sri_band_add_border(sri_band *band, int64_t border)
{
    const int64_t n = band->n;
    for (int64_t j = 0; j < n; j++)
        memset(band->V + j * n, 0, (size_t)(j < border ? n : border) * sizeof *band->V);
    for (int64_t j = 0; j < border; j++)
        band->V[j * (n + 1)] = 1;
    band->formed = true;
}

/* Reflector j lies in column j and belongs into column j + width of Q.  Blocks go from the last to
 * the first, so that none overwrites one that is still needed. */
specreg_status sri_own_band_form(specreg_context *ctx, sri_band *band)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t n = band->n, width = band->width, all = n <= width + 1 ? 0 : n - width;
    sri_reflectors r;
    SRI_TRY(sri_reflectors_new(ctx, &scratch, all, all, &r));
    for (int64_t at = all ? (all - 1) / FORM * FORM : -1; at >= 0; at -= FORM) {
        sri_reflectors_take(&r, all - at, band->V + at * n + at + width, n, band->tau + at);
        prepend(&r, band->V + (at + width) * (n + 1), n);
        SRI_TRY(sri_poll(ctx));
    }
    sri_band_add_border(band, n - all);
done:
    sri_arena_free(&scratch);
    return st;
}

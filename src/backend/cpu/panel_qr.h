/* The QR factorization of a panel of few columns, shared by the threads of a region. */
#ifndef SRI_BACKEND_CPU_PANEL_QR_H
#define SRI_BACKEND_CPU_PANEL_QR_H

#include <stdatomic.h>

#include "backend/cpu/band_vec.h"
#include "core/arena.h"

enum { SRI_PANEL_WIDTH = SRI_BAND_VEC_THIN };

/* The rows of one thread, or of another one that is free earlier.  sums[j][c] is the inner product
 * of columns j and c over the rows of the part that lie below row j. */
typedef struct sri_panel_part {
    _Alignas(64) atomic_int begun, finished; /* how many columns       */
    int64_t first, last;                     /* rows first .. last - 1 */
    double largest;                          /* magnitude of an entry  */
    double sums[SRI_PANEL_WIDTH][SRI_PANEL_WIDTH];
} sri_panel_part;

typedef struct sri_panel_qr {
    const sri_band_vec *vec;
    double *A; /* the panel by rows, scaled; the caller's */
    sri_panel_part *part;
    double top[SRI_PANEL_WIDTH][SRI_PANEL_WIDTH]; /* row j as reflector j finds it */
} sri_panel_qr;

/* Reflector j has 1 in row j and factor_j times column j of A below. */
typedef struct sri_reflections {
    double tau[SRI_PANEL_WIDTH], factor[SRI_PANEL_WIDTH];
    double R[SRI_PANEL_WIDTH][SRI_PANEL_WIDTH]; /* its upper triangle */
} sri_reflections;

/* A has as many rows as a panel may have. */
specreg_status sri_panel_qr_new(specreg_context *ctx, sri_arena *memory, int threads, double *A,
                                sri_panel_qr *out);

/* Each thread calls both, with a barrier in between.  The panel is by columns, lda apart; its
 * rows are those of the parts of all threads, in their order. */
void sri_panel_qr_begin(sri_panel_qr *qr, int thread, int64_t first, int64_t last,
                        const double *panel, int64_t lda);
void sri_panel_qr_finish(sri_panel_qr *qr, int thread, int of, const double *panel, int64_t lda,
                         sri_reflections *out);

#endif

/* The QR factorization of a panel of few columns by the threads of a region together. */
#ifndef SRI_BACKEND_CPU_PANEL_QR_H
#define SRI_BACKEND_CPU_PANEL_QR_H

#include <stdatomic.h>
#include <stdbool.h>

#include "backend/cpu/band_vec.h"
#include "core/context.h"

enum { SRI_PANEL_WIDTH = SRI_BAND_VEC_THIN };

/* Rows for one of the threads, or for whoever comes first.  Its sums for column j are those of
 * products with column j below row j. */
typedef struct sri_panel_part {
    _Alignas(64) atomic_int begun, finished; /* columns */
    int64_t first, last;                     /* rows    */
    double largest;
    double sums[SRI_PANEL_WIDTH][SRI_PANEL_WIDTH];
} sri_panel_part;

typedef struct sri_panel_qr {
    const sri_band_vec *vec;
    double *A; /* the panel by rows, scaled; the caller's */
    sri_panel_part *part;
    double top[SRI_PANEL_WIDTH][SRI_PANEL_WIDTH]; /* row j as reflector j finds it */
} sri_panel_qr;

/* Reflector j is 1 in row j, below that factor_j times column j of A. */
typedef struct sri_reflections {
    double tau[SRI_PANEL_WIDTH], factor[SRI_PANEL_WIDTH];
    double R[SRI_PANEL_WIDTH][SRI_PANEL_WIDTH]; /* its upper triangle */
} sri_reflections;

/* A has room for as many rows as a panel may have. */
specreg_status sri_panel_qr_new(specreg_context *ctx, int threads, double *A, sri_panel_qr *out);
void sri_panel_qr_free(sri_panel_qr *qr);

/* Called by each thread, with a barrier between the two.  The panel is by columns, lda apart;
 * the parts of all threads, in their order, are its rows. */
void sri_panel_qr_begin(sri_panel_qr *qr, int thread, int64_t first, int64_t last,
                        const double *panel, int64_t lda);
void sri_panel_qr_finish(sri_panel_qr *qr, int thread, int of, const double *panel, int64_t lda,
                         sri_reflections *out);

#endif

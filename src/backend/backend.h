/* A backend: the coarse linear algebra of the layers above, as a table of functions.  The context
 * holds the one in use (option `linalg`); the calls of blas.h, factor.h, eigen.h and band.h that
 * take a context go through it.  All arrays are in host memory, row-major unless said otherwise.
 *
 * A new backend is a folder beside cpu/ with a table of its own, and a line in backend.c.  It may
 * take slots of the tables below, which are functions over host arrays (cpu/lapack.h). */
#ifndef SRI_BACKEND_BACKEND_H
#define SRI_BACKEND_BACKEND_H

#include "backend/band.h"
#include "backend/blas.h"
#include "backend/fill.h"

/* Substitution with a banded factor L of n columns and `width` diagonals below the main one:
 * out_c = |L^{-1} b_c|^2 for SRI_SUBSTITUTION_COLUMNS columns b.  b is by rows, which come in
 * multiples of SRI_SUBSTITUTION_ROWS, zero from row n on.  Called by the threads of a region. */
enum { SRI_SUBSTITUTION_COLUMNS = 96, SRI_SUBSTITUTION_ROWS = 4 };

typedef struct sri_substitution {
    int64_t (*packed_size)(int64_t n, int64_t width); /* numbers in a packed factor */
    int64_t (*work_size)(int64_t n);                  /* numbers in `work`          */
    void (*pack)(int64_t n, int64_t width, const double *L, double *packed);
    void (*squares)(int64_t n, int64_t width, const double *packed, const double *b, double *work,
                    double *out);
} sri_substitution;

/* What a slot does stands at the call of the same name.  All are required but `fill`. */
typedef struct sri_backend {
    const char *name; /* a value of the option `linalg` */
    /* fill.h: K has rows ld apart.  NULL: kernel/gram.c fills it, tile by tile. */
    specreg_status (*fill)(specreg_context *ctx, const sri_fill *fill, double *K, int64_t ld);
    /* blas.h */
    specreg_status (*product)(specreg_context *ctx, sri_dense K, int64_t t, const double *X,
                              double *Y);
    specreg_status (*add_square)(specreg_context *ctx, int64_t rows, int64_t p, const double *B,
                                 double *C);
    /* factor.h */
    specreg_status (*cholesky)(specreg_context *ctx, int64_t n, double *K, int64_t *failed_at);
    specreg_status (*cholesky_solve)(specreg_context *ctx, int64_t n, int64_t t, const double *L,
                                     double *B);
    specreg_status (*cholesky_inverse_diagonal)(specreg_context *ctx, int64_t n, const double *L,
                                                double *out);
    specreg_status (*cholesky_invert)(specreg_context *ctx, int64_t n, double *L);
    specreg_status (*orthonormal)(specreg_context *ctx, int64_t r, int64_t n, double *A, double *R);
    specreg_status (*solve)(specreg_context *ctx, int64_t n, double *A, double *B);
    /* eigen.h */
    specreg_status (*eigen)(specreg_context *ctx, int64_t n, double *K, double *s, bool vectors);
    specreg_status (*tridiagonal)(specreg_context *ctx, int64_t k, double *d, double *e, double *Z);
    /* band.h; band_reduce finds n, width and tau, all 0, and K in V.  It leaves B on and below the
     * diagonal of V, and below that the reflectors. */
    specreg_status (*band_reduce)(specreg_context *ctx, sri_band *band);
    specreg_status (*band_form)(specreg_context *ctx, sri_band *band);
    specreg_status (*band_rotate)(specreg_context *ctx, const sri_band *band, bool transposed,
                                  int64_t t, double *X);
    const sri_substitution *(*substitution)(void);
} sri_backend;

/* own: blocked algorithms of this library over BLAS.  lapack: LAPACK's routines alone. */
extern const sri_backend sri_backend_own, sri_backend_lapack;

/* Lets the context use the backend of this name; "": the one that the environment variable
 * SPECREG_LINALG names, which is read once, else the one that the build chose. */
specreg_status sri_backend_choose(specreg_context *ctx, const char *name);
/* The one in use. */
const sri_backend *sri_backend_of(const specreg_context *ctx);

#endif

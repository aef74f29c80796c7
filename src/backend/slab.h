/* Products with a slab, which is some rows of a large matrix, read as they lie in memory; in
 * versions for several instruction sets.  Every number is one sum in the order of its terms, so
 * that results do not depend on how the rows were cut into slabs. */
#ifndef SRI_BACKEND_SLAB_H
#define SRI_BACKEND_SLAB_H

#include "core/context.h"

typedef struct sri_slab {
    int64_t n, r; /* n rows of r numbers, ldk apart */
    const double *K;
    int64_t ldk;
} sri_slab;

typedef struct sri_slab_vec {
    int64_t width; /* columns of a panel */
    /* F (n x ldf) = K C.  The ldf columns of C are whole panels, each r x width, one after the
     * other. */
    void (*times)(const sri_slab *K, const double *C, double *F, int64_t ldf);
    /* S (count x r) += F'K, F with rows ldf apart. */
    void (*add_transposed)(const sri_slab *K, int64_t count, const double *F, int64_t ldf,
                           double *S);
    /* The n rows of B, r numbers ldb apart, become L^-1 b.  L is as sri_lower_rows has it. */
    void (*solve)(int64_t n, int64_t r, const double *L, double *B, int64_t ldb);
} sri_slab_vec;

/* The columns of a matrix, padded to whole panels. */
int64_t sri_slab_padded(int64_t count);
/* A matrix in panels: r x sri_slab_padded(count) numbers, 0 beyond `count`.  Its number (k, c) is
 * C[k along + c across]. */
void sri_slab_pack(int64_t r, int64_t count, const double *C, int64_t along, int64_t across,
                   double *out);

/* A lower triangle for substitution in many rows.  Panel j has the columns j width .. of -L', as
 * far as they lie above the diagonal block, and then the transposed inverse of that block:
 * (j + 1) width rows of `width` numbers. */
typedef struct sri_lower_rows {
    int64_t r;
    double *panels;
} sri_lower_rows;

specreg_status sri_lower_rows_new(specreg_context *ctx, int64_t r, const double *L,
                                  sri_lower_rows *out);
void sri_lower_rows_free(sri_lower_rows *s);
/* The n rows of B, ldb apart, become L^-1 b. */
void sri_lower_rows_solve(const sri_lower_rows *s, int64_t n, double *B, int64_t ldb);

#endif

/* Products with the sums of b b' that are never formed: one pass over the rows for all columns.
 *
 * With the kernel's values k = L b between a row and the centres (whiten.h),
 *
 *     G_s x = L^-1 sum over the rows of s of w k (k'L^-T x),
 *
 * for training sets s: all rows, or those without one part.  Rows are never whitened; L meets the
 * columns only.  Unpenalised terms are made orthonormal over the rows of a set, e = E'phi, and
 * taken out: products are with G~ = G - (sum of b e')(sum of b e')'.
 *
 * Blocks of rows are added in their order, each on one thread: the same bits for any number. */
#ifndef SRI_SUMS_PRODUCTS_H
#define SRI_SUMS_PRODUCTS_H

#include "core/arena.h"
#include "sums/accumulate.h"

typedef struct sri_products {
    sri_arena memory;
    const sri_sums_source *source;
    int64_t sets;   /* all rows, and all but part 0, 1, ...                                   */
    int64_t *rows;  /* of each part                                                           */
    double *moment; /* sets x q x q: sums of u u', u = (phi, y, 1), by weight                 */
    double *h;      /* (sets T) x r: sums of b~ y'                                            */
    double *E;      /* sets x l x l                                                           */
    double *BE;     /* (sets l) x r: sums of e b'                                             */
    double **kept;  /* kernel values of the first blocks, which are not computed again        */
    int64_t may_keep;
    const char *stage; /* of the passes, for progress             */
    int64_t passes;    /* so far                                  */
    int64_t expected;  /* in all, about; 0: not known yet         */
} sri_products;

/* The first pass: all that a set needs but products.  `keep` is how many bytes of kernel values may
 * stay in memory.  The source must outlive it. */
specreg_status sri_products_make(specreg_context *ctx, const sri_sums_source *source,
                                 int64_t judged, double keep, sri_products *out);
/* Coupled outputs (NULL: they are not) become ones that are apart, see coupled.h. */
specreg_status sri_products_apart(specreg_context *ctx, const sri_coupling *coupling,
                                  sri_products *p);
void sri_products_free(sri_products *p);
static inline int64_t sri_products_order(const sri_products *p)
{
    return p->source->at.l + p->source->at.T + 1;
}
/* The weight of the rows of a set. */
static inline double sri_products_mass(const sri_products *p, int64_t set)
{
    const int64_t q = sri_products_order(p);
    return p->moment[(set + 1) * q * q - 1];
}

/* Columns x_c of length r, one after the other, each with its training set. */
typedef struct sri_set_columns {
    int64_t count;
    const int64_t *set;
    const double *X;
} sri_set_columns;

/* Y (count x r): G~ x for each column. */
specreg_status sri_products_apply(specreg_context *ctx, sri_products *p, sri_set_columns columns,
                                  double *Y);
/* Columns in place: L x = y, or L'x = y. */
specreg_status sri_products_solve(specreg_context *ctx, const sri_whitening *w, bool transposed,
                                  int64_t count, double *X);
/* The sum of e_j y_t over a set. */
double sri_products_term_target(const sri_products *p, int64_t set, int64_t j, int64_t t);
/* beta (l) of the unpenalised terms that go with coordinates x of output t. */
void sri_products_terms(const sri_products *p, int64_t set, int64_t t, const double *x,
                        double *beta);
/* Columns that are worked on together, on one thread: a number that threads do not change. */
enum { SRI_COLUMNS_TOGETHER = 16 };

#endif

/* The sums that a problem with fewer centres than rows is solved from.
 *
 * A row is z = (b(x), phi(x), y, 1), all times the root of its weight: coordinates in the span
 * of the centres (whiten.h), unpenalised terms, targets, and a constant.  The sums are
 *
 *     M_f = sum of z z' over the rows of part f,
 *
 * parts being folds, or one of all rows (parts.h).  All that a fit, its held-out squared errors and
 * its effective dimension need is in them; no row is. */
#ifndef SRI_SUMS_SUMS_H
#define SRI_SUMS_SUMS_H

#include "backend/square.h"
#include "core/arena.h"
#include "sums/exact.h"

/* The places of coordinates in z. */
typedef struct sri_sums_layout {
    int64_t r, l, T; /* of b, phi and y; the constant is the last */
} sri_sums_layout;

static inline int64_t sri_sums_order(const sri_sums_layout *at)
{
    return at->r + at->l + at->T + 1;
}

typedef struct sri_sums {
    sri_sums_layout at;
    int64_t order; /* of the matrices: numbers in z                           */
    int64_t parts;
    int *exponent;   /* order: |z_j| is expected to be at most 2^exponent[j]    */
    double *inverse; /* order: 2^-exponent[j]                                   */
    int64_t *rows;   /* parts: rows that were added                             */
    sri_exact sum;   /* parts x order (order + 1) / 2: lower triangles, by rows */
    int64_t added;   /* blocks since the last carry                             */
    struct sri_sums_locks *locks;
    const sri_square_vec *vec;
} sri_sums;

/* All sums 0; `exponent` (order numbers) is copied. */
specreg_status sri_sums_new(specreg_context *ctx, const sri_sums_layout *at, int64_t parts,
                            const int *exponent, sri_sums *out);
void sri_sums_free(sri_sums *s);
/* Takes the sums of `from`, which must have the same layout, scale and parts; false: it has not,
 * and nothing is changed. */
bool sri_sums_take(sri_sums *s, sri_sums *from);
/* Bytes that such sums take. */
double sri_sums_bytes(int64_t order, int64_t parts);
/* Numbers in the lower triangle of one part. */
static inline int64_t sri_sums_triangle(int64_t order)
{
    return order * (order + 1) / 2;
}

/* The rows of a block, scaled, and workspace; one for each thread. */
typedef struct sri_sums_room {
    double *panels; /* see backend/square.h */
    int64_t stride;
    double *strip;
} sri_sums_room;

specreg_status sri_sums_room_new(specreg_context *ctx, sri_arena *memory, const sri_sums *s,
                                 int64_t rows, sri_sums_room *out);
/* Puts rows Z (rows x order) to the places from `first` on. */
void sri_sums_put(const sri_sums *s, const sri_sums_room *room, int64_t first, const double *Z,
                  int64_t rows);
/* Adds the rows at some places, which belong to a part.  Threads may add at the same time; the sum
 * is rounded once for each call.  False: a number is too large for the scale. */
bool sri_sums_add(sri_sums *s, int64_t part, const sri_sums_room *room, int64_t first,
                  int64_t rows);
/* To be called after every block or few, by one thread. */
specreg_status sri_sums_settle(specreg_context *ctx, sri_sums *s, int64_t blocks);
/* The same at the end: equal sums have equal words then. */
specreg_status sri_sums_close(specreg_context *ctx, sri_sums *s);

/* M (order x order, both triangles) of one part, or of those parts p for which in[p]. */
void sri_sums_part(const sri_sums *s, int64_t part, double *M);
specreg_status sri_sums_join(specreg_context *ctx, const sri_sums *s, const bool *in, double *M);
/* The weight of the rows of a part. */
double sri_sums_mass(const sri_sums *s, int64_t part);

#endif

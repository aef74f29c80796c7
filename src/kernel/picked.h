/* The columns that a factor of a kernel looks at: rbf:columns=a,b.  After encoding they are spans
 * of columns of X, sorted and apart. */
#ifndef SRI_KERNEL_PICKED_H
#define SRI_KERNEL_PICKED_H

#include <stdbool.h>

#include "core/matrix.h"

typedef struct sri_span {
    int64_t first, end; /* columns first .. end - 1 */
} sri_span;

typedef struct sri_picked {
    char *text;    /* as it was written                                   */
    int64_t count; /* columns in all; 0: not known yet                    */
    int64_t spans;
    sri_span *span;
} sri_picked;

/* Of kernels that are evaluated pair by pair, and columns that do not follow each other. */
enum { SRI_PICKED_APART = 256 };

specreg_status sri_picked_new(specreg_context *ctx, const char *text, sri_picked **out);
specreg_status sri_picked_copy(specreg_context *ctx, const sri_picked *from, sri_picked **out);
void sri_picked_free(sri_picked *picked);
/* The columns that are marked, of p. */
specreg_status sri_picked_mark(specreg_context *ctx, sri_picked *picked, const bool *marked,
                               int64_t p);
/* Marks columns by their numbers, from 1 on, and ranges such as 2-5: all that the text says. */
specreg_status sri_picked_numbers(specreg_context *ctx, const sri_picked *picked, bool *marked,
                                  int64_t p);
/* Whether both are the same columns; NULL: all. */
bool sri_picked_same(const sri_picked *a, const sri_picked *b);

/* How many columns there are of p; NULL: all. */
static inline int64_t sri_picked_count(const sri_picked *picked, int64_t p)
{
    return picked ? picked->count : p;
}
/* The spans of what was picked of p columns; `all` is room for one of them. */
static inline const sri_span *sri_picked_spans(const sri_picked *picked, int64_t p, sri_span *all,
                                               int64_t *count)
{
    *all = (sri_span){0, p};
    *count = picked ? picked->spans : 1;
    return picked ? picked->span : all;
}
/* The coordinates of one point: where they lie, or, where they are apart, copied to `room`
 * (SRI_PICKED_APART numbers). */
const double *sri_picked_see(const sri_picked *picked, const double *x, double *room);
/* The entries of sparse row i that lie in a span: places from .. to - 1; the same as a matrix of
 * one row, which `place` becomes a part of. */
void sri_picked_entries(const sri_matrix *m, int64_t i, sri_span span, int64_t *from, int64_t *to);
sri_matrix sri_picked_row(const sri_matrix *m, int64_t i, sri_span span, int64_t place[2]);

#endif

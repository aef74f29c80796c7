/* Classes as columns of numbers.  A coding turns a class number into a row of Y, and a row of
 * real-valued outputs into one score per class; the largest score wins, ties to the lower class. */
#ifndef SRI_CODING_CODING_H
#define SRI_CODING_CODING_H

#include "core/context.h"

typedef struct sri_coding {
    const char *name;
    /* Columns of Y for n_classes. */
    int64_t (*width)(int64_t n_classes);
    /* Y (n x width, row-major) from class numbers. */
    void (*encode)(const int32_t *classes, int64_t n, int64_t n_classes, double *Y);
    /* scores (n_classes) from one row of outputs (width). */
    void (*scores)(const double *outputs, int64_t n_classes, double *scores);
} sri_coding;

/* One against all: +1 in the class's column, -1 elsewhere; two classes share one column. */
extern const sri_coding sri_coding_ova;

const sri_coding *sri_coding_find(specreg_context *ctx, const char *name);
/* The class with the largest score. */
int32_t sri_decode(const sri_coding *coding, const double *outputs, int64_t n_classes,
                   double *scores);

#endif

/* The sizes on which costs depend, and what a computation of these sizes costs.  Seconds are made
 * of that in engine/machine.h. */
#ifndef SRI_OP_COST_H
#define SRI_OP_COST_H

#include <stdbool.h>
#include <stdint.h>

/* An operator's sizes.  That of fewer rows is a shape of its own: no operator is needed for it. */
typedef struct sri_shape {
    int64_t n;            /* rows of K                                                         */
    bool linear;          /* K = X X', times a number; X has ...                               */
    bool sparse;          /* ... sparse rows,                                                  */
    double columns;       /* this many columns,                                                */
    double nonzeros;      /* this many numbers,                                                */
    double row_pairs;     /* and, where it is sparse, this many pairs of numbers within a row  */
    int64_t rank;         /* columns of the low-rank factor that is known; 0: none is          */
    double value_flops;   /* arithmetic of a kernel value, beside the function itself          */
    double value_entries; /* entries of K that one value makes: T^2 for a field; 0: 1          */
    double diagonal;      /* about that of K, which lambda is compared with; 0: 1, or unknown  */
    bool has_single;      /* K can be stored in single precision                               */
    bool single;          /* ... and is, wherever it fits the memory                           */
} sri_shape;

/* The same with another number of rows. */
sri_shape sri_shape_of_rows(const sri_shape *shape, int64_t rows);
/* Whether products multiply by X' and then by X, so that K is not stored: these are less than K. */
bool sri_shape_by_factors(const sri_shape *shape);

typedef struct sri_cost {
    double flops;              /* arithmetic, counted at the speed of a matrix product         */
    double traffic;            /* bytes that are read in order, again and again ...            */
    double working_set;        /* ... from this many bytes                                     */
    double overlapped_flops;   /* arithmetic during `traffic`: the slower of the two counts    */
    double random_bytes;       /* bytes of cache lines that are read at random ...             */
    double random_working_set; /* ... from this many bytes                                     */
    double values;             /* kernel values                                                */
    double scalar;             /* operations that wait for each other                          */
    double regions;            /* parallel regions: how often threads wait for each other      */
    double bytes;              /* memory at the peak                                           */
    double handicap;           /* factor on the seconds when engines are compared, for risks that
                                * the cost does not see; 0: 1                                  */
} sri_cost;

/* A matrix of fewer rows is stored in full: it lies in a cache, where that is faster than to read
 * one triangle for both. */
enum { SRI_OP_WHOLE = 1200 };

/* Adds `times` products with `columns` columns, by the factors or of a matrix, `stored` or not. */
void sri_matrix_product_cost(const sri_shape *shape, bool stored, double columns, double times,
                             sri_cost *cost);
/* Bytes of a matrix of this shape as operators store it; 0: products go by the factors. */
double sri_matrix_stored_bytes(const sri_shape *shape);

#endif

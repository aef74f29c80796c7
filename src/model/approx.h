/* --approx auto, and m=auto: whether all rows can be centres, and how many can.  The choice goes by
 * fixed nominal rates of a computer, never by a clock: the same call gives the same model
 * everywhere. */
#ifndef SRI_MODEL_APPROX_H
#define SRI_MODEL_APPROX_H

#include "model/prepare.h"

/* What a prepared search of a table is to be: exact, where that is asked for, takes no longer
 * than --time and fits the memory, or where fewer centres do not go with its options; else
 * rectangle with m still to be found (0). */
specreg_status sri_approx_choose(specreg_context *ctx, sri_prepared *p, sri_approx_kind *out);
/* How m centres of so many rows are solved for: as asked, or what takes less. */
sri_solver sri_approx_solver(const sri_prepared *p, int64_t rows, int64_t m);
/* The most centres, of `rows` rows, that a search takes within --time and the memory. */
int64_t sri_approx_most(const sri_prepared *p, int64_t rows);

/* Seconds that an exact search may take to be made at all; 0: it is made in any case. */
double sri_approx_patience(const sri_prepared *p);

/* What a fit with fewer centres would take, by the nominal rates, and on this computer by its
 * products of matrices. */
typedef struct sri_approx_plan {
    sri_approx_kind kind; /* exact: nothing else is set */
    int64_t m;            /* centres, at most           */
    double seconds, seconds_here, bytes;
    double passes; /* over the rows, of conjugate gradients; 0: there are sums */
} sri_approx_plan;
specreg_status sri_approx_planned(specreg_context *ctx, sri_prepared *p, int64_t rows,
                                  sri_approx_plan *out);

#endif

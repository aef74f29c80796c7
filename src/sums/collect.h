/* Held-out predictions of all rows, for measures that are not a mean over rows (auc, f1, r2) or
 * that calibrate probabilities on all of them.  The one thing here whose memory grows with the
 * rows. */
#ifndef SRI_SUMS_COLLECT_H
#define SRI_SUMS_COLLECT_H

#include "select/criterion.h"
#include "sums/pass.h"

/* The rows of one part, in the order in which they are read. */
typedef struct sri_collected {
    int64_t n, room;
    double *F, *Y; /* n x (points T), n x T */
    int32_t *classes;
    double *weight;
} sri_collected;

typedef struct sri_collect {
    sri_arena memory;
    const sri_problem *problem;
    int64_t points, parts;
    sri_collected *part;
    sri_collected *place; /* places x parts: of each block that is worked on */
} sri_collect;

/* Whether a measure needs all rows at once. */
bool sri_collect_wanted(const sri_measure *measure);
/* Room for rows[f] rows of each part. */
specreg_status sri_collect_new(specreg_context *ctx, const sri_problem *problem, int64_t points,
                               int64_t parts, const int64_t *rows, sri_collect *out);
void sri_collect_free(sri_collect *g);
/* Predictions F of n rows that belong to a part, from a block; called by several threads. */
void sri_collect_put(const sri_collect *g, int place, int64_t part, int64_t n, const double *F,
                     const sri_truth *truth);
/* After the blocks at places 0 .. count - 1.  It fails where there are more rows than there is room
 * for: the data changed between passes. */
specreg_status sri_collect_settle(specreg_context *ctx, sri_collect *g, int count);
/* losses (parts x points). */
specreg_status sri_collect_judge(specreg_context *ctx, const sri_collect *g, sri_losses *losses);

#endif

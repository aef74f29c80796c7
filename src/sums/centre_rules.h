/* The kinds of centres, and what several of them share. */
#ifndef SRI_SUMS_CENTRE_RULES_H
#define SRI_SUMS_CENTRE_RULES_H

#include "core/urn.h"
#include "sums/centres.h"

/* Rules, as sri_centre_rule.choose. */
specreg_status sri_centres_pivoted(specreg_context *ctx, const sri_centre_pool *pool, int64_t m,
                                   int64_t *row, int64_t *count);
specreg_status sri_centres_rpcholesky(specreg_context *ctx, const sri_centre_pool *pool, int64_t m,
                                      int64_t *row, int64_t *count);
specreg_status sri_centres_leverage(specreg_context *ctx, const sri_centre_pool *pool, int64_t m,
                                    int64_t *row, int64_t *count);
specreg_status sri_centres_kmeans(specreg_context *ctx, const sri_centre_pool *pool, int64_t m,
                                  int64_t *row, int64_t *count);
specreg_status sri_centres_file(specreg_context *ctx, const sri_centre_pool *pool, int64_t m,
                                int64_t *row, int64_t *count);

/* How many rows a file lists. */
specreg_status sri_centres_count(specreg_context *ctx, const char *file, int64_t *count);

/* Draws m rows without replacement, with probabilities that follow weights (NULL: all alike). */
specreg_status sri_centres_draw(specreg_context *ctx, const sri_centre_pool *pool,
                                const double *weight, int64_t m, int64_t *row, int64_t *count);

/* The points that rules look at which keep m numbers of each: all of the pool, or as many rows at
 * random as these numbers fit into 256 MiB, but never fewer than 2 m. */
typedef struct sri_candidates {
    const sri_points *points;
    sri_points *own; /* NULL: all of the pool                             */
    int64_t *row;    /* of each point in the pool, ascending; NULL: its own */
} sri_candidates;

specreg_status sri_candidates_make(specreg_context *ctx, const sri_centre_pool *pool, int64_t m,
                                   sri_candidates *out);
void sri_candidates_free(sri_candidates *c);
static inline int64_t sri_candidates_row(const sri_candidates *c, int64_t i)
{
    return c->row ? c->row[i] : i;
}

#endif

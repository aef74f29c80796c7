/* The seeding of k-means++: each centre is a row at random, with a probability that follows its
 * squared distance to the nearest of the centres before it. */
#include <math.h>

#include "core/memory.h"
#include "sums/centre_rules.h"

typedef struct distances {
    const double *x; /* n x p */
    int64_t n, p;
    double *least; /* n: squared, to the nearest centre */
} distances;

static double squared_distance(const double *x, const double *z, int64_t p)
{
    double sum = 0;
    for (int64_t j = 0; j < p; j++)
        sum += (x[j] - z[j]) * (x[j] - z[j]);
    return sum;
}

static void add_centre(distances *d, int64_t centre)
{
    const double *z = d->x + centre * d->p;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < d->n; i++)
        d->least[i] = fmin(d->least[i], squared_distance(d->x + i * d->p, z, d->p));
    d->least[centre] = 0;
}

specreg_status sri_centres_kmeans(specreg_context *ctx, const sri_centre_pool *pool, int64_t m,
                                  int64_t *row, int64_t *count)
{
    specreg_status st = SPECREG_OK;
    sri_candidates c = {0};
    sri_urn urn = {.rng = sri_rng_make(pool->seed, SRI_STREAM_CENTRES)};
    distances d = {0};
    SRI_REQUIRE(ctx, pool->points->rows.x.x, SPECREG_E_ARG,
                "approx: centers=kmeans is for dense rows; for sparse ones take rpcholesky");
    SRI_TRY(sri_candidates_make(ctx, pool, m, &c));
    d = (distances){.x = c.points->rows.x.x, .n = c.points->n, .p = c.points->p};
    urn.n = d.n;
    SRI_ALLOC(ctx, urn.sum, urn.n, 1);
    SRI_ALLOC(ctx, d.least, d.n, 1);
    for (int64_t i = 0; i < d.n; i++)
        d.least[i] = 1; /* the first one: all alike */
    *count = 0;
    for (int64_t at; *count < m; row[(*count)++] = sri_candidates_row(&c, at)) {
        sri_urn_fill(&urn, d.least);
        at = sri_urn_draw(&urn);
        if (at < 0)
            break;
        for (int64_t i = 0; !*count && i < d.n; i++)
            d.least[i] = INFINITY;
        add_centre(&d, at);
        SRI_TRY(sri_poll(ctx));
    }
done:
    sri_free(d.least);
    sri_free(urn.sum);
    sri_candidates_free(&c);
    return st;
}

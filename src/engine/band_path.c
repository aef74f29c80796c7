#include "engine/band_path.h"

#include <math.h>
#include <string.h>

#include "backend/threads.h"
#include "core/openmp.h"
#include "engine/pivots.h"

static bool has_systems(const sri_job *job)
{
    return job->path.filter->ops->resolvents != NULL;
}

/* Threads beyond the number of lambdas have nothing to do. */
static int64_t factors(const sri_job *job)
{
    const int64_t threads = sri_region_threads();
    return !has_systems(job) ? 0 : threads < job->path.count ? threads : job->path.count;
}

double sri_band_path_bytes(const sri_job *job, int64_t n)
{
    const double columns = (has_systems(job) ? 1 : 5) * (double)job->problem.T;
    const double each = (double)factors(job) * (SRI_BAND_WIDTH + 1);
    return sri_band_bytes(n) + 8 * (double)n * (columns + each);
}

specreg_status sri_band_path_start(specreg_context *ctx, sri_band_path *p, const sri_job *job,
                                   sri_band_rows rows, double *K)
{
    const int64_t n = rows.n;
    const int64_t T = job->problem.T, steps = has_systems(job) ? 0 : T;
    *p = (sri_band_path){.job = job, .mass = rows.mass};
    SRI_CALL(sri_band_reduce(ctx, n, K, &p->band));
    for (int64_t j = 0, w = p->band.width + 1; j < n; j++)
        p->noise = fmax(p->noise, (double)n * DBL_EPSILON *
                                      sri_magnitude(w < n - j ? w : n - j, p->band.B + j * w));
    SRI_ARENA_NEW(ctx, &p->scratch, p->b, T, n);
    for (int64_t t = 0; t < T; t++)
        for (int64_t i = 0; i < n; i++)
            p->b[t * n + i] = job->problem.Y[rows.row[i] * T + t];
    SRI_CALL(sri_band_rotate(ctx, &p->band, true, T, p->b));
    SRI_ARENA_NEW(ctx, &p->scratch, p->L, factors(job), n * (p->band.width + 1));
    SRI_ARENA_NEW_ZERO(ctx, &p->scratch, p->z, steps, n);
    SRI_ARENA_NEW_ZERO(ctx, &p->scratch, p->before, steps, n);
    SRI_ARENA_NEW(ctx, &p->scratch, p->residual, steps, n);
    memcpy(p->residual, p->b, (size_t)(steps * n) * sizeof *p->b);
    if (steps && job->path.filter->ops->iteration->looks_ahead)
        SRI_ARENA_NEW_ZERO(ctx, &p->scratch, p->r_before, steps, n);
    return SPECREG_OK;
}

specreg_status sri_band_path_leverages(specreg_context *ctx, sri_band_path *p, int64_t width)
{
    SRI_CALL(sri_band_form(ctx, &p->band));
    SRI_CALL(sri_band_factors_new(ctx, &p->band, width, &p->factors));
    p->leverages = true;
    return SPECREG_OK;
}

void sri_band_path_end(sri_band_path *p)
{
    sri_band_factors_free(&p->factors);
    sri_arena_free(&p->scratch);
    sri_band_free(&p->band);
}

/* z = z_q and residual = mu (z_q - z_{q-1}) from a factor of B + mu I. */
static void solve(const sri_band_path *p, double mu, int q, const double *L, double *z,
                  double *residual)
{
    const int64_t size = p->band.n * p->job->problem.T;
    double *before = residual;
    memset(z, 0, (size_t)size * sizeof *z);
    for (int i = 0; i < q; i++) {
        memcpy(before, z, (size_t)size * sizeof *z);
        for (int64_t k = 0; k < size; k++)
            z[k] = p->b[k] + mu * before[k];
        sri_band_solve(&p->band, L, p->job->problem.T, z);
    }
    for (int64_t k = 0; k < size; k++)
        residual[k] = mu * (z[k] - before[k]);
}

/* Lambda number k of a group, with space for a factor; false when rounding has eaten it. */
static bool run_lambda(const sri_band_path *p, const sri_band_group *g, int64_t k, double *L)
{
    const int64_t n = p->band.n, size = n * p->job->problem.T;
    const sri_filter *filter = p->job->path.filter;
    const sri_systems of = filter->ops->resolvents(filter, p->job->path.param[g->first + k]);
    const double mu = p->mass * of.lambda;
    double *z = g->X + k * size, *residual = g->X + (g->count + k) * size;
    g->df[k] = NAN;
    if (!sri_band_cholesky(&p->band, mu, L) ||
        !sri_pivots_are_sound(n, L, p->band.width + 1, mu, p->noise)) {
        memset(z, 0, (size_t)size * sizeof *z);
        memset(residual, 0, (size_t)size * sizeof *residual);
        return false;
    }
    solve(p, mu, of.order, L, z, residual);
    if (p->leverages)
        sri_band_factors_set(&p->factors, k, L);
    else if (sri_job_needs(p->job, SRI_NEED_DF))
        g->df[k] = (double)n - mu * sri_band_inverse_trace(&p->band, L);
    return true;
}

/* Lambdas have nothing in common: each thread takes one at a time. */
static void run_lambdas(const sri_band_path *p, const sri_band_group *g)
{
    const int64_t factor = p->band.n * (p->band.width + 1);
    const int takers = (int)factors(p->job); /* before the region, inside which it would be 1 */
    const sri_region region = sri_region_enter();
#pragma omp parallel for schedule(dynamic) num_threads(takers)
    for (int64_t k = 0; k < g->count; k++)
        g->failed[k] = !run_lambda(p, g, k, p->L + omp_get_thread_num() * factor);
    sri_region_leave(region);
}

/* Leverages of the group whose factors were kept; their sum is df. */
static specreg_status run_leverages(specreg_context *ctx, const sri_band_path *p,
                                    const sri_band_group *g)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = p->band.n;
    double *mu = NULL;
    SRI_ALLOC(ctx, mu, g->count, 1);
    for (int64_t k = 0; k < g->count; k++)
        mu[k] = p->mass * p->job->path.param[g->first + k];
    sri_band_leverages(&p->band, &p->factors, g->count, mu, g->failed, g->one_minus_h);
    for (int64_t k = 0; k < g->count; k++) {
        g->df[k] = g->failed[k] ? NAN : (double)n;
        for (int64_t i = 0; i < n && !g->failed[k]; i++)
            g->df[k] -= g->one_minus_h[k * n + i];
    }
done:
    sri_free(mu);
    return st;
}

static void take_step(sri_band_path *p)
{
    const sri_filter *filter = p->job->path.filter;
    const int64_t n = p->band.n, size = n * p->job->problem.T;
    const sri_step by = filter->ops->iteration->recurrence(filter, ++p->step);
    if (p->r_before)
        sri_look_ahead(size, by.v, p->residual, p->r_before);
    for (int64_t k = 0; k < size; k++) {
        const double z = p->z[k];
        p->z[k] = z + by.u * (z - p->before[k]) + by.w / p->mass * p->residual[k];
        p->before[k] = z;
    }
    for (int64_t k = 0; k < size; k += n)
        sri_band_residual(&p->band, p->b + k, p->z + k, p->residual + k);
}

static specreg_status run_steps(specreg_context *ctx, sri_band_path *p, const sri_band_group *g)
{
    const int64_t size = p->band.n * p->job->problem.T;
    for (int64_t k = 0; k < g->count; k++) {
        while ((double)p->step < p->job->path.param[g->first + k]) {
            take_step(p);
            SRI_CALL(sri_poll(ctx));
        }
        memcpy(g->X + k * size, p->z, (size_t)size * sizeof *g->X);
        memcpy(g->X + (g->count + k) * size, p->residual, (size_t)size * sizeof *g->X);
        g->failed[k] = false;
        g->df[k] = NAN;
    }
    return SPECREG_OK;
}

specreg_status sri_band_path_next(specreg_context *ctx, sri_band_path *p,
                                  const sri_band_group *group)
{
    const int64_t columns = group->count * p->job->problem.T;
    if (has_systems(p->job))
        run_lambdas(p, group);
    else
        SRI_CALL(run_steps(ctx, p, group));
    SRI_CALL(sri_poll(ctx));
    if (group->one_minus_h)
        SRI_CALL(run_leverages(ctx, p, group));
    SRI_CALL(sri_poll(ctx));
    return sri_band_rotate(ctx, &p->band, false, (group->residuals ? 2 : 1) * columns, group->X);
}

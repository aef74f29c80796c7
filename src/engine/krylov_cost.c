/* How many steps engine krylov will take, how many it may, and what they cost. */
#include "engine/krylov_cost.h"

#include <math.h>

#include "backend/vec.h"
#include "engine/block_cg.h"
#include "engine/precond_cg.h"
#include "engine/tall.h"
#include "op/lanczos.h"
#include "op/rounded.h"

bool sri_krylov_polynomial(const sri_filter *f)
{
    return f->ops->iteration || sri_filter_nonlinear(f);
}

bool sri_krylov_is_search(const sri_job *job)
{
    return job->request.tolerance > 0 && sri_job_needs(job, SRI_NEED_FOLDS) &&
           !sri_filter_nonlinear(job->path.filter);
}

/* A Krylov space is whole after as many steps: of a linear kernel the columns, and one. */
static double rank_bound(const sri_shape *shape)
{
    const double n = (double)shape->n;
    return shape->linear ? fmin(n, 1 + shape->columns) : n;
}

/* On average for a kernel of those that a search looks at, with lambda down to 1e-10: of 2,000 rows
 * 60 to 90 of ten, 130 to 160 of three, in 2, 8 and 20 dimensions.  The first ones cannot be left
 * for being far behind.  More rows have their best lambda further down: 80 to 120 steps of 500 to
 * 1,300 rows, 120 to 170 of 5,000, 150 to 300 of 20,000. */
static double search_steps(const sri_job *job)
{
    const double more = pow((double)job->shape.n / 2000, 0.2);
    return (75 + 200 / fmax(2, (double)job->hint.n_candidates)) * more;
}

/* Observed on rbf, matern and laplace kernels of various widths: lambda = 10^-d takes 20, 70, 170
 * and 60 to 950 steps for d = 2, 4, 6, 8, and mostly no more than 0.6 n.  Iterations see less of
 * the spectrum: see their krylov_growth.  A
 * search goes to a tolerance, and most of the time ends before the last point. */
static double expected_steps(const sri_job *job)
{
    const sri_filter *filter = job->path.filter;
    const double n = (double)job->shape.n, end = sri_job_last(job);
    const double last =
        filter->path == SRI_PATH_ORDER ? filter->ops->resolvents(filter, end).lambda / end : end;
    if (sri_filter_nonlinear(job->path.filter))
        return fmin(n, last);
    const double size = job->shape.diagonal > 0 && !sri_krylov_polynomial(job->path.filter)
                            ? job->shape.diagonal
                            : 1;
    const double d = fmax(1, fabs(log10(last / size))), early = sri_krylov_is_search(job) ? 0.6 : 1;
    if (sri_krylov_polynomial(job->path.filter))
        return fmin(fmin(n, last), job->path.filter->ops->iteration->krylov_growth * d * d * early);
    const double rank = rank_bound(&job->shape);
    if (sri_krylov_is_search(job)) /* neighbours are alike */
        return fmin(rank, job->hint.expected_steps ? (double)job->hint.expected_steps
                                                   : search_steps(job));
    return fmin(rank, fmin(0.6 * n, 6 * d * d * (1 + d * d / 100)));
}

/* Of block conjugate gradients, observed on the same kernels and on sparse rows: several outputs
 * take six tenths of the steps, and without a basis there are more of them the smaller lambda
 * is.  Counts of words in 11,314 documents take 156, 440 and 1,276 of them for lambda = 1e-2, 1e-3
 * and 9e-5; 260, 550 and 1,210 are expected. */
static double block_steps(const sri_job *job)
{
    const double n = (double)job->shape.n, diagonal = job->shape.diagonal;
    const double size = diagonal > 0 ? diagonal : 1;
    const double d = fmax(1, fabs(log10(job->path.param[0] / size)));
    const double alone = fmin(0.6 * n, 6 * d * d * (1 + d * d / 100));
    return (job->problem.T > 1 ? 0.6 : 1) * alone * (1 + pow(d / 6, 4));
}

/* The length of a number of a basis: a search that multiplies by factors has most of them in single
 * precision. */
static double basis_number(const sri_job *job)
{
    return sri_krylov_is_search(job) && sri_shape_by_factors(&job->shape) ? 4 : 8;
}

/* A basis grows by half; while it is copied, 2.5 k vectors of length n live. */
static double bytes_per_step(const sri_job *job)
{
    return basis_number(job) * 2.5 * (double)job->shape.n * (double)sri_job_columns(job);
}

/* That of k steps: the space that a basis of plain spaces begins with need not grow. */
static double basis_bytes(const sri_job *job, double k)
{
    const bool grows = sri_krylov_is_search(job) || k >= SRI_LANCZOS_FIRST;
    return (grows ? 1 : 0.4) * bytes_per_step(job) * k;
}

int64_t sri_krylov_limit(const sri_job *job)
{
    const double fit =
        ((double)job->request.memory - sri_job_stored_bytes(job)) / bytes_per_step(job);
    return (int64_t)fmin((double)job->shape.n, fmax(50, fit));
}

/* Checks and coefficients need the spectrum of T_k, and g there: where g is a recursion of t
 * steps at every eigenvalue, that can be most of the work. */
static double small_flops(const sri_job *job, double k)
{
    const double spectrum = (job->path.filter->ops->resolvents ? 10 : 60) * k * k * k;
    const double t = sri_filter_eval_steps(job->path.filter, sri_job_last(job));
    return (spectrum + 2400 * k * t) * (double)sri_job_columns(job);
}

/* What the search keeps: one triangle of K in single precision and a few columns of it in
 * double, and bases that are mostly in single precision too.  Where that is not exact enough it
 * begins again with all of K, if memory allows. */
static sri_cost search_cost(const sri_job *job, double k)
{
    const double n = (double)job->shape.n;
    const double columns = (double)(sri_job_folds(job) * job->problem.T),
                 passes = k * ceil(columns / 32);
    const double held_out = 8 * (double)(job->problem.folds.repeats * job->problem.T) * n;
    return (sri_cost){.flops = 160 * n * n + small_flops(job, k),
                      .traffic = passes * 2 * n * n,
                      .working_set = 2 * n * n,
                      .random_bytes = 2.4 * n * k * k *
                                      columns, /* bases, where threads wait for the last of them */
                      .random_working_set = 2 * n * n + 2 * n * k * columns,
                      .overlapped_flops =
                          k * 1.7 * n * n * columns, /* faster than products in double precision */
                      .values = n * n / 2,
                      .scalar = 8 * n * k * columns,
                      .regions = k * 60, /* 12, in which threads also wait for each other */
                      .bytes = sri_rounded_bytes(job->shape.n) + bytes_per_step(job) / 2 * k +
                               8 * held_out};
}

/* A product and six of tall matrices with small ones for every step, these at half the speed of
 * large ones. */
static sri_cost block_cost(const sri_job *job)
{
    const double n = (double)job->shape.n, T = (double)job->problem.T, k = block_steps(job) + 1;
    const double stored = sri_job_stored_bytes(job), width = fmin(T, SRI_TALL_MOST);
    const double packed = job->shape.linear
                              ? fmin(SRI_GATHER, 8 * ceil(T / 8)) * (n + rank_bound(&job->shape))
                              : 64 * n;
    sri_cost c = {.flops = 24 * n * T * width * k,
                  .values = stored > 0 ? n * n / 2 : 0,
                  .scalar = 8 * n * T + 40 * k * width * width * width,
                  .regions = 4 * k * ceil(T / SRI_TALL_MOST),
                  .bytes = stored + 8 * (sri_block_cg_numbers(job) + packed)};
    sri_job_product_cost(job, stored > 0, T, k, &c);
    return c;
}

/* Whether a search keeps K in single precision. */
static bool is_kept_in_single(const sri_job *job)
{
    return sri_krylov_is_search(job) && job->shape.has_single &&
           sri_rounded_bytes(job->shape.n) <= (double)job->request.memory / 2;
}

/* The large terms run at the speed of memory: a pass over K for 32 columns, and over each basis
 * four for every step, or, in a search, which takes rows of it a strip at a time, one. */
sri_cost sri_krylov_cost_of_steps(const sri_job *job, double k)
{
    if (is_kept_in_single(job) && !sri_shape_by_factors(&job->shape))
        return search_cost(job, k);
    const double n = (double)job->shape.n;
    const double columns = (double)sri_job_columns(job), T = (double)job->problem.T;
    const double stored = sri_job_stored_bytes(job), repeats = (double)sri_job_repeats(job);
    const double points = fmin((double)job->path.count, SRI_KRYLOV_CHUNK); /* at a time */
    sri_cost c = {.flops = small_flops(job, k),
                  .traffic = (sri_krylov_is_search(job) ? 0.5 : 2) * basis_number(job) * n * k * k *
                             columns,
                  .working_set = basis_number(job) * n * k,
                  .values = stored > 0 ? n * n / 2 : 0,
                  .scalar = (sri_krylov_is_search(job) ? 4 : 2) * n * k * columns,
                  .regions = 4 * k * columns,
                  .bytes = stored + basis_bytes(job, k) +
                           8 * ((2 + repeats) * points * n * T + (stored > 0 ? 64 : 512) * n)};
    sri_job_product_cost(job, stored > 0, columns, k, &c);
    return c;
}

/* With a basis, or by blocks. */
static sri_cost cost_without(const sri_job *job)
{
    if (sri_block_cg_serves(job))
        return block_cost(job);
    return sri_krylov_cost_of_steps(job, expected_steps(job));
}

bool sri_krylov_preconditions(const sri_job *job)
{
    if (!sri_precond_cg_serves(job) || is_kept_in_single(job))
        return false;
    sri_job nominal = *job;
    nominal.request.machine = NULL;
    const sri_cost with = sri_precond_cg_cost(job), without = cost_without(job);
    const double memory = (double)job->request.memory;
    return with.bytes <= memory &&
           (without.bytes > memory ||
            sri_job_seconds(&nominal, &with) < sri_job_seconds(&nominal, &without));
}

sri_cost sri_krylov_cost(const sri_job *job)
{
    return sri_krylov_preconditions(job) ? sri_precond_cg_cost(job) : cost_without(job);
}

int64_t sri_krylov_block_limit(const sri_job *job)
{
    const double patience = 2 * block_steps(job) + SRI_KRYLOV_LEAST, n = (double)job->shape.n;
    const double fit = (double)sri_krylov_limit(job);
    return (int64_t)(fit < n && fit < patience ? 4 * n : patience);
}

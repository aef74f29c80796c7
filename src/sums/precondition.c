#include "sums/precondition.h"

#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/factor.h"
#include "core/arena.h"
#include "sums/centre_rules.h"
#include "sums/crew.h"
#include "sums/products.h"

/* Rows are taken a chunk at a time; threads whiten a few of them each, then add strips of the sums:
 * fixed numbers, so that bits do not depend on threads. */
enum { CHUNK = 2048, WHITENED = 256, STRIP = 256 };

/* A chunk of the sample, and the sums so far. */
typedef struct chunk {
    const sri_sample_source *from;
    const int64_t *row; /* its rows in the problem */
    int64_t n, order;   /* order: r + l            */
    double *Z;          /* n x order: (b, phi), by the root of the weight */
    double *S;          /* order x order, upper triangle                  */
} chunk;

/* z of some rows of the chunk. */
static specreg_status whiten_some(specreg_context *ctx, void *payload, int64_t job)
{
    specreg_status st = SPECREG_OK;
    const chunk *c = payload;
    const sri_problem *problem = c->from->problem;
    const int64_t first = job * WHITENED, l = problem->unpenalised.l, r = c->order - l;
    const int64_t n = c->n - first < WHITENED ? c->n - first : WHITENED;
    sri_points *points = NULL;
    SRI_TRY(sri_points_subset(ctx, problem->points, c->row + first, n, &points));
    const sri_rows_view rows = sri_points_rows(points, 0, n);
    SRI_TRY(sri_whiten(ctx, c->from->whitening, &rows, c->Z + first * c->order, c->order));
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = c->row[first + i];
        double *z = c->Z + (first + i) * c->order;
        if (l)
            memcpy(z + r, problem->unpenalised.P + row * l, (size_t)l * sizeof *z);
        for (int64_t j = 0; problem->rows.weight && j < c->order; j++)
            z[j] *= sqrt(problem->rows.weight[row]);
    }
done:
    sri_points_free(points);
    return st;
}

static specreg_status add_strip(specreg_context *ctx, void *payload, int64_t job)
{
    (void)ctx;
    const chunk *c = payload;
    const int64_t q = c->order, first = job * STRIP;
    sri_gemm(true, false, q - first < STRIP ? q - first : STRIP, q - first, c->n, 1, c->Z + first,
             q, c->Z + first, q, 1, c->S + first * (q + 1), q);
    return SPECREG_OK;
}

/* The sums of z z' over the rows of the sample: upper triangle. */
static specreg_status add_sample(specreg_context *ctx, chunk *c, const int64_t *row, int64_t rows)
{
    const int crew = sri_crew_size();
    SRI_CALL(sri_stage(ctx, "preconditioner", rows));
    for (int64_t first = 0; first < rows; first += CHUNK) {
        c->row = row + first;
        c->n = rows - first < CHUNK ? rows - first : CHUNK;
        SRI_CALL(sri_crew_run(ctx, (c->n + WHITENED - 1) / WHITENED, crew, whiten_some, c));
        SRI_CALL(sri_crew_run(ctx, (c->order + STRIP - 1) / STRIP, crew, add_strip, c));
        SRI_CALL(sri_progress(ctx, first + c->n));
    }
    return SPECREG_OK;
}

/* Takes the unpenalised terms out: S_bb - S_bp S_pp^-1 S_pb, with S_pp = C C' and S_pb in `few`. */
static specreg_status take_out_terms(specreg_context *ctx, const chunk *c, int64_t r, double *few)
{
    const int64_t q = c->order, l = q - r;
    double *C = few + l * r;
    int64_t failed = 0;
    for (int64_t i = 0; i < l; i++)
        for (int64_t j = 0; j < r; j++)
            few[i * r + j] = c->S[j * q + r + i];
    for (int64_t i = 0; i < l; i++)
        for (int64_t j = 0; j <= i; j++)
            C[i * l + j] = c->S[(r + j) * q + r + i];
    SRI_CALL(sri_cholesky(ctx, l, C, &failed));
    if (failed) /* terms that the sample does not tell apart: the sums go with them in */
        return SPECREG_OK;
    for (int64_t i = 0; i < l; i++) /* C^-1 S_pb */
        for (int64_t j = 0; j < r; j++) {
            for (int64_t k = 0; k < i; k++)
                few[i * r + j] -= C[i * l + k] * few[k * r + j];
            few[i * r + j] /= C[i * l + i];
        }
    for (int64_t k = 0; k < l; k++)
        for (int64_t i = 0; i < r; i++)
            for (int64_t j = i; j < r; j++)
                c->S[i * q + j] -= few[k * r + i] * few[k * r + j];
    return SPECREG_OK;
}

/* The upper triangle of S/mass, rows r apart. */
static void compact(double *S, int64_t q, int64_t r, double mass)
{
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = i; j < r; j++)
            S[i * r + j] = S[i * q + j] / mass;
}

static double mass_of(const sri_problem *problem, const int64_t *row, int64_t count)
{
    double mass = 0;
    for (int64_t k = 0; k < count; k++)
        mass += problem->rows.weight ? problem->rows.weight[row[k]] : 1;
    return mass;
}

/* On one thread, so that bits do not depend on how many there are. */
static specreg_status reduce(specreg_context *ctx, void *payload, int64_t job)
{
    (void)job;
    sri_sums_preconditioner *p = payload;
    const int64_t r = p->band.n;
    return sri_band_reduce(ctx, r, p->S, &p->band);
}

specreg_status sri_sums_preconditioner_make(specreg_context *ctx, const sri_sample_source *from,
                                            int64_t rows, sri_sums_preconditioner *out)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const sri_problem *problem = from->problem;
    const int64_t r = sri_whitening_rank(from->whitening), l = problem->unpenalised.l, q = r + l;
    const sri_centre_pool pool = {from->whitening->kernel, problem->points, from->number,
                                  problem->resources.seed, NULL};
    int64_t *row;
    double *few;
    chunk c = {.from = from, .order = q};
    *out = (sri_sums_preconditioner){.band = {.n = r}};
    SRI_SCRATCH(ctx, &scratch, row, rows, 1);
    SRI_SCRATCH(ctx, &scratch, few, l, r + l);
    SRI_TRY(sri_centres_draw(ctx, &pool, NULL, rows, row, &out->rows));
    SRI_SCRATCH(ctx, &scratch, c.Z, out->rows < CHUNK ? out->rows : CHUNK, q);
    SRI_CALLOC(ctx, out->S, q, q);
    c.S = out->S;
    SRI_TRY(add_sample(ctx, &c, row, out->rows));
    if (l)
        SRI_TRY(take_out_terms(ctx, &c, r, few));
    compact(out->S, q, r, mass_of(problem, row, out->rows));
    SRI_TRY(sri_crew_run(ctx, 1, 1, reduce, out));
done:
    sri_arena_free(&scratch);
    if (st != SPECREG_OK)
        sri_sums_preconditioner_free(out);
    return st;
}

void sri_sums_preconditioner_free(sri_sums_preconditioner *p)
{
    sri_band_free(&p->band);
    sri_free(p->S);
    *p = (sri_sums_preconditioner){.rows = 0};
}

typedef struct application {
    const sri_sums_preconditioner *p;
    const sri_shifted_columns *columns;
    double *Z;
} application;

/* z = (B + lambda I)^-1 z / mass; rounding that makes B indefinite asks for a larger lambda. */
static void solve_column(const sri_band *band, double lambda, double mass, double *L, double *z)
{
    enum { TRIES = 60 };
    int tries = 0;
    double shift = lambda;
    while (!sri_band_cholesky(band, shift, L) && tries++ < TRIES)
        shift *= 4;
    if (tries <= TRIES)
        sri_band_solve(band, L, 1, z);
    for (int64_t i = 0; i < band->n; i++)
        z[i] /= mass;
}

static specreg_status apply_to_some(specreg_context *ctx, void *payload, int64_t job)
{
    specreg_status st = SPECREG_OK;
    const application *a = payload;
    const sri_band *band = &a->p->band;
    const int64_t first = job * SRI_COLUMNS_TOGETHER, left = a->columns->count - first;
    const int64_t t = left < SRI_COLUMNS_TOGETHER ? left : SRI_COLUMNS_TOGETHER, r = band->n;
    double *L = NULL, *Z = a->Z + first * r;
    SRI_ALLOC(ctx, L, r, band->width + 1);
    memcpy(Z, a->columns->R + first * r, (size_t)(t * r) * sizeof *Z);
    SRI_TRY(sri_band_rotate(ctx, band, true, t, Z));
    for (int64_t c = 0; c < t; c++)
        solve_column(band, a->columns->lambda[first + c], a->columns->mass[first + c], L,
                     Z + c * r);
    SRI_TRY(sri_band_rotate(ctx, band, false, t, Z));
done:
    sri_free(L);
    return st;
}

specreg_status sri_sums_preconditioner_apply(specreg_context *ctx, const sri_sums_preconditioner *p,
                                             sri_shifted_columns columns, double *Z)
{
    application a = {p, &columns, Z};
    const int64_t jobs = (columns.count + SRI_COLUMNS_TOGETHER - 1) / SRI_COLUMNS_TOGETHER;
    return sri_crew_run(ctx, jobs, sri_crew_size(), apply_to_some, &a);
}
